package walk

import (
	"cmp"
	"slices"
)

// A pool is the nodes that a model picks one after the other.
type pool struct {
	*Inside
	each  []Outcomes
	ask   *Course // what a pick takes
	entry int     // -1: it is picked
	ends  int     // nodes after which it is over
}

// pool is what an autonomous node runs.
func (m *Measure) pool(n *Node, each []Outcomes) Outcomes {
	p := pool{Inside: n.Inside, each: each, ask: &Course{Amount: m.Pick[n.Index]}, entry: -1}
	for i, r := range p.Regions {
		if r == p.Entry {
			p.entry = i
		}
		if r.Terminal {
			p.ends++
		}
	}
	if len(each) == 0 || p.Times == 0 {
		return Outcomes{Success: Idle}
	}
	o := p.shortest()
	for _, length := range p.lengths() {
		o.Success = either(o.Success, p.longest(length, func(o Outcomes) Courses { return o.Success }, false))
		o.Failure = either(o.Failure, p.longest(length, func(o Outcomes) Courses { return o.Failure }, true))
	}
	return o
}

// lengths are the numbers of nodes that have to be looked at to find the most: what takes
// more is longer.
func (p *pool) lengths() []int {
	if p.Repeat {
		return slices.Compact([]int{1, min(2, p.Times), p.Times})
	}
	var out []int
	for n := range min(p.Times, len(p.each)) {
		out = append(out, n+1)
	}
	return out
}

// mayEnd reports whether a run of so many nodes may end with one.
func (p *pool) mayEnd(i, length int) bool {
	return p.ends == 0 || p.Regions[i].Terminal || length == 1 && p.Times == 1
}

// asked reports whether the pick of a node, by its number in the run, is put to the model:
// an only choice is not.
func (p *pool) asked(number int) bool {
	choices := len(p.each)
	switch {
	case p.ends > 0 && number == p.Times-1:
		choices = p.ends
	case !p.Repeat:
		choices -= number
	}
	if p.ends == 0 {
		choices++
	}
	return choices > 1 && number < p.Times && (number > 0 || p.entry < 0)
}

// shortest finds the courses that take least. They start anywhere where the model picks.
func (p *pool) shortest() Outcomes {
	var o Outcomes
	add := func(to *Courses, c Courses) {
		if c.Can() {
			*to = either(*to, Courses{c.Least, c.Least})
		}
	}
	if p.entry < 0 && p.ends == 0 {
		add(&o.Success, Idle)
	}
	if p.asked(0) {
		add(&o.Failure, Idle) // nothing valid was picked
	}
	for i, first := range p.each {
		if p.entry >= 0 && i != p.entry {
			continue
		}
		add(&o.Failure, first.Failure)
		if p.mayEnd(i, 1) {
			add(&o.Success, first.Success)
			if p.ends > 0 {
				continue
			}
		}
		if p.asked(1) {
			add(&o.Failure, first.Success)
		}
		for k, last := range p.each {
			if p.Times > 1 && p.Regions[k].Terminal {
				add(&o.Success, then(first.Success, last.Success))
			}
		}
	}
	return o
}

// longest finds the course of so many nodes that takes most, the last of which comes to some
// outcome. A failure may be that of a pick, too.
func (p *pool) longest(length int, outcome func(Outcomes) Courses, failure bool) Courses {
	asks, after := repeat(p.ask, p.picks(length)), &nothing
	if p.asked(length) {
		after = p.ask
	}
	var best Courses
	for last, o := range p.each {
		switch {
		case p.entry < 0:
		case length == 1 && last != p.entry, length > 1 && !p.Repeat && last == p.entry:
			continue
		}
		before, ok := p.before(length-1, last)
		if !ok {
			continue
		}
		add := func(c Courses, more *Course) {
			if c.Can() {
				all := follow(follow(before, follow(asks, more)), c.Most)
				best = either(best, Courses{all, all})
			}
		}
		switch {
		case !failure && p.mayEnd(last, length):
			more := &nothing
			if p.ends == 0 {
				more = after
			}
			add(outcome(o), more)
		case failure:
			if length < p.Times || p.mayEnd(last, length) {
				add(outcome(o), &nothing)
			}
			if p.asked(length) && !p.Regions[last].Terminal {
				add(o.Success, after)
			}
		}
	}
	return best
}

// picks is how many of the picks of so many nodes are put to the model.
func (p *pool) picks(length int) int {
	count := func(from, to int) int {
		n := 0
		for i := from; i < to; i++ {
			if p.asked(i) {
				n++
			}
		}
		return n
	}
	if !p.Repeat || length < 3 {
		return count(0, length)
	}
	return count(0, 1) + (length-2)*count(1, 2) + count(length-1, length)
}

// before finds the nodes that take most of those that may run before the last: so many.
func (p *pool) before(count, last int) (*Course, bool) {
	all := &nothing
	var able []int
	for i, o := range p.each {
		switch {
		case !o.Success.Can(), p.Regions[i].Terminal, !p.Repeat && i == last:
			if i == p.entry && count > 0 {
				return nil, false
			}
		case i == p.entry && count > 0:
			all = follow(all, o.Success.Most)
			if p.Repeat {
				able = append(able, i)
			}
		default:
			able = append(able, i)
		}
	}
	if p.entry >= 0 && count > 0 {
		count--
	}
	slices.SortStableFunc(able, func(a, b int) int {
		return cmp.Compare(p.each[b].Success.Most.Amount, p.each[a].Success.Most.Amount)
	})
	switch {
	case count == 0:
		return all, true
	case len(able) == 0 || !p.Repeat && len(able) < count:
		return nil, false
	case p.Repeat:
		return follow(all, repeat(p.each[able[0]].Success.Most, count)), true
	}
	for _, i := range able[:count] {
		all = follow(all, p.each[i].Success.Most)
	}
	return all, true
}
