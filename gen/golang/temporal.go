package golang

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// temporalFile renders the graph as a workflow of Temporal, with its activities and the proxies that execute them.
func temporalFile(m *plan.Machine, _ string) ([]byte, error) {
	e := newEmitter(m)
	e.print("workflow", nil)
	return e.render()
}

// temporal is a name of package temporal.
func temporal(name string) *jen.Statement { return jen.Qual(temporalPath, name) }

// A distantMethod is a method of the handlers or the tools that is an activity.
type distantMethod struct {
	Name     string // of the activity
	Of       string // parameter of the constructor: h or t
	Method   string
	Takes    []distantValue
	Gives    []distantValue
	Restores bool // the parameter state is a pointer, to what the method may change
}

// A distantValue is a parameter or a result of such a method.
type distantValue struct {
	Name    string
	Type    *jen.Statement
	Pointer bool                                // a parameter: the method gets a pointer
	into    func(*jen.Statement) *jen.Statement // the value as what decodes it, of a pointer
	of      func(*jen.Statement) *jen.Statement // and as what encodes it
}

// Into is a variable as what decodes the value.
func (v distantValue) Into(variable string) *jen.Statement { return v.into(jen.Op("&").Id(variable)) }

// From is a variable as what encodes the value.
func (v distantValue) From(variable string) *jen.Statement { return v.of(jen.Id(variable)) }

// Taken is the parameter as what encodes the value.
func (v distantValue) Taken() *jen.Statement {
	if v.Pointer {
		return v.of(jen.Parens(jen.Op("*").Id(v.Name)))
	}
	return v.From(v.Name)
}

// Given are the results by the names of the variables that the activity has for them, beside the parameters.
func (d distantMethod) Given() []distantValue {
	list := slices.Clone(d.Gives)
	for i := range list {
		if slices.ContainsFunc(d.Takes, func(t distantValue) bool { return t.Name == list[i].Name }) {
			list[i].Name = "gives"
		}
	}
	return list
}

// typed is a value of a type of the graph.
func typed(name string, t *resolve.Type) distantValue {
	return distantValue{
		Name: name, Type: goType(t),
		into: func(pointer *jen.Statement) *jen.Statement { return unmarshaler(pointer, t) },
		of:   func(value *jen.Statement) *jen.Statement { return marshaler(value, t) },
	}
}

// wrapped is a value that a function of package temporal encodes and decodes.
func wrapped(name string, typ *jen.Statement, by *jen.Statement) distantValue {
	call := func(pointer *jen.Statement) *jen.Statement { return by.Clone().Call(pointer) }
	return distantValue{
		Name: name, Type: typ, into: call,
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
		d := distantMethod{Name: "guard." + g.Name, Of: "h", Method: g.Method}
		if g.In != nil {
			d.Takes = append(d.Takes, typed("in", g.In))
		}
		d.Takes = append(d.Takes, typed("out", g.Out))
		list = append(list, d)
	}
	for _, t := range m.Methods() {
		d := distantMethod{Name: "tool." + t.Name, Of: "t", Method: t.Method, Gives: []distantValue{typed("out", t.Returns)}}
		if t.In != nil {
			d.Takes = append(d.Takes, typed("in", t.In))
		}
		if len(t.Args.Fields) > 0 {
			d.Takes = append(d.Takes, typed("args", t.Args))
		}
		list = append(list, d)
	}
	return list
}

func (e *emitter) distantHandler(n *plan.Node, h *plan.Handler) distantMethod {
	d := distantMethod{Name: n.Name, Of: "h", Method: n.GoName}
	switch {
	case n.In != nil:
		d.Takes = append(d.Takes, typed("in", n.In))
	case h.TakesState:
		state := typed("state", e.m.Types.State)
		state.Pointer = !h.ByValue
		d.Takes, d.Restores = append(d.Takes, state), state.Pointer && n.Out == nil
	}
	if n.Out != nil {
		d.Gives = append(d.Gives, typed("out", n.Out))
	}
	if n.Choices.Goto != nil {
		d.Gives = append(d.Gives, wrapped("to", jen.Id(n.Choices.Goto.GoName), temporal("Choice")))
	}
	if n.Choices.Branch != nil {
		d.Gives = append(d.Gives, wrapped("label", jen.Id(n.Choices.Branch.GoName), temporal("Choice")))
	}
	if n.Mutates {
		update := jen.Struct()
		if u := e.m.Mutations.Update; u != nil {
			update = jen.Id(u.GoName)
		}
		d.Gives = append(d.Gives, wrapped("changes", jen.Index().Add(mut("Change")), temporal("Changes").Types(update)))
	}
	return d
}

// workflowGiven are the parts that a workflow is made with. No parameter is called as a package may be: the constructor refers to packages.
func (e *emitter) workflowGiven() []part {
	list := e.parts()
	for i, p := range list {
		switch {
		case p.Other != nil:
			list[i].Param = p.Other.WorkflowParam
		case p.Field == "model":
			list[i].Param = "chatModel"
		}
	}
	return list
}

// workflowParts says what a workflow is made with.
func (e *emitter) workflowParts() string {
	var with []string
	for _, p := range e.parts() {
		if p.Other != nil {
			p.What = "the graph " + p.Other.Graph
		}
		with = append(with, p.What)
	}
	if len(with) == 0 {
		return ""
	}
	return ", with " + enumerate(with)
}

// workflowAnswers are the requests of people in a workflow, with the functions that make answers.
func (e *emitter) workflowAnswers() (list []plan.NestedHuman) {
	for _, n := range e.m.Flow.Nodes {
		if asked := n.Asked(); asked != nil {
			a := plan.NestedHuman{Path: n.Name, Answer: asked.Answer}
			if n.Pauses.Gate == nil {
				a.Out = n.Out
			}
			list = append(list, a)
		}
	}
	for _, h := range e.m.Humans.NestedHumans {
		list = append(list, *h)
	}
	return list
}

// apart lists the nodes whose graphs are workflows of their own.
func (e *emitter) apart() (list []*plan.Node) {
	for n, sub := range plan.Works[*plan.Sub](e.m) {
		if sub.Apart {
			list = append(list, n)
		}
	}
	return list
}
