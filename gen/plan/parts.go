package plan

import "strconv"

// PartBits is by how many bits the number of a node is shifted to give the number of its part. Go compiles a switch in a
// time that is quadratic in its cases, and in memory that grows with them.
const PartBits = 7

// A Part is a method that runs some of the nodes, in one switch.
type Part struct {
	Method string
	Nodes  []*Node
}

// findParts divides the nodes among the methods that run them: one, unless the machine has many nodes. The last one
// also runs the prompts that runs add.
func (m *Machine) findParts() {
	m.Flow.Parts = []*Part{{Method: "loop", Nodes: m.Flow.Nodes}}
	if len(m.Flow.Nodes) > 1<<PartBits {
		m.Flow.Parts = make([]*Part, len(m.Flow.Nodes)>>PartBits+1)
		for i := range m.Flow.Parts {
			m.Flow.Parts[i] = &Part{Method: "steps" + strconv.Itoa(i)}
		}
		for _, n := range m.Flow.Nodes {
			p := m.Flow.Parts[n.ID>>PartBits]
			p.Nodes = append(p.Nodes, n)
		}
	}
}
