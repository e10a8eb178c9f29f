package plan

// findSingles finds the nodes that have one transition alone: a success always takes it.
func (m *Machine) findSingles() {
	for _, n := range m.Flow.Nodes {
		n.Routes.Only = onlyTransition(n)
	}
}

func onlyTransition(n *Node) *Transition {
	if p, is := n.Work.(*Prompt); is && p.Leaves() {
		return nil
	}
	if h := n.Asked(); h != nil && (h.Denied != nil || h.Late != nil) {
		return nil
	}
	if n.Failure.Skip || n.Failure.Soft || len(n.Choices.Rejects) > 0 ||
		len(n.Routes.GuardFail) > 0 || len(n.Routes.Tests) != 1 {
		return nil
	}
	t := n.Routes.Tests[0]
	if t.Kind != Always || t.Transition.Pair != nil || t.Transition.To == nil {
		return nil
	}
	return t.Transition
}
