// Package bounds finds the worst case of the runs of a graph: the most steps, visits of each node,
// and follows of each transition.
//
// # What is counted
//
// A walk (package explore) is a run in which conditions, choices and failures are free. A bound
// holds for all walks, so for all runs. A transition is followed when it leads to a visit or to the
// end, as the report of a run counts. A transition to a node whose visits are used up is taken, not
// followed.
//
// # Why no walk exceeds a bound
//
// A walk up to some point is a flow of one unit from the entry to that point. The network has an
// arc for every visit, for every transition, and past every node whose visits may be used up. Each
// time the walk goes along an arc, the arc carries one unit more. The walk respects the capacities
// of the arcs: a node is visited at most max_visits times. The edges from one node to another with
// a max_iterations of at most M are taken at most M times in all: they share a counter, and each
// edge compares that counter with its own bound. So a flow can do whatever a walk can do, and the
// maximum over all flows is a bound.
//
// Flows are more general than walks in three respects, each of which can only raise a bound: a flow
// does not record the order in which transitions were used up, nor whether the node before has
// failed, and it may contain a cycle that is not connected to the rest.
//
// Visits and follows: the k-th visit of a node ends a flow that passes the node k times, and makes
// as many steps as the flow has visits. The flow of fewest steps for each k (successive shortest
// paths) gives the number of visits that are possible within max_steps. All of its cycles pass the
// node, so it is connected.
//
// Steps: a walk that has left a strongly connected component of the network does not return to it.
// The most steps within a component are the steps of a flow from the port of entry to the port of exit
// (by cancelling cycles). Over the components they add up along the longest path. Components of a
// single port, which are all in a graph without cycles, are counted exactly.
//
// Nodes whose visits may be used up: the first node that a walk passes over is passed over in a
// walk without earlier such nodes, the second in a walk that passes over the first only, and so on.
// So arcs past nodes are added until no further node can be reached more often than it may be
// visited.
//
// A transition after an edge that has a bound and no condition is taken only when that edge is
// used up, which takes as many visits of the node as the bound. So the transitions after it share
// a capacity: the bound of the node's visits less those. That bound needs the capacities, and they
// need the bound. Starting from max_visits, both only decrease, and every iteration is sound.
//
// Calls of models: a walk as a flow goes along an arc for every visit, and along another for every
// visit that does not end in tool calls. With the cost of these instead of steps, the most steps
// are the highest cost. The cost is also bounded by the cost of the most expensive visits within the
// steps, and by the budget of a run.
//
// # Composite nodes
//
// A composite node is a visit followed by its regions: a chain of nodes, or several concurrent chains.
// So no flow is needed within it. The cost of its children in one visit, in steps or any other
// unit, has a minimum and a maximum for each outcome, success and failure. Package explore computes
// them (CostModel): branches add up, cancelled ones count for what they may have done, iterations
// and attempts multiply, pools take their most expensive node. In the network these are the costs
// of the arcs by which a visit ends: the minimum where the fewest steps are searched for, and the
// maximum elsewhere.
//
// Visits of children: at most the visits of the child in one visit of the outermost composite node
// around it, times the visits of that node, and no more than the steps allow. A profile gives the
// fewest steps for each number of visits of the child: if the node succeeds, if it fails, and if
// the steps are used up within it.
//
// A run of another graph is one step. The model calls of that run are its own bound. For a graph
// that runs itself they are computed from the deepest run outwards. For a run that may change its
// graph, only the limits hold: max_steps, max_visits, max_iterations, and for models what the steps
// allow.
//
// # Whether a bound is exact
//
// The flow is made into a walk, which is checked step by step against the rules. If it reaches the
// bound, the bound is exact: there is a walk that attains it, without a doubtful exit.
package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Bound is a number that no run exceeds, and the most that a known walk reaches.
type Bound struct {
	Most      int
	Reached   int
	Path      Path // of that walk; nil: nothing is reached
	ByAnswers bool // the answers of people are all that bounds it, and Most is no limit
}

// Exact reports whether a walk reaches the bound.
func (b Bound) Exact() bool { return b.Reached == b.Most }

// Bounds are the worst cases of a graph.
type Bounds struct {
	Graph             *cfg.Graph
	Steps             Bound
	Visits            []Bound // by the node's index
	Follows           []Bound // by the transition's index
	RegionTransitions []RegionTransition

	ModelCalls Bound // requests to models
	ToolTurns  Bound // turns of models that call one or more tools

	// Mutable reports that runs may change their graph. The bounds are then what the limits alone
	// guarantee, without dynamic nodes.
	Mutable bool
	Cost    *Cost       // the cost of models, if there are prices
	Endless []*cfg.Node // maps over lists without max_length: only max_steps bounds them

	sought int     // work for transitions of regions
	rounds *rounds // nil: the answers of people are not all that bounds the steps

	loose bool // max_tool_calls does not bound the turns
}

// Of returns the bounds of a graph that has passed the checks.
func Of(g *cfg.Graph) *Bounds { return Priced(g, nil) }

// Priced returns the bounds of a graph with the cost of its models.
func Priced(flow *cfg.Graph, prices *Prices) *Bounds {
	g := flow.Spec
	if flow.Entry == nil {
		return nil
	}
	w := newCostEstimator(flow, g, prices)
	w.estimateNested()
	return w.bounds()
}

// bounds returns the bounds, given the bounds of child runs.
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
	b.byAnswers(m)
	for _, n := range graph.Running {
		if n.Spec.Kind.Each && len(n.Regions) > 0 && n.Runs() == cfg.UnboundedElements {
			b.Endless = append(b.Endless, n)
		}
	}
	m.net.effort = scaled(maxGuideWork, graph)
	t.steps()
	for _, c := range t.costs {
		t.cost(c)
	}
	for _, n := range graph.Running {
		if !b.Visits[n.Index].Exact() {
			t.visits(n.Index)
		}
	}
	for _, transition := range graph.Taken {
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

// visits returns the most visits of every node. For a mutable graph these are its limits.
func (b *Bounds) visits(m *model) []int {
	if !b.Mutable {
		visits := m.tighten()
		m.children(visits)
		return visits
	}
	visits := make([]int, len(b.Graph.Nodes))
	for _, n := range b.Graph.Running {
		visits[n.Index] = Limited(b.Graph, n)
	}
	return visits
}

// Limited returns the most visits of a node in a graph that runs may change: max_visits and
// max_steps alone bound them.
func Limited(graph *cfg.Graph, n *cfg.Node) int {
	composite := n.Root()
	if composite == n {
		return min(n.MaxVisits, graph.MaxSteps())
	}
	once := explore.Any(visitCostModel(graph, n).Regions(composite))
	if !once.Possible() {
		return 0
	}
	return min(times(composite.MaxVisits, once.Max.Amount), graph.MaxSteps())
}

// follows sets the most follows of every transition.
func (b *Bounds) follows(m *model) {
	for _, w := range b.Graph.Taken {
		i, have := w.Index, &b.Follows[w.Index]
		switch {
		case w == b.Graph.Entry:
			have.Most = min(1, b.Graph.MaxSteps())
		case b.Mutable && w.Max > 0:
			have.Most = w.Max
		case b.Mutable:
			have.Most = b.Graph.MaxSteps()
		case m.arcOf[i] >= 0:
			have.Most = m.bound(m.following(w), b.Graph.MaxSteps())
		}
		if w.To != nil {
			have.Most = min(have.Most, b.Visits[w.To.Index].Most)
		} else {
			have.Most = min(have.Most, 1)
		}
	}
}

// byAnswers marks what the answers of people alone bound.
func (b *Bounds) byAnswers(m *model) {
	b.rounds = m.rounds(func(n *cfg.Node) int { return b.Visits[n.Index].Most })
	if b.rounds == nil {
		return
	}
	for _, n := range b.Graph.Running {
		v := &b.Visits[n.Index]
		v.ByAnswers = v.Most > 0 && b.rounds.visits(n)
		b.Steps.ByAnswers = b.Steps.ByAnswers || v.ByAnswers
	}
	for _, t := range b.Graph.Taken {
		b.Follows[t.Index].ByAnswers = b.rounds.follows(t)
	}
}

// mutable reports whether runs may change their graph.
func mutable(g *resolve.Graph) bool {
	return g.Spec.Mutations != nil && slices.ContainsFunc(g.All(), func(n *resolve.Node) bool { return n.Spec.Mutates.V })
}

// Visits returns the bound of one node's visits.
func Visits(graph *cfg.Graph, n *cfg.Node) Bound {
	m := newModel(graph)
	b := &Bounds{Graph: graph, Visits: make([]Bound, len(graph.Nodes)), Follows: make([]Bound, len(graph.Transitions))}
	visits := m.tighten()
	m.children(visits)
	b.Visits[n.Index].Most = visits[n.Index]
	b.Visits[n.Index].ByAnswers = visits[n.Index] > 0 && m.rounds(func(n *cfg.Node) int { return visits[n.Index] }).visits(n)
	m.net.effort = scaled(maxGuideWork, graph)
	t := tracer{bounds: b, model: m}
	t.visits(n.Index)
	return b.Visits[n.Index]
}

// MostVisits returns the most visits of every node, by its index. Children of composite nodes have
// none.
func MostVisits(graph *cfg.Graph) []int { return newModel(graph).tighten() }

// UsedUp reports for every node, by its index, whether a walk may reach it after its visits are
// used up.
func UsedUp(graph *cfg.Graph) []bool {
	m := newModel(graph)
	m.tighten()
	part := m.structure().component
	out := make([]bool, len(graph.Nodes))
	for _, n := range graph.Running {
		i := n.Index
		out[i] = part[m.begin[i]] == part[m.out[i]] && m.exceedsVisits(i)
	}
	return out
}

// exceedsVisits reports whether walks may reach a node more often than it may be visited.
func (m *model) exceedsVisits(n int) bool {
	arrivals, most := m.visiting(n), m.graph.Nodes[n].MaxVisits
	arrivals.capacity = most + 1
	return m.bound(arrivals, m.graph.MaxSteps()) > most
}

// maxTightenings bounds the iterations of tighten. Two suffice for nearly all graphs.
const maxTightenings = 10

// tighten returns the most visits of every node, and closes arcs that no walk reaches.
func (m *model) tighten() []int {
	visits := make([]int, len(m.graph.Nodes))
	for range maxTightenings {
		m.connectUsedUp()
		for _, n := range m.graph.Running {
			i := n.Index
			visits[i] = m.bound(m.visiting(i), m.graph.MaxSteps())
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

// arrivals limits the visits of each node to the follows of the transitions to it. It is used when
// the bounded search was not completed.
func (m *model) arrivals(visits []int) {
	const rounds = 10 // for most graphs one round in the order of the nodes is enough
	for range rounds {
		most := make([]int, len(visits))
		for _, w := range m.graph.Taken {
			if w.To == nil {
				continue
			}
			follows := unbounded
			switch {
			case w == m.graph.Entry:
				follows = 1
			case w.Max > 0:
				follows = w.Max
			case w.From != nil && w != w.From.LastResort(): // that may be taken without a visit
				follows = visits[w.From.Index]
			}
			most[w.To.Index] = min(most[w.To.Index]+follows, unbounded)
		}
		for _, n := range m.graph.Running {
			if i := n.Index; n.Region == nil {
				visits[i] = min(visits[i], most[i])
			}
		}
	}
}

// connectUsedUp connects the nodes whose visits can be used up with the targets of their failure
// routes.
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
		for _, n := range graph.Running {
			i := n.Index
			if n.LastResort() == nil || part[m.begin[i]] != part[m.out[i]] || m.passArc[i] >= 0 && m.net.arcs[m.passArc[i]].capacity > 0 {
				continue
			}
			if m.exceedsVisits(i) {
				more = append(more, i)
			}
		}
		for _, i := range more {
			if m.passArc[i] < 0 {
				m.passArc[i] = m.net.connect(m.in[i], m.lastResort(graph.Nodes[i].LastResort()), 0, 0)
			}
			m.limit(m.passArc[i], unbounded)
			changed = true
		}
	}
}
