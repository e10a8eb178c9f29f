package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// human prints what each node that asks a person asks, and the functions that make answers. For each node of kind say it prints the message.
func (e *emitter) human() {
	if e.m.Pauses() {
		e.print("resume", nil)
	}
	for _, n := range e.m.Flow.Nodes {
		if h := n.Asked(); h != nil {
			a := answer{h.Answer, "node " + n.Name, nil, e.nodeID(jen.Id(n.Const)), eng("Decision"), eng("Reply")}
			if h.Reply != "" {
				a.Out = n.Out
			}
			e.answer(a)
			e.question(n, h)
		}
		if s, is := n.Work.(*plan.Saying); is {
			e.saying(n, s)
		}
	}
	for _, t := range e.m.Humans.Held {
		e.print("approval", plan.NestedCall{Tool: t})
	}
	for _, t := range e.m.Clients() {
		e.print("returned", plan.NestedCall{Tool: t})
	}
	for _, c := range e.m.Humans.NestedCalls {
		if c.Client != nil {
			e.print("returned", c)
		} else {
			e.print("approval", c)
		}
	}
	for _, h := range e.m.Humans.NestedHumans {
		e.answer(answer{h.Answer, h.Path, h.Out, jen.Lit(h.Path), eng("NestedDecision"), eng("NestedReply")})
	}
	if e.m.Humans.Continues {
		e.print("continue", nil)
	}
}

// An answer is a function that makes an answer to a request of a place, by a function of the kernel.
type answer struct {
	Name, At        string
	Out             *resolve.Type // nil: it is a decision
	Place           *jen.Statement
	Decision, Reply *jen.Statement
}

func (e *emitter) answer(a answer) {
	if a.Out == nil {
		e.print("decision", a)
	} else {
		e.print("reply", a)
	}
}

// question prints the method that writes what a node asks.
func (e *emitter) question(n *plan.Node, h *plan.Human) {
	e.f.Line()
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
func (e *emitter) saying(n *plan.Node, s *plan.Saying) {
	e.f.Line()
	e.f.Add(comment(s.Method + " writes the message of node " + n.Name + " to observers."))
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

// answered prints what becomes of an answer: only one that is a yes, or a reply in time, gets
// past this.
func (e *emitter) answered(g *jen.Group, n *plan.Node, h *plan.Human) {
	e.record(g, n)
	answer := jen.Id("r").Dot("Pauses").Call().Dot("Answer").Call()
	switch {
	case n.Out != nil && h.Timeout == 0: // there is no other
	case h.Denied == nil && h.Late == nil:
		g.Add(ifFails(answer))
	default:
		g.Add(e.code("late answer", h))
	}
	if n.Shape.UsesOut {
		g.Id("out").Op(":=").Id("r").Dot(h.Reply)
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
