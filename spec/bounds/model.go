package bounds

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// A model is a graph as a network. A node has a port at which walks arrive, one at which a
// visit begins and one at which it has ended; ways lead from the last to the first of
// another. A walk that has come somewhere is one unit of flow from the entry to there.
type model struct {
	graph *explore.Graph
	net   network

	in, begin, out []int       // ports, by the node's index
	done           []int       // ports that a visit comes to which calls no tools; those at which it ends, where it cannot call any
	visit          []int       // arcs, by the node's index
	visitAt        map[int]int // arcs, by the port at which the visit begins
	finish         []int       // arcs to done; -1: it is where the visit ends
	fails          []int       // ports that a visit comes to which has failed
	failing        []int       // arcs to fails of a composite node in which others fail; -1: none
	passArc        []int       // arcs past a node whose visits are used up, -1: its visits cannot be
	arcOf          []int       // arcs, by the way's index: the taking of a way
	lastResortPort []int       // ports before a way that is the last resort, by the way's index; -1: it is none
	gates          []gate
	end            int

	known  *structure // of the network as it is limited; nil: it has changed
	effort *effort    // for all that is looked for in parts

	costWork, profileWork *effort            // for all nodes within others
	roomWork              *effort            // for what is left beside the visits of composite nodes
	singleVisits          *explore.CostModel // by which nothing takes anything but the visits of one node at a time
	steps                 *explore.CostModel // by which visits are steps
	sizes                 map[*explore.Node]int
}

func newModel(g *explore.Graph) *model {
	m := &model{graph: g, steps: g.StepCostModel(), roomWork: scaled(maxBoundWork, g), visitAt: make(map[int]int, len(g.Nodes)), effort: scaled(maxBoundWork, g), costWork: &effort{maxCostModelWork}, profileWork: &effort{maxProfileComparisons}, arcOf: make([]int, len(g.Transitions)), lastResortPort: make([]int, len(g.Transitions))}
	m.end = m.net.port()
	for range g.Nodes {
		m.in, m.begin, m.out = append(m.in, m.net.port()), append(m.begin, m.net.port()), append(m.out, m.net.port())
	}
	for i := range g.Transitions {
		m.arcOf[i], m.lastResortPort[i] = -1, -1
	}
	for i, n := range g.Nodes {
		m.net.connect(m.in[i], m.begin[i], unbounded, 0)
		m.visit = append(m.visit, m.net.connect(m.begin[i], m.out[i], n.MaxVisits, 1))
		m.visitAt[m.begin[i]] = m.visit[i]
		m.passArc = append(m.passArc, -1)
		m.done, m.finish = append(m.done, m.out[i]), append(m.finish, -1)
		if len(n.Called) > 0 {
			m.done[i] = m.net.port()
			m.finish[i] = m.net.connect(m.out[i], m.done[i], unbounded, 0)
		}
		m.fails, m.failing = append(m.fails, m.done[i]), append(m.failing, -1)
		if n.Composite != nil {
			m.composite(n)
		}
	}
	m.setCosts(fewestSteps(g))
	for _, n := range g.Nodes {
		m.connectTransitions(n)
	}
	return m
}

// composite has a visit end where the others that it runs have succeeded, and where they have
// failed. A condition may panic after either.
func (m *model) composite(n *explore.Node) {
	i, o := n.Index, m.steps.Regions(n)
	m.done[i], m.fails[i] = m.net.port(), m.net.port()
	if o.Success.Possible() || n.Soft {
		m.finish[i] = m.net.connect(m.out[i], m.done[i], unbounded, 0)
	}
	if n.Skip { // then it runs nothing
		m.net.connect(m.out[i], m.done[i], unbounded, 0)
	}
	if o.Failure.Possible() && !n.Soft {
		m.failing[i] = m.net.connect(m.out[i], m.fails[i], unbounded, 0)
	}
	if n.FailsLate() {
		m.net.connect(m.done[i], m.fails[i], unbounded, 0)
	}
}

// target is the port that a way leads to.
func (m *model) target(w *explore.Transition) int {
	if w.To == nil {
		return m.end
	}
	return m.in[w.To.Index]
}

// connectTransitions connects a node with those that it leads to, in the order in which ways are tried.
func (m *model) connectTransitions(n *explore.Node) {
	l := transitionsBuilder{model: m, node: n}
	l.begin()
	for i, t := range n.Tests {
		l.add(t.Transition)
		switch {
		case t.Kind == explore.Always, t.Kind == explore.Uncalled && !n.Skip:
			l.passTransition(t.Transition)
		case t.ChoiceSize > 0 && !n.Soft && !n.Skip: // else there may be no choice
			l.passChoice(n.Tests[i+1-t.ChoiceSize : i+1])
		}
	}
	l.begin()
	l.port = m.out[n.Index]
	for _, w := range n.Called {
		l.add(w)
		l.passTransition(w)
	}
	for _, w := range []*explore.Transition{n.Denied, n.Late} {
		if w != nil {
			l.begin()
			l.add(w)
		}
	}
	for i, list := range [][]*explore.Transition{n.Refused, n.Failed} {
		l.begin()
		if i == 1 {
			l.port = m.fails[n.Index]
		}
		for _, w := range list {
			l.add(w)
			l.passTransition(w)
		}
	}
	if w := m.graph.LastResort(n); w != nil && mayFail(n) {
		m.net.connect(l.port, m.lastResort(w), unbounded, 0)
	}
	for _, pair := range l.counters {
		m.connectCounter(pair)
	}
}

// A gate is an arc that leads to ways behind others that have to be used up first: of a
// node's visits, so many have gone there.
type gate struct {
	arc, node, spent int
}

// A transitionsBuilder connects the ways on from a node.
type transitionsBuilder struct {
	*model
	node     *explore.Node
	port     int             // that the ways to be added leave
	spent    int             // visits after which the run has gone by the ways that stand before
	counted  map[int]bool    // pairs whose use is in spent
	counters [][]boundedEdge // the edges with bounds, by their pair
}

// A boundedEdge is an edge with a bound, and the port that it leaves.
type boundedEdge struct {
	transition *explore.Transition
	from       int
}

// begin goes back to where nothing stands before a way.
func (l *transitionsBuilder) begin() {
	l.port, l.spent, l.counted = l.done[l.node.Index], 0, map[int]bool{}
}

func (l *transitionsBuilder) add(w *explore.Transition) {
	if w.Max == 0 {
		l.arcOf[w.Index] = l.net.connect(l.port, l.target(w), unbounded, 0)
		return
	}
	i := slices.IndexFunc(l.counters, func(p []boundedEdge) bool { return p[0].transition.Counter == w.Counter })
	if i < 0 {
		i = len(l.counters)
		l.counters = append(l.counters, nil)
	}
	l.counters[i] = append(l.counters[i], boundedEdge{w, l.port})
}

// passTransition goes behind a way that is taken unless its bound is used up.
func (l *transitionsBuilder) passTransition(w *explore.Transition) {
	if w.Max > 0 && !l.counted[w.Counter] {
		l.counted[w.Counter] = true
		l.gate(w.Max)
	}
}

// passChoice goes behind a choice, which needs one of its ways to be used up.
func (l *transitionsBuilder) passChoice(choice []explore.Test) {
	spent := unbounded
	for _, t := range choice {
		if t.Transition.Max == 0 || l.counted[t.Transition.Counter] {
			spent = 0
			continue
		}
		spent = min(spent, t.Transition.Max)
	}
	for _, t := range choice {
		if t.Transition.Max > 0 {
			l.counted[t.Transition.Counter] = true // what it counts may be what the choice has spent
		}
	}
	l.gate(spent)
}

func (l *transitionsBuilder) gate(spent int) {
	if spent == 0 {
		return
	}
	l.spent += spent
	next := l.net.port()
	arc := l.net.connect(l.port, next, max(0, l.node.MaxVisits-l.spent), 0)
	l.gates = append(l.gates, gate{arc, l.node.Index, l.spent})
	l.port = next
}

// connectCounter connects the edges with bounds between two nodes. They count together: those with
// a bound of at most M can be taken M times in all. So their arcs join in a chain of arcs
// with these capacities, from the least to the greatest.
func (m *model) connectCounter(edges []boundedEdge) {
	slices.SortStableFunc(edges, func(a, b boundedEdge) int { return cmp.Compare(b.transition.Max, a.transition.Max) })
	to := m.target(edges[0].transition)
	for i, e := range edges {
		if len(edges) > 1 && (i == 0 || e.transition.Max != edges[i-1].transition.Max) {
			joint := m.net.port()
			m.net.connect(joint, to, e.transition.Max, 0)
			to = joint
		}
		m.arcOf[e.transition.Index] = m.net.connect(e.from, to, e.transition.Max, 0)
	}
}

// lastResort is the port before a way that several lead to: failures, and nodes whose
// visits are used up.
func (m *model) lastResort(w *explore.Transition) int {
	if m.lastResortPort[w.Index] < 0 {
		m.lastResortPort[w.Index] = m.net.port()
		m.arcOf[w.Index] = m.net.connect(m.lastResortPort[w.Index], m.target(w), unbounded, 0)
	}
	return m.lastResortPort[w.Index]
}

// mayFail reports whether a failure of the node may come to its last resort.
func mayFail(n *explore.Node) bool {
	if n.Critical || slices.ContainsFunc(n.Failed, func(w *explore.Transition) bool { return w.Max == 0 }) {
		return false
	}
	return !n.Soft || n.Evals || n.Unsure()
}

// A target is what is to be done as often as possible: to follow the arc it names.
type target struct {
	arc      int // its own flow is counted apart
	from, to int // its ends
	capacity int
	steps    int // of following it once
	tail     int // the port to which the last following leads on; -1: it ends at its end
}

// visiting is the target of visiting a node.
func (m *model) visiting(n int) target {
	return target{arc: m.visit[n], from: m.begin[n], to: m.out[n], capacity: m.graph.Nodes[n].MaxVisits, steps: 1, tail: -1}
}

// following is the target of following a way to the visit it leads to.
func (m *model) following(w *explore.Transition) target {
	a := m.net.arcs[m.arcOf[w.Index]]
	t := target{arc: m.arcOf[w.Index], from: a.from, to: m.end, capacity: 1, tail: -1}
	if w.To != nil {
		t.to, t.tail, t.capacity = m.begin[w.To.Index], m.out[w.To.Index], a.capacity
	}
	return t
}

// most returns how often a walk can reach the target within the steps, by the flow of
// fewest steps for one time after the other. It leaves the flow in the network.
func (m *model) most(t target, steps int) int {
	return m.each(t, steps, func(int, int, int) {})
}

// each tells of the flow of fewest steps for one time after the other: how many times more
// the target is reached, with how many steps each and how many in all.
func (m *model) each(t target, steps int, tell func(times, each, all int)) int {
	return m.net.each(m.target(m.graph.Entry()), t, steps, tell)
}

func (n *network) each(start int, t target, steps int, tell func(times, each, all int)) int {
	n.drain()
	kept := n.arcs[t.arc].capacity
	n.arcs[t.arc].room = 0
	defer func() { n.arcs[t.arc].room = kept }()
	n.search(start)
	if n.distance[t.from] == unreachable {
		return 0
	}
	cost := n.distance[t.from] + t.steps
	path, _ := n.pathTo(t.from)
	n.send(path, 1)
	if t.tail >= 0 {
		n.search(t.to)
		if n.distance[t.tail] == unreachable {
			return 0
		}
		cost += n.distance[t.tail]
		path, _ := n.pathTo(t.tail)
		n.send(path, 1)
	}
	if cost > steps {
		return 0
	}
	count := 1
	tell(1, cost, cost)
	for count < t.capacity {
		n.search(t.to)
		if n.distance[t.from] == unreachable || n.effort.over() {
			break
		}
		each := n.distance[t.from] + t.steps
		path, room := n.pathTo(t.from)
		amount := min(room, t.capacity-count)
		if each > 0 {
			amount = min(amount, (steps-cost)/each)
		}
		if amount <= 0 {
			break
		}
		n.send(path, amount)
		count, cost = count+amount, cost+amount*each
		tell(amount, each, cost)
	}
	return count
}
