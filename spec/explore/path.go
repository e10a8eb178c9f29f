package explore

import "iter"

// A PathCost is one way through what a node runs: what it takes, and the visits in the order of
// a run's path. It is as large as what is written of it, however often a loop repeats: visits
// are counted, cut and listed without making each of them.
type PathCost struct {
	Amount int // at most Plenty
	Length int // visits; at most Plenty

	visit *Node // the only visit; nil: the parts are visited
	parts []*PathCost
	times int // how often the parts are visited, one after the other
}

// concat is a course, and then another.
func concat(a, b *PathCost) *PathCost {
	c := &PathCost{Amount: min(a.Amount+b.Amount, Unbounded), Length: min(a.Length+b.Length, Unbounded), times: 1}
	for _, part := range []*PathCost{a, b} {
		if part.Length > 0 {
			c.parts = append(c.parts, part)
		}
	}
	return c
}

// repeat is a course so many times.
func repeat(c *PathCost, times int) *PathCost {
	switch {
	case times <= 0 || c.Length == 0 && c.Amount == 0:
		return &emptyPath
	case times == 1:
		return c
	}
	r := &PathCost{Amount: product(c.Amount, times), Length: product(c.Length, times), times: times}
	if c.Length > 0 {
		r.parts = []*PathCost{c}
	}
	return r
}

// Parts returns what a course consists of: the one node that it visits, or other courses that
// are repeated one after the other.
func (c *PathCost) Parts() (visit *Node, parts []*PathCost, times int) {
	return c.visit, c.parts, c.times
}

// Visits lists the visits.
func (c *PathCost) Visits() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { c.each(yield) }
}

func (c *PathCost) each(yield func(*Node) bool) bool {
	if c.visit != nil {
		return yield(c.visit)
	}
	if len(c.parts) == 0 {
		return true
	}
	for range c.times {
		for _, part := range c.parts {
			if !part.each(yield) {
				return false
			}
		}
	}
	return true
}

// Count tells how often each node is visited. The work does not depend on how often: of a part
// that several courses share it is told once for all of them.
func (c *PathCost) Count(tell func(n *Node, times int)) {
	var order []*PathCost // each behind its parts
	seen := map[*PathCost]bool{}
	var add func(*PathCost)
	add = func(c *PathCost) {
		if seen[c] {
			return
		}
		seen[c] = true
		for _, part := range c.parts {
			add(part)
		}
		order = append(order, c)
	}
	add(c)
	times := make(map[*PathCost]int, len(order))
	times[c] = 1
	for i := len(order) - 1; i >= 0; i-- {
		at := order[i]
		if at.visit != nil {
			tell(at.visit, times[at])
			continue
		}
		for _, part := range at.parts {
			times[part] = min(times[part]+product(at.times, times[at]), Unbounded)
		}
	}
}

// First returns the first so many visits of a course. What they take is not looked at.
func (c *PathCost) First(visits int) *PathCost {
	switch {
	case visits >= c.Length:
		return c
	case visits <= 0:
		return &emptyPath
	}
	once := 0 // visits of the parts, once each; it is less than Plenty as visits are
	for _, part := range c.parts {
		once = min(once+part.Length, Unbounded)
	}
	first := repeat(&PathCost{Length: once, parts: c.parts, times: 1}, visits/once)
	left := visits % once
	for _, part := range c.parts {
		if left == 0 {
			break
		}
		more := part.First(left)
		first, left = concat(first, more), left-more.Length
	}
	return first
}
