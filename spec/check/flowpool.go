package check

import "github.com/graphgen/graphgen/spec/resolve"

// A pool is the flow through a node whose pool the model picks from.
type pool struct {
	*flow
	does   *effect // of the node
	node   *resolve.Node
	once   bool // a node is not picked again
	reads  []int
	finals map[*resolve.Node]bool // after which it is over

	at     []course // where each node of the pool begins
	picked *sources // where the model picks the next node
	next   *sources // where the next node is the only choice
}

// picks is what a node does whose pool the model picks from. Each node of the pool is gone through
// again when something new leads to it: what leads to all of them is added up first, so that the
// work does not grow with their pairs.
func (f *flow) picks(w *effect, n *resolve.Node) {
	p := &pool{flow: f, does: w, node: n, once: n.Spec.AllowRepeat.IsSet() && !n.Spec.AllowRepeat.V, finals: map[*resolve.Node]bool{}}
	for _, field := range n.Reads {
		p.reads = append(p.reads, f.number[field])
	}
	for _, final := range n.Finals {
		p.finals[final] = true
	}
	p.picked, p.next = f.newSources(n, p.once), f.newSources(n, p.once)
	for range n.Regions {
		p.at = append(p.at, f.newCourse())
	}
	first := course{f.start(), f.newFront()}
	if n.First == nil && len(n.Regions) > 1 {
		first = p.asked(first)
	}
	again := false
	for i, r := range n.Regions {
		if (n.First == nil || r.Last() == n.First) && p.at[i].take(first) {
			p.run(i)
			again = true
		}
	}
	for again {
		again = false
		for i := range n.Regions {
			if p.enter(i) {
				p.run(i)
				again = true
			}
		}
	}
}

// asked is where a run is when the model has picked, which may go wrong.
func (p *pool) asked(at course) course {
	if p.once && len(p.node.Regions) == 1 {
		return at // an only choice is not asked for
	}
	both := p.newCourse()
	both.take(at)
	p.looksAt(p.does, p.node, false, both.well, p.reads)
	p.looksAt(p.does, p.node, false, both.badly, p.reads)
	p.does.fails.take(both.well)
	p.does.fails.take(both.badly)
	return both
}

// enter adds what leads to a node of the pool, and reports whether any of it was missing.
func (p *pool) enter(i int) bool {
	p.c.work++
	missing := p.picked.lead(i, p.at[i])
	last, n := p.node.Regions[i].Last(), p.node
	if len(n.Finals) == 1 && last == n.Finals[0] || p.once && len(n.Finals) > 0 {
		missing = p.next.lead(i, p.at[i]) || missing
	}
	return missing
}

// run takes a run through a node of the pool.
func (p *pool) run(i int) {
	p.c.work++
	child := p.node.Regions[i].Last()
	next, fails := p.child(p.does, child, p.at[i])
	p.does.fails.take(fails)
	if p.finals[child] || len(p.finals) == 0 {
		p.does.succeeds.take(next.well)
		p.does.succeeds.take(next.badly)
	}
	if p.finals[child] {
		return
	}
	p.next.add(i, next)
	p.picked.add(i, p.asked(next))
}

func (f *flow) newCourse() course { return course{f.newFront(), f.newFront()} }

// sets are the sets of a course.
func (c course) sets() [6]bits {
	return [6]bits{c.well.open, c.well.done, c.well.told, c.badly.open, c.badly.done, c.badly.told}
}

// Sources are the courses behind the nodes of a pool, added up. Where no node is picked again, each one
// is led to by the others: so it is kept which states are behind a node, and which behind several.
type sources struct {
	all, several course
	of           []course // by the node's number; nil: each node leads to itself, too
}

func (f *flow) newSources(n *resolve.Node, once bool) *sources {
	s := &sources{all: f.newCourse(), several: f.newCourse()}
	if once {
		for range n.Regions {
			s.of = append(s.of, f.newCourse())
		}
	}
	return s
}

// add adds what is behind a node.
func (s *sources) add(i int, c course) {
	if s.of == nil {
		s.all.take(c)
		return
	}
	all, several, own := s.all.sets(), s.several.sets(), s.of[i].sets()
	for k, set := range c.sets() {
		for w, word := range set {
			several[k][w] |= word &^ own[k][w] & all[k][w]
			all[k][w] |= word
			own[k][w] |= word
		}
	}
}

// lead adds to a course what leads to a node, and reports whether any of it was missing.
func (s *sources) lead(i int, to course) bool {
	if s.of == nil {
		return to.take(s.all)
	}
	var missing uint64
	all, several, own := s.all.sets(), s.several.sets(), s.of[i].sets()
	for k, set := range to.sets() {
		for w := range set {
			come := several[k][w] | all[k][w]&^own[k][w]
			missing |= come &^ set[w]
			set[w] |= come
		}
	}
	return missing != 0
}
