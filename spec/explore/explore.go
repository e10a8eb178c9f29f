// Package explore says what the runs of a graph can do when nothing is known of its handlers:
// every condition may hold or not, every choice may be made, every execution may fail, every
// guard may refuse. What the graph itself counts and remembers is exact: visits and
// iterations that are used up, the order in which ways are tried, that a node behind a
// failure is skipped.
//
// Every run of the graph is a walk. Whether a walk is a run depends on what the conditions
// say together, which is not asked: a Move that may be impossible for another reason than
// that is marked as doubtful.
package explore

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Graph is what can be walked: nodes, and the ways between them.
type Graph struct {
	Nodes       []*Node       // those that others run behind the others
	Transitions []*Transition // Ways[0] is the entry
	OnError     *Transition   // leads to the node that takes over when another fails; nil: none does
	MaxSteps    int
	CounterMax  []int // of the pairs of nodes with edges that have one, the greatest
}

// Entry is the way into the graph.
func (g *Graph) Entry() *Transition { return g.Transitions[0] }

// Node returns the node of that name, nil if there is none.
func (g *Graph) Node(name string) *Node {
	for _, n := range g.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// A Node is a node as a walk meets it.
type Node struct {
	Index     int
	Name      string
	Pos       spec.Pos
	MaxVisits int

	Called  []*Transition // after a turn that calls tools, in order: the way to itself of rule 1, else on: tool_call edges
	Tests   []Test        // rules 2 to 6, in order
	Refused []*Transition // after guards that failed, in order
	Failed  []*Transition // on: error edges, in order
	ErrorTo *Transition   // the error transition
	Denied  *Transition   // of a human: after a no
	Late    *Transition   // of a human: after an answer that comes too late

	Soft, Critical, Skip bool

	Evals bool // it has verdicts that are worked out after it has run, which can go wrong

	Spec      *resolve.Node
	Parent    *Node      // the composite node that runs it: no way leads to it or from it, and visits count within one execution of its region
	Composite *Composite // of a composite node: what it runs
	Loops     bool       // it is visited again after a turn that calls tools

	assured     bool // nothing that the spec knows of makes it fail: a human all of whose answers have ways
	terminal    bool // it has no way on
	exhaustible bool // it ends the run when its edges are used up
	noMatch     string
}

// A Transition leads from a node to the next.
type Transition struct {
	Index int
	From  *Node // nil: from anywhere (the entry, on_error)
	To    *Node // nil: end
	Rule  spec.Rule
	Text  string // the condition as reports show it; empty for none
	Pos   spec.Pos

	Counter int // counts the edges between its nodes; -1: nobody asks for the count
	Max     int // how far the pair may have counted for it to be taken; 0: it has no bound
}

// Kind says what a Test asks.
type Kind uint8

const (
	Always    Kind = iota // nothing: the way is taken unless it is used up
	Condition             // the output, the state, the result: also after a soft failure
	Output                // a value of the output: after a soft failure, that of none
	Choice                // what the handler chose or holds true, which is nothing after a soft failure
	Uncalled              // whether tools were called, which is settled: only a skipped node passes it by
	Judged                // the model, once for all the tests of this kind that a node has
)

// A Test is a way on of a node that has succeeded.
type Test struct {
	Transition *Transition
	Kind       Kind
	// Of is, in the last test of a choice that the handler always makes, how many tests the
	// choice is. A walk comes past it only where one of their ways is used up.
	ChoiceSize int
	// Loose is set with Of where a text in another field may keep the choice from counting.
	Loose bool
}

// Of makes the graph of a control-flow graph. It returns nil where that has no entry; a
// transition to nothing known is left out.
func Of(g *cfg.Graph) *Graph {
	if g.Entry == nil {
		return nil
	}
	b := builder{
		graph: &Graph{MaxSteps: spec.DefaultMaxSteps}, from: g.Spec,
		nodes: make(map[*resolve.Node]*Node, len(g.Nodes)), transitions: make(map[*cfg.Transition]*Transition, len(g.Transitions)),
	}
	if most := g.Spec.Spec.Limits.MaxSteps; most.IsSet() {
		b.graph.MaxSteps = most.V
	}
	for _, n := range g.Spec.Nodes {
		b.node(n)
	}
	for _, n := range g.Spec.Bodies {
		if n.Host != nil && !ofTemplate(n) {
			b.node(n)
		}
	}
	for from, n := range b.nodes {
		b.composite(n, from)
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

// A builder makes a Graph.
type builder struct {
	graph       *Graph
	from        *resolve.Graph
	nodes       map[*resolve.Node]*Node
	transitions map[*cfg.Transition]*Transition
}

// ofTemplate reports whether a node runs within a template, which does not run itself.
func ofTemplate(n *resolve.Node) bool {
	for n.Host != nil {
		n = n.Host
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

// transition adds the way of a transition.
func (b *builder) transition(t *cfg.Transition) *Transition {
	w := &Transition{Index: len(b.graph.Transitions), To: b.nodes[t.Target().Node], Rule: t.Rule.Reported(), Text: t.Text(), Pos: t.Pos, Counter: -1}
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
