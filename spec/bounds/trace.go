package bounds

import (
	"math/rand/v2"
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// longestTrace is how many legs a walk is tried out for, of which those that are repeated count
// once.
const longestTrace = 100_000

// tries is how many walks are tried for a bound that the first does not reach.
const tries = 12

// mostSpent is how many steps are walked for all bounds of a graph together. Then bounds stay
// with what has been reached. What a walk needs before its first step counts, too.
const mostSpent = 500_000

// mostTests is how many tests a node has whose ways on are looked at in the time of a step.
const mostTests = 64

// mostGuided bounds the search for the flows that guide walks, in arcs that are looked at.
const mostGuided = 10_000_000

// A tracer walks, so as to reach bounds.
type tracer struct {
	bounds *Bounds
	model  *model
	spent  int // steps walked

	tallies []*tally
	limits  [][]int // of the edges of each pair, by the pair's number; nil: not needed yet
}

// A guide says how often a walk should follow each way, and where it should end.
type guide struct {
	flow []int          // by the way's index
	last []*explore.Way // by the node's index: its way on that the walk should follow last
	end  *explore.Node

	inside func(n *explore.Node) explore.Outcomes // what visits of composite nodes are to take
	greedy func(n *explore.Node) bool             // most of that, else the least
	tally  *tally                                 // whose measure that is; nil: none's
	known  map[*explore.Node]explore.Outcomes
}

// outcomes are what a visit of a composite node may make.
func (g *guide) outcomes(n *explore.Node) explore.Outcomes {
	o, ok := g.known[n]
	if !ok {
		o = g.inside(n)
		g.known[n] = o
	}
	return o
}

// courses are what a visit of a composite node may make that comes to such an outcome.
func (g *guide) courses(n *explore.Node, how explore.Outcome) explore.Courses {
	o := g.outcomes(n)
	switch {
	case how == explore.Skipped:
		return explore.Idle
	case how == explore.Succeeds:
		return o.Success
	case how == explore.Fails && n.Soft:
		return o.Any()
	case how == explore.Fails && !o.Failure.Can() && n.FailsLate():
		return o.Success
	}
	return o.Failure
}

// course is the one of them that the walk takes; nil: there is none.
func (g *guide) course(n *explore.Node, how explore.Outcome) *explore.Course {
	return g.pick(n, g.courses(n, how))
}

func (g *guide) pick(n *explore.Node, c explore.Courses) *explore.Course {
	if g.greedy(n) {
		return c.Most
	}
	return c.Least
}

// steps finds the most steps, and a walk that makes as many as it can.
func (t *tracer) steps() {
	b, m := t.bounds, t.model
	m.net.drain()
	m.confine(func(n int) int { return b.Visits[n].Most })
	measure := b.Graph.StepMeasure()
	m.price(weigh(b.Graph, measure, most).upTo(b.Graph.MaxSteps))
	l, steps := longestFrom(&m.net, m.target(b.Graph.Entry()), b.Graph.MaxSteps)
	carried, end := l.flow(m.target(b.Graph.Entry()))
	m.net.drain()
	m.free()
	m.price(shortest(b.Graph))
	if b.Steps.Most = steps; b.Mutable {
		b.Steps.Most = b.Graph.MaxSteps
	}
	guide := t.guide(func(arc int) int { return carried[arc] }, end)
	guide.inside, guide.greedy = measure.Within, everywhere
	t.reach(guide, &b.Steps, func(s *explore.State) int { return steps - s.Steps })
}

// setUp is how many nodes and ways are set up in the time of a step.
const setUp = 8

// tired reports whether no more walks are made.
func (t *tracer) tired() bool { return t.spent >= mostSpent || t.model.net.effort.over() }

// visits walks so as to visit a node as often as it can.
func (t *tracer) visits(n int) {
	if t.tired() {
		return
	}
	m := t.model
	have := &t.bounds.Visits[n]
	node := t.bounds.Graph.Nodes[n]
	host := node.Outermost().Index
	count := m.most(m.visiting(host), t.bounds.Graph.MaxSteps)
	own := m.visit[host]
	guide := t.guide(func(arc int) int {
		if arc == own {
			return count
		}
		return m.net.flow(arc)
	}, m.out[host])
	if host != n {
		t.spent += m.size(t.bounds.Graph.Nodes[host])
		seeking, steps := t.seeking(node), t.bounds.Graph.StepMeasure()
		guide.greedy = func(at *explore.Node) bool { return at.Index == host }
		guide.inside = func(at *explore.Node) explore.Outcomes {
			if guide.greedy(at) {
				return seeking.Within(at)
			}
			return steps.Within(at)
		}
	}
	t.reach(guide, have, func(s *explore.State) int { return have.Most - s.Visits[n] })
}

// seeking is a measure whose most is the most visits of a node, in the fewest steps.
func (t *tracer) seeking(n *explore.Node) *explore.Measure {
	const worth = 1000 // steps
	m := t.bounds.Graph.NewMeasure()
	for i := range m.Visit {
		m.Visit[i] = -1
	}
	m.Visit[n.Index] += worth
	return m
}

func everywhere(*explore.Node) bool { return true }
func nowhere(*explore.Node) bool    { return false }

// follows walks so as to follow a way as often as it can.
func (t *tracer) follows(w *explore.Way) {
	m := t.model
	have := &t.bounds.Follows[w.Index]
	if t.tired() || have.Most == 0 || m.taken[w.Index] < 0 {
		return
	}
	goal := m.following(w)
	count := m.most(goal, t.bounds.Graph.MaxSteps)
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

// reach walks until a bound is reached, or no more is tried.
// Missing says how much more the walk has to do.
func (t *tracer) reach(g *guide, have *Bound, missing func(*explore.State) int) {
	for try := 0; try < tries && !have.Exact() && t.spent < mostSpent; try++ {
		t.walk(g, try, missing)
	}
}

// guide makes a guide of a flow that ends at a port.
func (t *tracer) guide(flow func(arc int) int, end int) *guide {
	m, graph := t.model, t.bounds.Graph
	t.spent += (len(graph.Nodes) + len(graph.Ways)) / setUp
	g := &guide{
		flow: make([]int, len(graph.Ways)), last: make([]*explore.Way, len(graph.Nodes)),
		inside: graph.StepMeasure().Within, greedy: nowhere, known: map[*explore.Node]explore.Outcomes{},
	}
	for i, arc := range m.taken {
		if arc >= 0 {
			g.flow[i] = flow(arc)
		}
	}
	for i, n := range graph.Nodes {
		if end == m.in[i] || end == m.begin[i] || end == m.out[i] || end == m.done[i] || end == m.fails[i] {
			g.end = n
		}
	}
	t.lastWays(g)
	return g
}

// lastWays chooses, for every node, the way on that leads towards the end of the walk: a walk
// that keeps it for last does not leave before it has done the rest.
func (t *tracer) lastWays(g *guide) {
	graph := t.bounds.Graph
	into := make([][]*explore.Way, len(graph.Nodes)) // ways that lead on, by where they lead to
	var todo []*explore.Node
	done := make([]bool, len(graph.Nodes))
	for _, w := range graph.Ways {
		switch {
		case g.flow[w.Index] == 0:
		case w.To != nil:
			into[w.To.Index] = append(into[w.To.Index], w)
		case g.end == nil && w.From != nil && !done[w.From.Index]:
			g.last[w.From.Index], done[w.From.Index] = w, true
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
					g.last[from.Index] = w
					todo = append(todo, from)
				}
			}
		}
	}
}

// sources are the nodes that a way leads on from.
func (t *tracer) sources(w *explore.Way) []*explore.Node {
	if w.From != nil {
		return []*explore.Node{w.From}
	}
	var out []*explore.Node
	for _, n := range t.bounds.Graph.Nodes {
		if w == t.bounds.Graph.OnError && t.bounds.Graph.LastResort(n) == w {
			out = append(out, n)
		}
	}
	return out
}

// A journey is a walk that is being made.
type journey struct {
	*tracer
	*guide
	state    *explore.State
	path     Path
	left     []int // follows that the guide still wants, by the way's index
	followed []int // by the way's index
	purse    []spending
	better   []*Bound       // that it has improved
	moves    []explore.Move // by which the legs of the path were come to
	turns    int            // how often a way, a node or an edge was used up, so that others are chosen
	rounds   rounds
}

func (j *journey) note(have *Bound, reached int) {
	if reached > have.Reached {
		have.Reached = reached
		j.better = append(j.better, have)
	}
}

// walk walks as the guide says, and on for as long as it can. It notes the most that was
// reached of everything.
func (t *tracer) walk(g *guide, try int, missing func(*explore.State) int) {
	b := t.bounds
	j := &journey{
		tracer: t, guide: g, state: b.Graph.Start(), left: slices.Clone(g.flow),
		followed: make([]int, len(b.Graph.Ways)), purse: make([]spending, len(t.tallies)),
	}
	t.spent += (len(b.Graph.Nodes) + len(b.Graph.Ways)) / setUp
	for i, c := range t.tallies {
		j.purse[i].tally = c
	}
	r := rand.New(rand.NewPCG(uint64(try), 1))
	move := explore.Move{Way: b.Graph.Entry(), After: explore.No}
	tested := 0 // in the time of so many steps
	for len(j.path) < longestTrace && tested < mostSpent {
		if at := j.state.At; at != nil {
			tested += len(at.Tests) / mostTests
		}
		if j.state.At != nil && j.state.At.Inside != nil && !j.within(move) || move.Way == nil {
			break
		}
		if !j.take(move) || missing(j.state) <= 0 {
			break
		}
		if try == 0 { // later tries are left to chance
			j.goRound(missing)
		}
		move = t.choose(g, j.state, j.left, try, r)
	}
	for i := range j.purse {
		j.note(j.purse[i].have, j.purse[i].now)
	}
	t.spent += len(j.path) + tested
	for _, have := range j.better {
		have.Path = j.path
	}
}

// take follows a way to the next visit. It reports false where the run is over.
func (j *journey) take(move explore.Move) bool {
	s, b := j.state, j.bounds
	for i := range j.purse {
		if s.At != nil {
			j.purse[i].leave(s, move.Way)
		}
	}
	j.used(move.Way)
	w := s.Take(move.Way, move.After).Way
	if w == nil {
		return false
	}
	if w != move.Way {
		j.used(w)
	}
	if p := move.Way.Pair; p >= 0 && slices.Contains(j.pairLimits(p), s.Pairs[p]) {
		j.turns++
	}
	j.path, j.moves = append(j.path, Leg{Way: w}), append(j.moves, move)
	j.followed[w.Index]++
	j.note(&b.Follows[w.Index], j.followed[w.Index])
	for i := range j.purse {
		if s.At == nil {
			j.purse[i].tell(0)
		} else {
			j.purse[i].arrive(s)
		}
	}
	if s.At == nil {
		return false
	}
	if s.Visits[s.At.Index] == s.At.MaxVisits {
		j.turns++
	}
	j.note(&b.Visits[s.At.Index], s.Visits[s.At.Index])
	j.note(&b.Steps, s.Steps)
	return true
}

// used counts a follow of a way that the guide wants.
func (j *journey) used(w *explore.Way) {
	if j.left[w.Index]--; j.left[w.Index] == 0 {
		j.turns++
	}
}

// within makes the visits that the visited node makes of others. It reports whether there were
// enough steps for all.
func (j *journey) within(move explore.Move) bool {
	s, b := j.state, j.bounds
	course := j.course(s.At, move.How)
	if move.Way == nil && move.How != explore.Skipped {
		course = j.pick(s.At, j.outcomes(s.At).Any()) // the run is over, whatever comes of it
	}
	if course == nil {
		return false
	}
	made, all := s.Within(course)
	j.path[len(j.path)-1].Inside = made
	for i := range j.purse {
		p := &j.purse[i]
		p.within(made, course, all, j.tally == p.tally)
		p.arrive(s)
	}
	made.Count(func(n *explore.Node, _ int) {
		j.note(&b.Visits[n.Index], s.Visits[n.Index])
		j.spent++
	})
	j.note(&b.Steps, s.Steps)
	return all
}

// choose returns the way on that the guide wants next: one that should still be followed,
// the last one only after the others, and when there is none any other. In later tries the
// order is left to chance. Where no way leads on, it says how the run ends.
func (t *tracer) choose(g *guide, s *explore.State, left []int, try int, r *rand.Rand) explore.Move {
	var best explore.Move
	bestRank := 0
	for _, move := range s.Moves() {
		w := move.Way
		if move.Doubtful || s.At.Inside != nil && !g.courses(s.At, move.How).Can() {
			continue
		}
		if bestRank > 0 && w == best.Way {
			best.After |= move.After
			if s.At.Inside != nil && g.better(s.At, move.How, best.How) {
				best.How = move.How
			}
			continue
		}
		rank := 4
		switch {
		case w == nil:
			rank = 7
		case left[w.Index] > 0 && g.last[s.At.Index] != w:
			rank = 1
		case left[w.Index] > 0:
			rank = 2
		case w.To == nil:
			rank = 6
		case s.Visits[w.To.Index] >= w.To.MaxVisits:
			rank = 5
		}
		if bestRank == 0 || rank < bestRank || rank == bestRank && try > 0 && r.IntN(2) == 0 {
			best, bestRank = move, rank
		}
	}
	return best
}

// better reports whether an outcome of a composite node suits the walk more than another.
func (g *guide) better(n *explore.Node, how, than explore.Outcome) bool {
	a, b := g.course(n, how), g.course(n, than)
	if g.greedy(n) {
		return a.Amount > b.Amount
	}
	return a.Amount < b.Amount
}
