// Package shape computes the shape of a graph: what the saved threads of its machine depend on. It has the fields
// of the state with their types, the nodes, and where a thread may wait. A shape has one text and one hash,
// which do not depend on docs, prompts, conditions, or an order that means nothing. A lock file holds the shapes
// of released versions.
package shape

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Shape is what the saved threads of a graph depend on.
type Shape struct {
	Graph string
	Pos   spec.Pos // of the graph's name, or of its release
	State *resolve.Type
	Nodes []*Node // by name

	Commands *Commands // that another engine gets of its machine; nil: none drives the graph. The hash does not depend on them

	own map[*resolve.Type]bool // types that the file of the shape declares; nil: all
}

// Declares reports whether the file of the shape declares a type: else it is of a file that the spec uses.
func (s *Shape) Declares(t *resolve.Type) bool { return s.own == nil || s.own[t] }

// A Node is what saved threads have of a node.
type Node struct {
	Name   string
	Kind   string
	Parent string        // the composite node that runs it; empty: none
	Branch string        // of a parallel: the branch that it is in
	Waits  []Wait        // why a thread may wait at it, in the order of Waits
	Output *resolve.Type // what is kept of it: its last output, or a person's answer; nil: nothing, or Writes
	Writes []string      // the state fields that its kept output is made of
	Graph  string        // of a subgraph: the graph that it runs; empty: its own
	Shape  string        // of a subgraph: the hash of that graph's shape, or Itself
	Was    spec.String   // the name that it had in an earlier release
	Pos    spec.Pos
}

// Itself is the shape of a graph that runs itself.
const Itself = "itself"

// A Wait is a reason for which a thread may wait at a node.
type Wait string

const (
	Answer   Wait = "answer"   // a person answers the node
	Approval Wait = "approval" // a person approves the node
	Calls    Wait = "calls"    // a person approves calls of tools
	Child    Wait = "child"    // a node, or a graph, that it runs waits
	Before   Wait = "before"   // an interrupt
	After    Wait = "after"    // an interrupt
	Next     Wait = "next"     // a run is interrupted after a node that leads there
)

// Waits are the reasons to wait, with what they mean.
var Waits = []spec.Word{
	{Name: string(Answer), Doc: "a person answers the node"},
	{Name: string(Approval), Doc: "a person approves that the node runs"},
	{Name: string(Calls), Doc: "a person approves calls of tools that the node makes"},
	{Name: string(Child), Doc: "a node, or a graph, that the node runs waits"},
	{Name: string(Before), Doc: "runs pause before the node"},
	{Name: string(After), Doc: "runs pause after the node"},
	{Name: string(Next), Doc: "runs pause after a node that leads to this one"},
}

// Has reports whether a thread may wait at the node for one of the reasons.
func (n *Node) Has(reasons ...Wait) bool {
	return slices.ContainsFunc(n.Waits, func(w Wait) bool { return slices.Contains(reasons, w) })
}

// Node returns the node with the given name, or nil.
func (s *Shape) Node(name string) *Node {
	if i := slices.IndexFunc(s.Nodes, func(n *Node) bool { return n.Name == name }); i >= 0 {
		return s.Nodes[i]
	}
	return nil
}

// Of returns the shape of a checked graph.
func Of(g *cfg.Graph) *Shape {
	s := of(g, map[*resolve.Graph]string{})
	s.Commands = CommandsOf(g)
	return s
}

// of returns the shape of a graph. known has the hashes of the graphs that nodes run.
func of(g *cfg.Graph, known map[*resolve.Graph]string) *Shape {
	known[g.Spec] = Itself
	s := &Shape{Graph: g.Spec.Spec.Name.V, Pos: g.Spec.Spec.Name.Pos, State: g.Spec.State, own: map[*resolve.Type]bool{g.Spec.State: true}}
	for _, t := range g.Spec.Types {
		s.own[t] = true
	}
	next, noted := behindInterrupts(g), g.Spec.Noted()
	for _, n := range g.Spec.All() {
		node := &Node{Name: n.Spec.Name.V, Kind: n.Kind.Name, Was: n.Spec.RenamedFrom, Pos: n.Spec.Name.Pos}
		if n.Region != nil {
			node.Parent = n.Parent.Spec.Name.V
			if n.Parent.Kind.Branches() {
				node.Branch = n.Region.Name.V
			}
		}
		if n.Sub != nil {
			node.Graph, node.Shape = n.Sub.Spec.Name.V, hashOf(n.Sub, known)
		}
		node.keep(g.Spec, n, noted[n])
		node.Waits = waits(g.Spec, n, next[n])
		s.Nodes = append(s.Nodes, node)
	}
	slices.SortFunc(s.Nodes, func(a, b *Node) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

func hashOf(g *resolve.Graph, known map[*resolve.Graph]string) string {
	if known[g] == "" {
		known[g] = of(cfg.Build(g), known).Hash()
	}
	return known[g]
}

// keep finds out what a thread keeps of a node's output.
func (node *Node) keep(g *resolve.Graph, n *resolve.Node, noted bool) {
	switch {
	case n.Out == nil || n.Body != nil || n.Kind.By != spec.ByPerson && !noted && !lastOfBody(n):
	case n.Out.Kind == resolve.Struct && len(n.Out.Fields) > 0 && g.State.Field(n.Out.Fields[0].Name) == n.Out.Fields[0]:
		for _, f := range n.Out.Fields {
			node.Writes = append(node.Writes, f.Name)
		}
		slices.Sort(node.Writes)
	default:
		node.Output = n.Out
	}
}

// lastOfBody reports whether a loop or a retry looks at the output of the node.
func lastOfBody(n *resolve.Node) bool { return n.Parent != nil && n.Parent.Body == n }

// waits returns the reasons for which a thread may wait at a node.
func waits(g *resolve.Graph, n *resolve.Node, next bool) []Wait {
	before, after := g.InterruptedAt(n)
	s := g.Spec
	anywhere := s.InterruptBeforePos.IsSet() && len(s.InterruptBefore) == 0 || s.InterruptAfterPos.IsSet() && len(s.InterruptAfter) == 0
	child := n.Sub != nil && n.Sub != g && n.Sub.Pauses() || slices.ContainsFunc(n.Children(), func(c *resolve.Node) bool {
		return g.PausesAt(c) || c.Sub != nil && c.Sub.Pauses()
	})
	holds := map[Wait]bool{
		Answer:   n.Kind.By == spec.ByPerson,
		Approval: n.Gated(),
		Calls:    g.HoldsCalls(n),
		Child:    child || n.Itself() && g.Pauses(),
		Before:   before || anywhere,
		After:    after,
		Next:     next,
	}
	var list []Wait
	for _, w := range Waits {
		if holds[Wait(w.Name)] {
			list = append(list, Wait(w.Name))
		}
	}
	return list
}

// behindInterrupts returns the nodes that a run may go to from a node after which it pauses.
func behindInterrupts(g *cfg.Graph) map[*resolve.Node]bool {
	next := map[*resolve.Node]bool{}
	for _, n := range g.Spec.All() {
		if _, after := g.Spec.InterruptedAt(n); !after {
			continue
		}
		for _, t := range g.Node(n).Leaving {
			if to := t.Target(); to.Node != nil && t.Rule != cfg.ByToolLoop {
				next[to.Node] = true
			}
		}
	}
	return next
}

// hashBytes is how much of a SHA-256 a shape is known by.
const hashBytes = 8

// Hash returns the hash of the text of the shape, in hexadecimal. Names of earlier releases are not part of it.
func (s *Shape) Hash() string {
	sum := sha256.Sum256([]byte(s.text("", false)))
	return hex.EncodeToString(sum[:hashBytes])
}

// String returns the text of the shape.
func (s *Shape) String() string { return s.text("", true) }
