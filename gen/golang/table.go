package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// ruleNames are the kernel's constants for plan's rules.
var ruleNames = map[string]string{
	"entry": "RuleEntry", "route": "RuleRoute", "goto": "RuleGoto", "edge": "RuleEdge",
	"transition": "RuleTransition", "next": "RuleNext", "error": "RuleError", "guard fail": "RuleGuardFail",
}

// table prints the static description of the graph: names, bounds and places in the spec.
func (e *emitter) table() {
	m := e.m
	e.f.Line()
	e.f.Comment("The ways from node to node, as " + e.tableName() + " numbers them.")
	e.f.Const().DefsFunc(func(g *jen.Group) {
		for i, w := range m.Ways {
			if i == 0 {
				g.Id(w.Const).Add(rt("Way")).Op("=").Iota()
				continue
			}
			g.Id(w.Const)
		}
	})
	e.f.Line()
	e.f.Comment(e.tableName() + " describes the graph to the kernel: names, bounds, and places in the spec.")
	e.f.Var().Id(e.tableName()).Op("=").Add(rt("Graph")).Values(jen.List(
		jen.Line().Id("Name").Op(":").Lit(m.Name),
		jen.Line().Id("File").Op(":").Lit(m.File),
		jen.Line().Id("MaxSteps").Op(":").Lit(m.MaxSteps),
		jen.Line().Id("Chain").Op(":").Lit(m.Chain),
		e.onMaxSteps(),
		e.timeout(),
		jen.Line().Id("Nodes").Op(":").Index().Add(rt("NodeInfo")).ValuesFunc(e.nodeRows),
		jen.Line().Id("Ways").Op(":").Index().Add(rt("WayInfo")).ValuesFunc(e.wayRows),
		jen.Line(),
	))
}

func (e *emitter) onMaxSteps() jen.Code {
	switch e.m.OnMaxSteps {
	case "last":
		return jen.Line().Id("OnMaxSteps").Op(":").Add(rt("MaxStepsLast"))
	case "flag":
		return jen.Line().Id("OnMaxSteps").Op(":").Add(rt("MaxStepsFlag"))
	}
	return jen.Null()
}

func (e *emitter) timeout() jen.Code {
	if e.m.Timeout == 0 {
		return jen.Null()
	}
	return jen.Line().Id("Timeout").Op(":").Add(duration(e.m.Timeout))
}

// nodeRows prints a row per node, in the order of the node constants. The rows have no
// keys because gofmt takes its time to align thousands of them.
func (e *emitter) nodeRows(g *jen.Group) {
	g.Line().Values(jen.Id("Name").Op(":").Lit("end"))
	for _, n := range e.m.Nodes {
		g.Line().ValuesFunc(func(g *jen.Group) {
			g.Id("Name").Op(":").Lit(n.Name)
			place(g, n.Place)
			if n.MaxVisits > 0 {
				g.Id("MaxVisits").Op(":").Lit(n.MaxVisits)
			}
			if n.Only != nil {
				g.Id("Only").Op(":").Id(n.Only.Const)
				g.Id("Chain").Op(":").Lit(n.Chain)
			}
		})
	}
	g.Line()
}

// wayRows prints a row per way, in the order of the way constants.
func (e *emitter) wayRows(g *jen.Group) {
	for _, w := range e.m.Ways {
		g.Line().ValuesFunc(func(g *jen.Group) {
			if w.From != nil {
				g.Id("From").Op(":").Add(rt("Node")).Call(jen.Id(w.From.Const))
			}
			if w.To != nil {
				g.Id("To").Op(":").Add(rt("Node")).Call(jen.Id(w.To.Const))
			}
			g.Id("Rule").Op(":").Add(rt(ruleNames[w.Rule]))
			if w.Text != "" {
				g.Id("Text").Op(":").Lit(w.Text)
			}
			place(g, w.Place)
			if w.Pair != nil {
				g.Id("Pair").Op(":").Id(w.Pair.Const)
			}
			if w.Max > 0 {
				g.Id("Max").Op(":").Lit(w.Max)
			}
		})
	}
	g.Line()
}

func place(g *jen.Group, p plan.Place) {
	g.Id("Line").Op(":").Lit(p.Line)
	g.Id("Col").Op(":").Lit(p.Col)
}
