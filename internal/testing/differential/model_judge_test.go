package differential

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/spec"
)

// byJudge is rule 4 where a model judges some of the edges: section 5. The edges with other
// conditions come first, and those without any are what is left when the model names none.
func (m *model) byJudge(v *visit, edges []leavingEdge) (way, bool, *problem) {
	var whens, plain []leavingEdge
	for _, e := range edges {
		switch {
		case e.When.IsSet():
			if m.open(e.edge, v.Name.V, e.To.V) {
				whens = append(whens, e)
			}
		case !e.conditional():
			if m.open(e.edge, v.Name.V, e.To.V) {
				plain = append(plain, e)
			}
		default:
			if w, ok, p := m.tryEdge(v, e); ok || p != nil {
				return w, ok, p
			}
		}
	}
	if len(whens) > 0 && !m.mode.Dry {
		none := len(whens) == 1 || len(plain) > 0
		switch choice := m.judge(v, whens, none); {
		case m.overdrawn: // the default is not taken, nor counted: a budget edge may have its bound
			return way{}, true, nil
		case choice > 0:
			return m.take(v.Name.V, whens[choice-1].To.V, "edge"), true, nil
		case choice == noneHolds && len(plain) == 0:
			v.declined = true
		}
	}
	if len(plain) > 0 {
		return m.take(v.Name.V, plain[0].To.V, "edge"), true, nil
	}
	return way{}, false, nil
}

// conditional reports whether an edge is taken only if something holds.
func (e leavingEdge) conditional() bool {
	return e.If.IsSet() || e.OnOutput != nil || e.OnConfidence.IsSet() || len(e.Branch) > 0 || e.On.IsSet() || e.When.IsSet()
}

// What judge returns besides the number of an edge.
const (
	noneHolds = 0
	noAnswer  = -1
)

// judge has the model choose between edges: it returns the number of one.
func (m *model) judge(v *visit, whens []leavingEdge, none bool) int {
	rejected := func(named string) int {
		m.rejected++
		m.event("route_rejected %s step %d visit %d named %s", v.Name.V, v.step, v.number, named)
		return noAnswer
	}
	if m.cancelled {
		m.unjudged = true
		return rejected("")
	}
	if m.overBudget() != nil {
		m.overdrawn = true
		return noAnswer
	}
	m.event("model_start %s step %d visit %d", v.Name.V, v.step, v.number)
	e, text := m.call(v, scriptdriver.JudgeOf(v.Name.V), true, m.question(whens, none))
	m.asked++
	p := m.ending(e, text, "")
	m.event("model_end %s step %d visit %d", v.Name.V, v.step, v.number)
	if p != nil {
		m.unjudged = m.unjudged || m.cancelled
		return rejected("")
	}
	if e.Text == "none" && none {
		return noneHolds
	}
	if n, err := strconv.Atoi(e.Text); err == nil && n >= 1 && n <= len(whens) {
		return n
	}
	return rejected(e.Text)
}

// question is what the model is shown: the choices, the input and the results so far.
func (m *model) question(whens []leavingEdge, none bool) string {
	var choices []string
	for i, e := range whens {
		choices = append(choices, fmt.Sprintf("%d %s", i+1, e.When.V))
	}
	if none {
		choices = append(choices, "none")
	}
	input := map[string]any{}
	for _, f := range m.s.pick(m.s.Input) {
		if value, ok := m.script.Input[f.name]; ok && value != nil {
			input[f.name] = asJSON(f.shape, value)
		}
	}
	view := map[string]any{"input": input, "results": append([]any{}, m.results...)}
	return fmt.Sprintf("%q %s", choices, scriptdriver.Canonical([]byte(jsonText(view))))
}

// judged reports whether a model judges any of a node's edges.
func (s *shapes) judged(n *nodeShape) bool {
	return slices.ContainsFunc(s.Edges, func(e *spec.Edge) bool { return e.From.V == n.Name.V && e.When.IsSet() })
}
