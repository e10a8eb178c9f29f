package check

import (
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// conditionPasses report the mistakes that package expr finds in the conditions of edges, loops
// and evals, each pass those of one kind, and check the built-in conditions on an output.
var conditionPasses = []Pass{
	{run: conditionsWith(expr.Malformed), Rule: diag.Rule{
		Code: "GG070", Name: "condition-syntax",
		Doc:  "A condition is one Go expression on one line: no statement, no comment, no line break, nothing behind it.",
		Bad:  conditionExample("out.Score > 0.8 and out.Done"),
		Good: conditionExample("out.Score > 0.8 && out.Done"),
	}},
	{run: conditionsWith(expr.Forbidden), Rule: diag.Rule{
		Code: "GG071", Name: "condition-forbidden",
		Doc:  "A condition does what it may not. It may compare and calculate, convert, call len, cap, min, max, String of an enum and Error of res.Err, and the pure functions and methods of math, slices, strings, time and unicode/utf8 that take no function and look at no clock. Whatever could have an effect, or depend on anything but out, state and res, belongs into a handler.",
		Bad:  conditionExample("time.Now().Hour() > 8"),
		Good: conditionExample("out.Score > 0.8"),
	}},
	{run: conditionsWith(expr.Unknown), Rule: diag.Rule{
		Code: "GG072", Name: "condition-name",
		Doc:  "A condition names what there is not: a field that the type lacks, an unknown constant or function. Fields and constants have their Go names there: create_pr is CreatePR.",
		Bad:  conditionExample("out.score > 0.8"),
		Good: conditionExample("out.Score > 0.8"),
	}},
	{run: conditionsWith(expr.NoOutput), Rule: diag.Rule{
		Code: "GG073", Name: "condition-without-output",
		Doc:  "A condition refers to out, but the node that the edge leaves has no output.",
		Bad:  "graph: g\nentry: a\nno_match: end\nstate: {done: bool}\ninput: [done]\nnodes:\n  a: {}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Done}\n",
		Good: "graph: g\nentry: a\nno_match: end\nstate: {done: bool}\ninput: [done]\nnodes:\n  a: {}\n  b: {}\nedges:\n  - {from: a, to: b, if: state.Done}\n",
	}},
	{run: conditionsWith(expr.Mismatch), Rule: diag.Rule{
		Code: "GG074", Name: "condition-type",
		Doc:  "A condition mixes types: it compares a number with a text, calculates with an optional value, gives a function what it does not take.",
		Bad:  conditionExample("out.Done == 1"),
		Good: conditionExample("out.Done"),
	}},
	{run: conditionsWith(expr.Unwanted), Rule: diag.Rule{
		Code: "GG075", Name: "condition-not-bool",
		Doc:  "A condition is an expression, but neither true nor false.",
		Bad:  conditionExample("out.Score"),
		Good: conditionExample("out.Score > 0"),
	}},
	{run: conditionsWith(expr.Constant), Rule: diag.Rule{
		Code: "GG076", Name: "condition-constant",
		Doc:  "A condition, or a part of it, is always true or always false: it depends on nothing, says one thing twice, or asks one value to be two. An edge that is always taken needs no condition.",
		Bad:  conditionExample("1 < 2"),
		Good: conditionExample("1 < out.Score"),
	}},
	{run: conditionsWith(expr.Unvetted), Rule: diag.Rule{
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

// A condition is an expression that decides, and where it is written.
type condition struct {
	*expr.Expr
	from *resolve.Node // the node that its edge leaves, or that it belongs to; nil: it does not exist
	ends bool          // it ends a loop
	eval bool
}

// conditions lists the conditions of edges, loops and evals that could be read.
func (c *context) conditions() []condition {
	if c.conds != nil {
		return c.conds
	}
	c.conds = []condition{}
	add := func(cond condition) {
		if cond.Expr != nil && written(cond.Written) {
			c.conds = append(c.conds, cond)
		}
	}
	for _, e := range c.graph.Edges {
		until := e.From != nil && e.From.Spec.Until.IsSet() && e.Spec.If.Pos == e.From.Spec.Until.Pos
		add(condition{Expr: c.cfg.If(e), from: e.From, ends: until})
	}
	for _, n := range c.graph.All() {
		add(condition{Expr: c.until(n), from: n, ends: true})
		for _, x := range c.cfg.Node(n).Evals {
			add(condition{Expr: x, from: n, eval: true})
		}
	}
	return c.conds
}

// until returns the condition that ends a loop, nil where there is none that could be read.
func (c *context) until(n *resolve.Node) *expr.Expr {
	if !written(n.Spec.Until) || n.Body == nil {
		return nil
	}
	return c.cfg.Node(n).Until
}

// conditionsWith is the pass that reports the mistakes of one kind.
func conditionsWith(kind expr.Kind) func(*context) {
	return func(c *context) {
		for _, cond := range c.conditions() {
			typed := cond.Typed()
			if m := typed.Mistake; m != nil && m.Kind == kind {
				help := m.Help
				if typed.Always != "" {
					help = cond.alwaysHelp(typed.Always)
				}
				c.report(c.within(cond.Written, m.Span), m.Message, help)
			}
		}
	}
}

// alwaysHelp says what to do with a condition that always has one value.
func (cond *condition) alwaysHelp(value string) string {
	switch {
	case cond.eval:
		return "mend it, or remove the eval"
	case cond.ends && value == "true":
		return "the body runs once: mend it, or do without the loop"
	case cond.ends:
		return "no value makes it true: to run the body a number of times, count them, as in until: res.Iterations >= 3"
	case value == "false":
		return "no value makes it true: mend it, or remove the edge"
	}
	return "an edge without if: is always taken"
}

// within returns the place of a part of an expression in the file. An expression that is not
// written there letter by letter is marked as a whole: it goes on over several lines.
func (c *context) within(text spec.String, part expr.Span) spec.Pos {
	if part.Width == 0 || !text.Pos.IsSet() {
		return text.Pos
	}
	source := c.lineFrom(text.Pos)
	if end := part.Offset + part.Width; strings.HasPrefix(source, text.V[:end]) {
		pos := text.Pos
		pos.Col += utf8.RuneCountInString(text.V[:part.Offset])
		pos.Width = utf8.RuneCountInString(text.V[part.Offset:end])
		return pos
	}
	begin, ok := follow(source, text.V[:part.Offset])
	if !ok {
		return text.Pos
	}
	end, ok := follow(source[begin:], text.V[part.Offset:part.Offset+part.Width])
	if !ok {
		return text.Pos
	}
	pos := text.Pos
	pos.Col += utf8.RuneCountInString(source[:begin])
	pos.Width = utf8.RuneCountInString(source[begin : begin+end])
	return pos
}

// follow returns how far a text goes in the source that spells it, escapes counted.
func follow(source, text string) (int, bool) {
	at := 0
	for _, c := range text {
		got, size := utf8.DecodeRuneInString(source[at:])
		switch {
		case size == 0:
			return 0, false
		case got == '\\' && c == '"': // in a literal inside of a literal, several
			size = 1 + len(source[at:]) - len(strings.TrimLeft(source[at:], `\`))
			if !strings.HasPrefix(source[at+size-1:], `"`) {
				return 0, false
			}
		case got == '\\' && c == '\\' && strings.HasPrefix(source[at+1:], `\`),
			got == '\'' && c == '\'' && strings.HasPrefix(source[at+1:], "'"):
			size = 2
		case got != c:
			return 0, false
		}
		at += size
	}
	return at, true
}

// lineFrom returns the text of a line from a place on.
func (c *context) lineFrom(pos spec.Pos) string {
	if c.lines == nil {
		c.lines = strings.Split(string(c.spec.Source), "\n")
	}
	if pos.Line > len(c.lines) {
		return ""
	}
	line := strings.TrimSuffix(c.lines[pos.Line-1], "\r")
	for range pos.Col - 1 {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}
