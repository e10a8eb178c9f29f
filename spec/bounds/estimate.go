package bounds

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// callsOfPick is the most model calls for one pick of a pool: the request, and a repeat if the
// answer names no node.
const callsOfPick = 2

// A cost gives the visits of nodes a cost in one unit, such as model calls.
type cost struct {
	*explore.CostModel
	sure  []int // by the node's index: the part of Visit that some run attains; the rest is a bound of a child run
	limit int   // the limit of a run; 0: none
	runs  bool  // only the answers of people bound the cost of a child run
	added int   // the highest cost of a visit of a dynamic node
}

// A costBound is a cost with its bound for a run.
type costBound struct {
	cost
	bound   *Bound
	reached int // the cost of the current walk, if it ends here
}

// A usage is the model calls and tool turns of a run.
type usage struct {
	calls, turns Bound
	loose        bool  // turns may call tools that max_tool_calls does not count
	dollars      money // zero without prices
}

// A costEstimator computes the costs of the nodes of a graph.
type costEstimator struct {
	graph     *cfg.Graph
	from      *resolve.Graph
	nested    map[*cfg.Node]usage   // of child runs, by the node that starts them
	uses      map[*spec.Graph]usage // of runs of other graphs, computed once
	prices    *Prices
	enclosing map[*spec.Graph]bool // the graphs whose runs contain runs of this one
}

// modelCalls returns the model calls of a run: turns of nodes with their repairs and retries, summaries,
// judgements of guards, evals and edges, picks of pools, and the calls of child runs.
func (w *costEstimator) modelCalls() cost {
	c := w.cost(w.from.Spec.Limits.MaxModelCalls)
	for _, n := range w.graph.Running {
		i := n.Index
		short := summariesOf(n)
		c.Visit[i] = times(executions(n), asks(n.Spec)) + gatesBefore(n) + short.shown + short.before
		c.sure[i] = c.Visit[i] - short.shown // a tool loop is shown its values once, and values may be short
		if run, ok := w.nested[n]; ok {
			c.Visit[i], c.sure[i] = times(executions(n), run.calls.Most), times(executions(n), run.calls.Reached)
			c.runs = c.runs || run.calls.ByAnswers
		}
		c.Finish[i] = w.judges(n) + times(executions(n), gates(n.Spec)) - gatesBefore(n) + short.finish
		if n.Spec.Kind.Picks() {
			c.Pick[i] = callsOfPick
		}
		if n.Region != nil && len(n.JudgedEdges()) > 0 {
			c.Judge[i] = 1
		}
	}
	c.added = w.worstAdded(w.addedCalls)
	return c
}

// judges returns how often a model judges the output of a node. Edges of a region have a cost of their own.
func (w *costEstimator) judges(n *cfg.Node) int {
	asked := judged(n.Spec)
	if n.Region == nil && slices.ContainsFunc(n.Tests, func(t *cfg.Transition) bool { return t.Cond.Kind == cfg.Judged }) {
		asked++
	}
	return asked
}

// judged returns how many evals of a node have a judge.
func judged(n *resolve.Node) int {
	asked := 0
	for _, e := range n.Spec.Evals {
		if e.Judge.IsSet() {
			asked++
		}
	}
	return asked
}

// toolTurns returns how often models call tools in a run, one or several in a turn. max_tool_calls
// bounds the turns only if each of them makes a call. It does not if calls are deferred, or if pure
// tools answer from an earlier call.
func (w *costEstimator) toolTurns() (c cost, loose bool) {
	c = w.cost(lower(w.from.Spec.Limits.MaxModelCalls, w.from.Spec.Limits.MaxToolCalls))
	for _, n := range w.graph.Running {
		i := n.Index
		if run, ok := w.nested[n]; ok {
			c.Visit[i], c.sure[i] = times(executions(n), run.turns.Most), times(executions(n), run.turns.Reached)
			c.runs = c.runs || run.turns.ByAnswers
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
			return times(w.addedRun(n).turns.Most, cfg.Executions(n))
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
	return cost{CostModel: explore.NewCostModel(w.graph), sure: make([]int, len(w.graph.Nodes)), limit: limit.V}
}

// lower returns the lower of two limits, ignoring unset ones.
func lower(a, b spec.Value[int]) spec.Value[int] {
	if !a.IsSet() || b.IsSet() && b.V < a.V {
		return b
	}
	return a
}

// asks returns the model calls of one execution of a node: the request, and one for each repair.
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

// gates returns the model calls of one execution of a node for its guards.
func gates(n *resolve.Node) int {
	asked := 0
	for _, guard := range n.Guards {
		if guard.Judged() {
			asked++
		}
	}
	return asked
}

// gatesBefore returns the model calls for guards that each visit may make.
func gatesBefore(n *cfg.Node) int { return times(answersBefore(n), gates(n.Spec)) }

// answersBefore returns how many executions of each visit may have an answer. If a turn of the node may call tools, its last execution does not
// count: one that calls tools asks no guard.
func answersBefore(n *cfg.Node) int {
	if n.Spec.Loops || len(n.On[cfg.CalledTools]) > 0 {
		return executions(n) - 1
	}
	return executions(n)
}

// summaries are the calls of the smaller model that make texts of a visit short.
type summaries struct {
	shown          int // of values that the node is shown
	before, finish int // of answers: that each visit may make, and more of one that ends otherwise than by calling tools
}

func summariesOf(n *cfg.Node) summaries {
	shown, answer := n.Spec.Summaries()
	return summaries{times(executions(n), shown), times(answersBefore(n), answer), times(executions(n)-answersBefore(n), answer)}
}

// executions returns the most executions of a node in one visit.
func executions(n *cfg.Node) int {
	return cfg.Executions(n.Spec) + n.Spec.Spec.GuardRetries.V
}

// cost bounds the cost of a run, and builds a walk that attains it. The bound is the flow of
// highest cost, within the bounds of steps and visits.
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
	c.bound.ByAnswers = c.limit == 0 && (c.runs || b.rounds.costs())
	l, carried := newLongestFlow(&m.net, m.target(b.Graph.Entry), worth)
	flow, end := l.flow(m.target(b.Graph.Entry))
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

// upTo cuts the costs of regions at a limit.
func (w *weights) upTo(limit int) *weights {
	for i := range w.success {
		w.success[i], w.failure[i], w.spent[i] = min(w.success[i], limit), min(w.failure[i], limit), min(w.spent[i], limit)
	}
	return w
}

// most returns the cost that steps and visits allow, with the most expensive visits first. The
// picks of a pool are added to the visits of the picked nodes.
func (c *cost) most(b *Bounds) int {
	type share struct{ visits, each int }
	var shares []share
	for _, n := range b.Graph.Running {
		i := n.Index
		each := c.Visit[i] + max(c.Finish[i]+c.Judge[i], c.Called[i])
		if n.Composite() {
			each += times(cfg.Executions(n.Spec), c.Pick[i]) // the first pick, and one after every node
		}
		if n.Region != nil {
			each += c.Pick[n.Parent().Index]
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

// A walkCost adds up the cost of a walk. It counts only what is certain.
type walkCost struct {
	*costBound
	sum  int
	last int // the cost of the last visit if the walk ends with it
}

// arrive adds the cost of the walk if it ends with this visit.
func (s *walkCost) arrive(at *explore.State) {
	more := 0
	if n := at.Current; !skipped(at) {
		more = s.sure[n.Index] + max(s.finished(at, nil), s.calledAt(n))
	}
	s.setLast(more)
}

// addRegions adds the cost of the regions of the current node.
func (s *walkCost) addRegions(made, c *explore.PathCost, whole, own bool) {
	if whole && own && slices.Equal(s.sure, s.Visit) {
		s.sum += c.Amount
		return
	}
	made.Count(func(n *cfg.Node, visits int, passes bool) {
		if passes {
			return
		}
		s.sum = min(s.sum+times(visits, s.sure[n.Index]), explore.Unbounded)
	})
}

// setLast sets the cost of the last visit, and so the cost of the walk.
func (s *walkCost) setLast(more int) {
	s.reached, s.last = s.sum+more, more
	if s.limit > 0 {
		s.reached = min(s.reached, s.limit)
	}
}

// leave adds the cost of a visit that ends with a transition.
func (s *walkCost) leave(at *explore.State, by *cfg.Transition) {
	n := at.Current
	if skipped(at) {
		return
	}
	s.sum += s.sure[n.Index]
	if slices.Contains(n.On[cfg.CalledTools], by) {
		s.sum += s.Called[n.Index]
		return
	}
	s.sum += s.finished(at, by)
}

func (s *walkCost) calledAt(n *cfg.Node) int {
	if len(n.On[cfg.CalledTools]) == 0 {
		return 0
	}
	return s.Called[n.Index]
}

// skipped reports whether the current node may have been skipped.
func skipped(at *explore.State) bool { return at.Current.Skip && at.Failed&explore.Yes != 0 }

// finished returns the cost added by a visit that ends with a transition, or with any if by is nil.
// It counts no failure, and no judge that may not have been asked.
func (s *walkCost) finished(at *explore.State, by *cfg.Transition) int {
	n := at.Current
	first, transition, asked := -1, slices.Index(n.Tests, by), false
	for i, t := range n.Tests {
		if t.Cond.Kind == cfg.Judged {
			if first < 0 {
				first = i
			}
			asked = asked || at.Open(t)
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

// settles reports whether every success of the current node takes one of the tests.
func settles(at *explore.State, tests []*cfg.Transition) bool {
	closed := func(t *cfg.Transition) bool { return !at.Open(t) }
	return slices.ContainsFunc(tests, func(t *cfg.Transition) bool {
		choice := t.Closes()
		return t.Cond.Kind.Callless() && at.Open(t) || choice != nil && !t.Choice.Loose && !slices.ContainsFunc(choice, closed)
	})
}
