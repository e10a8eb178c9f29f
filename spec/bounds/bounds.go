// Package bounds finds the worst case of a graph's runs: of the steps they make, of the
// visits of each node and the follows of each way.
//
// # What is counted
//
// A walk (package walk) is a run of which the conditions, choices and failures are free. A
// bound holds for all walks, so for all runs. A way is followed when it leads to a visit or
// to end, as the report of a run counts; a way to a node whose visits are used up is taken,
// not followed.
//
// # Why no walk exceeds a bound
//
// A walk up to some point is a flow of one unit from the entry to that point, in a network
// that has an arc for every visit, for every way, and past every node whose visits may be
// used up: each time the walk goes along an arc, the arc carries one unit more. The walk
// keeps what the arcs' capacities say: a node is visited max_visits times at most, and the
// edges from one node to another with a max_iterations of at most M are taken M times at
// most in all, because a pair counts its edges together and each edge compares that count
// with its own bound. So whatever a walk can do a flow can do, and the most of all
// flows is the least that may be printed. Flows are more than walks in three ways, each of
// which makes a bound greater, never less: they do not remember in which order ways were
// used up, nor whether the node before has failed, and a flow may go round in a cycle that it
// is not connected with.
//
// Visits and follows: the k-th visit of a node comes after a flow that passes the node k
// times, and makes as many steps as the flow has visits. The flow of fewest steps for each
// k (successive shortest paths) says how many visits there can be within max_steps. All of
// its cycles pass the node, so it is connected.
//
// Steps: a walk that has left a strongly connected part of the network does not come back.
// Within a part the most steps are those of a flow from where the part is entered to
// where it is left (by cancelling cycles); over the parts they add up along the longest
// path. Parts of one port, all of a graph without cycles, are counted exactly.
//
// Nodes whose visits may be used up: the first node to be passed over is passed over in
// a walk without passing over, the next one in a walk that passes over that one alone,
// and so on; so the arcs past nodes are added until no further node can be come to more
// often than it may be visited.
//
// A way behind an edge that has a bound and no condition is taken only when that edge
// is used up, which takes as many visits of the node as the bound says. So the ways
// behind have a capacity together: the bound of the node's visits without those. That bound
// needs the capacities and they need the bound; starting from max_visits, both only become
// less, and every step is sound.
//
// Calls of models: a walk as a flow goes along an arc for every visit, and along another where
// the visit ends otherwise than by calling tools. With what these take in place of steps, the
// most steps are the most that is taken. No more is taken either than by those of the visits
// within the steps that take the most, or than the budget of a run.
//
// # Whether a bound is exact
//
// The flow is made into a walk that is taken step by step by the rules. When it reaches the
// bound, the bound is exact: there is a walk that attains it, and no doubtful move is
// in it.
package bounds

import (
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/walk"
)

// A Bound is a number that no run exceeds, and the most that a walk is known to reach.
type Bound struct {
	Most    int
	Reached int
	Path    []*walk.Way // followed by that walk; nil where nothing is reached
}

// Exact reports whether a walk reaches the bound.
func (b Bound) Exact() bool { return b.Reached == b.Most }

// Bounds are the worst cases of a graph.
type Bounds struct {
	Graph   *walk.Graph
	Steps   Bound
	Visits  []Bound // by the node's index
	Follows []Bound // by the way's index

	ModelCalls Bound // requests to models
	ToolTurns  Bound // turns of models that call tools, each one or several
}

// Of finds the bounds of a graph that has passed the checks.
func Of(g *resolve.Graph) *Bounds {
	graph := walk.Of(g)
	if graph == nil {
		return nil
	}
	m := newModel(graph)
	b := &Bounds{Graph: graph, Visits: make([]Bound, len(graph.Nodes)), Follows: make([]Bound, len(graph.Ways))}
	t := tracer{bounds: b, model: m, tallies: []*tally{{cost: modelCalls(g), have: &b.ModelCalls}, {cost: toolTurns(g), have: &b.ToolTurns}}}
	for i, most := range m.tighten() {
		b.Visits[i].Most = most
	}
	for i, w := range graph.Ways {
		switch {
		case w == graph.Entry():
			b.Follows[i].Most = min(1, graph.MaxSteps)
		case m.taken[i] >= 0:
			b.Follows[i].Most = m.most(m.following(w), graph.MaxSteps)
		}
		if w.To != nil {
			b.Follows[i].Most = min(b.Follows[i].Most, b.Visits[w.To.Index].Most)
		}
	}
	t.steps()
	for _, c := range t.tallies {
		t.weigh(c)
	}
	for i := range graph.Nodes {
		if !b.Visits[i].Exact() {
			t.visits(i)
		}
	}
	for _, w := range graph.Ways {
		if !b.Follows[w.Index].Exact() {
			t.follows(w)
		}
	}
	return b
}

// Visits finds the bound of one node's visits.
func Visits(graph *walk.Graph, n *walk.Node) Bound {
	m := newModel(graph)
	b := &Bounds{Graph: graph, Visits: make([]Bound, len(graph.Nodes)), Follows: make([]Bound, len(graph.Ways))}
	b.Visits[n.Index].Most = m.tighten()[n.Index]
	t := tracer{bounds: b, model: m}
	t.visits(n.Index)
	return b.Visits[n.Index]
}

// UsedUp says of every node, by its index, whether a walk may come to it more often than it
// may be visited.
func UsedUp(graph *walk.Graph) []bool {
	m := newModel(graph)
	m.tighten()
	part, _ := m.net.components()
	out := make([]bool, len(graph.Nodes))
	for i := range out {
		out[i] = part[m.begin[i]] == part[m.out[i]] && m.overrun(i)
	}
	return out
}

// overrun reports whether a node may be come to more often than it may be visited.
func (m *model) overrun(n int) bool {
	arrivals, most := m.visiting(n), m.graph.Nodes[n].MaxVisits
	arrivals.capacity = most + 1
	defer m.net.drain()
	return m.most(arrivals, m.graph.MaxSteps) > most
}

// tightenings is how many times what is behind ways that have to be used up is looked at
// again: in all but odd graphs, twice is enough.
const tightenings = 10

// tighten finds the most visits of every node, and closes what nothing can come to.
func (m *model) tighten() []int {
	visits := make([]int, len(m.graph.Nodes))
	for range tightenings {
		m.passOver()
		for i := range visits {
			visits[i] = m.most(m.visiting(i), m.graph.MaxSteps)
		}
		m.net.drain()
		closer := false
		for _, g := range m.gates {
			if room := max(0, visits[g.node]-g.spent); room < m.net.arcs[g.arc].capacity {
				m.net.limit(g.arc, room)
				closer = true
			}
		}
		if !closer {
			break
		}
	}
	return visits
}

// passOver connects the nodes whose visits can be used up with where they then lead.
func (m *model) passOver() {
	graph := m.graph
	m.net.drain()
	for _, arc := range m.over {
		if arc >= 0 {
			m.net.limit(arc, 0)
		}
	}
	for changed := true; changed; {
		changed = false
		part, _ := m.net.components()
		for i, n := range graph.Nodes {
			w := graph.LastResort(n)
			if w == nil || part[m.begin[i]] != part[m.out[i]] || m.over[i] >= 0 && m.net.arcs[m.over[i]].capacity > 0 {
				continue
			}
			if !m.overrun(i) {
				continue
			}
			if m.over[i] < 0 {
				m.over[i] = m.net.connect(m.in[i], m.lastResort(w), 0, 0)
			}
			m.net.limit(m.over[i], unbounded)
			changed = true
		}
	}
}
