package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// run prints the record of one run.
func (e *emitter) run() {
	m := e.m
	e.f.Line()
	e.f.Type().Id(e.m.Names.Run).StructFunc(func(g *jen.Group) {
		g.Add(eng("Run"))
		g.Id("state").Id(m.Names.StateType)
		e.notedFields(g)
		if m.Snapshots() {
			g.Id("tentative").Id(m.Names.StateType).Comment("what a handler changes until it has succeeded")
		}
		if e.m.Caches() {
			g.Id("cache").Add(eng("Cache"))
		}
		if m.Models.Conversations {
			g.Id("conversation").Add(pipe("Conversation")).Comment("the transcript")
			for n, p := range m.Prompts() {
				g.Id(p.Field).Add(pipe(transcriptType(n)))
			}
			if m.Mutations.Prompts() {
				g.Id(m.Mutations.Field).Add(pipe("Transcripts")).Comment("of the prompts that the run has added")
			}
		}
		if e.m.Mutations.Notes() {
			g.Id(m.Mutations.Noted).Index(jen.Lit(len(m.Mutations.Outputs))).Bool().
				Comment("of " + enumerate(fieldNames(m.Mutations.Outputs)) + ": whether the run has written it")
		}
		for n, h := range plan.Works[*plan.Human](m) {
			if h.Reply != "" {
				g.Id(h.Reply).Add(goType(n.Out)).Comment("what the person has answered")
			}
		}
		if m.PausesInRegions(true) {
			g.Id("forked").Index().Id(m.Names.Run).Comment("the branches of the current node")
		}
		for _, pool := range plan.Works[*plan.Pool](m) {
			if pool.Picker != "" {
				g.Id(pool.Picker).Add(pipe("Picker")).Comment("what the model has picked")
			}
		}
		if m.Models.Results {
			g.Id("results").Add(pipe("Results")).Comment("what the nodes have given")
		}
		for _, n := range m.Flow.Nodes {
			if n.Kept.Field != "" {
				g.Id(n.Kept.Field).Add(goType(n.Out)).Comment("the last output of node " + n.Name)
			}
		}
		g.Id("counters").Index(jen.Lit(len(m.Flow.Transitions) + len(m.Flow.Nodes) + 1)).Uint32().Comment("of transitions and nodes")
	})
}

// loop prints the machine: one loop and one switch, or several if it has many nodes.
func (e *emitter) loop() {
	e.f.Line()
	goesOn := jen.Id("r").Dot("At").Op("!=").Add(eng("End")).Op("&&").Op("!").Id("r").Dot("Cancelled").Call()
	e.machineMethod("loop", ctxParam(), e.runParam()).BlockFunc(func(g *jen.Group) {
		if len(e.m.Flow.Parts) == 1 {
			e.steps(g, e.m.Flow.Parts[0], goesOn, nil)
			return
		}
		g.For(goesOn).Block(jen.Switch(e.at().Op(">>").Lit(plan.PartBits)).BlockFunc(e.callParts))
	})
	if len(e.m.Flow.Parts) > 1 {
		for _, p := range e.m.Flow.Parts {
			e.part(p)
		}
	}
}

// at is the node that runs.
func (e *emitter) at() *jen.Statement {
	if e.m.Mutations == nil {
		return jen.Id("r").Dot("At")
	}
	return jen.Id(e.m.Names.NodeType).Call(jen.Id("r").Dot("At"))
}

// callParts prints which method runs a node, by its number.
func (e *emitter) callParts(g *jen.Group) {
	for i, p := range e.m.Flow.Parts {
		call := jen.Id("m").Dot(p.Method).Call(jen.Id("ctx"), jen.Id("r"))
		if i == len(e.m.Flow.Parts)-1 {
			g.Default().Block(call)
			return
		}
		g.Case(jen.Lit(i)).Block(call)
	}
}

// part prints a method that runs some of the nodes.
func (e *emitter) part(p *plan.Part) {
	e.f.Line()
	e.f.Comment(p.Method + " runs nodes from " + p.Nodes[0].Name + " to " + p.Nodes[len(p.Nodes)-1].Name + ", until another is next.")
	e.machineMethod(p.Method, ctxParam(), e.runParam()).BlockFunc(func(g *jen.Group) {
		e.steps(g, p, jen.Op("!").Id("r").Dot("Cancelled").Call(), jen.Default().Block(jen.Return()))
	})
}

// steps prints a loop over nodes. A case that chooses the next node leaves the switch; one that has left the
// choice to the kernel goes on with the loop. A condition or the last case ends the loop.
func (e *emitter) steps(g *jen.Group, p *plan.Part, goesOn, last jen.Code) {
	g.For(goesOn).BlockFunc(func(g *jen.Group) {
		end := eng("End")
		if e.m.Mutations != nil {
			end = jen.Id(e.m.Names.End)
		}
		g.List(jen.Id("next"), jen.Id("transition")).Op(":=").List(end, eng("Terminal"))
		g.Switch(e.at()).BlockFunc(func(g *jen.Group) {
			e.cases(g, p)
			if last != nil {
				g.Add(last)
			}
		})
		e.tail(g)
	})
}

// tail prints how a step ends: on the fast path, or where there is more to look at.
func (e *emitter) tail(g *jen.Group) {
	to := e.nodeID(jen.Id("next"))
	g.If(jen.Op("!").Id("r").Dot("Follow").Call(jen.Id("transition"), to)).Block(jen.Id("r").Dot("SlowStep").Call(jen.Id("transition"), to))
}

// untilEnd prints that the kernel runs the loop until the run ends.
func (e *emitter) untilEnd() *jen.Statement {
	return eng("Drive").Call(jen.Id("m"), jen.Id("r"), kernelRun(), e.loopMethod())
}

// loopMethod is the method that runs nodes.
func (e *emitter) loopMethod() *jen.Statement {
	return jen.Parens(jen.Op("*").Id(e.m.GoName)).Dot("loop")
}

// cases prints nodes.
func (e *emitter) cases(g *jen.Group, p *plan.Part) {
	for _, n := range p.Nodes {
		label := g.Op("case").Id(n.Const).Op(":")
		if n.Parent != nil {
			label.Comment("in " + n.Parent.Name)
		}
		e.visit(g, n)
	}
	if p == e.m.Flow.Parts[len(e.m.Flow.Parts)-1] {
		e.dynamicCase(g)
	}
}

// visit prints the case of one node: its work, its writes, its transitions.
func (e *emitter) visit(g *jen.Group, n *plan.Node) {
	if h, is := n.Work.(*plan.Human); is {
		e.pause(g, h)
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
		e.gate(g, n.Pauses.Gate)
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

// failSoftly prints that a failed fail_soft node goes on without output.
func (e *emitter) failSoftly(g *jen.Group, n *plan.Node) {
	g.If(jen.Err().Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
		g.Id("r").Dot("FailSoftly").Call(jen.Err())
		if n.Suspends() { // it has not failed then: none of its transitions is tried
			g.If(jen.Id("r").Dot("Ending").Call().Dot("Paused").Call()).Block(jen.Continue())
		}
		if n.Kept.Field != "" {
			g.Id("r").Dot(n.Kept.Field).Op("=").Add(zero(n.Out))
		}
	}).Do(func(s *jen.Statement) {
		if n.Shape.Commits {
			s.Else().BlockFunc(func(g *jen.Group) { e.commit(g, n) })
		}
	})
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

// commit prints what becomes of an output: the verdicts on it, which may be the failure of the
// node; and then what later nodes see of it, in the conversation and in the state.
func (e *emitter) commit(g *jen.Group, n *plan.Node) {
	p, turn := n.Work.(*plan.Prompt)
	if turn {
		e.turnEnds(g, n, p)
	}
	e.evals(g, n)
	if turn {
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
