package dataflow

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/scc"
)

// mostWork bounds how many successors are looked at to find paths. The reads that remain are
// reported without a path, and some of them although a bound keeps every run from them.
const mostWork = 1 << 22

// A Place is what reads a field.
type Place uint8

const (
	InNode Place = iota
	InCondition
	InOutput
)

// A Read is a read of a field that may be unwritten there.
type Read struct {
	Place Place
	Field int
	Node  *resolve.Node   // InNode: the reader, which a composite node may run; InCondition of an edge in a region: the node that it leaves
	Until bool            // InNode: the condition of the loop reads it, or of a branch of the parallel
	Via   *cfg.Transition // InCondition: the transition with the condition

	Path  []Step // from the entry to the node; nil: it was not searched
	Never bool   // nothing that a run reaches writes the field
	Every bool   // nothing has written it on any path

	point  int  // of the last node on the path
	within bool // the composite node around the reader may write it before
}

// read completes a read by what the reader is.
func (r reader) read(of Read) Read {
	of.Node, of.Until, of.Via = r.node, r.until, r.via
	if r.via != nil {
		of.Place = InCondition
	}
	return of
}

// A Step is a node on a path, and how its visit comes out there.
type Step struct {
	Node    *resolve.Node // nil: the end of the run
	Outcome cfg.Outcome
	Late    bool // bounds are used up
	Cut     bool // steps before it are left out
}

// How many steps of a long path are shown.
const (
	shownFirst = 6
	shownLast  = 3
)

// Unassigned returns the reads of fields that may be unwritten. Behind such a read the field counts
// as written, so that a mistake is reported where it begins.
func (f *Flow) Unassigned() []Read {
	if f.unassigned == nil {
		found := f.findUnassigned()
		f.unassigned = &found
	}
	return *f.unassigned
}

func (f *Flow) findUnassigned() []Read {
	suspect := f.findUnwritten()
	if suspect.isEmpty() {
		return nil
	}
	var found []Read
	n := len(f.points)
	s := &search{Flow: f, from: make([]origin, n), opened: make([]int, f.late+1), reachedBy: make([]int, n)}
	suspect.Each(func(field int) {
		if s.work < mostWork {
			found = append(found, s.run(field)...)
			suspect.Remove(field)
		}
	})
	return append(found, f.withoutPaths(suspect)...)
}

// withoutPaths returns the reads of fields that no search has looked for.
func (f *Flow) withoutPaths(fields Set) (found []Read) {
	if fields.isEmpty() {
		return nil
	}
	for at := range f.points {
		p := &f.points[at]
		if f.unwritten[at] == nil {
			continue
		}
		open := func(field int) bool { return fields.Has(field) && f.unwritten[at].Has(field) }
		for _, field := range p.reads {
			if open(field) {
				p.readers(field, func(r exposedRead) {
					found = append(found, r.read(Read{Field: field, point: at}))
				})
			}
		}
		for i := range p.outcomes {
			o := &p.outcomes[i]
			for _, s := range o.successors {
				for _, field := range s.reads {
					if open(field) && p.keepsUnwritten(o, field) {
						found = append(found, Read{Place: InCondition, Field: field, point: at, Via: s.via})
					}
				}
			}
		}
	}
	return found
}

// readers lists what reads a field that is unwritten at the point.
func (p *point) readers(field int, list func(exposedRead)) {
	if p.effect == nil {
		if slices.Contains(p.reads, field) {
			list(exposedRead{reader: reader{node: p.node.Spec}})
		}
		return
	}
	for _, r := range p.effect.exposed {
		if r.fields.Has(field) {
			list(r)
		}
	}
}

// keepsUnwritten reports whether a field can be unwritten, and unread, after an outcome.
func (p *point) keepsUnwritten(o *outcome, field int) bool {
	switch {
	case !o.executes():
		return true
	case p.effect != nil:
		return p.effect.after(o).unwritten.Has(field)
	case slices.Contains(p.reads, field):
		return false
	}
	return !p.commits(o, field) || !p.writesAll && !slices.Contains(p.writes, field)
}

// mayWrite reports whether the point, which writes the field, may have written it after an outcome.
func (p *point) mayWrite(o *outcome, field int) bool {
	if p.effect != nil {
		return o.executes() && p.effect.after(o).written.Has(field)
	}
	return p.commits(o, field)
}

// A search goes through the points at which one field may be unwritten. One search is used for one
// field after the other: it marks what it finds with its number, so that nothing has to be cleared.
type search struct {
	*Flow
	work   int
	number int
	field  int

	from      []origin // by point
	todo      []int
	waiting   []outcomeAt // outcomes with late successors that are not yet possible
	opened    []int       // by number of a late successor, the last search for which it was possible
	reachedBy []int       // by point, the last search that reached it from a write
	asked     map[*cfg.Transition]bool
	ended     bool
	found     []Read
}

// An origin is the step by which a search reached a point.
type origin struct {
	step
	seen  int // the last search that reached it
	depth int
	head  int // the last point of the path here that is among those shown first
}

// A step is a Step by the number of its point.
type step struct {
	point   int
	outcome cfg.Outcome
	late    bool
}

// An outcomeAt is an outcome of a point, by number.
type outcomeAt struct{ point, outcome int }

func (s *search) run(field int) []Read {
	s.number++
	s.field, s.waiting, s.ended, s.found, s.asked = field, nil, false, nil, map[*cfg.Transition]bool{}
	s.from[s.entry] = origin{seen: s.number, head: s.entry}
	s.todo = append(s.todo[:0], s.entry)
	for {
		s.drain()
		if !s.open() {
			break
		}
	}
	if len(s.found) > 0 {
		s.compare()
	}
	return s.found
}

// drain visits all points that are reached by the successors possible so far.
func (s *search) drain() {
	for i := 0; i < len(s.todo); i++ {
		at := s.todo[i]
		p := &s.points[at]
		s.work++
		p.readers(s.field, func(r exposedRead) {
			s.report(r.read(Read{point: at, within: r.after != nil && r.after.Has(s.field), Path: s.path(at)}))
		})
		for i := range p.outcomes {
			s.follow(outcomeAt{at, i})
		}
	}
	s.todo = s.todo[:0]
}

func (s *search) report(r Read) {
	r.Field = s.field
	s.found = append(s.found, r)
}

// follow goes to the successors of an outcome that are possible so far.
func (s *search) follow(from outcomeAt) {
	waits := s.successors(from, func(by step, to *successor) bool {
		switch {
		case slices.Contains(to.reads, s.field):
			if !s.asked[to.via] {
				s.asked[to.via] = true
				s.report(Read{Place: InCondition, point: by.point, Via: to.via, Path: s.path(by.point)})
			}
			return false
		case to.to != exit:
			s.visit(to.to, by)
		case !s.ended && s.Output.Has(s.field):
			s.ended = true
			path := s.path(by.point)
			last := &path[len(path)-1]
			last.Outcome, last.Late = by.outcome, by.late
			s.report(Read{Place: InOutput, point: by.point, Path: append(path, Step{})})
		}
		return true
	})
	if waits {
		s.waiting = append(s.waiting, from)
	}
}

// successors lists the successors of an outcome that are possible so far, until list returns
// false. It reports whether there are others.
func (s *search) successors(from outcomeAt, list func(step, *successor) bool) (waits bool) {
	p := &s.points[from.point]
	o := &p.outcomes[from.outcome]
	if !p.keepsUnwritten(o, s.field) {
		return false
	}
	for i := range o.successors {
		to := &o.successors[i]
		s.work++
		if to.late > 0 && s.opened[to.late] != s.number {
			waits = true
		} else if !list(step{from.point, o.Outcome, to.late > 0}, to) {
			return waits
		}
	}
	return waits
}

func (s *search) visited(at int) bool { return s.from[at].seen == s.number }

func (s *search) visit(at int, by step) {
	if s.visited(at) {
		return
	}
	o := origin{step: by, seen: s.number, depth: s.from[by.point].depth + 1, head: at}
	if o.depth >= shownFirst {
		o.head = s.from[by.point].head
	}
	s.from[at] = o
	s.todo = append(s.todo, at)
}

// path returns the path on which the search reached a point, cut where it is long.
func (s *search) path(at int) []Step {
	depth := s.from[at].depth
	if depth < shownFirst+shownLast+1 {
		return s.chain(at, depth+1)
	}
	end := s.chain(at, shownLast)
	end[0].Cut = true
	return append(s.chain(s.from[at].head, shownFirst), end...)
}

// chain returns the last steps of the path to a point.
func (s *search) chain(at, length int) []Step {
	path := make([]Step, length)
	path[length-1] = Step{Node: s.node(at)}
	for i := length - 2; i >= 0; i-- {
		by := s.from[at].step
		path[i] = Step{Node: s.node(by.point), Outcome: by.outcome, Late: by.late}
		at = by.point
	}
	return path
}

// open finds late successors that are possible after the others, goes to them, and reports whether
// there were any. When the search has worked too long, it takes all of them for possible.
func (s *search) open() bool {
	if len(s.waiting) == 0 {
		return false
	}
	all := s.work > mostWork
	var cycle []int
	if !all {
		cycle = s.cycles()
	}
	waiting := s.waiting
	s.waiting = nil
	var ready []outcomeAt
	for _, w := range waiting {
		found := false
		for _, to := range s.points[w.point].outcomes[w.outcome].successors {
			if to.late > 0 && s.opened[to.late] != s.number && (all || s.returns(w.point, to.after, cycle)) {
				s.opened[to.late], found = s.number, true
			}
		}
		if found {
			ready = append(ready, w)
		} else {
			s.waiting = append(s.waiting, w)
		}
	}
	for _, r := range ready {
		s.follow(r)
	}
	return len(ready) > 0
}

// cycles numbers the cycles of the successors possible so far, by point; 0: not on a cycle.
func (s *search) cycles() []int {
	next := make([][]int, len(s.points))
	for at := range s.points {
		if s.visited(at) {
			s.leads(at, func(to *successor) { next[at] = append(next[at], to.to) })
		}
	}
	s.work += len(s.points)
	of := make([]int, len(s.points))
	for i, members := range scc.Cycles(next) {
		for _, m := range members {
			of[m] = i + 1
		}
	}
	return of
}

// leads lists the successors of a point that are points, and possible so far.
func (s *search) leads(at int, list func(*successor)) {
	for i := range s.points[at].outcomes {
		s.successors(outcomeAt{at, i}, func(_ step, to *successor) bool {
			if slices.Contains(to.reads, s.field) {
				return false
			}
			if to.to != exit {
				list(to)
			}
			return true
		})
	}
}

// byEdge reports whether an edge leads to the point at which a node is executed, or to the point of its skipping.
func (s *search) byEdge(to *successor, at int) bool {
	return to.via != nil && to.via.Edge != nil && s.executed(to.to) == at
}

// returns reports whether a run can return to a point after edges of its node led to other points;
// if there are none, after it was left.
func (s *search) returns(at int, after []int, cycle []int) bool {
	if n := s.node(at); n.Has(spec.SkipOnError) {
		return s.returnsTo(at, s.at[n], after)
	}
	if cycle[at] == 0 {
		return false
	}
	for _, a := range after {
		back := false
		s.leads(at, func(to *successor) { back = back || s.byEdge(to, a) && cycle[to.to] == cycle[at] })
		if !back {
			return false
		}
	}
	return true
}

// returnsTo is returns for a node of two points, of which the first is given.
func (s *search) returnsTo(at, first int, after []int) bool {
	from := func(wanted func(*successor) bool) (starts []int) {
		for p := first; p <= first+1; p++ {
			if s.visited(p) {
				s.leads(p, func(to *successor) {
					if wanted(to) {
						starts = append(starts, to.to)
					}
				})
			}
		}
		return starts
	}
	if len(after) == 0 {
		return s.reaches(from(func(*successor) bool { return true }), at)
	}
	for _, a := range after {
		if !s.reaches(from(func(to *successor) bool { return s.byEdge(to, a) }), at) {
			return false
		}
	}
	return true
}

// reaches reports whether successors possible so far lead from one of the points to another.
func (s *search) reaches(starts []int, at int) bool {
	seen := make([]bool, len(s.points))
	for todo := starts; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case p == at:
			return true
		case !seen[p]:
			seen[p] = true
			s.leads(p, func(to *successor) { todo = append(todo, to.to) })
		}
	}
	return false
}

// compare finds, for each read, whether the field is unwritten on other paths, too.
func (s *search) compare() {
	var todo []int
	ends := false
	visit := func(o *outcome) {
		s.work += len(o.successors)
		for i := range o.successors {
			switch to := o.successors[i].to; {
			case to == exit:
				ends = true
			case s.reachedBy[to] != s.number:
				s.reachedBy[to] = s.number
				todo = append(todo, to)
			}
		}
	}
	writers := s.writersOf(s.field)
	for _, at := range writers {
		for i := range s.points[at].outcomes {
			if o := &s.points[at].outcomes[i]; s.points[at].mayWrite(o, s.field) {
				visit(o)
			}
		}
	}
	for len(todo) > 0 {
		p := &s.points[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		for i := range p.outcomes {
			visit(&p.outcomes[i])
		}
	}
	for i := range s.found {
		r := &s.found[i]
		r.Never = len(writers) == 0
		r.Every = s.reachedBy[r.point] != s.number && !r.within
		if r.Place == InOutput {
			r.Every = !ends
		}
	}
}

// writersOf lists the points that a run reaches and that may write a field.
func (f *Flow) writersOf(field int) []int {
	if f.writers == nil {
		f.writers = make([][]int, len(f.Fields))
		for at := range f.points {
			p := &f.points[at]
			switch {
			case f.unwritten[at] == nil:
			case p.writesAll:
				f.writeAny = append(f.writeAny, at)
			default:
				for _, w := range p.writes {
					f.writers[w] = append(f.writers[w], at)
				}
			}
		}
	}
	return slices.Concat(f.writers[field], f.writeAny)
}
