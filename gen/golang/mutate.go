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

// mutations prints the constructors of the changes that a graph allows, for the handlers that may ask for
// them, and how retry_with sets the state.
func (e *emitter) mutations() {
	m := e.m
	if m.Mutations == nil {
		return
	}
	node := func(names ...string) *jen.Statement {
		var list []jen.Code
		for _, n := range names {
			list = append(list, jen.Id(n))
		}
		return jen.List(list...).Id(m.Names.NodeType)
	}
	text := func(name string) *jen.Statement { return jen.Id(name).Dot("String").Call() }
	make := func(action, name, doc string, params, args []jen.Code) {
		constructor := m.Mutations.Make[action]
		if constructor == "" {
			return
		}
		e.f.Line()
		e.f.Add(comment(constructor + " " + doc))
		e.f.Func().Id(constructor).Params(params...).Add(mut("Change")).Block(jen.Return(mut(name).Call(args...)))
	}
	make("add_node", "AddNode", "asks for a new node: one more of a template, or one of a kind.",
		[]jen.Code{jen.Id("n").Add(mut("Node"))}, []jen.Code{jen.Id("n")})
	make("add_edge", "AddEdge", "asks for an edge, which is tried before the edges of the spec.", []jen.Code{node("from", "to")},
		[]jen.Code{text("from"), text("to")})
	make("skip_to", "SkipTo", "asks to go to a node, or to end, instead of where the run would go.", []jen.Code{node("to")}, []jen.Code{text("to")})
	if m.Mutations.Update != nil {
		make("retry_with", "RetryWith", "asks to run the node again, once fields of the state are set.",
			[]jen.Code{jen.Id("u").Id(m.Mutations.Update.GoName)}, []jen.Code{jen.Id("u")})
	}
	make("remove_edge", "RemoveEdge", "asks to close the transitions from one node to another.", []jen.Code{node("from", "to")},
		[]jen.Code{text("from"), text("to")})
	make("remove_node", "RemoveNode", "asks to take a node away: what leads to it then leads where it led.", []jen.Code{node("n")}, []jen.Code{text("n")})
	e.templateMutations()
	e.writeDynamic()
	e.change()
}

// change prints the method that hands a node's changes to the kernel, with what sets the state.
func (e *emitter) change() {
	m := e.m
	if !m.Mutates() || m.Mutations.Update == nil {
		return
	}
	e.f.Line()
	e.f.Comment("change makes the changes that the current node asks for, and reports whether one of them has")
	e.f.Comment("selected the next node.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("change").
		Params(jen.Id("r").Op("*").Id(e.m.Names.Run), jen.Id("changes").Index().Add(mut("Change"))).Bool().
		BlockFunc(func(g *jen.Group) {
			set := jen.Func().Params(jen.Id("update").Any()).Bool().BlockFunc(e.setUpdate)
			g.Return(jen.Id("r").Dot("Changes").Call().Dot("Apply").Call(jen.Id("changes"), set))
		})
}

// setUpdate prints how the fields of an update reach the state: by their merge rules.
func (e *emitter) setUpdate(g *jen.Group) {
	u := e.m.Mutations.Update
	g.List(jen.Id("u"), jen.Id("ok")).Op(":=").Id("update").Assert(jen.Id(u.GoName))
	if e.m.ModelsMutate() {
		g.If(jen.List(jen.Id("said"), jen.Id("is")).Op(":=").Id("update").Assert(jen.Op("*").Id(u.GoName)), jen.Id("is")).Block(
			jen.List(jen.Id("u"), jen.Id("ok")).Op("=").List(jen.Op("*").Id("said"), jen.True()),
		)
	}
	for i, w := range e.m.Mutations.Sets {
		field := jen.Id("u").Dot(u.Fields[i].GoName)
		value := jen.Op("*").Add(field)
		if w.To.Type.Kind == resolve.Optional {
			value = field
		}
		g.If(field.Clone().Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			if t := w.To.Type; e.m.HoldsLists(t) { // what u points to is the caller's
				g.List(jen.Id("value"), jen.Id("_")).Op(":=").Add(e.clipped(value, t, true))
				value = jen.Id("value")
			}
			e.write(g, w, value)
		})
	}
	g.Return(jen.Id("ok"))
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

// asked is what a turn of a node returns beside its output.
func (e *emitter) asked(n *plan.Node) []jen.Code {
	if n.Mutates {
		return []jen.Code{transcript(n).Dot("Changes").Call(), jen.Err()}
	}
	return []jen.Code{jen.Err()}
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
// are tried behind what the node itself names, and before all else.
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
