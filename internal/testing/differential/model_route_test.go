package differential

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// A way is where a step leads.
type way struct {
	from, to, rule string
	end            string // the name of the end
	ends           string // the reason, where no transition leads on
}

// way is a way to a node or to end.
func (m *model) way(from, to, rule string) way {
	end := ""
	switch {
	case spec.IsEnd(to):
		to = spec.End
	case m.s.NamesEnd(to):
		to, end = spec.End, to
	}
	return way{from: from, to: to, rule: rule, end: end}
}

// take follows an edge: the pair counts it.
func (m *model) take(from, to, rule string) way {
	w := m.way(from, to, rule)
	m.pairs[[2]string{from, w.to}]++
	return w
}

func (m *model) follow(w way) { m.ways[w.from+">"+w.to+" "+w.rule]++ }

// A leavingEdge is an edge of a node, shorthands replaced. A branch table is one.
type leavingEdge struct {
	*spec.Edge
	edge *spec.Edge
}

// leaving lists the edges of a node for events, in the order in which they are tried.
func (m *model) leaving(from string, on ...string) []leavingEdge {
	var out []leavingEdge
	add := func(e *spec.Edge) {
		if e.From.V == from && slices.Contains(on, e.On.V) && !m.closed[[2]string{from, m.way("", e.To.V, "").to}] {
			out = append(out, leavingEdge{e, e})
		}
	}
	for _, e := range m.s.Edges {
		switch {
		case len(e.Sequential) > 0:
			for i, name := range e.Sequential[1:] {
				add(&spec.Edge{From: e.Sequential[i], To: name})
			}
		case e.Loop != nil:
			l := e.Loop
			back := spec.Value[int]{V: 5 - 1, Pos: l.Pos} // the node runs once before it follows itself
			if l.MaxIterations.IsSet() {
				back.V = l.MaxIterations.V - 1
			}
			add(&spec.Edge{From: l.Node, To: l.Exit, If: l.If, Priority: spec.Value[int]{V: 10, Pos: l.Pos}})
			add(&spec.Edge{From: l.Node, To: l.Node, MaxIterations: back})
			add(&spec.Edge{From: l.Node, To: l.Exit})
		default:
			add(e)
		}
	}
	slices.SortStableFunc(out, func(a, b leavingEdge) int { return cmp.Compare(b.Priority.V, a.Priority.V) })
	return out
}

// stopsDry reports whether the run is a dry one that does not leave the node: edges of it have conditions.
func (m *model) stopsDry(n *nodeShape) bool {
	return m.mode.Dry && slices.ContainsFunc(m.leaving(n.Name.V, "", "tool_call", "no_tool_call"), func(e leavingEdge) bool {
		return e.conditional() || e.On.IsSet() || len(e.Branch) > 0
	})
}

// open reports whether an edge may still be followed.
func (m *model) open(e *spec.Edge, from, to string) bool {
	return !e.MaxIterations.IsSet() || m.pairs[[2]string{from, m.way(from, to, "").to}] < e.MaxIterations.V
}

func (m *model) guardWayOpen(v *visit) bool {
	for _, e := range m.leaving(v.Name.V, "guard_fail") {
		if m.open(e.edge, v.Name.V, e.To.V) {
			return true
		}
	}
	return v.OnFail.IsSet()
}

// refusedRoute is the way after failed guards.
func (m *model) refusedRoute(v *visit) (way, bool) {
	for _, e := range m.leaving(v.Name.V, "guard_fail") {
		if m.open(e.edge, v.Name.V, e.To.V) {
			return m.take(v.Name.V, e.To.V, "guard fail"), true
		}
	}
	if v.OnFail.IsSet() {
		return m.way(v.Name.V, v.OnFail.V, "guard fail"), true
	}
	return way{}, false
}

// skippedRoute is the way after a node that was not executed.
func (m *model) skippedRoute(v *visit) (way, *problem) {
	if w, ok, _ := m.byAdded(v); ok {
		return w, nil
	}
	for _, e := range m.leaving(v.Name.V, "") {
		if !e.conditional() && m.open(e.edge, v.Name.V, e.To.V) {
			return m.take(v.Name.V, e.To.V, "edge"), nil
		}
	}
	if next := v.next(); next != "" && !m.closed[[2]string{v.Name.V, m.way("", next, "").to}] {
		return m.way(v.Name.V, next, "next"), nil
	}
	return m.noMatch(v)
}

func (n *nodeShape) next() string { return cmp.Or(n.Next.V, n.OnPass.V) }

// route chooses the way after a success: rules 2 to 7.
func (m *model) route(v *visit) (way, *problem) {
	for _, rule := range []func(*visit) (way, bool, *problem){m.byOutput, m.byChoice, m.byAdded, m.byEdge, m.byTransition} {
		if w, ok, p := rule(v); ok || p != nil {
			return w, p
		}
	}
	if next := v.next(); next != "" && !m.closed[[2]string{v.Name.V, m.way("", next, "").to}] {
		return m.way(v.Name.V, next, "next"), nil
	}
	return m.noMatch(v)
}

// routeFields are the output's fields that rule 2 looks at.
func (n *nodeShape) routeFields() []field {
	var out []field
	for _, name := range []string{"route", "_next", "next_step", "goto"} {
		if n.out == nil || n.out.base != "struct" {
			break
		}
		if f := n.out.field(name); f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// present reports whether a route field says anything.
func present(f field, value any) bool {
	if f.optional {
		return value != nil
	}
	return value != 0 && value != ""
}

// byOutput is rule 2: the first present route field names the next node.
func (m *model) byOutput(v *visit) (way, bool, *problem) {
	for _, f := range v.routeFields() {
		value := v.outcome.out.(map[string]any)[f.name]
		if !present(f, value) {
			continue
		}
		name, isText := value.(string)
		if !isText {
			name = f.values[value.(int)-1]
		}
		for _, t := range v.Transitions {
			if t.Key.V == name && name != "error" {
				return m.way(v.Name.V, t.To.V, "route"), true, nil
			}
		}
		if !isText || spec.IsEnd(name) || name != "" && slices.Contains(m.declared(v), name) {
			return m.way(v.Name.V, name, "route"), true, nil
		}
		if name != "" {
			m.rejected++
			m.event("route_rejected %s step %d visit %d named %s", v.Name.V, v.step, v.number, name)
		}
		return way{}, false, nil
	}
	return way{}, false, nil
}

// declared lists the nodes that the node's ways on lead to, those of rules 3 to 6.
func (m *model) declared(v *visit) []string {
	out := slices.Clone(v.choices)
	for _, e := range m.onward(v) {
		for _, l := range e.Branch {
			out = append(out, l.To.V)
		}
		out = append(out, e.To.V)
	}
	for _, t := range v.Transitions {
		if t.Key.V != "error" {
			out = append(out, t.To.V)
		}
	}
	return append(out, v.next())
}

// byChoice is rule 3, and the choice of a router.
func (m *model) byChoice(v *visit) (way, bool, *problem) {
	if v.outcome.goto_ == 0 {
		return way{}, false, nil
	}
	return m.way(v.Name.V, v.choices[v.outcome.goto_-1], "goto"), true, nil
}

// onward lists the edges that are tried after a success: of a node that leaves its tool
// calls to others, after a turn without any.
func (m *model) onward(v *visit) []leavingEdge { return m.leaving(v.Name.V, "", "no_tool_call") }

// byEdge is rule 4.
func (m *model) byEdge(v *visit) (way, bool, *problem) {
	edges := m.onward(v)
	if slices.ContainsFunc(edges, func(e leavingEdge) bool { return e.When.IsSet() }) {
		return m.byJudge(v, edges)
	}
	for _, e := range edges {
		if w, ok, p := m.tryEdge(v, e); ok || p != nil {
			return w, ok, p
		}
	}
	return way{}, false, nil
}

// tryEdge follows an edge if it is not used up and its condition holds.
func (m *model) tryEdge(v *visit, e leavingEdge) (way, bool, *problem) {
	to := e.To.V
	switch {
	case e.By.IsSet() || unnamed(e.Edge):
		class := v.class()
		i := slices.IndexFunc(e.Branch, func(l spec.Label) bool { return class > 0 && l.Name.V == v.by.values[class-1] })
		if i < 0 {
			return way{}, false, nil
		}
		to = e.Branch[i].To.V
	case len(e.Branch) > 0:
		if v.outcome.label == 0 {
			return way{}, false, nil
		}
		to = e.Branch[v.outcome.label-1].To.V
	}
	if !m.open(e.edge, v.Name.V, to) {
		return way{}, false, nil
	}
	holds, p := m.holds(v, e.edge)
	if p != nil || !holds {
		return way{}, false, p
	}
	return m.take(v.Name.V, to, "edge"), true, nil
}

// class is the value that a branch table looks at; 0 is none, as after a soft failure.
func (v *visit) class() int {
	if v.soft != nil {
		return 0
	}
	class := v.classOf(v.outcome.out)
	if class > len(v.by.values) {
		return 0
	}
	return class
}

// holds reports whether an edge's condition is true.
func (m *model) holds(v *visit, e *spec.Edge) (is bool, p *problem) {
	switch {
	case e.If.IsSet():
		defer func() {
			switch r := recover().(type) {
			case nil:
			case badCondition:
				panic(r)
			default:
				p = &problem{text: "panic", line: e.If.Pos.Line}
			}
		}()
		return m.environment(v).condition(e.If.V), nil
	case e.OnOutput != nil:
		f := v.out.field(e.OnOutput.Key.V)
		value := v.outcome.out.(map[string]any)[f.name]
		if f.base == "enum" {
			return value == slices.Index(f.values, e.OnOutput.Value.Text)+1, nil
		}
		return value != nil && fmt.Sprint(value) == e.OnOutput.Value.Text, nil
	case e.OnConfidence.IsSet():
		value := v.outcome.out.(map[string]any)["confidence"]
		if whole, ok := value.(int); ok {
			return float64(whole) >= e.OnConfidence.V, nil
		}
		return value.(float64) >= e.OnConfidence.V, nil
	}
	return true, nil
}

// named are the values of fields by the names they have in Go.
func named(s shape, values map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range s.fields {
		out[f.goName] = values[f.name]
		if f.base == "enum" && !f.optional {
			out[f.goName] = enumValue{values[f.name].(int), f.values}
		}
	}
	return out
}

// environment is what a condition sees, by the names it has in Go.
func (m *model) environment(v *visit) *environment {
	env := &environment{enums: m.s.enums, state: named(m.s.state, m.state)}
	if out := v.out; out != nil {
		env.out = v.outcome.out
		if out.base == "struct" {
			env.out = named(*out, v.outcome.out.(map[string]any))
		}
	}
	env.res = map[string]any{
		"Step": v.step, "Visit": v.number, "Attempts": v.attempt, "Cached": v.cached, "Skipped": v.skipped, "Err": nil,
		"Iterations": v.iterations, "ToolCalls": m.since(v).calls, "ToolFailures": m.since(v).failures,
	}
	if v.soft != nil {
		env.res["Err"] = v.soft
	}
	return env
}

// byTransition is rule 5.
func (m *model) byTransition(v *visit) (way, bool, *problem) {
	out, _ := v.outcome.out.(map[string]any)
	for _, t := range v.Transitions {
		value, ok := out[t.Key.V]
		if !ok || t.Key.V == "error" || value == nil || value == false || value == "" || value == 0 {
			continue
		}
		return m.way(v.Name.V, t.To.V, "transition"), true, nil
	}
	return way{}, false, nil
}

// noMatch is rule 7.
func (m *model) noMatch(v *visit) (way, *problem) {
	edges := m.onward(v)
	called := m.leaving(v.Name.V, "tool_call")
	transitions := slices.ContainsFunc(v.Transitions, func(t spec.Transition) bool { return t.Key.V != "error" })
	other := len(called) > 0 || len(v.routeFields()) > 0 || len(v.choices) > 0 || transitions || v.next() != ""
	switch {
	case v.declined:
		return way{ends: "completed", rule: "terminal"}, nil
	case !other && len(edges) == 0:
		return way{ends: "completed", rule: "terminal"}, nil
	case !other && v.NoMatch.V != "error" && !slices.ContainsFunc(edges, func(e leavingEdge) bool { return m.anyOpen(e) }):
		return way{ends: "exhausted", rule: "terminal"}, nil
	case cmp.Or(v.NoMatch.V, m.s.NoMatch.V) == "end":
		return way{ends: "no_route", rule: "no match"}, nil
	}
	if m.mode.Dry { // no model has judged edges
		return way{ends: "stopped", rule: "no match"}, nil
	}
	return way{}, &problem{text: "nomatch(" + strings.Join(m.candidates(v), " ") + ")"}
}

func (m *model) anyOpen(e leavingEdge) bool {
	if len(e.Branch) == 0 {
		return m.open(e.edge, e.From.V, e.To.V)
	}
	return slices.ContainsFunc(e.Branch, func(l spec.Label) bool { return m.open(e.edge, e.From.V, l.To.V) })
}

// candidates lists where the node could have led.
func (m *model) candidates(v *visit) []string {
	out := m.declared(v)
	for _, e := range m.leaving(v.Name.V, "tool_call") {
		out = append(out, e.To.V)
	}
	if v.loops {
		out = append(out, v.Name.V)
	}
	for _, f := range v.routeFields() {
		if f.base == "string" {
			out = append(out, spec.End)
		}
		for _, value := range f.values {
			for _, t := range v.Transitions {
				if t.Key.V == value {
					value = t.To.V
					break
				}
			}
			out = append(out, value)
		}
	}
	for i, name := range out {
		out[i] = m.way("", name, "").to
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(name string) bool { return name == "" })
}
