package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
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
	for _, n := range m.Flow.Nodes {
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
	b.found = append(b.found, diag.Diagnostic{Code: code, File: b.file.Path, Pos: pos, Message: message, Help: diag.Help(help)})
}

// node returns the node with the given name, or reports that it does not exist.
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
// it does not exist.
func (b *binder) worker(name spec.String) *plan.Node {
	n, visited := b.workers[name.V], b.nodes[name.V]
	n = cmp.Or(n, b.added[name.V])
	switch {
	case n != nil || name.V == "":
	case visited != nil:
		without, help := unscripted(visited)
		b.report("GG206", name.Pos, "node "+quote(name.V)+" "+without, help)
	default:
		b.unknown("GG206", name.V, name.Pos, "node", "", b.works)
	}
	return n
}

// unscripted returns why a script has no entries for a node, and what to write.
func unscripted(n *plan.Node) (without, help string) {
	switch w := n.Work.(type) {
	case *plan.Sub:
		return "has no handler: it runs the graph " + w.Graph, "write what the nodes of the graph do, as " + quote(n.Name+"/NODE")
	case *plan.Call:
		return "calls tools, and has nothing of its own", "write what they give under `tools`"
	case plan.Runner:
		return "has no handler: it runs others", "write " + strings.Join(runs(n), " or ") + " instead"
	}
	return "has no handler, and nothing to script", "leave it out"
}

// runs returns the children of a composite node.
func runs(n *plan.Node) []string {
	var names []string
	for _, r := range n.Regions() {
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
	f := b.m.Types.State.Field(p.Name.V)
	kinds, known := mergeKinds[p.To.V]
	switch {
	case f == nil:
		b.unknown("GG207", p.Name.V, p.Name.Pos, "field", "of the state", fieldNames(b.m.Types.State))
		return
	case f.Merge != "custom":
		b.report("GG211", p.Name.Pos, fmt.Sprintf("the field %q has the merge rule %s, which needs no substitute", f.Name, f.Merge), "leave it out")
	case p.To.V == "":
	case !known:
		b.unknown("GG211", p.To.V, p.To.Pos, "merge rule", "", []string{"last", "append", "union", "sum", "max", "min"})
	case kinds != nil && !slices.Contains(kinds, mergedKind(p.To.V, f.Type)):
		b.report("GG211", p.To.Pos, fmt.Sprintf("the rule %s is not for the field %q of type %s", p.To.V, f.Name, f.Type),
			"append is for lists, union for lists and maps, sum, max and min for numbers, last for all")
	}
	rules[f.Name] = p.To.V
}

// unmerged reports custom merge functions without a substitute.
func (b *binder) unmerged(rules map[string]string, within string) {
	for _, merge := range b.m.Types.Merges {
		if _, ok := rules[merge.Field.Name]; !ok {
			b.report("GG211", b.file.Graph.Pos,
				fmt.Sprintf("the state field %q is merged by a Go function, which scenarios do not have", within+merge.Field.Name),
				fmt.Sprintf("name a rule instead: merges: {%s: last}", within+merge.Field.Name))
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
	o := &bound{Scenario: s, file: b.file, machine: b.m, scripted: make(map[string]scripted), given: make(map[*Given]any),
		guarded: make(map[*Value]any), calls: make(map[string]toolCalls), called: make(map[int]any),
		calledAs: make(map[int]*resolve.Type), results: make(map[string][]*Entry)}
	o.run = wire.Scenario{
		Graph: b.m.Stem, Name: s.Name.V, Recording: s.recorded, Merges: merges, Script: make(map[string]wire.Steps[wire.Entry]),
		Places: places(b.m), Agents: b.agents(), Root: b.m.Name, Subs: subsOf(b.m), Nested: b.nested,
	}
	b.current = s
	b.addNodes(s, o.run.Agents)
	b.tools(s, o)
	if s.Input != nil {
		o.run.Input = text(b.convert(s.Input, b.m.Types.Input))
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

// expectNodes checks the names of nodes in expectations.
func (b *binder) expectNodes(x *Expect) {
	for _, list := range []*[]spec.String{x.Path, x.Skipped} {
		if list == nil {
			continue
		}
		for _, name := range *list {
			b.node(name)
		}
	}
	for _, e := range x.allEvents() {
		b.nodeByPath(e.Node)
		if e.Kind.V == "route" && !spec.IsEnd(e.To.V) {
			b.nodeByPath(e.To)
		}
	}
	if x.Ending.V != "" && x.Ending.V != none {
		var names []string
		for _, e := range b.m.Flow.Ends {
			names = append(names, e.Name)
		}
		if !slices.Contains(names, x.Ending.V) {
			b.unknown("GG205", x.Ending.V, x.Ending.Pos, "end", "", names)
		}
	}
	for _, f := range x.Followed {
		b.node(f.From)
		if !spec.IsEnd(f.To.V) {
			b.node(f.To)
		}
	}
	for _, p := range x.Passed {
		b.passed(p)
	}
	if x.LeftOut != nil {
		for _, block := range *x.LeftOut {
			node, _, _ := strings.Cut(block.V, " ")
			b.nodeByPath(spec.String{V: node, Pos: block.Pos})
		}
	}
	for _, c := range x.Executed {
		b.workerByPath(c.Name)
	}
	var errs []*ErrorMatch
	if x.Error != nil {
		errs = append(errs, x.Error)
		for name, v := range map[string]spec.Value[bool]{"soft": x.Error.Soft, "cleared": x.Error.Cleared} {
			if v.IsSet() {
				b.report("GG210", v.Pos, "the error of a run has no `"+name+"`", "expect it of a failed step, under `failures`")
			}
		}
	}
	if x.Failures != nil {
		errs = append(errs, *x.Failures...)
	}
	for _, e := range errs {
		b.node(e.Node)
	}
}

// passed checks the node and the guard of an expectation.
func (b *binder) passed(p Followed) {
	n := b.nodeByPath(p.From)
	if n == nil {
		return // it is reported, or the run adds it
	}
	var names []string
	if n.Kind.Judges {
		names = append(names, n.Name)
	}
	for _, g := range n.Checks.Guards {
		names = append(names, g.Name)
	}
	if !slices.Contains(names, p.To.V) {
		b.unknown("GG209", p.To.V, p.To.Pos, "guard", of(n), names)
	}
}

// allEvents returns the events that are expected, in both keys.
func (x *Expect) allEvents() []EventMatch {
	if x.All == nil {
		return x.Events
	}
	return append(slices.Clone(x.Events), *x.All...)
}

// expect binds the expectations of a scenario.
func (b *binder) expect(x *Expect, o *bound) {
	b.expectNodes(x)
	if x.Cancelled != nil {
		b.cancelled(*x.Cancelled)
	}
	o.run.Events = len(x.Events) > 0 || x.All != nil || x.Skipped != nil || x.Messages != nil
	o.run.Executions = o.run.Executions || len(x.Executed) > 0
	if x.State != nil {
		o.state = b.convert(x.State, b.m.Types.State)
	}
	if x.Output != nil {
		o.output = b.convert(x.Output, b.m.Types.Output)
	}
	if x.Cut.IsSet() && b.m.Limits.OnMaxSteps != "flag" {
		b.report("GG210", x.Cut.Pos, "the output has whether the steps were used up only with `on_max_steps: flag`", "leave it out")
	}
}
