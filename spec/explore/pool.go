package explore

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

	able  []int // nodes that others may follow, what takes most first
	place []int // of each node among them; -1: none
	sums  []int // what the first of them take together, by how many

	askedBefore []int // of a pool that repeats nothing: how many picks are put to the model, by the length
	looked      int   // how many nodes were looked at as the last
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
	p.rank()
	o := p.shortest()
	p.longer(&o.Success, func(o Outcomes) Courses { return o.Success }, false)
	p.longer(&o.Failure, func(o Outcomes) Courses { return o.Failure }, true)
	m.looked += p.looked
	return o
}

// longer adds the courses that take most before the last node, of every length that has to be
// looked at. It makes those alone that are kept.
func (p *pool) longer(to *Courses, outcome func(Outcomes) Courses, failure bool) {
	var l *lasts // nil: not needed yet, or none
	found := false
	var least, most *candidate
	for _, length := range p.lengths() {
		var of extremes
		if p.Repeat || length == 1 || length == p.Times {
			of = p.longest(length, outcome, failure)
		} else {
			if !found {
				l, found = p.lasts(outcome, failure), true
			}
			of = l.longest(length)
		}
		if of.least.course == nil {
			continue
		}
		if !to.Can() && least == nil || p.takes(of.least) < p.leastOf(least, *to) {
			least = &of.least
		}
		if !to.Can() && most == nil || p.takes(of.most) > p.mostOf(most, *to) {
			most = &of.most
		}
	}
	if least != nil {
		to.Least = p.made(*least)
	}
	if most != nil {
		to.Most = p.made(*most)
	}
}

func (p *pool) leastOf(c *candidate, known Courses) int {
	if c != nil {
		return p.takes(*c)
	}
	return known.Least.Amount
}

func (p *pool) mostOf(c *candidate, known Courses) int {
	if c != nil {
		return p.takes(*c)
	}
	return known.Most.Amount
}

// takes is what the course of a candidate takes.
func (p *pool) takes(c candidate) int {
	return min(c.amount+product(p.ask.Amount, p.picks(c.length)), Plenty)
}

// made is the course of a candidate.
func (p *pool) made(c candidate) *Course {
	asks := repeat(p.ask, p.picks(c.length))
	return follow(follow(p.before(c.length-1, c.last), follow(asks, c.more)), c.course)
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
	var final Courses // of the terminal node that takes least
	for i, last := range p.each {
		if p.Times > 1 && p.Regions[i].Terminal {
			final = either(final, last.Success)
		}
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
		add(&o.Success, then(first.Success, final))
	}
	return o
}

// A candidate is a course through a pool: nodes before the last, what is asked for them, the
// last, and what is asked after it.
type candidate struct {
	length int
	last   int
	course *Course // of the last
	more   *Course
	amount int
}

// Extremes are the candidates that take least and most; they have no course where there is none.
type extremes struct{ least, most candidate }

// add looks at another candidate. Of those that take as much the first one of the pool is kept.
func (e *extremes) add(c candidate) {
	first := func(of candidate) bool { return c.amount == of.amount && c.last < of.last }
	if e.least.course == nil || c.amount < e.least.amount || first(e.least) {
		e.least = c
	}
	if e.most.course == nil || c.amount > e.most.amount || first(e.most) {
		e.most = c
	}
}

// longest finds the candidates of so many nodes that take least and most, of those that take most
// before the last, which comes to some outcome. A failure may be that of a pick, too.
func (p *pool) longest(length int, outcome func(Outcomes) Courses, failure bool) extremes {
	after := &nothing
	if p.asked(length) {
		after = p.ask
	}
	var out extremes
	add := func(last, before int, c Courses, more *Course) {
		if c.Can() {
			out.add(candidate{length, last, c.Most, more, before + more.Amount + c.Most.Amount})
		}
	}
	for last, o := range p.each {
		p.looked++
		switch {
		case p.entry < 0:
		case length == 1 && last != p.entry, length > 1 && !p.Repeat && last == p.entry:
			continue
		}
		before, ok := p.amountBefore(length-1, last)
		if !ok {
			continue
		}
		switch {
		case !failure && p.mayEnd(last, length):
			more := &nothing
			if p.ends == 0 {
				more = after
			}
			add(last, before, outcome(o), more)
		case failure:
			if length < p.Times || p.mayEnd(last, length) {
				add(last, before, outcome(o), &nothing)
			}
			if p.asked(length) && !p.Regions[last].Terminal {
				add(last, before, o.Success, after)
			}
		}
	}
	return out
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
	if !p.Repeat {
		for i := len(p.askedBefore); i <= length; i++ {
			if i == 0 {
				p.askedBefore = append(p.askedBefore, 0)
				continue
			}
			p.askedBefore = append(p.askedBefore, p.askedBefore[i-1]+count(i-1, i))
		}
		return p.askedBefore[length]
	}
	if length < 3 {
		return count(0, length)
	}
	return count(0, 1) + (length-2)*count(1, 2) + count(length-1, length)
}

// rank sorts the nodes that others may follow, what takes most first.
func (p *pool) rank() {
	for i, o := range p.each {
		if o.Success.Can() && !p.Regions[i].Terminal {
			p.able = append(p.able, i)
		}
	}
	slices.SortStableFunc(p.able, func(a, b int) int {
		return cmp.Compare(p.each[b].Success.Most.Amount, p.each[a].Success.Most.Amount)
	})
	p.place, p.sums = make([]int, len(p.each)), []int{0}
	for i := range p.place {
		p.place[i] = -1
	}
	for place, i := range p.able {
		p.place[i] = place
		p.sums = append(p.sums, min(p.sums[place]+p.each[i].Success.Most.Amount, 1<<62))
	}
}

// chosen says which nodes take most of those that may run before the last: so many, the first
// one where the pool has an entry, then the first of the ranked but for those left out.
func (p *pool) chosen(count, last int) (first bool, ranked int, without []int, ok bool) {
	out := func(i int) {
		if i >= 0 && p.place[i] >= 0 && !slices.Contains(without, p.place[i]) {
			without = append(without, p.place[i])
		}
	}
	if !p.Repeat {
		out(last)
	}
	if first = p.entry >= 0 && count > 0; first {
		if p.place[p.entry] < 0 || !p.Repeat && p.entry == last {
			return false, 0, nil, false
		}
		if !p.Repeat {
			out(p.entry)
		}
		count--
	}
	if count > 0 && (len(p.able) == 0 || !p.Repeat && len(p.able)-len(without) < count) {
		return false, 0, nil, false
	}
	return first, count, without, true
}

// amountBefore is what the nodes before the last take, and false where there are none.
func (p *pool) amountBefore(count, last int) (int, bool) {
	first, ranked, without, ok := p.chosen(count, last)
	sum := 0
	switch {
	case !ok:
		return 0, false
	case ranked == 0:
	case p.Repeat:
		sum = product(p.each[p.able[0]].Success.Most.Amount, ranked)
	default:
		slices.Sort(without)
		upTo := ranked
		for _, place := range without {
			if place < upTo {
				upTo++
				sum -= p.each[p.able[place]].Success.Most.Amount
			}
		}
		sum += p.sums[upTo]
	}
	if first {
		sum += p.each[p.entry].Success.Most.Amount
	}
	return sum, true
}

// before is the course of the nodes before the last.
func (p *pool) before(count, last int) *Course {
	first, ranked, without, _ := p.chosen(count, last)
	all := &nothing
	if first {
		all = follow(all, p.each[p.entry].Success.Most)
	}
	if ranked == 0 {
		return all
	}
	if p.Repeat {
		return follow(all, repeat(p.each[p.able[0]].Success.Most, ranked))
	}
	for place, i := range p.able {
		if ranked > 0 && !slices.Contains(without, place) {
			all = follow(all, p.each[i].Success.Most)
			ranked--
		}
	}
	return all
}
