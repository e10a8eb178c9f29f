package bounds

import (
	"math/rand/v2"
	"slices"

	"github.com/graphgen/graphgen/spec/walk"
)

// longestTrace is how many steps of a walk are tried out.
const longestTrace = 100_000

// tries is how many walks are tried for a bound that the first does not reach.
const tries = 12

// mostSpent is how many steps are walked for all bounds of a graph together. Then bounds stay
// with what has been reached.
const mostSpent = 20_000_000

// A tracer walks, so as to reach bounds.
type tracer struct {
	bounds *Bounds
	model  *model
	spent  int // steps walked

	tallies []*tally
}

// A guide says how often a walk should follow each way, and where it should end.
type guide struct {
	flow []int       // by the way's index
	last []*walk.Way // by the node's index: its way on that the walk should follow last
	end  *walk.Node
}

// steps finds the most steps, and a walk that makes as many as it can.
func (t *tracer) steps() {
	b, m := t.bounds, t.model
	m.net.drain()
	for i := range m.visit {
		m.net.limit(m.visit[i], b.Visits[i].Most)
	}
	l, most := longestFrom(&m.net, m.target(b.Graph.Entry()), b.Graph.MaxSteps)
	b.Steps.Most = most
	carried, end := l.flow(m.target(b.Graph.Entry()))
	guide := t.guide(func(arc int) int { return carried[arc] }, end)
	enough := func(s *walk.State) bool { return s.Steps == most }
	t.reach(guide, &b.Steps, enough)
	m.net.drain()
	for i, n := range b.Graph.Nodes {
		m.net.limit(m.visit[i], n.MaxVisits)
	}
}

// visits walks so as to visit a node as often as it can.
func (t *tracer) visits(n int) {
	m := t.model
	have := &t.bounds.Visits[n]
	count := m.most(m.visiting(n), t.bounds.Graph.MaxSteps)
	own := m.visit[n]
	guide := t.guide(func(arc int) int {
		if arc == own {
			return count
		}
		return m.net.flow(arc)
	}, m.out[n])
	t.reach(guide, have, func(s *walk.State) bool { return s.Visits[n] >= have.Most })
}

// follows walks so as to follow a way as often as it can.
func (t *tracer) follows(w *walk.Way) {
	m := t.model
	have := &t.bounds.Follows[w.Index]
	if have.Most == 0 || m.taken[w.Index] < 0 {
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
	t.reach(guide, have, func(*walk.State) bool { return have.Exact() })
}

// reach walks until a bound is reached, or no more is tried.
func (t *tracer) reach(g *guide, have *Bound, enough func(*walk.State) bool) {
	for try := 0; try < tries && !have.Exact() && t.spent < mostSpent; try++ {
		t.walk(g, try, enough)
	}
}

// guide makes a guide of a flow that ends at a port.
func (t *tracer) guide(flow func(arc int) int, end int) *guide {
	m, graph := t.model, t.bounds.Graph
	g := &guide{flow: make([]int, len(graph.Ways)), last: make([]*walk.Way, len(graph.Nodes))}
	for i, arc := range m.taken {
		if arc >= 0 {
			g.flow[i] = flow(arc)
		}
	}
	for i, n := range graph.Nodes {
		if end == m.in[i] || end == m.begin[i] || end == m.out[i] || end == m.done[i] {
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
	into := make([][]*walk.Way, len(graph.Nodes)) // ways that lead on, by where they lead to
	var todo []*walk.Node
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
func (t *tracer) sources(w *walk.Way) []*walk.Node {
	if w.From != nil {
		return []*walk.Node{w.From}
	}
	var out []*walk.Node
	for _, n := range t.bounds.Graph.Nodes {
		if w == t.bounds.Graph.OnError && t.bounds.Graph.LastResort(n) == w {
			out = append(out, n)
		}
	}
	return out
}

// walk walks as the guide says, and on for as long as it can. It notes the most that was
// reached of everything.
func (t *tracer) walk(g *guide, try int, enough func(*walk.State) bool) {
	b := t.bounds
	s := b.Graph.Start()
	r := rand.New(rand.NewPCG(uint64(try), 1))
	left := slices.Clone(g.flow)
	followed := make([]int, len(b.Graph.Ways))
	var path []*walk.Way
	var better []*Bound
	note := func(have *Bound, reached int) {
		if reached > have.Reached {
			have.Reached = reached
			better = append(better, have)
		}
	}
	purse := make([]spending, len(t.tallies))
	for i, c := range t.tallies {
		purse[i].tally = c
	}
	next, after := b.Graph.Entry(), walk.No
	for next != nil && len(path) < longestTrace {
		left[next.Index]--
		for i := range purse {
			if s.At != nil {
				purse[i].leave(s, next)
			}
		}
		w := s.Take(next, after).Way
		if w == nil {
			break
		}
		if w != next {
			left[w.Index]--
		}
		path = append(path, w)
		followed[w.Index]++
		note(&b.Follows[w.Index], followed[w.Index])
		if s.At == nil {
			for i := range purse {
				purse[i].tell(0)
			}
			break
		}
		note(&b.Visits[s.At.Index], s.Visits[s.At.Index])
		note(&b.Steps, s.Steps)
		for i := range purse {
			purse[i].arrive(s)
		}
		if enough(s) {
			break
		}
		next, after = t.choose(g, s, left, try, r)
	}
	for i := range purse {
		note(purse[i].have, purse[i].now)
	}
	t.spent += len(path)
	for _, have := range better {
		have.Path = path
	}
}

// choose returns the way on that the guide wants next: one that should still be followed,
// the last one only after the others, and when there is none any other. In later tries the
// order is left to chance.
func (t *tracer) choose(g *guide, s *walk.State, left []int, try int, r *rand.Rand) (*walk.Way, walk.Failed) {
	var best *walk.Way
	bestRank := 0
	var after walk.Failed
	for _, move := range s.Moves() {
		w := move.Way
		switch {
		case w == nil || move.Doubtful:
			continue
		case w == best:
			after |= move.After
			continue
		}
		rank := 4
		switch {
		case left[w.Index] > 0 && g.last[s.At.Index] != w:
			rank = 1
		case left[w.Index] > 0:
			rank = 2
		case w.To == nil:
			rank = 6
		case s.Visits[w.To.Index] >= w.To.MaxVisits:
			rank = 5
		}
		if best == nil || rank < bestRank || rank == bestRank && try > 0 && r.IntN(2) == 0 {
			best, bestRank, after = w, rank, move.After
		}
	}
	return best, after
}
