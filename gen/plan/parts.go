package plan

import (
	"slices"
	"strconv"
)

// PartBits is by how many bits the number of a node is shifted to give that of its part. Go compiles a switch in a
// time that is quadratic in its cases, and in memory that grows with them.
const PartBits = 7

// A Part is a method that runs some of the nodes, in one switch.
type Part struct {
	Method       string
	Nodes        []*Node
	UsesHandlers bool // it calls handlers
	UsesContext  bool // it passes the context on
}

// findParts divides the nodes among the methods that run them: one, unless the machine has many nodes. The last one
// also runs the prompts that runs add.
func (m *Machine) findParts() {
	m.Parts = []*Part{{Method: "loop", Nodes: m.Nodes}}
	if len(m.Nodes) > 1<<PartBits {
		m.Parts = make([]*Part, len(m.Nodes)>>PartBits+1)
		for i := range m.Parts {
			m.Parts[i] = &Part{Method: "steps" + strconv.Itoa(i)}
		}
		for _, n := range m.Nodes {
			p := m.Parts[n.ID>>PartBits]
			p.Nodes = append(p.Nodes, n)
		}
	}
	for _, p := range m.Parts {
		for _, n := range p.Nodes {
			p.findLocals(n)
		}
	}
	last := m.Parts[len(m.Parts)-1]
	last.UsesContext = last.UsesContext || m.Mutations.Prompts()
}

// findLocals finds what the method uses for a node besides the run: the handlers and the context.
func (p *Part) findLocals(n *Node) {
	p.UsesHandlers = p.UsesHandlers || !n.Shape.Wrapped && n.HasHandler() && !n.Transaction || slices.ContainsFunc(n.Writes, Write.Custom)
	p.UsesContext = p.UsesContext || !n.Kind.Pure && n.Human == nil || n.Shape.Wrapped ||
		n.Shape.UsesEvals || slices.ContainsFunc(n.Tests, Test.Judged)
}
