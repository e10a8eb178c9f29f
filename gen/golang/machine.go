package golang

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitMachine prints the file a person reads: what they call, what they implement, the
// types, and the machine itself.
func emitMachine(m *plan.Machine) *emitter {
	e := newEmitter(m)
	e.print("machine", nil)
	if m.Handled() {
		e.print("handlers", nil)
	}
	if len(m.Flow.Ends) > 0 {
		e.print("ends", nil)
	}
	e.choices()
	if len(m.Models.Servers) > 0 {
		e.print("servers", nil)
	}
	e.f.Line()
	e.types()
	e.print("run", nil)
	if m.ViewsState() {
		e.print("view", nil)
	}
	e.loop()
	for _, c := range m.Flow.Conditions {
		e.print("condition", c)
	}
	e.human()
	for _, n := range m.Flow.Nodes {
		if n.Shape.Wrapped {
			e.print("execution", n)
		}
		if h, is := n.Work.(*plan.Handler); is && h.Transact != "" {
			e.print("transaction", n)
		}
	}
	e.composites()
	e.evalMethods()
	for n := range plan.Works[*plan.Sub](m) {
		e.print("subgraph node", n)
	}
	if m.Mutations != nil {
		e.print("mutations", nil)
	}
	e.clipperFuncs()
	e.mediaChecks()
	e.timeout()
	e.prompts()
	e.print("nodes", nil)
	return e
}

// eng is a name of package machine.
func eng(name string) *jen.Statement { return jen.Qual(enginePath, name) }

// mut is a name of package mutation.
func mut(name string) *jen.Statement { return jen.Qual(mutationPath, name) }

func ctxParam() *jen.Statement { return jen.Id("ctx").Qual("context", "Context") }

// A part is something that a machine is made with.
type part struct {
	Field, Param string
	Type         *jen.Statement
	Other        *plan.Other // it is the machine of another graph
	Missing      string      // its name in the error where it is nil; for a machine, the name of its graph
	What         string
}

// parts are what the machine is made with: as much as its graph needs.
func (e *emitter) parts() []part {
	var out []part
	if e.m.Handled() {
		out = append(out, part{"handlers", "h", jen.Id(e.m.Names.HandlersType), nil, "handlers", "its handlers"})
	}
	if len(e.m.Methods()) > 0 {
		out = append(out, part{"tools", "t", jen.Id(e.m.Names.ToolsType), nil, "tools", "its tools"})
	}
	if e.m.Models.Asked {
		out = append(out, part{"model", "model", jen.Qual(chatPath, "Model"), nil, "model", "the model that it asks"})
	}
	for _, o := range e.m.Children.Others {
		out = append(out, part{o.Field, o.Param, jen.Op("*").Add(goType(o.Type)), o, o.Graph, "the machine of the graph " + o.Graph})
	}
	return out
}

// what says what a machine is made with.
func what(parts []part) string {
	var words []string
	for _, p := range parts {
		words = append(words, p.What)
	}
	return enumerate(words)
}

// enumerate joins words as a sentence does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// initialState is the state a run starts with: what the caller gives, and the defaults. A
// list that later writes append to is cut to its length, so that they never touch the
// caller's array.
func (e *emitter) initialState() *jen.Statement {
	var given, initial []jen.Code
	for _, f := range e.m.Types.Input.Fields {
		if slices.Contains(e.m.Types.Optional, f) {
			continue
		}
		v := jen.Id("in").Dot(f.GoName)
		if f.Type.Kind == resolve.List && f.Merge == "append" {
			v = handed(v, f.Type)
		}
		given = append(given, jen.Id(f.GoName).Op(":").Add(v))
	}
	for _, f := range e.m.Types.Initial {
		initial = append(initial, jen.Id(f.GoName).Op(":").Add(startValue(f.Type, *f.Spec.Default)))
	}
	if len(initial) == 0 {
		return jen.Id(e.m.Names.StateType).Values(given...)
	}
	return fitting(jen.Id(e.m.Names.StateType), append(given, initial...))
}

// given is the value of the caller that replaces the default of a field.
func given(f *resolve.Field) *jen.Statement {
	v := jen.Op("*").Id("in").Dot(f.GoName)
	if own := f.Type.Base(); own.Kind == resolve.List && f.Merge == "append" {
		v = handed(v, own)
	}
	return v
}

// goType prints a resolved type. What is of another package is imported.
func goType(t *resolve.Type) *jen.Statement {
	from := t.Imports()
	if len(from) == 0 {
		return jen.Id(t.Go())
	}
	switch t.Kind {
	case resolve.List:
		return jen.Index().Add(goType(t.Elem))
	case resolve.Map:
		return jen.Map(jen.String()).Add(goType(t.Elem))
	case resolve.Optional:
		return jen.Op("*").Add(goType(t.Elem))
	}
	_, name, _ := strings.Cut(t.Go(), ".")
	return jen.Qual(from[0].Path, name)
}

// A guardMethod is a guard with the output it checks. Nodes of one output share it.
type guardMethod struct {
	plan.Guard
	Out *resolve.Type
}

func guardsOf(m *plan.Machine) []guardMethod {
	var out []guardMethod
	seen := map[string]bool{}
	for _, n := range m.Flow.Nodes {
		for _, g := range n.Checks.Guards {
			if g.Judge == "" && !seen[g.Method] {
				seen[g.Method] = true
				out = append(out, guardMethod{g, n.Out})
			}
		}
	}
	return out
}

// A processorMethod is a processor of prompts or answers that users write.
type processorMethod struct {
	Name, Method, Of string
	Param            *jen.Statement
}

func processorsOf(m *plan.Machine) []processorMethod {
	var out []processorMethod
	seen := map[string]bool{}
	for _, p := range m.Prompts() {
		add := func(list []plan.Processor, of, param, typ string) {
			for _, p := range list {
				if p.Method != "" && !seen[p.Method] {
					seen[p.Method] = true
					out = append(out, processorMethod{p.Name, p.Method, of, jen.Id(param).Op("*").Add(pipe(typ))})
				}
			}
		}
		add(p.Before, "prompts, before they are sent", "p", "Prompt")
		add(p.After, "answers, before they are decoded", "a", "Answer")
	}
	return out
}
