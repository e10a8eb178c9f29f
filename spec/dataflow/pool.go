package dataflow

import (
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// shown returns the fields that the model of a pool is shown.
func (f *Flow) shown(n *resolve.Node) []int {
	var fields []int
	for _, field := range n.Reads {
		fields = append(fields, f.number[field])
	}
	return fields
}

// Pool returns the states after a node whose model picks regions. A region is examined again when the states before it grow. What
// leads to all regions is united first, so that the work does not grow with their pairs.
func (f algebra) Pool(n *cfg.Node, rule *cfg.Pool, regions []cfg.Outcomes[*states]) (o cfg.Outcomes[*states]) {
	o = cfg.Outcomes[*states]{Success: f.newStates(), Failure: f.newStates(), Cancelled: f.newStates()}
	pick := f.reads(reader{node: n.Spec}, f.shown(n.Spec))
	ask := func(at *states) *states { // the pick can fail
		o.Cancelled.union(f.Then(at, pick.Cancelled))
		at = f.Then(at, pick.Success)
		o.Failure.union(at)
		return at
	}
	first, asks := f.Nothing(), false
	for ran := 1; ran <= rule.Size; ran++ {
		asks = asks || rule.Asks(ran)
	}
	if rule.Asks(0) {
		first = ask(first)
	}
	if rule.RunsNothing() {
		o.Success.union(first)
	}
	at := make([]*states, rule.Size)
	picked, next := f.newSources(rule), f.newSources(rule) // after a pick, and where a region is the only choice
	examine := func(i int) {
		f.work++
		after := f.Then(at[i], regions[i].Success)
		o.Failure.union(f.Then(at[i], regions[i].Failure))
		if after == nil {
			return
		}
		if rule.Over(i, 1) {
			o.Success.union(after)
		}
		if rule.Last[i] {
			return
		}
		next.add(i, after)
		if asks {
			after = f.Then(after, pick.Success)
			o.Failure.union(after)
		}
		picked.add(i, after)
	}
	for i := range at {
		if at[i] = f.newStates(); rule.Runs(i, 0) && at[i].union(first) {
			examine(i)
		}
	}
	for again := rule.Most > 1; again; {
		again = false
		for i := range at {
			if !rule.Runs(i, 1) {
				continue
			}
			f.work++
			missing := picked.lead(i, at[i])
			if rule.Last[i] && rule.Lasts == 1 || !rule.Repeat && rule.Lasts > 0 {
				missing = next.lead(i, at[i]) || missing
			}
			if missing {
				examine(i)
				again = true
			}
		}
	}
	for i := range at {
		o.Cancelled.union(f.Then(at[i], regions[i].Cancelled))
		if after := f.Then(at[i], regions[i].Success); asks && after != nil && !rule.Last[i] {
			o.Cancelled.union(f.Then(after, pick.Cancelled))
		}
	}
	return o
}

// sets returns the sets of states.
func (s *states) sets() [3]Set { return [3]Set{s.unwritten, s.written, s.reported} }

// sources is the union of the states after the regions of a pool. Where no region runs twice, only the others lead to one: then it
// has which states are after one region, and which after several.
type sources struct {
	all, several *states
	of           []*states // by the number of the region; nil: a region leads to itself, too
}

func (f *Flow) newSources(rule *cfg.Pool) *sources {
	s := &sources{all: f.newStates(), several: f.newStates()}
	if !rule.Repeat {
		for range rule.Size {
			s.of = append(s.of, f.newStates())
		}
	}
	return s
}

// add adds the states after a region.
func (s *sources) add(i int, after *states) {
	if s.of == nil {
		s.all.union(after)
		return
	}
	all, several, own := s.all.sets(), s.several.sets(), s.of[i].sets()
	for k, set := range after.sets() {
		for w, word := range set {
			several[k][w] |= word &^ own[k][w] & all[k][w]
			all[k][w] |= word
			own[k][w] |= word
		}
	}
}

// lead adds what leads to a region to the states before it, and reports whether any of it was missing.
func (s *sources) lead(i int, to *states) bool {
	if s.of == nil {
		return to.union(s.all)
	}
	var missing uint64
	all, several, own := s.all.sets(), s.several.sets(), s.of[i].sets()
	for k, set := range to.sets() {
		for w := range set {
			leads := several[k][w] | all[k][w]&^own[k][w]
			missing |= leads &^ set[w]
			set[w] |= leads
		}
	}
	return missing != 0
}
