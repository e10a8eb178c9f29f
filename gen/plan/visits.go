package plan

import (
	"math"
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/scc"
)

// countVisits finds the nodes whose visits the machine has to count: those that can be
// visited more often than their max_visits. A node that lies on no cycle runs at most
// once. In a cycle that is entered at one node only, and that no longer exists without
// it, the others run at most as often as that node, unless its error transition leads back into it.
func (m *Machine) countVisits(g *cfg.Graph) {
	next := m.successors(g)
	component := scc.Components(next, nil)
	size := map[int]int{}
	for _, c := range component {
		size[c]++
	}
	loops := func(n int) bool { return size[component[n]] > 1 || slices.Contains(next[n], n) }
	heads := m.heads(next, component)
	without := make([]bool, len(m.Flow.Nodes))
	for _, h := range heads {
		without[h] = true
	}
	rest := scc.Components(next, without)
	restSize := map[int]int{}
	for n, c := range rest {
		if !without[n] {
			restSize[c]++
		}
	}
	entering := make([][]*Transition, len(m.Flow.Nodes))
	for _, w := range m.Flow.Transitions {
		if w.To != nil {
			entering[w.To.ID-1] = append(entering[w.To.ID-1], w)
		}
	}
	most := make([]int, len(m.Flow.Nodes))
	for i, n := range m.Flow.Nodes {
		most[i] = n.Visits.Max
	}
	for i, n := range m.Flow.Nodes {
		head, entered := heads[component[i]]
		switch {
		case !loops(i), most[i] == cfg.NoLimit:
			n.Visits.Max = 0
		case m.boundedVisits(entering[i], i, component) <= most[i]:
			n.Visits.Max = 0
		case entered && head != i && restSize[rest[i]] == 1 && !slices.Contains(next[i], i) && most[head] <= most[i] && !bypassed(g.Nodes[head], component):
			n.Visits.Max = 0
		}
	}
}

// boundedVisits returns how often a node can run at most when every transition to it from its
// own cycle is bounded: once from outside, and once for each time one of them is
// followed. Without such bounds it returns the largest int.
func (m *Machine) boundedVisits(entering []*Transition, n int, component []int) int {
	visits := 1
	if m.Flow.OnError != nil && m.Flow.OnError.To.ID-1 == n {
		return math.MaxInt
	}
	counted := map[*Transition]int{}
	for _, w := range entering {
		switch {
		case w.From == nil || component[w.From.ID-1] != component[n]:
		case w.Max == 0:
			return math.MaxInt
		default:
			counted[w.Pair] = max(counted[w.Pair], w.Max)
		}
	}
	for _, most := range counted {
		visits += most
	}
	return visits
}

// bypassed reports whether a run stays in a node's cycle when the node's visits are used
// up, so that the others may run more often than it.
func bypassed(n *cfg.Node, component []int) bool {
	return slices.ContainsFunc(n.On[cfg.OutOfVisits], func(t *cfg.Transition) bool {
		return t.To != nil && component[t.To.Index] == component[n.Index]
	})
}

// successors lists where each node can lead, by index: by its transitions, and by on_error of the
// graph.
func (m *Machine) successors(g *cfg.Graph) [][]int {
	next := make([][]int, len(m.Flow.Nodes))
	for _, w := range m.Flow.Transitions {
		if w.From != nil && w.To != nil {
			next[w.From.ID-1] = append(next[w.From.ID-1], w.To.ID-1)
		}
	}
	for i, n := range g.Nodes {
		if g.Recovers(n, cfg.Failed) || g.Recovers(n, cfg.OutOfVisits) {
			next[i] = append(next[i], g.OnError.To.Index)
		}
	}
	return next
}

// heads returns, for each component that is entered from outside at one node only,
// that node.
func (m *Machine) heads(next [][]int, component []int) map[int]int {
	heads := map[int]int{}
	many := map[int]bool{}
	enter := func(n int) {
		c := component[n]
		if have, ok := heads[c]; ok && have != n {
			many[c] = true
		}
		heads[c] = n
	}
	if m.Flow.Entry != nil {
		enter(m.Flow.Entry.ID - 1)
	}
	for from, tos := range next {
		for _, to := range tos {
			if component[from] != component[to] {
				enter(to)
			}
		}
	}
	for c := range many {
		delete(heads, c)
	}
	return heads
}
