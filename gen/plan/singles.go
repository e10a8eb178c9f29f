package plan

// findSingles finds the nodes that have one transition alone: a success always takes it.
func (m *Machine) findSingles() {
	for _, n := range m.Flow.Nodes {
		n.Only = onlyTransition(n)
	}
}

func onlyTransition(n *Node) *Transition {
	if n.ToolLoop != nil || n.Denied != nil || n.Late != nil || len(n.Called) > 0 || n.Skip || n.Soft || len(n.Rejects) > 0 ||
		len(n.GuardFail) > 0 || len(n.Tests) != 1 {
		return nil
	}
	t := n.Tests[0]
	if t.Kind != Always || t.Transition.Pair != nil || t.Transition.To == nil {
		return nil
	}
	return t.Transition
}
