package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// rescue prints what the spec has wired for failures.
func (e *emitter) rescue() {
	m := e.m
	e.f.Line()
	e.f.Comment("rescue records that the node at which r stands has failed, and returns the way on that the")
	e.f.Comment("spec has for that. Without one the run ends.")
	e.f.Func().Params(jen.Id("r").Op("*").Id(e.runType())).Id("rescue").
		Params(jen.Err().Error()).Id(m.NodeType).
		BlockFunc(func(g *jen.Group) {
			if !e.recovers() {
				g.Id("r").Dot("Fail").Call(jen.Err())
				e.abort(g)
				return
			}
			switched := some(m, e.special)
			if switched {
				g.Id("at").Op(":=").Id(m.NodeType).Call(jen.Id("r").Dot("At").Call())
			}
			g.If(jen.Op("!").Id("r").Dot("Fail").Call(jen.Err())).BlockFunc(e.abort)
			if switched {
				g.Switch(jen.Id("at")).BlockFunc(func(g *jen.Group) {
					for _, n := range m.Nodes {
						if e.special(n) {
							g.Case(jen.Id(n.Const)).BlockFunc(func(g *jen.Group) { e.rescueNode(g, n) })
						}
					}
				})
			}
			if m.OnError != nil {
				e.lead(g, m.OnError)
				return
			}
			e.abort(g)
		})
}

// lead returns the node that a way leads to.
func (e *emitter) lead(g *jen.Group, w *plan.Way) {
	g.Id("r").Dot("Go").Call(jen.Id(w.Const))
	g.Return(jen.Id("r").Dot("to").Call(e.node(w.To)))
}

// abort ends the run with the failure.
func (e *emitter) abort(g *jen.Group) {
	g.Id("r").Dot("Abort").Call()
	g.Return(e.end())
}

// recovers reports whether any failure has a way on.
func (e *emitter) recovers() bool {
	return e.m.OnError != nil || some(e.m, func(n *plan.Node) bool { return len(n.Failed) > 0 || n.ErrorTo != nil })
}

// special reports whether a node's failure does not just go the graph's way.
func (e *emitter) special(n *plan.Node) bool {
	return len(n.Failed) > 0 || n.ErrorTo != nil || e.m.OnError != nil && (n.Critical || n == e.m.OnError.To)
}

// rescueNode prints the ways of one failed node. One whose visits are used up has not
// failed: its error edges and its flag critical do not concern it.
func (e *emitter) rescueNode(g *jen.Group, n *plan.Node) {
	ran := func(cond *jen.Statement) *jen.Statement {
		if n.MaxVisits == 0 {
			return cond
		}
		visits := jen.Err().Op("!=").Add(rt("ErrVisitsExhausted"))
		if cond == nil {
			return visits
		}
		return visits.Op("&&").Add(cond)
	}
	if n.Critical {
		if cond := ran(nil); cond != nil {
			g.If(cond).BlockFunc(e.abort)
		} else {
			e.abort(g)
			return
		}
	}
	for _, t := range n.Failed {
		body := func(g *jen.Group) {
			if t.Way.Pair != nil && t.Way.Max == 0 {
				g.Id("r").Dot("Count").Call(jen.Id(t.Way.Pair.Const))
			}
			e.lead(g, t.Way)
		}
		cond := ran(guardCondition(t))
		if cond == nil {
			body(g)
			return
		}
		g.If(cond).BlockFunc(body)
	}
	switch {
	case n.ErrorTo != nil:
		e.lead(g, n.ErrorTo)
	case e.m.OnError != nil && n == e.m.OnError.To:
		e.abort(g)
	}
}
