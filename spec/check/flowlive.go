package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// needed finds, for every point that a run comes to, the fields that something may read
// from there on before they are overwritten.
func (f *flow) needed() []bits {
	words := len(f.gives)
	all := make(bits, words*len(f.points))
	needed := make([]bits, len(f.points))
	before := f.leading()
	queued := make([]bool, len(f.points))
	queue := make([]int, 0, len(f.points))
	for _, at := range f.reached() {
		needed[at] = all[at*words : (at+1)*words]
		queued[at] = true
		queue = append(queue, at)
	}
	slices.Reverse(queue) // what comes last first
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		queued[at] = false
		p := &f.points[at]
		facts := f.before(p, needed, nil)
		if needed[at].take(facts) {
			for _, b := range before[at] {
				if needed[b] != nil && !queued[b] {
					queued[b] = true
					queue = append(queue, b)
				}
			}
		}
	}
	return needed
}

// after adds the fields that are needed after an outcome: by its conditions, where it
// leads, and at an end. With on_max_steps: last or flag a run can end anywhere.
func (f *flow) after(o *outcome, needed []bits, facts bits) {
	if most := f.c.spec.Limits.OnMaxSteps; most.Lost || most.V == "last" || most.V == "flag" {
		facts.take(f.gives)
	}
	for i := range o.moves {
		m := &o.moves[i]
		for _, a := range m.asks {
			facts.add(a)
		}
		switch {
		case m.to == theEnd:
			facts.take(f.gives)
		case needed[m.to] != nil:
			facts.take(needed[m.to])
		}
	}
}

// leading lists the points from which moves lead to each.
func (f *flow) leading() [][]int {
	before := make([][]int, len(f.points))
	for at := range f.points {
		for _, o := range f.points[at].outcomes {
			for _, m := range o.moves {
				if m.to != theEnd {
					before[m.to] = append(before[m.to], at)
				}
			}
		}
	}
	return before
}

// reached lists the points that a run can come to, nearest first.
func (f *flow) reached() []int {
	seen := make([]bool, len(f.points))
	seen[f.entry] = true
	list := []int{f.entry}
	for i := 0; i < len(list); i++ {
		for _, o := range f.points[list[i]].outcomes {
			for _, m := range o.moves {
				if m.to != theEnd && !seen[m.to] {
					seen[m.to] = true
					list = append(list, m.to)
				}
			}
		}
	}
	return list
}

// before returns the fields that are needed before a point, and tells which are after each
// node that succeeds.
func (f *flow) before(p *point, needed []bits, tell func(*resolve.Node, bits)) bits {
	well, badly, facts := newBits(len(f.fields)), newBits(len(f.fields)), newBits(len(f.fields))
	for i := range p.outcomes {
		switch o := &p.outcomes[i]; {
		case o.commits:
			f.after(o, needed, well)
		case o.executes():
			f.after(o, needed, badly)
		default:
			f.after(o, needed, facts)
		}
	}
	if p.skipped {
		return facts
	}
	facts.take((&need{f, tell}).node(p.node, well, badly))
	return facts
}

// A need follows what is needed of the state back through what nodes run.
type need struct {
	f    *flow
	tell func(*resolve.Node, bits) // nil: nobody asks
}

// A demand says what a node that runs others needs of the state, whatever is needed when it has
// ended: each field by itself is needed in any case, or where it is needed after a success, or
// after a failure.
type demand struct{ always, well, badly bits }

// demand returns that of a composite node. It is found once, from those of the nodes within,
// so that the work does not depend on how deep nodes are nested.
func (f *flow) demand(n *resolve.Node) *demand {
	if d := f.demands[n]; d != nil {
		return d
	}
	all, x := newBits(len(f.fields)), &need{f: f}
	all.fill()
	d := &demand{
		always: x.composite(n, newBits(len(f.fields)), newBits(len(f.fields))),
		well:   x.composite(n, all, newBits(len(f.fields))),
		badly:  x.composite(n, newBits(len(f.fields)), all),
	}
	f.demands[n] = d
	return d
}

// before returns the fields that are needed before the node.
func (d *demand) before(well, badly bits) bits {
	facts := slices.Clone(d.always)
	for i := range facts {
		facts[i] |= d.well[i]&well[i] | d.badly[i]&badly[i]
	}
	return facts
}

// node returns the fields that are needed before a node, of which some are when it has
// succeeded, and some when it has failed. A failure leaves what was written.
func (x *need) node(n *resolve.Node, well, badly bits) bits {
	switch {
	case !n.Kind.Composite():
		return x.alone(n, well, badly)
	case x.tell == nil:
		return x.f.demand(n).before(well, badly)
	}
	return x.composite(n, well, badly)
}

// composite goes back through what a node runs.
func (x *need) composite(n *resolve.Node, well, badly bits) bits {
	f := x.f
	f.c.work++
	inside := badly
	rolled := n.Kind.OnFailure || n.Kind.Forks() || n.Has(spec.Retryable)
	if rolled {
		inside = newBits(len(f.fields)) // what is written does not outlive a failure
	}
	after := slices.Clone(well)
	for _, e := range f.c.cfg.Node(n).Evals {
		after.addAll(f.judges(e))
	}
	var facts bits
	switch {
	case n.Kind.Loops():
		facts = x.loop(n, after, inside)
	case n.Kind.Picks():
		facts = x.pool(n, after, inside)
	default:
		facts = x.branches(n, after, inside)
	}
	if rolled {
		facts.take(badly)
	}
	return facts
}

func (x *need) alone(n *resolve.Node, well, badly bits) bits {
	if x.tell != nil {
		x.tell(n, well)
	}
	p, facts := x.f.leaf(n), slices.Clone(well)
	for _, w := range p.writes {
		if x.f.fields[w].Merge == "last" {
			facts.remove(w)
		}
	}
	facts.take(badly)
	if p.readsAll {
		facts.fill()
	}
	facts.addAll(p.reads)
	return facts
}

// region goes back through the nodes of a region.
func (x *need) region(r *resolve.Region, well, badly bits) bits {
	facts := well
	for i := len(r.Nodes) - 1; i >= 0; i-- {
		facts = x.child(r.Nodes[i], facts, badly)
	}
	return slices.Clone(facts)
}

// child goes back through a node of a region, which may be skipped, or fail and be passed over.
func (x *need) child(n *resolve.Node, well, badly bits) bits {
	failed := newBits(len(x.f.fields))
	if n.Spec.FailSoft.V {
		failed.take(well)
	}
	if !n.Spec.FailSoft.V || n.Evaluates() {
		failed.take(badly)
	}
	facts := x.node(n, well, failed)
	if n.Has(spec.SkipOnError) {
		facts.take(well)
	}
	return facts
}

func (x *need) loop(n *resolve.Node, well, badly bits) bits {
	if until := x.f.c.until(n); until != nil {
		asks, _ := x.f.asked(until)
		well.addAll(asks)
	}
	quiet := &need{f: x.f}
	for n.Spec.MaxIterations.V != 1 && well.take(quiet.region(n.Regions[0], well, badly)) {
	}
	return x.region(n.Regions[0], well, badly)
}

// pool goes back through a pool, of which any node may follow any.
func (x *need) pool(n *resolve.Node, well, badly bits) bits {
	for _, field := range n.Reads {
		well.add(x.f.number[field]) // the model is shown them
	}
	well.take(badly)
	quiet := &need{f: x.f}
	before := func(x *need) bits {
		facts := newBits(len(x.f.fields))
		for _, r := range n.Regions {
			facts.take(x.region(r, well, badly))
		}
		return facts
	}
	for well.take(before(quiet)) {
	}
	return before(x)
}

// branches goes back through branches that work on copies, or through a body that is undone
// when it fails. What all of them may leave unwritten is needed as it was before.
func (x *need) branches(n *resolve.Node, well, badly bits) bits {
	f := x.f
	facts := newBits(len(f.fields))
	for _, r := range n.Regions {
		facts.take(x.region(r, well, badly))
	}
	if n.Kind.OnFailure {
		return facts
	}
	if n.Item != nil {
		facts.remove(f.number[n.Item])
	}
	if n.Over != nil {
		facts.add(f.number[n.Over])
	}
	left := f.effect(n).succeeds.open
	for i := range facts {
		facts[i] |= well[i] & left[i]
	}
	return facts
}

func (b bits) addAll(list []int) {
	for _, i := range list {
		b.add(i)
	}
}
