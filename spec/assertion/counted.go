package assertion

import (
	"github.com/graphgen/graphgen/spec/explore"
)

// maxPositions bounds the positions of a counted search, and maxCounts the counts that it stores.
const (
	maxPositions = 20_000
	maxCounts    = 4 << 20
)

// searchCounted looks for a shortest path, with exact counts. It reports whether the search was
// complete. If it was and found no path, no run takes one.
func (p *Prover) searchCounted(q *query) (path []Step, complete bool) {
	limit := min(maxPositions, maxCounts/(len(p.graph.Running)+len(p.graph.Counters)))
	least := map[string]int{}
	var queue []*position
	var found []Step
	add := func(from *position, by Step, s *explore.State, a explore.Arrival, ph phase) {
		if ph == ruledOut || found != nil || a.Transition == nil && by.Transition != nil || a.StepsUsedUp {
			return
		}
		by.Transition, by.UsedUp = a.Transition, a.UsedUp
		ph, done := q.arrive(ph, s.Current, by.Transition)
		if done {
			found = from.endAt(by, s.Current)
			return
		}
		if s.Current == nil {
			return
		}
		p.dropVisits(s)
		if key := p.stateKey(s, ph); fewer(least, key, s.Steps) {
			queue = insertBySteps(queue, &position{state: s, key: key, node: s.Current, phase: ph, steps: s.Steps, by: by, before: from})
		}
	}
	s := explore.Start(p.graph)
	a := s.Take(p.graph.Entry, explore.No)
	add(&position{}, Step{Transition: p.graph.Entry}, s, a, q.start())
	for i := 0; i < len(queue) && found == nil; i++ {
		at := queue[i]
		if least[at.key] < at.steps {
			limit++ // replaced
			continue
		}
		if i == limit {
			return nil, false
		}
		if q.exhausted != nil && q.addExhausted(at) {
			return nil, true
		}
		v := q.visit(at, p.graph.MaxSteps()-at.state.Steps)
		if v.found != nil {
			return at.endWithin(v.found), true
		}
		for _, m := range at.state.Exits() {
			for ph, inside := range v.exits(m) {
				next, arrival := at.state.Clone(), explore.Arrival{}
				next.AddSteps(len(inside))
				if m.Transition == nil {
					next.Current = nil
				} else {
					arrival = next.Take(m.Transition, m.After)
				}
				add(at, Step{Node: at.node, Outcome: m.Outcome, Transition: m.Transition, Regions: inside}, next, arrival, ph)
			}
		}
		at.state = nil // no longer needed
	}
	return found, true
}

// dropVisits clears the visits of a node if they cannot be used up.
func (p *Prover) dropVisits(s *explore.State) {
	if !p.usedUp[s.Current.Index] {
		s.Visits[s.Current.Index] = 0
	}
}

// stateKey returns the part of a state that decides how runs continue: the current node, whether it
// follows a failure, the counters, and visits that can be used up.
func (p *Prover) stateKey(s *explore.State, ph phase) string {
	key := make([]byte, 0, 8+2*len(s.Counts))
	number := func(n int) {
		for ; n >= 0x80; n >>= 7 {
			key = append(key, byte(n)|0x80)
		}
		key = append(key, byte(n))
	}
	number(s.Current.Index)
	number(int(s.Failed)<<2 | int(ph))
	for i, n := range s.Counts {
		number(min(n, p.graph.Counters[i].Max))
	}
	for i, used := range p.usedUp {
		if used {
			number(s.Visits[i])
		}
	}
	return string(key)
}
