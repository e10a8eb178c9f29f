package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// lowerRouting turns what a run tries after each outcome of a node into tests.
func (l *lowering) lowerRouting(n *cfg.Node) {
	node := l.nodes[n.Spec]
	tests := l.lowerTried(n, node)
	list := func(o cfg.Outcome) []Test {
		var out []Test
		for _, t := range n.On[o] {
			if test := tests[t]; test != nil && t.Rule != cfg.ByToolLoop {
				out = append(out, *test)
			}
		}
		return out
	}
	if p, is := node.Work.(*Prompt); is {
		if called := n.By(cfg.ByToolLoop); len(called) > 0 {
			p.ToolLoop = l.transitions[called[0]]
		}
		p.Called = list(cfg.CalledTools)
	}
	node.Routes.Tests, node.Routes.Default = list(cfg.Succeeded), l.defaultOf(n, cfg.Succeeded)
	if n.Soft {
		node.Routes.Tests, node.Routes.Default = list(cfg.SoftFailed), l.defaultOf(n, cfg.SoftFailed)
	}
	l.lowerChoices(n, node)
	if n.Skip {
		node.Routes.SkipTests, node.Routes.SkipDefault = list(cfg.Skipped), l.defaultOf(n, cfg.Skipped)
	}
	l.m.markClosable(node)
	node.Routes.GuardFail = list(cfg.Refused)
	if n.Else[cfg.Refused] == cfg.Never {
		node.Policy.GuardRetries = 0 // a transition that is always open precedes a retry
	}
	node.Routes.OverBudget, node.Routes.Failed = list(cfg.Spent), list(cfg.Failed)
	if failed := n.Keyed("transition error"); failed != nil {
		node.Routes.ErrorTo = l.transitions[failed]
		node.Routes.Failed = slices.DeleteFunc(node.Routes.Failed, func(t Test) bool { return t.Transition == node.Routes.ErrorTo })
	}
}

// lowerTried adds the transitions of a node to the table, those that no outcome tries left out,
// and makes a test of each.
func (l *lowering) lowerTried(n *cfg.Node, node *Node) map[*cfg.Transition]*Test {
	tests := map[*cfg.Transition]*Test{}
	tried := map[*cfg.Transition]bool{}
	for _, list := range n.On {
		for _, t := range list {
			tried[t] = true
		}
	}
	for _, t := range n.Leaving {
		if tried[t] {
			l.transition(t)
			tests[t] = l.lowerTest(n, node, t)
		}
	}
	return tests
}

// lowerTest makes the test of a transition.
func (l *lowering) lowerTest(n *cfg.Node, node *Node, t *cfg.Transition) *Test {
	test := &Test{Transition: l.transitions[t]}
	c := t.Cond
	switch c.Kind {
	case cfg.If:
		test.Kind, test.Cond = If, l.expression(n.Spec, c.Expr)
		if !test.Cond.short() {
			l.function(test.Cond, l.name(test.Transition.Const+"If"), "reports whether the edge from "+node.Name+" to "+nameOf(test.Transition.To)+" is taken.")
		}
	case cfg.Equals:
		test.Kind, test.Field, test.Const = Equals, c.Field, literal(c.Field.Type.Base(), c.Value)
	case cfg.AtLeast:
		test.Kind, test.Field, test.Const = AtLeast, c.Field, strconv.FormatFloat(c.Least, 'g', -1, 64)
	case cfg.Uncalled:
		test.Uncalled = true
	case cfg.Calls:
		test.Kind, test.Texts = Calls, c.Tools
	case cfg.Judged:
		test.Kind, test.Text, test.Shown = When, strings.TrimSpace(c.Text), t.Edge.Shown
	case cfg.Label:
		l.lowerLabel(node, test, t)
	case cfg.Named:
		l.lowerNamed(node, test, t)
	case cfg.Holds:
		test.Kind, test.Field = NotEmpty, c.Field
		if c.Field.Type.Base().Kind == resolve.Bool {
			test.Kind = True
		}
	}
	return test
}

// lowerLabel makes the test of a label of a branch table.
func (l *lowering) lowerLabel(node *Node, test *Test, t *cfg.Transition) {
	test.Transition.Case = t.Cond.Text
	if t.Cond.Field != nil {
		test.Kind, test.Field, test.Const = Value, t.Cond.Field, t.Edge.Enum().Value(t.Cond.Text).Const
		return
	}
	test.Kind, test.Const = Label, node.Const+"Branch"+goname.Exported(t.Cond.Text)
}

// lowerNamed makes the test of a target that the handler names, or a value of the output.
func (l *lowering) lowerNamed(node *Node, test *Test, t *cfg.Transition) {
	field := t.Choice.Field
	switch {
	case field == nil:
		test.Kind, test.Const = Goto, node.Const+"Goto"+test.Transition.target()
	case field.Type.Base().Kind == resolve.Enum:
		test.Kind, test.Field, test.Absent = RouteEnum, field, t.Choice.Absent
		test.Const = field.Type.Base().Value(t.Cond.Text).Const
	default:
		test.Kind, test.Field, test.Absent = RouteText, field, t.Choice.Absent
		for _, same := range t.Choice.Members {
			if same == t || same.First == t {
				test.Texts = append(test.Texts, same.Cond.Text)
			}
		}
	}
}

// lowerChoices plans the types of what a handler chooses, and what has to hold for the output's
// route fields.
func (l *lowering) lowerChoices(n *cfg.Node, node *Node) {
	for _, c := range n.Choices {
		switch {
		case c.Rule == cfg.ByRoute:
			l.lowerRoute(node, c)
		case c.Rule == cfg.ByGoto:
			l.lowerGoto(n, node, c)
		case c.Edge != nil && c.Field != nil:
			required := !c.Edge.MayLack()
			node.Choices.By = &By{Field: c.Field, Required: required, Checked: required && !n.Spec.Asks && n.Spec.Kind.By != spec.ByPerson}
		case c.Edge != nil:
			choice := &ChoiceType{
				GoName: node.Const + "Branch", What: "branch label", Required: true,
				Doc: "a label by which node " + node.Name + " branches.",
			}
			for _, t := range c.Members {
				choice.Values = append(choice.Values, ChoiceValue{Name: t.Cond.Text, Const: choice.GoName + goname.Exported(t.Cond.Text)})
			}
			node.Choices.Branch = choice
		}
	}
}

// lowerRoute plans what a route field may hold.
func (l *lowering) lowerRoute(node *Node, c *cfg.Choice) {
	if c.Required {
		node.Choices.MustRoute, node.Choices.MustAbsent = c.Field, c.Absent
	}
	if c.Field.Type.Base().Kind != resolve.String {
		return
	}
	r := Reject{Field: c.Field, Absent: c.Absent}
	for _, t := range c.Members {
		r.Texts = append(r.Texts, t.Cond.Text)
		if !t.Alias {
			r.Offered = append(r.Offered, t.Cond.Text)
		}
	}
	node.Choices.Rejects = append(node.Choices.Rejects, r)
}

// lowerGoto plans what a handler may name as the next node.
func (l *lowering) lowerGoto(n *cfg.Node, node *Node, c *cfg.Choice) {
	if !slices.Contains(n.On[cfg.Succeeded], c.Members[0]) && !n.Soft {
		return // a route field always names one
	}
	choice := &ChoiceType{GoName: node.Const + "Goto", What: "goto",
		Doc: "the next node that the handler of node " + node.Name + " may choose; the zero value chooses none."}
	if c.Required {
		choice.What, choice.Required = "route", true
		choice.Doc = "a route of node " + node.Name + "."
	}
	for _, t := range c.Members {
		to := cmp.Or(goname.Exported(t.End), l.node(t.Target()).method())
		choice.Values = append(choice.Values, ChoiceValue{Name: t.Cond.Text, Const: choice.GoName + to})
	}
	node.Choices.Goto = choice
}

// defaultOf is what happens after an outcome when none of its tests is taken.
func (l *lowering) defaultOf(n *cfg.Node, o cfg.Outcome) Default {
	d := Default{Kind: defaults[n.Else[o]]}
	if d.Kind == Error || d.Kind == End {
		for _, t := range n.UsedUp {
			d.UsedUp = append(d.UsedUp, l.transitions[t])
		}
	}
	return d
}

// defaults are what a run does where package cfg has an Else after a success. A spec that does
// not state what it does is refused unless that cannot happen.
var defaults = map[cfg.Else]DefaultKind{
	cfg.Never: Never, cfg.Completes: Terminal, cfg.Exhausts: Exhausted, cfg.Errors: Error, cfg.Ends: End, cfg.Unstated: Error,
}

func literal(t *resolve.Type, v spec.Scalar) string {
	switch t.Kind {
	case resolve.String:
		return strconv.Quote(v.Text)
	case resolve.Enum:
		return t.Value(v.Text).Const
	}
	return strings.ToLower(v.Text)
}

// condition plans a condition on what a node gives, and its function.
func (l *lowering) condition(n *resolve.Node, name, doc string, e *expr.Expr) *Condition {
	c := l.expression(n, e)
	l.function(c, name, doc)
	return c
}

// short reports whether an edge has the condition in its case: the expression has one line, and what it looks at is
// there under the same names. A function costs the Go compiler memory, and a large graph has many conditions.
func (c *Condition) short() bool {
	return (c.UsesOut && c.Out != nil || c.UsesEvals && c.Verdicts != nil) && !c.UsesState && !c.UsesResult && len(c.Imports) == 0 &&
		!strings.Contains(c.Expr, "\n")
}

// expression plans a condition without a function.
func (l *lowering) expression(n *resolve.Node, e *expr.Expr) *Condition {
	uses := e.Uses()
	c := &Condition{
		Expr: e.Source(), Place: place(e.Written.Pos), Out: e.Scope.Out, Verdicts: n.Verdicts,
		UsesOut: uses.Name("out"), UsesState: uses.Name("state"), UsesResult: uses.Name("res"), UsesEvals: uses.Name("evals"),
		Imports: uses.Imports(l.g),
	}
	if e.Want != expr.Bool {
		c.Result = e.Want
		if e.Typed().Elem {
			c.Result = e.Want.Elem
		}
	}
	return c
}

// function gives a condition a function of its own.
func (l *lowering) function(c *Condition, name, doc string) {
	c.Func, c.Doc = name, doc
	l.m.Flow.Conditions = append(l.m.Flow.Conditions, c)
}

func nameOf(n *Node) string {
	if n == nil {
		return spec.End
	}
	return n.Name
}
