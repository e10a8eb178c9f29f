package bounds

import "github.com/graphgen/graphgen/spec/explore"

// maxBoundWork bounds what is done to find the most visits and follows of a graph, in arcs that
// are looked at. What is left over is bounded by what the limits say.
const maxBoundWork = 30_000_000

// midSize is the most nodes and ways of a graph for which all the effort is made. A larger graph needs
// more searches, and each looks at more arcs. Where its parts are small, less effort is enough too; where it
// is one part, even all the effort finds few of its bounds.
const midSize = 6000

// scaled returns the effort that is made for a graph.
func scaled(most int, g *explore.Graph) *effort {
	size := max(midSize, len(g.Nodes)+len(g.Transitions))
	return &effort{max(most*midSize/size, most/10)}
}

// A structure is what is known of a network as it is limited, without flow: how far its ports are
// from the entry, and its strongly connected parts.
type structure struct {
	distance   []int // the fewest steps from the entry, by port
	component  []int // the part of each port
	components []*component
	number     []int // of each port, in its part
}

// A component is a strongly connected part of a network, as a network of its own. A walk enters it
// once. What it does before is a way of so many steps from the part's start to the port at
// which it enters: the fewest, for nothing that it does within changes them.
type component struct {
	net   network
	start int
	arcs  map[int]int // of the whole network, to those of this
}

// structure looks at the network, unless it was looked at since it was limited.
func (m *model) structure() *structure {
	if m.known != nil {
		return m.known
	}
	n := &m.net
	n.drain()
	n.search(m.target(m.graph.Entry()))
	s := &structure{distance: make([]int, len(n.arcsFrom)), number: make([]int, len(n.arcsFrom))}
	copy(s.distance, n.distance)
	count := 0
	s.component, count = n.components()
	s.components = make([]*component, count)
	m.known = s
	return s
}

// limit sets the capacity of an arc. The network carries nothing.
func (m *model) limit(arc, capacity int) {
	m.net.limit(arc, capacity)
	m.known = nil
}

// component makes the network of the part that a port is in.
func (m *model) component(s *structure, port int) *component {
	at := s.component[port]
	if s.components[at] != nil {
		return s.components[at]
	}
	members := m.componentPorts(s)
	for number, ports := range members {
		p := &component{arcs: map[int]int{}}
		p.net.effort = m.effort
		for _, q := range ports {
			s.number[q] = p.net.port()
		}
		p.start = p.net.port()
		s.components[number] = p
	}
	for i := 0; i < len(m.net.arcs); i += 2 {
		a := &m.net.arcs[i]
		if a.capacity == 0 {
			continue
		}
		p, to := s.components[s.component[a.to]], s.number[a.to]
		switch {
		case s.component[a.from] == s.component[a.to]:
			p.arcs[i] = p.net.connect(s.number[a.from], to, a.capacity, a.steps)
		case s.distance[a.from] < unreachable:
			p.net.connect(p.start, to, 1, s.distance[a.from]+a.steps)
		}
	}
	entry := m.target(m.graph.Entry())
	s.components[s.component[entry]].net.connect(s.components[s.component[entry]].start, s.number[entry], 1, 0)
	return s.components[at]
}

// componentPorts lists the ports of each part.
func (m *model) componentPorts(s *structure) [][]int {
	members := make([][]int, len(s.components))
	for port, at := range s.component {
		members[at] = append(members[at], port)
	}
	return members
}

// bound returns how often a walk can reach the target within the steps, as most does, without
// the flow. Only the part of the network is looked at in which walks come back to the target.
func (m *model) bound(t target, steps int) int {
	s := m.structure()
	if s.distance[t.from] == unreachable {
		return 0
	}
	if s.component[t.from] != s.component[t.to] {
		cost := s.distance[t.from] + t.steps
		if t.tail >= 0 {
			last := m.net.arcs[m.visitAt[t.to]]
			if last.capacity == 0 {
				return 0
			}
			cost += last.steps
		}
		if cost > steps {
			return 0
		}
		return 1
	}
	if m.effort.over() {
		return min(t.capacity, steps)
	}
	p := m.component(s, t.from)
	t.arc, t.from, t.to = p.arcs[t.arc], s.number[t.from], s.number[t.to]
	if t.tail >= 0 {
		t.tail = s.number[t.tail]
	}
	count := p.net.each(p.start, t, steps, func(int, int, int) {})
	if m.effort.over() {
		return min(t.capacity, steps)
	}
	return count
}
