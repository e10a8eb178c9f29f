package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// bindQuestion binds the question to a person and the fields shown with it.
func (g *Graph) bindQuestion(n *Node) {
	for _, f := range g.pick(n.Spec.Reads) {
		n.read(f)
	}
	n.Instructions = g.template(n, n.Spec.Prompt.Instructions)
}

// Decides reports whether a human node is answered by yes or no: it has no output.
func (n *Node) Decides() bool {
	return n.Kind.By == spec.ByPerson && n.Spec.Output == nil && !n.Spec.Unread
}

// Pauses reports whether runs of the graph may pause: a node of it, or of a graph that it runs, waits for a person.
func (g *Graph) Pauses() bool { return g.pauses(map[*Graph]bool{}) }

func (g *Graph) pauses(seen map[*Graph]bool) bool {
	if seen[g] {
		return false
	}
	seen[g] = true
	return g.Interrupts() || slices.ContainsFunc(g.All(), func(n *Node) bool {
		return g.PausesAt(n) || n.Sub != nil && n.Sub.pauses(seen)
	})
}

// Gated reports whether a person approves before the node runs: it has the flag requires_human, and is none
// that asks a person by itself.
func (n *Node) Gated() bool { return n.Has(spec.RequiresHuman) && n.Kind.By != spec.ByPerson }

// Approved returns the fields that a person is shown who approves before the node runs: what the node reads and
// may be shown.
func (n *Node) Approved() []*Field {
	return slices.DeleteFunc(slices.Clone(n.Reads), (*Field).Private)
}

// Approval returns the settings of the flag requires_human; the zero Approval where it has none.
func (n *Node) Approval() spec.Approval {
	if f, ok := n.Spec.Flag(spec.RequiresHuman); ok && f.Approval != nil {
		return *f.Approval
	}
	return spec.Approval{}
}

// Interrupts reports whether the spec has interrupts, or an empty list of them for those of a run.
func (g *Graph) Interrupts() bool {
	return g.Spec.InterruptBeforePos.IsSet() || g.Spec.InterruptAfterPos.IsSet()
}

// InterruptedAt reports whether runs pause before the node, or behind it.
func (g *Graph) InterruptedAt(n *Node) (before, after bool) {
	is := func(name spec.String) bool { return name.V == n.Spec.Name.V }
	return slices.ContainsFunc(g.Spec.InterruptBefore, is), slices.ContainsFunc(g.Spec.InterruptAfter, is)
}

// PausesAt reports whether runs pause at the node itself: it asks a person, or a person approves what it does,
// or there is an interrupt.
func (g *Graph) PausesAt(n *Node) bool {
	before, after := g.InterruptedAt(n)
	return n.Kind.By == spec.ByPerson || n.Gated() || before || after
}
