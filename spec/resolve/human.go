package resolve

import "github.com/graphgen/graphgen/spec"

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
