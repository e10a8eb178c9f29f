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
	return slices.ContainsFunc(g.All(), func(n *Node) bool {
		return n.Kind.By == spec.ByPerson || n.Sub != nil && n.Sub.pauses(seen)
	})
}
