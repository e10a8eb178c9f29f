package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// temporalFile renders the graph as a workflow of Temporal, with its activities and the proxies that execute them.
func temporalFile(m *plan.Machine, _ string) ([]byte, error) {
	e := &emitter{m: m, f: newFile(m)}
	e.workflow()
	e.proxies()
	return render(e.f)
}

// temporal is a name of package temporal.
func temporal(name string) *jen.Statement { return jen.Qual(temporalPath, name) }

// A distantMethod is a method of the handlers or the tools that is an activity.
type distantMethod struct {
	name     string // of the activity
	of       string // parameter of the constructor: h or t
	method   string
	takes    []distantValue
	gives    []distantValue
	restores bool // the parameter state is a pointer, to what the method may change
}

// A distantValue is a parameter or a result of such a method.
type distantValue struct {
	name    string
	typ     *jen.Statement
	pointer bool                                // a parameter: the method gets a pointer
	into    func(*jen.Statement) *jen.Statement // the value as what decodes it, of a pointer
	of      func(*jen.Statement) *jen.Statement // and as what encodes it
}

// typed is a value of a type of the graph.
func typed(name string, t *resolve.Type) distantValue {
	return distantValue{
		name: name, typ: goType(t),
		into: func(pointer *jen.Statement) *jen.Statement { return unmarshaler(pointer, t) },
		of:   func(value *jen.Statement) *jen.Statement { return marshaler(value, t) },
	}
}

// wrapped is a value that a function of package temporal encodes and decodes.
func wrapped(name string, typ *jen.Statement, by *jen.Statement) distantValue {
	call := func(pointer *jen.Statement) *jen.Statement { return by.Clone().Call(pointer) }
	return distantValue{
		name: name, typ: typ, into: call,
		of: func(value *jen.Statement) *jen.Statement { return call(jen.Op("&").Add(value)) },
	}
}

// distantMethods lists the methods that are activities: of nodes, guards and tools. What has no context has no effects, and is called in the workflow.
func (e *emitter) distantMethods() (list []distantMethod) {
	m := e.m
	for n, h := range plan.Works[*plan.Handler](m) {
		if !n.Kind.Pure {
			list = append(list, e.distantHandler(n, h))
		}
	}
	for _, g := range guardsOf(m) {
		d := distantMethod{name: "guard." + g.Name, of: "h", method: g.Method}
		if g.In != nil {
			d.takes = append(d.takes, typed("in", g.In))
		}
		d.takes = append(d.takes, typed("out", g.out))
		list = append(list, d)
	}
	for _, t := range m.Methods() {
		d := distantMethod{name: "tool." + t.Name, of: "t", method: t.Method, gives: []distantValue{typed("out", t.Returns)}}
		if t.In != nil {
			d.takes = append(d.takes, typed("in", t.In))
		}
		if len(t.Args.Fields) > 0 {
			d.takes = append(d.takes, typed("args", t.Args))
		}
		list = append(list, d)
	}
	return list
}

func (e *emitter) distantHandler(n *plan.Node, h *plan.Handler) distantMethod {
	d := distantMethod{name: n.Name, of: "h", method: n.GoName}
	switch {
	case n.In != nil:
		d.takes = append(d.takes, typed("in", n.In))
	case h.TakesState:
		state := typed("state", e.m.Types.State)
		state.pointer = !h.ByValue
		d.takes, d.restores = append(d.takes, state), state.pointer && n.Out == nil
	}
	if n.Out != nil {
		d.gives = append(d.gives, typed("out", n.Out))
	}
	if n.Choices.Goto != nil {
		d.gives = append(d.gives, wrapped("to", jen.Id(n.Choices.Goto.GoName), temporal("Choice")))
	}
	if n.Choices.Branch != nil {
		d.gives = append(d.gives, wrapped("label", jen.Id(n.Choices.Branch.GoName), temporal("Choice")))
	}
	if n.Mutates {
		update := jen.Struct()
		if u := e.m.Mutations.Update; u != nil {
			update = jen.Id(u.GoName)
		}
		d.gives = append(d.gives, wrapped("changes", jen.Index().Add(mut("Change")), temporal("Changes").Types(update)))
	}
	return d
}

// workflow prints the constructor of the graph as a workflow.
func (e *emitter) workflow() {
	m := e.m
	e.f.Add(lined(m.Names.Workflow + " is the graph " + m.Name + " as a workflow of Temporal, with its activities."))
	types := []jen.Code{jen.Id(m.GoName), jen.Id(m.Names.InputType), jen.Id(m.Names.OutputType), jen.Id(m.Names.StateType)}
	e.f.Type().Id(m.Names.Workflow).Op("=").Add(temporal("Graph")).Types(types...)
	e.f.Line()
	parts := e.parts()
	var params, given, inner []jen.Code
	var with []string
	for i, p := range parts {
		if i < len(parts)-len(m.Children.Others) {
			params, given = append(params, jen.Id(p.param).Add(p.typ)), append(given, jen.Id(p.param))
			with = append(with, p.what)
			continue
		}
		o := m.Children.Others[i-(len(parts)-len(m.Children.Others))]
		params = append(params, jen.Id(p.param).Op("*").Add(goType(o.Workflow)))
		given, inner = append(given, jen.Id(p.param).Dot("Machine").Call()), append(inner, jen.Id(p.param).Dot("Nested").Call())
		with = append(with, "the graph "+o.Graph)
	}
	doc := m.Names.NewWorkflow + " returns the graph for a worker of Temporal"
	if len(with) > 0 {
		doc += ", with " + enumerate(with)
	}
	e.f.Add(lined(doc + ". Activities call these; what has no context is called in the workflow."))
	params = append(params, jen.Id("opts").Op("...").Add(temporal("Option")))
	e.f.Func().Id(m.Names.NewWorkflow).Params(params...).Params(jen.Op("*").Id(m.Names.Workflow), jen.Error()).BlockFunc(func(g *jen.Group) {
		g.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Id(m.Names.New).Call(given...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
		g.Id("acts").Op(":=").Add(temporal("NewActivities")).Call(append([]jen.Code{jen.Lit(m.Name), jen.Id("opts")}, inner...)...)
		for _, d := range e.distantMethods() {
			task := jen.Id("task").Op("*").Add(temporal("Task"))
			g.Id("acts").Dot("Handle").Call(jen.Lit(d.name), jen.Func().Params(ctxParam(), task).Error().BlockFunc(d.execute))
		}
		proxied := slices.Clone(given)
		for i, p := range parts {
			switch p.param {
			case "h":
				proxied[i] = jen.Id(m.Names.Proxy).Values(jen.Id("h"), jen.Id("acts"))
			case "t":
				proxied[i] = jen.Id(m.Names.ToolProxy).Values(jen.Id("acts"))
			case "model":
				proxied[i] = jen.Id("acts").Dot("Model").Call(jen.Id("model"))
			}
		}
		g.List(jen.Id("m"), jen.Err()).Op(":=").Id(m.Names.New).Call(proxied...)
		g.Return(temporal("New").Call(jen.Id("acts"), jen.Id("m"), jen.Err(), e.workflowMethods(types)))
	})
}

// workflowMethods are what the workflow has of the machine.
func (e *emitter) workflowMethods(types []jen.Code) *jen.Statement {
	m := e.m
	parts := []jen.Code{jen.Id("Run").Op(":").Id("m").Dot("Run")}
	if m.Pauses() {
		parts = append(parts, jen.Id("Resume").Op(":").Id("m").Dot("Resume"))
	}
	var answers []jen.Code
	answer := func(path, function string, out *resolve.Type) {
		how := temporal("Decides").Call(jen.Id(function))
		if out != nil {
			how = temporal("Replies").Call(jen.Id(function), reader(out, limits{}))
		}
		answers = append(answers, jen.Lit(path).Op(":").Add(how))
	}
	for _, n := range m.Flow.Nodes {
		if asked := n.Asked(); asked != nil {
			out := n.Out
			if n.Pauses.Gate != nil {
				out = nil
			}
			answer(n.Name, asked.Answer, out)
		}
	}
	for _, h := range m.Humans.NestedHumans {
		answer(h.Path, h.Answer, h.Out)
	}
	if len(answers) > 0 {
		parts = append(parts, jen.Id("Answers").Op(":").Add(temporal("Answers")).Types(jen.Id(m.GoName)).Custom(lines, answers...))
	}
	parts = append(parts, jen.Id("State").Op(":").Func().Params(jen.Id("s").Id(m.Names.StateType)).Qual(codecPath, "Marshaler").BlockFunc(func(g *jen.Group) {
		for _, f := range m.Types.State.Fields {
			if f.Private() {
				g.Id("s").Dot(f.GoName).Op("=").Op("*").New(goType(f.Type))
			}
		}
		g.Return(marshaler(jen.Id("s"), m.Types.State))
	}))
	var children []jen.Code
	for _, n := range m.Flow.Nodes {
		if sub, is := n.Work.(*plan.Sub); is && sub.Apart {
			graph := jen.Nil()
			if sub.Machine != nil {
				graph = jen.Id(sub.Machine.Param)
			}
			children = append(children, jen.Lit(n.Name).Op(":").Add(graph))
		}
	}
	if len(children) > 0 {
		parts = append(parts, jen.Id("Children").Op(":").Add(temporal("Children")).Custom(lines, children...))
	}
	if m.Threads.Durable {
		parts = append(parts, jen.Id("Durable").Op(":").Id("m").Dot("Durable"))
		if events := m.StepEvents(); events > 0 {
			parts = append(parts, jen.Id("Events").Op(":").Lit(events))
		}
	}
	if m.Release > 0 {
		parts = append(parts, jen.Id("Release").Op(":").Lit(m.Release))
	}
	return temporal("Methods").Types(types...).Custom(lines, parts...)
}

// execute prints how an activity calls the method.
func (d distantMethod) execute(g *jen.Group) {
	args := []jen.Code{jen.Id("ctx")}
	var into []jen.Code
	for _, v := range d.takes {
		g.Var().Id(v.name).Add(v.typ.Clone())
		into = append(into, v.into(jen.Op("&").Id(v.name)))
		if v.pointer {
			args = append(args, jen.Op("&").Id(v.name))
		} else {
			args = append(args, jen.Id(v.name))
		}
	}
	if len(into) > 0 {
		g.If(jen.Err().Op(":=").Id("task").Dot("In").Call(into...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	call := jen.Id(d.of).Dot(d.method).Call(args...)
	var names, of []jen.Code
	for _, v := range d.gives {
		name := v.name
		if slices.ContainsFunc(d.takes, func(t distantValue) bool { return t.name == name }) {
			name = "gives"
		}
		names, of = append(names, jen.Id(name)), append(of, v.of(jen.Id(name)))
	}
	if d.restores {
		of = append(of, d.takes[0].of(jen.Id(d.takes[0].name)))
	}
	if len(of) == 0 {
		g.Return(call)
	} else {
		g.List(append(names, jen.Err())...).Op(":=").Add(call)
		g.Return(jen.Id("task").Dot("Out").Call(append([]jen.Code{jen.Err()}, of...)...))
	}
}

// proxies prints the types whose methods execute activities.
func (e *emitter) proxies() {
	m := e.m
	list := e.distantMethods()
	if m.Handled() {
		e.f.Line()
		e.f.Comment(m.Names.Proxy + " has the handlers of the workflow: activities, and what has no effects.")
		e.f.Type().Id(m.Names.Proxy).Struct(jen.Id(m.Names.HandlersType), jen.Id("activities").Op("*").Add(temporal("Activities")))
	}
	if len(m.Methods()) > 0 {
		e.f.Line()
		e.f.Comment(m.Names.ToolProxy + " has the tools of the workflow: activities.")
		e.f.Type().Id(m.Names.ToolProxy).Struct(jen.Id("activities").Op("*").Add(temporal("Activities")))
	}
	for _, d := range list {
		receiver := m.Names.Proxy
		if d.of == "t" {
			receiver = m.Names.ToolProxy
		}
		e.f.Line()
		e.f.Func().Params(jen.Id("p").Id(receiver)).Id(d.method).ParamsFunc(d.params).Add(d.results()).BlockFunc(d.call)
	}
}

func (d distantMethod) params(g *jen.Group) {
	g.Add(ctxParam())
	for _, v := range d.takes {
		if v.pointer {
			g.Id(v.name).Op("*").Add(v.typ.Clone())
		} else {
			g.Id(v.name).Add(v.typ.Clone())
		}
	}
}

func (d distantMethod) results() *jen.Statement {
	if len(d.gives) == 0 {
		return jen.Error()
	}
	return jen.ParamsFunc(func(g *jen.Group) {
		for _, v := range d.gives {
			g.Id(v.name).Add(v.typ.Clone())
		}
		g.Err().Error()
	})
}

// call prints how the workflow executes the activity.
func (d distantMethod) call(g *jen.Group) {
	var takes []jen.Code
	for _, v := range d.takes {
		value := jen.Id(v.name)
		if v.pointer {
			value = jen.Parens(jen.Op("*").Id(v.name))
		}
		takes = append(takes, v.of(value))
	}
	in := temporal("In").Call(takes...)
	args := []jen.Code{jen.Id("ctx"), jen.Lit(d.name), in}
	for _, v := range d.gives {
		args = append(args, v.into(jen.Op("&").Id(v.name)))
	}
	if d.restores {
		g.Var().Id("after").Add(d.takes[0].typ.Clone())
		args = append(args, d.takes[0].into(jen.Op("&").Id("after")))
	}
	call := jen.Id("p").Dot("activities").Dot("Call").Call(args...)
	if len(d.gives) == 0 && !d.restores {
		g.Return(call)
		return
	}
	assign := "="
	if len(d.gives) == 0 {
		assign = ":="
	}
	g.Err().Op(assign).Add(call)
	if d.restores {
		g.If(jen.Err().Op("==").Nil()).Block(jen.Op("*").Id(d.takes[0].name).Op("=").Id("after"))
	}
	g.ReturnFunc(func(g *jen.Group) {
		for _, v := range d.gives {
			g.Id(v.name)
		}
		g.Err()
	})
}
