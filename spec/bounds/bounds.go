// Package bounds finds the worst case of a graph's runs: of the steps they make, of the
// visits of each node and the follows of each way.
//
// # What is counted
//
// A walk (package explore) is a run of which the conditions, choices and failures are free. A
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
// # Nodes that run others
//
// A composite node is a visit, and then what it runs is a chain of nodes, or several at once: so
// no flow is needed within it. What its children take in one visit, of steps or of whatever, has a
// least and a most for each outcome, success and failure, which package explore works out (Measure):
// branches add up, cancelled ones count for what they may have done, iterations and attempts
// multiply, pools take their dearest node. In the network these are the costs of the arcs by which
// a visit ends, the least where the fewest steps are looked for and the most elsewhere.
//
// Visits of children: so often as they are visited within one visit of the outermost
// node around them, for as many visits as that has; and no more than the steps suffice for. For that a
// profile says, by the number of the child's visits, how few steps they take, where the
// node succeeds, where it fails, and where the steps are used up within it.
//
// A run of another graph is one step. What that asks of models is its own bound, and that of a graph
// that runs itself is found from the inside out. Where a run may change its graph, only what
// limits say holds: max_steps, max_visits, max_iterations, and of models what the steps suffice for.
//
// # Whether a bound is exact
//
// The flow is made into a walk that is taken step by step by the rules. When it reaches the
// bound, the bound is exact: there is a walk that attains it, and no doubtful move is
// in it.
package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Bound is a number that no run exceeds, and the most that a walk is known to reach.
type Bound struct {
	Most    int
	Reached int
	Path    Path // of that walk; nil where nothing is reached
}

// Exact reports whether a walk reaches the bound.
func (b Bound) Exact() bool { return b.Reached == b.Most }

// Bounds are the worst cases of a graph.
type Bounds struct {
	Graph             *explore.Graph
	Steps             Bound
	Visits            []Bound // by the node's index
	Follows           []Bound // by the way's index
	RegionTransitions []RegionTransition

	ModelCalls Bound // requests to models
	ToolTurns  Bound // turns of models that call tools, each one or several

	// Mutable says that runs may change their graph: then the bounds are what limits alone
	// guarantee, and those of nodes that are added are not among them.
	Mutable bool
	Cost    *Cost           // with prices: what models cost
	Endless []*explore.Node // maps over lists of which nothing says how long they are: max_steps bounds them

	loose bool // the turns are not bounded by max_tool_calls
}

// Of finds the bounds of a graph that has passed the checks.
func Of(g *cfg.Graph) *Bounds { return Priced(g, nil) }

// Priced finds the bounds of a graph, with what it costs at such prices.
func Priced(flow *cfg.Graph, prices *Prices) *Bounds {
	g := flow.Spec
	graph := explore.Of(flow)
	if graph == nil {
		return nil
	}
	w := newCostEstimator(graph, g, prices)
	w.estimateNested()
	return w.bounds()
}

// bounds finds the bounds, given those of the runs within the graph's own.
func (w *costEstimator) bounds() *Bounds {
	graph, m := w.graph, newModel(w.graph)
	b := &Bounds{Graph: graph, Visits: make([]Bound, len(graph.Nodes)), Follows: make([]Bound, len(graph.Transitions)), Mutable: mutable(w.from)}
	turns, loose := w.toolTurns()
	b.loose = loose
	t := tracer{bounds: b, model: m, costs: []*costBound{{cost: w.modelCalls(), bound: &b.ModelCalls}, {cost: turns, bound: &b.ToolTurns}}}
	for i, most := range b.visits(m) {
		b.Visits[i].Most = most
	}
	b.follows(m)
	for _, n := range graph.Nodes {
		if n.Composite != nil && n.Composite.Kind.Each && !n.Composite.Limited {
			b.Endless = append(b.Endless, n)
		}
	}
	m.net.effort = scaled(maxGuideWork, graph)
	t.steps()
	for _, c := range t.costs {
		t.cost(c)
	}
	for i := range graph.Nodes {
		if !b.Visits[i].Exact() {
			t.visits(i)
		}
	}
	for _, transition := range graph.Transitions {
		if !b.Follows[transition.Index].Exact() {
			t.follows(transition)
		}
	}
	t.explore()
	b.RegionTransitions = b.regionTransitions()
	if w.prices != nil {
		b.Cost = t.money(w)
	}
	return b
}

// visits finds the most visits of every node. A graph that changes has what its limits say.
func (b *Bounds) visits(m *model) []int {
	if !b.Mutable {
		visits := m.tighten()
		m.children(visits)
		return visits
	}
	visits := make([]int, len(b.Graph.Nodes))
	for i, n := range b.Graph.Nodes {
		visits[i] = Limited(b.Graph, n)
	}
	return visits
}

// Limited is the most visits of a node whatever a run changes of its graph: what max_visits and
// max_steps alone allow.
func Limited(graph *explore.Graph, n *explore.Node) int {
	composite := n.Root()
	if composite == n {
		return min(n.MaxVisits, graph.MaxSteps)
	}
	once := visitCostModel(graph, n).Regions(composite).Any()
	if !once.Possible() {
		return 0
	}
	return min(times(composite.MaxVisits, once.Max.Amount), graph.MaxSteps)
}

// follows finds the most follows of every way.
func (b *Bounds) follows(m *model) {
	for i, w := range b.Graph.Transitions {
		have := &b.Follows[i]
		switch {
		case w == b.Graph.Entry():
			have.Most = min(1, b.Graph.MaxSteps)
		case b.Mutable && w.Max > 0:
			have.Most = w.Max
		case b.Mutable:
			have.Most = b.Graph.MaxSteps
		case m.arcOf[i] >= 0:
			have.Most = m.bound(m.following(w), b.Graph.MaxSteps)
		}
		if w.To != nil {
			have.Most = min(have.Most, b.Visits[w.To.Index].Most)
		} else {
			have.Most = min(have.Most, 1)
		}
	}
}

// mutable reports whether runs may change their graph.
func mutable(g *resolve.Graph) bool {
	return g.Spec.Mutations != nil && slices.ContainsFunc(g.All(), func(n *resolve.Node) bool { return n.Spec.Mutates.V })
}

// Visits finds the bound of one node's visits.
func Visits(graph *explore.Graph, n *explore.Node) Bound {
	m := newModel(graph)
	b := &Bounds{Graph: graph, Visits: make([]Bound, len(graph.Nodes)), Follows: make([]Bound, len(graph.Transitions))}
	visits := m.tighten()
	m.children(visits)
	b.Visits[n.Index].Most = visits[n.Index]
	m.net.effort = scaled(maxGuideWork, graph)
	t := tracer{bounds: b, model: m}
	t.visits(n.Index)
	return b.Visits[n.Index]
}

// MostVisits returns the most visits of every node that ways lead to, by its index.
func MostVisits(graph *explore.Graph) []int { return newModel(graph).tighten() }

// UsedUp says of every node, by its index, whether a walk may come to it more often than it
// may be visited.
func UsedUp(graph *explore.Graph) []bool {
	m := newModel(graph)
	m.tighten()
	part := m.structure().component
	out := make([]bool, len(graph.Nodes))
	for i := range out {
		out[i] = part[m.begin[i]] == part[m.out[i]] && m.exceedsVisits(i)
	}
	return out
}

// exceedsVisits reports whether a node may be come to more often than it may be visited.
func (m *model) exceedsVisits(n int) bool {
	arrivals, most := m.visiting(n), m.graph.Nodes[n].MaxVisits
	arrivals.capacity = most + 1
	return m.bound(arrivals, m.graph.MaxSteps) > most
}

// maxTightenings is how many times what is behind ways that have to be used up is looked at
// again: in all but odd graphs, twice is enough.
const maxTightenings = 10

// tighten finds the most visits of every node, and closes what nothing can come to.
func (m *model) tighten() []int {
	visits := make([]int, len(m.graph.Nodes))
	for range maxTightenings {
		m.connectUsedUp()
		for i := range visits {
			visits[i] = m.bound(m.visiting(i), m.graph.MaxSteps)
		}
		closer := false
		for _, g := range m.gates {
			if room := max(0, visits[g.node]-g.spent); room < m.net.arcs[g.arc].capacity {
				m.limit(g.arc, room)
				closer = true
			}
		}
		if !closer {
			break
		}
	}
	if m.effort.over() {
		m.arrivals(visits)
	}
	return visits
}

// arrivals makes the most visits of each node no more than the follows of the ways to it, of
// which no bounded search was made.
func (m *model) arrivals(visits []int) {
	const rounds = 10 // in the order of the nodes one is enough for most
	for range rounds {
		most := make([]int, len(visits))
		for _, w := range m.graph.Transitions {
			if w.To == nil {
				continue
			}
			follows := unbounded
			switch {
			case w == m.graph.Entry():
				follows = 1
			case w.Max > 0:
				follows = w.Max
			case w.From != nil && w != w.From.ErrorTo: // that may be taken without a visit
				follows = visits[w.From.Index]
			}
			most[w.To.Index] = min(most[w.To.Index]+follows, unbounded)
		}
		for i, n := range m.graph.Nodes {
			if n.Parent == nil {
				visits[i] = min(visits[i], most[i])
			}
		}
	}
}

// connectUsedUp connects the nodes whose visits can be used up with where they then lead.
func (m *model) connectUsedUp() {
	graph := m.graph
	m.net.drain()
	for _, arc := range m.passArc {
		if arc >= 0 {
			m.limit(arc, 0)
		}
	}
	for changed := true; changed; {
		changed = false
		var more []int
		part := m.structure().component
		for i, n := range graph.Nodes {
			if graph.LastResort(n) == nil || part[m.begin[i]] != part[m.out[i]] || m.passArc[i] >= 0 && m.net.arcs[m.passArc[i]].capacity > 0 {
				continue
			}
			if m.exceedsVisits(i) {
				more = append(more, i)
			}
		}
		for _, i := range more {
			if m.passArc[i] < 0 {
				m.passArc[i] = m.net.connect(m.in[i], m.lastResort(graph.LastResort(graph.Nodes[i])), 0, 0)
			}
			m.limit(m.passArc[i], unbounded)
			changed = true
		}
	}
}
