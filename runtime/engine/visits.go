package engine

import "math"

// usedUpVisits is the counter of a node that has used up its visits. That of a node with MaxVisits begins so much below it:
// the loop of a machine looks up no bound.
const usedUpVisits = math.MaxUint32

// unvisited returns the counter of a node that was never entered.
func (i *NodeInfo) unvisited() uint32 {
	if i.MaxVisits == 0 {
		return 0
	}
	return usedUpVisits - i.MaxVisits
}

// bounds reports whether nodes have MaxVisits. It may return true as long as no run has begun.
func (g *Graph) bounds() bool {
	list := g.bounded.Load()
	return list == nil || len(*list) > 0
}

// bound makes counts of visits the counters of a run. It lists the nodes with MaxVisits for those that begin later.
func (g *Graph) bound(counts []uint32) {
	list := g.bounded.Load()
	if list == nil {
		list = new([]NodeID)
		for n := range g.Nodes {
			if g.Nodes[n].MaxVisits > 0 {
				*list = append(*list, NodeID(n))
			}
		}
		g.bounded.Store(list) // concurrent runs may list them twice: the lists are equal
	}
	for _, n := range *list {
		counts[n] += g.Nodes[n].unvisited()
	}
}

// unbound makes the counters of a run, which has begun, counts of visits.
func (g *Graph) unbound(counters []uint32) {
	for _, n := range *g.bounded.Load() {
		counters[n] -= g.Nodes[n].unvisited()
	}
}

// mostVisits returns how often a node may run.
func (g *Graph) mostVisits(n NodeID) uint32 {
	info := g.node(n)
	switch {
	case info.MaxVisits > 0:
		return info.MaxVisits
	case info.Bound > 0:
		return info.Bound
	case g.Mutable != nil && g.Mutable.Visits > 0:
		return g.Mutable.Visits
	}
	return defaultVisits
}

// defaultVisits is the max_visits of a node for which the spec sets none.
const defaultVisits = 25

// boundOf returns the bound on the visits of a node, 0 if none is set.
func (g *Graph) boundOf(n NodeID) uint32 { return g.node(n).Bound }
