package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// threadsFile renders the methods of a machine that make runs in threads.
func threadsFile(m *plan.Machine, _ string) ([]byte, error) {
	e := &emitter{m: m, f: newFile(m)}
	e.threads()
	return render(e.f)
}

// durable is a name of package durable.
func durable(name string) *jen.Statement { return jen.Qual(durablePath, name) }

// threads prints what a machine has for threads.
func (e *emitter) threads() {
	m := e.m
	machine := jen.Id("m").Op("*").Id(m.GoName)
	outcome := []jen.Code{jen.Id(m.OutputType), jen.Error()}
	id := jen.Id("thread").String()

	e.f.Comment("Start makes a run in a thread: each of its steps is saved in the store that the machine was given, with thread.In,")
	e.f.Comment("before the next one begins. The error is that of Run, or one of package thread or durable: then nothing has run.")
	e.f.Comment("A thread has one run after another. With the ID of a run that the thread has had, Start returns the result of that run, or")
	e.f.Comment("continues it as Recover does. With another input, the error is a RunIDError of package durable.")
	e.f.Func().Params(machine).Id("Start").Params(ctxParam(), id, jen.Id("in").Id(m.InputType), options()).Params(outcome...).
		BlockFunc(e.startInThread)
	e.f.Line()
	e.f.Comment("Recover goes on with the run of a thread whose process has ended, or that has stopped or failed: behind the last step")
	e.f.Comment("that was saved. A run that is complete gives its output again. If the run waits for a person, the error is that of Run.")
	e.f.Comment("The options of Start are to be given again.")
	e.f.Func().Params(machine).Id("Recover").Params(ctxParam(), id, options()).Params(outcome...).
		BlockFunc(func(g *jen.Group) {
			e.inThread(g, jen.Id(m.InputType).Values(), "Recover")
		})
	e.threadStreams()
	e.f.Line()
	e.f.Comment("Stop requests that the run of a thread stops before its next node, in whatever process it is.")
	e.f.Func().Params(machine).Id("Stop").Params(ctxParam(), id).Error().
		Block(jen.Return(jen.Id("m").Dot("Durable").Call().Dot("Stop").Call(jen.Id("ctx"), jen.Id("thread"))))
	if m.Pauses() {
		e.f.Line()
		e.f.Comment("Thread returns the pause of a thread, for the methods that answer its requests: Resume…, Answer. It reads nothing.")
		e.f.Func().Params(machine).Id("Thread").Params(id).Op("*").Add(rt("InterruptedError")).
			Block(jen.Return(jen.Id("m").Dot("Durable").Call().Dot("Pause").Call(jen.Id("thread"))))
	}
	e.f.Line()
	e.f.Comment("Threads yields the threads of the graph that a filter selects, with their open requests. The last pair has the error, if any.")
	e.f.Func().Params(machine).Id("Threads").Params(ctxParam(), jen.Id("filter").Qual(threadPath, "Filter")).
		Qual("iter", "Seq2").Types(durable("Thread"), jen.Error()).
		Block(jen.Return(jen.Id("m").Dot("Durable").Call().Dot("Threads").Call(jen.Id("ctx"), jen.Id("filter"))))
	e.f.Line()
	e.f.Comment("Watch yields the steps that a thread has saved, and those that follow, in whatever process it runs. Each has a number, by which")
	e.f.Comment("another process goes on behind it.")
	e.f.Func().Params(machine).Id("Watch").Params(ctxParam(), id, jen.Id("after").Add(durable("After"))).
		Qual("iter", "Seq2").Types(durable("Event"), jen.Error()).
		Block(jen.Return(jen.Id("m").Dot("Durable").Call().Dot("Watch").Call(jen.Id("ctx"), jen.Id("thread"), jen.Id("after"))))
	e.lookingBack()
	e.f.Line()
	e.f.Comment("Durable is what threads need of the machine. It is for generated code.")
	e.f.Func().Params(machine).Id("Durable").Params().Op("*").Add(durable("Machine")).Block(
		jen.Return(jen.Op("&").Add(durable("Machine")).Custom(lines, e.durableParts()...)),
	)
	e.cells()
	e.secrets()
}

// secrets prints the method that lists the secret fields.
func (e *emitter) secrets() {
	if len(e.m.Secrets) == 0 {
		return
	}
	e.f.Line()
	e.f.Comment("Secrets lists the fields of the state that threads keep sealed.")
	e.runMethodOf("Secrets").Index().String().Block(jen.Return(jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, name := range e.m.Secrets {
			g.Lit(name)
		}
	})))
}

// durableParts are the fields of what threads need of a machine.
func (e *emitter) durableParts() []jen.Code {
	m := e.m
	parts := []jen.Code{
		jen.Id("Graph").Op(":").Op("&").Id(m.Names.Table), jen.Id("Of").Op(":").Id("m"), jen.Id("Options").Op(":").Id("m").Dot("options"),
		jen.Id("Run").Op(":").Func().Params(ctxParam(), jen.Id("opts").Index().Add(rt("Option"))).Error().Block(
			jen.List(jen.Id("_"), jen.Err()).Op(":=").Id("m").Dot("Run").Call(jen.Id("ctx"), jen.Id(m.InputType).Values(), jen.Id("opts").Op("...")),
			jen.Return(jen.Err()),
		),
		jen.Id("New").Op(":").Func().Params().Add(durable("Record")).Add(body(jen.Return(jen.New(jen.Id(m.Names.Run))))),
	}
	if m.Secret {
		parts = append(parts, jen.Id("Secret").Op(":").True())
	}
	if m.Transacts {
		parts = append(parts, jen.Id("Transacts").Op(":").True())
	}
	names := func(field string, list []string) {
		if len(list) > 0 {
			parts = append(parts, jen.Id(field).Op(":").Index().String().ValuesFunc(func(g *jen.Group) {
				for _, name := range list {
					g.Lit(name)
				}
			}))
		}
	}
	names("Private", m.Privates)
	names("Carries", m.Carries)
	var subs []jen.Code
	for _, n := range m.Nodes {
		if n.Sub != nil {
			machine := jen.Id("m")
			if n.Sub.Machine != nil {
				machine = machine.Dot(n.Sub.Machine.Field)
			}
			subs = append(subs, jen.Lit(n.Name).Op(":").Add(machine).Dot("Durable"))
		}
	}
	if len(subs) > 0 {
		parts = append(parts, jen.Id("Subs").Op(":").Map(jen.String()).Func().Params().Op("*").Add(durable("Machine")).Custom(lines, subs...))
	}
	return parts
}

// startInThread prints the body of Start. It makes the state of the run first: Start compares the input in it with the inputs of earlier runs.
func (e *emitter) startInThread(g *jen.Group) {
	inputs := e.m.Input.Fields
	if len(inputs) == 0 {
		e.inThread(g, jen.Id("in"), "Start", jen.Nil())
		return
	}
	g.Id("r").Op(":=").Op("&").Id(e.m.Names.Run).Values(jen.Id("state").Op(":").Add(e.initialState()))
	e.givenInput(g)
	args := []jen.Code{jen.Id("r").Dot("stateCells")}
	for _, f := range inputs {
		args = append(args, jen.Lit(f.Name))
	}
	e.inThread(g, jen.Id("in"), "Start", args...)
}

// inThread prints that a method of the durable machine makes a run in a thread.
func (e *emitter) inThread(g *jen.Group, in jen.Code, method string, args ...jen.Code) {
	args = append([]jen.Code{jen.Id("ctx"), jen.Id("thread"), jen.Id("opts")}, args...)
	g.List(jen.Id("s"), jen.Err()).Op(":=").Id("m").Dot("Durable").Call().Dot(method).Call(args...)
	g.Return(durable("Make").Call(jen.Id("s"), jen.Err(), jen.Id("m").Dot("Run"), in))
}

// threadStreams prints the methods that give the events of runs in threads.
func (e *emitter) threadStreams() {
	id, in := jen.Id("thread").String(), jen.Id("in").Id(e.m.InputType)
	e.threadStream("StreamStart", "Start", []jen.Code{ctxParam(), id, in, options()}, jen.Id("thread"), jen.Id("in"))
	e.threadStream("StreamRecover", "Recover", []jen.Code{ctxParam(), id, options()}, jen.Id("thread"))
}

// threadStream prints the method that gives the events of another one.
func (e *emitter) threadStream(name, of string, params []jen.Code, args ...jen.Code) {
	e.f.Line()
	e.f.Comment(name + " is " + of + " with its events. Where nothing runs there is one, which is empty, with the error.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(e.m.GoName)).Id(name).Params(params...).Add(rt("Events")).
		Block(streaming(jen.Id("m").Dot(of), args...))
}

// lookingBack prints the methods for the earlier states of threads.
func (e *emitter) lookingBack() {
	machine := jen.Id("m").Op("*").Id(e.m.GoName)
	seq := jen.Id("seq").Uint64()
	run := jen.Id("r").Op(":=").New(jen.Id(e.m.Names.Run))
	e.f.Line()
	e.f.Comment("StateAt returns the state of a thread's run behind a record; 0: the last one. It executes nothing.")
	e.f.Func().Params(machine.Clone()).Id("StateAt").Params(ctxParam(), jen.Id("thread").String(), seq.Clone()).Params(jen.Id(e.m.StateType),
		jen.Error()).Block(
		run.Clone(),
		jen.Err().Op(":=").Id("m").Dot("Durable").Call().Dot("StateAt").Call(jen.Id("ctx"), jen.Id("thread"), jen.Id("seq"), jen.Id("r").Dot("stateCells")),
		jen.Return(jen.Id("r").Dot("state"), jen.Err()),
	)
	e.f.Line()
	e.f.Comment("Fork makes a thread with the log of another one through a record, and edits its state; 0 is the last record. Nothing runs")
	e.f.Comment("until Recover goes on with the fork. The other thread is not changed, and may be running.")
	e.f.Func().Params(machine).Id("Fork").
		Params(ctxParam(), jen.Id("thread").String(), seq, jen.Id("to").String(), jen.Id("edit").Func().Params(jen.Op("*").Id(e.m.StateType))).Error().Block(
		run,
		jen.Return(jen.Id("m").Dot("Durable").Call().Dot("Fork").Call(jen.Id("ctx"), jen.Id("thread"), jen.Id("seq"), jen.Id("to"),
			jen.Id("r").Dot("stateCells"),
			jen.Func().Params().Add(body(jen.Id("edit").Call(jen.Op("&").Id("r").Dot("state")))))),
	)
}

// cells prints the methods that list what is saved of a run.
func (e *emitter) cells() {
	e.f.Line()
	e.f.Comment("stateCells lists the fields of the state.")
	e.runMethodOf("stateCells", jen.Id("c").Op("*").Qual(codecPath, "Cells")).BlockFunc(func(g *jen.Group) {
		for i := range e.m.Cells {
			if e.m.Cells[i].Path[0] == "state" {
				g.Add(cell(&e.m.Cells[i]))
			}
		}
	})
	e.f.Line()
	e.f.Comment("Cells lists what threads save of the run, for both directions.")
	e.runMethodOf("Cells", jen.Id("c").Op("*").Qual(codecPath, "Cells")).BlockFunc(func(g *jen.Group) {
		g.Id("r").Dot("stateCells").Call(jen.Id("c"))
		for i := range e.m.Cells {
			if e.m.Cells[i].Path[0] != "state" {
				g.Add(cell(&e.m.Cells[i]))
			}
		}
		if e.m.Conversations {
			g.Id("r").Dot("conversation").Dot("Cells").Call(jen.Id("c"))
		}
		for _, n := range e.m.Nodes {
			if n.Prompt != nil && e.m.Conversations {
				g.Id("r").Dot(n.Prompt.Field).Dot("Cells").Call(jen.Id("c"), jen.Op("&").Id("r").Dot("conversation"), jen.Op("&").Id(n.Prompt.Var))
			}
		}
		if a := e.m.Mutations; a.Prompts() && e.m.Conversations {
			g.Add(e.dynamicField()).Dot("Cells").Call(jen.Id("c"), jen.Op("&").Id("r").Dot("conversation"), jen.Op("&").Id(a.Prompt))
		}
		for _, n := range e.m.Pools() {
			g.Id("r").Dot(n.Composite.Picker).Dot("Cells").Call(jen.Id("c"), jen.Lit(n.Name), jen.Op("&").Id(n.Composite.Var))
		}
		for _, n := range e.m.Nodes {
			if n.Cache {
				g.Add(cachedCell(n))
			}
		}
		if e.m.Results {
			g.Id("r").Dot("results").Dot("Cells").Call(jen.Id("c"))
		}
	})
}

// transaction prints the method that calls a handler in a transaction of the store.
func (e *emitter) transaction(n *plan.Node) {
	e.f.Line()
	e.f.Comment(n.Transact + " calls the handler of node " + n.Name + " in a transaction of the store that keeps the thread of the run.")
	results := ids(resultIDs(n))
	call := e.handling(n, jen.Id("ctx"))
	e.stepMethod(n.Transact, n).Block(
		jen.Err().Op("=").Add(durable("Transact")).Call(jen.Id("ctx"), jen.Op("&").Id("r").Dot("Run"),
			jen.Func().Params(jen.Id("o").Op("*").Qual(codecPath, "Object")).BlockFunc(func(g *jen.Group) {
				listResults(g, n, func(name string) *jen.Statement { return jen.Id(name) })
			}),
			jen.Func().Params(ctxParam()).Params(jen.Err().Error()).BlockFunc(func(g *jen.Group) {
				if len(results) == 0 {
					g.Return(call)
					return
				}
				g.List(append(results, jen.Err())...).Op("=").Add(call)
				g.Return(jen.Err())
			})),
		jen.Return(append(ids(resultIDs(n)), jen.Err())...),
	)
}

// listResults lists what a handler gives, as the members of an object.
func listResults(g *jen.Group, n *plan.Node, value func(string) *jen.Statement) {
	for _, name := range resultIDs(n) {
		field := jen.Op("&").Add(value(name))
		switch name {
		case "out":
			g.Qual(codecPath, "Member").Call(jen.Id("o"), jen.Lit(name), field, reader(n.Out, limits{}), writer(n.Out, limits{}))
		case "to", "label":
			g.Add(durable("Choice")).Call(jen.Id("o"), jen.Lit(name), field)
		}
	}
}

// cachedCell is the statement that lists what the cache has of a node.
func cachedCell(n *plan.Node) *jen.Statement {
	members := jen.Func().Params(jen.Id("v").Op("*").Id(n.Shape.Kept), jen.Id("o").Op("*").Qual(codecPath, "Object")).BlockFunc(func(g *jen.Group) {
		listResults(g, n, func(name string) *jen.Statement { return jen.Id("v").Dot(name) })
	})
	return durable("CacheCell").Call(jen.Id("c"), jen.Lit("~cache."+n.Name), jen.Op("&").Id("r").Dot("cache"), eng("NodeID").Call(jen.Id(n.Const)), members)
}

// cell is the statement that lists a value.
func cell(c *plan.Cell) *jen.Statement {
	value := jen.Id("r")
	for _, part := range c.Path {
		value = value.Dot(part)
	}
	list := func(by string, t *resolve.Type, more ...jen.Code) *jen.Statement {
		args := append([]jen.Code{jen.Id("c"), jen.Lit(c.Name), jen.Op("&").Add(value.Clone())}, more...)
		return jen.Qual(codecPath, by).Call(append(args, reader(t, limits{}), writer(t, limits{}))...)
	}
	switch {
	case c.Grows:
		return list("Tail", c.Type.Elem)
	case c.Zero && c.Equal:
		return list("SparseCell", c.Type)
	case c.Zero:
		return list("ZeroCell", c.Type, isZero(value.Clone(), c.Type))
	}
	return list("Cell", c.Type)
}
