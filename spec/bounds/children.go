package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// maxVisitCounts is the number of visits of a composite node that are distinguished to bound those
// of its children.
const maxVisitCounts = 1000

// children bounds the visits of the children of composite nodes, given the visits of the composite
// nodes.
func (m *model) children(visits []int) {
	rooms := map[*cfg.Node][]int{}
	m.singleVisits = explore.NewCostModel(m.graph)
	for _, n := range m.graph.Running {
		if n.Region == nil {
			continue
		}
		i, composite := n.Index, n.Root()
		if rooms[composite] == nil {
			rooms[composite] = m.stepsLeft(composite)
		}
		visits[i] = m.childVisits(n, composite, m.executed(composite, visits), rooms[composite])
	}
}

// executed returns how often a composite node runs its regions, given the visits.
func (m *model) executed(composite *cfg.Node, visits []int) int {
	i := composite.Index
	if m.running[i] == m.visit[i] {
		return visits[i]
	}
	return min(visits[i], m.bound(m.regions(i), m.graph.MaxSteps()))
}

// stepsLeft returns the steps that are left for the regions of a composite node, by how often it has
// run them. Only the component of the network that contains the node is searched.
func (m *model) stepsLeft(composite *cfg.Node) []int {
	i, most := composite.Index, m.graph.MaxSteps()
	s, t := m.structure(), m.regions(i)
	first := most - s.distance[t.from] - t.steps
	switch {
	case s.distance[t.from] == unreachable || first < 0:
		return nil
	case s.component[t.from] != s.component[t.to]:
		return []int{first}
	}
	p := m.component(s, t.from)
	for _, arc := range []int{m.finish[i], m.failing[i], m.spending[i]} {
		if within, ok := p.arcs[arc]; ok {
			steps := p.net.arcs[within].steps
			p.net.cost(within, 0)
			defer p.net.cost(within, steps)
		}
	}
	defer func(e *effort) { p.net.effort = e }(p.net.effort)
	p.net.effort = m.roomWork
	t.arc, t.from, t.to = p.arcs[t.arc], s.number[t.from], s.number[t.to]
	var left []int
	p.net.each(p.start, t, most, func(times, each, all int) {
		for range min(times, maxVisitCounts-len(left)) {
			before := most - all + each*(times-1)
			left = append(left, before)
			times--
		}
	})
	if m.roomWork.over() { // no later visit leaves more steps than the first
		return slices.Repeat([]int{first}, min(composite.MaxVisits, maxVisitCounts))
	}
	return left
}

// childVisits returns the most visits of a child.
func (m *model) childVisits(n, composite *cfg.Node, visits int, rooms []int) int {
	if visits == 0 || len(rooms) == 0 {
		return 0
	}
	once := repeats(n)
	if m.costWork.spend(m.size(composite)) {
		costs := explore.Any(m.once(n, composite))
		if !costs.Possible() {
			return 0
		}
		once = costs.Max.Amount
	}
	best := 0
	for i, room := range rooms[:min(len(rooms), visits)] {
		best = max(best, min(times(i+1, once), room))
	}
	if visits > len(rooms) {
		best = max(best, min(times(visits, once), rooms[0]))
	}
	if p := m.profile(n, min(best, rooms[0]), rooms[0]); p != nil {
		if most := p.most(composite, rooms[:min(len(rooms), visits)], best); !p.effort.over() {
			return most
		}
	}
	return best
}

// once returns how often a child is visited in one visit of a composite node.
func (m *model) once(n, composite *cfg.Node) explore.OutcomeCosts {
	m.singleVisits.Visit[n.Index], m.singleVisits.Pass[n.Index] = 1, 1
	costs := m.singleVisits.Regions(composite)
	m.singleVisits.Visit[n.Index], m.singleVisits.Pass[n.Index] = 0, 0
	return costs
}

// repeats returns the most visits of a node in one visit of the outermost composite node around it,
// from the settings of the nodes around it alone.
func repeats(n *cfg.Node) int {
	all := 1
	if !n.Composite() && n.Spec.Loops {
		all = n.MaxVisits
	}
	for composite := n.Parent(); composite != nil; composite = composite.Parent() {
		all = times(all, max(1, composite.Runs()))
		all = times(all, max(1, cfg.Executions(composite.Spec)))
	}
	return all
}

// size returns the number of nodes within a composite node, itself included.
func (m *model) size(composite *cfg.Node) int {
	if m.sizes == nil {
		m.sizes = map[*cfg.Node]int{}
		for _, n := range m.graph.Running {
			m.sizes[n.Root()]++
		}
	}
	return m.sizes[composite]
}

// visitCostModel counts the visits of one node.
func visitCostModel(g *cfg.Graph, n *cfg.Node) *explore.CostModel {
	m := explore.NewCostModel(g)
	m.Visit[n.Index], m.Pass[n.Index] = 1, 1
	return m
}

// times returns a*b, at most explore.Unbounded.
func times(a, b int) int { return product(a, b) }

func product(a, b int) int {
	if a > 0 && b > explore.Unbounded/a {
		return explore.Unbounded
	}
	return a * b
}
