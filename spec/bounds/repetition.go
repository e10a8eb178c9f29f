package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// The next step of a walk depends on the current node, on whether the node before has failed, and
// on which transitions, nodes and edges are used up. So a walk that returns to a node and has used
// nothing up since then repeats the same steps until something is used up. These repetitions are
// added in one go.

// repetitionSearch finds repetitions in a walk. It records one position, and later another.
type repetitionSearch struct {
	node      *cfg.Node
	failed    explore.Failed
	segment   int // number of segments at the recorded position; -1: none until something else is used up
	changes   int
	sums      []int // the cost of the walk at the position, by cost
	steps     int
	missing   int // the result of missing at the position
	maxLength int // most segments of a repetition
}

// minRepetitionStart is the number of segments after which the search for repetitions starts.
const minRepetitionStart = 64

// addRepetitions adds repetitions to a walk that has returned to the recorded position.
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
	j.repetitions = repetitionSearch{node: j.state.Current, failed: j.state.Failed, segment: len(j.path), changes: j.changes,
		sums: sums, steps: j.state.Steps, missing: missing(j.state), maxLength: reach}
}

// A repetition counts what one repetition uses. None of its segments is repeated itself: positions
// are recorded after repetitions only.
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
		if by.Counter != nil {
			r.counters[by.Counter.Index]++
		}
		r.followed[l.Transition.Index]++
		r.visits[l.Transition.To.Index]++
		if in := j.path[first+i-1].Regions; in != nil { // the regions of the last segment are not added yet
			in.Count(func(n *cfg.Node, times int, _ bool) { r.visits[n.Index] += times })
		}
	}
	return r
}

// repetitionsLeft returns how many more repetitions use nothing up and leave something missing.
func (j *walkBuilder) repetitionsLeft(missing func(*explore.State) int) int {
	s, use := j.state, j.repetition()
	times := explore.Unbounded
	within := func(room, each int) { // what is used up already does not change
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
		if node := j.bounds.Graph.Nodes[n]; node.Region == nil {
			within(node.MaxVisits-s.Visits[n], each)
		}
	}
	times = min(times, (j.bounds.Graph.MaxSteps()-s.Steps)/(s.Steps-j.repetitions.steps))
	if now := missing(s); now < j.repetitions.missing {
		within(now, j.repetitions.missing-now)
	}
	return times
}

// repeat adds n repetitions to the walk.
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
	again[len(again)-1].Regions = j.path[r.segment-1].Regions // the last segment has no regions yet
	j.path = slices.Insert(j.path, r.segment, Segment{Repeated: again, Times: times})
	j.exits = slices.Insert(j.exits, r.segment, explore.Exit{})
}

// counterLimits returns the bounds of the edges that share a counter.
func (t *tracer) counterLimits(pair int) []int {
	if t.limits == nil {
		t.limits = make([][]int, len(t.bounds.Graph.Counters))
		for _, w := range t.bounds.Graph.Taken {
			if w.Counter != nil && w.Max > 0 {
				t.limits[w.Counter.Index] = append(t.limits[w.Counter.Index], w.Max)
			}
		}
	}
	return t.limits[pair]
}
