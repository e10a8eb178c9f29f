package explore

import "slices"

// A view is a node as somebody sees it who knows which bounds are used up, or which may be.
type view struct {
	graph  *Graph
	at     *Node
	failed Failed
	open   func(*Way) bool // the way may be open
	closed func(*Way) bool // the way may be used up
	moves  []Move
}

// Moves lists what can happen at the visited node, in the order of the rules.
func (s *State) Moves() []Move {
	v := view{graph: s.graph, at: s.At, failed: s.Failed, open: s.Open, closed: func(w *Way) bool { return !s.Open(w) }}
	return v.list()
}

// Open reports whether a way from the visited node is not used up.
func (s *State) Open(w *Way) bool { return w.Max == 0 || s.Pairs[w.Pair] < w.Max }

// Exhausted reports whether all that leads on from the visited node is edges, and each of them
// is used up: a success there ends the run.
func (s *State) Exhausted() bool {
	return s.At.exhaustible && !slices.ContainsFunc(s.At.Tests, func(t Test) bool { return s.Open(t.Way) })
}

// Moves lists what can happen at a node whatever has been counted before, in the order of
// the rules. Of ways with a bound, usable says which can come to be used up.
func (g *Graph) Moves(n *Node, failed Failed, usable func(*Way) bool) []Move {
	v := view{
		graph: g, at: n, failed: failed,
		open:   func(*Way) bool { return true },
		closed: func(w *Way) bool { return w.Max > 0 && usable(w) },
	}
	return v.list()
}

func (v *view) list() []Move {
	if v.at.Skip && v.failed&Yes != 0 {
		v.skipped()
		for i := range v.moves {
			v.moves[i].Unrun = true
		}
	}
	if !v.at.Skip || v.failed&No != 0 {
		v.executed()
	}
	return v.moves
}

func (v *view) add(m Move) { v.moves = append(v.moves, m) }

// first adds the ways of which the first one that is open is taken. It reports whether all
// of them may be used up.
func (v *view) first(ways []*Way, m Move) bool {
	for _, w := range ways {
		if v.open(w) {
			m.Way = w
			v.add(m)
		}
		if !v.closed(w) {
			return false
		}
	}
	return true
}

// skipped adds the one way on of a node that is skipped.
func (v *view) skipped() {
	var plain []*Way
	for _, t := range v.at.Tests {
		if t.Kind == Always {
			plain = append(plain, t.Way)
		}
	}
	if v.first(plain, Move{How: Skipped, After: Yes}) {
		v.unmatched(Move{How: Skipped, After: Yes})
	}
}

func (v *view) executed() {
	n := v.at
	v.first(n.Called, Move{How: CallsTools, After: No})
	v.tested(Move{How: Succeeds, After: No})
	v.first(n.Refused, Move{How: Refused, After: No})
	if n.Denied != nil {
		v.add(Move{How: Denied, Way: n.Denied, After: No})
	}
	if n.Late != nil {
		v.add(Move{How: Late, Way: n.Late, After: No})
	}
	if !n.Soft {
		v.fails(n.assured)
		return
	}
	v.tested(Move{How: FailsSoftly, After: Yes})
	if n.Evals || slices.ContainsFunc(n.Tests, func(t Test) bool { return t.Kind == Condition }) {
		v.fails(true) // by a panic of the condition
	}
}

// tested adds the ways of rules 2 to 7.
func (v *view) tested(m Move) {
	soft := m.How == FailsSoftly
	for i, t := range v.at.Tests {
		if soft && t.Kind == Choice {
			continue
		}
		if v.open(t.Way) {
			taken := m
			taken.Way = t.Way
			taken.Doubtful = m.Doubtful || soft && t.Kind == Output
			v.add(taken)
		}
		if (t.Kind == Always || t.Kind == Uncalled) && !v.closed(t.Way) {
			return
		}
		if t.Of == 0 || soft {
			continue
		}
		past := false
		for _, member := range v.at.Tests[i+1-t.Of : i+1] {
			past = past || v.closed(member.Way)
		}
		if !past && !t.Loose {
			return
		}
		m.Doubtful = m.Doubtful || !past
	}
	v.unmatched(m)
}

// unmatched adds what rule 7 does.
func (v *view) unmatched(m Move) {
	n := v.at
	if n.terminal || n.noMatch == "end" {
		v.add(m)
		return
	}
	over, left := n.exhaustible, false
	for _, t := range n.Tests {
		over = over && v.closed(t.Way)
		left = left || v.open(t.Way)
	}
	if over || m.How != Skipped && v.alone() {
		v.add(m)
	}
	if n.exhaustible && !left {
		return
	}
	// Where nobody says what happens, the checks have seen that it cannot.
	v.fails(m.Doubtful || n.noMatch == "")
}

// alone reports whether one way may be all that is left for the model to judge: then it may
// say no, which completes the run. Of several it names one, unless it fails.
func (v *view) alone() bool {
	left, most := 0, 0
	for _, t := range v.at.Tests {
		if t.Kind != Judged {
			continue
		}
		if !v.closed(t.Way) {
			left++
		}
		if v.open(t.Way) {
			most++
		}
	}
	return left <= 1 && most >= 1
}

// fails adds the way of a failure. Without one the run fails.
func (v *view) fails(doubtful bool) {
	if v.at.Critical {
		return
	}
	m := Move{How: Fails, After: Yes, Doubtful: doubtful}
	if !v.first(v.at.Failed, m) {
		return
	}
	if m.Way = v.graph.LastResort(v.at); m.Way != nil {
		v.add(m)
	}
}
