package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// agents returns the nodes that ask a model.
func (b *binder) agents() map[string]wire.Agent {
	agents := make(map[string]wire.Agent)
	for _, n := range b.m.Flow.Nodes {
		a := wire.Agent{Work: n.Name}
		for _, e := range judgedEvals(n) {
			if a.Evals == nil {
				a.Evals = make(map[string]string)
			}
			a.Evals[e.Judge] = e.Name
		}
		for _, g := range n.Checks.Guards {
			if g.Judge == "" {
				continue
			}
			if a.Gates == nil {
				a.Gates = make(map[string]string)
			}
			a.Gates[g.Judge] = g.Name
		}
		for _, t := range whens(n) {
			a.Whens = append(a.Whens, strings.TrimSpace(t.Text))
		}
		asks := n.Prompt() != nil
		if asks {
			a.Default, a.Output = defaultAnswer(n)
		}
		_, a.Picks = n.Work.(*plan.Pool)
		a.Apart = a.Picks || !plays(n)
		if asks || len(a.Evals)+len(a.Gates)+len(a.Whens) > 0 {
			agents[n.Name] = a
		}
	}
	return agents
}

// plays reports whether an execution of a node takes an entry of its script: a handler is called, a model
// is asked for its answer or its pick, or a person answers.
func plays(n *plan.Node) bool {
	switch n.Work.(type) {
	case *plan.Handler, *plan.Prompt, *plan.Pool, *plan.Human:
		return true
	}
	return false
}

// defaultAnswer returns the answer of a model for an empty entry, and a description of the answer
// that is required. Outputs are never invented.
func defaultAnswer(n *plan.Node) (answer *string, output string) {
	switch {
	case n.Mutates && (n.Out == nil || n.Out.Kind == resolve.String):
		said := `{"text":""}`
		return &said, "a text"
	case n.Kind.Judges:
		pass := `{"pass":true}`
		return &pass, "a verdict"
	case n.Kind.Chooses:
		return nil, "one of its routes"
	case n.Out != nil && n.Out.Kind != resolve.String:
		return nil, "a " + n.Out.String()
	}
	return new(string), "a text"
}

// whens returns the judged edges of a node.
func whens(n *plan.Node) (tests []plan.Test) {
	for _, t := range n.Routes.Tests {
		if t.Kind == plan.When {
			tests = append(tests, t)
		}
	}
	return tests
}

func judgedEvals(n *plan.Node) (evals []*plan.Eval) {
	for _, e := range n.Checks.Evals {
		if e.Judge != "" {
			evals = append(evals, e)
		}
	}
	return evals
}

// asking adds the part of an entry for a node that asks a model.
func (b *binder) asking(s *Scenario, n *plan.Node, e *Entry, w *wire.Entry) {
	if n.Prompt() != nil {
		w.Answer = b.answer(n, e)
		for i := 0; i < len(e.Calls) && n.Kind.By == spec.ByModel; i++ {
			c := e.Calls[i]
			b.call(s, n, c)
			w.Calls = append(w.Calls, wire.Call{Name: c.Tool.V, Arguments: b.arguments(c)})
		}
	}
	for _, text := range e.Malformed {
		w.Malformed = append(w.Malformed, text.V)
	}
	w.Usage, w.Summary = usageOf(e.Usage), textOf(e.Summary)
	_, picks := n.Work.(*plan.Pool)
	switch {
	case e.Choose == nil:
	case picks:
		w.Choose = b.pick(n, e.Choose)
	case len(whens(n)) > 0:
		w.Choose = b.choose(n, e.Choose)
	}
	for _, o := range e.Evals {
		b.opinion(n, o, w)
	}
}

func usageOf(u *Usage) wire.Usage {
	if u == nil {
		return wire.Usage{}
	}
	return wire.Usage{Input: u.Input.V, Output: u.Output.V, Cost: u.Cost.V}
}

// call checks a call by a model. Arguments as a text are not checked.
func (b *binder) call(s *Scenario, n *plan.Node, c Call) {
	names := b.toolNames(n, s)
	switch {
	case c.Arguments != nil && c.Arguments.Kind == yamlread.Text:
	case !slices.Contains(names, c.Tool.V):
		b.unknown("GG209", c.Tool.V, c.Tool.Pos, "tool", of(n), names)
	default:
		if t := b.tool(c.Tool.V); t != nil {
			b.lacking(c, t)
		}
	}
}

// choose resolves the answer of a judge to edges. The name of a node refers only to the target of
// an edge. A name that is only similar to a target is a mistake.
func (b *binder) choose(n *plan.Node, c *Choose) *wire.Choice {
	w := &wire.Choice{Answer: c.Answer.V, Error: textOf(c.Error)}
	if c.Answer.V == "none" || c.Error.V != "" {
		w.None = c.Error.V == ""
		return w
	}
	var targets []string
	for _, t := range whens(n) {
		to, text := spec.End, strings.TrimSpace(t.Text)
		if t.Transition.To != nil {
			to = t.Transition.To.Name
		}
		targets = append(targets, to)
		if c.Answer.V == text || c.Answer.V == to || spec.IsEnd(to) && spec.IsEnd(c.Answer.V) {
			w.Whens = append(w.Whens, text)
		}
	}
	_, resembles := diag.Suggest(c.Answer.V, targets)
	if len(w.Whens) == 0 && (resembles || b.nodes[c.Answer.V] != nil || spec.IsEnd(c.Answer.V)) {
		b.unknown("GG209", c.Answer.V, c.Answer.Pos, "choice", of(n), append(targets, "none"))
	}
	w.Other = c.Answer.V
	return w
}

// opinion adds the answer of an eval's judge.
func (b *binder) opinion(n *plan.Node, o Opinion, w *wire.Entry) {
	var names []string
	for _, e := range judgedEvals(n) {
		names = append(names, e.Name)
	}
	if len(names) > 0 && !slices.Contains(names, o.Eval.V) {
		b.unknown("GG209", o.Eval.V, o.Eval.Pos, "eval", of(n), names)
		return
	}
	if w.Evals == nil {
		w.Evals = make(map[string]wire.Opinion)
	}
	w.Evals[o.Eval.V] = wire.Opinion{Pass: o.Pass, Error: textOf(o.Error)}
}

// askingSuits returns the keys of entries about models, and whether they apply to the node.
func (b *binder) askingSuits(n *plan.Node) []suit {
	_, picks := n.Work.(*plan.Pool)
	_, asks := n.Work.(*plan.Prompt)
	reason, helps := "asks no model", "a node of kind prompt does, and a router or guard with instructions"
	if picks {
		reason, helps = "has a model that picks nodes, and answers nothing else", "write which it picks: `choose`"
	}
	judges := "an edge with `when` is one"
	if n.Choices.Goto != nil {
		judges = "write the node that it names: `goto`"
	}
	return []suit{
		{"text", asks, reason, helps},
		{"malformed", asks || picks, reason, helps},
		{"usage", asks || picks, reason, helps},
		{"summary", asks || len(n.Checks.Evals) > 0, reason, helps},
		{"tool_calls", asks && n.Kind.By == spec.ByModel, "has no model that calls tools", "a node of kind prompt does"},
		{"reject", n.Kind.Judges, "is not a guard", "of a node with `guards`, `guards_failed` names those that reject"},
		{"choose", picks || len(whens(n)) > 0, "has no edges that a model judges", judges},
		{"evals", len(judgedEvals(n)) > 0, "has no evals that a model judges", "an eval with `judge` is one"},
	}
}

// answers reports answers of one execution that exclude one another.
func (b *binder) answers(n *plan.Node, e *Entry) {
	if n.Prompt() == nil {
		return
	}
	var ways []string
	for _, key := range []string{"out", "text", "goto", "tool_calls", "reject", "guards_failed", "error", "panic"} {
		if _, ok := e.Keys[key]; ok && (key != "guards_failed" || n.Kind.Judges) {
			ways = append(ways, key)
		}
	}
	if len(ways) < 2 || slices.Equal(ways, []string{"text", "tool_calls"}) {
		return
	}
	b.report("GG210", e.Keys[ways[1]], fmt.Sprintf("a model answers in one way, and this one has %s", strings.Join(ways, " and ")),
		"make them entries of their own")
}

// tools binds the calls of tools.
func (b *binder) tools(s *Scenario, o *bound) {
	w := &o.run
	w.Tools = make(map[string]wire.Steps[wire.ToolEntry])
	for _, t := range b.m.Models.Tools {
		if t.Pure {
			w.Pure = append(w.Pure, t.Name)
		}
	}
	for _, steps := range s.Tools {
		in, t := b.toolByPath(steps.Tool)
		if t == nil {
			continue
		}
		in.callers(steps.Steps, t.Name, 0)
		convert := in.toolEntry(func(v *Value) wire.Value { return text(in.convert(v, t.Returns)) })
		calls := toolCalls{in: t.In}
		w.Tools[steps.Tool.V] = bindSteps(steps.Steps, func(e *ToolEntry) wire.ToolEntry {
			calls.entries, calls.given = append(calls.entries, e), append(calls.given, in.toolGiven(t.Name, t.In, e))
			return convert(e)
		})
		o.calls[steps.Tool.V] = calls
	}
	if len(s.Inject) > 0 && !slices.ContainsFunc(b.m.Flow.Nodes, injects) {
		b.report("GG210", s.Inject[0].Tool.Pos, "no node of the graph receives tools that are known only at run time",
			"the flag `inject_tools` makes one do so")
	}
	for _, steps := range s.Inject {
		if b.tool(steps.Tool.V) != nil {
			b.report("GG210", steps.Tool.Pos, "the spec declares the tool "+quote(steps.Tool.V), "write its calls under `tools`")
			continue
		}
		w.Inject = append(w.Inject, wire.Injected{Name: steps.Tool.V, Doc: steps.Doc.V, Schema: schemaJSON(steps.Schema)})
		b.callers(steps.Steps, steps.Tool.V, 0)
		convert := b.toolEntry(func(v *Value) wire.Value {
			if v.Kind == yamlread.Text {
				return text(v.Text)
			}
			return text(string(rawJSON(v)))
		})
		w.Tools[steps.Tool.V] = bindSteps(steps.Steps, func(e *ToolEntry) wire.ToolEntry {
			b.toolGiven(steps.Tool.V, nil, e)
			return convert(e)
		})
	}
}

func injects(n *plan.Node) bool {
	p := n.Prompt()
	return p != nil && p.Inject
}

// toolEntry returns the conversion of calls with the given conversion of results.
func (b *binder) toolEntry(result func(*Value) wire.Value) func(*ToolEntry) wire.ToolEntry {
	return func(e *ToolEntry) wire.ToolEntry {
		w := wire.ToolEntry{Error: textOf(e.Error), Fatal: e.Fatal, Panic: textOf(e.Panic), Takes: int64(e.Takes.V), Hang: e.Hang}
		if e.Result != nil {
			w.Result = result(e.Result)
		}
		var ends []string
		for _, key := range []string{"result", "error", "panic"} {
			if _, ok := e.Keys[key]; ok {
				ends = append(ends, key)
			}
		}
		if len(ends) > 1 {
			b.report("GG210", e.Keys[ends[1]], fmt.Sprintf("a call ends in one way, and this one has %s", strings.Join(ends, " and ")),
				"make them entries of their own")
		}
		return w
	}
}

// toolGiven converts what a tool must be given of the state; nil: that is not compared.
func (b *binder) toolGiven(tool string, in *resolve.Type, e *ToolEntry) any {
	switch {
	case e.Given == nil:
		return nil
	case in == nil:
		b.report("GG210", e.Given.Pos, "the tool "+quote(tool)+" reads nothing of the state", "its `reads` name what it is given")
		return nil
	}
	return b.convert(e.Given, in)
}

// toolByPath returns a tool of any graph with its binder, or reports that it does not exist.
func (b *binder) toolByPath(name spec.String) (*binder, *plan.Tool) {
	in, own := b.byPath(name)
	if in == nil {
		return nil, nil
	}
	t := in.tool(own.V)
	if t == nil {
		var names []string
		for _, t := range in.m.Models.Tools {
			names = append(names, t.Name)
		}
		in.unknown("GG206", own.V, name.Pos, "tool", "", names)
	} else if t.Client != nil {
		b.report("GG206", name.Pos, "the caller of the machine runs the tool "+quote(own.V)+", and no script does",
			"write what it returns under `answers`, as in {to: "+own.V+", answer: {result: …}}")
		return in, nil
	}
	return in, t
}

// expectAgents checks the names of expectations about models and tools.
func (b *binder) expectAgents(s *Scenario, o *bound) {
	x := &s.Expect
	for i, c := range x.Called {
		injected := slices.ContainsFunc(s.Inject, func(steps ToolSteps) bool { return steps.Tool.V == c.Tool.V })
		var (
			in *binder
			t  *plan.Tool
		)
		if !injected {
			in, t = b.toolByPath(c.Tool)
		}
		switch {
		case t == nil && !injected, c.Arguments == nil:
		case t != nil:
			o.called[i], o.calledAs[i] = in.convert(c.Arguments, t.Args), t.Args
		default:
			o.called[i] = string(rawJSON(c.Arguments))
		}
	}
	for _, p := range x.Prompts {
		if in, n := b.workerByPath(p.Node); n != nil {
			in.promptOf(n, p, p.Node.Pos)
		}
	}
	chooses := b.m.Models.Judges
	for range plan.Works[*plan.Pool](b.m) {
		chooses = true
	}
	if !chooses && (x.Asked != nil || x.Judge != nil) {
		pos := x.AskedPos
		if x.Judge != nil {
			pos = x.Judge.Pos
		}
		b.report("GG210", pos, "the graph has no edges that a model judges, and no pool that it picks from", "an edge with `when` is one")
	}
}

// promptOf reports an expectation about the prompt of a node that has none.
func (b *binder) promptOf(n *plan.Node, p *PromptMatch, pos spec.Pos) {
	if n.Prompt() == nil {
		b.report("GG210", pos, fmt.Sprintf("the node %q asks no model", n.Name), "a node of kind prompt does, and a router or guard with instructions")
	}
}
