package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// routes prints the choice of the next node: one case per transition, in the order of the rules.
func (e *emitter) routes(g *jen.Group, n *plan.Node, tests []plan.Test, otherwise plan.Default) {
	if first := slices.IndexFunc(tests, plan.Test.Judged); first >= 0 {
		e.judgedRoutes(g, n, tests, first, otherwise)
		return
	}
	switch {
	case len(tests) > 0 && tests[0].Certain():
		follow(g, tests[0].Transition)
		return
	case len(tests) > 0 && choiceOnly(tests) != nil:
		e.choice(g, n, choiceOnly(tests), tests, otherwise)
		return
	case len(tests) == 0 && usedUp(otherwise) == nil:
		e.otherwise(g, otherwise)
		return
	}
	var cases []routeCase
	var last func(*jen.Group)
	for i, t := range tests {
		if i == len(tests)-1 && otherwise.Kind == plan.Never {
			last = func(g *jen.Group) { follow(g, t.Transition) }
			break
		}
		cases = append(cases, routeCase{e.condition(t), func(g *jen.Group) { follow(g, t.Transition) }})
	}
	if used := usedUp(otherwise); used != nil && last == nil {
		cases = append(cases, routeCase{used, func(g *jen.Group) { end(g, eng("Exhausted")) }})
	}
	if last == nil && otherwise.Kind != plan.Terminal {
		last = func(g *jen.Group) { e.otherwise(g, otherwise) }
	}
	chosen(g, cases, last)
}

// A routeCase is a condition, and what is done where it is the first that holds.
type routeCase struct {
	when *jen.Statement
	then func(*jen.Group)
}

// chosen prints a choice between cases, of which the last has no condition; it may be nil. One condition is an if, unless it has a brace:
// that would begin the block.
func chosen(g *jen.Group, cases []routeCase, last func(*jen.Group)) {
	if len(cases) == 1 && !strings.Contains(fmt.Sprintf("%#v", cases[0].when), "{") {
		choice := g.If(cases[0].when).BlockFunc(cases[0].then)
		if last != nil {
			choice.Else().BlockFunc(last)
		}
		return
	}
	g.Switch().BlockFunc(func(g *jen.Group) {
		for _, c := range cases {
			g.Case(c.when).BlockFunc(c.then)
		}
		if last != nil {
			g.Default().BlockFunc(last)
		}
	})
}

// judgedRoutes prints the choice of the next node where a model judges some of the transitions, once
// no other condition holds.
func (e *emitter) judgedRoutes(g *jen.Group, n *plan.Node, tests []plan.Test, first int, otherwise plan.Default) {
	rest := first
	for rest < len(tests) && tests[rest].Judged() {
		rest++
	}
	used := usedUp(otherwise)
	otherwise.UsedUp = nil
	judge := func(g *jen.Group) { e.judgement(g, n, tests[first:rest], tests[rest:], otherwise) }
	if first == 0 && used == nil {
		judge(g)
		return
	}
	var cases []routeCase
	for _, t := range tests[:first] {
		cases = append(cases, routeCase{e.condition(t), func(g *jen.Group) { follow(g, t.Transition) }})
	}
	if used != nil {
		cases = append(cases, routeCase{used, func(g *jen.Group) { end(g, eng("Exhausted")) }})
	}
	chosen(g, cases, judge)
}

// choiceOnly returns what all tests compare when it is one choice and nothing else.
func choiceOnly(tests []plan.Test) *jen.Statement {
	if !plan.ChoiceAlone(tests) {
		return nil
	}
	switch tests[0].Kind {
	case plan.Goto:
		return jen.Id("to")
	case plan.Label:
		return jen.Id("label")
	}
	return output(tests[0].Field)
}

// choice prints a switch over a label, a goto, an enum or a text.
func (e *emitter) choice(g *jen.Group, n *plan.Node, subject *jen.Statement, tests []plan.Test, otherwise plan.Default) {
	g.Switch(subject).BlockFunc(func(g *jen.Group) {
		for i, t := range tests {
			if i == len(tests)-1 && otherwise.Kind == plan.Never {
				g.Default().BlockFunc(func(g *jen.Group) { follow(g, t.Transition) })
				return
			}
			values := []jen.Code{jen.Id(t.Const)}
			switch t.Kind {
			case plan.Value:
				values[0] = constant(t.Field.Type.Base(), t.Const)
			case plan.RouteText:
				values = literals(t.Texts)
			}
			g.Case(values...).BlockFunc(func(g *jen.Group) { follow(g, t.Transition) })
		}
		if e.m.RejectsByDefault(n) {
			g.Default().BlockFunc(func(g *jen.Group) {
				g.Id("r").Dot("Reject").Call(subject.Clone())
				e.otherwise(g, otherwise)
			})
			return
		}
		e.defaultCase(g, otherwise)
	})
}

// follow prints that a transition is followed.
func follow(g *jen.Group, w *plan.Transition) {
	if w.To == nil {
		if w.Empties != nil {
			g.Id("r").Dot(w.Empties.Kept.Field).Op("=").Add(zero(w.Empties.Out))
		}
		end(g, jen.Id(w.Const))
		return
	}
	g.List(jen.Id("next"), jen.Id("transition")).Op("=").List(jen.Id(w.To.Const), jen.Id(w.Const))
}

// end prints a transition to the end, the default of next.
func end(g *jen.Group, transition jen.Code) { g.Id("transition").Op("=").Add(transition) }

// defaultCase prints what a switch does where no transition is taken.
func (e *emitter) defaultCase(g *jen.Group, d plan.Default) {
	if d.Kind != plan.Terminal {
		g.Default().BlockFunc(func(g *jen.Group) { e.otherwise(g, d) })
	}
}

// otherwise prints rule 7.
func (e *emitter) otherwise(g *jen.Group, d plan.Default) {
	switch d.Kind {
	case plan.Terminal: // the transition unless another is assigned
	case plan.Exhausted:
		end(g, eng("Exhausted"))
	case plan.End:
		end(g, eng("NoRoute"))
	default:
		g.Add(fail(jen.Id("r").Dot("NoMatch").Call()))
		g.Continue()
	}
}

// usedUp is the case of a node whose every edge has been followed as often as it may:
// of edges between the same nodes, the one with the greatest bound decides.
func usedUp(d plan.Default) *jen.Statement {
	var last []*plan.Transition
	for _, w := range d.UsedUp {
		i := slices.IndexFunc(last, func(have *plan.Transition) bool { return have.Pair == w.Pair })
		switch {
		case i < 0:
			last = append(last, w)
		case w.Max > last[i].Max:
			last[i] = w
		}
	}
	var closed []*jen.Statement
	for _, w := range last {
		closed = append(closed, shut(w))
	}
	return all(closed)
}

// all joins conditions; none is nil.
func all(conditions []*jen.Statement) *jen.Statement {
	var out *jen.Statement
	for _, c := range conditions {
		if out == nil {
			out = jen.Add(c)
			continue
		}
		out = out.Op("&&").Add(c)
	}
	return out
}

func open(w *plan.Transition) *jen.Statement {
	return jen.Id("r").Dot("Open").Call(jen.Id(w.Const))
}

// condition is when a transition is taken. One that is used up is excluded
// before its condition is evaluated.
func (e *emitter) condition(t plan.Test) *jen.Statement {
	w := t.Transition
	conditions := []*jen.Statement{mayTake(w)}
	if w.Max > 0 {
		conditions = append(conditions, open(w))
	}
	conditions = append(conditions, e.passes(t))
	return all(slices.DeleteFunc(conditions, func(c *jen.Statement) bool { return c == nil }))
}

// passes is the test itself, nil for one that is always passed.
func (e *emitter) passes(t plan.Test) *jen.Statement {
	switch t.Kind {
	case plan.If:
		if t.Cond.Func == "" {
			return e.inPlace(t)
		}
		return conditionCall(t.Cond)
	case plan.Goto:
		return jen.Id("to").Op("==").Id(t.Const)
	case plan.Label:
		return jen.Id("label").Op("==").Id(t.Const)
	case plan.Equals, plan.Value:
		return present(t.Field, func(v *jen.Statement) *jen.Statement { return equals(t.Field, v, t.Const) })
	case plan.AtLeast:
		return present(t.Field, func(v *jen.Statement) *jen.Statement {
			if t.Field.Type.Base().Kind == resolve.Int {
				v = jen.Float64().Call(v)
			}
			return v.Op(">=").Op(t.Const)
		})
	case plan.True:
		return present(t.Field, func(v *jen.Statement) *jen.Statement { return v })
	case plan.NotEmpty:
		return present(t.Field, func(v *jen.Statement) *jen.Statement { return v.Op("!=").Add(empty(t.Field)) })
	case plan.RouteEnum:
		named := present(t.Field, func(v *jen.Statement) *jen.Statement { return v.Op("==").Add(constant(t.Field.Type.Base(), t.Const)) })
		return all(append(absent(t.Absent), named))
	case plan.Calls:
		return transcript(t.Transition.From).Dot("Calls").CallFunc(func(g *jen.Group) {
			for _, tool := range t.Texts {
				g.Lit(tool)
			}
		})
	case plan.RouteText:
		alone := len(t.Absent) == 0 && t.Field.Type.Kind != resolve.Optional
		named := present(t.Field, func(v *jen.Statement) *jen.Statement { return oneOf(v, t.Texts, alone) })
		return all(append(absent(t.Absent), named))
	}
	return nil
}

// oneOf compares a string with texts. Beside other conditions it needs parentheses.
func oneOf(v *jen.Statement, texts []string, alone bool) *jen.Statement {
	var out *jen.Statement
	for _, text := range texts {
		is := v.Clone().Op("==").Lit(text)
		if out == nil {
			out = is
			continue
		}
		out = out.Op("||").Add(is)
	}
	if alone || len(texts) == 1 {
		return out
	}
	return jen.Parens(out)
}

func equals(f *resolve.Field, v *jen.Statement, value string) *jen.Statement {
	switch f.Type.Base().Kind {
	case resolve.Bool:
		if value == "false" {
			return jen.Op("!").Add(v)
		}
		return v
	case resolve.Enum:
		return v.Op("==").Add(constant(f.Type.Base(), value))
	}
	return v.Op("==").Op(value)
}

// output is a field of the output, or the output itself where the test is of the whole.
func output(f *resolve.Field) *jen.Statement {
	if f.GoName == "" {
		return jen.Id("out")
	}
	return jen.Id("out").Dot(f.GoName)
}

// present is a test of an output field that holds only if the field is there.
func present(f *resolve.Field, test func(*jen.Statement) *jen.Statement) *jen.Statement {
	v := output(f)
	if f.Type.Kind == resolve.Optional {
		return v.Clone().Op("!=").Nil().Op("&&").Add(test(jen.Op("*").Add(v)))
	}
	return test(v)
}

// absent is the conditions that the route fields before one name nothing.
func absent(fields []*resolve.Field) []*jen.Statement {
	var out []*jen.Statement
	for _, f := range fields {
		v := jen.Id("out").Dot(f.GoName)
		if f.Type.Kind == resolve.Optional {
			out = append(out, v.Op("==").Nil())
			continue
		}
		out = append(out, v.Op("==").Add(empty(f)))
	}
	return out
}

// empty is the value of a string or enum that names nothing.
func empty(f *resolve.Field) *jen.Statement {
	if t := f.Type.Base(); t.Kind == resolve.Enum {
		return unset(t)
	}
	return jen.Lit("")
}

// reject prints the failure of a node whose route field, a string, names no target.
func (e *emitter) reject(g *jen.Group, r plan.Reject) {
	v := jen.Id("out").Dot(r.Field.GoName)
	if r.Field.Type.Kind == resolve.Optional {
		v = jen.Op("*").Add(v)
	}
	known := append([]jen.Code{jen.Lit("")}, literals(r.Texts)...)
	check := jen.Switch(v.Clone()).Block(
		jen.Case(known...),
		jen.Default().Block(jen.Id("r").Dot("Reject").Call(v.Clone())),
	)
	conditions := absent(r.Absent)
	if r.Field.Type.Kind == resolve.Optional {
		conditions = append(conditions, jen.Id("out").Dot(r.Field.GoName).Op("!=").Nil())
	}
	if len(conditions) == 0 {
		g.Add(check)
		return
	}
	g.If(all(conditions)).Block(check)
}
