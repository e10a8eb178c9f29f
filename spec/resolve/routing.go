package resolve

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// RouteFields are the output fields that rule 2 looks at, in that order.
var RouteFields = []string{"route", "_next", "next_step", "goto"}

// ErrorKey is the key of the transition that a failed node takes.
const ErrorKey = "error"

// Routing is every way on from a node, in the order of the rules of SEMANTICS section 3.
type Routing struct {
	ToolLoop bool    // rule 1: a turn that calls tools leads to the node itself, without its writes
	Called   []*Edge // on: tool_call edges, highest priority first: all the ways of a turn that calls tools, without the node's writes

	Route       []RouteField // rule 2
	Goto        []Named      // rule 3; of a router, its routes
	Edges       []*Edge      // rule 4, in the order they are tried
	Judged      []*Edge      // those of Edges that the model judges: behind the other conditions, before the edges without
	Transitions []Transition // rule 5
	Next        *Named       // rule 6; of a guard, on_pass
	NoMatch     string       // rule 7: "error", "end", or "" where neither the node nor the graph says
	Strict      bool         // the node itself says no_match: error, which holds for used-up edges too

	GuardFail []*Edge // on: guard_fail edges, highest priority first
	OnFail    *Named  // of a guard: where to go when no guard_fail edge is open
	Failed    []*Edge // on: error edges, highest priority first
	ErrorTo   *Named  // the error transition

	Denied *Named // of a human: where a no leads
	Late   *Named // of a human: where an answer leads that comes too late
}

// Named is a written target.
type Named struct {
	Name spec.String
	To   Target
}

// A RouteField is an output field that names the next node.
type RouteField struct {
	Field   *Field
	Choices []Choice // what its values lead to; of an enum one per value, Known or not
}

// A Choice is one value of a route field.
type Choice struct {
	Value string
	Pos   spec.Pos
	To    Target
	Alias bool // of a string: understood, and not offered, because another value leads there
}

// A Transition is an entry of rule 5.
type Transition struct {
	Key   spec.String
	To    Named
	Field *Field // the output field of that name; nil: a value of a route field
}

// MaxVisits returns how often a run may visit a node, and whether the spec says so: at the node,
// or for all nodes under limits.
func (g *Graph) MaxVisits(n *Node) (most int, said bool) {
	for _, v := range [...]spec.Value[int]{n.Spec.MaxVisits, g.Spec.Limits.MaxVisits} {
		if v.IsSet() {
			return v.V, true
		}
	}
	return spec.DefaultMaxVisits, false
}

// Routing collects the ways on from a node.
func (g *Graph) Routing(n *Node) *Routing {
	s := n.Spec
	r := &Routing{NoMatch: g.Spec.NoMatch.V, ToolLoop: n.Loops}
	if s.NoMatch.IsSet() {
		r.NoMatch, r.Strict = s.NoMatch.V, s.NoMatch.V == "error"
	}
	if n.Host != nil || n.Template {
		return r // no way leads from it but that of its tool loop
	}
	chosen := s.Goto
	if n.Kind == "router" {
		chosen = s.Routes
	}
	for _, name := range chosen {
		r.Goto = append(r.Goto, g.name(name))
	}
	for _, e := range n.Leaving {
		switch e.Spec.On.V {
		case "error":
			r.Failed = append(r.Failed, e)
		case "guard_fail":
			r.GuardFail = append(r.GuardFail, e)
		case "tool_call":
			r.Called = append(r.Called, e)
		default:
			r.Edges = append(r.Edges, e)
		}
	}
	for _, edges := range [][]*Edge{r.Failed, r.GuardFail, r.Called, r.Edges} {
		slices.SortStableFunc(edges, func(a, b *Edge) int { return cmp.Compare(b.Spec.Priority.V, a.Spec.Priority.V) })
	}
	r.judge()
	for _, t := range s.Transitions {
		to := g.name(t.To)
		if t.Key.V == ErrorKey {
			r.ErrorTo = &to
			continue
		}
		tr := Transition{Key: t.Key, To: to}
		if n.Out != nil && n.Out.Kind == Struct {
			tr.Field = n.Out.Field(t.Key.V)
		}
		r.Transitions = append(r.Transitions, tr)
	}
	next := s.Next
	if n.Kind == "guard" && s.OnPass.IsSet() {
		next = s.OnPass
	}
	if next.IsSet() {
		to := g.name(next)
		r.Next = &to
	}
	if s.OnFail.IsSet() {
		to := g.name(s.OnFail)
		r.OnFail = &to
	}
	if s.OnDeny.IsSet() {
		to := g.name(s.OnDeny)
		r.Denied = &to
	}
	if s.OnTimeout.IsSet() {
		to := g.name(s.OnTimeout)
		r.Late = &to
	}
	r.Route = g.routeFields(n, r)
	return r
}

// judge puts the edges in the order of SEMANTICS section 5 where the model judges some: it is
// asked when no other condition holds, and an edge without condition is what it falls back on.
func (r *Routing) judge() {
	if !slices.ContainsFunc(r.Edges, (*Edge).Judged) {
		return
	}
	turn := func(e *Edge) int {
		switch {
		case e.Judged():
			return 1
		case e.Conditional():
			return 0
		}
		return 2
	}
	slices.SortStableFunc(r.Edges, func(a, b *Edge) int { return cmp.Compare(turn(a), turn(b)) })
	first := slices.IndexFunc(r.Edges, (*Edge).Judged)
	last := first
	for last < len(r.Edges) && r.Edges[last].Judged() {
		last++
	}
	r.Judged = slices.Clip(r.Edges[first:last])
}

// Defaults returns the edges without a condition that stand behind those that the model
// judges: the first that is not used up is taken where it names none. Nil where the model
// judges none.
func (r *Routing) Defaults() []*Edge {
	if len(r.Judged) == 0 {
		return nil
	}
	return r.Edges[slices.Index(r.Edges, r.Judged[len(r.Judged)-1])+1:]
}

// MayDecline reports whether the model can come to judge one way alone, because the others
// are used up: then it may say no, which completes the run unless a later rule names a node.
func (r *Routing) MayDecline() bool {
	lasting := 0
	for _, e := range r.Judged {
		if !e.Bounded() {
			lasting++
		}
	}
	return len(r.Judged) > 0 && lasting <= 1
}

func (g *Graph) name(s spec.String) Named { return Named{Name: s, To: g.Target(s.V)} }

// routeFields finds the output's route fields and what their values lead to.
func (g *Graph) routeFields(n *Node, r *Routing) []RouteField {
	if n.Out == nil || n.Out.Kind != Struct {
		return nil
	}
	var out []RouteField
	for _, name := range RouteFields {
		f := n.Out.Field(name)
		if f == nil {
			continue
		}
		switch f.Type.Base().Kind {
		case Enum:
			rf := RouteField{Field: f}
			for _, v := range f.Type.Base().Values {
				rf.Choices = append(rf.Choices, Choice{Value: v.Name, Pos: v.Pos, To: g.routeTarget(r, v.Name)})
			}
			out = append(out, rf)
			if f.Type.Kind == Enum {
				return out // it names a node wherever it is come to: a field behind it does not route
			}
		case String:
			out = append(out, RouteField{Field: f, Choices: g.stringChoices(r)})
		}
	}
	return out
}

// routeTarget is where a route value leads: a transition's key first, then a node, then end.
func (g *Graph) routeTarget(r *Routing, value string) Target {
	for _, t := range r.Transitions {
		if t.Key.V == value {
			return t.To.To
		}
	}
	return g.Target(value)
}

// stringChoices lists what a route field of type string may say: the transition keys,
// the targets of the node's other ways, and end.
func (g *Graph) stringChoices(r *Routing) []Choice {
	var out []Choice
	seen := map[string]bool{}
	reached := map[Target]bool{}
	add := func(value string, to Target, alias bool) {
		if !seen[value] && to.Known() {
			seen[value], reached[to] = true, true
			out = append(out, Choice{Value: value, To: to, Alias: alias})
		}
	}
	for _, t := range r.Transitions {
		add(t.Key.V, t.To.To, false)
	}
	node := func(t Target) {
		if t.Node != nil {
			add(t.Node.Spec.Name.V, t, reached[t])
		}
	}
	for _, named := range r.Goto {
		node(named.To)
	}
	for _, e := range r.Edges {
		for _, t := range e.Targets() {
			node(t)
		}
	}
	for _, t := range r.Transitions {
		node(t.To.To)
	}
	if r.Next != nil {
		node(r.Next.To)
	}
	for _, end := range []string{spec.End, spec.EndDown, spec.EndUp} {
		add(end, Target{End: true}, reached[Target{End: true}])
	}
	return out
}

// Conditional reports whether the edge is taken only under a condition, or may be: not all
// of it could be read. Its bound is not one.
func (e *Edge) Conditional() bool {
	s := e.Spec
	return s.Unread || s.If.IsSet() || s.On.IsSet() || s.OnOutput != nil || s.OnConfidence.IsSet() || e.Table() || s.When.IsSet()
}

// Judged reports whether the model judges if the edge is taken.
func (e *Edge) Judged() bool { return e.Spec.When.IsSet() }

// Evaluates reports whether working out the verdicts on the node can fail: a judge may, and an
// expression may panic.
func (n *Node) Evaluates() bool {
	return slices.ContainsFunc(n.Evals, func(e *Eval) bool { return e.Spec.If.IsSet() || e.Spec.Judge.IsSet() })
}

// Uncalled reports whether the edge asks for a turn without tool calls of a node whose model
// can make some.
func (e *Edge) Uncalled() bool {
	return e.Spec.On.V == "no_tool_call" && e.From != nil && e.From.Defers
}

// CallsNone reports whether the edge is taken whenever it is reached by a node that was
// executed: a turn that calls tools has other ways.
func (e *Edge) CallsNone() bool { return e.Uncalled() && !e.Bounded() }

// Bounded reports whether the edge has a max_iterations, or may have one: not all of it
// could be read.
func (e *Edge) Bounded() bool { return e.Spec.Unread || e.Spec.MaxIterations.IsSet() }

// Vague reports whether what counts for the order or the effect of the edge could not be read.
func (e *Edge) Vague() bool {
	s := e.Spec
	event := !s.On.IsSet() || slices.Contains(spec.Names(spec.EdgeEvents), s.On.V)
	return s.Unread || s.Priority.Lost || s.MaxIterations.Lost || s.OnConfidence.Lost || !event
}

// Always reports whether the edge is taken whenever it is reached.
func (e *Edge) Always() bool { return !e.Conditional() && !e.Bounded() }

// Terminal reports whether a success leads nowhere: the run is completed after the node.
func (r *Routing) Terminal() bool {
	return len(r.Route) == 0 && len(r.Goto) == 0 && len(r.Edges) == 0 && len(r.Called) == 0 && len(r.Transitions) == 0 && r.Next == nil
}

// RouteDecides reports whether rule 2 always names a node after a success: a field of a
// required enum type does, unless one before it is a text, which may name nothing there is.
func (r *Routing) RouteDecides() bool { return r.DecidingField() != nil }

// DecidingField returns the output field by which rule 2 always names a node; nil: none.
func (r *Routing) DecidingField() *Field {
	for _, f := range r.Route {
		if f.Field.Type.Base().Kind == String {
			return nil
		}
		if f.Field.Type.Kind == Enum {
			return f.Field
		}
	}
	return nil
}

// Exhaustible reports whether the node becomes terminal when its edges are used up:
// it has edges, every one bounded, and no other way on. One that says no_match: error itself
// fails instead.
func (r *Routing) Exhaustible() bool {
	if r.Strict || len(r.Edges) == 0 || len(r.Called) > 0 || len(r.Route) > 0 || len(r.Goto) > 0 || len(r.Transitions) > 0 || r.Next != nil {
		return false
	}
	return !slices.ContainsFunc(r.Edges, func(e *Edge) bool { return !e.Bounded() })
}
