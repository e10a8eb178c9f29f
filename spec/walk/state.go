package walk

// Outcome is how a visit ended.
type Outcome uint8

const (
	Succeeds Outcome = iota
	FailsSoftly
	Refused // by its guards
	Fails
	Skipped
)

// String says what a node did.
func (o Outcome) String() string {
	return [...]string{"succeeds", "fails softly", "is refused by its guards", "fails", "is skipped"}[o]
}

// Failed says what is known about whether the node before failed: a set, for a walk that
// is told by its ways alone may leave it open.
type Failed uint8

const (
	No  Failed = 1 << iota // it may not have
	Yes                    // it may have
)

// A Move is a way on from a visited node that a walk can take.
type Move struct {
	Way      *Way // nil: the run ends at the node, by rule 7 or because it is terminal
	How      Outcome
	After    Failed // whether the next node comes after a failure
	Doubtful bool   // it may be impossible: nothing says that the conditions can do this
}

// A State is where a walk is, with all that the graph counts and remembers of it.
type State struct {
	graph  *Graph
	At     *Node // visited last; nil: the run has ended
	Steps  int
	Visits []int // by the node's index
	Pairs  []int // follows of edges, by the pair's number
	Failed Failed
}

// Start returns the state before the first visit.
func (g *Graph) Start() *State {
	return &State{graph: g, Visits: make([]int, len(g.Nodes)), Pairs: make([]int, g.Pairs), Failed: No}
}

// open reports whether a way's bound is not used up.
func (s *State) open(w *Way) bool { return w.Max == 0 || s.Pairs[w.Pair] < w.Max }

// Moves lists what can happen at the visited node, in the order of the rules.
func (s *State) Moves() []Move {
	var out []Move
	if s.At.Skip && s.Failed&Yes != 0 {
		out = s.skipped(out)
	}
	if !s.At.Skip || s.Failed&No != 0 {
		out = s.executed(out)
	}
	return out
}

// skipped adds the one way on of a node that is skipped.
func (s *State) skipped(out []Move) []Move {
	for _, t := range s.At.Tests {
		if t.Kind == Always && s.open(t.Way) {
			return append(out, Move{Way: t.Way, How: Skipped, After: Yes})
		}
	}
	return s.unmatched(out, Skipped, Yes, false)
}

func (s *State) executed(out []Move) []Move {
	n := s.At
	out, through := s.tested(out, Succeeds)
	if through != nil {
		out = s.unmatched(out, Succeeds, No, through.doubtful)
	}
	for _, w := range n.Refused {
		if s.open(w) {
			out = append(out, Move{Way: w, How: Refused, After: No})
			break
		}
	}
	if !n.Soft {
		return s.failed(out, false)
	}
	out, through = s.tested(out, FailsSoftly)
	if through != nil {
		out = s.unmatched(out, FailsSoftly, Yes, through.doubtful)
	}
	for _, t := range n.Tests {
		if t.Kind == Condition {
			return s.failed(out, true) // by a panic of the condition
		}
	}
	return out
}

// A passage is how a walk comes to the end of a node's tests.
type passage struct{ doubtful bool }

// tested adds the ways of rules 2 to 6. It returns nil unless all of them may be passed.
func (s *State) tested(out []Move, how Outcome) ([]Move, *passage) {
	through := &passage{}
	after := No
	if how == FailsSoftly {
		after = Yes
	}
	tests := s.At.Tests
	for i, t := range tests {
		if how == FailsSoftly && t.Kind == Choice {
			continue
		}
		if s.open(t.Way) {
			out = append(out, Move{Way: t.Way, How: how, After: after, Doubtful: through.doubtful || how == FailsSoftly && t.Kind == Output})
			if t.Kind == Always {
				return out, nil
			}
		}
		if t.Of == 0 || how == FailsSoftly {
			continue
		}
		blocked := true
		for _, member := range tests[i+1-t.Of : i+1] {
			blocked = blocked && s.open(member.Way)
		}
		if blocked && !t.Loose {
			return out, nil
		}
		through.doubtful = through.doubtful || blocked
	}
	return out, through
}

// unmatched adds what rule 7 does.
func (s *State) unmatched(out []Move, how Outcome, after Failed, doubtful bool) []Move {
	n := s.At
	usedUp := n.exhaustible
	if usedUp {
		for _, t := range n.Tests {
			usedUp = usedUp && !s.open(t.Way)
		}
	}
	if n.terminal || usedUp || n.noMatch == "end" {
		return append(out, Move{How: how, After: after, Doubtful: doubtful})
	}
	// Where nobody says what happens, the checks have seen that it cannot.
	return s.failed(out, doubtful || n.noMatch == "")
}

// failed adds the way of a failure. Without one the run fails.
func (s *State) failed(out []Move, doubtful bool) []Move {
	n := s.At
	if n.Critical {
		return out
	}
	for _, w := range n.Failed {
		if s.open(w) {
			return append(out, Move{Way: w, How: Fails, After: Yes, Doubtful: doubtful})
		}
	}
	if w := s.graph.LastResort(n); w != nil {
		return append(out, Move{Way: w, How: Fails, After: Yes, Doubtful: doubtful})
	}
	return out
}

// LastResort is where a node goes that fails without an edge for it, or whose visits are
// used up; nil: the run fails.
func (g *Graph) LastResort(n *Node) *Way {
	switch {
	case n.ErrorTo != nil:
		return n.ErrorTo
	case g.OnError != nil && g.OnError.To != n:
		return g.OnError
	}
	return nil
}

// An Arrival is what a way led to.
type Arrival struct {
	Way  *Way    // the way that was followed: to the visited node or to end; nil: the run failed
	Over []*Node // nodes whose visits were used up, which were passed over
	Full bool    // the steps are used up: the node was not visited
}

// Take follows a way, and the ways round nodes whose visits are used up, to the next visit.
func (s *State) Take(w *Way, after Failed) Arrival {
	var a Arrival
	if w.Pair >= 0 {
		s.Pairs[w.Pair]++
	}
	s.Failed = after
	for {
		switch {
		case w == nil:
			s.At = nil
			return a
		case w.To == nil:
			s.At, a.Way = nil, w
			return a
		case s.Steps >= s.graph.MaxSteps:
			s.At, a.Full = nil, true
			return a
		case s.Visits[w.To.Index] < w.To.MaxVisits:
			s.At, a.Way = w.To, w
			s.Visits[w.To.Index]++
			s.Steps++
			return a
		}
		a.Over = append(a.Over, w.To)
		s.Failed = Yes
		w = s.graph.LastResort(w.To)
		if len(a.Over) > len(s.graph.Nodes) {
			w = nil
		}
	}
}

// Clone returns a copy that goes its own way.
func (s *State) Clone() *State {
	c := *s
	c.Visits, c.Pairs = append([]int(nil), s.Visits...), append([]int(nil), s.Pairs...)
	return &c
}
