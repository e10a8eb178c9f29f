package explore

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
)

// A pool is the nodes of an autonomous node, from which the model picks one after the other.
type pool struct {
	*cfg.Pool
	each []OutcomeCosts
	ask  *PathCost // cost of one pick

	ranked []int // nodes that others may follow, the most expensive first
	place  []int // index of each node in ranked; -1: none
	sums   []int // cost of the first n ranked nodes, by n

	askedBefore []int // for a pool without repeats: picks that the model is asked for, by length
	examined    int   // last nodes that were examined
}

// Pool returns the costs of regions that a model picks.
func (m costs) Pool(n *cfg.Node, rule *cfg.Pool, each []OutcomeCosts) OutcomeCosts {
	p := pool{Pool: rule, each: each, ask: &PathCost{Amount: m.Pick[n.Index]}}
	if len(each) == 0 {
		return OutcomeCosts{Success: NoCost}
	}
	p.rankNodes()
	o := p.cheapest()
	p.addCostliest(&o.Success, func(o OutcomeCosts) CostRange { return o.Success }, false)
	p.addCostliest(&o.Failure, func(o OutcomeCosts) CostRange { return o.Failure }, true)
	m.examined += p.examined
	return o
}

// addCostliest widens a cost range by the most expensive paths of all relevant lengths. It builds
// only the paths that it keeps.
func (p *pool) addCostliest(to *CostRange, outcome func(OutcomeCosts) CostRange, failure bool) {
	var l *lastNodes // nil: not computed, or impossible
	found := false
	var least, most *candidate
	for _, length := range p.lengths() {
		var of extremes
		if p.Repeat || length == 1 || length == p.Most {
			of = p.costliest(length, outcome, failure)
		} else {
			if !found {
				l, found = p.lastNodes(outcome, failure), true
			}
			of = l.costliest(length)
		}
		if of.min.path == nil {
			continue
		}
		if !to.Possible() && least == nil || p.costOf(of.min) < p.minOf(least, *to) {
			least = &of.min
		}
		if !to.Possible() && most == nil || p.costOf(of.max) > p.maxOf(most, *to) {
			most = &of.max
		}
	}
	if least != nil {
		to.Min = p.path(*least)
	}
	if most != nil {
		to.Max = p.path(*most)
	}
}

func (p *pool) minOf(c *candidate, known CostRange) int {
	if c != nil {
		return p.costOf(*c)
	}
	return known.Min.Amount
}

func (p *pool) maxOf(c *candidate, known CostRange) int {
	if c != nil {
		return p.costOf(*c)
	}
	return known.Max.Amount
}

// costOf returns the cost of a candidate.
func (p *pool) costOf(c candidate) int {
	return min(c.amount+product(p.ask.Amount, p.picks(c.length)), Unbounded)
}

// path builds the path of a candidate.
func (p *pool) path(c candidate) *PathCost {
	asks := repeat(p.ask, p.picks(c.length))
	return concat(concat(p.pathBefore(c.length-1, c.last), concat(asks, c.afterLast)), c.path)
}

// lengths returns the lengths that have to be examined for the maximum.
func (p *pool) lengths() []int {
	if p.Repeat {
		return slices.Compact([]int{1, min(2, p.Most), p.Most})
	}
	var out []int
	for n := range min(p.Most, len(p.each)) {
		out = append(out, n+1)
	}
	return out
}

// cheapest returns the cheapest paths. They start at any node unless the pool has an entry.
func (p *pool) cheapest() OutcomeCosts {
	var o OutcomeCosts
	add := func(to *CostRange, c CostRange) {
		if c.Possible() {
			*to = union(*to, CostRange{c.Min, c.Min})
		}
	}
	if p.RunsNothing() {
		add(&o.Success, NoCost)
	}
	if p.Asks(0) {
		add(&o.Failure, NoCost) // the model picked no valid node
	}
	var forced []int // nodes that follow the first without a pick: the only one that may
	for i := range p.each {
		if p.Most > 1 && !p.Asks(1) && (p.Most > 2 || p.Over(i, 2)) {
			forced = append(forced, i)
		}
	}
	var final CostRange // the cheapest terminal node
	for i, last := range p.each {
		if p.Most > 1 && p.Last[i] {
			final = union(final, last.Success)
		}
	}
	for i, first := range p.each {
		if !p.Runs(i, 0) {
			continue
		}
		add(&o.Failure, first.Failure)
		if p.Over(i, 1) {
			add(&o.Success, first.Success)
			if p.Lasts > 0 {
				continue
			}
		}
		if p.Asks(1) {
			add(&o.Failure, first.Success)
		}
		for _, next := range forced {
			if p.Repeat || next != i {
				add(&o.Failure, then(first.Success, p.each[next].Failure))
			}
		}
		add(&o.Success, then(first.Success, final))
	}
	return o
}

// A candidate describes a path through a pool: the nodes before the last, their picks, the last
// node, and the picks after it.
type candidate struct {
	length    int
	last      int
	path      *PathCost // of the last node
	afterLast *PathCost
	amount    int
}

// extremes are the cheapest and the most expensive candidate. Their paths are nil without a candidate.
type extremes struct{ min, max candidate }

// add adds a candidate. Among equal costs it keeps the first node of the pool.
func (e *extremes) add(c candidate) {
	first := func(of candidate) bool { return c.amount == of.amount && c.last < of.last }
	if e.min.path == nil || c.amount < e.min.amount || first(e.min) {
		e.min = c
	}
	if e.max.path == nil || c.amount > e.max.amount || first(e.max) {
		e.max = c
	}
}

// costliest returns the extremes among paths of one length with the most expensive nodes before the
// last. For a failure, the pick after the last node may fail too.
func (p *pool) costliest(length int, outcome func(OutcomeCosts) CostRange, failure bool) extremes {
	after := &emptyPath
	if p.Asks(length) {
		after = p.ask
	}
	var out extremes
	add := func(last, before int, c CostRange, more *PathCost) {
		if c.Possible() {
			out.add(candidate{length, last, c.Max, more, before + more.Amount + c.Max.Amount})
		}
	}
	for last, o := range p.each {
		p.examined++
		switch {
		case p.Entry < 0:
		case length == 1 && last != p.Entry, length > 1 && !p.Repeat && last == p.Entry:
			continue
		}
		before, ok := p.costBefore(length-1, last)
		if !ok {
			continue
		}
		switch {
		case !failure && p.Over(last, length):
			more := &emptyPath
			if p.Lasts == 0 {
				more = after
			}
			add(last, before, outcome(o), more)
		case failure:
			if length < p.Most || p.Over(last, length) {
				add(last, before, outcome(o), &emptyPath)
			}
			if p.Asks(length) && !p.Last[last] {
				add(last, before, o.Success, after)
			}
		}
	}
	return out
}

// picks returns how many of the first picks the model is asked for.
func (p *pool) picks(length int) int {
	count := func(from, to int) int {
		n := 0
		for i := from; i < to; i++ {
			if p.Asks(i) {
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

// rankNodes sorts the nodes that others may follow by falling cost.
func (p *pool) rankNodes() {
	for i, o := range p.each {
		if o.Success.Possible() && !p.Last[i] {
			p.ranked = append(p.ranked, i)
		}
	}
	slices.SortStableFunc(p.ranked, func(a, b int) int {
		return cmp.Compare(p.each[b].Success.Max.Amount, p.each[a].Success.Max.Amount)
	})
	p.place, p.sums = make([]int, len(p.each)), []int{0}
	for i := range p.place {
		p.place[i] = -1
	}
	for place, i := range p.ranked {
		p.place[i] = place
		p.sums = append(p.sums, min(p.sums[place]+p.each[i].Success.Max.Amount, 1<<62))
	}
}

// chooseBefore chooses the most expensive nodes before the last: whether the entry comes first, how
// many ranked nodes follow, and the ranks that are left out.
func (p *pool) chooseBefore(count, last int) (first bool, ranked int, without []int, ok bool) {
	out := func(i int) {
		if i >= 0 && p.place[i] >= 0 && !slices.Contains(without, p.place[i]) {
			without = append(without, p.place[i])
		}
	}
	if !p.Repeat {
		out(last)
	}
	if first = p.Entry >= 0 && count > 0; first {
		if p.place[p.Entry] < 0 || !p.Repeat && p.Entry == last {
			return false, 0, nil, false
		}
		if !p.Repeat {
			out(p.Entry)
		}
		count--
	}
	if count > 0 && (len(p.ranked) == 0 || !p.Repeat && len(p.ranked)-len(without) < count) {
		return false, 0, nil, false
	}
	return first, count, without, true
}

// costBefore returns the cost of the nodes before the last, and false if there are too few.
func (p *pool) costBefore(count, last int) (int, bool) {
	first, ranked, without, ok := p.chooseBefore(count, last)
	sum := 0
	switch {
	case !ok:
		return 0, false
	case ranked == 0:
	case p.Repeat:
		sum = product(p.each[p.ranked[0]].Success.Max.Amount, ranked)
	default:
		slices.Sort(without)
		upTo := ranked
		for _, place := range without {
			if place < upTo {
				upTo++
				sum -= p.each[p.ranked[place]].Success.Max.Amount
			}
		}
		sum += p.sums[upTo]
	}
	if first {
		sum += p.each[p.Entry].Success.Max.Amount
	}
	return sum, true
}

// pathBefore returns the path of the nodes before the last.
func (p *pool) pathBefore(count, last int) *PathCost {
	first, ranked, without, _ := p.chooseBefore(count, last)
	all := &emptyPath
	if first {
		all = concat(all, p.each[p.Entry].Success.Max)
	}
	if ranked == 0 {
		return all
	}
	if p.Repeat {
		return concat(all, repeat(p.each[p.ranked[0]].Success.Max, ranked))
	}
	for place, i := range p.ranked {
		if ranked > 0 && !slices.Contains(without, place) {
			all = concat(all, p.each[i].Success.Max)
			ranked--
		}
	}
	return all
}
