package golang

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// update prints how a field of an update reaches the state: by its merge rule.
func (e *emitter) update(g *jen.Group, i int) {
	w, field := e.m.Mutations.Sets[i], jen.Id("u").Dot(e.m.Mutations.Update.Fields[i].GoName)
	value := jen.Op("*").Add(field)
	if w.To.Type.Kind == resolve.Optional {
		value = field
	}
	if t := w.To.Type; e.m.HoldsLists(t) { // what u points to is the caller's
		g.List(jen.Id("value"), jen.Id("_")).Op(":=").Add(e.clipped(value, t, true))
		value = jen.Id("value")
	}
	e.write(g, w, value)
}

// writeOut prints how the answer of an added prompt reaches the state.
func (e *emitter) writeOut(g *jen.Group, w plan.Write) {
	value := jen.Id("out")
	if w.Some {
		value = jen.New(value)
	}
	e.write(g, w, value)
}

// changes prints that a node's changes are made, once its output is committed. One that leads
// the run on is in place of the node's own choice.
func (e *emitter) changes(g *jen.Group, n *plan.Node) {
	if !n.Mutates {
		return
	}
	change := jen.Id("m").Dot("change").Call(jen.Id("r"), jen.Id("changes"))
	if e.m.Mutations.Update == nil {
		change = jen.Id("r").Dot("Changes").Call().Dot("Apply").Call(jen.Id("changes"), jen.Nil())
	}
	g.If(jen.Len(jen.Id("changes")).Op(">").Lit(0).Op("&&").Add(change)).Block(jen.Continue())
}

// changeSchema describes what an answer of a node may ask of the graph of its run.
func (e *emitter) changeSchema(n *plan.Node, p *plan.Prompt) *jen.Statement {
	update := e.m.Mutations.Update
	out, name := n.Out, p.Answer
	if out.Kind == resolve.String {
		out, name = nil, "answer"
	}
	head, tail := schema.Changing(out, routesOf(n), update)
	fields := []jen.Code{
		entry("Name", jen.Lit(name)), entry("Head", jen.Op("`"+head+"`")), entry("Tail", jen.Op("`"+tail+"`")),
	}
	if out == nil {
		fields = append(fields, entry("Text", jen.True()))
	}
	if update != nil {
		made := jen.Func().Params().Qual(codecPath, "Unmarshaler").Block(jen.Return(jen.New(jen.Id(update.GoName))))
		fields = append(fields, entry("Update", made))
	}
	return jen.Op("&").Add(pipe("Change")).Custom(lines, fields...)
}

// onwards prints the choice of the next node, with the edges that the run may have added: they
// are tried after what the node itself names, and before all else.
func (e *emitter) onwards(g *jen.Group, n *plan.Node, tests []plan.Test, otherwise plan.Default) {
	if !e.m.AddsEdges(n) {
		e.routes(g, n, tests, otherwise)
		return
	}
	named := 0
	for named < len(tests) && tests[named].Chosen() {
		named++
	}
	rest := func(g *jen.Group) {
		g.If(jen.Id("r").Dot("Changes").Call().Dot("Follow").Call()).Block(jen.Continue())
		e.routes(g, n, tests[named:], otherwise)
	}
	if named == 0 {
		rest(g)
		return
	}
	g.Switch().BlockFunc(func(g *jen.Group) {
		for _, t := range tests[:named] {
			g.Case(e.condition(t)).BlockFunc(func(g *jen.Group) { follow(g, t.Transition) })
		}
		g.Default().BlockFunc(rest)
	})
}

// mayTake is the condition that the run has not closed a transition.
func mayTake(w *plan.Transition) *jen.Statement {
	if !w.Closable {
		return nil
	}
	return jen.Id("r").Dot("Changes").Call().Dot("May").Call(jen.Id(w.Const))
}

// shut is the condition that a bounded transition is used up or closed.
func shut(w *plan.Transition) *jen.Statement {
	used := jen.Op("!").Add(open(w))
	if may := mayTake(w); may != nil {
		return jen.Parens(jen.Op("!").Add(may).Op("||").Add(used))
	}
	return used
}

// formNames are the kernel's constants for the forms of assertions.
var formNames = map[assertion.Kind]string{
	assertion.Passes: "EveryPathPasses", assertion.Without: "NoPathWithout", assertion.Reachable: "IsReachable", assertion.AtMost: "RunsAtMost",
}

// mutableTable prints how runs may change the graph, as text like the graph's own table.
func mutableTable(b *bytes.Buffer, m *plan.Machine) {
	s := m.Mutations
	if s == nil {
		return
	}
	fmt.Fprintf(b, "\nvar %s = %s.Mutable{\n", m.Names.Mutable, goname.Engine)
	var rows [][2]string
	row := func(is bool, name, value string) {
		if is {
			rows = append(rows, [2]string{name + ":", value})
		}
	}
	row(true, "Allow", goList(goname.Engine+".Action", quoted(s.Allow)))
	row(true, "Max", strconv.Itoa(s.Max))
	row(s.Bounded, "Bounded", "true")
	row(s.Visits > 0, "Visits", strconv.Itoa(s.Visits))
	row(len(s.Templates) > 0, "Templates", goList(goname.Engine+".NodeID", nodeNumbers(s.Templates)))
	row(len(s.Kinds) > 0, "Kinds", goList("string", quoted(s.Kinds)))
	row(len(s.Reads) > 0, "Reads", goList("string", quoted(fieldNames(s.Reads))))
	row(len(s.Writes) > 0, "Writes", goList("string", quoted(s.Written())))
	row(len(s.Tools) > 0, "Tools", goList("string", quoted(toolNames(s.Tools))))
	row(len(s.Outputs) > 0, "Outputs", goList("string", quoted(fieldNames(s.Outputs))))
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		fmt.Fprintf(b, "\t%-*s %s,\n", width, r[0], r[1])
	}
	if len(s.Asserts) > 0 {
		fmt.Fprintf(b, "\tAsserts: []%s.Assertion{\n", goname.Engine)
		for _, a := range s.Asserts {
			assertRow(b, a)
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n")
}

func assertRow(b *bytes.Buffer, a plan.Assertion) {
	fmt.Fprintf(b, "\t\t{Form: %s.%s", goname.Engine, formNames[a.Kind])
	for i, n := range a.Nodes {
		if n != nil {
			fmt.Fprintf(b, ", %c: %s.NodeID(%s)", 'A'+i, goname.Engine, n.Const)
		}
	}
	if a.Kind == assertion.AtMost {
		fmt.Fprintf(b, ", Most: %d", a.Most)
	}
	fmt.Fprintf(b, ", Text: %q},\n", a.Text)
}

func goList(of string, values []string) string {
	return "[]" + of + "{" + strings.Join(values, ", ") + "}"
}

func nodeNumbers(nodes []*plan.Node) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, goname.Engine+".NodeID("+n.Const+")")
	}
	return out
}

func quoted(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, strconv.Quote(s))
	}
	return out
}

func fieldNames(fields []*resolve.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name)
	}
	return out
}

func toolNames(tools []*plan.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}
