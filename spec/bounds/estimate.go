package bounds

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// callsOfPick is how often a model is asked for the next node of a pool: once, and again for
// an answer that names none.
const callsOfPick = 2

// A cost is what the visits of nodes take of something that runs use.
type cost struct {
	*explore.CostModel
	sure  []int // by the node's index: what of Visit is known to be reached, the rest is a bound of a run within
	limit int   // what a run may take in all; 0: nobody says
	added int   // the most that a visit takes of a node that mutations have added
}

// A costBound is a cost, and the bound of what a run takes.
type costBound struct {
	cost
	bound   *Bound
	reached int // what the walk that is made has taken, if it ends here
}

// A usage is how often a run asks models, and has them call tools.
type usage struct {
	calls, turns Bound
	loose        bool  // turns may call tools that max_tool_calls does not count
	dollars      money // nothing where there are no prices
}

// A costEstimator says what the visits of a graph's nodes take.
type costEstimator struct {
	graph     *explore.Graph
	from      *resolve.Graph
	nested    map[*explore.Node]usage // of the runs that nodes make of other graphs
	uses      map[*spec.Graph]usage   // of runs of graphs, as far as they are known
	prices    *Prices
	enclosing map[*spec.Graph]bool // the graphs whose runs these are within
}

// modelCalls is what a run asks of models: the turns of its nodes with every repair, every
// execution that is tried again, the judgements of evals and natural-language edges, the picks
// of the nodes of a pool, and what the runs within it ask.
func (w *costEstimator) modelCalls() cost {
	c := w.cost(w.from.Spec.Limits.MaxModelCalls)
	for i, n := range w.graph.Nodes {
		c.Visit[i] = times(executions(n), asks(n.Spec))
		c.sure[i] = c.Visit[i]
		if run, ok := w.nested[n]; ok {
			c.Visit[i], c.sure[i] = times(executions(n), run.calls.Most), times(executions(n), run.calls.Reached)
		}
		c.Finish[i] = w.judges(n)
		if n.Spec.Kind.Picks() {
			c.Pick[i] = callsOfPick
		}
	}
	c.added = w.worstAdded(w.addedCalls)
	return c
}

// judges is how often a model judges what a node has done.
func (w *costEstimator) judges(n *explore.Node) int {
	asked := judged(n.Spec)
	if n.Parent == nil && slices.ContainsFunc(n.Tests, func(t explore.Test) bool { return t.Kind == explore.Judged }) {
		asked++
	}
	return asked
}

// judged is how many of a node's evals have a judge.
func judged(n *resolve.Node) int {
	asked := 0
	for _, e := range n.Spec.Evals {
		if e.Judge.IsSet() {
			asked++
		}
	}
	return asked
}

// toolTurns is how often in a run a model calls tools, one or several at once. What a run may
// call bounds the turns only where each of them calls: not where calls are left to others, who
// may leave them too, nor where an earlier call answers, as with pure tools.
func (w *costEstimator) toolTurns() (c cost, loose bool) {
	c = w.cost(lower(w.from.Spec.Limits.MaxModelCalls, w.from.Spec.Limits.MaxToolCalls))
	for i, n := range w.graph.Nodes {
		if run, ok := w.nested[n]; ok {
			c.Visit[i], c.sure[i] = times(executions(n), run.turns.Most), times(executions(n), run.turns.Reached)
			loose = loose || run.loose
		}
		if n.Spec.Spec.Prompt.ToolChoice.V == "none" {
			continue
		}
		c.Called[i] = 1
		loose = loose || n.Spec.Defers || slices.ContainsFunc(n.Spec.Tools, isPure)
	}
	c.added = w.worstAdded(func(n *resolve.Node) int {
		if n.Kind.By == spec.ByGraph {
			return times(w.addedRun(n).turns.Most, explore.Executions(n))
		}
		if !n.Loops || n.Spec.Prompt.ToolChoice.V == "none" {
			return 0
		}
		loose = loose || slices.ContainsFunc(n.Tools, isPure)
		return 1
	})
	if loose {
		c.limit = w.from.Spec.Limits.MaxModelCalls.V
	}
	return c, loose
}

func isPure(t *resolve.Tool) bool { return t.Spec.Pure.V }

func (w *costEstimator) cost(limit spec.Value[int]) cost {
	return cost{CostModel: w.graph.NewCostModel(), sure: make([]int, len(w.graph.Nodes)), limit: limit.V}
}

// lower is the lower of two limits, of those that are set.
func lower(a, b spec.Value[int]) spec.Value[int] {
	if !a.IsSet() || b.IsSet() && b.V < a.V {
		return b
	}
	return a
}

// asks is how often one execution of a node asks its model: once, and again for every
// answer that is sent back.
func asks(n *resolve.Node) int {
	p := n.Spec.Prompt
	switch {
	case !n.Asks || n.Kind.Picks():
		return 0
	case p.Repair.IsSet():
		return 1 + p.Repair.V
	}
	return 1 + spec.DefaultRepair
}

// executions is how often a node's work is done at most in one visit.
func executions(n *explore.Node) int {
	return explore.Executions(n.Spec) + n.Spec.Spec.GuardRetries.V
}

// cost finds the most that a run takes, and walks so as to reach it. A walk is a flow that
// goes along arcs with the cost; besides, no run makes more steps and visits than it may.
func (t *tracer) cost(c *costBound) {
	b, m := t.bounds, t.model
	worth := c.most(b)
	if c.limit > 0 {
		worth = min(worth, c.limit)
	}
	if worth == 0 {
		return
	}
	m.net.drain()
	m.limitVisits(func(n int) int { return b.Visits[n].Most })
	m.setCosts(newWeights(b.Graph, c.CostModel, maxOf).upTo(worth))
	l, carried := newLongestFlow(&m.net, m.target(b.Graph.Entry()), worth)
	flow, end := l.flow(m.target(b.Graph.Entry()))
	m.net.drain()
	m.resetVisits()
	m.setCosts(fewestSteps(b.Graph))
	if c.bound.Most = carried; t.bounds.Mutable {
		c.bound.Most = worth
	}
	guide := t.guide(func(arc int) int { return flow[arc] }, end)
	guide.costsOf, guide.greedy, guide.tally = c.Regions, always, c
	t.reach(guide, c.bound, func(*explore.State) int { return c.bound.Most - c.reached })
}

// upTo cuts what the visits of composite nodes take to what is not reached anyway.
func (w *weights) upTo(limit int) *weights {
	for i := range w.success {
		w.success[i], w.failure[i] = min(w.success[i], limit), min(w.failure[i], limit)
	}
	return w
}

// most is what the steps and visits allow: the visits that take most come first. What the
// picks of a pool take comes with the visits of the nodes picked.
func (c *cost) most(b *Bounds) int {
	type share struct{ visits, each int }
	var shares []share
	for i, n := range b.Graph.Nodes {
		each := c.Visit[i] + max(c.Finish[i], c.Called[i])
		if n.Composite != nil {
			each += times(n.Composite.Executions, c.Pick[i]) // the first, and one for every node
		}
		if n.Parent != nil {
			each += c.Pick[n.Parent.Index]
		}
		shares = append(shares, share{b.Visits[i].Most, each})
	}
	if b.Mutable {
		shares = append(shares, share{b.Steps.Most, c.added})
	}
	slices.SortFunc(shares, func(x, y share) int { return cmp.Compare(y.each, x.each) })
	sum, steps := 0, b.Steps.Most
	for _, s := range shares {
		visits := min(steps, s.visits)
		sum, steps = min(sum+times(visits, s.each), explore.Unbounded), steps-visits
	}
	return sum
}

// A walkCost adds up what a walk takes. It counts nothing of which it is not sure.
type walkCost struct {
	*costBound
	sum  int
	last int // what the last visit takes if the walk ends with it
}

// arrive adds what the walk takes if it ends with this visit.
func (s *walkCost) arrive(at *explore.State) {
	more := 0
	if n := at.Current; !skipped(at) {
		more = s.sure[n.Index] + max(s.finished(at, nil), s.calledAt(n))
	}
	s.setLast(more)
}

// within adds what the visited node's others take.
func (s *walkCost) within(made, c *explore.PathCost, whole, own bool) {
	if whole && own && slices.Equal(s.sure, s.Visit) {
		s.sum += c.Amount
		return
	}
	made.Count(func(n *explore.Node, visits int) {
		s.sum = min(s.sum+times(visits, s.sure[n.Index]), explore.Unbounded)
	})
}

// setLast notes what the walk has taken, and how much more the last visit may.
func (s *walkCost) setLast(more int) {
	s.reached, s.last = s.sum+more, more
	if s.limit > 0 {
		s.reached = min(s.reached, s.limit)
	}
}

// leave adds what the visit has taken that ends with a way.
func (s *walkCost) leave(at *explore.State, by *explore.Transition) {
	n := at.Current
	if skipped(at) {
		return
	}
	s.sum += s.sure[n.Index]
	if slices.Contains(n.Called, by) {
		s.sum += s.Called[n.Index]
		return
	}
	s.sum += s.finished(at, by)
}

func (s *walkCost) calledAt(n *explore.Node) int {
	if len(n.Called) == 0 {
		return 0
	}
	return s.Called[n.Index]
}

// skipped reports whether the visited node may have been skipped.
func skipped(at *explore.State) bool { return at.Current.Skip && at.Failed&explore.Yes != 0 }

// finished is what a visit takes besides where a success goes by a way, nil where it goes by
// any or none. What a failure comes to is not counted, nor a judge of whom it is not sure
// that he was asked.
func (s *walkCost) finished(at *explore.State, by *explore.Transition) int {
	n := at.Current
	first, transition, asked := -1, -1, false
	for i, t := range n.Tests {
		if t.Kind == explore.Judged {
			if first < 0 {
				first = i
			}
			asked = asked || at.Open(t.Transition)
		}
		if t.Transition == by {
			transition = i
		}
	}
	extra := s.Finish[n.Index]
	switch {
	case n.Soft || by != nil && transition < 0:
		return 0
	case first >= 0 && (by != nil && transition < first || by == nil && settles(at, n.Tests[:first]) || !asked) && extra > 0:
		return extra - 1
	}
	return extra
}

// settles reports whether a success of the visited node takes one of the tests, whatever it gives.
func settles(at *explore.State, tests []explore.Test) bool {
	for i, t := range tests {
		if t.Kind == explore.Uncalled && at.Open(t.Transition) {
			return true
		}
		of := tests[i+1-t.ChoiceSize : i+1]
		closed := slices.ContainsFunc(of, func(t explore.Test) bool { return !at.Open(t.Transition) })
		if t.ChoiceSize > 0 && !t.Loose && !closed {
			return true
		}
	}
	return false
}
