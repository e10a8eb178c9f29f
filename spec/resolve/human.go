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

// Refusable reports whether the answer to a node of kind human can be a no, or come too late,
// and no way is wired for that: then it fails.
func (r *Routing) Refusable(n *Node) bool {
	return n.Decides() && r.Denied == nil || n.Spec.Timeout.IsSet() && r.Late == nil
}
