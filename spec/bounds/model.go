package bounds

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// A model is a graph as a network. A node has three ports: in, where walks arrive, begin, where a
// visit begins, and out, where it has ended. Transitions lead from out to the in of another node. A
// walk to a point is one unit of flow from the entry to it.
type model struct {
	graph *cfg.Graph
	net   network

	in, begin, out []int       // ports, by the node's index
	runs           []int       // ports where a composite node runs others: out, unless a transition follows a person's no, or late answer
	running        []int       // arcs to runs; the visit, if it is out
	done           []int       // ports after a visit without tool calls; out, if the node cannot call tools
	visit          []int       // arcs, by the node's index
	visitAt        map[int]int // arcs, by the begin port
	finish         []int       // arcs to done; -1: it is out
	fails          []int       // ports after a failed visit
	failing        []int       // arcs to fails of a composite node whose children fail; -1: none
	spends         []int       // ports after a visit of a composite node in which a budget was spent; -1: it has no edge for that
	spending       []int       // arcs to spends
	passArc        []int       // arcs past a node whose visits are used up; -1: they cannot be
	arcOf          []int       // arcs, by the transition's index
	lastResortPort []int       // ports before a failure route, by the transition's index; -1: not a failure route
	gates          []gate
	end            int

	known  *structure // nil after a change of capacity
	effort *effort    // for all searches in components

	costWork, profileWork *effort            // for all children of composite nodes
	roomWork              *effort            // for stepsLeft
	singleVisits          *explore.CostModel // counts the visits of one node at a time
	steps                 *explore.CostModel // counts steps
	sizes                 map[*cfg.Node]int
}

func newModel(g *cfg.Graph) *model {
	m := &model{graph: g, steps: explore.StepCostModel(g), roomWork: scaled(maxBoundWork, g), visitAt: make(map[int]int, len(g.Nodes)),
		effort: scaled(maxBoundWork, g), costWork: &effort{maxCostModelWork}, profileWork: &effort{maxProfileComparisons},
		arcOf: make([]int, len(g.Transitions)), lastResortPort: make([]int, len(g.Transitions))}
	m.end = m.net.port()
	for _, list := range []*[]int{&m.in, &m.begin, &m.out, &m.runs, &m.running, &m.done, &m.visit, &m.finish, &m.fails, &m.failing, &m.spends,
		&m.spending, &m.passArc} {
		*list = slices.Repeat([]int{-1}, len(g.Nodes))
	}
	for _, n := range g.Running {
		i := n.Index
		m.in[i], m.begin[i], m.out[i] = m.net.port(), m.net.port(), m.net.port()
	}
	for i := range g.Transitions {
		m.arcOf[i], m.lastResortPort[i] = -1, -1
	}
	for _, n := range g.Running {
		i := n.Index
		m.net.connect(m.in[i], m.begin[i], unbounded, 0)
		m.visit[i] = m.net.connect(m.begin[i], m.out[i], n.MaxVisits, 1)
		m.visitAt[m.begin[i]] = m.visit[i]
		m.done[i] = m.out[i]
		if len(n.On[cfg.CalledTools]) > 0 {
			m.done[i] = m.net.port()
			m.finish[i] = m.net.connect(m.out[i], m.done[i], unbounded, 0)
		}
		m.fails[i] = m.done[i]
		if n.Composite() {
			m.composite(n)
		}
	}
	m.setCosts(fewestSteps(g))
	for _, n := range g.Running {
		m.connectTransitions(n)
	}
	return m
}

// composite connects the ends of a composite node: after a success and after a failure of its
// children. A condition may panic after either.
func (m *model) composite(n *cfg.Node) {
	i, o := n.Index, m.steps.Regions(n)
	m.runs[i], m.running[i] = m.out[i], m.visit[i]
	if len(n.On[cfg.Denied])+len(n.On[cfg.Late]) > 0 {
		m.runs[i] = m.net.port()
		m.running[i] = m.net.connect(m.out[i], m.runs[i], unbounded, 0)
	}
	m.done[i], m.fails[i] = m.net.port(), m.net.port()
	if o.Success.Possible() || n.Soft {
		m.finish[i] = m.net.connect(m.runs[i], m.done[i], unbounded, 0)
	}
	if n.Skip { // it runs nothing
		m.net.connect(m.out[i], m.done[i], unbounded, 0)
	}
	if o.Failure.Possible() && !n.Soft {
		m.failing[i] = m.net.connect(m.runs[i], m.fails[i], unbounded, 0)
	}
	if judges := len(n.JudgedEdges()) > 0; len(n.On[cfg.Spent]) > 0 && (judges || o.Spent.Possible()) {
		m.spends[i] = m.net.port()
		if o.Spent.Possible() {
			m.spending[i] = m.net.connect(m.runs[i], m.spends[i], unbounded, 0)
		}
		if judges {
			m.net.connect(m.done[i], m.spends[i], unbounded, 0)
		}
	}
	if n.FailsLate() {
		m.net.connect(m.done[i], m.fails[i], unbounded, 0)
	}
}

// target returns the port that a transition leads to.
func (m *model) target(w *cfg.Transition) int {
	if w.To == nil {
		return m.end
	}
	return m.in[w.To.Index]
}

// connectTransitions connects a node with the targets of its transitions, in the order in which
// they are tried.
func (m *model) connectTransitions(n *cfg.Node) {
	l := transitionsBuilder{model: m, node: n}
	l.begin()
	for _, t := range n.Tests {
		l.add(t)
		if t.Cond.Kind.Plain() || t.Cond.Kind.Callless() && !n.Skip {
			l.passTransition(t)
		} else if choice := t.Closes(); choice != nil && !n.Soft && !n.Skip { // else there may be no choice
			l.passChoice(choice)
		}
	}
	l.begin()
	l.port = m.out[n.Index]
	for _, w := range n.On[cfg.CalledTools] {
		l.add(w)
		if w.Cond.Kind != cfg.Calls {
			l.passTransition(w)
		}
	}
	for _, w := range slices.Concat(n.On[cfg.Denied], n.On[cfg.Late]) {
		if l.begin(); n.Composite() {
			l.port = m.out[n.Index] // it has run nothing
		}
		l.add(w)
	}
	for i, list := range [][]*cfg.Transition{n.On[cfg.Refused], n.On[cfg.Spent], failureEdges(n)} {
		l.begin()
		switch {
		case i == 1 && n.Composite():
			if l.port = m.spends[n.Index]; l.port < 0 {
				continue
			}
		case i == 2:
			l.port = m.fails[n.Index]
		}
		for _, w := range list {
			l.add(w)
			l.passTransition(w)
		}
	}
	if w := n.LastResort(); w != nil && mayFail(n) {
		m.net.connect(l.port, m.lastResort(w), unbounded, 0)
	}
	for _, pair := range l.counters {
		m.connectCounter(pair)
	}
}

// A gate is an arc to transitions after others that have to be used up first. spent is the number
// of visits that this takes.
type gate struct {
	arc, node, spent int
}

// A transitionsBuilder connects the transitions that leave a node.
type transitionsBuilder struct {
	*model
	node     *cfg.Node
	port     int                   // the port that the next transition leaves
	spent    int                   // visits that use up the transitions before
	counted  map[*cfg.Counter]bool // counters that are included in spent
	counters [][]boundedEdge       // edges with bounds, by counter
}

// A boundedEdge is an edge with a bound and the port that it leaves.
type boundedEdge struct {
	transition *cfg.Transition
	from       int
}

// begin returns to the port before the first transition.
func (l *transitionsBuilder) begin() {
	l.port, l.spent, l.counted = l.done[l.node.Index], 0, map[*cfg.Counter]bool{}
}

func (l *transitionsBuilder) add(w *cfg.Transition) {
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

// passTransition moves past a transition that is taken unless its bound is used up.
func (l *transitionsBuilder) passTransition(w *cfg.Transition) {
	if w.Max > 0 && !l.counted[w.Counter] {
		l.counted[w.Counter] = true
		l.gate(w.Max)
	}
}

// passChoice moves past a choice, one of whose transitions has to be used up.
func (l *transitionsBuilder) passChoice(choice []*cfg.Transition) {
	spent := unbounded
	for _, t := range choice {
		if t.Max == 0 || l.counted[t.Counter] {
			spent = 0
			continue
		}
		spent = min(spent, t.Max)
	}
	for _, t := range choice {
		if t.Max > 0 {
			l.counted[t.Counter] = true // its visits may be those that the choice used up
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

// connectCounter connects the edges with bounds between two nodes. They share a counter: those with
// a bound of at most M can be taken M times in all. So their arcs join in a chain of arcs with
// these capacities, from the least to the greatest.
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

// lastResort returns the port before a failure route. Failures and nodes whose visits are used up
// lead to it.
func (m *model) lastResort(w *cfg.Transition) int {
	if m.lastResortPort[w.Index] < 0 {
		m.lastResortPort[w.Index] = m.net.port()
		m.arcOf[w.Index] = m.net.connect(m.lastResortPort[w.Index], m.target(w), unbounded, 0)
	}
	return m.lastResortPort[w.Index]
}

// failureEdges returns the edges that a failure of the node tries before the last resort.
func failureEdges(n *cfg.Node) []*cfg.Transition {
	return slices.DeleteFunc(slices.Clone(n.On[cfg.Failed]), func(w *cfg.Transition) bool { return w.Edge == nil })
}

// mayFail reports whether a failure of the node may take its last resort.
func mayFail(n *cfg.Node) bool {
	if n.Critical || slices.ContainsFunc(failureEdges(n), func(w *cfg.Transition) bool { return w.Max == 0 }) {
		return false
	}
	return !n.Soft || n.Spec.Evaluates() || n.Unsure()
}

// A target is an arc that a walk is to follow as often as possible.
type target struct {
	arc      int // its flow is counted separately
	from, to int // its ends
	capacity int
	steps    int // steps of following it once
	tail     int // the port where the last follow ends; -1: to
}

// visiting returns the target of visiting a node.
func (m *model) visiting(n int) target {
	return target{arc: m.visit[n], from: m.begin[n], to: m.out[n], capacity: m.graph.Nodes[n].MaxVisits, steps: 1, tail: -1}
}

// regions returns the target of running the regions of a composite node.
func (m *model) regions(n int) target {
	t := m.visiting(n)
	if m.running[n] != m.visit[n] {
		t.arc, t.from, t.to, t.steps = m.running[n], m.out[n], m.runs[n], 0
	}
	return t
}

// following returns the target of following a transition to a visit.
func (m *model) following(w *cfg.Transition) target {
	a := m.net.arcs[m.arcOf[w.Index]]
	t := target{arc: m.arcOf[w.Index], from: a.from, to: m.end, capacity: 1, tail: -1}
	if w.To != nil {
		t.to, t.tail, t.capacity = m.begin[w.To.Index], m.out[w.To.Index], a.capacity
	}
	return t
}

// most returns how often a walk can reach the target within the steps, by successive flows of
// fewest steps. It leaves the flow in the network.
func (m *model) most(t target, steps int) int {
	return m.each(t, steps, func(int, int, int) {})
}

// each computes successive flows of fewest steps. It calls add with how many more times the target
// is reached, the steps of each time, and the steps in all.
func (m *model) each(t target, steps int, add func(times, each, all int)) int {
	return m.net.each(m.target(m.graph.Entry), t, steps, add)
}

func (n *network) each(start int, t target, steps int, add func(times, each, all int)) int {
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
	add(1, cost, cost)
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
		add(amount, each, cost)
	}
	return count
}
