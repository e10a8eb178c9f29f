package plan

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// Lower makes the machine of a checked spec, for a Go package of that name. A graph
// that package check accepts always lowers. That of a file of types has types alone.
func Lower(flow *cfg.Graph, pkg string) *Machine {
	g, s := flow.Spec, flow.Spec.Spec
	if s.TypesOnly() {
		l := &lowering{g: g, used: map[string]int{}, m: &Machine{
			File: filepath.Base(s.File), Package: pkg, Doc: s.Doc.V, Types: Types{Declared: g.Types, Imports: g.Imports},
		}}
		l.findCodecs()
		return l.m
	}
	prefix := goname.Unexported(s.Name.V)
	l := &lowering{
		g:           g,
		nodes:       make(map[*resolve.Node]*Node, len(s.Nodes)),
		tools:       make(map[*resolve.Tool]*Tool, len(g.Tools)),
		used:        map[string]int{prefix + "Run": 1, prefix + "Graph": 1, prefix + "Caller": 1},
		flow:        flow,
		transitions: map[*cfg.Transition]*Transition{},
		pairs:       map[*cfg.Counter]*Transition{},
		run:         newMembers(OfRun),
		machine:     newMembers(OfMachine),
	}
	for name := range s.Go.Names {
		l.used[name] = 1
	}
	l.m = newMachine(g, pkg, prefix)
	for _, e := range s.Ends {
		l.m.Flow.Ends = append(l.m.Flow.Ends, NamedEnd{Name: e.V, Const: l.m.EndType() + goname.Exported(e.V)})
	}
	l.m.Limits.MaxSteps = flow.MaxSteps()
	if l.m.Threads.Durable {
		l.m.Threads.Shape = shape.Of(flow).Hash()
	}
	l.lowerTools()
	l.lowerNodes()
	l.lowerMutations()
	l.lowerTransitions()
	l.lowerAgents()
	l.findGiven()
	l.m.findNotes()
	l.findPauses()
	l.lowerNestedHumans()
	l.findCells()
	l.findClips()
	l.findMedia()
	l.findCodecs()
	l.m.countVisits(l.flow)
	l.m.leaveTemplates()
	l.m.findSingles()
	l.m.findShapes()
	l.m.findDrawing()
	return l.m
}

// newMachine returns a machine with what the graph as a whole decides: its names, its types and its limits.
func newMachine(g *resolve.Graph, pkg, prefix string) *Machine {
	s := g.Spec
	m := &Machine{
		Name: s.Name.V, File: filepath.Base(s.File), Stem: stem(s), Package: pkg, Doc: s.Doc.V,
		Prefix: prefix, GoName: g.GoName,
		Names: Names{
			NodeType: g.GoName + "Node", StateType: g.State.GoName, InputType: g.Input.GoName,
			OutputType: g.Output.GoName, HandlersType: g.GoName + "Handlers", ToolsType: g.GoName + "Tools",
		},
		Limits: Limits{
			OnMaxSteps: "error", Timeout: s.Limits.Timeout.V,
			Budgets: Budgets{
				Tokens: s.Limits.MaxTokens.V, Cost: s.Limits.MaxCost.V,
				ModelCalls: s.Limits.MaxModelCalls.V, ToolCalls: s.Limits.MaxToolCalls.V,
			},
		},
		Types: Types{Declared: g.Types, State: g.State, Input: g.Input, Output: g.Output, Imports: g.Imports},
	}
	if m.Models.Servers = servers(s.MCP); len(m.Models.Servers) > 0 {
		m.Names.ServersVar = g.GoName + "Servers"
	}
	m.Threads.Durable, m.Serves, m.Temporal = s.Durable.V, s.Serve.V, s.Drives(spec.Temporal)
	m.Threads.Secret, m.Threads.Transacts = m.Threads.Durable && g.Seals(), m.Threads.Durable && g.Transacts()
	m.Humans.Interrupts, m.Humans.Continues = g.Interrupts(), g.Continues()
	if g.Judged != g.Input {
		m.Types.Judged = g.Judged
	}
	if s.Limits.OnMaxSteps.IsSet() {
		m.Limits.OnMaxSteps = s.Limits.OnMaxSteps.V
	}
	for _, f := range g.State.Fields {
		if f.Merge == "custom" {
			m.Types.Merges = append(m.Types.Merges, &Merge{Method: "Merge" + f.GoName, Field: f})
		}
	}
	return m
}

// stem is what the names of the graph's files begin with.
func stem(s *spec.Graph) string {
	if s.Go.Stem != "" {
		return s.Go.Stem
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.File), ".yaml"), ".graph")
}

// A lowering is the making of one machine.
type lowering struct {
	g           *resolve.Graph
	m           *Machine
	nodes       map[*resolve.Node]*Node
	tools       map[*resolve.Tool]*Tool
	used        map[string]int // unexported names given so far
	flow        *cfg.Graph
	transitions map[*cfg.Transition]*Transition
	pairs       map[*cfg.Counter]*Transition // the first transition that each counts

	run, machine members
}

func place(p spec.Pos) Place { return Place{Line: p.Line, Col: p.Col} }

func (l *lowering) lowerNodes() {
	for i, n := range l.g.All() {
		node := l.lowerNode(n)
		node.ID = i + 1
		l.nodes[n] = node
		l.m.Flow.Nodes = append(l.m.Flow.Nodes, node)
		if n == l.g.Entry {
			l.m.Flow.Entry = node
		}
	}
}

// lowerNode plans the visit of a node and its work.
func (l *lowering) lowerNode(n *resolve.Node) *Node {
	s := n.Spec
	node := &Node{
		Name: s.Name.V, Const: n.Const, GoName: n.GoName, Place: place(s.Name.Pos), Kind: n.Kind,
		Failure: Failure{Soft: s.FailSoft.V, Skip: n.Has(spec.SkipOnError), Critical: n.Has(spec.Critical)},
	}
	node.Visits.Max = l.flow.Node(n).MaxVisits
	if most, said := l.g.MaxVisits(n); said {
		node.Visits.Bound = most
	}
	node.Mutates, node.Template = l.g.Mutates(n), n.Template
	switch node.State.Reads = n.Reads; {
	case n.TakesState:
		node.State.Reads = l.g.State.Fields
	case n.Over != nil:
		node.State.Reads = append(slices.Clone(n.Reads), n.Over)
	}
	if n.Kind.Composite() {
		l.lowerComposite(n, node)
	} else {
		l.lowerWork(node, n)
	}
	return node
}

// lowerWork plans what a node's handler is given and gives, and how it is called.
func (l *lowering) lowerWork(node *Node, n *resolve.Node) {
	s := n.Spec
	node.Doc = s.Doc.V
	node.In, node.Out, node.State.FromWrites = n.In, n.Out, n.FromWrites()
	if n.Kind.By != spec.ByPerson { // whose timeout is its question's
		node.Policy = policy(s)
	}
	node.Work = l.workOf(node, n)
	node.Checks.Validate = n.Has(spec.ValidateOutput) && !n.Asks
	if node.Kept.Cache = n.Has(spec.Cacheable); node.Kept.Cache {
		l.name(l.m.Prefix + node.GoName + "Kept") // of what the cache keeps
	}
	for _, g := range n.Guards {
		guard := Guard{Name: g.Spec.Name.V, Method: g.GoName, In: g.In}
		if g.Judged() {
			guard = Guard{Name: g.Spec.Name.V, Judge: g.Spec.Judge.V, Shown: g.Shown}
			if len(g.Shown) > 0 {
				guard.ShownVar = "shown" + g.GoName
			}
		}
		node.Checks.Guards = append(node.Checks.Guards, guard)
	}
	l.lowerWrites(node, n)
}

// workOf returns the work of a node that runs no others. What it asks of models, tools and people is planned once
// transitions are.
func (l *lowering) workOf(node *Node, n *resolve.Node) Work {
	switch {
	case n.Asks:
		return &Prompt{}
	case n.Kind.By == spec.ByTool:
		return &Call{}
	case n.Kind.By == spec.ByPerson:
		return &Human{}
	case n.Kind.By == spec.ByGraph:
		return l.lowerSub(node, n)
	case n.Kind.Sends:
		return &Saying{}
	case n.Kind.Sets:
		return &Set{}
	case n.Kind.By == spec.ByMachine:
		return &Pass{}
	}
	h := &Handler{TakesState: n.TakesState, ByValue: n.Has(spec.Readonly) || !n.Kind.Changes(), Isolated: n.Has(spec.IsolatedContext)}
	if n.Spec.Transaction.V && l.m.Threads.Durable {
		h.Transact = l.name("transact" + n.GoName)
	}
	return h
}

func policy(n *spec.Node) Policy {
	var p Policy
	if f, ok := n.Flag(spec.Retryable); ok {
		settings := spec.Retry{}
		if f.Retry != nil {
			settings = *f.Retry
		}
		p = retries(settings)
	}
	p.Timeout, p.GuardRetries = n.Timeout.V, n.GuardRetries.V
	return p
}

// retries is the policy of the settings of retries.
func retries(r spec.Retry) Policy {
	p := Policy{Attempts: spec.DefaultAttempts, Wait: spec.DefaultWait, MaxWait: spec.DefaultMaxWait, Factor: r.Factor.V, RetryAny: r.On.V == "any"}
	if r.Attempts.IsSet() {
		p.Attempts = r.Attempts.V
	}
	if r.Wait.IsSet() {
		p.Wait = r.Wait.V
	}
	if r.MaxWait.IsSet() {
		p.MaxWait = r.MaxWait.V
	}
	return p
}

// lowerTransitions gives every node its tests, and the graph its table of transitions.
func (l *lowering) lowerTransitions() {
	l.transition(l.flow.Entry).Const = l.name(l.m.Prefix + "Start")
	for _, n := range l.flow.Nodes {
		l.lowerRouting(n)
	}
	for _, n := range l.flow.Nodes {
		if n.Region == nil && len(n.Regions) > 0 {
			l.lowerRegions(n)
		}
	}
	if t := l.flow.OnError; t != nil {
		l.m.Flow.OnError = l.transition(t)
		l.m.Flow.OnError.Const = l.name(l.m.Prefix + "OnError")
	}
}

// transition adds a transition to the table, bounded and counted as it is.
func (l *lowering) transition(t *cfg.Transition) *Transition {
	var from *Node
	if t.From != nil {
		from = l.nodes[t.From.Spec]
	}
	to := l.node(t.Target())
	w := &Transition{
		ID: len(l.m.Flow.Transitions), From: from, To: to, End: t.End, Rule: t.Rule.Reported(), Text: t.Text(), Label: cmp.Or(t.Label, t.End),
		Place: place(t.Pos),
	}
	if from != nil {
		w.Const = l.name(l.m.Prefix + from.GoName + ruleSuffixes[t.Rule] + humanNames[t.Key] + "To" + w.target())
	}
	if c := t.Counter; c != nil {
		if l.pairs[c] == nil {
			l.pairs[c] = w
		}
		w.Pair, w.Max = l.pairs[c], t.Max
		w.Shared, w.Pair.Shared = w.Pair != w, w.Pair.Shared || w.Pair != w
	}
	l.transitions[t] = w
	l.m.Flow.Transitions = append(l.m.Flow.Transitions, w)
	return w
}

// ruleSuffixes and humanNames distinguish the constants of transitions between the same nodes.
var (
	ruleSuffixes = map[cfg.Rule]string{cfg.ByError: "Failed", cfg.ByGuardFail: "Refused", cfg.ByBudget: "Spent", cfg.ByToolLoop: "Tools"}
	humanNames   = map[string]string{"on_deny": "Denied", "on_timeout": "Late"}
)

// target is what names in Go call where the transition leads.
func (t *Transition) target() string { return cmp.Or(goname.Exported(t.End), t.To.method()) }

func (n *Node) method() string {
	if n == nil {
		return "End"
	}
	return n.GoName
}

// name returns an unexported name that no other has: the second of one kind gets a 2.
func (l *lowering) name(want string) string {
	name := want
	for l.used[name] > 0 {
		l.used[want]++
		name = want + strconv.Itoa(l.used[want])
	}
	l.used[name]++
	return name
}

func (l *lowering) node(t resolve.Target) *Node { return l.nodes[t.Node] }
