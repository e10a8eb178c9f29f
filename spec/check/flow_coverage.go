package check

import (
	"go/constant"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// coveragePasses look for nodes where a run may take no transition, and no_match is not stated.
var coveragePasses = []Pass{
	{Code: "GG080", run: gapsWith("GG080")},
	{Code: "GG081", run: gapsWith("GG081")},
}

// A gap is what the transitions of a node do not cover.
type gap struct {
	code          string
	pos           spec.Pos
	message, help string
	values        []string // of an enum, those that are not covered, where no other reason is known
}

var gapHelp = "add an edge without condition, or " + diag.Key("next") + ", or set " + diag.Set("no_match", "error") + " or " + diag.Set("no_match", "end")

func gapsWith(code string) func(*context) {
	return func(c *context) {
		if c.modeless() {
			return
		}
		for _, n := range c.graph.Routed() {
			if n.Spec.NoMatch.IsSet() || c.spec.NoMatch.IsSet() && code != tableGapCode || c.spec.Unread {
				continue
			}
			if g := c.gap(n); g != nil && g.code == code {
				c.report(g.pos, g.message, g.help)
			}
		}
	}
}

// gap returns what the transitions of a node leave to rule 7, with any no_match. It is nil where
// they cover every case, where the node is terminal, and where another mistake hides it.
func (c *context) gap(n *resolve.Node) *gap {
	if g, ok := c.gaps[n]; ok {
		return g
	}
	g := c.findGap(c.cfg.Node(n))
	c.gaps[n] = g
	return g
}

func (c *context) findGap(at *cfg.Node) *gap {
	n := at.Spec
	if at.Terminal() || runsOut(at) || c.unclear(at) {
		return nil
	}
	open := slices.ContainsFunc(at.Success(), (*cfg.Transition).Certain)
	settled := open || slices.ContainsFunc(at.By(cfg.ByEdge), (*cfg.Transition).CertainAfterRun) // unless the node is skipped
	name := "node " + quote(n.Spec.Name.V)
	if !settled && !at.Chooses() {
		g, ok := c.uncovered(at, expr.GaveOutput)
		if g != nil {
			edges := at.Edges()
			if i := slices.IndexFunc(edges, partial); i >= 0 {
				return tableGap(edges[i], g)
			}
		}
		if !ok || g != nil {
			return g
		}
	}
	if !settled && n.MayGiveNothing() {
		g, ok := c.uncovered(at, expr.GaveNothing)
		if !ok {
			return nil
		}
		if g != nil {
			return &gap{code: "GG080", pos: n.Spec.Name.Pos,
				message: name + " may succeed without an output, as the node that it runs may, and no transition is sure to match then", help: gapHelp}
		}
	}
	if !settled && at.Soft {
		g, ok := c.uncovered(at, expr.FailedSoftly)
		if !ok {
			return nil
		}
		if g != nil {
			return &gap{code: "GG080", pos: n.Spec.FailSoft.Pos,
				message: name + " is fail_soft: after a failure it has no output, and no transition is sure to match then", help: gapHelp}
		}
	}
	if f, skips := n.Spec.Flag(spec.SkipOnError); skips && !open {
		return &gap{code: "GG080", pos: f.Name.Pos, message: name + " has only transitions with conditions, which it cannot take when it is skipped",
			help: gapHelp}
	}
	return nil
}

// runsOut reports whether the node is terminal once its edges are used up, and one of them matches
// until then: those without condition are used up last.
func runsOut(n *cfg.Node) bool {
	if !n.Exhaustible() {
		return false
	}
	most := map[*cfg.Node]int{}
	edges := n.By(cfg.ByEdge)
	for _, t := range edges {
		if !t.Edge.Table() && !t.Known {
			return true // another mistake hides which of them are used up last
		}
		if !t.Conditional() {
			most[t.To] = max(most[t.To], t.Max)
		}
	}
	return !slices.ContainsFunc(edges, func(t *cfg.Transition) bool { return t.Max > most[t.To] })
}

// unclear reports whether another mistake hides what the transitions of the node are.
func (c *context) unclear(at *cfg.Node) bool {
	n, s := at.Spec, at.Spec.Spec
	router := n.Kind.Chooses
	switch {
	case s.Unread || s.FailSoft.Lost || routeLost(n) || slices.ContainsFunc(n.Leaving, (*resolve.Edge).Vague):
		return true
	case !n.Kind.Known(), router == (len(s.Routes) == 0), !n.Kind.Judges && s.OnPass.IsSet(), c.leadsIntoUnread(n):
		return true
	case n.Out != nil && n.Out.Kind == resolve.Unknown, c.misspelt(n):
		return true
	}
	for w := n.Body; w != nil; w = w.Body {
		if w.Vague() {
			return true
		}
	}
	return slices.ContainsFunc(at.By(cfg.ByEdge), func(t *cfg.Transition) bool {
		return t.Edge.Spec.On.IsSet() && t.Cond.Kind != cfg.Uncalled || mistaken(t.Edge)
	})
}

// misspelt reports whether an edge from an unknown node may be one of this node: its name is the
// nearest, or no edge leads to this node, which may have been renamed.
func (c *context) misspelt(n *resolve.Node) bool {
	if c.meant == nil {
		c.meant = map[string]bool{}
		names := c.nodeNames()
		for _, e := range c.graph.Edges {
			if e.From != nil || spec.IsEnd(e.Spec.From.V) || c.meant[""] {
				continue
			}
			near, _ := diag.Suggest(e.Spec.From.V, names)
			c.meant[near] = true // "" where it can be any
		}
	}
	renamed := len(c.meant) > 0 && n != c.graph.Entry && n != c.graph.OnError && len(n.Entering) == 0
	return c.meant[n.Spec.Name.V] || c.meant[""] || renamed
}

// uncovered tries the conditions of a node. The second result is false where they cannot be
// tried.
func (c *context) uncovered(at *cfg.Node, given expr.Given) (*gap, bool) {
	n := at.Spec
	w := expr.NewCases(c.cfg.Exprs, given)
	if !c.enter(w, at) {
		return nil, false
	}
	cases, open := w.Uncovered()
	if !open {
		return nil, true
	}
	if g := enumGap(w, n); g != nil {
		return g, true
	}
	return &gap{code: "GG080", pos: n.Spec.Name.Pos, message: noMatch(w, at, cases), help: gapHelp}, true
}

// enter puts every condition that is never used up into cases. It reports whether all
// of them could be read.
func (c *context) enter(w *expr.Cases, n *cfg.Node) bool {
	for _, route := range n.Routes() {
		t := route.Field.Type
		if t.Base().Kind == resolve.String {
			break // if it names nothing, no field after it is tried
		}
		if t.Kind == resolve.Optional && t.Elem.Kind == resolve.Enum {
			w.Add(expr.Not(w.Holds(expr.IsNil("out." + route.Field.GoName))))
		}
	}
	for _, t := range n.By(cfg.ByEdge) {
		if t.Bounded {
			continue
		}
		if t.Cond.Kind == cfg.Label && t.Cond.Field != nil {
			if !w.Empty() { // a failed node has chosen nothing
				w.Add(onOutput(w, t.Cond.Field, t.Cond.Text))
			}
			continue
		}
		f, ok := c.holdsWhen(w, n.Spec, t.Edge)
		if !ok {
			return false
		}
		if f != nil {
			w.Add(f)
		}
	}
	for _, t := range n.By(cfg.ByTransition) {
		f := t.Cond.Field
		if f == nil || f.Type.Base().Kind == resolve.Unknown {
			continue
		}
		if !telling(f.Type) {
			return false
		}
		w.Add(transition(w, f))
	}
	return true
}

// holdsWhen puts the condition of an edge into cases, nil where it has none that looks
// at a value. The second result is false where it cannot be read.
func (c *context) holdsWhen(w *expr.Cases, n *resolve.Node, e *resolve.Edge) (*expr.Formula, bool) {
	s := e.Spec
	switch {
	case s.If.IsSet():
		x := c.cfg.If(e)
		if x == nil || !x.Typed().OK() {
			return nil, false
		}
		return w.Of(x.Typed()), true
	case s.OnOutput != nil:
		f := field(n, s.OnOutput.Key.V)
		if f == nil || !fits(f, s.OnOutput.Value) {
			return nil, false
		}
		return onOutput(w, f, s.OnOutput.Value.Text), true
	case s.OnConfidence.IsSet():
		f := field(n, "confidence")
		if f == nil || f.Type.Base().Kind != resolve.Int && f.Type.Base().Kind != resolve.Float {
			return nil, false
		}
		value := s.OnConfidence.V
		if f.Type.Base().Kind == resolve.Int {
			value = math.Ceil(value)
		}
		return present(w, f, func(text string, t *resolve.Type) *expr.Formula {
			return w.Compared(text, t, token.GEQ, constant.ToFloat(constant.MakeFloat64(value)))
		}), true
	}
	return nil, true
}

func field(n *resolve.Node, name string) *resolve.Field {
	if n.Out == nil || n.Out.Kind != resolve.Struct {
		return nil
	}
	return n.Out.Field(name)
}

// outText is a field of the output in a condition, or the output itself.
func outText(f *resolve.Field) string {
	if f.GoName == "" {
		return "out"
	}
	return "out." + f.GoName
}

// present is a test of an output field that holds only if the field is there.
func present(w *expr.Cases, f *resolve.Field, test func(text string, t *resolve.Type) *expr.Formula) *expr.Formula {
	text := outText(f)
	if f.Type.Kind == resolve.Optional {
		return expr.And(expr.Not(w.Holds(expr.IsNil(text))), test("*"+text, f.Type.Elem))
	}
	return test(text, f.Type)
}

func onOutput(w *expr.Cases, f *resolve.Field, written string) *expr.Formula {
	base := f.Type.Base()
	return present(w, f, func(text string, t *resolve.Type) *expr.Formula {
		switch base.Kind {
		case resolve.Bool:
			if strings.EqualFold(written, "false") {
				return expr.Not(w.Holds(text))
			}
			return w.Holds(text)
		case resolve.Enum:
			at := slices.IndexFunc(base.Values, func(v resolve.EnumValue) bool { return v.Name == written })
			return w.Compared(text, t, token.EQL, expr.EnumValue(base, at+1))
		case resolve.Int:
			v, _ := strconv.ParseInt(written, 10, 64)
			return w.Compared(text, t, token.EQL, constant.MakeInt64(v))
		case resolve.Float:
			v, _ := strconv.ParseFloat(written, 64)
			return w.Compared(text, t, token.EQL, constant.ToFloat(constant.MakeFloat64(v)))
		}
		return w.Compared(text, t, token.EQL, constant.MakeString(written))
	})
}

// transition is rule 5: the field is true, or not empty.
func transition(w *expr.Cases, f *resolve.Field) *expr.Formula {
	return present(w, f, func(text string, t *resolve.Type) *expr.Formula {
		switch f.Type.Base().Kind {
		case resolve.Bool:
			return w.Holds(text)
		case resolve.Enum:
			return w.Compared(text, t, token.NEQ, expr.EnumValue(f.Type.Base(), 0))
		}
		return w.Compared(text, t, token.NEQ, constant.MakeString(""))
	})
}

// enumGap returns the values of an enum that no edge compares, where the edges compare one enum.
func enumGap(w *expr.Cases, n *resolve.Node) *gap {
	at := slices.IndexFunc(w.Subjects, func(s *expr.Subject) bool { return s.Enum != nil && expr.IsPath(s.Text) })
	if at < 0 || w.Empty() || len(w.Subjects) != 1 {
		return nil
	}
	s := w.Subjects[at]
	var values []string
	for _, i := range w.Missing(at) {
		if name := s.Value(i); name != "" {
			values = append(values, name)
		}
	}
	if len(values) == 0 {
		return nil // the field may not be set
	}
	return &gap{
		code: "GG081", pos: n.Spec.Name.Pos, values: values,
		message: "the transitions from node " + quote(n.Spec.Name.V) + " do not cover every value of " + s.Text + ": " + listed("missing", quoteAll(values)),
		help:    "add edges for the others, or one without condition, or set " + diag.Set("no_match", "error") + " or " + diag.Set("no_match", "end"),
	}
}

// noMatch returns when no transition matches.
func noMatch(w *expr.Cases, n *cfg.Node, at []int) string {
	name, edges := "node "+quote(n.Name()), n.By(cfg.ByEdge)
	if len(at) > 0 && len(at) <= 3 {
		var parts []string
		for i, s := range w.Subjects {
			if !w.IsAbsent(strings.TrimPrefix(s.Text, "*"), at) || s.Text[0] != '*' {
				parts = append(parts, s.Describe(at[i]))
			}
		}
		if slices.ContainsFunc(edges, func(t *cfg.Transition) bool { return t.Bounded }) {
			parts = append(parts, "its bounded edges are used up")
		}
		return "no transition from " + name + " is sure to match when " + strings.Join(parts, " and ")
	}
	switch {
	case len(n.JudgedEdges()) > 0 && len(w.Formulas) == 0:
		return "no transition from " + name + " is sure to be taken when the model names none"
	case len(w.Formulas) > 0:
		return "no transition from " + name + " matches when none of its conditions holds"
	case len(n.By(cfg.ByGoto)) > 0:
		return "the handler of " + name + " may name no node, and no other transition is sure to match"
	case len(n.Routes()) > 0:
		return "field " + quote(n.Routes()[0].Field.Name) + " of the output of " + name + " may name no node, and no other transition is sure to match"
	case slices.ContainsFunc(edges, func(t *cfg.Transition) bool { return !t.Conditional() }):
		return "no transition from " + name + " is sure to match once its edges without condition are used up"
	}
	return "no transition from " + name + " is sure to match once its edges are used up"
}

// mayHold reports whether the condition of an edge can hold after a success of its node, or after
// a soft failure, when the output is empty.
func (c *context) mayHold(n *resolve.Node, e *resolve.Edge, failed bool) bool {
	if x := c.cfg.If(e); !failed && (x == nil || !x.Uses().Name("res")) {
		return true
	}
	given := expr.GaveOutput
	if failed {
		given = expr.FailedSoftly
	}
	w := expr.NewCases(c.cfg.Exprs, given)
	f, ok := c.holdsWhen(w, n, e)
	return !ok || f == nil || w.MayHold(f)
}
