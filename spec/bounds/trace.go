package bounds

import (
	"math/rand/v2"
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// maxPathLength bounds the segments of a walk. Repeated segments count once.
const maxPathLength = 100_000

// maxAttempts bounds the walks for one bound.
const maxAttempts = 12

// maxWalkedSteps bounds the steps of all walks of a graph, including the setup of each walk.
const maxWalkedSteps = 500_000

// testsPerStep is the number of tests that cost as much as a step.
const testsPerStep = 64

// maxGuideWork bounds the search for the flows that guide walks, in arcs.
const maxGuideWork = 10_000_000

// A tracer builds walks that attain bounds.
type tracer struct {
	bounds *Bounds
	model  *model
	walked int // steps of all walks

	costs  []*costBound
	limits [][]int // bounds of the edges of each counter; nil: not computed
}

// A guide sets how often a walk is to follow each transition, and where it is to end.
type guide struct {
	flow           []int             // by the transition's index
	lastTransition []*cfg.Transition // by the node's index: the transition to follow after all others
	end            *cfg.Node

	costsOf func(n *cfg.Node) explore.OutcomeCosts // costs of composite nodes
	greedy  func(n *cfg.Node) bool                 // take the most expensive path of a composite node, not the cheapest
	tally   *costBound                             // the cost that costsOf counts; nil: none
	known   map[*cfg.Node]explore.OutcomeCosts
}

// outcomes returns the costs of a composite node.
func (g *guide) outcomes(n *cfg.Node) explore.OutcomeCosts {
	o, ok := g.known[n]
	if !ok {
		o = g.costsOf(n)
		g.known[n] = o
	}
	return o
}

// rangeOf returns the cost range of an outcome of a composite node.
func (g *guide) rangeOf(n *cfg.Node, how cfg.Outcome) explore.CostRange {
	o := g.outcomes(n)
	switch {
	case how == cfg.Skipped || how == cfg.Denied || how == cfg.Late:
		return explore.NoCost
	case how == cfg.Succeeded:
		return o.Success
	case how == cfg.Spent && len(n.JudgedEdges()) > 0:
		return explore.Any(explore.OutcomeCosts{Success: o.Success, Failure: o.Spent})
	case how == cfg.Spent:
		return o.Spent
	case how == cfg.Failed && n.Soft:
		return explore.Any(o)
	case how == cfg.Failed && !o.Failure.Possible() && n.FailsLate():
		return o.Success
	}
	return o.Failure
}

// pathCost returns the path that the walk takes; nil without one.
func (g *guide) pathCost(n *cfg.Node, how cfg.Outcome) *explore.PathCost {
	return g.endOf(n, g.rangeOf(n, how))
}

func (g *guide) endOf(n *cfg.Node, c explore.CostRange) *explore.PathCost {
	if g.greedy(n) {
		return c.Max
	}
	return c.Min
}

// steps bounds the steps, and builds a walk that attains the bound.
func (t *tracer) steps() {
	b, m := t.bounds, t.model
	m.net.drain()
	m.limitVisits(func(n int) int { return b.Visits[n].Most })
	measure := explore.StepCostModel(b.Graph)
	m.setCosts(newWeights(b.Graph, measure, maxOf).upTo(b.Graph.MaxSteps()))
	l, steps := newLongestFlow(&m.net, m.target(b.Graph.Entry), b.Graph.MaxSteps())
	carried, end := l.flow(m.target(b.Graph.Entry))
	m.net.drain()
	m.resetVisits()
	m.setCosts(fewestSteps(b.Graph))
	if b.Steps.Most = steps; b.Mutable {
		b.Steps.Most = b.Graph.MaxSteps()
	}
	guide := t.guide(func(arc int) int { return carried[arc] }, end)
	guide.costsOf, guide.greedy = measure.Regions, always
	t.reach(guide, &b.Steps, func(s *explore.State) int { return steps - s.Steps })
}

// setupPerStep is the number of nodes and transitions whose setup costs as much as a step.
const setupPerStep = 8

// exhausted reports whether the budget for walks is used up.
func (t *tracer) exhausted() bool { return t.walked >= maxWalkedSteps || t.model.net.effort.over() }

// visits builds a walk that visits a node as often as possible.
func (t *tracer) visits(n int) {
	if t.exhausted() {
		return
	}
	m := t.model
	have := &t.bounds.Visits[n]
	node := t.bounds.Graph.Nodes[n]
	composite := node.Root().Index
	goal := m.visiting(composite)
	if composite != n {
		goal = m.regions(composite)
	}
	count := m.most(goal, t.bounds.Graph.MaxSteps())
	guide := t.guide(func(arc int) int {
		if arc == goal.arc {
			return count
		}
		return m.net.flow(arc)
	}, goal.to)
	if composite != n {
		t.walked += m.size(t.bounds.Graph.Nodes[composite])
		seeking, steps := t.seekVisits(node), explore.StepCostModel(t.bounds.Graph)
		guide.greedy = func(at *cfg.Node) bool { return at.Index == composite }
		guide.costsOf = func(at *cfg.Node) explore.OutcomeCosts {
			if guide.greedy(at) {
				return seeking.Regions(at)
			}
			return steps.Regions(at)
		}
	}
	t.reach(guide, have, func(s *explore.State) int { return have.Most - s.Visits[n] })
}

// seekVisits returns a cost model whose maximum is the most visits of a node in the fewest steps.
func (t *tracer) seekVisits(n *cfg.Node) *explore.CostModel {
	const worth = 1000 // in steps
	m := explore.NewCostModel(t.bounds.Graph)
	for i := range m.Visit {
		m.Visit[i], m.Pass[i] = -1, -1
	}
	m.Visit[n.Index], m.Pass[n.Index] = worth-1, worth-1
	return m
}

func always(*cfg.Node) bool { return true }
func never(*cfg.Node) bool  { return false }

// follows builds a walk that follows a transition as often as possible.
func (t *tracer) follows(w *cfg.Transition) {
	m := t.model
	have := &t.bounds.Follows[w.Index]
	if t.exhausted() || have.Most == 0 || m.arcOf[w.Index] < 0 {
		return
	}
	goal := m.following(w)
	count := m.most(goal, t.bounds.Graph.MaxSteps())
	end := m.end
	if w.To != nil {
		end = m.out[w.To.Index]
	}
	guide := t.guide(func(arc int) int {
		if arc == goal.arc {
			return count
		}
		return m.net.flow(arc)
	}, end)
	t.reach(guide, have, func(*explore.State) int { return have.Most - have.Reached })
}

// reach builds walks until one attains the bound or the attempts are used up. missing returns how
// much the walk lacks.
func (t *tracer) reach(g *guide, have *Bound, missing func(*explore.State) int) {
	for try := 0; try < maxAttempts && !have.Exact() && t.walked < maxWalkedSteps; try++ {
		t.walk(g, try, missing)
	}
}

// guide returns a guide for a flow that ends at a port.
func (t *tracer) guide(flow func(arc int) int, end int) *guide {
	m, graph := t.model, t.bounds.Graph
	t.walked += (len(graph.Running) + len(graph.Taken)) / setupPerStep
	g := &guide{
		flow: make([]int, len(graph.Transitions)), lastTransition: make([]*cfg.Transition, len(graph.Nodes)),
		costsOf: explore.StepCostModel(graph).Regions, greedy: never, known: map[*cfg.Node]explore.OutcomeCosts{},
	}
	for i, arc := range m.arcOf {
		if arc >= 0 {
			g.flow[i] = flow(arc)
		}
	}
	for _, n := range graph.Running {
		i := n.Index
		if end == m.in[i] || end == m.begin[i] || end == m.out[i] || end == m.done[i] || end == m.fails[i] ||
			end == m.runs[i] && m.runs[i] >= 0 || end == m.spends[i] && m.spends[i] >= 0 {
			g.end = n
		}
	}
	t.lastTransitions(g)
	return g
}

// lastTransitions sets, for every node, the transition towards the end of the walk. The walk keeps
// it for last, so that it does not leave before it has done the rest.
func (t *tracer) lastTransitions(g *guide) {
	graph := t.bounds.Graph
	into := make([][]*cfg.Transition, len(graph.Nodes)) // by target
	var todo []*cfg.Node
	done := make([]bool, len(graph.Nodes))
	for _, w := range graph.Taken {
		switch {
		case g.flow[w.Index] == 0:
		case w.To != nil:
			into[w.To.Index] = append(into[w.To.Index], w)
		case g.end == nil && w.From != nil && !done[w.From.Index]:
			g.lastTransition[w.From.Index], done[w.From.Index] = w, true
			todo = append(todo, w.From)
		}
	}
	if g.end != nil {
		done[g.end.Index] = true
		todo = append(todo, g.end)
	}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		for i := len(into[n.Index]) - 1; i >= 0; i-- {
			w := into[n.Index][i]
			for _, from := range t.sources(w) {
				if !done[from.Index] {
					done[from.Index] = true
					g.lastTransition[from.Index] = w
					todo = append(todo, from)
				}
			}
		}
	}
}

// sources returns the nodes that a transition leaves.
func (t *tracer) sources(w *cfg.Transition) []*cfg.Node {
	if w.From != nil {
		return []*cfg.Node{w.From}
	}
	var out []*cfg.Node
	for _, n := range t.bounds.Graph.Running {
		if w == t.bounds.Graph.OnError && n.LastResort() == w {
			out = append(out, n)
		}
	}
	return out
}

// A walkBuilder builds a walk.
type walkBuilder struct {
	*tracer
	*guide
	state       *explore.State
	path        Path
	wanted      []int // follows that the guide still wants, by the transition's index
	followed    []int // by the transition's index
	costs       []walkCost
	improved    []*Bound       // bounds that the walk has improved
	exits       []explore.Exit // the exits of the segments
	changes     int            // how often something was used up, so that other exits are chosen
	repetitions repetitionSearch
}

func (j *walkBuilder) record(have *Bound, reached int) {
	if reached > have.Reached {
		have.Reached = reached
		j.improved = append(j.improved, have)
	}
}

// walk builds a walk along a guide, and continues it for as long as possible. It records what the
// walk attains of every bound.
func (t *tracer) walk(g *guide, try int, missing func(*explore.State) int) {
	b := t.bounds
	j := &walkBuilder{
		tracer: t, guide: g, state: explore.Start(b.Graph), wanted: slices.Clone(g.flow),
		followed: make([]int, len(b.Graph.Transitions)), costs: make([]walkCost, len(t.costs)),
	}
	t.walked += (len(b.Graph.Running) + len(b.Graph.Taken)) / setupPerStep
	for i, c := range t.costs {
		j.costs[i].costBound = c
	}
	r := rand.New(rand.NewPCG(uint64(try), 1))
	exit := explore.Exit{Transition: b.Graph.Entry, After: explore.No}
	tested := 0 // in steps
	for len(j.path) < maxPathLength && tested < maxWalkedSteps {
		if at := j.state.Current; at != nil {
			tested += len(at.Tests) / testsPerStep
		}
		if j.state.Current != nil && j.state.Current.Composite() && !j.addRegions(exit) || exit.Transition == nil {
			break
		}
		if !j.take(exit) || missing(j.state) <= 0 {
			break
		}
		if try == 0 { // later attempts are random
			j.addRepetitions(missing)
		}
		exit = t.choose(g, j.state, j.wanted, try, r)
	}
	for i := range j.costs {
		j.record(j.costs[i].bound, j.costs[i].reached)
	}
	t.walked += len(j.path) + tested
	for _, have := range j.improved {
		have.Path = j.path
	}
}

// take takes a transition to the next visit. It returns false at the end of the run.
func (j *walkBuilder) take(exit explore.Exit) bool {
	s, b := j.state, j.bounds
	for i := range j.costs {
		if s.Current != nil {
			j.costs[i].leave(s, exit.Transition)
		}
	}
	j.countFollow(exit.Transition)
	w := s.Take(exit.Transition, exit.After).Transition
	if w == nil {
		return false
	}
	if w != exit.Transition {
		j.countFollow(w)
	}
	if p := exit.Transition.Counter; p != nil && slices.Contains(j.counterLimits(p.Index), s.Counts[p.Index]) {
		j.changes++
	}
	j.path, j.exits = append(j.path, Segment{Transition: w}), append(j.exits, exit)
	j.followed[w.Index]++
	j.record(&b.Follows[w.Index], j.followed[w.Index])
	for i := range j.costs {
		if s.Current == nil {
			j.costs[i].setLast(0)
		} else {
			j.costs[i].arrive(s)
		}
	}
	if s.Current == nil {
		return false
	}
	if s.Visits[s.Current.Index] == s.Current.MaxVisits {
		j.changes++
	}
	j.record(&b.Visits[s.Current.Index], s.Visits[s.Current.Index])
	j.record(&b.Steps, s.Steps)
	return true
}

// countFollow counts a follow of a transition.
func (j *walkBuilder) countFollow(w *cfg.Transition) {
	if j.wanted[w.Index]--; j.wanted[w.Index] == 0 {
		j.changes++
	}
}

// addRegions adds the visits of the regions of the current node. It reports whether there were
// enough steps for all.
func (j *walkBuilder) addRegions(exit explore.Exit) bool {
	s, b := j.state, j.bounds
	path := j.pathCost(s.Current, exit.Outcome)
	if exit.Transition == nil && exit.Outcome != cfg.Skipped {
		path = j.endOf(s.Current, explore.Any(j.outcomes(s.Current))) // the run is over, with any outcome
	}
	if path == nil {
		return false
	}
	made, all := s.AddPath(path)
	j.path[len(j.path)-1].Regions = made
	for i := range j.costs {
		p := &j.costs[i]
		p.addRegions(made, path, all, j.tally == p.costBound)
		p.arrive(s)
	}
	made.Count(func(n *cfg.Node, _ int, _ bool) {
		j.record(&b.Visits[n.Index], s.Visits[n.Index])
		j.walked++
	})
	j.record(&b.Steps, s.Steps)
	return all
}

// choose returns the exit that the guide prefers: a transition that is still wanted, the last one
// after the others, and then any other. Later attempts choose among equals at random. An exit
// without a transition ends the run.
func (t *tracer) choose(g *guide, s *explore.State, left []int, try int, r *rand.Rand) explore.Exit {
	var best explore.Exit
	bestRank := 0
	for _, exit := range s.Exits() {
		w := exit.Transition
		if exit.Doubtful || s.Current.Composite() && !g.rangeOf(s.Current, exit.Outcome).Possible() {
			continue
		}
		if bestRank > 0 && w == best.Transition {
			best.After |= exit.After
			if s.Current.Composite() && g.better(s.Current, exit.Outcome, best.Outcome) {
				best.Outcome = exit.Outcome
			}
			continue
		}
		rank := 4
		switch {
		case w == nil:
			rank = 7
		case left[w.Index] > 0 && g.lastTransition[s.Current.Index] != w:
			rank = 1
		case left[w.Index] > 0:
			rank = 2
		case exit.Outcome == cfg.Spent && g.cutsShort(s.Current):
			rank = 7
		case w.To == nil:
			rank = 6
		case s.Visits[w.To.Index] >= w.To.MaxVisits:
			rank = 5
		}
		if bestRank == 0 || rank < bestRank || rank == bestRank && try > 0 && r.IntN(2) == 0 {
			best, bestRank = exit, rank
		}
	}
	return best
}

// cutsShort reports whether a spent budget ends a composite node earlier than the walk would like.
func (g *guide) cutsShort(n *cfg.Node) bool {
	return n.Composite() && g.greedy(n) && g.rangeOf(n, cfg.Succeeded).Possible() && g.better(n, cfg.Succeeded, cfg.Spent)
}

// better reports whether an outcome of a composite node suits the walk better than another.
func (g *guide) better(n *cfg.Node, how, than cfg.Outcome) bool {
	a, b := g.pathCost(n, how), g.pathCost(n, than)
	if g.greedy(n) {
		return a.Amount > b.Amount
	}
	return a.Amount < b.Amount
}
