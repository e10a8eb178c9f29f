package check

import (
	"go/constant"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// coverPasses look for nodes that a run could reach and find no way on from, though
// nobody says what happens then.
var coverPasses = []Pass{
	{run: gapsWith("GG080"), Rule: diag.Rule{
		Code: "GG080", Name: "no-default",
		Doc:  "The ways on from a node do not cover every case, and neither the node nor the graph says what happens then. Nothing ends silently: add an edge without condition or next, or say no_match: error (the run fails with NoEdgeMatched) or no_match: end (it ends with the reason no_route). Conditions cover every case together when each other's negations do, or all values of what they compare; a comparison of floats also has the case NaN. What the model judges covers no case: it may name no edge, or give no answer.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {output: {done: bool}}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Done}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {output: {done: bool}}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Done}\n  - {from: a, to: end}\n",
	}},
	{run: gapsWith("GG081"), Rule: diag.Rule{
		Code: "GG081", Name: "enum-not-covered",
		Doc:  "The edges from a node ask for the values of an enum, but not for all of them, and nothing says what happens with the others. An edge with max_iterations covers its value only until it is used up.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {output: {verdict: {enum: [good, bad, odd]}}}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Verdict == GAOutVerdictGood}\n  - {from: a, to: end, on_output: {verdict: bad}}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {output: {verdict: {enum: [good, bad, odd]}}}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Verdict == GAOutVerdictGood}\n  - {from: a, to: end, on_output: {verdict: bad}}\n  - {from: a, to: end, on_output: {verdict: odd}}\n",
	}},
}

// A gap is what the ways on from a node leave open.
type gap struct {
	code          string
	pos           spec.Pos
	message, help string
	values        []string // of an enum, those that are not covered, where no other reason is known
}

const gapHelp = "add an edge without condition, or next:, or say no_match: error or no_match: end"

func gapsWith(code string) func(*context) {
	return func(c *context) {
		for _, n := range c.graph.Nodes {
			if n.Spec.NoMatch.IsSet() || c.spec.NoMatch.IsSet() && code != tableGapCode || c.spec.Unread {
				continue
			}
			if g := c.gap(n); g != nil && g.code == code {
				c.report(g.pos, g.message, g.help)
			}
		}
	}
}

// gap returns what the ways on from a node leave open to rule 7, whatever no_match says;
// nil where they cover every case, where the node is terminal, and where that cannot be
// judged because of another mistake.
func (c *context) gap(n *resolve.Node) *gap {
	if g, ok := c.gaps[n]; ok {
		return g
	}
	g := c.findGap(c.cfg.Node(n))
	c.gaps[n] = g
	return g
}

func (c *context) findGap(at *cfg.Node) *gap {
	n := at.Spec
	if at.Terminal() || runsOut(at) || c.unclear(at) {
		return nil
	}
	open := slices.ContainsFunc(at.Success(), (*cfg.Transition).Certain)
	settled := open || slices.ContainsFunc(at.By(cfg.ByEdge), (*cfg.Transition).CertainAfterRun) // unless the node is skipped
	name := "node " + quote(n.Spec.Name.V)
	if !settled && !at.Chooses() {
		g, ok := c.uncovered(at, gaveOutput)
		if g != nil {
			edges := at.Edges()
			if i := slices.IndexFunc(edges, partial); i >= 0 {
				return tableGap(edges[i], g)
			}
		}
		if !ok || g != nil {
			return g
		}
	}
	if !settled && n.MayGiveNothing() {
		g, ok := c.uncovered(at, gaveNothing)
		if !ok {
			return nil
		}
		if g != nil {
			return &gap{code: "GG080", pos: n.Spec.Name.Pos, message: name + " succeeds without an output where what it runs does, and no way on is sure to match then", help: gapHelp}
		}
	}
	if !settled && at.Soft {
		g, ok := c.uncovered(at, failedSoftly)
		if !ok {
			return nil
		}
		if g != nil {
			return &gap{code: "GG080", pos: n.Spec.FailSoft.Pos, message: name + " goes on when it fails, without an output, and no way on is sure to match then", help: gapHelp}
		}
	}
	if f, skips := n.Spec.Flag(spec.SkipOnError); skips && !open {
		return &gap{code: "GG080", pos: f.Name.Pos, message: name + " has only ways with conditions, which it cannot take when it is skipped", help: gapHelp}
	}
	return nil
}

// runsOut reports whether the node becomes terminal when its edges are used up, and no
// transition can fail to match before: those without condition are used up last.
func runsOut(n *cfg.Node) bool {
	if !n.Exhaustible() {
		return false
	}
	most := map[*cfg.Node]int{}
	edges := n.By(cfg.ByEdge)
	for _, t := range edges {
		if !t.Edge.Table() && !t.Known {
			return true // another mistake hides which of them are used up last
		}
		if !t.Conditional() {
			most[t.To] = max(most[t.To], t.Max)
		}
	}
	return !slices.ContainsFunc(edges, func(t *cfg.Transition) bool { return t.Max > most[t.To] })
}

// unclear reports whether another mistake hides what the ways on from the node are.
func (c *context) unclear(at *cfg.Node) bool {
	n, s := at.Spec, at.Spec.Spec
	router := n.Kind.Chooses
	switch {
	case s.Unread || s.FailSoft.Lost || routeLost(n) || slices.ContainsFunc(n.Leaving, (*resolve.Edge).Vague):
		return true
	case !n.Kind.Known(), router == (len(s.Routes) == 0), !n.Kind.Judges && s.OnPass.IsSet():
		return true
	case n.Out != nil && n.Out.Kind == resolve.Unknown, c.misspelt(n):
		return true
	}
	for w := n.Body; w != nil; w = w.Body {
		if w.Vague() {
			return true
		}
	}
	return slices.ContainsFunc(at.By(cfg.ByEdge), func(t *cfg.Transition) bool {
		return t.Edge.Spec.On.IsSet() && t.Cond.Kind != cfg.Uncalled || mistaken(t.Edge)
	})
}

// misspelt reports whether an edge from an unknown node may have been meant to leave this one:
// its name is the nearest, or no edge leads to this one, which may have been renamed.
func (c *context) misspelt(n *resolve.Node) bool {
	if c.meant == nil {
		c.meant = map[string]bool{}
		names := c.nodeNames()
		for _, e := range c.graph.Edges {
			if e.From != nil || spec.IsEnd(e.Spec.From.V) || c.meant[""] {
				continue
			}
			near, _ := diag.Suggest(e.Spec.From.V, names)
			c.meant[near] = true // "" where it can be any
		}
	}
	renamed := len(c.meant) > 0 && n != c.graph.Entry && n != c.graph.OnError && len(n.Entering) == 0
	return c.meant[n.Spec.Name.V] || c.meant[""] || renamed
}

// A supply says what is known of the output of a node when its ways on are tried.
type supply uint8

const (
	gaveOutput supply = iota
	gaveNothing
	failedSoftly
)

// uncovered tries the conditions of a node. The second result is false where they cannot be
// tried.
func (c *context) uncovered(at *cfg.Node, out supply) (*gap, bool) {
	n := at.Spec
	w := expr.NewCases(c.cfg.Exprs)
	w.Failed, w.Empty = out == failedSoftly, out != gaveOutput
	if !c.enter(w, at) {
		return nil, false
	}
	w.Settle()
	cases, open := w.Uncovered()
	if !open {
		return nil, true
	}
	if g := enumGap(w, n); g != nil {
		return g, true
	}
	return &gap{code: "GG080", pos: n.Spec.Name.Pos, message: noMatch(w, at, cases), help: gapHelp}, true
}

// enter puts every condition that is never used up into a world. It reports whether all
// of them could be read.
func (c *context) enter(w *expr.Cases, n *cfg.Node) bool {
	add := func(f *expr.Formula) { w.Formulas = append(w.Formulas, f) }
	for _, route := range n.Routes() {
		t := route.Field.Type
		if t.Base().Kind == resolve.String {
			break // it may name nothing, and then no field behind it is looked at
		}
		if t.Kind == resolve.Optional && t.Elem.Kind == resolve.Enum {
			add(expr.Not(w.Holds(expr.IsNil("out." + route.Field.GoName))))
		}
	}
	for _, t := range n.By(cfg.ByEdge) {
		if t.Bounded {
			continue
		}
		if t.Cond.Kind == cfg.Label && t.Cond.Field != nil {
			if !w.Empty { // a failed node has chosen nothing
				add(onOutput(w, t.Cond.Field, t.Cond.Text))
			}
			continue
		}
		f, ok := c.holdsWhen(w, n.Spec, t.Edge)
		if !ok {
			return false
		}
		if f != nil {
			add(f)
		}
	}
	for _, t := range n.By(cfg.ByTransition) {
		f := t.Cond.Field
		if f == nil || f.Type.Base().Kind == resolve.Unknown {
			continue
		}
		if !telling(f.Type) {
			return false
		}
		add(transition(w, f))
	}
	return true
}

// holdsWhen puts the condition of an edge into a world, nil where it has none that looks
// at a value. The second result is false where it cannot be read.
func (c *context) holdsWhen(w *expr.Cases, n *resolve.Node, e *resolve.Edge) (*expr.Formula, bool) {
	s := e.Spec
	switch {
	case s.If.IsSet():
		x := c.cfg.If(e)
		if x == nil || !x.Typed().OK() {
			return nil, false
		}
		return w.Of(x.Typed()), true
	case s.OnOutput != nil:
		f := field(n, s.OnOutput.Key.V)
		if f == nil || !fits(f, s.OnOutput.Value) {
			return nil, false
		}
		return onOutput(w, f, s.OnOutput.Value.Text), true
	case s.OnConfidence.IsSet():
		f := field(n, "confidence")
		if f == nil || f.Type.Base().Kind != resolve.Int && f.Type.Base().Kind != resolve.Float {
			return nil, false
		}
		value := s.OnConfidence.V
		if f.Type.Base().Kind == resolve.Int {
			value = math.Ceil(value)
		}
		return present(w, f, func(text string, t *resolve.Type) *expr.Formula {
			return w.Compared(text, t, token.GEQ, constant.ToFloat(constant.MakeFloat64(value)))
		}), true
	}
	return nil, true
}

func field(n *resolve.Node, name string) *resolve.Field {
	if n.Out == nil || n.Out.Kind != resolve.Struct {
		return nil
	}
	return n.Out.Field(name)
}

// outText is a field of the output in a condition, or the output itself.
func outText(f *resolve.Field) string {
	if f.GoName == "" {
		return "out"
	}
	return "out." + f.GoName
}

// present is a test of an output field that holds only if the field is there.
func present(w *expr.Cases, f *resolve.Field, test func(text string, t *resolve.Type) *expr.Formula) *expr.Formula {
	text := outText(f)
	if f.Type.Kind == resolve.Optional {
		return expr.And(expr.Not(w.Holds(expr.IsNil(text))), test("*"+text, f.Type.Elem))
	}
	return test(text, f.Type)
}

func onOutput(w *expr.Cases, f *resolve.Field, written string) *expr.Formula {
	base := f.Type.Base()
	return present(w, f, func(text string, t *resolve.Type) *expr.Formula {
		switch base.Kind {
		case resolve.Bool:
			if strings.EqualFold(written, "false") {
				return expr.Not(w.Holds(text))
			}
			return w.Holds(text)
		case resolve.Enum:
			at := slices.IndexFunc(base.Values, func(v resolve.EnumValue) bool { return v.Name == written })
			return w.Compared(text, t, token.EQL, constant.MakeInt64(int64(at+1)))
		case resolve.Int:
			v, _ := strconv.ParseInt(written, 10, 64)
			return w.Compared(text, t, token.EQL, constant.MakeInt64(v))
		case resolve.Float:
			v, _ := strconv.ParseFloat(written, 64)
			return w.Compared(text, t, token.EQL, constant.ToFloat(constant.MakeFloat64(v)))
		}
		return w.Compared(text, t, token.EQL, constant.MakeString(written))
	})
}

// transition is rule 5: the field is true, or not empty.
func transition(w *expr.Cases, f *resolve.Field) *expr.Formula {
	return present(w, f, func(text string, t *resolve.Type) *expr.Formula {
		switch f.Type.Base().Kind {
		case resolve.Bool:
			return w.Holds(text)
		case resolve.Enum:
			return w.Compared(text, t, token.NEQ, constant.MakeInt64(0))
		}
		return w.Compared(text, t, token.NEQ, constant.MakeString(""))
	})
}

// enumGap tells which values of an enum no edge asks for, where the edges ask for those of
// one enum.
func enumGap(w *expr.Cases, n *resolve.Node) *gap {
	at := slices.IndexFunc(w.Subjects, func(s *expr.Subject) bool { return s.Enum != nil && expr.IsPath(s.Text) })
	if at < 0 || w.Empty || len(w.Subjects) != 1 {
		return nil
	}
	s := w.Subjects[at]
	var values []string
	for _, i := range w.Missing(at) {
		if v, _ := constant.Int64Val(s.Cases[i]); v > 0 {
			values = append(values, s.Enum.Values[v-1].Name)
		}
	}
	if len(values) == 0 {
		return nil // the field may not be set
	}
	return &gap{
		code: "GG081", pos: n.Spec.Name.Pos, values: values,
		message: "the ways on from node " + quote(n.Spec.Name.V) + " do not cover every value of " + s.Text + ": " + listed("missing", quoteAll(values)),
		help:    "add edges for the others, or one without condition, or say no_match: error or no_match: end",
	}
}

// noMatch says when no way on matches.
func noMatch(w *expr.Cases, n *cfg.Node, at []int) string {
	name, edges := "node "+quote(n.Name()), n.By(cfg.ByEdge)
	if len(at) > 0 && len(at) <= 3 {
		var parts []string
		for i, s := range w.Subjects {
			if !w.IsAbsent(strings.TrimPrefix(s.Text, "*"), at) || s.Text[0] != '*' {
				parts = append(parts, s.Describe(s.Cases[at[i]]))
			}
		}
		if slices.ContainsFunc(edges, func(t *cfg.Transition) bool { return t.Bounded }) {
			parts = append(parts, "its bounded edges are used up")
		}
		return "no way on from " + name + " is sure to match when " + strings.Join(parts, " and ")
	}
	switch {
	case len(n.Judged()) > 0 && len(w.Formulas) == 0:
		return "no way on from " + name + " is sure to be taken when the model names none"
	case len(w.Formulas) > 0:
		return "no way on from " + name + " matches when none of its conditions holds"
	case len(n.By(cfg.ByGoto)) > 0:
		return "the handler of " + name + " may name no node, and no other way on is sure to match"
	case len(n.Routes()) > 0:
		return "field " + quote(n.Routes()[0].Field.Name) + " of the output of " + name + " may name no node, and no other way on is sure to match"
	case slices.ContainsFunc(edges, func(t *cfg.Transition) bool { return !t.Conditional() }):
		return "no way on from " + name + " is sure to match once its edges without condition are used up"
	}
	return "no way on from " + name + " is sure to match once its edges are used up"
}

// mayHold reports whether the condition of an edge can hold after a success of its node,
// or after a failure that was passed over: then its output is empty.
func (c *context) mayHold(n *resolve.Node, e *resolve.Edge, failed bool) bool {
	if x := c.cfg.If(e); !failed && (x == nil || !x.Uses().Name("res")) {
		return true
	}
	w := expr.NewCases(c.cfg.Exprs)
	w.Failed, w.Empty = failed, failed
	f, ok := c.holdsWhen(w, n, e)
	if !ok || f == nil {
		return true
	}
	w.Formulas = append(w.Formulas, f)
	w.Settle()
	if failed {
		w.EmptyOutput()
	}
	return w.MayHold(f)
}
