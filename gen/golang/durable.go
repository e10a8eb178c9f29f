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
	e.f.Comment(m.Names.Thread + " is one thread of the graph " + m.Name + ": a durable series of runs.")
	types := []jen.Code{jen.Id(m.GoName), jen.Id(m.Names.InputType), jen.Id(m.Names.OutputType), jen.Id(m.Names.StateType)}
	e.f.Type().Id(m.Names.Thread).Op("=").Qual(threadPath, "Thread").Types(types...)
	e.f.Line()
	e.f.Comment("Thread returns the thread of a name, in the store that the machine was given with thread.In. It reads nothing.")
	e.f.Func().Params(machine).Id("Thread").Params(jen.Id("name").String()).Id(m.Names.Thread).BlockFunc(e.handle)
	e.f.Line()
	e.f.Comment("Threads yields the threads of the graph that a filter selects. The last pair has the error, if there is one.")
	e.f.Func().Params(machine).Id("Threads").Params(ctxParam(), jen.Id("filter").Qual(threadPath, "Filter")).
		Qual("iter", "Seq2").Types(jen.Qual(threadPath, "Info"), jen.Error()).
		Block(jen.Return(jen.Id("m").Dot("Durable").Call().Dot("Threads").Call(jen.Id("ctx"), jen.Id("filter"))))
	e.f.Line()
	e.f.Comment("Durable is what threads need of the machine. It is for generated code.")
	e.f.Func().Params(machine).Id("Durable").Params().Op("*").Add(durable("Machine")).Block(
		jen.Return(jen.Op("&").Add(durable("Machine")).Custom(lines, e.durableParts()...)),
	)
	e.cells()
	e.secrets()
}

// handle prints the body of the method that returns a thread.
func (e *emitter) handle(g *jen.Group) {
	m := e.m
	run := jen.Id("r").Op(":=").New(jen.Id(m.Names.Run))
	cells := jen.Id("r").Dot("stateCells")
	listing := jen.Func().Params(jen.Op("*").Qual(codecPath, "Cells"))
	parts := []jen.Code{jen.Id("Run").Op(":").Id("m").Dot("Run")}
	if m.Pauses() {
		parts = append(parts, jen.Id("Resume").Op(":").Id("m").Dot("Resume"))
	}
	parts = append(parts, jen.Id("State").Op(":").Func().Params().Params(jen.Op("*").Id(m.Names.StateType), listing.Clone()).Block(
		run.Clone(),
		jen.Return(jen.Op("&").Id("r").Dot("state"), cells.Clone()),
	))
	if len(m.Types.Input.Fields) > 0 {
		parts = append(parts, jen.Id("Input").Op(":").Func().Params(jen.Id("in").Id(m.Names.InputType)).Add(listing).BlockFunc(func(g *jen.Group) {
			g.Id("r").Op(":=").Op("&").Id(m.Names.Run).Values(jen.Id("state").Op(":").Add(e.initialState()))
			e.givenInput(g)
			g.Return(cells)
		}), jen.Id("Inputs").Op(":").Index().String().ValuesFunc(func(g *jen.Group) {
			for _, f := range m.Types.Input.Fields {
				g.Lit(f.Name)
			}
		}))
	}
	typed := durable("Typed").Types(jen.Id(m.GoName), jen.Id(m.Names.InputType), jen.Id(m.Names.OutputType), jen.Id(m.Names.StateType))
	g.Return(durable("Thread").Call(jen.Id("m").Dot("Durable").Call(), jen.Id("name"), typed.Custom(lines, parts...)))
}

// secrets prints the method that lists the secret fields.
func (e *emitter) secrets() {
	if len(e.m.Threads.Secrets) == 0 {
		return
	}
	e.f.Line()
	e.f.Comment("Secrets lists the fields of the state that threads keep sealed.")
	e.runMethodOf("Secrets").Index().String().Block(jen.Return(jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, name := range e.m.Threads.Secrets {
			g.Lit(name)
		}
	})))
}

// durableParts are the fields of what threads need of a machine.
func (e *emitter) durableParts() []jen.Code {
	m := e.m
	parts := []jen.Code{
		jen.Id("Graph").Op(":").Op("&").Id(m.Names.Table), jen.Id("Of").Op(":").Id("m"), jen.Id("Options").Op(":").Id("m").Dot("options"),
		jen.Id("Run").Op(":").Func().Params(ctxParam(), jen.Id("thread").Add(rt("RunOption"))).Error().Block(
			jen.List(jen.Id("_"), jen.Err()).Op(":=").Id("m").Dot("Run").Call(jen.Id("ctx"), jen.Id(m.Names.InputType).Values(), jen.Id("thread")),
			jen.Return(jen.Err()),
		),
		jen.Id("New").Op(":").Func().Params().Add(durable("Record")).Add(body(jen.Return(jen.New(jen.Id(m.Names.Run))))),
	}
	if m.Threads.Secret {
		parts = append(parts, jen.Id("Secret").Op(":").True())
	}
	if m.Threads.Transacts {
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
	names("Private", m.Threads.Privates)
	names("Carries", m.Threads.Carries)
	var subs []jen.Code
	for n, sub := range plan.Works[*plan.Sub](m) {
		machine := jen.Id("m")
		if sub.Machine != nil {
			machine = machine.Dot(sub.Machine.Field)
		}
		subs = append(subs, jen.Lit(n.Name).Op(":").Add(machine).Dot("Durable"))
	}
	if len(subs) > 0 {
		parts = append(parts, jen.Id("Subs").Op(":").Map(jen.String()).Func().Params().Op("*").Add(durable("Machine")).Custom(lines, subs...))
	}
	return parts
}

// cells prints the methods that list what is saved of a run.
func (e *emitter) cells() {
	e.f.Line()
	e.runMethodOf("stateCells", jen.Id("c").Op("*").Qual(codecPath, "Cells")).BlockFunc(func(g *jen.Group) {
		for i := range e.m.Threads.Cells {
			if e.m.Threads.Cells[i].Path[0] == "state" {
				g.Add(cell("r", &e.m.Threads.Cells[i]))
			}
		}
	})
	e.f.Line()
	e.f.Comment("Cells lists what threads save of the run, for both directions.")
	e.runMethodOf("Cells", jen.Id("c").Op("*").Qual(codecPath, "Cells")).BlockFunc(func(g *jen.Group) {
		g.Id("r").Dot("stateCells").Call(jen.Id("c"))
		for i := range e.m.Threads.Cells {
			if e.m.Threads.Cells[i].Path[0] != "state" {
				g.Add(cell("r", &e.m.Threads.Cells[i]))
			}
		}
		if e.m.Models.Conversations {
			g.Id("r").Dot("conversation").Dot("Cells").Call(jen.Id("c"))
		}
		for _, p := range e.m.Prompts() {
			g.Id("r").Dot(p.Field).Dot("Cells").Call(jen.Id("c"), jen.Op("&").Id("r").Dot("conversation"), jen.Op("&").Id(p.Var))
		}
		if a := e.m.Mutations; a.Prompts() && e.m.Models.Conversations {
			g.Add(e.dynamicField()).Dot("Cells").Call(jen.Id("c"), jen.Op("&").Id("r").Dot("conversation"), jen.Op("&").Id(a.Prompt))
		}
		for n, pool := range plan.Works[*plan.Pool](e.m) {
			if pool.Picker != "" {
				g.Id("r").Dot(pool.Picker).Dot("Cells").Call(jen.Id("c"), jen.Lit(n.Name), jen.Op("&").Id(pool.Var))
			}
		}
		for _, n := range e.m.Flow.Nodes {
			if n.Kept.Cache {
				g.Add(e.cachedCell(n))
			}
		}
		if e.m.Models.Results {
			g.Id("r").Dot("results").Dot("Cells").Call(jen.Id("c"))
		}
	})
}

// transaction prints the method that calls a handler in a transaction of the store.
func (e *emitter) transaction(n *plan.Node, h *plan.Handler) {
	e.f.Line()
	e.f.Comment(h.Transact + " calls the handler of node " + n.Name + " in a transaction of the store that keeps the thread of the run.")
	results := resultsOf(n).names()
	call := e.handling(n, h, jen.Id("ctx"))
	e.stepMethod(h.Transact, n).Block(
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
		jen.Return(append(resultsOf(n).names(), jen.Err())...),
	)
}

// listResults lists what a handler gives, as the members of an object.
func listResults(g *jen.Group, n *plan.Node, value func(string) *jen.Statement) {
	for _, r := range resultsOf(n) {
		field := jen.Op("&").Add(value(r.name))
		switch r.name {
		case "out":
			g.Qual(codecPath, "Member").Call(jen.Id("o"), jen.Lit(r.name), field, reader(n.Out, limits{}), writer(n.Out, limits{}))
		case "to", "label":
			g.Add(durable("Choice")).Call(jen.Id("o"), jen.Lit(r.name), field)
		}
	}
}

// cachedCell is the statement that lists what the cache has of a node.
func (e *emitter) cachedCell(n *plan.Node) *jen.Statement {
	members := jen.Func().Params(jen.Id("v").Op("*").Id(n.Shape.Kept), jen.Id("o").Op("*").Qual(codecPath, "Object")).BlockFunc(func(g *jen.Group) {
		listResults(g, n, func(name string) *jen.Statement { return jen.Id("v").Dot(name) })
	})
	return durable("CacheCell").Call(jen.Id("c"), jen.Lit("~cache."+n.Name), jen.Op("&").Id("r").Dot("cache"), e.nodeID(jen.Id(n.Const)), members)
}

// cell is the statement that lists a value.
func cell(of string, c *plan.Cell) *jen.Statement {
	value := jen.Id(of)
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
