package check

import (
	"fmt"
	"slices"
)

// A walker takes every path of a model. It counts for real what bounds count, or, if it is
// loose, takes a bound for used up at will once what it counts has happened: as if every
// bound were as large as the path wants it.
type walker struct {
	m     *model
	loose bool
	seen  map[standing]bool
	todo  []standing
	found map[string]bool

	follow bool            // what is written, to where it is read
	used   map[string]bool // writes that are read
}

// A standing is all that decides how a run can go on.
type standing struct {
	at       int
	failed   bool // the node before did
	assigned uint
	visits   [5]uint8
	follows  [5][6]uint8 // by pair of nodes; the last is the end

	by [modelFields]int8 // who wrote each field, counted from 1, where that is followed
}

// mostVisits is the bound of every node's visits for a walker that counts.
const mostVisits = 3

func (w *walker) walk() map[string]bool {
	w.seen, w.found, w.used = map[standing]bool{}, map[string]bool{}, map[string]bool{}
	w.enter(standing{}, 0, false)
	for len(w.todo) > 0 && len(w.seen) < 60000 {
		s := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.step(s)
	}
	return w.found
}

func (w *walker) enter(s standing, to int, failed bool) {
	if to == end {
		w.use(s, w.m.outputs)
		for i := range modelFields {
			if w.m.outputs&^s.assigned&(1<<i) != 0 {
				w.found[fmt.Sprintf("output f%d", i)] = true
			}
		}
		return
	}
	s.at, s.failed = to, failed
	if !w.seen[s] {
		w.seen[s] = true
		w.todo = append(w.todo, s)
	}
}

func (w *walker) step(s standing) {
	n := &w.m.nodes[s.at]
	if w.loose && s.visits[s.at] > 0 || s.visits[s.at] == mostVisits {
		w.takeOver(s)
		if !w.loose {
			return
		}
	}
	s.visits[s.at] = w.count(s.visits[s.at])
	if n.skip && s.failed {
		w.edges(s, n.tried(), true, func(e modelEdge) bool { return e.when == "" && e.also < 0 }, func(s standing) { w.rest(s, true, false) })
		return
	}
	if n.inner != nil {
		for o := range w.run(n, work{assigned: s.assigned, by: s.by}) {
			after := s
			after.assigned, after.by = o.assigned, o.by
			if o.failed {
				w.fail(after)
			} else {
				w.succeed(after)
			}
		}
		return
	}
	if n.state {
		w.use(s, 1<<modelFields-1)
	} else {
		s.assigned |= w.look(s, n.reads, fmt.Sprintf("n%d reads", s.at))
	}
	w.fail(s)
	if n.loops {
		w.enter(s, s.at, false)
	}
	w.events(s, n.called, false, func(standing) {})
	if n.guarded {
		w.events(s, n.refused, false, func(s standing) {
			if n.onFail >= 0 {
				w.enter(s, n.onFail, false)
			} else {
				w.fail(s)
			}
		})
	}
	w.succeed(s)
}

// count counts, as far as the walker can tell apart.
func (w *walker) count(n uint8) uint8 {
	if w.loose {
		return 1
	}
	return min(n+1, mostVisits)
}

// use notes that fields are read.
func (w *walker) use(s standing, fields uint) {
	for i := range modelFields {
		if fields&(1<<i) != 0 && s.by[i] > 0 {
			w.used[fmt.Sprintf("%s f%d", w.m.names[s.by[i]-1], i)] = true
		}
	}
}

func (w *walker) look(s standing, fields uint, who string) uint {
	w.use(s, fields)
	for i := range modelFields {
		if fields&^s.assigned&(1<<i) != 0 {
			w.found[fmt.Sprintf("%s f%d", who, i)] = true
		}
	}
	return fields
}

func (w *walker) succeed(s standing) {
	n := &w.m.nodes[s.at]
	s.assigned |= n.writes
	for i := range modelFields {
		if w.follow && !n.state && n.writes&(1<<i) != 0 {
			s.by[i] = int8(n.id)
		}
	}
	if n.state && n.kind == "func" {
		s.assigned = 1<<modelFields - 1
	}
	for _, to := range n.goTo {
		w.enter(s, to, false)
	}
	if n.kind == "router" {
		return
	}
	w.edges(s, n.tried(), false, func(e modelEdge) bool { return e.when != "res.Err != nil" }, func(s standing) { w.rest(s, false, true) })
}

func (w *walker) fail(s standing) {
	n := &w.m.nodes[s.at]
	switch {
	case n.critical:
	case n.soft:
		on := func(e modelEdge) bool {
			return e.also < 0 && e.when != "res.Err == nil" && e.when != "out.Ok" && e.when != "out.N > 2"
		}
		w.edges(s, n.tried(), true, on, func(s standing) { w.rest(s, true, true) })
	default:
		failed := n.failed
		if s.at == 0 { // the edge that every text has
			failed = append(slices.Clip(failed), modelEdge{to: 0, also: -1, asks: -1, bound: true})
		}
		w.events(s, failed, true, w.takeOver)
	}
}

func (w *walker) takeOver(s standing) {
	n := &w.m.nodes[s.at]
	switch {
	case n.errorTo >= 0:
		w.enter(s, n.errorTo, true)
	case w.m.onError >= 0 && w.m.onError != s.at:
		w.enter(s, w.m.onError, true)
	}
}

// events takes the first open edge of an event, else what is left.
func (w *walker) events(s standing, list []modelEdge, failed bool, rest func(standing)) {
	w.edges(s, list, failed, func(modelEdge) bool { return true }, rest)
}

// edges tries edges in their order. Conditions may hold or not, if they can hold at all.
func (w *walker) edges(s standing, list []modelEdge, failed bool, can func(modelEdge) bool, rest func(standing)) {
	for i, e := range list {
		follows := &s.follows[s.at][min(e.to, 5)]
		if e.bound && *follows > 0 {
			if w.loose {
				w.edges(s, list[i+1:], failed, can, rest)
			} else {
				continue
			}
		}
		if !can(e) {
			continue
		}
		if e.asks >= 0 {
			s.assigned |= w.look(s, 1<<e.asks, e.name+" asks")
		}
		for _, to := range []int{e.to, e.also} {
			if to >= 0 {
				after := s
				pair := &after.follows[s.at][min(to, 5)]
				*pair = w.count(*pair)
				w.enter(after, to, failed)
			}
		}
		if e.when == "" || e.when == uncalled {
			return
		}
	}
	rest(s)
}

// rest is next, else an end: of a node without a way on, or with its edges used up, or with
// one way for the model to judge, if it was asked.
func (w *walker) rest(s standing, failed, asked bool) {
	n := &w.m.nodes[s.at]
	if n.next >= 0 {
		w.enter(s, n.next, failed)
		return
	}
	usedUp := len(n.goTo)+len(n.called) == 0
	for _, e := range n.edges {
		usedUp = usedUp && e.bound && s.follows[s.at][min(e.to, 5)] > 0
	}
	if usedUp || asked && w.alone(s) {
		w.enter(s, end, failed)
	}
}

// alone reports whether one edge alone is left for the model to judge, or may be.
func (w *walker) alone(s standing) bool {
	open, lasting := 0, 0
	for _, e := range w.m.nodes[s.at].edges {
		if e.when != byModel {
			continue
		}
		if w.loose || !e.bound || s.follows[s.at][min(e.to, 5)] == 0 {
			open++
		}
		if !e.bound || s.follows[s.at][min(e.to, 5)] == 0 {
			lasting++
		}
	}
	if w.loose {
		return open > 0 && lasting <= 1
	}
	return open == 1
}
