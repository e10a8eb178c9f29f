package bounds

import (
	"github.com/graphgen/graphgen/spec/cfg"
)

// maxBoundWork bounds the search for the most visits and follows of a graph, in arcs. Beyond it,
// the limits are the bounds.
const maxBoundWork = 30_000_000

// midSize is the number of nodes and transitions up to which a graph gets all the effort. A larger
// graph needs more searches over more arcs. If its components are small, less effort suffices; if
// it is one component, even all the effort finds few of its bounds.
const midSize = 6000

// scaled returns the effort for a graph.
func scaled(most int, g *cfg.Graph) *effort {
	size := max(midSize, len(g.Running)+len(g.Taken))
	return &effort{max(most*midSize/size, most/10)}
}

// A structure holds what is known of a network without flow: distances from the entry, and the
// strongly connected components.
type structure struct {
	distance   []int // fewest steps from the entry, by port
	component  []int // the component of each port
	components []*component
	number     []int // the index of each port in its component
}

// A component is a strongly connected component as a network of its own. A walk enters it once. The
// part of the walk before it is an arc from start with the fewest steps: nothing within the
// component changes them.
type component struct {
	net   network
	start int
	arcs  map[int]int // from arcs of the whole network to arcs of the component
}

// structure returns the structure of the network. It is cached until a capacity changes.
func (m *model) structure() *structure {
	if m.known != nil {
		return m.known
	}
	n := &m.net
	n.drain()
	n.search(m.target(m.graph.Entry))
	s := &structure{distance: make([]int, len(n.arcsFrom)), number: make([]int, len(n.arcsFrom))}
	copy(s.distance, n.distance)
	count := 0
	s.component, count = n.components()
	s.components = make([]*component, count)
	m.known = s
	return s
}

// limit sets the capacity of an arc. The network must carry nothing.
func (m *model) limit(arc, capacity int) {
	m.net.limit(arc, capacity)
	m.known = nil
}

// component returns the network of the component of a port.
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
	entry := m.target(m.graph.Entry)
	s.components[s.component[entry]].net.connect(s.components[s.component[entry]].start, s.number[entry], 1, 0)
	return s.components[at]
}

// componentPorts returns the ports of each component.
func (m *model) componentPorts(s *structure) [][]int {
	members := make([][]int, len(s.components))
	for port, at := range s.component {
		members[at] = append(members[at], port)
	}
	return members
}

// bound returns how often a walk can reach the target within the steps. It agrees with most, but
// leaves no flow and searches one component only.
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
