package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// What a walk does next depends on where it is, on whether the node before has failed, and on
// which ways, nodes and edges are used up. So a walk that comes back to a place, and has used
// nothing up since, goes the same round again, until something is used up. The rounds up to
// then are added at once.

// repetitionSearch looks for rounds in a walk: it remembers one place, and after a while another.
type repetitionSearch struct {
	node      *explore.Node
	failed    explore.Failed
	segment   int // legs made before; -1: a round was added, and no other is looked for before something is used up
	changes   int
	sums      []int // what the walk had taken, by the tally
	steps     int
	missing   int // what missing said
	maxLength int // how many legs a round may have
}

// minRepetitionStart is how many legs a walk makes before rounds are looked for.
const minRepetitionStart = 64

// addRepetitions adds rounds to a walk that has come back to the remembered place.
func (j *walkBuilder) addRepetitions(missing func(*explore.State) int) {
	r, s := &j.repetitions, j.state
	legs := len(j.path)
	switch {
	case legs < minRepetitionStart:
		return
	case r.node == nil || r.changes != j.changes:
		j.remember(missing, minRepetitionStart)
		return
	case s.Current == r.node && s.Failed == r.failed:
		if times := j.repetitionsLeft(missing); times > 1 {
			j.repeat(times)
		}
		j.remember(missing, minRepetitionStart)
	case legs-r.segment > r.maxLength:
		j.remember(missing, 2*r.maxLength)
	}
}

func (j *walkBuilder) remember(missing func(*explore.State) int, reach int) {
	sums := j.repetitions.sums[:0]
	for i := range j.costs {
		sums = append(sums, j.costs[i].sum)
	}
	j.repetitions = repetitionSearch{node: j.state.Current, failed: j.state.Failed, segment: len(j.path), changes: j.changes, sums: sums, steps: j.state.Steps, missing: missing(j.state), maxLength: reach}
}

// A repetition is what a walk uses in one. None of its legs is repeated: a place is remembered behind
// rounds that were added.
type repetition struct{ wanted, counters, visits, followed map[int]int }

func (j *walkBuilder) repetition() repetition {
	r := repetition{map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}}
	first := j.repetitions.segment
	for i, l := range j.path[first:] {
		by := j.exits[first+i].Transition
		r.wanted[by.Index]++
		if l.Transition != by {
			r.wanted[l.Transition.Index]++
		}
		if by.Counter >= 0 {
			r.counters[by.Counter]++
		}
		r.followed[l.Transition.Index]++
		r.visits[l.Transition.To.Index]++
		if in := j.path[first+i-1].Regions; in != nil { // that of the last leg is not made yet
			in.Count(func(n *explore.Node, times int) { r.visits[n.Index] += times })
		}
	}
	return r
}

// repetitionsLeft is how many rounds more use nothing up, and leave something to be done.
func (j *walkBuilder) repetitionsLeft(missing func(*explore.State) int) int {
	s, use := j.state, j.repetition()
	times := explore.Unbounded
	within := func(room, each int) { // what is used up already stays so
		if each > 0 && room > 0 {
			times = min(times, (room-1)/each)
		}
	}
	for w, each := range use.wanted {
		within(j.wanted[w], each)
	}
	for p, each := range use.counters {
		for _, most := range j.counterLimits(p) {
			within(most-s.Counts[p], each)
		}
	}
	for n, each := range use.visits {
		if node := j.bounds.Graph.Nodes[n]; node.Parent == nil {
			within(node.MaxVisits-s.Visits[n], each)
		}
	}
	times = min(times, (j.bounds.Graph.MaxSteps-s.Steps)/(s.Steps-j.repetitions.steps))
	if now := missing(s); now < j.repetitions.missing {
		within(now, j.repetitions.missing-now)
	}
	return times
}

// repeat goes the round so many times more.
func (j *walkBuilder) repeat(times int) {
	s, r, use, b := j.state, &j.repetitions, j.repetition(), j.bounds
	for w, each := range use.wanted {
		j.wanted[w] -= each * times
	}
	for p, each := range use.counters {
		s.Counts[p] += each * times
	}
	for n, each := range use.visits {
		s.Visits[n] += each * times
		j.record(&b.Visits[n], s.Visits[n])
	}
	for w, each := range use.followed {
		j.followed[w] += each * times
		j.record(&b.Follows[w], j.followed[w])
	}
	s.Steps += (s.Steps - r.steps) * times
	j.record(&b.Steps, s.Steps)
	for i := range j.costs {
		p := &j.costs[i]
		more := product(p.sum-r.sums[i], times)
		p.sum = min(p.sum+more, explore.Unbounded)
		p.setLast(p.last)
	}
	again := slices.Clone(j.path[r.segment:])
	again[len(again)-1].Regions = j.path[r.segment-1].Regions // the walk has not come to it in the last leg
	j.path = slices.Insert(j.path, r.segment, Segment{Repeated: again, Times: times})
	j.exits = slices.Insert(j.exits, r.segment, explore.Exit{})
}

// counterLimits are the bounds of the edges of a pair.
func (t *tracer) counterLimits(pair int) []int {
	if t.limits == nil {
		t.limits = make([][]int, len(t.bounds.Graph.CounterMax))
		for _, w := range t.bounds.Graph.Transitions {
			if w.Counter >= 0 && w.Max > 0 {
				t.limits[w.Counter] = append(t.limits[w.Counter], w.Max)
			}
		}
	}
	return t.limits[pair]
}
