package explore

// Lasts finds the last node of the runs of a pool that repeats no node, of every length. The last
// node is not among those before it. So one that is among the first of the ranked frees a place for
// the next one there, and the best of these is the one that takes most, less what it takes before the
// last. Of the others the best takes most. Both are found for all lengths at once.
type lasts struct {
	*pool
	sums    []int // what the first of the ranked take together, without the entry, by how many
	entered bool  // the entry comes first
	endings []ending
}

// An ending is an outcome of last nodes.
type ending struct {
	pick   bool       // the pick behind the last node fails: there is one only where the model is asked
	within []extremes // of the nodes before a place in the ranking, less what they take before the last
	beyond []extremes // of the nodes from a place in the ranking on, and of those without a place
}

// lasts returns nil where no node may come before another.
func (p *pool) lasts(outcome func(Outcomes) Courses, failure bool) *lasts {
	l := &lasts{pool: p, sums: []int{0}, entered: p.entry >= 0}
	if l.entered && p.place[p.entry] < 0 {
		return nil
	}
	var ranked, other []int
	for _, i := range p.able {
		if i != p.entry {
			ranked = append(ranked, i)
			l.sums = append(l.sums, min(l.sums[len(l.sums)-1]+p.each[i].Success.Most.Amount, 1<<62))
		}
	}
	for i := range p.each {
		if i != p.entry && p.place[i] < 0 {
			other = append(other, i)
		}
	}
	if !failure {
		l.ending(ranked, other, false, func(i int) Courses {
			if !p.mayEnd(i, 2) {
				return Courses{}
			}
			return outcome(p.each[i])
		})
		return l
	}
	l.ending(ranked, other, false, func(i int) Courses { return outcome(p.each[i]) })
	l.ending(ranked, other, true, func(i int) Courses {
		if p.Regions[i].Terminal {
			return Courses{}
		}
		return p.each[i].Success
	})
	return l
}

// ending adds an outcome of the nodes.
func (l *lasts) ending(ranked, other []int, pick bool, of func(i int) Courses) {
	e := ending{pick, make([]extremes, len(ranked)+1), make([]extremes, len(ranked)+1)}
	add := func(to *extremes, i, less int) {
		l.looked++
		if c := of(i); c.Can() {
			to.add(candidate{last: i, course: c.Most, more: &nothing, amount: c.Most.Amount - less})
		}
	}
	for place, i := range ranked {
		e.within[place+1] = e.within[place]
		add(&e.within[place+1], i, l.each[i].Success.Most.Amount)
	}
	for _, i := range other {
		add(&e.beyond[len(ranked)], i, 0)
	}
	for place := len(ranked) - 1; place >= 0; place-- {
		e.beyond[place] = e.beyond[place+1]
		add(&e.beyond[place], ranked[place], 0)
	}
	l.endings = append(l.endings, e)
}

// longest finds what the longest of the pool finds, for a length between 1 and the most.
func (l *lasts) longest(length int) extremes {
	var out extremes
	if l == nil {
		return out
	}
	ranked, before := length-1, 0
	if l.entered {
		ranked, before = ranked-1, l.each[l.entry].Success.Most.Amount
	}
	asked := l.asked(length)
	for _, e := range l.endings {
		more := &nothing
		if asked && (e.pick || len(l.endings) == 1 && l.ends == 0) {
			more = l.ask
		}
		if e.pick && !asked {
			continue
		}
		add := func(of extremes, before int) {
			for _, c := range []candidate{of.least, of.most} {
				if c.course != nil {
					out.add(candidate{length, c.last, c.course, more, c.amount + before + more.Amount})
				}
			}
		}
		if ranked < len(l.sums) {
			add(e.beyond[ranked], before+l.sums[ranked])
		}
		if ranked+1 < len(l.sums) {
			add(e.within[ranked], before+l.sums[ranked+1])
		}
		l.looked++
	}
	return out
}
