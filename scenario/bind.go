package scenario

import (
	"encoding/json"
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

// A bound scenario has its names resolved: what to run, and what to compare.
type bound struct {
	*Scenario
	file    *File
	machine *plan.Machine
	run     wire.Scenario

	state, output any            // expected values, in the form of package wire
	given         map[*Given]any // expected inputs
	called        map[int]any    // expected arguments of tools, by the index of the call
	calledAs      map[int]*resolve.Type
	guarded       map[*Value]any       // expected inputs of guards
	calls         map[string]toolCalls // entries of the calls of tools, by name
	results       map[string][]*Entry  // entries of the script by node
	scripted      map[string]scripted  // nodes with a script, by name
}

// toolCalls are the entries of the calls of a tool.
type toolCalls struct {
	in      *resolve.Type // what the tool reads; nil: nothing
	entries []*ToolEntry
	given   []any // by entry; nil: what it is given is not compared
}

// A scripted node belongs to the graph, or to one that runs within it.
type scripted struct {
	m *plan.Machine
	n *plan.Node
}

// bind checks a file against its graph and returns the scenarios to run.
func bind(f *File, m *plan.Machine) ([]*bound, []diag.Diagnostic) {
	b := newBinder(f, m, make(map[*spec.Graph]*binder))
	merges := b.merges()
	b.bindNested()
	var all []*bound
	for _, s := range f.Scenarios {
		all = append(all, b.scenario(s, merges))
	}
	return all, diag.Sort(b.found)
}

func newBinder(f *File, m *plan.Machine, graphs map[*spec.Graph]*binder) *binder {
	b := &binder{file: f, m: m, graphs: graphs, nodes: make(map[string]*plan.Node), workers: make(map[string]*plan.Node)}
	for _, n := range m.Nodes {
		b.nodes[n.Name] = n
		b.names = append(b.names, n.Name)
		if plays(n) || len(whens(n)) > 0 {
			b.workers[n.Name] = n
			b.works = append(b.works, n.Name)
		}
	}
	return b
}

// A binder resolves the names of a file.
type binder struct {
	file  *File
	m     *plan.Machine
	nodes map[string]*plan.Node // visited nodes
	names []string

	workers map[string]*plan.Node // those that a script may have entries for
	works   []string
	found   []diag.Diagnostic

	current *Scenario             // the scenario being bound
	added   map[string]*plan.Node // prompts that its script adds

	graphs map[*spec.Graph]*binder // of graphs of subgraph nodes
	nested map[string]wire.Graph   // descriptions of these graphs for the harness
	parent *binder                 // of the parent graph; nil: it is the graph of the file
	path   string                  // names of the subgraph nodes around it
	around int                     // number of maps around the graph
}

func (b *binder) report(code string, pos spec.Pos, message, help string) {
	if b.parent != nil {
		b.parent.report(code, pos, message, help)
		return
	}
	b.found = append(b.found, diag.Diagnostic{Code: code, File: b.file.Path, Pos: pos, Message: message, Help: help})
}

// node returns the node with the given name, or reports that there is none.
func (b *binder) node(name spec.String) *plan.Node {
	n := b.nodes[name.V]
	if n == nil && name.V != "" && !b.current.adds(name.V) && !b.recorded() {
		b.unknown("GG206", name.V, name.Pos, "node", "", b.names)
	}
	return n
}

// recorded reports whether nodes may have names that are unknown before the run: those added by a
// recorded model.
func (b *binder) recorded() bool {
	return b.current != nil && b.current.Recording.IsSet() && b.m.Mutations.Allows("add_node")
}

// worker returns the node with the given name, for which a script may have entries, or reports that
// there is none.
func (b *binder) worker(name spec.String) *plan.Node {
	n, visited := b.workers[name.V], b.nodes[name.V]
	if n == nil {
		n = b.added[name.V]
	}
	switch {
	case n != nil || name.V == "":
	case visited != nil && visited.Sub != nil:
		b.report("GG206", name.Pos, "node "+quote(name.V)+" has no handler: it runs the graph "+visited.Sub.Graph, "write what the nodes of the graph do, as "+quote(name.V+"/NODE"))
	case visited != nil && visited.Call != nil:
		b.report("GG206", name.Pos, "node "+quote(name.V)+" calls tools, and has nothing of its own", "write what they give under `tools`")
	case visited != nil && visited.Composite != nil:
		b.report("GG206", name.Pos, "node "+quote(name.V)+" has no handler: it runs others", "write "+strings.Join(runs(visited), " or ")+" instead")
	case visited != nil:
		b.report("GG206", name.Pos, "node "+quote(name.V)+" has no handler, and nothing to script", "leave it out")
	default:
		b.unknown("GG206", name.V, name.Pos, "node", "", b.works)
	}
	return n
}

// runs returns the children of a composite node.
func runs(n *plan.Node) []string {
	var names []string
	for _, r := range n.Composite.Regions {
		for _, inner := range r.Nodes {
			names = append(names, quote(inner.Name))
		}
	}
	return names
}

var summed = []resolve.Kind{resolve.Int, resolve.Float, resolve.Duration}

// mergeKinds are the types of state fields to which a merge rule applies; nil: all.
var mergeKinds = map[string][]resolve.Kind{
	"last": nil, "append": {resolve.List}, "union": {resolve.List, resolve.Map},
	"sum": summed, "max": summed, "min": summed,
}

// merges checks that every custom merge function has a substitute.
func (b *binder) merges() map[string]string {
	rules := make(map[string]string)
	for _, p := range b.file.Merges {
		if !strings.Contains(p.Name.V, "/") {
			b.merge(p, rules)
		}
	}
	b.unmerged(rules, "")
	return rules
}

// merge checks one substitute.
func (b *binder) merge(p Pair, rules map[string]string) {
	f := b.m.State.Field(p.Name.V)
	kinds, known := mergeKinds[p.To.V]
	switch {
	case f == nil:
		b.unknown("GG207", p.Name.V, p.Name.Pos, "field", "of the state", fieldNames(b.m.State))
		return
	case f.Merge != "custom":
		b.report("GG211", p.Name.Pos, fmt.Sprintf("the field %q has the merge rule %s, which needs no substitute", f.Name, f.Merge), "leave it out")
	case p.To.V == "":
	case !known:
		b.unknown("GG211", p.To.V, p.To.Pos, "merge rule", "", []string{"last", "append", "union", "sum", "max", "min"})
	case kinds != nil && !slices.Contains(kinds, mergedKind(p.To.V, f.Type)):
		b.report("GG211", p.To.Pos, fmt.Sprintf("the rule %s is not for the field %q of type %s", p.To.V, f.Name, f.Type), "append is for lists, union for lists and maps, sum, max and min for numbers, last for all")
	}
	rules[f.Name] = p.To.V
}

// unmerged reports custom merge functions without a substitute.
func (b *binder) unmerged(rules map[string]string, within string) {
	for _, merge := range b.m.Merges {
		if _, ok := rules[merge.Field.Name]; !ok {
			b.report("GG211", b.file.Graph.Pos, fmt.Sprintf("the state field %q is merged by a Go function, which scenarios do not have", within+merge.Field.Name),
				fmt.Sprintf("name a rule in its place: merges: {%s: last}", within+merge.Field.Name))
		}
	}
}

// mergedKind returns the kind of a field for a merge rule. max and min accept optionals, too.
func mergedKind(rule string, t *resolve.Type) resolve.Kind {
	if rule == "max" || rule == "min" {
		return t.Base().Kind
	}
	return t.Kind
}

func (b *binder) scenario(s *Scenario, merges map[string]string) *bound {
	o := &bound{Scenario: s, file: b.file, machine: b.m, scripted: make(map[string]scripted), given: make(map[*Given]any), guarded: make(map[*Value]any), calls: make(map[string]toolCalls), called: make(map[int]any), calledAs: make(map[int]*resolve.Type), results: make(map[string][]*Entry)}
	o.run = wire.Scenario{
		Graph: b.m.Stem, Name: s.Name.V, Recording: s.recorded, Merges: merges, Script: make(map[string]wire.Steps[wire.Entry]),
		Places: places(b.m), Agents: b.agents(), Root: b.m.Name, Subs: subsOf(b.m), Nested: b.nested,
	}
	b.current = s
	b.addNodes(s, o.run.Agents)
	b.tools(s, o)
	if s.Input != nil {
		o.run.Input = text(b.convert(s.Input, b.m.Input))
	}
	for _, script := range s.Script {
		in, n := b.workerByPath(script.Node)
		if n == nil {
			continue
		}
		elements(in, script.Steps, n, 0)
		in.transformed(n, script.Steps)
		b.placed(n, script.Node, &o.run)
		name := script.Node.V
		o.scripted[name] = scripted{in.m, n}
		o.run.Script[name] = bindSteps(script.Steps, func(e *Entry) wire.Entry {
			o.results[name] = append(o.results[name], e)
			if e.Given != nil && plays(n) {
				in.given(n, e, o)
			}
			return in.entry(s, n, e)
		})
	}
	o.run.Answers = b.replies(s)
	b.options(&s.Options, &o.run)
	b.expect(&s.Expect, o)
	b.expectAgents(s, o)
	b.expectMessages(&s.Expect)
	return o
}

// text returns a converted value as JSON.
func text(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // converted values can always be encoded
	}
	return out
}

// entry converts an entry for one execution of a node.
func (b *binder) entry(s *Scenario, n *plan.Node, e *Entry) wire.Entry {
	b.suits(n, e)
	w := wire.Entry{
		Transient: e.Transient, Takes: int64(e.Takes.V), After: int64(e.After.V), Hang: e.Hang, Cancel: e.Cancel, Stop: e.Stop,
		Error: textOf(e.Error), Panic: textOf(e.Panic),
		Goto: b.choice(n, n.Goto, e.Goto), Branch: b.choice(n, n.Branch, e.Branch),
	}
	if t := outOf(b.m, n); e.Out != nil && t != nil && n.Prompt == nil {
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
	if n.Prompt != nil {
		w.Reject, w.Goto = nil, 0 // the model answers that
	}
	return w
}

// convertOut converts an entry's output. For a node that writes one field, the value of the field suffices.
func (b *binder) convertOut(n *plan.Node, v *Value, t *resolve.Type) any {
	if n.FromWrites && len(t.Fields) == 1 && isValueOf(v, t.Fields[0]) {
		return map[string]any{t.Fields[0].GoName: b.convert(v, t.Fields[0].Type)}
	}
	return b.convert(v, t)
}

// isValueOf reports whether what is written is the value of a field: no mapping, or one with keys of the field's type
// and without the field's name.
func isValueOf(v *Value, f *resolve.Field) bool {
	if v.Kind != yamlread.Map {
		return true
	}
	t := f.Type
	for t.Kind == resolve.Optional {
		t = t.Elem
	}
	keys := fieldNames(t)
	switch t.Kind {
	case resolve.Media:
		keys = mediaKeys
	case resolve.Union:
		keys = []string{t.Discriminator}
	}
	return v.Get(f.Name) == nil && slices.ContainsFunc(keys, func(key string) bool { return v.Get(key) != nil })
}

func textOf(s spec.String) *string {
	if s.V == "" {
		return nil
	}
	return &s.V
}

// outOf returns the type of out: the node's output, or the state that it may change.
func outOf(m *plan.Machine, n *plan.Node) *resolve.Type {
	if n.Out == nil && n.TakesState && !n.Shape.ByValue {
		return m.State
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
	if n.By != nil {
		branchless, label = "branches by its output, and returns no label", "write the value of "+n.By.Field.Name+" into `out`"
	}
	for _, rule := range append([]suit{
		{"out", outOf(b.m, n) != nil, "returns no output", "a node with `output` or `writes` does, and one that may change the state"},
		{"goto", n.Goto != nil, "names no next node", "a node with `goto` does, and a router"},
		{"branch", n.Branch != nil, branchless, label},
		{"graph_action", n.Mutates, "may not change the graph", "a node with `mutates` may"},
		{"guards_failed", n.Kind.Judges || len(n.Guards) > 0, "has no guards", "its `guards` name them"},
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
			b.report("GG210", pos, fmt.Sprintf("the node %q has no handler: its entries are the choices of the model that judges its `when` edges", n.Name), "write `choose` alone")
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
	if n.Prompt != nil {
		return
	}
	var ends []string
	for _, key := range []string{"error", "panic", "guards_failed", "reject"} {
		if _, ok := e.Keys[key]; ok && (key != "guards_failed" || n.Kind.Judges) {
			ends = append(ends, key)
		}
	}
	if len(ends) > 1 {
		b.report("GG210", e.Keys[ends[1]], fmt.Sprintf("an execution ends in one way, and this one has %s", strings.Join(ends, " and ")), "make them entries of their own")
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
			b.report("GG210", v.Guard.Pos, fmt.Sprintf("the node %q is a guard itself, and has no others", n.Name), "write `true`, or the message of its rejection")
		}
		w.Reject = reason.Reject
		return
	}
	if w.Guards == nil {
		w.Guards = make(map[string]wire.Verdict)
	}
	var names []string
	for _, g := range n.Guards {
		names = append(names, g.Name)
		if v.Guard.V == "" || v.Guard.V == g.Name {
			w.Guards[g.Name] = reason
		}
	}
	if v.Guard.V != "" && !slices.Contains(names, v.Guard.V) && len(names) > 0 {
		b.unknown("GG209", v.Guard.V, v.Guard.Pos, "guard", of(n), names)
	}
}

func (b *binder) given(n *plan.Node, e *Entry, o *bound) {
	o.run.Executions = true
	in := n.In
	if in == nil && n.TakesState {
		in = b.m.State
	}
	switch {
	case e.Given.In == nil:
	case n.Prompt != nil || n.Kind.Picks():
		b.report("GG210", e.Given.In.Pos, fmt.Sprintf("the node %q asks a model, which is given a prompt", n.Name), "write what the prompt contains: `prompt: {contains: [otters]}`")
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
	for _, feature := range []bool{e.Given.Feedback != nil, e.Given.Failure.V != "", e.Given.NoFailure.IsSet(), e.Given.Step.IsSet(), e.Given.Visit.IsSet(), e.Given.Attempt.IsSet()} {
		if feature && n.Kind.Pure {
			b.report("GG210", e.Keys["given"], fmt.Sprintf("the node %q is a transform, which has no context", n.Name), "compare what is `in` alone")
			return
		}
	}
}

// guardGiven converts what a guard of a node must be given.
func (b *binder) guardGiven(n *plan.Node, given GuardGiven, o *bound) {
	var names []string
	for _, g := range n.Guards {
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

func (b *binder) options(o *Options, w *wire.Scenario) {
	w.Cancelled, w.Stopped, w.Deadline = o.Cancelled, o.Stopped, int64(o.Deadline.V)
	w.DryRun = o.DryRun
	w.Budget = wire.Budget{Tokens: o.Budget.Tokens.V, Cost: o.Budget.Cost.V, ModelCalls: o.Budget.ModelCalls.V, ToolCalls: o.Budget.ToolCalls.V}
	for _, h := range o.Hooks {
		hook := wire.Hook{Node: h.Before.V, Visit: h.Visit.V, Governing: h.Governing, Budget: h.Budget.V, Error: h.Error.V, Panic: h.Panic.V}
		fails := 0
		for _, way := range []spec.String{h.Error, h.Budget, h.Panic} {
			if way.V != "" {
				fails++
			}
		}
		switch {
		case h.Before.V != "" && h.After.V != "", h.Before.V == "" && h.After.V == "":
			b.report("GG202", h.Pos, "a hook is called `before` or `after` a node", "write one of the two")
		case fails != 1:
			b.report("GG202", h.Pos, "a hook fails with an `error`, with a `panic` or for want of a `budget`", "write one of the three")
		}
		b.nodeByPath(h.Before)
		b.nodeByPath(h.After)
		if h.After.V != "" {
			hook.After, hook.Node = true, h.After.V
		}
		w.Hooks = append(w.Hooks, hook)
	}
}

// expect checks the names of expectations.
func (b *binder) expect(x *Expect, o *bound) {
	for _, list := range []*[]spec.String{x.Path, x.Skipped} {
		if list == nil {
			continue
		}
		for _, name := range *list {
			b.node(name)
		}
	}
	events := x.Events
	if x.All != nil {
		events = append(slices.Clone(events), *x.All...)
	}
	for _, e := range events {
		b.nodeByPath(e.Node)
		if e.Kind.V == "route" && !spec.IsEnd(e.To.V) {
			b.nodeByPath(e.To)
		}
	}
	for _, f := range x.Followed {
		b.node(f.From)
		if !spec.IsEnd(f.To.V) {
			b.node(f.To)
		}
	}
	for _, p := range x.Passed {
		b.nodeByPath(p.From)
	}
	if x.LeftOut != nil {
		for _, block := range *x.LeftOut {
			node, _, _ := strings.Cut(block.V, " ")
			b.nodeByPath(spec.String{V: node, Pos: block.Pos})
		}
	}
	if x.Cancelled != nil {
		b.cancelled(*x.Cancelled)
	}
	for _, c := range x.Executed {
		b.workerByPath(c.Name)
	}
	var errs []*ErrorMatch
	if x.Error != nil {
		errs = append(errs, x.Error)
	}
	if x.Failures != nil {
		errs = append(errs, *x.Failures...)
	}
	for _, e := range errs {
		b.node(e.Node)
	}
	o.run.Events = len(events) > 0 || x.All != nil || x.Skipped != nil || x.Messages != nil
	o.run.Executions = o.run.Executions || len(x.Executed) > 0
	if x.State != nil {
		o.state = b.convert(x.State, b.m.State)
	}
	if x.Output != nil {
		o.output = b.convert(x.Output, b.m.Output)
	}
	if x.Cut.IsSet() && b.m.OnMaxSteps != "flag" {
		b.report("GG210", x.Cut.Pos, "the output has whether the steps were used up only with `on_max_steps: flag`", "leave it out")
	}
}
