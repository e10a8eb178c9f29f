package dataflow

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// states has, for each field that is unwritten where an execution begins, the states in which it can be afterwards. A field
// in no state does not get there.
type states struct {
	unwritten Set
	written   Set
	reported  Set // something has read it while it was unwritten

	exposed []exposedRead // of what may be cancelled, the reads on the way
	nothing bool          // nothing was executed
}

// A reader is a node, or its condition: of a loop, or by which a parallel starts a branch, or of an edge in a region.
type reader struct {
	node  *resolve.Node
	until bool
	via   *cfg.Transition // the edge; nil: none
}

// An exposedRead has the fields that a reader may read unwritten, before another reader does.
type exposedRead struct {
	reader
	fields Set
	after  Set // fields that may be written in the execution before the read
}

func (f *Flow) newStates() *states {
	return &states{unwritten: f.NewSet(), written: f.NewSet(), reported: f.NewSet()}
}

// read moves fields from unwritten to reported.
func (s *states) read(fields []int) {
	for _, i := range fields {
		if s.nothing = false; s.unwritten.Has(i) {
			s.unwritten.Remove(i)
			s.reported.Add(i)
		}
	}
}

// write moves a field from unwritten to written.
func (s *states) write(field int) {
	if s.nothing = false; s.unwritten.Has(field) {
		s.unwritten.Remove(field)
		s.written.Add(field)
	}
}

// union adds other states, and reports whether any was missing.
func (s *states) union(other *states) bool {
	if other == nil {
		return false
	}
	unwritten, written, reported := s.unwritten.Union(other.unwritten), s.written.Union(other.written), s.reported.Union(other.reported)
	s.exposed, s.nothing = append(s.exposed, other.exposed...), false
	return unwritten || written || reported
}

// An algebra has the states after executions. Nil is what cannot be.
type algebra struct{ *Flow }

// Nothing returns the states after an execution of nothing.
func (f algebra) Nothing() *states {
	s := f.newStates()
	s.unwritten.fill()
	s.nothing = true
	return s
}

// Then returns the states after a and b.
func (f algebra) Then(a, b *states) *states {
	switch {
	case a == nil || b == nil:
		return nil
	case a.nothing:
		return b
	}
	after := f.newStates()
	for w := range after.unwritten {
		any := b.unwritten[w] | b.written[w] | b.reported[w]
		after.unwritten[w] = a.unwritten[w] & b.unwritten[w]
		after.written[w] = a.unwritten[w]&b.written[w] | a.written[w]&any
		after.reported[w] = a.unwritten[w]&b.reported[w] | a.reported[w]&any
	}
	for _, r := range b.exposed {
		fields, written := slices.Clone(r.fields), slices.Clone(r.after)
		for i := range fields {
			fields[i] &= a.unwritten[i]
			written[i] = written[i]&a.unwritten[i] | a.written[i]
		}
		if !fields.isEmpty() {
			after.exposed = append(after.exposed, exposedRead{r.reader, fields, written})
		}
	}
	return after
}

// Or adds the states of b to a.
func (f algebra) Or(a, b *states) *states {
	switch {
	case b == nil:
		return a
	case a == nil:
		a = f.newStates()
	}
	a.union(b)
	return a
}

// Again returns the states after repetitions. A field is in the same states after two as after one.
func (f algebra) Again(a *states, least, most int) *states {
	switch {
	case least > 0:
		return a
	case most == 0:
		return f.Nothing()
	}
	return f.Or(f.Nothing(), a)
}

// Undo returns the states after all writes were rolled back.
func (f algebra) Undo(a *states) *states {
	if a == nil {
		return nil
	}
	undone := f.Or(nil, a)
	undone.unwritten.Union(undone.written)
	clear(undone.written)
	return undone
}

// Cut returns the states of an execution that is ended from outside.
func (f algebra) Cut(o cfg.Outcomes[*states]) *states {
	s := f.Or(f.Nothing(), o.Cancelled)
	s.exposed = nil
	return s
}

// reads returns the states after a node, or the condition of a loop, has read fields.
func (f algebra) reads(by reader, fields []int) cfg.Outcomes[*states] {
	read, exposed := f.Nothing(), f.NewSet()
	read.read(fields)
	exposed.AddAll(fields)
	cancelled := f.Or(f.Nothing(), read)
	if len(fields) > 0 {
		cancelled.exposed = []exposedRead{{by, exposed, f.NewSet()}}
	}
	return cfg.Outcomes[*states]{Success: read, Cancelled: cancelled}
}

// Leaf returns the states after a node that runs no others. A failure writes nothing.
func (f algebra) Leaf(n *cfg.Node) (o cfg.Outcomes[*states], usedUp *states) {
	p := f.leaf(n)
	o = f.reads(reader{node: n.Spec}, p.reads)
	o.Failure = f.Or(nil, o.Success)
	if n.Spec.Loops {
		usedUp = o.Failure
	}
	if p.writesAll {
		o.Success.written.Union(o.Success.unwritten)
		clear(o.Success.unwritten)
		o.Success.nothing = false
	}
	for _, i := range p.writes {
		o.Success.write(i)
	}
	return o, usedUp
}

// Enter returns the states after a node has read the list over which it maps, and what decides which branches start.
func (f algebra) Enter(n *cfg.Node) cfg.Outcomes[*states] {
	if n.Spec.Kind.Branches() {
		return f.reads(reader{node: n.Spec, until: true}, f.starts(n))
	}
	return f.reads(reader{node: n.Spec}, f.list(n.Spec))
}

// starts returns the fields that the conditions read by which a parallel starts branches.
func (f *Flow) starts(n *cfg.Node) []int {
	var all []int
	for _, x := range n.Starts() {
		fields, _ := f.Reads(x)
		all = append(all, fields...)
	}
	return all
}

// list returns the field of the list over which a node maps.
func (f *Flow) list(n *resolve.Node) []int {
	if n.Over == nil || n.Over.Type.Kind != resolve.List {
		return nil
	}
	return []int{f.number[n.Over]}
}

// Until returns the states after the condition of a loop has read fields.
func (f algebra) Until(n *cfg.Node) cfg.Outcomes[*states] {
	fields, _ := f.Flow.Reads(n.Until)
	return f.reads(reader{node: n.Spec, until: true}, fields)
}

// Pass returns the states after a skipped node.
func (f algebra) Pass(*cfg.Node) cfg.Outcomes[*states] {
	return cfg.Outcomes[*states]{Success: f.Nothing()}
}

// Onward returns the same states.
func (f algebra) Onward(_ *cfg.Node, _ int, a *states) *states { return a }

// Test returns the states after it was found out whether a transition is taken.
func (f algebra) Test(n *cfg.Node, t *cfg.Transition) cfg.Outcomes[*states] {
	return f.reads(reader{node: n.Spec, via: t}, f.conditionReads(t))
}

// Withhold returns the states after a person's answer was no, or late: what a human node records of it is written.
func (f algebra) Withhold(n *cfg.Node, a *states) *states {
	if a == nil {
		return nil
	}
	a = f.Or(nil, a)
	for _, w := range n.Spec.Writes {
		if w.Record != nil {
			a.write(f.number[w.To])
		}
	}
	return a
}

// conditionReads returns the fields that are read to find out whether a transition is taken.
func (f *Flow) conditionReads(t *cfg.Transition) []int {
	if t == nil {
		return nil
	}
	var reads []int
	if t.Cond.Kind == cfg.If {
		reads, _ = f.Reads(t.Cond.Expr)
	}
	if t.Edge != nil && t.Edge.Judged() {
		reads = slices.Clone(reads)
		for _, field := range t.Edge.Shown {
			reads = append(reads, f.number[field])
		}
	}
	return reads
}

// An Effect is what an execution of a node does to the state, with the nodes that it runs.
type Effect struct {
	Reads, Writes       Set  // fields that may be read, and written
	ReadsAll, WritesAll bool // it takes the whole state, and may write any field

	succeeded, failed *states // after the node, from unwritten fields before it
	spent             *states // after it has found a budget spent
	refused           *states // after a person's answer was no, or late, and it has run nothing
	exposed           []exposedRead
}

// after returns the states after an outcome.
func (e *Effect) after(o *outcome) *states {
	switch {
	case o.commits():
		return e.succeeded
	case o.Outcome == cfg.Spent:
		return e.spent
	case o.refused():
		return e.refused
	}
	return e.failed
}

// Effect returns the effect of a node.
func (f *Flow) Effect(n *resolve.Node) *Effect {
	if e := f.effects[n]; e != nil {
		return e
	}
	e := &Effect{Reads: f.NewSet(), Writes: f.NewSet()}
	f.effects[n] = e
	e.touch(f, n)
	for _, child := range n.Children() {
		e.touch(f, child)
	}
	if !n.Kind.Composite() {
		return e
	}
	at := f.Graph.Node(n)
	enter, o := f.fold.Enter(at), f.fold.Regions(at)
	e.succeeded, e.failed = f.fold.Then(enter.Success, o.Success), f.fold.Then(enter.Success, o.Failure)
	e.spent, e.refused = f.fold.Then(enter.Success, o.Spent), f.fold.Nothing()
	e.expose(enter.Cancelled)
	e.expose(f.fold.Then(enter.Success, o.Cancelled))
	for _, s := range []**states{&e.succeeded, &e.failed, &e.spent} {
		if *s == nil {
			*s = f.newStates() // it does not get there
		}
	}
	return e
}

// expose adds exposed reads. Several reads of one reader are one.
func (e *Effect) expose(s *states) {
	if s == nil {
		return
	}
	at := make(map[reader]int, len(s.exposed))
	for i, r := range e.exposed {
		at[r.reader] = i
	}
	for _, r := range s.exposed {
		i, ok := at[r.reader]
		if !ok {
			at[r.reader] = len(e.exposed)
			e.exposed = append(e.exposed, exposedRead{r.reader, slices.Clone(r.fields), slices.Clone(r.after)})
			continue
		}
		e.exposed[i].fields.Union(r.fields)
		e.exposed[i].after.Union(r.after)
	}
}

// touch adds what a node itself reads and writes.
func (e *Effect) touch(f *Flow, n *resolve.Node) {
	switch at := f.Graph.Node(n); {
	case !n.Kind.Composite():
		p := f.leaf(at)
		e.ReadsAll, e.WritesAll = e.ReadsAll || p.readsAll, e.WritesAll || p.writesAll
		e.Reads.AddAll(p.reads)
		e.Writes.AddAll(p.writes)
	case n.Kind.Picks():
		e.Reads.AddAll(f.shown(n))
	default:
		until, _ := f.Reads(at.Until)
		e.Reads.AddAll(until)
		for _, x := range at.Starts() {
			_, known := f.Reads(x)
			e.ReadsAll = e.ReadsAll || !known
		}
		e.Reads.AddAll(f.starts(at))
	}
	if n.Over != nil {
		e.Reads.Add(f.number[n.Over])
	}
	if n.Item != nil {
		e.Writes.Add(f.number[n.Item])
		if len(f.list(n)) == 0 || !resolve.Same(n.Item.Type, n.Over.Type.Elem) {
			e.Reads.Add(f.number[n.Item]) // another may be meant
		}
	}
}
