package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

func pipe(name string) *jen.Statement { return jen.Qual(pipelinePath, name) }

// transcript is the field of the run with the turns of a node.
// One more of a template has its own.
func transcript(n *plan.Node) *jen.Statement {
	field := jen.Id("r").Dot(n.Prompt().Field)
	if n.Template {
		return field.Dot("Of").Call(kernelRun())
	}
	return field
}

// kernelRun is the kernel's record of the run.
func kernelRun() *jen.Statement { return jen.Op("&").Id("r").Dot("Run") }

// keep prints that the turns of a node join the transcript.
func keep(n *plan.Node) *jen.Statement {
	own := jen.Op("&").Add(transcript(n))
	if n.Template {
		own = transcript(n)
	}
	return jen.Id("r").Dot("conversation").Dot("Keep").Call(own)
}

// turnEnds prints where a turn leads that ended with calls of tools, without the node's
// writes: back to the node, or along the transitions for calls that other nodes make.
func (e *emitter) turnEnds(g *jen.Group, n *plan.Node, p *plan.Prompt) {
	if p.ToolLoop != nil {
		g.If(transcript(n).Dot("Looping").Call()).BlockFunc(func(g *jen.Group) {
			follow(g, p.ToolLoop)
			g.Break()
		})
	}
	if len(p.Called) > 0 {
		g.If(transcript(n).Dot("Called").Call()).BlockFunc(func(g *jen.Group) {
			g.Add(keep(n))
			e.routes(g, n, p.Called, plan.Default{Kind: plan.Never})
			g.Break()
		})
	}
}

// evals prints the verdicts on what a node did, where the plan uses them.
func (e *emitter) evals(g *jen.Group, n *plan.Node) {
	if !n.Shape.UsesEvals {
		return
	}
	call := jen.Id("m").Dot(n.Shape.Eval).CallFunc(func(g *jen.Group) {
		if n.Shape.Judged {
			g.Id("ctx")
		}
		if n.Shape.EvalRun {
			g.Id("r")
		}
		if n.Shape.EvalOut {
			g.Id("out")
		}
	})
	assign := ":="
	if n.Failure.Soft {
		assign = "="
	}
	if !n.Shape.Judged {
		g.Id("evals").Op(assign).Add(call)
		return
	}
	g.List(jen.Id("evals"), jen.Err()).Op(assign).Add(call)
	if !n.Failure.Soft { // else commit prints what a failure does
		g.Add(ifFailed())
	}
}

// note prints that an output is kept as a result.
func (e *emitter) note(g *jen.Group, n *plan.Node) {
	if !n.Kept.Result {
		return
	}
	results := jen.Id("r").Dot("results")
	named := jen.Lit(n.Name)
	if n.Template {
		named = jen.Id("r").Dot("NodeName").Call()
	}
	if n.Out.Kind == resolve.String {
		g.Add(results.Clone()).Dot("AddText").Call(named, jen.Id("out"))
	} else {
		args := []jen.Code{named, marshaler(jen.Id("out"), n.Out)}
		if n.Out.Kind == resolve.Struct {
			for _, f := range n.Out.Fields {
				args = append(args, jen.Lit(f.Name))
			}
		}
		g.Add(results.Clone()).Dot("Add").Call(args...)
	}
	if len(n.Checks.Evals) == 0 {
		return
	}
	g.Add(results).Dot("Judged").CallFunc(func(g *jen.Group) {
		for _, v := range n.Checks.Evals {
			g.Add(pipe("Verdict")).Values(jen.Id("Name").Op(":").Lit(v.Name), jen.Id("Pass").Op(":").Id("evals").Dot(v.GoName))
		}
	})
}

// marshaler is a value as something that writes itself as JSON.
func marshaler(value *jen.Statement, t *resolve.Type) *jen.Statement {
	switch {
	case hasMethods(t):
		return value
	case t.Kind == resolve.List || t.Kind == resolve.Map:
		return jen.Qual(codecPath, "Of"+containerCodecs[t.Kind]).Call(value, writer(t.Elem, limits{}))
	}
	return jen.Qual(codecPath, "Of").Call(value, writer(t, limits{}))
}

// unmarshaler is the place of a value as something that reads itself from JSON.
func unmarshaler(pointer *jen.Statement, t *resolve.Type) *jen.Statement {
	if hasMethods(t) {
		return pointer
	}
	return jen.Qual(codecPath, "Into").Call(pointer, reader(t, limits{}))
}

// evalMethods prints the methods that judge what nodes did.
func (e *emitter) evalMethods() {
	for _, n := range e.m.Flow.Nodes {
		if !n.Shape.UsesEvals {
			continue
		}
		e.f.Line()
		emitStruct(e.f, n.Checks.Verdicts, "", documented)
		e.print("eval", n)
	}
}

// verdicts are the statements that judge what a node did.
func (e *emitter) verdicts(g *jen.Group, n *plan.Node) {
	state := "state"
	if n.Snapshots() { // what the handler has made of it, which becomes the state when no verdict fails
		state = "tentative"
	}
	for _, v := range n.Checks.Evals {
		field := jen.Id("evals").Dot(v.GoName)
		switch {
		case v.Cond != nil:
			g.Add(field).Op("=").Add(conditionOf(v.Cond, state))
		case v.Judge != "":
			judge, text := e.judge(g, "Evaluate", v.ShownVar, v.Shown, state, n.Out)
			g.If(
				jen.List(field.Clone(), jen.Err()).Op("=").Add(judge).Call(jen.Id("ctx"), kernelRun(), jen.Id("m").Dot("model"), jen.Lit(v.Judge), text),
				jen.Err().Op("!=").Nil(),
			).Block(jen.Return(jen.Id("evals"), jen.Err()))
		default:
			var all *jen.Statement
			add := func(s *jen.Statement) {
				if all == nil {
					all = s
					return
				}
				all = all.Op("&&").Add(s)
			}
			for _, t := range v.Called {
				add(transcript(n).Dot("Has").Call(jen.Lit(t)))
			}
			for _, t := range v.NotCalled {
				add(jen.Op("!").Add(transcript(n)).Dot("Has").Call(jen.Lit(t)))
			}
			g.Add(field).Op("=").Add(all)
		}
	}
}

// ofJSON are the functions that have a model judge a value, by those for a text.
var ofJSON = map[string]string{"Evaluate": "EvaluateJSON", "Gate": "GateJSON"}

// judge prints what a model is shown that judges an output. It returns the function that asks it, and the output as text.
func (e *emitter) judge(g *jen.Group, how, shownVar string, shown []*resolve.Field, state string, out *resolve.Type) (ask, text *jen.Statement) {
	text = jen.Id("out")
	if out.Kind != resolve.String {
		text, how = marshaler(text, out), ofJSON[how]
	}
	if shownVar == "" {
		return pipe(how), text
	}
	g.Var().Id(shownVar).Add(pipe("Shown"))
	for _, f := range shown {
		e.show(g, shownVar, state, f)
	}
	return jen.Id(shownVar).Dot(how), text
}

// judgement prints the choice between edges that the model judges, and what happens when it
// names none.
func (e *emitter) judgement(g *jen.Group, n *plan.Node, whens, rest []plan.Test, otherwise plan.Default) {
	g.Id("question").Op(":=").Add(pipe("Question")).Values(defaultOpen(rest)...)
	for _, t := range whens {
		offer := jen.Id("question").Dot("Offer").Call(jen.Id(t.Transition.Const), jen.Lit(t.Text))
		var conditions []*jen.Statement
		if may := mayTake(t.Transition); may != nil {
			conditions = append(conditions, may)
		}
		if t.Transition.Max > 0 {
			conditions = append(conditions, open(t.Transition))
		}
		offers := func(g *jen.Group) {
			g.Add(offer)
			for _, f := range t.Shown {
				e.show(g, "question", "state", f)
			}
		}
		if len(conditions) > 0 {
			g.If(all(conditions)).BlockFunc(offers)
			continue
		}
		offers(g)
	}
	ask := pipe("Judge").Call(jen.Id("ctx"), kernelRun(), jen.Id("m").Dot("model"), jen.Op("&").Id("r").Dot("results"), jen.Op("&").Id("question"))
	ends := whens[0].NoneEnds
	if ends && len(rest) > 0 {
		g.Id("judged").Op(":=").Add(ask)
		ask = jen.Id("judged")
	}
	g.Switch(ask).BlockFunc(func(g *jen.Group) {
		for _, t := range whens {
			g.Case(jen.Id(t.Transition.Const)).BlockFunc(func(g *jen.Group) {
				follow(g, t.Transition)
			})
		}
		if ends && len(rest) == 0 {
			g.Case(pipe("NoneHolds")).Block(jen.Comment("the node is terminal"))
		}
		g.Default().BlockFunc(func(g *jen.Group) {
			if !ends || len(rest) == 0 {
				e.routes(g, n, rest, otherwise)
				return
			}
			g.Switch().BlockFunc(func(g *jen.Group) {
				for _, t := range rest {
					g.Case(e.condition(t)).BlockFunc(func(g *jen.Group) { follow(g, t.Transition) })
				}
				g.Case(jen.Id("judged").Op("==").Add(pipe("NoneHolds"))).Block(jen.Comment("the node is terminal"))
				e.defaultCase(g, otherwise)
			})
		})
	})
}

// defaultOpen is the field that holds whether an edge without condition is open.
func defaultOpen(rest []plan.Test) []jen.Code {
	var some *jen.Statement
	for _, t := range rest {
		if t.Kind != plan.Always || t.Transition.Rule != spec.RuleEdge {
			continue
		}
		if t.Transition.Max == 0 {
			return []jen.Code{jen.Id("Default").Op(":").True()}
		}
		if some == nil {
			some = open(t.Transition)
		} else {
			some = some.Op("||").Add(open(t.Transition))
		}
	}
	if some == nil {
		return nil
	}
	return []jen.Code{jen.Id("Default").Op(":").Add(some)}
}
