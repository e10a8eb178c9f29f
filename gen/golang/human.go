package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// human prints, for each node that asks a person, what it asks, and the method by which a
// run goes on with the answer. For each node of kind say it prints the message.
func (e *emitter) human() {
	for _, n := range e.m.Nodes {
		if h := n.Asked(); h != nil {
			e.question(n, h)
			e.resume(n, h)
		}
		if n.Saying != nil {
			e.saying(n)
		}
	}
	for _, t := range e.m.Held {
		e.approve(t, "")
	}
	for _, t := range e.m.Clients() {
		e.returned(t, "")
	}
	for _, c := range e.m.NestedCalls {
		if c.Client != nil {
			e.returned(c.Tool, c.Path)
		} else {
			e.approve(c.Tool, c.Path)
		}
	}
	for _, h := range e.m.NestedHumans {
		e.resuming(h, h.Path, jen.Lit(h.Path), resumers{"ResumeNestedDecision", "ResumeNestedReply"})
	}
	if e.m.Continues {
		e.proceed()
	}
	if e.m.Pauses() {
		e.answer()
		e.goOnNested()
	}
}

// goOn prints the method that Run has in common with those that resume runs.
func (e *emitter) goOn() {
	m := e.m
	e.f.Line()
	e.f.Comment("goOn runs nodes until the run ends, or pauses. An error is why there is no run.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("goOn").Params(jen.Id("r").Op("*").Id(e.m.Names.Run), jen.Err().Error()).
		Params(jen.Id(m.OutputType), jen.Error()).BlockFunc(func(g *jen.Group) {
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id(m.OutputType).Values(), jen.Err()))
		g.Defer().Id("r").Dot("Turn").Call().Call()
		e.toTheEnd(g)
	})
}

// goOnNested prints the method by which a run goes on that another one has made.
func (e *emitter) goOnNested() {
	m := e.m
	e.f.Line()
	e.f.Comment("GoOnNested goes on with the run of graph " + m.Name + " that the run r waits for. It is for generated code.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("GoOnNested").Params(ctxParam(), jen.Id("r").Op("*").Add(eng("Run"))).
		Params(jen.Id(m.OutputType), jen.Error()).
		Block(jen.Return(jen.Id("m").Dot("goOn").Call(jen.Id("r").Dot("Unnest").Call(jen.Id("ctx")).Assert(jen.Op("*").Id(m.Names.Run)), jen.Nil())))
}

// question prints the method that writes what a node asks.
func (e *emitter) question(n *plan.Node, h *plan.Human) {
	e.f.Line()
	asks := " asks a person."
	if h == n.Gate {
		asks = " needs a person's approval for."
	}
	e.f.Comment(h.Question + " is what node " + n.Name + asks)
	e.f.Func().Params(jen.Id("r").Op("*").Id(e.m.Names.Run)).Id(h.Question).Params().Op("*").Add(eng("Question")).BlockFunc(func(g *jen.Group) {
		g.Id("q").Op(":=").Op("&").Add(eng("Question")).ValuesFunc(func(g *jen.Group) {
			if len(h.Choices) > 0 {
				g.Id("Choices").Op(":").Add(stringList(h.Choices))
			} else if n.Out.Kind == resolve.Struct {
				g.Id("Schema").Op(":").Add(goType(n.Out)).Values().Dot("JSONSchema").Call()
			}
			if h.Timeout > 0 {
				g.Id("Timeout").Op(":").Add(duration(h.Timeout))
			}
			if h.Reply != "" {
				reply := jen.Op("&").Id("r").Dot(h.Reply)
				g.Id("Reply").Op(":").Add(reply)
				g.Id("Accept").Op(":").Qual(codecPath, "Accepting").Call(reply.Clone(), reader(n.Out, limits{}))
			}
		})
		writtenTo(g, "q", h.Pieces)
		for _, f := range h.Shown {
			shownTo(g, f)
		}
		g.Return(jen.Id("q"))
	})
}

// saying prints the method that writes the message of a node.
func (e *emitter) saying(n *plan.Node) {
	s := n.Saying
	e.f.Line()
	e.f.Comment(s.Method + " writes the message of node " + n.Name + " to observers.")
	e.f.Func().Params(jen.Id("r").Op("*").Id(e.m.Names.Run)).Id(s.Method).Params(jen.Id("s").Op("*").Add(eng("Saying"))).BlockFunc(func(g *jen.Group) {
		writtenTo(g, "s", s.Pieces)
		if s.Payload == nil {
			return
		}
		g.Id("s").Dot("Payload").Op("=").Add(goType(s.Payload)).ValuesFunc(func(g *jen.Group) {
			for _, a := range s.Args {
				g.Id(a.To.GoName).Op(":").Add(handed(argument(a), a.To.Type))
			}
		})
	})
}

// writtenTo prints the writing of a text to the variable to.
func writtenTo(g *jen.Group, to string, pieces []plan.Piece) {
	text := func() *jen.Statement { return jen.Id(to) }
	written(g, pieces, text, func(value *jen.Statement, t *resolve.Type) *jen.Statement {
		return text().Dot("JSON").Call(marshalled(value, t))
	})
}

// shownTo prints that a person is shown a field under its name.
func shownTo(g *jen.Group, f *resolve.Field) {
	ifThere(g, "state", f, func(value *jen.Statement, t *resolve.Type) *jen.Statement {
		under := jen.Id("q").Dot("Under").Call(jen.Lit(f.Name))
		switch method, text := asText(value, t); method {
		case "":
			return under.Dot("ShowJSON").Call(marshalled(value, t))
		case "String":
			return under.Dot("Show").Call(text)
		default:
			return under.Dot("Show" + method).Call(text)
		}
	})
}

// ifThere prints what is done with a field of a state that the run has, if it is not absent.
func ifThere(g *jen.Group, state string, f *resolve.Field, do func(value *jen.Statement, t *resolve.Type) *jen.Statement) {
	value := jen.Id("r").Dot(state).Dot(f.GoName)
	if f.Type.Kind != resolve.Optional {
		g.Add(do(value, f.Type))
		return
	}
	there := jen.Op("*").Add(value)
	if f.Type.Elem.Kind == resolve.Enum && !f.Type.Elem.Text() {
		there = jen.Parens(there) // its name is what a method returns
	}
	g.If(value.Clone().Op("!=").Nil()).Block(do(there, f.Type.Elem))
}

// asText is the method of a question that writes a value as it is, and its argument;
// none if the value is written as JSON.
func asText(value *jen.Statement, t *resolve.Type) (method string, text *jen.Statement) {
	if t.Kind == resolve.Enum {
		return "String", enumText(value, t)
	}
	return textMethods[t.Kind], value
}

func marshalled(value *jen.Statement, t *resolve.Type) *jen.Statement {
	return jen.Qual(codecPath, "Marshal").Call(marshaler(value, t))
}

// resume prints the methods that go on with the answer.
func (e *emitter) resume(n *plan.Node, asked *plan.Human) {
	place := jen.Add(eng("NodeID")).Call(jen.Id(n.Const))
	h := &plan.NestedHuman{Resume: asked.Resume, Stream: asked.Stream}
	if asked.Reply != "" {
		h.Out = n.Out
	}
	e.resuming(h, "node "+n.Name, place, resumers{"ResumeDecision", "ResumeReply"})
}

// resumers are the functions of the kernel that resume runs.
type resumers struct{ decision, reply string }

// resuming prints the methods that go on with the answer to a request of a place.
func (e *emitter) resuming(h *plan.NestedHuman, at string, place *jen.Statement, by resumers) {
	m := e.m
	answer, kernel, says := rt("Decision"), by.decision, "what the person decided"
	given := []jen.Code{jen.Id("ctx"), jen.Id("p"), jen.Id("m"), place, jen.Id("answer")}
	if h.Out != nil {
		answer, kernel, says = goType(h.Out), by.reply, "what the person answers"
		check := jen.Nil()
		if h.Out.Kind != resolve.String {
			check = jen.Qual(codecPath, "Check").Call(marshaler(jen.Id("answer"), h.Out))
		}
		given = append(given, check)
	}
	e.f.Line()
	e.f.Comment(h.Resume + " goes on with a run that has paused at " + at + ", with " + says + ".")
	e.f.Comment("An error is that of Run, or a *" + goname.Kernel + ".ResumeError: then nothing has changed. The options are")
	e.f.Comment("added to those that the run has; observers, hooks, WithReport and WithFinalState of earlier calls have ended.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id(h.Resume).
		Params(ctxParam(), jen.Id("p").Op("*").Add(rt("InterruptedError")), jen.Id("answer").Add(answer), options()).
		Params(jen.Id(m.OutputType), jen.Error()).
		Block(e.resumed(kernel, given))
	e.f.Line()
	e.f.Comment(h.Stream + " is " + h.Resume + " with its events. A run that is not resumed has one, which is empty, with the error.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id(h.Stream).
		Params(ctxParam(), jen.Id("p").Op("*").Add(rt("InterruptedError")), jen.Id("answer").Add(answer.Clone()), options()).
		Add(rt("Events")).
		Block(streaming(jen.Id("m").Dot(h.Resume), jen.Id("p"), jen.Id("answer")))
}

// approve prints the methods that resume a run with the answer about a call of a tool: one of the graph, or within nodes
// that run others.
func (e *emitter) approve(t *plan.Tool, within string) {
	e.aboutCall(t, within, rt("Approval").Types(goType(t.Args)),
		t.Resume+" goes on with a run that has paused before a call of the tool "+t.Name+of(within)+", with what the person decided about it.",
		func(g *jen.Group) {
			g.Var().Id("args").Qual(codecPath, "Marshaler")
			g.If(jen.Id("answer").Dot("Args").Op("!=").Nil()).Block(jen.Id("args").Op("=").Add(marshaler(jen.Op("*").Id("answer").Dot("Args"), t.Args)))
			g.List(jen.Id("verdict"), jen.Id("invalid")).Op(":=").Add(pipe("Decided")).Call(jen.Id("answer").Dot("Decision"),
				jen.Id("answer").Dot("Reason"), jen.Id("args"))
		}, deciders{"ResumeApproval", "ResumeNestedApproval"})
}

// of names the graph of a tool in a comment; it is empty for one of the graph itself.
func of(within string) string {
	if within == "" {
		return ""
	}
	return " of the graph that " + within + " runs"
}

// returned prints the methods that resume a run with the result of a call of a tool which the caller runs.
func (e *emitter) returned(t *plan.Tool, within string) {
	e.aboutCall(t, within, rt("Returned").Types(goType(t.Returns)),
		t.Client.Resume+" goes on with a run that has paused for a call of the tool "+t.Name+of(within)+", with its result.",
		func(g *jen.Group) {
			how, value := "Returned", jen.Id("answer").Dot("Value")
			if t.Returns.Kind == resolve.String {
				how = "ReturnedText"
			} else {
				value = marshaler(value, t.Returns)
			}
			g.List(jen.Id("verdict"), jen.Id("invalid")).Op(":=").Add(pipe(how)).Call(value, jen.Id("answer").Dot("Error"))
		}, deciders{"ResumeReturn", "ResumeNestedReturn"})
}

// deciders are the functions of the kernel that resume runs with an answer about a call: of a tool of the graph, and of one
// of a graph that it runs.
type deciders struct{ own, nested string }

// aboutCall prints a method that resumes a run with an answer about a call of a tool, and the one that gives its
// events. verdict prints what makes of the answer a verdict for a function of the kernel.
func (e *emitter) aboutCall(t *plan.Tool, within string, answer *jen.Statement, doc string, verdict func(*jen.Group), by deciders) {
	m, name, stream := e.m, t.Resume, t.Stream
	if t.Client != nil {
		name, stream = t.Client.Resume, t.Client.Stream
	}
	args, kernel := []jen.Code{jen.Id("ctx"), jen.Id("p"), jen.Id("m")}, by.own
	if within != "" {
		args, kernel = append(args, jen.Lit(within)), by.nested
	}
	args = append(args, jen.Lit(t.Name), jen.Id("verdict"), jen.Id("invalid"))
	params := []jen.Code{ctxParam(), jen.Id("p").Op("*").Add(rt("InterruptedError")), jen.Id("answer").Add(answer), options()}
	e.f.Line()
	e.f.Comment(doc)
	e.f.Comment("The run pauses again as long as other calls of the turn wait. Where several calls of the tool wait, p.For(id) selects one.")
	e.f.Comment("An error is that of Run, or a *" + goname.Kernel + ".ResumeError: then nothing has changed.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id(name).Params(params...).Params(jen.Id(m.OutputType), jen.Error()).BlockFunc(func(g *jen.Group) {
		verdict(g)
		g.Add(e.resumed(kernel, args))
	})
	e.f.Line()
	e.f.Comment(stream + " is " + name + " with its events. A run that is not resumed has one, which is empty, with the error.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id(stream).Params(params...).Add(rt("Events")).
		Block(streaming(jen.Id("m").Dot(name), jen.Id("p"), jen.Id("answer")))
}

// proceed prints the methods that continue a run which paused between two nodes.
func (e *emitter) proceed() {
	m := e.m
	pause := []jen.Code{ctxParam(), jen.Id("p").Op("*").Add(rt("InterruptedError")), options()}
	e.f.Line()
	e.f.Comment("Continue goes on with a run that has paused before or behind a node, by interrupt_before or interrupt_after.")
	e.f.Comment("An error is that of Run, or a *" + goname.Kernel + ".ResumeError: then nothing has changed.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("Continue").Params(pause...).Params(jen.Id(m.OutputType), jen.Error()).
		Block(e.resumed("ResumeInterrupt", []jen.Code{jen.Id("ctx"), jen.Id("p"), jen.Id("m")}))
	e.f.Line()
	e.f.Comment("StreamContinue is Continue with its events. A run that is not resumed has one, which is empty, with the error.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("StreamContinue").Params(pause...).Add(rt("Events")).
		Block(streaming(jen.Id("m").Dot("Continue"), jen.Id("p")))
}

// resumed is the body of a method that resumes a run by a function of the kernel.
func (e *emitter) resumed(kernel string, args []jen.Code) *jen.Statement {
	return jen.Return(jen.Id("m").Dot("goOn").Call(eng(kernel).Types(jen.Id(e.m.Names.Run)).Call(append(args, jen.Id("opts"))...)))
}

// answer prints the methods that answer any request of a run in JSON.
func (e *emitter) answer() {
	m := e.m
	request := []jen.Code{ctxParam(), jen.Id("p").Op("*").Add(rt("InterruptedError")), jen.Id("id").String(), jen.Id("answer").Index().Byte(), options()}
	e.f.Line()
	e.f.Comment("Answer goes on with a run that has paused, with the answer to the request of p with that ID, in JSON: \"approve\" or")
	e.f.Comment("\"deny\", or what the Schema or the Choices of the request describe. An error is that of Run, or a *" + goname.Kernel + ".ResumeError:")
	e.f.Comment("then nothing has changed.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("Answer").Params(request...).Params(jen.Id(m.OutputType), jen.Error()).
		Block(e.resumed("ResumeJSON", []jen.Code{jen.Id("ctx"), jen.Id("p"), jen.Id("m"), jen.Id("id"), jen.Id("answer")}))
	e.f.Line()
	e.f.Comment("StreamAnswer is Answer with its events. A run that is not resumed has one, which is empty, with the error.")
	e.f.Func().Params(jen.Id("m").Op("*").Id(m.GoName)).Id("StreamAnswer").Params(request...).Add(rt("Events")).
		Block(streaming(jen.Id("m").Dot("Answer"), jen.Id("p"), jen.Id("id"), jen.Id("answer")))
}

// streaming is the body of a method that gives the events of another one: of its arguments between the context and the options.
func streaming(method *jen.Statement, args ...jen.Code) *jen.Statement {
	of := []string{"StreamRun", "StreamWith", "StreamAnswer"}[len(args)-1]
	return jen.Return(eng(of).Call(append(append([]jen.Code{jen.Id("ctx"), method}, args...), jen.Id("opts"))...))
}

// pause prints what a node does that has no answer yet: it asks for one, and leaves the loop.
func (e *emitter) pause(g *jen.Group, n *plan.Node) {
	g.If(jen.Op("!").Id("r").Dot("Answered").Call()).BlockFunc(func(g *jen.Group) {
		g.Add(ifFails(jen.Id("r").Dot("Pause").Call(jen.Id("r").Dot(n.Human.Question).Call())))
		g.Return()
	})
}

// gate prints that a person approves before the node runs: only a yes in time gets past this.
func (e *emitter) gate(g *jen.Group, n *plan.Node) {
	g.If(jen.Op("!").Id("r").Dot("Cleared").Call()).BlockFunc(func(g *jen.Group) {
		g.Add(ifFails(jen.Id("r").Dot("Pause").Call(jen.Id("r").Dot(n.Gate.Question).Call())))
		g.Return()
	})
	answer := jen.Id("r").Dot("Answer").Call()
	if n.Denied == nil && n.Late == nil {
		g.Add(ifFails(answer))
		return
	}
	g.If(jen.Err().Op(":=").Add(answer), jen.Err().Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
		withheld(g, n.Denied, "IsDenied")
		withheld(g, n.Late, "IsLate")
		g.Add(fail(jen.Err()))
		g.Continue()
	})
}

// answered prints what becomes of an answer: only one that is a yes, or a reply in time, gets
// past this.
func (e *emitter) answered(g *jen.Group, n *plan.Node) {
	e.record(g, n)
	answer := jen.Id("r").Dot("Answer").Call()
	switch {
	case n.Out != nil && n.Human.Timeout == 0: // there is no other
	case n.Denied == nil && n.Late == nil:
		g.Add(ifFails(answer))
	default:
		g.Err().Op(":=").Add(answer)
		withheld(g, n.Denied, "IsDenied")
		withheld(g, n.Late, "IsLate")
		g.Add(ifFailed())
	}
	if n.Shape.UsesOut {
		g.Id("out").Op(":=").Id("r").Dot(n.Human.Reply)
	}
	for _, check := range choiceChecks(n) {
		made := ifFails(check.call)
		if len(check.absent) > 0 {
			made = jen.If(all(absent(check.absent))).Block(made)
		}
		g.Add(made)
	}
	e.commit(g, n)
}

// withheld prints the transition of an answer that is no yes.
func withheld(g *jen.Group, w *plan.Transition, is string) {
	if w == nil {
		return
	}
	g.If(eng(is).Call(jen.Err())).BlockFunc(func(g *jen.Group) {
		g.Id("r").Dot("Withheld").Call()
		follow(g, w)
		g.Break()
	})
}
