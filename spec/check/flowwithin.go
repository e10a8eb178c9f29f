package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A composite node is one point of the flow. What its children do to a field decides in which
// states the field can be when it is over.

// A front says of each field in which states it can be at a place within a composite node that
// was entered while the field held nothing. A field that is in none cannot be there at all.
type front struct {
	open bits // it holds nothing still
	done bits // it was written
	told bits // something has looked at it in vain
}

func (f *flow) newFront() front {
	n := len(f.fields)
	return front{newBits(n), newBits(n), newBits(n)}
}

// take adds the states of another front, and reports whether any was missing.
func (s front) take(other front) bool {
	open, done, told := s.open.take(other.open), s.done.take(other.done), s.told.take(other.told)
	return open || done || told
}

// look has something look at fields.
func (s front) look(fields []int) {
	for _, i := range fields {
		if s.open.has(i) {
			s.open.remove(i)
			s.told.add(i)
		}
	}
}

// undone is what becomes of a front when all that was written is taken back.
func (s front) undone() front {
	s.open.take(s.done)
	clear(s.done)
	return s
}

// then is where a run stands that stood at a front, and goes through a node that does to
// fields which hold nothing what is given.
func (f *flow) then(at, does front) front {
	next := f.newFront()
	for w := range next.open {
		can := does.open[w] | does.done[w] | does.told[w]
		next.open[w] = at.open[w] & does.open[w]
		next.done[w] = at.open[w]&does.done[w] | at.done[w]&can
		next.told[w] = at.open[w]&does.told[w] | at.told[w]&can
	}
	return next
}

// An effect is what a node does when it is executed, those that it runs included.
type effect struct {
	succeeds, fails front // from where every field holds nothing
	looks           []look
	noted           map[looker]int // the index of a look

	reads, writes       bits // fields that may be read at all, and written
	readsAll, writesAll bool
}

// A look is a place that looks at fields which may hold nothing there, though nobody has
// looked at them before.
type look struct {
	looker
	fields bits
	after  bits // fields that may be written within before it is come to
}

// effect returns what a node does.
func (f *flow) effect(n *resolve.Node) *effect {
	if w := f.inside[n]; w != nil {
		return w
	}
	w := &effect{succeeds: f.newFront(), fails: f.newFront(), reads: newBits(len(f.fields)), writes: newBits(len(f.fields))}
	f.inside[n] = w
	switch {
	case n.Kind.Loops():
		f.loop(w, n)
	case n.Kind.OnFailure:
		w.succeeds, w.fails = f.region(w, n.Regions[0], f.start())
		w.fails = w.fails.undone()
	case n.Kind.Branches():
		f.parallel(w, n)
	case n.Kind.Each:
		f.each(w, n)
	case n.Kind.Picks():
		f.picks(w, n)
	default:
		f.alone(w, n)
		return w
	}
	for _, e := range f.c.cfg.Node(n).Evals {
		f.looksAt(w, n, false, w.succeeds, f.judges(e))
	}
	if n.Spec.Timeout.IsSet() {
		w.fails.open.fill() // it may be over before anything was done
	}
	if n.Has(spec.Retryable) {
		w.fails = w.fails.undone()
	}
	return w
}

// start is where a node that runs others begins.
func (f *flow) start() front {
	s := f.newFront()
	s.open.fill()
	return s
}

// alone is what a node does that runs no others.
func (f *flow) alone(w *effect, n *resolve.Node) {
	p := f.leaf(n)
	w.succeeds.open.fill()
	for _, i := range p.reads {
		w.reads.add(i)
	}
	f.looksAt(w, n, false, w.succeeds, p.reads)
	w.fails.take(w.succeeds)
	w.readsAll, w.writesAll = p.readsAll, p.writesAll
	if p.writesAll {
		w.succeeds.done.take(w.succeeds.open)
		clear(w.succeeds.open)
	}
	for _, i := range p.writes {
		w.writes.add(i)
		if w.succeeds.open.has(i) {
			w.succeeds.open.remove(i)
			w.succeeds.done.add(i)
		}
	}
}

// looksAt notes that a node looks at fields at a front.
func (f *flow) looksAt(w *effect, n *resolve.Node, until bool, at front, fields []int) {
	vain := newBits(len(f.fields))
	for _, i := range fields {
		w.reads.add(i)
		if at.open.has(i) {
			vain.add(i)
		}
	}
	w.note(look{looker{n, until}, vain, slices.Clone(at.done)})
	at.look(fields)
}

// A looker is a node, or the condition of a loop.
type looker struct {
	node  *resolve.Node
	until bool // the condition of the loop, not the node
}

// note adds fields that a place looks at in vain.
func (w *effect) note(l look) {
	if l.fields.isEmpty() {
		return // nor will it be told of
	}
	if at, ok := w.noted[l.looker]; ok {
		w.looks[at].fields.take(l.fields)
		w.looks[at].after.take(l.after)
		return
	}
	if w.noted == nil {
		w.noted = map[looker]int{}
	}
	w.noted[l.looker] = len(w.looks)
	w.looks = append(w.looks, l)
}

// A course is how far a run has come in a region: where the node before has succeeded, and
// where it has failed and was passed over, or was itself passed by.
type course struct{ well, badly front }

// take adds the states of another course, and reports whether any was missing.
func (c course) take(other course) bool {
	well, badly := c.well.take(other.well), c.badly.take(other.badly)
	return well || badly
}

// child takes a run through a node of a region.
func (f *flow) child(w *effect, n *resolve.Node, at course) (next course, fails front) {
	does := f.effect(n)
	next = course{f.newFront(), f.newFront()}
	fails = f.newFront()
	in := f.newFront()
	in.take(at.well)
	if n.Has(spec.SkipOnError) {
		next.badly.take(at.badly)
	} else {
		in.take(at.badly)
	}
	w.contain(does, in)
	next.well.take(f.then(in, does.succeeds))
	failed := f.then(in, does.fails)
	if n.Spec.FailSoft.V {
		next.badly.take(failed)
	}
	if !n.Spec.FailSoft.V || n.Evaluates() {
		fails.take(failed)
	}
	return next, fails
}

// contain notes what a node does that runs within, at a front.
func (w *effect) contain(does *effect, at front) {
	w.reads.take(does.reads)
	w.writes.take(does.writes)
	w.readsAll, w.writesAll = w.readsAll || does.readsAll, w.writesAll || does.writesAll
	for _, l := range does.looks {
		vain, after := slices.Clone(l.fields), slices.Clone(l.after)
		for i := range vain {
			vain[i] &= at.open[i]
			after[i] = after[i]&at.open[i] | at.done[i]
		}
		w.note(look{l.looker, vain, after})
	}
}

// region takes a run through the nodes of a region, one after the other.
func (f *flow) region(w *effect, r *resolve.Region, start front) (succeeds, fails front) {
	at := course{start, f.newFront()}
	fails = f.newFront()
	for _, n := range r.Nodes {
		next, failed := f.child(w, n, at)
		fails.take(failed)
		at = next
	}
	at.well.take(at.badly)
	return at.well, fails
}

// loop runs its body at least once, and leaves what is written when it fails.
func (f *flow) loop(w *effect, n *resolve.Node) {
	var asks []int
	mayPanic := false
	if until := f.c.until(n); until != nil {
		asks, _ = f.asked(until)
		mayPanic = panics(until)
	}
	for at := f.start(); ; {
		out, fails := f.region(w, n.Regions[0], at)
		w.fails.take(fails)
		f.looksAt(w, n, true, out, asks)
		w.succeeds.take(out)
		if mayPanic {
			w.fails.take(out)
		}
		if n.Spec.MaxIterations.V == 1 || !at.take(out) {
			return
		}
	}
}

// each is what a map does: perhaps nothing, as the list may be empty.
func (f *flow) each(w *effect, n *resolve.Node) {
	at := f.start()
	fits := n.Over != nil && n.Over.Type.Kind == resolve.List
	switch {
	case fits:
		f.looksAt(w, n, false, at, []int{f.number[n.Over]})
	case n.Over != nil:
		w.reads.add(f.number[n.Over]) // another may be meant
	}
	w.succeeds.take(at)
	if n.Item != nil {
		item := f.number[n.Item]
		w.writes.add(item)
		if !fits || !resolve.Same(n.Item.Type, n.Over.Type.Elem) {
			w.reads.add(item) // another may be meant
		}
		at.open.remove(item)
		at.done.add(item)
	}
	out, fails := f.region(w, n.Regions[0], at)
	w.succeeds.take(out)
	w.fails.take(fails)
	if n.Spec.Count.V > 1 {
		w.fails.take(out) // there may be fewer elements than have to succeed
	}
	w.fails = w.fails.undone()
}

// judges lists the fields of the state that an eval looks at.
func (f *flow) judges(e *expr.Expr) []int {
	if e == nil {
		return nil
	}
	asks, _ := f.fieldsIn(e)
	return asks
}

// panics reports whether a condition can panic; nil is no condition.
func panics(x *expr.Expr) bool { return x != nil && x.Uses().Panics }
