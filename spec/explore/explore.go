// Package explore models what the runs of a graph can do when nothing is known of its handlers:
// every condition may hold or not, every choice may be made, every execution may fail, every guard
// may refuse. What the graph counts is exact: used-up visits and iterations, the order in which
// transitions are tried, and whether a node after a failure is skipped.
//
// Every run of the graph is a walk. A walk need not be a run, because conditions may exclude one
// another. An Exit that may be impossible for another reason is marked as doubtful.
package explore

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Graph is the graph that walks go through.
type Graph struct {
	Nodes       []*Node       // the children of composite nodes come last
	Transitions []*Transition // the first is the entry
	OnError     *Transition   // the transition of on_error; nil: none
	MaxSteps    int
	CounterMax  []int // the greatest bound of the edges that share a counter, by the counter's index
}

// Entry returns the transition to the first node.
func (g *Graph) Entry() *Transition { return g.Transitions[0] }

// Node returns the node with the given name, or nil.
func (g *Graph) Node(name string) *Node {
	for _, n := range g.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// A Node is a node with its transitions, grouped by outcome.
type Node struct {
	Index     int
	Name      string
	Pos       spec.Pos
	MaxVisits int

	Called  []*Transition // after a turn that calls tools, in order: the tool loop, or the on: tool_call edges
	Tests   []Test        // rules 2 to 6, in order
	Refused []*Transition // after failed guards, in order
	Failed  []*Transition // on: error edges, in order
	ErrorTo *Transition   // the error transition
	Denied  *Transition   // of a human node: on_deny
	Late    *Transition   // of a human node: on_timeout

	Soft, Critical, Skip bool

	Evals bool // it has evals, which may fail after the node has run

	Spec      *resolve.Node
	Parent    *Node      // the composite node that runs it; no transition leads to it, and its visits are counted for each execution of the region
	Composite *Composite // what a composite node runs
	Leads     []Lead     // of a node of a region: the transitions to the nodes after it there, and to the end of the region
	Onward    []int      // of a node of a region: the places in it that may follow a success; the place of the end is the number of its nodes
	Softly    []int      // and those that may follow a soft failure, or when it is skipped
	Loops     bool       // it is visited again after a turn that calls tools

	assured     bool // nothing in the spec makes it fail: a human node with a transition for every answer
	terminal    bool // it has no transition for a success
	exhaustible bool // it ends the run when the bounds of its edges are used up
	noMatch     string
}

// A Transition leads from a node to the next.
type Transition struct {
	Index int
	From  *Node // nil: from any node (the entry, on_error)
	To    *Node // nil: the end
	Rule  spec.Rule
	Text  string // the condition as reports show it; empty: none
	Pos   spec.Pos

	Counter int // index of the counter of its edge; -1: not counted
	Max     int // the bound of the counter; 0: none

	Named bool // it is for turns that call some tools, so another transition may be taken for a turn
}

// Kind is what a Test depends on.
type Kind uint8

const (
	Always    Kind = iota // nothing but its bound
	Condition             // the output, the state or the result; it may hold after a soft failure
	Output                // a value of the output; after a soft failure, the zero value
	Choice                // the choice of the handler; none after a soft failure
	Uncalled              // no tools were called; false for a skipped node only
	Judged                // the model, asked once for all judged tests of a node
)

// A Test is a transition that is tried after a success.
type Test struct {
	Transition *Transition
	Kind       Kind
	// ChoiceSize is set on the last test of a choice that the handler always makes: the number of
	// tests of the choice. A walk passes it only when the bound of one of them is used up.
	ChoiceSize int
	// Loose is set with ChoiceSize if a string in another field can override the choice.
	Loose bool
}

// Of converts a control-flow graph. It returns nil for a graph without an entry. Transitions with
// an unknown target are left out.
func Of(g *cfg.Graph) *Graph {
	if g.Entry == nil {
		return nil
	}
	b := builder{
		graph: &Graph{MaxSteps: spec.DefaultMaxSteps}, from: g.Spec, cfg: g,
		nodes: make(map[*resolve.Node]*Node, len(g.Nodes)), transitions: make(map[*cfg.Transition]*Transition, len(g.Transitions)),
	}
	if most := g.Spec.Spec.Limits.MaxSteps; most.IsSet() {
		b.graph.MaxSteps = most.V
	}
	for _, n := range g.Spec.Nodes {
		b.node(n)
	}
	for _, n := range g.Spec.Bodies {
		if n.Parent != nil && !ofTemplate(n) {
			b.node(n)
		}
	}
	for from, n := range b.nodes {
		b.composite(n, from)
		if at := g.Node(from); at.Region != nil {
			n.Leads, n.Onward, n.Softly = leads(at), at.Onward(cfg.Succeeded), softly(at)
		}
	}
	for _, c := range g.Counters {
		b.graph.CounterMax = append(b.graph.CounterMax, c.Max)
	}
	b.transition(g.Entry)
	for _, n := range g.Spec.Nodes {
		b.transitionsOf(g.Node(n))
	}
	if g.OnError != nil {
		b.graph.OnError = b.transition(g.OnError)
	}
	return b.graph
}

// A Lead goes from a node of a region to a place in it.
type Lead struct {
	To   int
	Rule spec.Rule
	Text string // as reports show it
	Pos  spec.Pos
}

// leads returns the leads of a node of a region.
func leads(n *cfg.Node) []Lead {
	var list []Lead
	add := func(t *cfg.Transition) {
		to := len(n.Region.Nodes)
		if t.To != nil {
			to = t.To.Place
		}
		list = append(list, Lead{to, t.Rule.Reported(), t.Text(), t.Pos})
	}
	for _, t := range n.On[cfg.Succeeded] {
		add(t)
	}
	if n.Chain != nil && !slices.Contains(n.On[cfg.Succeeded], n.Chain) {
		add(n.Chain)
	}
	return list
}

// softly returns the places that may follow a soft failure of a node of a region, or when it is skipped.
func softly(n *cfg.Node) []int {
	var places []int
	if n.Soft {
		places = n.Onward(cfg.SoftFailed)
	}
	if n.Skip {
		places = append(places, n.Onward(cfg.Skipped)...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// Next returns the places that may follow a node of a region which has not failed.
func (n *Node) Next() []int {
	places := slices.Concat(n.Onward, n.Softly)
	slices.Sort(places)
	return slices.Compact(places)
}

// A builder builds a Graph.
type builder struct {
	graph       *Graph
	from        *resolve.Graph
	cfg         *cfg.Graph
	nodes       map[*resolve.Node]*Node
	transitions map[*cfg.Transition]*Transition
}

// ofTemplate reports whether a node belongs to a template, which is not run itself.
func ofTemplate(n *resolve.Node) bool {
	for n.Parent != nil {
		n = n.Parent
	}
	return n.Template
}

func (b *builder) node(n *resolve.Node) {
	node := &Node{
		Index: len(b.graph.Nodes), Name: n.Spec.Name.V, Pos: n.Spec.Name.Pos, Soft: n.Spec.FailSoft.V,
		Evals: n.Evaluates(), Spec: n, Loops: n.Loops,
	}
	node.MaxVisits, _ = b.from.MaxVisits(n)
	node.Critical = n.Has(spec.Critical)
	node.Skip = n.Has(spec.SkipOnError)
	b.graph.Nodes = append(b.graph.Nodes, node)
	b.nodes[n] = node
}

// transition adds a transition to the graph.
func (b *builder) transition(t *cfg.Transition) *Transition {
	w := &Transition{Index: len(b.graph.Transitions), To: b.nodes[t.Target().Node], Rule: t.Rule.Reported(), Text: t.Text(),
		Pos: t.Pos, Counter: -1, Named: t.Cond.Kind == cfg.Calls}
	if t.From != nil {
		w.From = b.nodes[t.From.Spec]
	}
	if t.Counter != nil {
		w.Counter = t.Counter.Index
	}
	if t.Bounded {
		w.Max = t.Max
	}
	b.graph.Transitions = append(b.graph.Transitions, w)
	b.transitions[t] = w
	return w
}
