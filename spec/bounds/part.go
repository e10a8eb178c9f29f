package bounds

import "github.com/graphgen/graphgen/spec/explore"

// mostSought bounds what is done to find the most visits and follows of a graph, in arcs that
// are looked at. What is left over is bounded by what the limits say.
const mostSought = 30_000_000

// midSize is the most nodes and ways of a graph for which all the effort is made. A larger graph needs
// more searches, and each looks at more arcs. Where its parts are small, less effort is enough too; where it
// is one part, even all the effort finds few of its bounds.
const midSize = 6000

// scaled returns the effort that is made for a graph.
func scaled(most int, g *explore.Graph) *effort {
	size := max(midSize, len(g.Nodes)+len(g.Ways))
	return &effort{max(most*midSize/size, most/10)}
}

// A sight is what is known of a network as it is limited, without flow: how far its ports are
// from the entry, and its strongly connected parts.
type sight struct {
	distance []int // the fewest steps from the entry, by port
	of       []int // the part of each port
	parts    []*part
	number   []int // of each port, in its part
}

// A part is a strongly connected part of a network, as a network of its own. A walk enters it
// once. What it does before is a way of so many steps from the part's start to the port at
// which it enters: the fewest, for nothing that it does within changes them.
type part struct {
	net   network
	start int
	arcs  map[int]int // of the whole network, to those of this
}

// sight looks at the network, unless it was looked at since it was limited.
func (m *model) sight() *sight {
	if m.seen != nil {
		return m.seen
	}
	n := &m.net
	n.drain()
	n.search(m.target(m.graph.Entry()))
	s := &sight{distance: make([]int, len(n.leaving)), number: make([]int, len(n.leaving))}
	copy(s.distance, n.distance)
	count := 0
	s.of, count = n.components()
	s.parts = make([]*part, count)
	m.seen = s
	return s
}

// limit sets the capacity of an arc. The network carries nothing.
func (m *model) limit(arc, capacity int) {
	m.net.limit(arc, capacity)
	m.seen = nil
}

// cut makes the network of the part that a port is in.
func (m *model) cut(s *sight, port int) *part {
	at := s.of[port]
	if s.parts[at] != nil {
		return s.parts[at]
	}
	members := m.members(s)
	for number, ports := range members {
		p := &part{arcs: map[int]int{}}
		p.net.effort = m.effort
		for _, q := range ports {
			s.number[q] = p.net.port()
		}
		p.start = p.net.port()
		s.parts[number] = p
	}
	for i := 0; i < len(m.net.arcs); i += 2 {
		a := &m.net.arcs[i]
		if a.capacity == 0 {
			continue
		}
		p, to := s.parts[s.of[a.to]], s.number[a.to]
		switch {
		case s.of[a.from] == s.of[a.to]:
			p.arcs[i] = p.net.connect(s.number[a.from], to, a.capacity, a.steps)
		case s.distance[a.from] < far:
			p.net.connect(p.start, to, 1, s.distance[a.from]+a.steps)
		}
	}
	entry := m.target(m.graph.Entry())
	s.parts[s.of[entry]].net.connect(s.parts[s.of[entry]].start, s.number[entry], 1, 0)
	return s.parts[at]
}

// members lists the ports of each part.
func (m *model) members(s *sight) [][]int {
	members := make([][]int, len(s.parts))
	for port, at := range s.of {
		members[at] = append(members[at], port)
	}
	return members
}

// bound returns how often a walk can reach the target within the steps, as most does, without
// the flow. Only the part of the network is looked at in which walks come back to the target.
func (m *model) bound(t target, steps int) int {
	s := m.sight()
	if s.distance[t.from] == far {
		return 0
	}
	if s.of[t.from] != s.of[t.to] {
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
	p := m.cut(s, t.from)
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
