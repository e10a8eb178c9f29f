package dataflow

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// states has, for each field that is unwritten where a composite node is entered, the states in
// which it can be at a place within the node. A field in no state does not reach the place.
type states struct {
	unwritten Set
	written   Set
	reported  Set // something has read it while it was unwritten
}

func (f *Flow) newStates() states { return states{f.NewSet(), f.NewSet(), f.NewSet()} }

// entered returns the states where a composite node is entered.
func (f *Flow) entered() states {
	s := f.newStates()
	s.unwritten.fill()
	return s
}

// union adds the states of another place, and reports whether any was missing.
func (s states) union(other states) bool {
	unwritten, written, reported := s.unwritten.Union(other.unwritten), s.written.Union(other.written), s.reported.Union(other.reported)
	return unwritten || written || reported
}

// read moves fields from unwritten to reported.
func (s states) read(fields []int) {
	for _, i := range fields {
		if s.unwritten.Has(i) {
			s.unwritten.Remove(i)
			s.reported.Add(i)
		}
	}
}

// write moves a field from unwritten to written.
func (s states) write(field int) {
	if s.unwritten.Has(field) {
		s.unwritten.Remove(field)
		s.written.Add(field)
	}
}

// rolledBack returns the states after all writes were undone.
func (s states) rolledBack() states {
	s.unwritten.Union(s.written)
	clear(s.written)
	return s
}

// compose returns the states after a node with an effect, from the states before it.
func (f *Flow) compose(before, effect states) states {
	after := f.newStates()
	for w := range after.unwritten {
		any := effect.unwritten[w] | effect.written[w] | effect.reported[w]
		after.unwritten[w] = before.unwritten[w] & effect.unwritten[w]
		after.written[w] = before.unwritten[w]&effect.written[w] | before.written[w]&any
		after.reported[w] = before.unwritten[w]&effect.reported[w] | before.reported[w]&any
	}
	return after
}

// An Effect is what an execution of a node does to the state, with the nodes that it runs.
type Effect struct {
	Reads, Writes       Set  // fields that may be read, and written
	ReadsAll, WritesAll bool // it takes the whole state, and may write any field

	succeeded, failed states // after the node, from unwritten fields before it
	exposed           []exposedRead
	readers           map[reader]int // the index of an exposed read
}

// A reader is a node, or the condition of a loop.
type reader struct {
	node  *resolve.Node
	until bool
}

// An exposedRead has the fields that a reader may read unwritten, before another reader does.
type exposedRead struct {
	reader
	fields Set
	after  Set // fields that may be written within the node before the read
}

// after returns the states after an outcome.
func (e *Effect) after(o *outcome) states {
	if o.commits() {
		return e.succeeded
	}
	return e.failed
}

// Effect returns the effect of a node.
func (f *Flow) Effect(n *resolve.Node) *Effect {
	if e := f.effects[n]; e != nil {
		return e
	}
	e := &Effect{succeeded: f.newStates(), failed: f.newStates(), Reads: f.NewSet(), Writes: f.NewSet()}
	f.effects[n] = e
	switch {
	case n.Kind.Loops():
		f.loop(e, n)
	case n.Kind.OnFailure:
		e.succeeded, e.failed = f.region(e, n.Regions[0], f.entered())
		e.failed = e.failed.rolledBack()
	case n.Kind.Branches():
		f.parallel(e, n)
	case n.Kind.Each:
		f.each(e, n)
	case n.Kind.Picks():
		f.pool(e, n)
	default:
		f.leafEffect(e, f.Graph.Node(n))
		return e
	}
	for _, x := range f.Graph.Node(n).Evals {
		f.read(e, reader{node: n}, e.succeeded, f.EvalReads(x))
	}
	if n.Spec.Timeout.IsSet() {
		e.failed.unwritten.fill() // it may be over before anything was done
	}
	if n.Has(spec.Retryable) {
		e.failed = e.failed.rolledBack()
	}
	return e
}

// leafEffect is the effect of a node that is not composite.
func (f *Flow) leafEffect(e *Effect, n *cfg.Node) {
	p := f.leaf(n)
	e.ReadsAll, e.WritesAll = p.readsAll, p.writesAll
	e.Reads.AddAll(p.reads)
	e.Writes.AddAll(p.writes)
	e.succeeded.unwritten.fill()
	f.read(e, reader{node: n.Spec}, e.succeeded, p.reads)
	e.failed.union(e.succeeded)
	if p.writesAll {
		e.succeeded.written.Union(e.succeeded.unwritten)
		clear(e.succeeded.unwritten)
	}
	for _, i := range p.writes {
		e.succeeded.write(i)
	}
}

// read has a reader read fields at a place.
func (f *Flow) read(e *Effect, by reader, at states, fields []int) {
	exposed := f.NewSet()
	for _, i := range fields {
		e.Reads.Add(i)
		if at.unwritten.Has(i) {
			exposed.Add(i)
		}
	}
	e.expose(exposedRead{by, exposed, slices.Clone(at.written)})
	at.read(fields)
}

// expose adds the fields of an exposed read.
func (e *Effect) expose(r exposedRead) {
	if r.fields.isEmpty() {
		return
	}
	if i, ok := e.readers[r.reader]; ok {
		e.exposed[i].fields.Union(r.fields)
		e.exposed[i].after.Union(r.after)
		return
	}
	if e.readers == nil {
		e.readers = map[reader]int{}
	}
	e.readers[r.reader] = len(e.exposed)
	e.exposed = append(e.exposed, r)
}

// An arrival has the states where a node of a region begins: after a success of the node before
// it, and after a soft failure or a skip.
type arrival struct{ succeeded, failed states }

func (f *Flow) newArrival() arrival { return arrival{f.newStates(), f.newStates()} }

// union adds the states of another arrival, and reports whether any was missing.
func (a arrival) union(other arrival) bool {
	succeeded, failed := a.succeeded.union(other.succeeded), a.failed.union(other.failed)
	return succeeded || failed
}

// child adds the effect of a node of a region to the effect of its parent. It returns the arrival at the
// next node, and the states after a failure, which ends the region.
func (f *Flow) child(parent *Effect, n *resolve.Node, at arrival) (next arrival, fails states) {
	effect := f.Effect(n)
	next, fails = f.newArrival(), f.newStates()
	in := f.newStates()
	in.union(at.succeeded)
	if n.Has(spec.SkipOnError) {
		next.failed.union(at.failed)
	} else {
		in.union(at.failed)
	}
	parent.include(effect, in)
	next.succeeded.union(f.compose(in, effect.succeeded))
	failed := f.compose(in, effect.failed)
	if n.Spec.FailSoft.V {
		next.failed.union(failed)
	}
	if !n.Spec.FailSoft.V || n.Evaluates() || n.Loops && !n.Kind.Composite() { // used-up visits are no soft failure
		fails.union(failed)
	}
	return next, fails
}

// include adds the reads and writes of a node that the parent runs, from the states before it.
func (e *Effect) include(child *Effect, before states) {
	e.Reads.Union(child.Reads)
	e.Writes.Union(child.Writes)
	e.ReadsAll, e.WritesAll = e.ReadsAll || child.ReadsAll, e.WritesAll || child.WritesAll
	for _, r := range child.exposed {
		fields, after := slices.Clone(r.fields), slices.Clone(r.after)
		for i := range fields {
			fields[i] &= before.unwritten[i]
			after[i] = after[i]&before.unwritten[i] | before.written[i]
		}
		e.expose(exposedRead{r.reader, fields, after})
	}
}

// region adds the effects of the nodes of a region, one after the other. Routers skip some.
func (f *Flow) region(parent *Effect, r *resolve.Region, start states) (succeeds, fails states) {
	at := make([]arrival, len(r.Nodes)+1) // at each node, and at the end
	for i := range at {
		at[i] = f.newArrival()
	}
	at[0].succeeded.union(start)
	fails = f.newStates()
	for i, n := range r.Nodes {
		next, failed := f.child(parent, n, at[i])
		fails.union(failed)
		succeeded, softly := f.onward(n)
		for _, to := range succeeded {
			at[to].succeeded.union(next.succeeded)
		}
		for _, to := range softly {
			at[to].failed.union(next.failed)
		}
	}
	end := at[len(r.Nodes)]
	end.succeeded.union(end.failed)
	return end.succeeded, fails
}

// onward returns the places in its region to which a run may go from a node: after a success, and after a soft
// failure or a skip.
func (f *Flow) onward(n *resolve.Node) (succeeded, softly []int) {
	at := f.Graph.Node(n)
	if at.Soft {
		softly = at.Onward(cfg.SoftFailed)
	}
	if at.Skip {
		softly = append(softly, at.Onward(cfg.Skipped)...)
	}
	return at.Onward(cfg.Succeeded), softly
}

// loop is the effect of a loop: its body runs at least once, and a failure keeps what was written.
func (f *Flow) loop(e *Effect, n *resolve.Node) {
	until := f.Graph.Node(n).Until
	reads, _ := f.Reads(until)
	for at := f.entered(); ; {
		out, fails := f.region(e, n.Regions[0], at)
		e.failed.union(fails)
		f.read(e, reader{n, true}, out, reads)
		e.succeeded.union(out)
		if mayPanic(until) {
			e.failed.union(out)
		}
		if n.Spec.MaxIterations.V == 1 || !at.union(out) {
			return
		}
	}
}

// each is the effect of a map. It may run nothing, as the list may be empty.
func (f *Flow) each(e *Effect, n *resolve.Node) {
	at := f.entered()
	fits := n.Over != nil && n.Over.Type.Kind == resolve.List
	switch {
	case fits:
		f.read(e, reader{node: n}, at, []int{f.number[n.Over]})
	case n.Over != nil:
		e.Reads.Add(f.number[n.Over]) // another may be meant
	}
	e.succeeded.union(at)
	if n.Item != nil {
		item := f.number[n.Item]
		e.Writes.Add(item)
		if !fits || !resolve.Same(n.Item.Type, n.Over.Type.Elem) {
			e.Reads.Add(item) // another may be meant
		}
		at.unwritten.Remove(item)
		at.written.Add(item)
	}
	out, fails := f.region(e, n.Regions[0], at)
	e.succeeded.union(out)
	e.failed.union(fails)
	if n.Over != nil && n.Over.Spec.MaxLength.IsSet() {
		e.failed.union(f.entered()) // the list may be longer
	}
	if n.Spec.Count.V > 1 || f.Graph.Node(n).Merges() {
		e.failed.union(out) // there may be fewer elements than have to succeed
	}
	e.failed = e.failed.rolledBack()
}
