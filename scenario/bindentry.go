package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// entry converts an entry for one execution of a node.
func (b *binder) entry(s *Scenario, n *plan.Node, e *Entry) wire.Entry {
	b.suits(n, e)
	w := wire.Entry{
		Transient: e.Transient, Takes: int64(e.Takes.V), After: int64(e.After.V), Hang: e.Hang, Cancel: e.Cancel, Stop: e.Stop,
		Error: textOf(e.Error), Panic: textOf(e.Panic),
		Goto: b.choice(n, n.Choices.Goto, e.Goto), Branch: b.choice(n, n.Choices.Branch, e.Branch),
	}
	if t := outOf(b.m, n); e.Out != nil && t != nil && n.Prompt() == nil {
		w.Out = text(b.convertOut(n, e.Out, t))
	}
	for _, v := range e.GuardsFailed {
		b.verdict(n, v, &w)
	}
	if n.Kind.Judges && e.Reject.V != "" {
		w.Reject = textOf(e.Reject)
	}
	e.answer(&w)
	b.asking(s, n, e, &w)
	b.actions(n, e, &w)
	if n.Prompt() != nil {
		w.Reject, w.Goto = nil, 0 // the model answers that
	}
	return w
}

// convertOut converts an entry's output. For a node that writes one field, the value of the field suffices.
func (b *binder) convertOut(n *plan.Node, v *Value, t *resolve.Type) any {
	if f := onlyField(n, v, t); f != nil {
		return map[string]any{f.GoName: b.convert(v, f.Type)}
	}
	return b.convert(v, t)
}

// onlyField returns the field of an output of type t that v is the value of: the one that the node writes. It is nil where
// v is the whole output: a mapping with the name of the field, or with none of the keys that a value of the field has.
func onlyField(n *plan.Node, v *Value, t *resolve.Type) *resolve.Field {
	if t.Declared || len(t.Fields) != 1 || !n.State.FromWrites && n.Prompt() == nil {
		return nil
	}
	f := t.Fields[0]
	if v.Kind != yamlread.Map {
		return f
	}
	of := f.Type
	for of.Kind == resolve.Optional {
		of = of.Elem
	}
	keys := fieldNames(of)
	switch of.Kind {
	case resolve.Media:
		keys = mediaKeys
	case resolve.Union:
		keys = []string{of.Discriminator}
	}
	if v.Get(f.Name) != nil || !slices.ContainsFunc(keys, func(key string) bool { return v.Get(key) != nil }) {
		return nil
	}
	return f
}

func textOf(s spec.String) *string {
	if s.V == "" {
		return nil
	}
	return &s.V
}

// outOf returns the type of out: the node's output, or the state that it may change.
func outOf(m *plan.Machine, n *plan.Node) *resolve.Type {
	if n.Out == nil && n.Snapshots() {
		return m.Types.State
	}
	return n.Out
}

// suits reports keys of an entry that do not apply to a node.
func (b *binder) suits(n *plan.Node, e *Entry) {
	if !plays(n) {
		b.chooses(n, e)
		return
	}
	branchless, label := "has no branch table", "an edge with `branch` gives it one"
	if n.Choices.By != nil {
		branchless, label = "branches by its output, and returns no label", "write the value of "+n.Choices.By.Field.Name+" into `out`"
	}
	for _, rule := range append([]suit{
		{"out", outOf(b.m, n) != nil, "returns no output", "a node with `output` or `writes` does, and one that may change the state"},
		{"goto", n.Choices.Goto != nil, "names no next node", "a node with `goto` does, and a router"},
		{"branch", n.Choices.Branch != nil, branchless, label},
		{"graph_action", n.Mutates, "may not change the graph", "a node with `mutates` may"},
		{"guards_failed", n.Kind.Judges || len(n.Checks.Guards) > 0, "has no guards", "its `guards` name them"},
		{"hang", !n.Kind.Pure, "is a transform, which has no context to wait for", "`takes` sets how long it takes"},
		{"after", !n.Kind.Pure, "is a transform, which has no context to wait for", "`takes` sets how long it takes"},
	}, slices.Concat(b.askingSuits(n), b.answeringSuits(n))...) {
		if pos, ok := e.Keys[rule.keys]; ok && !rule.fits {
			b.report("GG210", pos, fmt.Sprintf("the node %q %s", n.Name, rule.reason), rule.helps)
		}
	}
	b.exclusive(n, e)
	b.answers(n, e)
}

// chooses reports keys of an entry of a node of which nothing is called: the model that judges its
// `when` edges is asked, and nothing else.
func (b *binder) chooses(n *plan.Node, e *Entry) {
	for key, pos := range e.Keys {
		if key != "choose" {
			b.report("GG210", pos,
				fmt.Sprintf("the node %q has no handler: its entries are the choices of the model that judges its `when` edges", n.Name),
				"write `choose` alone")
		}
	}
}

// A suit is a key of an entry with whether it applies to a node.
type suit struct {
	keys   string
	fits   bool
	reason string
	helps  string
}

// exclusive reports outcomes of an execution that exclude one another.
func (b *binder) exclusive(n *plan.Node, e *Entry) {
	if n.Prompt() != nil {
		return
	}
	var ends []string
	for _, key := range []string{"error", "panic", "guards_failed", "reject"} {
		if _, ok := e.Keys[key]; ok && (key != "guards_failed" || n.Kind.Judges) {
			ends = append(ends, key)
		}
	}
	if len(ends) > 1 {
		b.report("GG210", e.Keys[ends[1]], fmt.Sprintf("an execution ends in one way, and this one has %s", strings.Join(ends, " and ")),
			"make them entries of their own")
	}
}

// choice returns the number of an entry's choice, or 0.
func (b *binder) choice(n *plan.Node, c *plan.ChoiceType, name spec.String) int {
	if c == nil || name.V == "" {
		return 0
	}
	var names []string
	for i, v := range c.Values {
		if v.Name == name.V || spec.IsEnd(v.Name) && spec.IsEnd(name.V) {
			return i + 1
		}
		names = append(names, v.Name)
	}
	b.unknown("GG209", name.V, name.Pos, c.What, of(n), names)
	return 0
}

func of(n *plan.Node) string { return "of node " + quote(n.Name) }

// verdict adds the verdict of a guard, or of a node of kind guard.
func (b *binder) verdict(n *plan.Node, v Verdict, w *wire.Entry) {
	reason := wire.Verdict{Reject: textOf(v.Reject), Error: textOf(v.Error), Panic: textOf(v.Panic)}
	if n.Kind.Judges {
		if v.Guard.V != "" {
			b.report("GG210", v.Guard.Pos, fmt.Sprintf("the node %q is a guard itself, and has no others", n.Name),
				"write `true`, or the message of its rejection")
		}
		w.Reject = reason.Reject
		return
	}
	if w.Guards == nil {
		w.Guards = make(map[string]wire.Verdict)
	}
	var names []string
	for _, g := range n.Checks.Guards {
		names = append(names, g.Name)
		if v.Guard.V == "" || v.Guard.V == g.Name {
			w.Guards[g.Name] = reason
		}
		if g.Judge == "" || v.Guard.V != g.Name {
			continue
		}
		if w.Judged = append(w.Judged, g.Name); v.Panic.V != "" {
			b.report("GG210", v.Guard.Pos, fmt.Sprintf("the guard %q is judged by a model, which does not panic", g.Name), "write `error`")
		}
	}
	if v.Guard.V != "" && !slices.Contains(names, v.Guard.V) && len(names) > 0 {
		b.unknown("GG209", v.Guard.V, v.Guard.Pos, "guard", of(n), names)
	}
}

func (b *binder) given(n *plan.Node, e *Entry, o *bound) {
	o.run.Executions = true
	in := n.In
	if h, is := n.Work.(*plan.Handler); is && h.TakesState {
		in = b.m.Types.State
	}
	switch {
	case e.Given.In == nil:
	case n.Prompt() != nil:
		b.report("GG210", e.Given.In.Pos, fmt.Sprintf("the node %q asks a model, which is given a prompt", n.Name),
			"write what the prompt contains: `prompt: {contains: [otters]}`")
	case in == nil:
		b.report("GG210", e.Given.In.Pos, fmt.Sprintf("the node %q is given nothing", n.Name), "a node with `reads` is, and one that takes the state")
	default:
		o.given[e.Given] = b.convert(e.Given.In, in)
	}
	if e.Given.Prompt != nil {
		b.promptOf(n, e.Given.Prompt, e.Given.Prompt.Pos)
	}
	for _, g := range e.Given.Guards {
		b.guardGiven(n, g, o)
	}
	for _, feature := range []bool{e.Given.Feedback != nil, e.Given.Failure.V != "", e.Given.NoFailure.IsSet(), e.Given.Step.IsSet(),
		e.Given.Visit.IsSet(), e.Given.Attempt.IsSet()} {
		if feature && n.Kind.Pure {
			b.report("GG210", e.Keys["given"], fmt.Sprintf("the node %q is a transform, which has no context", n.Name), "compare what is `in` alone")
			return
		}
	}
}

// guardGiven converts what a guard of a node must be given.
func (b *binder) guardGiven(n *plan.Node, given GuardGiven, o *bound) {
	var names []string
	for _, g := range n.Checks.Guards {
		switch {
		case g.In == nil:
		case g.Name == given.Guard.V:
			o.guarded[given.In] = b.convert(given.In, g.In)
			return
		default:
			names = append(names, g.Name)
		}
	}
	b.unknown("GG209", given.Guard.V, given.Guard.Pos, "guard that reads the state", of(n), names)
}
