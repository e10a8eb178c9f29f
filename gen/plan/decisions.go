package plan

// findDecisions finds the nodes that decide nothing: a success has one transition, without
// condition and bound, to another node. A run need not note it. Every cycle keeps a node
// that counts as deciding, so that the steps between two decisions are known.
func (m *Machine) findDecisions() {
	for _, n := range m.Nodes {
		n.Only = onlyTransition(n)
	}
	m.breakChains()
	m.Chain = 1
	length := make([]int, len(m.Nodes)+1)
	for _, n := range m.Nodes {
		count := chain(n, length)
		n.Chain = count - 1
		m.Chain = max(m.Chain, count)
	}
}

func onlyTransition(n *Node) *Transition {
	if n.ToolLoop != nil || n.Denied != nil || n.Late != nil || len(n.Called) > 0 || n.Skip || n.Soft || len(n.Rejects) > 0 || len(n.GuardFail) > 0 || len(n.Tests) != 1 {
		return nil
	}
	t := n.Tests[0]
	if t.Kind != Always || t.Transition.Pair != nil || t.Transition.To == nil {
		return nil
	}
	return t.Transition
}

// breakChains lets one node of every cycle of nodes with one transition decide.
func (m *Machine) breakChains() {
	const unseen, walking, done = 0, 1, 2
	state := make([]int, len(m.Nodes)+1)
	for _, start := range m.Nodes {
		var walked []*Node
		n := start
		for state[n.ID] == unseen {
			state[n.ID] = walking
			walked = append(walked, n)
			if n.Only == nil {
				break
			}
			n = n.Only.To
			if state[n.ID] == walking {
				n.Only = nil
			}
		}
		for _, w := range walked {
			state[w.ID] = done
		}
	}
}

// chain returns how many nodes run from n up to the next one that decides, both included.
func chain(n *Node, length []int) int {
	var walked []*Node
	for length[n.ID] == 0 && n.Only != nil {
		walked = append(walked, n)
		n = n.Only.To
	}
	count := max(1, length[n.ID])
	length[n.ID] = count
	for i := len(walked) - 1; i >= 0; i-- {
		count++
		length[walked[i].ID] = count
	}
	return count
}
