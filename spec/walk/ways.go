package walk

import (
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// ways makes the ways on from a node, in the order of the rules.
func (b *builder) ways(from *resolve.Node) {
	r, n := b.from.Routing(from), b.nodes[from]
	n.terminal, n.exhaustible, n.noMatch = r.Terminal(), r.Exhaustible(), r.NoMatch
	b.called(n, from, r)
	b.routes(n, r)
	b.gotos(n, r, from.Kind == "router")
	for _, e := range r.Edges {
		b.tests(n, e)
	}
	for _, t := range r.Transitions {
		if t.Field != nil && t.To.To.Known() {
			b.test(n, Choice, b.way(n, t.To.To.Node, "transition", "transition "+t.Key.V, t.To.Name.Pos))
		}
	}
	if r.Next != nil && r.Next.To.Known() {
		b.test(n, Always, b.way(n, r.Next.To.Node, "next", "next", r.Next.Name.Pos))
	}
	for _, e := range r.GuardFail {
		if e.To.Known() {
			n.Refused = append(n.Refused, b.edge(e, e.To, "guard fail", "on guard_fail", e.Spec.To.Pos))
		}
	}
	if r.OnFail != nil && r.OnFail.To.Known() {
		n.Refused = append(n.Refused, b.way(n, r.OnFail.To.Node, "guard fail", "on_fail", r.OnFail.Name.Pos))
	}
	for _, e := range r.Failed {
		if e.To.Known() && !n.Critical {
			n.Failed = append(n.Failed, b.edge(e, e.To, "error", "on error", e.Spec.To.Pos))
		}
	}
	if r.Denied != nil && r.Denied.To.Known() {
		n.Denied = b.way(n, r.Denied.To.Node, "human", "on_deny", r.Denied.Name.Pos)
	}
	if r.Late != nil && r.Late.To.Known() {
		n.Late = b.way(n, r.Late.To.Node, "human", "on_timeout", r.Late.Name.Pos)
	}
	n.assured = from.Kind == "human" && !r.Refusable(from)
	if r.ErrorTo != nil && r.ErrorTo.To.Known() {
		n.ErrorTo = b.way(n, r.ErrorTo.To.Node, "error", "transition error", r.ErrorTo.Name.Pos)
	}
}

// called is rule 1, and what stands in for it where the node does not loop on its tools.
func (b *builder) called(n *Node, from *resolve.Node, r *resolve.Routing) {
	if r.ToolLoop {
		at := from.Spec.Prompt.ToolsPos
		if !at.IsSet() {
			at = from.Spec.Name.Pos // the tools are injected
		}
		n.Called = append(n.Called, b.way(n, from, "tool loop", "tool calls", at))
	}
	for _, e := range r.Called {
		if e.To.Known() {
			n.Called = append(n.Called, b.edge(e, e.To, "edge", "on tool_call", e.Spec.To.Pos))
		}
	}
}

func (b *builder) test(n *Node, kind Kind, w *Way) {
	n.Tests = append(n.Tests, Test{Way: w, Kind: kind})
}

// chosen says that the last tests of a node are a choice that it always makes.
func (n *Node) chosen(first int, loose bool) {
	if last := len(n.Tests) - 1; last >= first {
		n.Tests[last].Of, n.Tests[last].Loose = last-first+1, loose
	}
}

// routes is rule 2.
func (b *builder) routes(n *Node, r *resolve.Routing) {
	texts := false
	for _, route := range r.Route {
		first := len(n.Tests)
		seen := map[resolve.Target]bool{}
		for _, c := range route.Choices {
			pos := c.Pos
			if !pos.IsSet() {
				pos = route.Field.Spec.Name.Pos
			}
			enum := route.Field.Type.Base().Kind == resolve.Enum
			if !c.To.Known() || !enum && seen[c.To] {
				continue
			}
			seen[c.To] = true
			b.test(n, Choice, b.way(n, c.To.Node, "route", route.Field.Name+" "+c.Value, pos))
		}
		if route.Field.Type.Kind == resolve.Enum {
			n.chosen(first, texts)
			return
		}
		texts = texts || route.Field.Type.Base().Kind == resolve.String
	}
}

// gotos is rule 3, and the choice of a router.
func (b *builder) gotos(n *Node, r *resolve.Routing, router bool) {
	first, what := len(n.Tests), "goto "
	if router {
		what = "route "
	}
	for _, to := range r.Goto {
		if to.To.Known() {
			b.test(n, Choice, b.way(n, to.To.Node, "goto", what+to.Name.V, to.Name.Pos))
		}
	}
	if router {
		n.chosen(first, false)
	}
}

// tests is rule 4: one test an edge, or one a label of a branch table.
func (b *builder) tests(n *Node, e *resolve.Edge) {
	s := e.Spec
	if e.Table() {
		first := len(n.Tests)
		for i, label := range s.Branch {
			if e.Branch[i].Known() {
				b.test(n, Choice, b.edge(e, e.Branch[i], "edge", e.LabelText(i), label.To.Pos))
			}
		}
		if e.Complete() {
			n.chosen(first, false)
		}
		return
	}
	if !e.To.Known() {
		return
	}
	kind, text, pos := Always, "", s.To.Pos
	switch {
	case s.If.IsSet():
		kind, text, pos = Condition, "if "+s.If.V, s.If.Pos
	case s.OnOutput != nil:
		kind, text = Output, "on_output "+s.OnOutput.Key.V+": "+shown(s.OnOutput.Value)
	case s.OnConfidence.IsSet():
		kind, text = Output, "on_confidence "+strconv.FormatFloat(s.OnConfidence.V, 'g', -1, 64)
	case e.Judged():
		kind, text, pos = Judged, "when "+s.When.V, s.When.Pos
	case s.On.IsSet():
		kind, text = Uncalled, "on "+s.On.V
	}
	b.test(n, kind, b.edge(e, e.To, "edge", text, pos))
}

func shown(v spec.Scalar) string {
	if v.Kind == spec.ScalarNull {
		return "null"
	}
	return v.Text
}
