package golang

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// loop prints the method that runs the body of a loop: call, commit, condition.
func (e *emitter) loop(n *plan.Node) {
	body := n.Body
	e.f.Line()
	e.f.Add(comment("run" + n.Method + " is loop " + n.Name + ": it runs " + body.Name + " until its condition holds, " + strconv.Itoa(n.Most) + " times at most."))
	e.stepMethod("run"+n.Method, n).
		BlockFunc(func(g *jen.Group) {
			call := e.handlerCall(body, jen.Id("h"))
			if wrapped(body) {
				call = jen.Id("m").Dot("run"+body.Method).Call(jen.Id("ctx"), jen.Id("r"))
			}
			if !wrapped(body) || slices.ContainsFunc(body.Writes, custom) {
				g.Id("h").Op(":=").Id("m").Dot("handlers")
			}
			g.For(jen.Id("i").Op(":=").Lit(1), jen.Id("i").Op("<=").Lit(n.Most), jen.Id("i").Op("++")).BlockFunc(func(g *jen.Group) {
				g.If(jen.Err().Op("=").Id("r").Dot("Iterate").Call(jen.Id("i"), jen.Lit(body.Name)), jen.Err().Op("!=").Nil()).Block(e.failedLoop(n))
				if body.Snapshot && !wrapped(body) {
					g.Id("r").Dot("scratch").Op("=").Id("r").Dot("state")
				}
				g.List(append(ids(resultIDs(n)), jen.Err())...).Op("=").Add(call)
				g.If(jen.Err().Op("!=").Nil()).Block(e.failedLoop(n))
				e.commit(g, body)
				g.If(conditionCall(n.Until)).Block(jen.Break())
			})
			g.Return(append(ids(resultIDs(n)), jen.Err())...)
		})
}

// failedLoop returns the failure, without what the body gave beside it.
func (e *emitter) failedLoop(n *plan.Node) *jen.Statement {
	if n.Out == nil {
		return jen.Return(jen.Err())
	}
	return jen.Return(zero(n.Out), jen.Err())
}

// custom reports whether a write is merged by a method of the handlers.
func custom(w plan.Write) bool { return w.Merge == "custom" }
