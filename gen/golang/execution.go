package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// policyOf is the policy of a node.
func policyOf(n *plan.Node) *jen.Statement {
	if n.Policy.Plain() {
		return policy(n.Policy)
	}
	return jen.Id("policy")
}

// fieldsOf are fields of a variable; without one, variables.
func fieldsOf(of string, names []string) (list []jen.Code) {
	for _, name := range names {
		if of == "" {
			list = append(list, jen.Id(name))
		} else {
			list = append(list, jen.Id(of).Dot(name))
		}
	}
	return list
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
	e.guards(g, n)
}

// guards prints the checks of an output: by methods, and by a model where they accept it.
func (e *emitter) guards(g *jen.Group, n *plan.Node) {
	var guards []jen.Code
	var judged []plan.Guard
	for _, guard := range n.Checks.Guards {
		if guard.Judge != "" {
			judged = append(judged, guard)
			continue
		}
		args := []jen.Code{jen.Id("ctx")}
		if guard.In != nil {
			args = append(args, readStruct(guard.In))
		}
		guards = append(guards, guardValue(guard.Name, jen.Id("m").Dot("handlers").Dot(guard.Method).Call(append(args, jen.Id("out"))...)))
	}
	options := jen.Options{Open: "(", Close: ")", Separator: ",", Multi: len(guards) > 1}
	check := jen.Id("r").Dot("Guarded").Custom(options, guards...)
	for i, guard := range judged {
		if i > 0 || len(guards) > 0 {
			g.If(jen.Err().Op(":=").Add(check), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		}
		judge, text := e.judge(g, "Gate", guard.ShownVar, guard.Shown, "state", n.Out)
		verdict := judge.Call(jen.Id("ctx"), kernelRun(), jen.Id("m").Dot("model"), jen.Lit(guard.Judge), text)
		check = jen.Id("r").Dot("Guarded").Call(guardValue(guard.Name, verdict))
	}
	g.Return(check)
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
