package plan

import (
	"go/ast"
	"go/parser"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// lowerRouting turns the ways on from a node into tests, in the order of the rules.
func (l *lowering) lowerRouting(n *resolve.Node, node *Node, r *resolve.Routing) {
	if r.ToolLoop {
		at := n.Spec.Prompt.ToolsPos
		if !at.IsSet() {
			at = n.Spec.Name.Pos // the tools are injected
		}
		node.ToolLoop = l.way(node, node, "tool loop", "tool calls", at)
	}
	for _, e := range r.Called {
		w := l.edgeWay(node, l.node(e.To), "edge", "on tool_call", e, e.Spec.To.Pos)
		node.Called = append(node.Called, Test{Kind: Always, Way: w})
	}
	node.Called = untilCertain(node.Called)
	l.lowerRoute(node, r)
	routed, decides := len(node.Tests), r.RouteDecides() && !node.Soft
	if !decides || node.Skip {
		l.lowerRest(n, node, r)
	}
	node.Tests = untilCertain(node.Tests)
	l.m.markClosable(node)
	if node.Skip {
		node.SkipTests = untilCertain(unconditional(node.Tests))
		node.SkipDefault = defaultOf(node, node.SkipTests, r)
	}
	if decides {
		node.Tests = node.Tests[:routed]
	}
	node.Default = defaultOf(node, node.Tests, r)
	l.lowerFailures(node, r)
}

// lowerRest is rules 3 to 6.
func (l *lowering) lowerRest(n *resolve.Node, node *Node, r *resolve.Routing) {
	l.lowerGoto(n, node, r)
	for _, e := range r.Edges {
		l.lowerEdge(n, node, e)
	}
	for _, t := range r.Transitions {
		if t.Field == nil {
			continue
		}
		test := Test{Kind: NotEmpty, Field: t.Field}
		if t.Field.Type.Base().Kind == resolve.Bool {
			test.Kind = True
		}
		test.Way = l.way(node, l.node(t.To.To), "transition", "transition "+t.Key.V, t.To.Name.Pos)
		node.Tests = append(node.Tests, test)
	}
	if r.Next != nil {
		key := "next"
		if n.Kind == "guard" && n.Spec.OnPass.IsSet() {
			key = "on_pass"
		}
		w := l.way(node, l.node(r.Next.To), "next", key, r.Next.Name.Pos)
		node.Tests = append(node.Tests, Test{Kind: Always, Way: w})
	}
}

// lowerRoute is rule 2.
func (l *lowering) lowerRoute(node *Node, r *resolve.Routing) {
	var before []*resolve.Field
	for _, route := range r.Route {
		ways := map[*Node]int{}
		var texts, offered []string
		for _, c := range route.Choices {
			to := l.node(c.To)
			texts = append(texts, c.Value)
			if !c.Alias {
				offered = append(offered, c.Value)
			}
			if route.Field.Type.Base().Kind == resolve.Enum {
				t := Test{Kind: RouteEnum, Field: route.Field, Absent: before}
				t.Const = route.Field.Type.Base().Value(c.Value).Const
				t.Way = l.way(node, to, "route", route.Field.Name+" "+c.Value, c.Pos)
				node.Tests = append(node.Tests, t)
				continue
			}
			if i, ok := ways[to]; ok {
				node.Tests[i].Texts = append(node.Tests[i].Texts, c.Value)
				continue
			}
			ways[to] = len(node.Tests)
			w := l.way(node, to, "route", route.Field.Name+" "+c.Value, route.Field.Spec.Name.Pos)
			node.Tests = append(node.Tests, Test{Kind: RouteText, Field: route.Field, Way: w, Texts: []string{c.Value}, Absent: before})
		}
		if route.Field.Type.Base().Kind == resolve.String {
			node.Rejects = append(node.Rejects, Reject{Field: route.Field, Texts: texts, Offered: offered, Absent: before})
		}
		if route.Field.Type.Kind == resolve.Enum {
			node.MustRoute, node.MustAbsent = route.Field, before
			return
		}
		before = append(slices.Clip(before), route.Field)
	}
}

// lowerGoto is rule 3, and the choice of a router.
func (l *lowering) lowerGoto(n *resolve.Node, node *Node, r *resolve.Routing) {
	if len(r.Goto) == 0 {
		return
	}
	c := &ChoiceType{GoName: node.Const + "Goto", What: "goto", Doc: "what the handler of node " + node.Name + " may name as the next node; the zero value names none."}
	if n.Kind == "router" {
		c.What, c.Required = "route", true
		c.Doc = "the routes of node " + node.Name + "."
	}
	for _, g := range r.Goto {
		to := l.node(g.To)
		value := ChoiceValue{Name: g.Name.V, Const: c.GoName + to.method()}
		c.Values = append(c.Values, value)
		w := l.way(node, to, "goto", c.What+" "+g.Name.V, g.Name.Pos)
		node.Tests = append(node.Tests, Test{Kind: Goto, Way: w, Const: value.Const})
	}
	node.Goto = c
}

// lowerEdge is rule 4: one test, or one per label of a branch table.
func (l *lowering) lowerEdge(n *resolve.Node, node *Node, e *resolve.Edge) {
	s := e.Spec
	if e.Table() {
		l.lowerBranch(node, e)
		return
	}
	to := l.node(e.To)
	t := Test{Kind: Always}
	text, pos := "", s.To.Pos
	switch {
	case s.If.IsSet():
		t.Kind = If
		text = "if " + s.If.V
	case s.OnOutput != nil:
		t.Kind, t.Field = Equals, n.Out.Field(s.OnOutput.Key.V)
		t.Const = literal(t.Field.Type.Base(), s.OnOutput.Value)
		text = "on_output " + s.OnOutput.Key.V + ": " + s.OnOutput.Value.Text
	case s.On.V == "no_tool_call":
		t.Uncalled, text = true, "on no_tool_call"
	case s.When.IsSet():
		t.Kind, t.Text = When, strings.TrimSpace(s.When.V)
		text, pos = "when "+t.Text, s.When.Pos
	case s.OnConfidence.IsSet():
		t.Kind, t.Field = AtLeast, n.Out.Field("confidence")
		t.Const = strconv.FormatFloat(s.OnConfidence.V, 'g', -1, 64)
		text = "on_confidence " + t.Const
	}
	if s.If.IsSet() {
		pos = s.If.Pos
	}
	t.Way = l.edgeWay(node, to, "edge", text, e, pos)
	if t.Kind == If {
		t.Cond = l.condition(n, t.Way, s.If)
	}
	node.Tests = append(node.Tests, t)
}

// lowerBranch makes one test for each label of a branch table.
func (l *lowering) lowerBranch(node *Node, e *resolve.Edge) {
	c := &ChoiceType{
		GoName: node.Const + "Branch", What: "branch label", Required: true,
		Doc: "the labels by which node " + node.Name + " branches.",
	}
	for i, label := range e.Spec.Branch {
		w := l.edgeWay(node, l.node(e.Branch[i]), "edge", e.LabelText(i), e, label.To.Pos)
		if w.Label == "" {
			w.Label = label.Name.V
		}
		if e.By != nil {
			node.Tests = append(node.Tests, Test{Kind: Value, Way: w, Field: e.By, Const: e.Enum().Value(label.Name.V).Const})
			continue
		}
		value := ChoiceValue{Name: label.Name.V, Const: c.GoName + goname.Exported(label.Name.V)}
		c.Values = append(c.Values, value)
		node.Tests = append(node.Tests, Test{Kind: Label, Way: w, Const: value.Const})
	}
	if e.By != nil {
		node.By = &By{Field: e.By, Required: !e.MayLack(), Checked: !e.MayLack() && !e.From.Asks && e.From.Kind != "human"}
		return
	}
	node.Branch = c
}

// lowerFailures is what a failed node and one with failed guards do.
func (l *lowering) lowerFailures(node *Node, r *resolve.Routing) {
	for _, e := range r.GuardFail {
		w := l.edgeWay(node, l.node(e.To), "guard fail", "on guard_fail", e, e.Spec.To.Pos)
		node.GuardFail = append(node.GuardFail, Test{Kind: Always, Way: w})
	}
	if r.OnFail != nil {
		w := l.way(node, l.node(r.OnFail.To), "guard fail", "on_fail", r.OnFail.Name.Pos)
		node.GuardFail = append(node.GuardFail, Test{Kind: Always, Way: w})
	}
	node.GuardFail = untilCertain(node.GuardFail)
	if last := len(node.GuardFail) - 1; last >= 0 && node.GuardFail[last].Way.Max == 0 {
		node.Policy.GuardRetries = 0 // a way that is always open comes before a retry
	}
	for _, e := range r.Failed {
		if node.Critical {
			break // the error transition is still taken when the visits are used up
		}
		w := l.edgeWay(node, l.node(e.To), "error", "on error", e, e.Spec.To.Pos)
		node.Failed = append(node.Failed, Test{Kind: Always, Way: w})
	}
	node.Failed = untilCertain(node.Failed)
	if r.ErrorTo != nil {
		node.ErrorTo = l.way(node, l.node(r.ErrorTo.To), "error", "transition error", r.ErrorTo.Name.Pos)
	}
	if r.Denied != nil {
		node.Denied = l.way(node, l.node(r.Denied.To), "human", "on_deny", r.Denied.Name.Pos)
	}
	if r.Late != nil {
		node.Late = l.way(node, l.node(r.Late.To), "human", "on_timeout", r.Late.Name.Pos)
	}
}

// untilCertain drops the tests behind one that is always taken.
func untilCertain(tests []Test) []Test {
	for i, t := range tests {
		if t.Kind == Always && t.Way.Max == 0 {
			return tests[:i+1]
		}
	}
	return tests
}

func unconditional(tests []Test) []Test {
	return slices.DeleteFunc(slices.Clone(tests), func(t Test) bool { return t.Kind != Always || t.Uncalled })
}

// defaultOf decides what happens when none of the tests is taken, rule 7.
func defaultOf(n *Node, tests []Test, r *resolve.Routing) Default {
	if r.Terminal() {
		return Default{Kind: Terminal}
	}
	if len(tests) > 0 && certain(n, tests) {
		return Default{Kind: Never}
	}
	d := Default{Kind: Error}
	if r.NoMatch == "end" {
		d.Kind = End
	}
	if !r.Exhaustible() {
		return d
	}
	conditional := false
	for _, t := range n.Tests {
		d.UsedUp = append(d.UsedUp, t.Way)
		conditional = conditional || t.Kind != Always
	}
	if !conditional {
		return Default{Kind: Exhausted}
	}
	return d
}

// certain reports whether one of the tests is always taken: an unconditional one, or
// a required choice among unbounded ways.
func certain(n *Node, tests []Test) bool {
	if last := tests[len(tests)-1]; last.Kind == Always && last.Way.Max == 0 {
		return true
	}
	choice := func(kind TestKind, values int) bool {
		open := 0
		for _, t := range tests {
			if t.Kind == kind && t.Way.Max == 0 {
				open++
			}
		}
		return values > 0 && open == values
	}
	switch {
	case n.Soft: // a failed node has chosen nothing
		return false
	case n.MustRoute != nil && len(n.Rejects) == 0 && slices.ContainsFunc(tests, func(t Test) bool { return t.Kind == RouteEnum }):
		return true // a text before it may name what there is not, and a skipped node names nothing
	case n.Goto != nil && n.Goto.Required && choice(Goto, len(n.Goto.Values)):
		return true
	case n.Branch != nil && choice(Label, len(n.Branch.Values)):
		return true
	case n.By != nil && n.By.Required && choice(Value, len(n.By.Field.Type.Values)):
		return true
	}
	return false
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

// conditionPackages are the packages a condition may call, by the name it uses.
var conditionPackages = map[string]string{
	"math": "math", "slices": "slices", "strings": "strings", "time": "time", "utf8": "unicode/utf8",
}

// condition plans the function of an if edge.
func (l *lowering) condition(n *resolve.Node, w *Way, expr spec.String) *Condition {
	return l.conditionOf(n, l.name(w.Const+"If"), "reports whether the edge from "+w.From.Name+" to "+nameOf(w.To)+" is taken.", expr)
}

// conditionOf plans the function of a condition on what a node gives.
func (l *lowering) conditionOf(n *resolve.Node, name, doc string, expr spec.String) *Condition {
	c := &Condition{Func: name, Doc: doc, Expr: strings.TrimSpace(expr.V), Place: place(expr.Pos), Out: n.Out, Verdicts: n.Verdicts}
	l.m.Conditions = append(l.m.Conditions, c)
	tree, err := parser.ParseExpr(c.Expr)
	if err != nil {
		return c
	}
	ast.Inspect(tree, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(x.X, c.note)
			return false
		case *ast.Ident:
			c.note(x)
		}
		return true
	})
	for _, u := range l.g.Spec.Use {
		if path := u.ImportPath(l.g.Spec); path != "" && c.names[u.Name.V] {
			c.Imports = append(c.Imports, resolve.Import{Path: path, Name: u.Name.V})
		}
	}
	if c.UsesOut && c.Out != nil {
		c.Imports = append(c.Imports, c.Out.Imports()...)
	}
	return c
}

// note records what a name in a condition refers to.
func (c *Condition) note(x ast.Node) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		if sel, ok := x.(*ast.SelectorExpr); ok {
			ast.Inspect(sel.X, c.note)
			return false
		}
		return true
	}
	switch id.Name {
	case "out":
		c.UsesOut = true
	case "state":
		c.UsesState = true
	case "res":
		c.UsesResult = true
	case "evals":
		c.UsesEvals = true
	}
	if path, ok := conditionPackages[id.Name]; ok {
		c.Imports = append(c.Imports, resolve.Import{Path: path, Name: id.Name})
	}
	if c.names == nil {
		c.names = map[string]bool{}
	}
	c.names[id.Name] = true
	return true
}

func nameOf(n *Node) string {
	if n == nil {
		return spec.End
	}
	return n.Name
}
