package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// execution prints the method that executes a node whose handler is not just called:
// policy, guards, cache.
func (e *emitter) execution(n *plan.Node) {
	e.f.Line()
	e.stepMethod(n.Shape.Run, n).
		BlockFunc(func(g *jen.Group) {
			if n.OnlyCalls() {
				declarePolicy(g, n)
				call := jen.Func().Params(ctxParam()).Params(append(resultsOf(n).types(), jen.Error())...).Add(body(jen.Return(e.call(n))))
				if n.Out == nil {
					g.Return(jen.Id("r").Dot("Execute").Call(jen.Id("ctx"), policyOf(n), call))
					return
				}
				g.Return(eng("Execute").Call(jen.Id("ctx"), kernelRun(), policyOf(n), call))
				return
			}
			if n.Kept.Cache {
				e.lookUp(g, n)
			}
			declarePolicy(g, n)
			e.callKernel(g, n)
			if n.Kept.Cache {
				g.If(jen.Err().Op("==").Nil()).Block(
					jen.Id("r").Dot("cache").Dot("Keep").Call(e.nodeID(jen.Id(n.Const)), jen.Id("key"), e.kept(n)))
			}
			if n.Failure.Soft {
				e.forget(g, n)
			}
			g.Return(append(resultsOf(n).names(), jen.Err())...)
		})
	if n.Kept.Cache {
		e.f.Line()
		e.f.Type().Id(n.Shape.Kept).StructFunc(resultsOf(n).fields)
	}
}

// declarePolicy prints the policy of a node, if it has one.
func declarePolicy(g *jen.Group, n *plan.Node) {
	if !n.Policy.Plain() {
		g.Id("policy").Op(":=").Add(policy(n.Policy))
	}
}

// policyOf is the policy of a node.
func policyOf(n *plan.Node) *jen.Statement {
	if n.Policy.Plain() {
		return policy(n.Policy)
	}
	return jen.Id("policy")
}

// stepMethod is the head of a method of the machine that does the work of a node in a run:
// what it gives has names, so that it can be given beside an error.
func (e *emitter) stepMethod(name string, n *plan.Node) *jen.Statement {
	return e.f.Func().Params(jen.Id("m").Op("*").Id(e.m.GoName)).Id(name).
		Params(ctxParam(), jen.Id("r").Op("*").Id(e.m.Names.Run)).
		ParamsFunc(func(g *jen.Group) {
			resultsOf(n).fields(g)
			g.Err().Error()
		})
}

func ids(names []string) []jen.Code {
	var out []jen.Code
	for _, name := range names {
		out = append(out, jen.Id(name))
	}
	return out
}

func (e *emitter) kept(n *plan.Node) *jen.Statement {
	return jen.Id(n.Shape.Kept).Values(resultsOf(n).names()...)
}

// lookUp returns early with what the cache has. An input that has no JSON has no key,
// and is not cached.
func (e *emitter) lookUp(g *jen.Group, n *plan.Node) {
	g.Id("in").Op(":=").Add(e.input(n))
	g.List(jen.Id("key"), jen.Id("_")).Op(":=").Qual(codecPath, "Key").Call(jen.Op("&").Id("in"))
	kept := "kept"
	var fields []jen.Code
	for _, r := range resultsOf(n) {
		fields = append(fields, jen.Id("kept").Dot(r.name))
	}
	if len(fields) == 0 {
		kept = "_"
	}
	g.If(
		jen.List(jen.Id(kept), jen.Id("ok")).Op(":=").Add(eng("Cached").Types(jen.Id(n.Shape.Kept)).Call(
			jen.Op("&").Id("r").Dot("Run"), jen.Op("&").Id("r").Dot("cache"), e.nodeID(jen.Id(n.Const)), jen.Id("key"))),
		jen.Id("ok"),
	).Block(jen.Return(append(fields, jen.Nil())...))
}

// callKernel has the kernel execute the handler and its guards under the node's policy.
func (e *emitter) callKernel(g *jen.Group, n *plan.Node) {
	for _, transition := range openRefusals(n) {
		g.If(transition).Block(jen.Id("policy").Dot("GuardRetries").Op("=").Lit(0))
	}
	before := n.Shape.Undone
	if len(before) > 0 {
		g.List(ids(before)...).Op(":=").List(runFields(before)...)
		clipFields(g, jen.Id("state"), e.m.Growing())
	}
	g.Err().Op("=").Id("r").Dot("Execute").Call(jen.Id("ctx"), policyOf(n),
		jen.Func().Params(ctxParam()).Params(jen.Err().Error()).BlockFunc(func(g *jen.Group) {
			if len(before) > 0 {
				g.List(runFields(before)...).Op("=").List(ids(before)...).Comment("as it was before what has failed")
			}
			if n.Snapshots() {
				g.Id("r").Dot("tentative").Op("=").Add(e.ownState())
			}
			e.attempt(g, n)
		}))
}

// openRefusals are the transitions that an output refused by guards takes instead of being tried
// again, as long as they are open.
func openRefusals(n *plan.Node) []*jen.Statement {
	var out []*jen.Statement
	for _, t := range n.Routes.GuardFail {
		if n.Policy.GuardRetries > 0 && t.Transition.Max > 0 {
			out = append(out, open(t.Transition))
		}
	}
	return out
}

// attempt prints one execution: the call, the checks of what it chose, the guards.
func (e *emitter) attempt(g *jen.Group, n *plan.Node) {
	call := e.call(n)
	checks := choiceChecks(n)
	results := resultsOf(n).names()
	if len(results)+len(n.Checks.Guards) == 0 {
		g.Return(call)
		return
	}
	g.List(append(results, jen.Err())...).Op("=").Add(call)
	if len(checks) > 0 || len(n.Checks.Guards) > 0 {
		failed := jen.Err().Op("!=").Nil()
		if p, is := n.Work.(*plan.Prompt); is && p.Leaves() {
			failed = failed.Op("||").Add(transcript(n)).Dot("Waiting").Call()
		}
		g.If(failed).Block(jen.Return(jen.Err()))
	}
	for i, check := range checks {
		if i == len(checks)-1 && len(check.absent)+len(n.Checks.Guards) == 0 {
			g.Return(check.call)
			return
		}
		checked := jen.If(jen.Err().Op(":=").Add(check.call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		if len(check.absent) > 0 {
			checked = jen.If(all(absent(check.absent))).Block(checked)
		}
		g.Add(checked)
	}
	if len(n.Checks.Guards) == 0 {
		g.Return(jen.Err())
		return
	}
	e.clipsAll(g, jen.Id("out"), n.Out)
	var guards []jen.Code
	for _, guard := range n.Checks.Guards {
		args := []jen.Code{jen.Id("ctx")}
		if guard.In != nil {
			args = append(args, readStruct(guard.In))
		}
		guards = append(guards, guardValue(guard.Name, jen.Id("m").Dot("handlers").Dot(guard.Method).Call(append(args, jen.Id("out"))...)))
	}
	if len(guards) == 1 {
		g.Return(jen.Id("r").Dot("Guarded").Call(guards...))
		return
	}
	g.Return(jen.Id("r").Dot("Guarded").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, guards...))
}

// forget drops what a failed fail_soft node returned with its error.
func (e *emitter) forget(g *jen.Group, n *plan.Node) {
	if zeros := resultsOf(n).zeros(); len(zeros) > 0 {
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(append(zeros, jen.Err())...))
	}
}

func zero(t *resolve.Type) *jen.Statement {
	switch t.Kind {
	case resolve.String:
		return jen.Lit("")
	case resolve.Int, resolve.Float, resolve.Duration:
		return jen.Lit(0)
	case resolve.Enum:
		return unset(t)
	case resolve.Bool:
		return jen.False()
	case resolve.Struct, resolve.Time, resolve.Message, resolve.Media:
		return goType(t).Values()
	case resolve.External: // of what kind, its own package knows
		return jen.Op("*").New(goType(t))
	}
	return jen.Nil()
}

// unset is the zero value of an enum.
func unset(t *resolve.Type) *jen.Statement {
	if t.Text() {
		return jen.Lit("")
	}
	return jen.Lit(0)
}

// enumNumber is the number of an enum's value, 0 for none: its own, but for the enums of the
// user, whose constants may have any values.
func enumNumber(value *jen.Statement, t *resolve.Type) *jen.Statement {
	if !t.Declared {
		return value
	}
	return jen.Qual("slices", "Index").Call(constants(t), value).Op("+").Lit(1)
}

// constants is the list of an enum's values.
func constants(t *resolve.Type) *jen.Statement {
	var consts []jen.Code
	for _, v := range t.Values {
		consts = append(consts, constant(t, v.Const))
	}
	return jen.Index().Add(goType(t)).Values(consts...)
}

// policy prints a policy with the fields that are set.
func policy(p plan.Policy) *jen.Statement {
	return eng("Policy").ValuesFunc(func(g *jen.Group) {
		set := func(is bool, name string, value *jen.Statement) {
			if is {
				g.Id(name).Op(":").Add(value)
			}
		}
		set(p.Timeout > 0, "Timeout", duration(p.Timeout))
		set(p.Attempts > 0, "Attempts", jen.Lit(p.Attempts))
		set(p.Attempts > 0, "Wait", duration(p.Wait))
		set(p.Factor > 0, "Factor", jen.Lit(p.Factor))
		set(p.Attempts > 0, "MaxWait", duration(p.MaxWait))
		set(p.RetryAny, "RetryAny", jen.True())
		set(p.GuardRetries > 0, "GuardRetries", jen.Lit(p.GuardRetries))
	})
}
