package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// loop prints the machine: one loop and one switch, or several if it has many nodes.
func (e *emitter) loop() {
	parts := e.m.Flow.Parts
	last := len(parts) - 1
	e.print("loop", struct {
		Parts []*plan.Part
		Last  *plan.Part
	}{parts[:last], parts[last]})
	if last > 0 {
		for _, p := range parts {
			e.print("part", p)
		}
	}
}

// cases prints nodes. The case of one that chooses the next node leaves the switch; one that has left the
// choice to the kernel continues with the loop. A condition or the last case ends the loop.
func (e *emitter) cases(g *jen.Group, p *plan.Part) {
	for _, n := range p.Nodes {
		label := g.Op("case").Id(n.Const).Op(":")
		if n.Parent != nil {
			label.Add(comment("in " + n.Parent.Name))
		}
		e.visit(g, n)
	}
	if p == e.m.Flow.Parts[len(e.m.Flow.Parts)-1] && e.m.Mutations.Prompts() {
		g.Add(e.code("dynamic case", nil))
	}
}

// visit prints the case of one node: its work, its writes, its transitions.
func (e *emitter) visit(g *jen.Group, n *plan.Node) {
	if h, is := n.Work.(*plan.Human); is {
		g.Add(e.code("pause", h))
		e.answered(g, n, h)
	} else {
		e.work(g, n)
	}
	if !e.m.RejectsByDefault(n) {
		for _, r := range n.Choices.Rejects {
			e.reject(g, r)
		}
	}
	e.onwards(g, n, n.Routes.Tests, n.Routes.Default)
}

// work prints the execution of a node that is not skipped.
func (e *emitter) work(g *jen.Group, n *plan.Node) {
	if n.Failure.Skip {
		g.If(jen.Id("r").Dot("AfterFailure").Call()).BlockFunc(func(g *jen.Group) {
			g.Id("r").Dot("Skip").Call()
			e.onwards(g, n, n.Routes.SkipTests, n.Routes.SkipDefault)
			if len(n.Routes.SkipTests) > 0 || n.Routes.SkipDefault.Kind != plan.Error || len(n.Routes.SkipDefault.UsedUp) > 0 { // it has not failed
				g.Break()
			}
		})
	}
	if n.Pauses.Gate != nil {
		g.Add(e.code("gate", n.Pauses.Gate))
	}
	e.execute(g, n)
	e.changes(g, n)
}

// fail is the failure of the node. The kernel chooses what follows.
func fail(err jen.Code) *jen.Statement { return jen.Id("r").Dot("Fail").Call(err) }

// ifFailed prints that the node has failed if there is an error.
func ifFailed() *jen.Statement {
	return ifFails(jen.Err())
}

// ifFails prints that the node has failed if a call returns an error.
func ifFails(call jen.Code) *jen.Statement {
	return jen.If(jen.Id("r").Dot("Failed").Call(call)).Block(jen.Continue())
}

// execute prints the call of the handler, what a failure does, and the commit.
func (e *emitter) execute(g *jen.Group, n *plan.Node) {
	switch w := n.Work.(type) {
	case *plan.Saying:
		g.If(jen.Id("r").Dot("Settings").Call().Dot("Observed").Call()).Block(jen.Id("r").Dot("Say").Call(jen.Id("r").Dot(w.Method)))
		return
	case *plan.Set:
		e.assign(g, n)
		return
	case *plan.Pass:
		return
	}
	if n.AsksInPlace() {
		g.Add(e.code("enter", n))
	}
	call := e.call(n)
	if n.Shape.Wrapped {
		call = jen.Id("m").Dot(n.Shape.Run).Call(jen.Id("ctx"), jen.Id("r"))
	} else if n.Snapshots() {
		g.Id("r").Dot("tentative").Op("=").Add(e.ownState())
	}
	names := resultsOf(n).usedNames()
	if len(names) == 0 && len(n.Routes.GuardFail) == 0 && !n.Failure.Soft {
		g.Add(ifFails(call))
		e.commit(g, n)
		return
	}
	if n.Failure.Soft && n.Shape.UsesEvals {
		g.Var().Id("evals").Id(n.Checks.Verdicts.GoName)
	}
	g.List(append(names, jen.Err())...).Op(":=").Add(call)
	if !n.Shape.Wrapped {
		for _, check := range choiceChecks(n) {
			conditions := []*jen.Statement{jen.Err().Op("==").Nil()}
			if p, is := n.Work.(*plan.Prompt); is && p.Leaves() { // a turn that calls tools has chosen nothing
				conditions = append(conditions, jen.Op("!").Add(transcript(n)).Dot("Waiting").Call())
			}
			conditions = append(conditions, absent(check.absent)...)
			g.If(all(conditions)).Block(jen.Err().Op("=").Add(check.call))
		}
	}
	e.refused(g, n)
	if n.Failure.Soft {
		e.failSoftly(g, n)
		return
	}
	g.Add(ifFailed())
	e.commit(g, n)
}

// assign prints that a node writes the values of its expressions.
func (e *emitter) assign(g *jen.Group, n *plan.Node) {
	g.Id("out").Op(":=").Id(n.Out.GoName).ValuesFunc(func(g *jen.Group) {
		for _, w := range n.State.Writes {
			value := handed(conditionCall(w.Value), w.Value.Result)
			if w.Value.Result != w.From.Type {
				value = jen.New(value)
			}
			g.Id(w.From.GoName).Op(":").Add(value)
		}
	})
	for _, check := range choiceChecks(n) {
		fits := ifFails(check.call)
		if conditions := absent(check.absent); len(conditions) > 0 {
			fits = jen.If(all(conditions)).Block(fits)
		}
		g.Add(fits)
	}
	e.commit(g, n)
}

// failSoftly prints that a fail_soft node that failed is left without an output.
func (e *emitter) failSoftly(g *jen.Group, n *plan.Node) {
	g.If(jen.Err().Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
		g.Id("r").Dot("FailSoftly").Call(jen.Err())
		if n.Suspends() { // it has not failed then: none of its transitions is tried
			g.If(jen.Id("r").Dot("Ending").Call().Dot("Paused").Call()).Block(jen.Continue())
		}
		keepNothing(g, n)
	}).Do(func(s *jen.Statement) {
		if n.Shape.Commits {
			s.Else().BlockFunc(func(g *jen.Group) { e.commit(g, n) })
		}
	})
}

// keepNothing prints that the node around a node finds no output of it.
func keepNothing(g *jen.Group, n *plan.Node) {
	if n.Kept.Field != "" {
		g.Id("r").Dot(n.Kept.Field).Op("=").Add(zero(n.Out))
	}
}

// refused prints the transitions of a node whose guards refused its output.
func (e *emitter) refused(g *jen.Group, n *plan.Node) {
	for _, t := range n.Routes.GuardFail {
		refused := eng("IsGuardFailure").Call(jen.Err())
		if cond := guardCondition(t); cond != nil {
			refused = refused.Op("&&").Add(cond)
		}
		g.If(refused).BlockFunc(func(g *jen.Group) {
			g.Id("r").Dot("GuardsFailed").Call(jen.Err())
			follow(g, t.Transition)
			g.Break()
		})
	}
}

// guardCondition is when a transition without a condition is open; nil is always.
func guardCondition(t plan.Test) *jen.Statement {
	if t.Transition.Max == 0 {
		return nil
	}
	return open(t.Transition)
}

// call calls what does the work of a node.
func (e *emitter) call(n *plan.Node) *jen.Statement {
	method := func(name string, ctx jen.Code) *jen.Statement { return jen.Id("m").Dot(name).Call(ctx, jen.Id("r")) }
	ctx := jen.Id("ctx")
	switch w := n.Work.(type) {
	case *plan.Handler:
		if w.Isolated {
			ctx = eng("Isolated").Call(ctx)
		}
		if w.Transact != "" {
			return method(w.Transact, ctx)
		}
		return e.handling(n, w, ctx)
	case *plan.Prompt:
		if n.AsksInPlace() {
			return e.code("turn", n)
		}
		return method(w.Ask, ctx)
	case *plan.Call:
		return method(w.Method, ctx)
	case *plan.Sub:
		return method(w.Method, ctx)
	case plan.Runner:
		return method(w.Runs().Method, ctx)
	}
	panic("node " + n.Name + " has no method that does its work")
}

// handling calls the handler itself.
func (e *emitter) handling(n *plan.Node, h *plan.Handler, ctx *jen.Statement) *jen.Statement {
	call := jen.Id("m").Dot("handlers").Dot(n.GoName).CallFunc(func(g *jen.Group) {
		if !n.Kind.Pure {
			g.Add(ctx)
		}
		switch {
		case n.In != nil && n.Kept.Cache:
			g.Id("in")
		case n.In != nil:
			g.Add(e.input(n))
		case h.Snapshots():
			g.Op("&").Id("r").Dot("tentative")
		case h.TakesState:
			g.Add(e.ownState())
		}
	})
	if n.Kind.Judges {
		return jen.Id("r").Dot("Guarded").Call(guardValue(n.Name, call))
	}
	return call
}

func guardValue(name string, err jen.Code) *jen.Statement {
	return eng("Guard").ValuesFunc(func(g *jen.Group) {
		g.Id("Name").Op(":").Lit(name)
		g.Id("Err").Op(":").Add(err)
	})
}

func (e *emitter) input(n *plan.Node) *jen.Statement {
	return readStruct(n.In)
}

// A choiceCheck is the check of a choice, or of an output, made where the route fields before it name
// nothing.
type choiceCheck struct {
	absent []*resolve.Field
	call   *jen.Statement
}

// choiceChecks are the checks that a handler chose what it may choose, and that its output fits.
func choiceChecks(n *plan.Node) []choiceCheck {
	var out []choiceCheck
	check := func(what string, value *jen.Statement, required bool, count int) {
		low := 0
		if required {
			low = 1
		}
		out = append(out, choiceCheck{call: eng("CheckChoice").Call(jen.Lit(what), jen.Int().Call(value), jen.Lit(low), jen.Lit(count))})
	}
	if n.Choices.Goto != nil {
		check(n.Choices.Goto.What, jen.Id("to"), n.Choices.Goto.Required, len(n.Choices.Goto.Values))
	}
	if n.Choices.Branch != nil {
		check(n.Choices.Branch.What, jen.Id("label"), n.Choices.Branch.Required, len(n.Choices.Branch.Values))
	}
	if n.Choices.By != nil && n.Choices.By.Checked {
		f, what := n.Choices.By.Field, n.Choices.By.Field.Name
		if f.GoName == "" {
			what = "output"
		}
		check(what, enumNumber(output(f), f.Type), true, len(f.Type.Values))
	}
	if f := n.Choices.MustRoute; f != nil {
		check(f.Name, enumNumber(jen.Id("out").Dot(f.GoName), f.Type), true, len(f.Type.Values))
		out[len(out)-1].absent = n.Choices.MustAbsent
	}
	if n.Checks.Media != "" {
		out = append(out, choiceCheck{call: jen.Id(n.Checks.Media).Call(jen.Id("out"))})
	}
	if n.Checks.Validate {
		out = append(out, choiceCheck{call: jen.Qual(codecPath, "Check").Call(marshaler(jen.Id("out"), n.Out))})
	}
	return out
}

// commit prints what becomes of an output: the verdicts on it, whose failure is the failure of the node, and then what
// later nodes see of it.
func (e *emitter) commit(g *jen.Group, n *plan.Node) {
	p, turn := n.Work.(*plan.Prompt)
	if turn {
		e.turnEnds(g, n, p)
	}
	e.evals(g, n)
	if !n.Failure.Soft || !n.Shape.UsesEvals || !n.Shape.Judged {
		e.commitOutput(g, n)
		return
	}
	g.If(jen.Err().Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
		g.Id("r").Dot("FailSoftly").Call(jen.Err())
		keepNothing(g, n)
		for _, r := range resultsOf(n) { // its transitions find nothing either
			if r.used && (r.Name != "out" || n.RoutesOut()) {
				g.Id(r.Name).Op("=").Add(r.None)
			}
		}
		if n.RoutesEvals() {
			g.Id("evals").Op("=").Id(n.Checks.Verdicts.GoName).Values()
		}
	}).Do(func(s *jen.Statement) {
		if n.LeavesOutput() {
			s.Else().BlockFunc(func(g *jen.Group) { e.commitOutput(g, n) })
		}
	})
}

// commitOutput prints what later nodes see of an output: in the conversation, in the state and in the results.
func (e *emitter) commitOutput(g *jen.Group, n *plan.Node) {
	if _, turn := n.Work.(*plan.Prompt); turn {
		g.Add(keep(n))
	}
	if n.Snapshots() {
		e.keepTentative(g)
	}
	e.writes(g, n)
	if n.Snapshots() && e.m.Mutations.Notes() { // what a handler has changed of the state it does not say
		for i := range e.m.Mutations.Outputs {
			g.Add(e.written(jen.Id("r"), i)).Op("=").True()
		}
	}
	e.note(g, n)
	if n.Kept.Field != "" {
		g.Id("r").Dot(n.Kept.Field).Op("=").Id("out")
	}
}
