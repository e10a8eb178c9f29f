package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// rescue prints what the spec has wired for failures.
func (e *emitter) rescue() {
	m := e.m
	e.f.Line()
	e.f.Comment("rescue records that the current node has failed, and takes the transition that the spec has")
	e.f.Comment("for that. Without one the run ends.")
	e.f.Func().Params(jen.Id("r").Op("*").Id(e.m.Names.Run)).Id("rescue").
		Params(jen.Err().Error()).
		BlockFunc(func(g *jen.Group) {
			if !e.m.Recovers {
				g.Id("r").Dot("Fail").Call(jen.Err())
				e.abort(g)
				return
			}
			g.If(jen.Op("!").Id("r").Dot("Fail").Call(jen.Err())).BlockFunc(e.abortEarly)
			if some(m, func(n *plan.Node) bool { return n.Shape.FailsApart }) {
				g.Switch(jen.Id("r").Dot("at")).BlockFunc(func(g *jen.Group) {
					e.aborting(g)
					for _, n := range m.Nodes {
						if n.Shape.FailsApart && !n.Shape.Aborts {
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

// aborting prints the case of the nodes whose failure ends the run.
func (e *emitter) aborting(g *jen.Group) {
	var nodes []jen.Code
	width := 0
	for _, n := range e.m.Nodes {
		if !n.Shape.Aborts {
			continue
		}
		node := jen.Id(n.Const)
		if width += len(n.Const) + len(", "); width > lineWidth {
			width = len(n.Const)
			node = jen.Line().Add(node)
		}
		nodes = append(nodes, node)
	}
	if len(nodes) > 0 {
		g.Case(nodes...).BlockFunc(e.abortEarly)
	}
}

// lead goes a way.
func (e *emitter) lead(g *jen.Group, w *plan.Way) { e.decide(g, e.node(w.To), jen.Id(w.Const)) }

// abort ends the run with the failure.
func (e *emitter) abort(g *jen.Group) { g.Id("r").Dot("Abort").Call() }

// abortEarly ends the run with the failure, before the end of rescue.
func (e *emitter) abortEarly(g *jen.Group) {
	e.abort(g)
	g.Return()
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
		g.If(ran(nil)).BlockFunc(e.abortEarly)
	}
	for _, t := range n.Failed {
		body := func(g *jen.Group) {
			if t.Way.Pair != nil && t.Way.Max == 0 {
				g.Id("r").Dot("Count").Call(jen.Id(t.Way.Pair.Const))
			}
			e.lead(g, t.Way)
			g.Return()
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
		g.Return()
	case e.m.OnError != nil && n == e.m.OnError.To:
		e.abortEarly(g)
	}
}
