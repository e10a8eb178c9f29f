package dataflow

import (
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A pool is the analysis of a node whose model picks from a pool.
type pool struct {
	*Flow
	effect *Effect // of the node
	node   *resolve.Node
	rule   *cfg.Pool
	asks   bool // the model may be asked after a node
	once   bool // no node is picked twice
	reads  []int
	finals map[*resolve.Node]bool // nodes that end the pool

	at     []arrival // at each node of the pool
	picked *sources  // after nodes where the model picks the next one
	next   *sources  // after nodes where one node is the only choice
}

// pool is the effect of a node whose model picks from a pool. A node of the pool is analysed again
// when its arrival grows. What leads to all nodes is united first, so that the work does not grow
// with their pairs.
func (f *Flow) pool(e *Effect, n *resolve.Node) {
	p := &pool{Flow: f, effect: e, node: n, once: n.Spec.AllowRepeat.IsSet() && !n.Spec.AllowRepeat.V, finals: map[*resolve.Node]bool{}}
	for _, field := range n.Reads {
		p.reads = append(p.reads, f.number[field])
	}
	for _, final := range n.Finals {
		p.finals[final] = true
	}
	p.picked, p.next = f.newSources(n, p.once), f.newSources(n, p.once)
	for range n.Regions {
		p.at = append(p.at, f.newArrival())
	}
	p.rule = f.Graph.Node(n).Pool()
	first := arrival{f.entered(), f.newStates()}
	for ran := 1; ran <= p.rule.Size && !p.asks; ran++ {
		p.asks = p.rule.Asks(ran)
	}
	if p.rule.Asks(0) {
		first = p.pick(first)
	}
	if p.rule.RunsNothing() {
		e.succeeded.union(first.succeeded)
	}
	again := false
	for i := range n.Regions {
		if p.rule.Runs(i, 0) && p.at[i].union(first) {
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

// pick returns the arrival after the model has picked, which can fail.
func (p *pool) pick(at arrival) arrival {
	both := p.newArrival()
	both.union(at)
	p.read(p.effect, reader{node: p.node}, both.succeeded, p.reads)
	p.read(p.effect, reader{node: p.node}, both.failed, p.reads)
	p.effect.failed.union(both.succeeded)
	p.effect.failed.union(both.failed)
	return both
}

// enter adds what leads to a node of the pool to its arrival, and reports whether any of it was
// missing.
func (p *pool) enter(i int) bool {
	p.work++
	if p.rule.Most < 2 || !p.rule.Runs(i, 1) {
		return false
	}
	missing := p.picked.lead(i, p.at[i])
	last, n := p.node.Regions[i].Last(), p.node
	if len(n.Finals) == 1 && last == n.Finals[0] || p.once && len(n.Finals) > 0 {
		missing = p.next.lead(i, p.at[i]) || missing
	}
	return missing
}

// run adds the effect of a node of the pool.
func (p *pool) run(i int) {
	p.work++
	child := p.node.Regions[i].Last()
	next, fails := p.child(p.effect, child, p.at[i])
	p.effect.failed.union(fails)
	if p.rule.Over(i, 1) {
		p.effect.succeeded.union(next.succeeded)
		p.effect.succeeded.union(next.failed)
	}
	if p.finals[child] {
		return
	}
	p.next.add(i, next)
	if p.asks {
		next = p.pick(next)
	}
	p.picked.add(i, next)
}

// sets returns the sets of an arrival.
func (a arrival) sets() [6]Set {
	return [6]Set{a.succeeded.unwritten, a.succeeded.written, a.succeeded.reported, a.failed.unwritten, a.failed.written, a.failed.reported}
}

// sources is the union of the arrivals after the nodes of a pool. Where no node is picked twice,
// only the others lead to a node: then it has which states are after one node, and which after
// several.
type sources struct {
	all, several arrival
	of           []arrival // by the number of the node; nil: a node leads to itself, too
}

func (f *Flow) newSources(n *resolve.Node, once bool) *sources {
	s := &sources{all: f.newArrival(), several: f.newArrival()}
	if once {
		for range n.Regions {
			s.of = append(s.of, f.newArrival())
		}
	}
	return s
}

// add adds the arrival after a node.
func (s *sources) add(i int, a arrival) {
	if s.of == nil {
		s.all.union(a)
		return
	}
	all, several, own := s.all.sets(), s.several.sets(), s.of[i].sets()
	for k, set := range a.sets() {
		for w, word := range set {
			several[k][w] |= word &^ own[k][w] & all[k][w]
			all[k][w] |= word
			own[k][w] |= word
		}
	}
}

// lead adds what leads to a node to its arrival, and reports whether any of it was missing.
func (s *sources) lead(i int, to arrival) bool {
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
