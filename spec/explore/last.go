package explore

// Lasts finds the last node of the runs of a pool that repeats no node, of every length. The last
// node is not among those before it. So one that is among the first of the ranked frees a place for
// the next one there, and the best of these is the one that takes most, less what it takes before the
// last. Of the others the best takes most. Both are found for all lengths at once.
type lastNodes struct {
	*pool
	sums     []int // what the first of the ranked take together, without the entry, by how many
	hasEntry bool  // the entry comes first
	outcomes []lastOutcome
}

// A lastOutcome is an outcome of last nodes.
type lastOutcome struct {
	pick   bool       // the pick behind the last node fails: there is one only where the model is asked
	within []extremes // of the nodes before a place in the ranking, less what they take before the last
	beyond []extremes // of the nodes from a place in the ranking on, and of those without a place
}

// lastNodes returns nil where no node may come before another.
func (p *pool) lastNodes(outcome func(OutcomeCosts) CostRange, failure bool) *lastNodes {
	l := &lastNodes{pool: p, sums: []int{0}, hasEntry: p.entry >= 0}
	if l.hasEntry && p.place[p.entry] < 0 {
		return nil
	}
	var ranked, other []int
	for _, i := range p.ranked {
		if i != p.entry {
			ranked = append(ranked, i)
			l.sums = append(l.sums, min(l.sums[len(l.sums)-1]+p.each[i].Success.Max.Amount, 1<<62))
		}
	}
	for i := range p.each {
		if i != p.entry && p.place[i] < 0 {
			other = append(other, i)
		}
	}
	if !failure {
		l.addOutcome(ranked, other, false, func(i int) CostRange {
			if !p.mayEnd(i, 2) {
				return CostRange{}
			}
			return outcome(p.each[i])
		})
		return l
	}
	l.addOutcome(ranked, other, false, func(i int) CostRange { return outcome(p.each[i]) })
	l.addOutcome(ranked, other, true, func(i int) CostRange {
		if p.Regions[i].Terminal {
			return CostRange{}
		}
		return p.each[i].Success
	})
	return l
}

// addOutcome adds an outcome of the nodes.
func (l *lastNodes) addOutcome(ranked, other []int, pick bool, of func(i int) CostRange) {
	e := lastOutcome{pick, make([]extremes, len(ranked)+1), make([]extremes, len(ranked)+1)}
	add := func(to *extremes, i, less int) {
		l.examined++
		if c := of(i); c.Possible() {
			to.add(candidate{last: i, path: c.Max, afterLast: &emptyPath, amount: c.Max.Amount - less})
		}
	}
	for place, i := range ranked {
		e.within[place+1] = e.within[place]
		add(&e.within[place+1], i, l.each[i].Success.Max.Amount)
	}
	for _, i := range other {
		add(&e.beyond[len(ranked)], i, 0)
	}
	for place := len(ranked) - 1; place >= 0; place-- {
		e.beyond[place] = e.beyond[place+1]
		add(&e.beyond[place], ranked[place], 0)
	}
	l.outcomes = append(l.outcomes, e)
}

// costliest finds what the longest of the pool finds, for a length between 1 and the most.
func (l *lastNodes) costliest(length int) extremes {
	var out extremes
	if l == nil {
		return out
	}
	ranked, before := length-1, 0
	if l.hasEntry {
		ranked, before = ranked-1, l.each[l.entry].Success.Max.Amount
	}
	asked := l.asked(length)
	for _, e := range l.outcomes {
		more := &emptyPath
		if asked && (e.pick || len(l.outcomes) == 1 && l.terminals == 0) {
			more = l.ask
		}
		if e.pick && !asked {
			continue
		}
		add := func(of extremes, before int) {
			for _, c := range []candidate{of.min, of.max} {
				if c.path != nil {
					out.add(candidate{length, c.last, c.path, more, c.amount + before + more.Amount})
				}
			}
		}
		if ranked < len(l.sums) {
			add(e.beyond[ranked], before+l.sums[ranked])
		}
		if ranked+1 < len(l.sums) {
			add(e.within[ranked], before+l.sums[ranked+1])
		}
		l.examined++
	}
	return out
}
