package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// What a walk does next depends on where it is, on whether the node before has failed, and on
// which ways, nodes and edges are used up. So a walk that comes back to a place, and has used
// nothing up since, goes the same round again, until something is used up. The rounds up to
// then are added at once.

// rounds looks for rounds in a walk: it remembers one place, and after a while another.
type rounds struct {
	at     *explore.Node
	failed explore.Failed
	leg    int // legs made before; -1: a round was added, and no other is looked for before something is used up
	turns  int
	sums   []int // what the walk had taken, by the tally
	steps  int
	within int // what missing said
	reach  int // how many legs a round may have
}

// shortWalk is how many legs a walk makes before rounds are looked for.
const shortWalk = 64

// goRound adds rounds to a walk that has come back to the remembered place.
func (j *journey) goRound(missing func(*explore.State) int) {
	r, s := &j.rounds, j.state
	legs := len(j.path)
	switch {
	case legs < shortWalk:
		return
	case r.at == nil || r.turns != j.turns:
		j.remember(missing, shortWalk)
		return
	case s.At == r.at && s.Failed == r.failed:
		if times := j.roundsLeft(missing); times > 1 {
			j.addRounds(times)
		}
		j.remember(missing, shortWalk)
	case legs-r.leg > r.reach:
		j.remember(missing, 2*r.reach)
	}
}

func (j *journey) remember(missing func(*explore.State) int, reach int) {
	sums := j.rounds.sums[:0]
	for i := range j.purse {
		sums = append(sums, j.purse[i].sum)
	}
	j.rounds = rounds{at: j.state.At, failed: j.state.Failed, leg: len(j.path), turns: j.turns, sums: sums, steps: j.state.Steps, within: missing(j.state), reach: reach}
}

// A round is what a walk uses in one. None of its legs is repeated: a place is remembered behind
// rounds that were added.
type round struct{ left, pairs, visits, followed map[int]int }

func (j *journey) round() round {
	r := round{map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}}
	first := j.rounds.leg
	for i, l := range j.path[first:] {
		by := j.moves[first+i].Way
		r.left[by.Index]++
		if l.Way != by {
			r.left[l.Way.Index]++
		}
		if by.Pair >= 0 {
			r.pairs[by.Pair]++
		}
		r.followed[l.Way.Index]++
		r.visits[l.Way.To.Index]++
		if in := j.path[first+i-1].Inside; in != nil { // that of the last leg is not made yet
			in.Count(func(n *explore.Node, times int) { r.visits[n.Index] += times })
		}
	}
	return r
}

// roundsLeft is how many rounds more use nothing up, and leave something to be done.
func (j *journey) roundsLeft(missing func(*explore.State) int) int {
	s, use := j.state, j.round()
	times := explore.Plenty
	within := func(room, each int) { // what is used up already stays so
		if each > 0 && room > 0 {
			times = min(times, (room-1)/each)
		}
	}
	for w, each := range use.left {
		within(j.left[w], each)
	}
	for p, each := range use.pairs {
		for _, most := range j.pairLimits(p) {
			within(most-s.Pairs[p], each)
		}
	}
	for n, each := range use.visits {
		if node := j.bounds.Graph.Nodes[n]; node.Host == nil {
			within(node.MaxVisits-s.Visits[n], each)
		}
	}
	times = min(times, (j.bounds.Graph.MaxSteps-s.Steps)/(s.Steps-j.rounds.steps))
	if now := missing(s); now < j.rounds.within {
		within(now, j.rounds.within-now)
	}
	return times
}

// addRounds goes the round so many times more.
func (j *journey) addRounds(times int) {
	s, r, use, b := j.state, &j.rounds, j.round(), j.bounds
	for w, each := range use.left {
		j.left[w] -= each * times
	}
	for p, each := range use.pairs {
		s.Pairs[p] += each * times
	}
	for n, each := range use.visits {
		s.Visits[n] += each * times
		j.note(&b.Visits[n], s.Visits[n])
	}
	for w, each := range use.followed {
		j.followed[w] += each * times
		j.note(&b.Follows[w], j.followed[w])
	}
	s.Steps += (s.Steps - r.steps) * times
	j.note(&b.Steps, s.Steps)
	for i := range j.purse {
		p := &j.purse[i]
		more := product(p.sum-r.sums[i], times)
		p.sum = min(p.sum+more, explore.Plenty)
		p.tell(p.more)
	}
	again := slices.Clone(j.path[r.leg:])
	again[len(again)-1].Inside = j.path[r.leg-1].Inside // the walk has not come to it in the last leg
	j.path = slices.Insert(j.path, r.leg, Leg{Again: again, Times: times})
	j.moves = slices.Insert(j.moves, r.leg, explore.Move{})
}

// pairLimits are the bounds of the edges of a pair.
func (t *tracer) pairLimits(pair int) []int {
	if t.limits == nil {
		t.limits = make([][]int, len(t.bounds.Graph.Bounds))
		for _, w := range t.bounds.Graph.Ways {
			if w.Pair >= 0 && w.Max > 0 {
				t.limits[w.Pair] = append(t.limits[w.Pair], w.Max)
			}
		}
	}
	return t.limits[pair]
}
