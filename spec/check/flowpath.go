package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/scc"
)

// mostWork bounds how many moves are looked at to find paths. What is left then is told
// without its path, and may be told though a bound keeps every run from it.
const mostWork = 1 << 22

// looks says what looks at a field.
type looks uint8

const (
	inNode looks = iota
	inCondition
	inOutput
)

// An unassigned is a place that looks at a field which may hold nothing there.
type unassigned struct {
	looks  looks
	field  int
	point  int           // where the path ends; of an output the last before the end
	cond   *resolve.Edge // whose condition looks at it
	node   *resolve.Node // that looks at it: the point's, or one that it runs
	until  bool          // the condition of that loop does
	within bool          // the node around it may have it written before

	path  []hop // nil: it was not looked for
	never bool  // nothing that a run comes to writes the field
	every bool  // nothing has written it on any path
}

// A hop is a step of a path: the point, and how its step comes out there.
type hop struct {
	point  int
	ending ending
	late   bool
	cut    bool // steps before it are left out
}

// How many hops of a long path are shown.
const (
	shownFirst = 6
	shownLast  = 3
)

// unassigned returns what looks at fields that may hold nothing. Behind a place that looks
// at one in vain the field counts as assigned: a mistake is told where it begins.
func (f *flow) unassigned() []unassigned {
	suspect := f.spread()
	if suspect.isEmpty() {
		return nil
	}
	var found []unassigned
	n := len(f.points)
	s := &search{f: f, from: make([]origin, n), opened: make([]int, f.late+1), written: make([]int, n)}
	suspect.each(func(field int) {
		if s.work < mostWork {
			found = append(found, s.run(field)...)
			suspect.remove(field)
		}
	})
	return append(found, f.withoutPaths(suspect)...)
}

// withoutPaths is what spread alone knows of fields.
func (f *flow) withoutPaths(fields bits) (found []unassigned) {
	if fields.isEmpty() {
		return nil
	}
	for at := range f.points {
		p := &f.points[at]
		if f.opens[at] == nil {
			continue
		}
		open := func(field int) bool { return fields.has(field) && f.opens[at].has(field) }
		for _, field := range p.reads {
			if open(field) {
				p.lookers(field, func(l look) {
					found = append(found, unassigned{looks: inNode, field: field, point: at, node: l.node, until: l.until})
				})
			}
		}
		for i := range p.outcomes {
			for _, m := range p.outcomes[i].moves {
				for _, field := range m.asks {
					if open(field) && p.leaves(&p.outcomes[i], field) {
						found = append(found, unassigned{looks: inCondition, field: field, point: at, cond: m.cond})
					}
				}
			}
		}
	}
	return found
}

func (p *point) looksAt(field int) bool { return slices.Contains(p.reads, field) }

// lookers lists what looks at a field that holds nothing when the point is come to.
func (p *point) lookers(field int, list func(look)) {
	if p.effect == nil {
		if p.looksAt(field) {
			list(look{looker: looker{node: p.node}})
		}
		return
	}
	for _, l := range p.effect.looks {
		if l.fields.has(field) {
			list(l)
		}
	}
}

// leaves reports whether the field still holds nothing after an outcome, and nobody was
// told.
func (p *point) leaves(o *outcome, field int) bool {
	switch {
	case !o.executes():
		return true
	case p.effect != nil:
		return p.effect.after(o).open.has(field)
	case p.looksAt(field):
		return false
	}
	return !o.commits || !p.writesAll && !slices.Contains(p.writes, field)
}

// mayWrite reports whether the point, which writes the field, may have written it after an outcome.
func (p *point) mayWrite(o *outcome, field int) bool {
	if p.effect != nil {
		return o.executes() && p.effect.after(o).done.has(field)
	}
	return o.commits
}

// A search goes through the part of a flow in which one field holds nothing. It is used
// for one field after the other: what it notes, it notes with the number of the search.
type search struct {
	f      *flow
	work   int
	number int
	field  int

	from    []origin // by point
	todo    []int
	waiting []place // outcomes with late moves that cannot be made so far
	opened  []int   // late moves that can, by their number
	written []int   // points where the field may have been written
	asked   map[*resolve.Edge]bool
	ended   bool
	found   []unassigned
}

// An origin is the step by which a search came to a point.
type origin struct {
	hop
	seen  int // the search that has
	depth int
	head  int // the last point of the path here that is shown however long it is
}

// A place is an outcome of a point.
type place struct{ point, outcome int }

func (s *search) run(field int) []unassigned {
	s.number++
	s.field, s.waiting, s.ended, s.found, s.asked = field, nil, false, nil, map[*resolve.Edge]bool{}
	s.from[s.f.entry] = origin{seen: s.number, head: s.f.entry}
	s.todo = append(s.todo[:0], s.f.entry)
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

// drain visits all points that can be come to with the moves that can be made so far.
func (s *search) drain() {
	for i := 0; i < len(s.todo); i++ {
		at := s.todo[i]
		p := &s.f.points[at]
		s.work++
		p.lookers(s.field, func(l look) {
			s.tell(unassigned{looks: inNode, point: at, node: l.node, until: l.until, within: l.after != nil && l.after.has(s.field), path: s.path(at)})
		})
		for i := range p.outcomes {
			s.follow(place{at, i})
		}
	}
	s.todo = s.todo[:0]
}

func (s *search) tell(u unassigned) {
	u.field = s.field
	s.found = append(s.found, u)
}

// follow makes the moves of an outcome that can be made so far.
func (s *search) follow(from place) {
	waits := s.moves(from, func(h hop, m *move) bool {
		switch {
		case slices.Contains(m.asks, s.field):
			if !s.asked[m.cond] {
				s.asked[m.cond] = true
				s.tell(unassigned{looks: inCondition, point: h.point, cond: m.cond, path: s.path(h.point)})
			}
			return false
		case m.to != theEnd:
			s.visit(m.to, h)
		case !s.ended && s.f.gives.has(s.field):
			s.ended = true
			path := s.path(h.point)
			path[len(path)-1] = h
			s.tell(unassigned{looks: inOutput, point: h.point, path: append(path, hop{point: theEnd})})
		}
		return true
	})
	if waits {
		s.waiting = append(s.waiting, from)
	}
}

// moves lists the moves of an outcome that can be made so far, and reports whether there
// are others.
func (s *search) moves(from place, list func(hop, *move) bool) (waits bool) {
	p := &s.f.points[from.point]
	o := &p.outcomes[from.outcome]
	if !p.leaves(o, s.field) {
		return false
	}
	for i := range o.moves {
		m := &o.moves[i]
		s.work++
		if m.late > 0 && s.opened[m.late] != s.number {
			waits = true
		} else if !list(hop{point: from.point, ending: o.ending, late: m.late > 0}, m) {
			return waits
		}
	}
	return waits
}

func (s *search) visited(at int) bool { return s.from[at].seen == s.number }

func (s *search) visit(at int, by hop) {
	if s.visited(at) {
		return
	}
	o := origin{hop: by, seen: s.number, depth: s.from[by.point].depth + 1, head: at}
	if o.depth >= shownFirst {
		o.head = s.from[by.point].head
	}
	s.from[at] = o
	s.todo = append(s.todo, at)
}

// path is how the search came to a point, cut where it is long.
func (s *search) path(at int) []hop {
	depth := s.from[at].depth
	if depth < shownFirst+shownLast+1 {
		return s.chain(at, depth+1)
	}
	end := s.chain(at, shownLast)
	end[0].cut = true
	return append(s.chain(s.from[at].head, shownFirst), end...)
}

// chain is the last hops of the path to a point.
func (s *search) chain(at, length int) []hop {
	hops := make([]hop, length)
	hops[length-1] = hop{point: at}
	for i := length - 2; i >= 0; i-- {
		hops[i] = s.from[hops[i+1].point].hop
	}
	return hops
}

// open finds late moves that can be made after those made so far, makes them, and reports
// whether there were any. When it has worked too long it takes all for such.
func (s *search) open() bool {
	if len(s.waiting) == 0 {
		return false
	}
	all := s.work > mostWork
	var parts []int
	if !all {
		parts = s.parts()
	}
	waiting := s.waiting
	s.waiting = nil
	var ready []place
	for _, w := range waiting {
		found := false
		for _, m := range s.f.points[w.point].outcomes[w.outcome].moves {
			if m.late > 0 && s.opened[m.late] != s.number && (all || s.returns(w.point, m.after, parts)) {
				s.opened[m.late], found = s.number, true
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

// parts numbers the cycles that the moves made so far form, by point; 0 is none.
func (s *search) parts() []int {
	next := make([][]int, len(s.f.points))
	for at := range s.f.points {
		if s.visited(at) {
			s.leads(at, func(m *move) { next[at] = append(next[at], m.to) })
		}
	}
	s.work += len(s.f.points)
	of := make([]int, len(s.f.points))
	for i, members := range scc.Cycles(next) {
		for _, m := range members {
			of[m] = i + 1
		}
	}
	return of
}

// leads lists the moves to other points that can be made from one.
func (s *search) leads(at int, list func(*move)) {
	for i := range s.f.points[at].outcomes {
		s.moves(place{at, i}, func(_ hop, m *move) bool {
			if slices.Contains(m.asks, s.field) {
				return false
			}
			if m.to != theEnd {
				list(m)
			}
			return true
		})
	}
}

// returns reports whether a run can come to a point again after edges of its node have led
// to other points; where none are named, after it was left.
func (s *search) returns(at int, after []int, parts []int) bool {
	if n := s.f.points[at].node; n.Has(spec.SkipOnError) {
		return s.returnsTo(at, s.f.at[n], after)
	}
	if parts[at] == 0 {
		return false
	}
	for _, a := range after {
		back := false
		s.leads(at, func(m *move) {
			back = back || m.edge != nil && s.f.main(m.to) == a && parts[m.to] == parts[at]
		})
		if !back {
			return false
		}
	}
	return true
}

// returnsTo is returns for a node of two points, of which the first is given.
func (s *search) returnsTo(at, first int, after []int) bool {
	from := func(wanted func(*move) bool) (starts []int) {
		for p := first; p <= first+1; p++ {
			if s.visited(p) {
				s.leads(p, func(m *move) {
					if wanted(m) {
						starts = append(starts, m.to)
					}
				})
			}
		}
		return starts
	}
	if len(after) == 0 {
		return s.reaches(from(func(*move) bool { return true }), at)
	}
	for _, a := range after {
		if !s.reaches(from(func(m *move) bool { return m.edge != nil && s.f.main(m.to) == a }), at) {
			return false
		}
	}
	return true
}

// reaches reports whether the moves that can be made so far lead from one of the points
// to another.
func (s *search) reaches(starts []int, at int) bool {
	seen := make([]bool, len(s.f.points))
	for todo := starts; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case p == at:
			return true
		case !seen[p]:
			seen[p] = true
			s.leads(p, func(m *move) { todo = append(todo, m.to) })
		}
	}
	return false
}

// compare finds out of each finding whether the field holds nothing on other paths too.
func (s *search) compare() {
	var todo []int
	ends := false
	visit := func(o *outcome) {
		s.work += len(o.moves)
		for i := range o.moves {
			switch to := o.moves[i].to; {
			case to == theEnd:
				ends = true
			case s.written[to] != s.number:
				s.written[to] = s.number
				todo = append(todo, to)
			}
		}
	}
	writers := s.f.writing(s.field)
	for _, at := range writers {
		for i := range s.f.points[at].outcomes {
			if o := &s.f.points[at].outcomes[i]; s.f.points[at].mayWrite(o, s.field) {
				visit(o)
			}
		}
	}
	for len(todo) > 0 {
		p := &s.f.points[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		for i := range p.outcomes {
			visit(&p.outcomes[i])
		}
	}
	for i := range s.found {
		u := &s.found[i]
		u.never = len(writers) == 0
		u.every = s.written[u.point] != s.number && !u.within
		if u.looks == inOutput {
			u.every = !ends
		}
	}
}

// writing lists the points that a run comes to and that may write a field.
func (f *flow) writing(field int) []int {
	if f.writersOf == nil {
		f.writersOf = make([][]int, len(f.fields))
		for at := range f.points {
			p := &f.points[at]
			switch {
			case f.opens[at] == nil:
			case p.writesAll:
				f.writeAll = append(f.writeAll, at)
			default:
				for _, w := range p.writes {
					f.writersOf[w] = append(f.writersOf[w], at)
				}
			}
		}
	}
	return slices.Concat(f.writersOf[field], f.writeAll)
}
