package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// nodes prints the constants of the nodes. Where runs may change the graph they have a type of their own, so that a change names no node
// of another graph.
func (e *emitter) nodes() {
	m := e.m
	e.f.Line()
	if m.Mutations == nil {
		e.f.Const().Add(counted(nodeConstants(m), eng("NodeID")))
		return
	}
	e.f.Comment(m.Names.NodeType + " is a node of the graph " + m.Name + ".")
	e.f.Type().Id(m.Names.NodeType).Uint16()
	e.f.Line()
	e.f.Const().DefsFunc(func(g *jen.Group) {
		g.Id(m.Names.End).Id(m.Names.NodeType).Op("=").Iota()
		for _, n := range m.Flow.Nodes {
			g.Id(n.Const)
		}
	})
	e.f.Line()
	e.f.Func().Params(jen.Id("n").Id(m.Names.NodeType)).Id("String").Params().String().Add(body(
		jen.Return(jen.Id(e.m.Names.Table).Dot("NodeName").Call(eng("NodeID").Call(jen.Id("n")))),
	))
}

func nodeConstants(m *plan.Machine) []string {
	var names []string
	for _, n := range m.Flow.Nodes {
		names = append(names, n.Const)
	}
	return names
}

// nodeID is a node as the kernel knows it.
func (e *emitter) nodeID(node *jen.Statement) *jen.Statement {
	if e.m.Mutations == nil {
		return node
	}
	return eng("NodeID").Call(node)
}

// choiceNames are the names of the values of a choice.
func choiceNames(c *plan.ChoiceType) []string {
	var names []string
	for _, v := range c.Values {
		names = append(names, v.Name)
	}
	return names
}

func choiceConstants(c *plan.ChoiceType) []string {
	var names []string
	for _, v := range c.Values {
		names = append(names, v.Const)
	}
	return names
}

// ends prints the names of the ends.
func (e *emitter) ends() {
	ends := e.m.Flow.Ends
	if len(ends) == 0 {
		return
	}
	name := e.m.EndType()
	e.f.Line()
	e.f.Add(comment(name + " is the name of an end of the graph " + e.m.Name + ", as the Ending of a report has it."))
	e.f.Type().Id(name).String()
	e.f.Line()
	e.f.Const().DefsFunc(func(g *jen.Group) {
		for _, end := range ends {
			g.Id(end.Const).Id(name).Op("=").Lit(end.Name)
		}
	})
}

// choices prints the enums of goto targets, routes and branch labels.
func (e *emitter) choices() {
	for _, n := range e.m.Flow.Nodes {
		for _, c := range []*plan.ChoiceType{n.Choices.Goto, n.Choices.Branch} {
			if c == nil {
				continue
			}
			e.f.Line()
			e.f.Add(comment(c.GoName + " is " + c.Doc))
			e.f.Type().Id(c.GoName).Uint16()
			e.f.Line()
			e.f.Const().Add(counted(choiceConstants(c), jen.Id(c.GoName)))
			e.f.Line()
			e.f.Func().Params(jen.Id("c").Id(c.GoName)).Id("String").Params().String().Add(body(jen.Return(nameOf("c", choiceNames(c)))))
		}
	}
}
