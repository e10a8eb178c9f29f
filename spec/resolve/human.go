package resolve

// bindQuestion finds out what a node asks a person, and shows with it.
func (g *Graph) bindQuestion(n *Node) {
	for _, f := range g.pick(n.Spec.Reads) {
		n.read(f)
	}
	n.Instructions = g.template(n, n.Spec.Prompt.Instructions)
}

// Decides reports whether a node of kind human is answered with yes or no: it has no output.
func (n *Node) Decides() bool {
	return n.Kind == "human" && n.Spec.Output == nil && !n.Spec.Unread
}
