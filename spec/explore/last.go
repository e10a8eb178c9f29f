package explore

// lastNodes finds the last node of a run of a pool that repeats no node, for every length. The last
// node must not be among those before it. So there are two candidates: the best of the first ranked
// nodes, whose place the next in rank takes, and the best of all others.
type lastNodes struct {
	*pool
	sums     []int // cost of the first n ranked nodes without the entry, by n
	hasEntry bool  // the pool has an entry, which runs first
	outcomes []lastOutcome
}

// A lastOutcome holds the costs of the last node for one outcome.
type lastOutcome struct {
	pick   bool       // the pick after the last node fails; only if the model is asked
	within []extremes // nodes before a place in the ranking, less their cost before the last node
	beyond []extremes // nodes from a place in the ranking on, and nodes without a place
}

// lastNodes returns nil if the entry cannot come before another node.
func (p *pool) lastNodes(outcome func(OutcomeCosts) CostRange, failure bool) *lastNodes {
	l := &lastNodes{pool: p, sums: []int{0}, hasEntry: p.Entry >= 0}
	if l.hasEntry && p.place[p.Entry] < 0 {
		return nil
	}
	var ranked, other []int
	for _, i := range p.ranked {
		if i != p.Entry {
			ranked = append(ranked, i)
			l.sums = append(l.sums, min(l.sums[len(l.sums)-1]+p.each[i].Success.Max.Amount, 1<<62))
		}
	}
	for i := range p.each {
		if i != p.Entry && p.place[i] < 0 {
			other = append(other, i)
		}
	}
	if !failure {
		l.addOutcome(ranked, other, false, func(i int) CostRange {
			if !p.Over(i, 2) {
				return CostRange{}
			}
			return outcome(p.each[i])
		})
		return l
	}
	l.addOutcome(ranked, other, false, func(i int) CostRange { return outcome(p.each[i]) })
	l.addOutcome(ranked, other, true, func(i int) CostRange {
		if p.Last[i] {
			return CostRange{}
		}
		return p.each[i].Success
	})
	return l
}

// addOutcome adds an outcome of the last node.
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

// costliest returns the extremes for one length. It agrees with pool.costliest.
func (l *lastNodes) costliest(length int) extremes {
	var out extremes
	if l == nil {
		return out
	}
	ranked, before := length-1, 0
	if l.hasEntry {
		ranked, before = ranked-1, l.each[l.Entry].Success.Max.Amount
	}
	asked := l.Asks(length)
	for _, e := range l.outcomes {
		more := &emptyPath
		if asked && (e.pick || len(l.outcomes) == 1 && l.Lasts == 0) {
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
