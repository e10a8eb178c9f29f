package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// conditionPasses judge the Go expressions of if edges, and the built-in conditions on an
// output. A condition is judged once, up to its first mistake; every pass reports those
// of its own code.
var conditionPasses = []Pass{
	{run: conditionsWith("GG070"), Rule: diag.Rule{
		Code: "GG070", Name: "condition-syntax",
		Doc:  "A condition is one Go expression on one line: no statement, no comment, no line break, nothing behind it.",
		Bad:  conditionExample("out.Score > 0.8 and out.Done"),
		Good: conditionExample("out.Score > 0.8 && out.Done"),
	}},
	{run: conditionsWith("GG071"), Rule: diag.Rule{
		Code: "GG071", Name: "condition-forbidden",
		Doc:  "A condition does what it may not. It may compare and calculate, convert, call len, cap, min, max, String of an enum and Error of res.Err, and the pure functions and methods of math, slices, strings, time and unicode/utf8 that take no function and look at no clock. Whatever could have an effect, or depend on anything but out, state and res, belongs into a handler.",
		Bad:  conditionExample("time.Now().Hour() > 8"),
		Good: conditionExample("out.Score > 0.8"),
	}},
	{run: conditionsWith("GG072"), Rule: diag.Rule{
		Code: "GG072", Name: "condition-name",
		Doc:  "A condition names what there is not: a field that the type lacks, an unknown constant or function. Fields and constants have their Go names there: create_pr is CreatePR.",
		Bad:  conditionExample("out.score > 0.8"),
		Good: conditionExample("out.Score > 0.8"),
	}},
	{run: conditionsWith("GG073"), Rule: diag.Rule{
		Code: "GG073", Name: "condition-without-output",
		Doc:  "A condition refers to out, but the node that the edge leaves has no output.",
		Bad:  "graph: g\nentry: a\nno_match: end\nstate: {done: bool}\ninput: [done]\nnodes:\n  a: {}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Done}\n",
		Good: "graph: g\nentry: a\nno_match: end\nstate: {done: bool}\ninput: [done]\nnodes:\n  a: {}\n  b: {}\nedges:\n  - {from: a, to: b, if: state.Done}\n",
	}},
	{run: conditionsWith("GG074"), Rule: diag.Rule{
		Code: "GG074", Name: "condition-type",
		Doc:  "A condition mixes types: it compares a number with a text, calculates with an optional value, gives a function what it does not take.",
		Bad:  conditionExample("out.Done == 1"),
		Good: conditionExample("out.Done"),
	}},
	{run: conditionsWith("GG075"), Rule: diag.Rule{
		Code: "GG075", Name: "condition-not-bool",
		Doc:  "A condition is an expression, but neither true nor false.",
		Bad:  conditionExample("out.Score"),
		Good: conditionExample("out.Score > 0"),
	}},
	{run: conditionsWith("GG076"), Rule: diag.Rule{
		Code: "GG076", Name: "condition-constant",
		Doc:  "A condition, or a part of it, is always true or always false: it depends on nothing, says one thing twice, or asks one value to be two. An edge that is always taken needs no condition.",
		Bad:  conditionExample("1 < 2"),
		Good: conditionExample("1 < out.Score"),
	}},
	{run: conditionsWith("GG300"), Rule: diag.Rule{
		Code: "GG300", Name: "condition-vet",
		Doc:  "A condition is one that go vet reports in generated code: a layout of a date with the day before the month, 2006-02-01, or a struct of another package whose fields are not named.",
		Bad:  dateExample("2006-02-01"),
		Good: dateExample("2006-01-02"),
	}},
	outputMatchPass, confidencePass, transitionKeyPass,
}

// dateExample is a spec with a condition that writes a time in a layout.
func dateExample(layout string) string {
	return "graph: g\nentry: a\nno_match: end\nstate: {due: time}\ninput: due\nnodes:\n  a: {reads: due}\n  b: {}\nedges:\n  - {from: a, to: b, if: 'state.Due.Format(\"" + layout + "\") > \"2026\"'}\n"
}

// conditionExample is a spec with one condition.
func conditionExample(expr string) string {
	return "graph: g\nentry: a\nno_match: end\nnodes:\n  a: {output: {score: float, done: bool}}\n  b: {}\nedges:\n  - {from: a, to: b, if: \"" + expr + "\"}\n"
}

// A condition is the judged if of an edge.
type condition struct {
	edge *resolve.Edge
	expr *expr.Expr
	tree ast.Expr // nil: the expression has a flaw in its form
	info types.Info
	flaw *flaw // nil: it can be generated

	unsure bool // it depends on a type that is not known
	eval   bool // it is that of an eval, which sees no others
}

// ends reports whether the condition is the one that ends a loop.
func (c *condition) ends() bool {
	from := c.edge.From
	return !c.eval && from != nil && from.Spec.Until.IsSet() && c.edge.Spec.If.Pos == from.Spec.Until.Pos
}

// A flaw is the first mistake of a condition.
type flaw struct {
	code          string
	offset, width int // bytes of the expression; width 0: all of it
	message, help string
}

// judged holds the conditions of a graph by edge.
type judged struct {
	scope *scope
	list  []*condition
	of    map[*resolve.Edge]*condition
	until map[*resolve.Node]*resolve.Edge // the condition of a loop, as that of an edge
	gaps  map[*resolve.Node]*gap          // what the ways of a node leave open; nil: nothing
	lines []string                        // of the file
	meant map[string]bool                 // nodes that edges from unknown ones may have been meant to leave
}

// conditions judges all conditions the first time that a pass asks.
func (c *context) conditions() *judged {
	if c.judged != nil {
		return c.judged
	}
	c.judged = &judged{of: map[*resolve.Edge]*condition{}, until: map[*resolve.Node]*resolve.Edge{}, gaps: map[*resolve.Node]*gap{}}
	read := map[*resolve.Edge]*expr.Expr{}
	for _, t := range c.cfg.Transitions {
		if t.Cond.Kind == cfg.If {
			read[t.Edge] = t.Cond.Expr
		}
	}
	for _, e := range c.graph.Edges {
		if written(e.Spec.If) {
			x := read[e]
			if x == nil { // the edge is no transition
				x = expr.Read(e.Spec.If)
			}
			c.judged.of[e] = c.judgeCondition(e, x, false)
		}
	}
	for _, n := range c.graph.All() {
		if written(n.Spec.Until) && n.Body != nil {
			// A loop ends as by an edge: it sees the same.
			e := &resolve.Edge{Spec: &spec.Edge{Pos: n.Spec.Until.Pos, If: n.Spec.Until}, From: n}
			c.judged.of[e] = c.judgeCondition(e, c.cfg.Node(n).Until, false)
			c.judged.until[n] = e
		}
		c.evalConditions(n)
	}
	return c.judged
}

// naming are the codes of conditions that name what there is not.
var naming = map[string]bool{"GG072": true, "GG073": true, "GG074": true}

func (c *context) judgeCondition(e *resolve.Edge, x *expr.Expr, eval bool) *condition {
	cond := &condition{edge: e, expr: x, eval: eval}
	cond.judge(c.visible())
	if f := cond.flaw; f != nil && naming[f.code] && c.namesLost() {
		cond.flaw, cond.unsure = nil, true
	}
	c.judged.list = append(c.judged.list, cond)
	return cond
}

// namesLost reports whether what conditions name could not be read: the state, a type, or
// the files whose types are used.
func (c *context) namesLost() bool {
	if c.spec.Unread && (len(c.spec.State) == 0 || len(c.spec.Types) == 0 || c.usesLost()) {
		return true
	}
	return slices.ContainsFunc(c.spec.Types, func(d *spec.TypeDecl) bool {
		return d.Type != nil && d.Type.Kind == spec.TypeNamed && d.Type.Name == ""
	})
}

// visible is what conditions may name.
func (c *context) visible() *scope {
	if c.judged.scope == nil {
		c.judged.scope = newScope(c.graph)
		c.judged.scope.anyLost = c.usesLost()
	}
	return c.judged.scope
}

// conditionsWith is the pass that reports the mistakes of one code.
func conditionsWith(code string) func(*context) {
	return func(c *context) {
		for _, cond := range c.conditions().list {
			if f := cond.flaw; f != nil && f.code == code {
				c.report(c.within(cond.edge.Spec.If, f), f.message, f.help)
			}
		}
	}
}

// judge looks for the first mistake of a condition.
func (cond *condition) judge(s *scope) {
	if cond.flaw = cond.parse(); cond.flaw != nil {
		return
	}
	w := &reading{scope: s, cond: cond, names: types.NewPackage("condition", "condition")}
	if cond.flaw = w.read(); cond.flaw != nil || cond.unsure {
		return
	}
	cond.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(token.NewFileSet(), w.names, token.NoPos, cond.tree, &cond.info); err != nil {
		cond.flaw = w.reword(err)
		return
	}
	for _, rule := range []func() *flaw{w.calls, w.comparisons, w.truth, w.repeats, w.shifts, w.layouts, w.unkeyed} {
		if cond.flaw = rule(); cond.flaw != nil {
			return
		}
	}
}

func (cond *condition) text() string { return cond.edge.Spec.If.V }

// parse looks for a flaw in the form of the expression.
func (cond *condition) parse() *flaw {
	text := cond.text()
	switch {
	case len(text) > expr.Longest:
		return &flaw{code: "GG070", message: "the condition is too long", help: "decide in the handler, and let the condition look at what it decided"}
	case strings.ContainsAny(text, "\n\r"):
		return &flaw{code: "GG070", message: "the condition has a line break", help: "write it on one line, or decide in the handler"}
	}
	if at := commentIn(text); at >= 0 {
		return &flaw{code: "GG070", offset: at, width: len(text) - at, message: "a condition cannot hold a comment", help: "write the comment in YAML, behind #"}
	}
	if cond.expr.Err != nil {
		return syntaxFlaw(text, cond.expr.Err)
	}
	cond.tree = cond.expr.Tree
	return nil
}

// span marks a part of the expression. It is parsed alone, so its positions count from 1.
func span(code string, n ast.Node, message, help string) *flaw {
	return &flaw{code: code, offset: int(n.Pos()) - 1, width: int(n.End() - n.Pos()), message: message, help: help}
}
