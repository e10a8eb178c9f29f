package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// subMethods prints, for every node that runs a graph, the method that does it: the inputs
// are of the state; the parent run has the limits and the observers.
func (e *emitter) subMethods() {
	for n, s := range plan.Works[*plan.Sub](e.m) {
		e.subMethod(n, s)
	}
}

func (e *emitter) subMethod(n *plan.Node, s *plan.Sub) {
	doc := s.Method + " is node " + n.Name + ": it runs the graph " + s.Graph + " within the run."
	if s.Machine == nil {
		doc = s.Method + " is node " + n.Name + ": it runs the graph itself within the run."
	}
	if s.Apart {
		doc = strings.TrimSuffix(doc, ".") + ", on Temporal in a child workflow."
	}
	e.f.Line()
	e.f.Add(comment(doc))
	e.stepMethod(s.Method, n).BlockFunc(func(g *jen.Group) {
		run := func(in, within jen.Code) *jen.Statement {
			machine := jen.Id("m")
			if s.Machine != nil {
				machine = machine.Dot(s.Machine.Field)
			}
			return machine.Dot("Run").Call(jen.Id("ctx"), in, within)
		}
		if s.Pauses {
			pauses := jen.Id("r").Dot("Pauses").Call()
			again := run(goType(s.Input).Values(), pauses.Clone().Dot("Unnest").Call())
			g.If(pauses.Clone().Dot("Nests").Call()).Block(jen.Return(again))
		}
		in := e.passed(s)
		if s.Apart {
			g.Id("in").Op(":=").Add(in)
			made := jen.Id("r").Dot("Apart").Call(jen.Id("ctx"), jen.Lit(s.Depth), jen.Id("in"), jen.Op("&").Id("out"))
			g.If(jen.List(jen.Id("made"), jen.Err()).Op(":=").Add(made), jen.Id("made")).Block(jen.Return(jen.Id("out"), jen.Err()))
			in = jen.Id("in")
		}
		within := jen.Id("r").Dot("Nested").Call()
		if s.Machine == nil {
			g.List(jen.Id("within"), jen.Err()).Op(":=").Id("r").Dot("Again").Call(jen.Lit(s.Depth))
			g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("out"), jen.Err()))
			within = jen.Id("within")
		}
		g.Return(run(in, within))
	})
}

// passed is the input of a graph that a node runs.
func (e *emitter) passed(s *plan.Sub) *jen.Statement {
	var fields []jen.Code
	for _, v := range s.Given {
		value := handed(jen.Id("r").Dot("state").Dot(v.From.GoName), v.From.Type)
		if v.Some {
			value = jen.New(value)
		}
		fields = append(fields, jen.Id(v.To.GoName).Op(":").Add(value))
	}
	return fitting(goType(s.Input), fields)
}
