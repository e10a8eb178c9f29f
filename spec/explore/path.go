package explore

import (
	"iter"

	"github.com/graphgen/graphgen/spec/cfg"
)

// A PathCost is a path through the regions of a node with its cost. Its size does not depend on how
// often a loop repeats: repeated parts are stored once.
type PathCost struct {
	Amount int // at most Unbounded
	Length int // visits; at most Unbounded

	visit  *cfg.Node // the only visit; nil: see parts
	passes bool      // the visit is skipped
	parts  []*PathCost
	times  int // how often the parts repeat in sequence
}

// concat returns the path a followed by b.
func concat(a, b *PathCost) *PathCost {
	c := &PathCost{Amount: min(a.Amount+b.Amount, Unbounded), Length: min(a.Length+b.Length, Unbounded), times: 1}
	for _, part := range []*PathCost{a, b} {
		if part.Length > 0 {
			c.parts = append(c.parts, part)
		}
	}
	return c
}

// repeat returns a path n times in sequence.
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

// Parts returns the parts of a path: its only visit, or other paths and how often they repeat.
func (c *PathCost) Parts() (visit *cfg.Node, parts []*PathCost, times int) {
	return c.visit, c.parts, c.times
}

// Visits iterates over the visits.
func (c *PathCost) Visits() iter.Seq[*cfg.Node] {
	return func(yield func(*cfg.Node) bool) { c.each(yield) }
}

func (c *PathCost) each(yield func(*cfg.Node) bool) bool {
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

// Count calls add with the number of visits of each node, and whether they are skipped. The work does not depend on these
// numbers: parts that several paths share are counted once.
func (c *PathCost) Count(add func(n *cfg.Node, times int, passes bool)) {
	var order []*PathCost // each after its parts
	seen := map[*PathCost]bool{}
	var sortParts func(*PathCost)
	sortParts = func(c *PathCost) {
		if seen[c] {
			return
		}
		seen[c] = true
		for _, part := range c.parts {
			sortParts(part)
		}
		order = append(order, c)
	}
	sortParts(c)
	times := make(map[*PathCost]int, len(order))
	times[c] = 1
	for i := len(order) - 1; i >= 0; i-- {
		at := order[i]
		if at.visit != nil {
			add(at.visit, times[at], at.passes)
			continue
		}
		for _, part := range at.parts {
			times[part] = min(times[part]+product(at.times, times[at]), Unbounded)
		}
	}
}

// First returns the first n visits of a path, without a cost.
func (c *PathCost) First(visits int) *PathCost {
	switch {
	case visits >= c.Length:
		return c
	case visits <= 0:
		return &emptyPath
	}
	once := 0 // visits of one repetition; less than Unbounded
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
