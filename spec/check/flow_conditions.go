package check

import (
	"math"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// conditionPasses report the mistakes that package expr finds in the conditions of edges, loops
// and evals, each pass the mistakes of one kind, and check the built-in conditions on an output. The last
// ones check the values that nodes of kind set write.
var conditionPasses = []Pass{
	{Code: "GG070", run: conditionsWith(expr.Malformed)},
	{Code: "GG071", run: conditionsWith(expr.Forbidden)},
	{Code: "GG072", run: conditionsWith(expr.Unknown)},
	{Code: "GG073", run: conditionsWith(expr.NoOutput)},
	{Code: "GG074", run: conditionsWith(expr.Mismatch)},
	{Code: "GG075", run: conditionsWith(expr.Unwanted)},
	{Code: "GG076", run: conditionsWith(expr.Constant)},
	{Code: "GG300", run: conditionsWith(expr.Unvetted)},
	outputMatchPass, confidencePass, transitionKeyPass,
	{Code: "GG274", run: setsNothing},
	{Code: "GG275", run: setFields},
	{Code: "GG276", run: setValues},
}

// A condition is an expression that decides.
type condition struct {
	*expr.Expr
	always map[string]string // help by its value, where that is always the same
}

// The helps for conditions that always have one value.
var (
	edgeAlways = map[string]string{"true": "an edge without " + diag.Key("if") + " is always taken",
		"false": "no value makes it true: mend it, or remove the edge"}
	startAlways = map[string]string{"true": "a branch without " + diag.Key("if") + " is always started",
		"false": "no value makes it true: mend it, or remove the branch"}
	evalAlways = map[string]string{"true": "mend it, or remove the eval", "false": "mend it, or remove the eval"}
	loopAlways = map[string]string{
		"true":  "the body runs once: mend it, or do without the loop",
		"false": "no value makes it true: to run the body a number of times, count them, as in " + diag.Set("until", "res.Iterations >= 3"),
	}
)

// conditions lists the conditions of edges, loops, branches and evals that could be read.
func (c *context) conditions() []condition {
	if c.conds != nil {
		return c.conds
	}
	c.conds = []condition{}
	add := func(x *expr.Expr, always map[string]string) {
		if x != nil && written(x.Written) {
			c.conds = append(c.conds, condition{x, always})
		}
	}
	for _, e := range c.graph.Edges {
		add(c.cfg.If(e), edgeAlways)
	}
	for _, n := range c.graph.All() {
		if n.Body == nil || !c.inBlurredRegion(n.Body) { // else its output may be another node's
			add(c.until(n), loopAlways)
		}
		for _, x := range c.cfg.Node(n).Starts() {
			add(x, startAlways)
		}
		for _, x := range c.cfg.Node(n).Evals {
			add(x, evalAlways)
		}
	}
	return c.conds
}

// until returns the condition that ends a loop, nil where none could be read.
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
					help = cond.always[typed.Always]
				}
				c.report(c.within(cond.Written, m.Span), m.Message, help)
			}
		}
	}
}

var outputMatchPass = Pass{Code: "GG077", run: (*context).outputMatches}

var confidencePass = Pass{Code: "GG078", run: (*context).confidences}

var transitionKeyPass = Pass{Code: "GG079", run: (*context).transitionKeys}

// outputFields returns the struct a node gives, nil where it gives none; ok is false where that
// cannot be judged.
func outputFields(n *resolve.Node) (out *resolve.Type, ok bool) {
	switch {
	case n == nil, n.Out != nil && n.Out.Kind == resolve.Unknown:
		return nil, false
	case n.Out == nil || n.Out.Kind != resolve.Struct:
		return nil, true
	}
	return n.Out, true
}

// noFields returns the message for a node that has no output with fields.
func noFields(n *resolve.Node) (message, help string) {
	give := "give it an output with fields, as in " + diag.Set("output", "{done: bool}")
	if n.Out == nil {
		return "node " + strconv.Quote(n.Spec.Name.V) + " has no output", give
	}
	return "the output of node " + strconv.Quote(n.Spec.Name.V) + " is " + article(n.Out.String()) + ", which has no fields", give
}

func (c *context) outputMatches() {
	for _, e := range c.graph.Edges {
		m := e.Spec.OnOutput
		if m == nil || !written(m.Key) {
			continue
		}
		out, ok := outputFields(e.From)
		if !ok {
			continue
		}
		if out == nil {
			message, help := noFields(e.From)
			c.report(m.Key.Pos, message, help)
			continue
		}
		f := out.Field(m.Key.V)
		if f == nil {
			c.report(m.Key.Pos, "the output of node "+strconv.Quote(e.From.Spec.Name.V)+" has no field "+strconv.Quote(m.Key.V),
				didYouMean(m.Key.V, fieldNames(out, matchable), listed("its fields are", fieldNames(out, nil))))
			continue
		}
		c.outputValue(f, m.Value)
	}
}

// matchable are the kinds of field that on_output can compare.
func matchable(t *resolve.Type) bool {
	switch t.Base().Kind {
	case resolve.String, resolve.Int, resolve.Float, resolve.Bool, resolve.Enum:
		return true
	}
	return false
}

// outputValue judges the value that a field is compared with.
func (c *context) outputValue(f *resolve.Field, v spec.Scalar) {
	t := f.Type.Base()
	field := "field " + strconv.Quote(f.Name)
	wrong := func(what, help string) {
		c.report(v.Pos, field+" is "+what+": it cannot be "+strconv.Quote(v.Text), help)
	}
	switch {
	case fits(f, v):
	case t.Kind == resolve.Unknown, !v.Pos.IsSet():
	case !matchable(f.Type):
		c.report(v.Pos, field+" is "+article(f.Type.String())+", which on_output cannot compare", "use "+diag.Key("if")+" with a Go expression")
	case t.Kind == resolve.Enum:
		names := make([]string, len(t.Values))
		for i := range t.Values {
			names[i] = t.Values[i].Name
		}
		wrong(article(t.String()), didYouMean(v.Text, names, listed("its values are", names)))
	case t.Kind == resolve.Bool:
		wrong("a bool", "write true or false, without quotes")
	case t.Kind == resolve.String:
		wrong("a string", "put quotes around the text")
	case t.Kind == resolve.Int:
		wrong("an int", "write a whole number, as in 3")
	case t.Kind == resolve.Float:
		wrong("a float", "write a number, as in 0.7")
	}
}

// fits reports whether a field can be compared with the value that an author wrote.
func fits(f *resolve.Field, v spec.Scalar) bool {
	t := f.Type.Base()
	switch t.Kind {
	case resolve.Enum:
		return t.Value(v.Text) != nil
	case resolve.Bool:
		return v.Kind == spec.ScalarBool
	case resolve.String:
		return v.Kind == spec.ScalarString
	case resolve.Int:
		return v.Kind == spec.ScalarInt && wholeNumber(v.Text)
	case resolve.Float:
		return (v.Kind == spec.ScalarFloat || v.Kind == spec.ScalarInt) && anyNumber(v.Text)
	}
	return false
}

// wholeNumber reports whether a text is an int in YAML and the same one in Go.
func wholeNumber(text string) bool {
	if digits := strings.TrimLeft(text, "+-"); len(digits) > 1 && digits[0] == '0' {
		return false
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// anyNumber reports whether a text is a number in YAML and the same one in Go.
func anyNumber(text string) bool {
	if !strings.ContainsAny(text, ".eE") {
		return wholeNumber(text)
	}
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) && !strings.ContainsAny(text, "_xX")
}

func (c *context) confidences() {
	for _, e := range c.graph.Edges {
		want := e.Spec.OnConfidence
		out, ok := outputFields(e.From)
		if !want.IsSet() || !ok {
			continue
		}
		if out == nil {
			message, help := noFields(e.From)
			c.report(want.Pos, message+"; on_confidence compares its field \"confidence\"", help)
			continue
		}
		f := out.Field("confidence")
		if f == nil {
			c.report(want.Pos, "the output of node "+strconv.Quote(e.From.Spec.Name.V)+" has no field \"confidence\"",
				"add "+diag.Declare("confidence", "float")+" to its output, or use "+diag.Key("if"))
			continue
		}
		c.threshold(f, want)
	}
}

func (c *context) threshold(f *resolve.Field, want spec.Value[float64]) {
	switch f.Type.Base().Kind {
	case resolve.Unknown:
		return
	case resolve.Int, resolve.Float:
	default:
		c.report(want.Pos, "field \"confidence\" is "+article(f.Type.String())+", not a number", "make it a float")
		return
	}
	low, high := 0.0, 1.0
	if want.Lost || f.Spec.Min.Lost || f.Spec.Max.Lost {
		return
	}
	if f.Spec.Min.IsSet() {
		low = f.Spec.Min.V
	}
	if f.Spec.Max.IsSet() {
		high = f.Spec.Max.V
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	if !(want.V >= low && want.V <= high) {
		c.report(want.Pos, "the confidence "+number(want.V)+" is not within "+number(low)+" to "+number(high),
			"a confidence is 0 to 1, unless its field states a min and max")
	}
}

func (c *context) transitionKeys() {
	for _, n := range c.graph.Routed() {
		out, ok := outputFields(n)
		entries := c.cfg.Node(n).By(cfg.ByTransition)
		if !ok || len(entries) == 0 || !written(keyWritten(entries[0])) {
			continue
		}
		if out == nil {
			message, help := noFields(n)
			c.report(entries[0].Cond.Pos, message+"; transitions are keyed by its fields", help)
			continue
		}
		for _, t := range entries {
			c.transitionKey(n, t)
		}
	}
}

// keyWritten is the key of an entry of rule 5 as it is written.
func keyWritten(t *cfg.Transition) spec.String { return spec.String{V: t.Cond.Text, Pos: t.Cond.Pos} }

func (c *context) transitionKey(n *resolve.Node, t *cfg.Transition) {
	key, field := keyWritten(t), t.Cond.Field
	if !written(key) || routeLost(n) {
		return
	}
	if field != nil {
		if !telling(field.Type) && field.Type.Base().Kind != resolve.Unknown {
			c.report(key.Pos, "field "+strconv.Quote(key.V)+" is "+article(field.Type.String())+": a transition needs a bool, a string or an enum",
				"use an edge with "+diag.Key("if")+" and a Go expression")
		}
		return
	}
	names := append(fieldNames(n.Out, telling), cfg.ErrorKey)
	for _, route := range c.cfg.Node(n).Routes() {
		base := route.Field.Type.Base()
		if base.Kind == resolve.String || base.Value(key.V) != nil {
			return
		}
		for _, v := range base.Values {
			names = append(names, v.Name)
		}
	}
	c.report(key.Pos, "the output of node "+strconv.Quote(n.Spec.Name.V)+" has no field "+strconv.Quote(key.V),
		didYouMean(key.V, names, listed("a transition's key is one of", names)))
}

// telling are the kinds of field that can be the key of a transition.
func telling(t *resolve.Type) bool {
	switch t.Base().Kind {
	case resolve.Bool, resolve.String, resolve.Enum:
		return true
	}
	return false
}

// fieldNames lists the fields of a struct whose type will do.
func fieldNames(t *resolve.Type, will func(*resolve.Type) bool) []string {
	var names []string
	for _, f := range t.Fields {
		if f.Name != "" && (will == nil || will(f.Type)) {
			names = append(names, f.Name)
		}
	}
	return names
}

// listed is a help line with a few names, empty where there are none.
func listed(intro string, names []string) string { return diag.Listed(intro, names) }

// article returns the name of a type with a or an before it.
func article(name string) string { return diag.Article(name) }

func setsNothing(c *context) {
	for _, n := range c.graph.All() {
		if n.Kind.Sets && len(n.Spec.Set) == 0 && !n.Spec.Unread {
			c.report(n.Spec.Name.Pos, "node "+quote(n.Spec.Name.V)+" is a set, and sets nothing",
				"say what it writes, as in "+diag.Set("set", "{count: state.Count + 1}")+", or make it a pass")
		}
	}
}

func setFields(c *context) {
	if c.spec.Unread && len(c.spec.State) == 0 {
		return // the state is what could not be read
	}
	var names []string
	for _, f := range c.graph.State.Fields {
		names = append(names, f.Name)
	}
	for _, n := range c.spec.Nodes {
		for _, a := range n.Set {
			if written(a.Name) && c.graph.State.Field(a.Name.V) == nil {
				c.report(a.Name.Pos, "set of node "+quote(n.Name.V)+" names no field of the state: "+quote(a.Name.V), c.setFieldHelp(a.Name.V, names))
			}
		}
	}
}

// setFieldHelp returns what to write instead of a name that is not a field.
func (c *context) setFieldHelp(name string, fields []string) string {
	whole, _, part := strings.Cut(name, ".")
	switch {
	case part && c.graph.State.Field(whole) != nil:
		return "a set writes whole fields: write " + whole + ", with all of its value"
	case goname.Valid(name):
		return didYouMean(name, fields, addFieldAs(name, "int"))
	}
	return didYouMean(name, fields, "write the name of a field of the state")
}

func setValues(c *context) {
	for _, n := range c.graph.All() {
		for _, x := range c.cfg.Values(n) {
			if m := x.Typed().Mistake; m != nil && written(x.Written) {
				c.report(c.within(x.Written, m.Span), m.Message, m.Help)
			}
		}
	}
}
