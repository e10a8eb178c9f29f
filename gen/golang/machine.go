package golang

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An emitter prints one machine.
type emitter struct {
	m *plan.Machine
	f *jen.File

	clippers []*resolve.Type // whose functions to clip are called
}

// emitMachine prints the file a person reads: what they call, what they implement, the
// types, and the machine itself.
func emitMachine(m *plan.Machine) *jen.File {
	e := &emitter{m: m, f: newFile(m)}
	e.entry()
	e.handlers()
	e.ends()
	e.choices()
	e.servers()
	e.f.Line()
	emitTypes(e.f, m)
	e.run()
	e.views()
	e.loop()
	e.conditions()
	e.human()
	for _, n := range m.Flow.Nodes {
		if n.Shape.Wrapped {
			e.execution(n)
		}
		if h, is := n.Work.(*plan.Handler); is && h.Transact != "" {
			e.transaction(n, h)
		}
	}
	e.composites()
	e.evalMethods()
	e.subMethods()
	e.mutations()
	e.clipperFuncs()
	e.mediaChecks()
	e.timeout()
	e.prompts()
	e.nodes()
	return e.f
}

// rt names something of the kernel.
func rt(name string) *jen.Statement { return jen.Qual(kernel, name) }

// eng is a name of package machine.
func eng(name string) *jen.Statement { return jen.Qual(enginePath, name) }

// mut is a name of package mutation.
func mut(name string) *jen.Statement { return jen.Qual(mutationPath, name) }

// options are the last parameters, of a type of the kernel.
func options(kind string) *jen.Statement { return jen.Id("opts").Op("...").Add(rt(kind)) }

func ctxParam() *jen.Statement { return jen.Id("ctx").Qual("context", "Context") }

// entry prints the machine's type, its constructor, Run and Stream.
func (e *emitter) entry() {
	m := e.m
	doc := m.GoName + " is the graph " + m.Name + ": " + m.Doc
	if m.Doc == "" {
		doc = m.GoName + " is the machine of the graph " + m.Name + "."
	}
	e.f.Add(comment(doc))
	e.f.Type().Id(m.GoName).StructFunc(func(g *jen.Group) {
		for _, part := range e.parts() {
			g.Id(part.field).Add(part.typ)
		}
		g.Id("options").Op("*").Add(eng("Options"))
	})
	e.f.Line()
	e.constructor()
	e.f.Line()
	e.runMethod()
	e.f.Line()
	e.f.Comment("Stream is Run whose events are read as they happen.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("Stream").
		Params(ctxParam(), jen.Id("in").Id(m.Names.InputType), options("RunOption")).
		Op("*").Add(rt("Stream")).Types(jen.Id(m.Names.OutputType)).
		Block(jen.Return(eng("Stream").Call(jen.Id("ctx"), jen.Id("m").Dot("Run"), jen.Id("in"), jen.Id("opts"))))
}

// A part is something that a machine is made with.
type part struct {
	field, param string
	typ          *jen.Statement
	missing      string // its name in the error where it is nil; for a machine, that of its graph
	what         string
}

// parts are what the machine is made with: as much as its graph needs.
func (e *emitter) parts() []part {
	var out []part
	if e.m.Handled() {
		out = append(out, part{"handlers", "h", jen.Id(e.m.Names.HandlersType), "handlers", "its handlers"})
	}
	if len(e.m.Methods()) > 0 {
		out = append(out, part{"tools", "t", jen.Id(e.m.Names.ToolsType), "tools", "its tools"})
	}
	if e.m.Models.Asked {
		out = append(out, part{"model", "model", jen.Qual(chatPath, "Model"), "model", "the model that it asks"})
	}
	for _, o := range e.m.Children.Others {
		out = append(out, part{o.Field, o.Param, jen.Op("*").Add(goType(o.Type)), o.Graph, "the machine of the graph " + o.Graph})
	}
	return out
}

func (e *emitter) constructor() {
	m := e.m
	var params, values []jen.Code
	var with []string
	for _, p := range e.parts() {
		params = append(params, jen.Id(p.param).Add(p.typ))
		values = append(values, jen.Id(p.field).Op(":").Id(p.param))
		with = append(with, p.what)
	}
	values = append(values, jen.Id("options").Op(":").Id("options"))
	kind := rt("Option")
	if m.Threads.Durable {
		kind = jen.Qual(threadPath, "Option")
	}
	doc := m.Names.New + " returns a machine"
	if len(with) > 0 {
		doc += " with " + enumerate(with)
	}
	e.f.Comment(doc + ", which is immutable and safe for concurrent use. The options hold for every run.")
	params = append(params, jen.Id("opts").Op("...").Add(kind))
	e.f.Func().Id(m.Names.New).Params(params...).Params(jen.Op("*").Id(m.GoName), jen.Error()).BlockFunc(func(g *jen.Group) {
		given := []jen.Code{jen.Op("&").Id(m.Names.Table), jen.Id("opts")}
		for i, p := range e.parts() {
			need := "Need"
			if i >= len(e.parts())-len(m.Children.Others) {
				need = "NeedGraph"
			}
			given = append(given, eng(need).Call(jen.Id(p.param).Op("!=").Nil(), jen.Lit(p.missing)))
		}
		g.List(jen.Id("options"), jen.Err()).Op(":=").Add(eng("Configure")).Call(given...)
		g.Return(eng("Made").Call(jen.Op("&").Id(m.GoName).Values(values...), jen.Err()))
	})
}

// enumerate joins words as a sentence does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// judgedInput is what a model that judges edges is shown of the input.
func (e *emitter) judgedInput() *jen.Statement {
	if e.m.Types.Judged == nil {
		return jen.Id("in")
	}
	return jen.Id(e.m.Types.Judged.GoName).ValuesFunc(func(g *jen.Group) {
		for _, f := range e.m.Types.Judged.Fields {
			g.Id(f.GoName).Op(":").Id("in").Dot(f.GoName)
		}
	})
}

func (e *emitter) runMethod() {
	m := e.m
	doc := "Run makes one run. Its error is a *" + goname.Kernel + ".RunError, which has the report, the state and the cause"
	if m.Pauses() {
		doc += ", and the pause of a run that waits: see " + goname.Kernel + ".AsPause"
	}
	e.f.Comment(doc + ".")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("Run").
		Params(ctxParam(), jen.Id(used("in", m.UsesInput())).Id(m.Names.InputType), options("RunOption")).
		Params(jen.Id(m.Names.OutputType), jen.Error()).
		BlockFunc(func(g *jen.Group) {
			for _, f := range m.Types.Input.Fields {
				e.clips(g, jen.Id("in").Dot(f.GoName), f.Type)
			}
			g.Id("r").Op(":=").Op("&").Id(e.m.Names.Run).Values(jen.Id("state").Op(":").Add(e.initialState()))
			e.givenInput(g)
			if m.Models.Judges {
				g.Id("r").Dot("results").Dot("Start").Call(e.judgedInput())
			}
			if m.Pauses() {
				e.begin(g)
				return
			}
			e.start(g, e.framed())
			e.toTheEnd(g)
		})
	if m.Pauses() {
		e.goOn()
	}
}

// start prints that the kernel begins the run, or refuses it where the media of the input is not within its
// limits.
func (e *emitter) start(g *jen.Group, frame *jen.Statement) {
	args := []jen.Code{jen.Id("ctx"), jen.Op("&").Id(e.m.Names.Table), frame, jen.Id("m").Dot("options"), jen.Id("opts")}
	begin := jen.Id("r").Dot("Start").Call(args...)
	if e.m.Types.Media.Input == "" {
		g.Add(begin)
		return
	}
	g.If(jen.Err().Op(":=").Id(e.m.Types.Media.Input).Call(jen.Id("in")), jen.Err().Op("!=").Nil()).Block(
		jen.Id("r").Dot("Refuse").Call(append(args, jen.Err())...),
	).Else().Block(begin)
}

// begin prints that the kernel begins a run that may pause, or continues the one for which the run around it waits.
func (e *emitter) begin(g *jen.Group) {
	invalid := jen.Nil()
	if e.m.Types.Media.Input != "" {
		invalid = jen.Id(e.m.Types.Media.Input).Call(jen.Id("in"))
	}
	run, table := jen.Op("&").Id("r").Dot("Run"), jen.Op("&").Id(e.m.Names.Table)
	begin := eng("Begin").Call(jen.Id("ctx"), jen.Id("r"), run, table, e.framed(), jen.Id("m").Dot("options"), jen.Id("opts"), invalid)
	g.Return(jen.Id("m").Dot("goOn").Call(begin))
}

// toTheEnd prints how nodes are run, and the end of the run.
func (e *emitter) toTheEnd(g *jen.Group) {
	g.Add(e.untilEnd())
	out := jen.Id(e.m.Names.OutputType).ValuesFunc(e.finalOutput)
	if e.m.Pauses() {
		g.Return(eng("FinishBy").Call(kernelRun(), jen.Id("m"), out))
		return
	}
	g.Return(eng("Finish").Call(kernelRun(), out))
}

// framed is the frame of a run that starts.
func (e *emitter) framed() *jen.Statement {
	model := jen.Id("m").Dot("model")
	asks := len(e.m.Models.Uses) > 0 // the price of the model is needed for the budget
	switch {
	case e.m.Children.Composed && asks:
		return jen.Id("r").Dot("frame").Call().Dot("With").Call(model)
	case e.m.Children.Composed:
		return jen.Id("r").Dot("frame").Call()
	case asks:
		return e.frame(jen.Id("Model").Op(":").Add(model))
	}
	return e.frame()
}

// frame is what the kernel sees of a generated run.
func (e *emitter) frame(more ...jen.Code) *jen.Statement {
	fields := []jen.Code{
		jen.Id("Counters").Op(":").Id("r").Dot("counters").Index(jen.Op(":")),
		jen.Id("Viewer").Op(":").Add(e.viewer()),
	}
	if e.m.Mutations.Notes() {
		fields = append(fields, jen.Id("Written").Op(":").Id("r").Dot(e.m.Mutations.Noted).Index(jen.Op(":")))
	}
	return jen.Op("&").Add(eng("Frame")).Values(append(fields, more...)...)
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

// givenInput prints what the caller gives in place of defaults.
func (e *emitter) givenInput(g *jen.Group) {
	for _, f := range e.m.Types.Optional {
		v := jen.Op("*").Id("in").Dot(f.GoName)
		if own := f.Type.Base(); own.Kind == resolve.List && f.Merge == "append" {
			v = handed(v, own)
		}
		g.If(jen.Id("in").Dot(f.GoName).Op("!=").Nil()).Block(jen.Id("r").Dot("state").Dot(f.GoName).Op("=").Add(v))
	}
}

func (e *emitter) finalOutput(g *jen.Group) {
	for _, f := range e.m.Types.Output.Fields {
		g.Id(f.GoName).Op(":").Add(handed(jen.Id("r").Dot("state").Dot(f.GoName), f.Type))
	}
	if e.m.Limits.OnMaxSteps == "flag" {
		g.Id(plan.FlagName).Op(":").Id("r").Dot("Ending").Call().Dot("Truncated").Call()
	}
}

// handlers prints the interface that users implement.
func (e *emitter) handlers() {
	m := e.m
	if !m.Handled() {
		return
	}
	e.f.Line()
	e.f.Comment(m.Names.HandlersType + " is what the graph " + m.Name + " needs from you: the work of its nodes.")
	e.f.Type().Id(m.Names.HandlersType).InterfaceFunc(func(g *jen.Group) {
		for n, h := range plan.Works[*plan.Handler](m) {
			if n.Doc != "" {
				g.Add(comment(n.GoName + " is node " + n.Name + ": " + n.Doc))
			}
			g.Id(n.GoName).Params(params(m, n, h)...).Add(signature(n))
		}
		for _, p := range processorsOf(m) {
			g.Comment(p.method + " is the processor " + p.name + " of " + p.of + ".")
			g.Id(p.method).Params(ctxParam(), p.param).Error()
		}
		for _, guard := range guardsOf(m) {
			g.Comment(guard.Method + " is the guard " + guard.Name + ": nil passes, " + goname.Kernel + ".Reject refuses.")
			params := []jen.Code{ctxParam()}
			if guard.In != nil {
				params = append(params, jen.Id("in").Id(guard.In.GoName))
			}
			g.Id(guard.Method).Params(append(params, jen.Id("out").Add(goType(guard.out)))...).Error()
		}
		for _, f := range m.Types.Merges {
			g.Comment(f.Method + " merges what is written to " + f.Field.Name + " into what it has.")
			g.Id(f.Method).Params(jen.List(jen.Id("have"), jen.Id("add")).Add(goType(f.Field.Type))).Add(goType(f.Field.Type))
		}
	})
}

// params are the parameters of a node's handler.
func params(m *plan.Machine, n *plan.Node, h *plan.Handler) []jen.Code {
	var out []jen.Code
	if !n.Kind.Pure {
		out = append(out, ctxParam())
	}
	switch {
	case n.In != nil:
		out = append(out, jen.Id("in").Id(n.In.GoName))
	case h.Snapshots():
		out = append(out, jen.Id("state").Op("*").Id(m.Names.StateType))
	case h.TakesState:
		out = append(out, jen.Id("state").Id(m.Names.StateType))
	}
	return out
}

// signature is what a node's handler returns.
func signature(n *plan.Node) *jen.Statement {
	types := resultsOf(n).types()
	if len(types) == 0 {
		return jen.Error()
	}
	return jen.Params(append(types, jen.Error())...)
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
	out *resolve.Type
}

func guardsOf(m *plan.Machine) []guardMethod {
	var out []guardMethod
	seen := map[string]bool{}
	for _, n := range m.Flow.Nodes {
		for _, g := range n.Checks.Guards {
			if !seen[g.Method] {
				seen[g.Method] = true
				out = append(out, guardMethod{g, n.Out})
			}
		}
	}
	return out
}

// A processorMethod is a processor of prompts or answers that users write.
type processorMethod struct {
	name, method, of string
	param            *jen.Statement
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
