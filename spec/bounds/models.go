package bounds

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/walk"
)

// Attempts that are made where a spec does not say how many.
const defaultAttempts = 3

// A cost is what the visits of nodes take of something that runs use, by the node's index.
type cost struct {
	visit  []int // whatever comes of it
	finish []int // besides, where it ends otherwise than by calling tools
	called []int // besides, where it ends by calling tools
	limit  int   // what a run may take in all; 0: nobody says
}

// A tally is a cost, and the bound of what a run takes.
type tally struct {
	cost
	have *Bound
	now  int // what the walk that is made has taken, if it ends here
}

// modelCalls is what a run asks of models: the turns of its nodes with every repair, every
// execution that is tried again, and the judgements of evals and natural-language edges.
func modelCalls(g *resolve.Graph) cost {
	c := newCost(g, g.Spec.Limits.MaxModelCalls)
	for i, n := range g.Nodes {
		c.visit[i] = executions(n) * turns(n.Worker())
		for _, e := range n.Worker().Spec.Evals {
			if e.Judge.IsSet() {
				c.finish[i]++
			}
		}
		if len(g.Routing(n).Judged) > 0 {
			c.finish[i]++
		}
	}
	return c
}

// toolTurns is how often in a run a model calls tools, one or several at once. What a run may
// call bounds the turns only where each of them calls: not where calls are left to others, who
// may leave them too, nor where an earlier call answers, as with pure tools.
func toolTurns(g *resolve.Graph) cost {
	c := newCost(g, least(g.Spec.Limits.MaxModelCalls, g.Spec.Limits.MaxToolCalls))
	for i, n := range g.Nodes {
		if n.Spec.Prompt.ToolChoice.V == "none" {
			continue
		}
		c.called[i] = 1
		if n.Defers || slices.ContainsFunc(n.Tools, func(t *resolve.Tool) bool { return t.Spec.Pure.V }) {
			c.limit = g.Spec.Limits.MaxModelCalls.V
		}
	}
	return c
}

func newCost(g *resolve.Graph, limit spec.Value[int]) cost {
	n := len(g.Nodes)
	return cost{make([]int, n), make([]int, n), make([]int, n), limit.V}
}

// least is the lower of two limits, of those that are set.
func least(a, b spec.Value[int]) spec.Value[int] {
	if !a.IsSet() || b.IsSet() && b.V < a.V {
		return b
	}
	return a
}

// turns is how often one execution of a node asks its model: once, and again for every
// answer that is sent back.
func turns(n *resolve.Node) int {
	p := n.Spec.Prompt
	switch {
	case !n.Asks:
		return 0
	case p.Repair.IsSet():
		return 1 + p.Repair.V
	}
	return 1 + spec.DefaultRepair
}

// executions is how often a node's work is done at most in one visit.
func executions(n *resolve.Node) int {
	switch {
	case n.Kind == "loop" && n.Body != nil:
		return iterations(n) * executions(n.Body)
	case n.Kind == "retry" && n.Body != nil:
		return attempts(n.Spec.Retry) + n.Body.Spec.GuardRetries.V
	}
	times := 1
	if f, ok := n.Spec.Flag("retryable"); ok {
		times = defaultAttempts
		if f.Retry != nil {
			times = attempts(*f.Retry)
		}
	}
	return times + n.Spec.GuardRetries.V
}

func iterations(n *resolve.Node) int {
	if n.Spec.MaxIterations.IsSet() {
		return n.Spec.MaxIterations.V
	}
	return spec.DefaultBodyIterations
}

func attempts(r spec.Retry) int {
	if r.Attempts.IsSet() {
		return r.Attempts.V
	}
	return defaultAttempts
}

// weigh finds the most that a run takes, and walks so as to reach it. A walk is a flow that
// goes along arcs with the cost; besides, no run makes more steps and visits than it may.
func (t *tracer) weigh(c *tally) {
	b, m := t.bounds, t.model
	most := c.most(b)
	if c.limit > 0 {
		most = min(most, c.limit)
	}
	if most == 0 {
		return
	}
	m.net.drain()
	m.price(&c.cost, func(n int) int { return b.Visits[n].Most })
	l, carried := longestFrom(&m.net, m.target(b.Graph.Entry()), most)
	c.have.Most = carried
	flow, end := l.flow(m.target(b.Graph.Entry()))
	m.net.drain()
	m.unprice(&c.cost)
	t.reach(t.guide(func(arc int) int { return flow[arc] }, end), c.have, func(*walk.State) bool { return c.now >= c.have.Most })
}

// most is what the steps and visits allow: the visits that take most come first.
func (c *cost) most(b *Bounds) int {
	order := make([]int, len(b.Visits))
	for i := range order {
		order[i] = i
	}
	each := func(n int) int { return c.visit[n] + max(c.finish[n], c.called[n]) }
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(each(y), each(x)) })
	sum, steps := 0, b.Steps.Most
	for _, n := range order {
		visits := min(steps, b.Visits[n].Most)
		sum, steps = sum+visits*each(n), steps-visits
	}
	return sum
}

// price makes the arcs cost what they stand for, in place of steps.
func (m *model) price(c *cost, visits func(n int) int) {
	for i, n := range m.graph.Nodes {
		m.net.limit(m.visit[i], visits(i))
		m.net.cost(m.visit[i], c.visit[i])
		if m.finish[i] < 0 {
			m.net.cost(m.visit[i], c.visit[i]+c.finish[i])
			continue
		}
		m.net.cost(m.finish[i], c.finish[i])
		for _, w := range n.Called {
			m.net.cost(m.taken[w.Index], c.called[i])
		}
	}
}

// unprice makes the arcs count steps again.
func (m *model) unprice(c *cost) {
	for i, n := range m.graph.Nodes {
		m.net.limit(m.visit[i], n.MaxVisits)
		m.net.cost(m.visit[i], 1)
		if m.finish[i] < 0 {
			continue
		}
		m.net.cost(m.finish[i], 0)
		for _, w := range n.Called {
			m.net.cost(m.taken[w.Index], 0)
		}
	}
}

// cost sets what a unit of flow along an arc makes.
func (n *network) cost(i, steps int) { n.arcs[i].steps, n.arcs[i^1].steps = steps, -steps }

// A spending adds up what a walk takes. It counts nothing of which it is not sure.
type spending struct {
	*tally
	sum int
}

// arrive adds what the walk takes if it ends with this visit.
func (s *spending) arrive(at *walk.State) {
	more := 0
	if n := at.At; !skipped(at) {
		more = s.visit[n.Index] + max(s.finished(at, nil), s.calledAt(n))
	}
	s.tell(more)
}

// tell notes what the walk has taken, and how much more the last visit may.
func (s *spending) tell(more int) {
	s.now = s.sum + more
	if s.limit > 0 {
		s.now = min(s.now, s.limit)
	}
}

// leave adds what the visit has taken that ends with a way.
func (s *spending) leave(at *walk.State, by *walk.Way) {
	n := at.At
	if skipped(at) {
		return
	}
	s.sum += s.visit[n.Index]
	if slices.Contains(n.Called, by) {
		s.sum += s.called[n.Index]
		return
	}
	s.sum += s.finished(at, by)
}

func (s *spending) calledAt(n *walk.Node) int {
	if len(n.Called) == 0 {
		return 0
	}
	return s.called[n.Index]
}

// skipped reports whether the visited node may have been skipped.
func skipped(at *walk.State) bool { return at.At.Skip && at.Failed&walk.Yes != 0 }

// finished is what a visit takes besides where a success goes by a way, nil where it goes by
// any or none. What a failure comes to is not counted, nor a judge of whom it is not sure
// that he was asked.
func (s *spending) finished(at *walk.State, by *walk.Way) int {
	n := at.At
	first, way, asked := -1, -1, false
	for i, t := range n.Tests {
		if t.Kind == walk.Judged {
			if first < 0 {
				first = i
			}
			asked = asked || at.Open(t.Way)
		}
		if t.Way == by {
			way = i
		}
	}
	extra := s.finish[n.Index]
	switch {
	case n.Soft || by != nil && way < 0:
		return 0
	case first >= 0 && (by != nil && way < first || !asked) && extra > 0:
		return extra - 1
	}
	return extra
}
