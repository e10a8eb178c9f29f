package explore

// Outcome is how a visit ended.
type Outcome uint8

const (
	Succeeds Outcome = iota
	FailsSoftly
	Refused // by its guards
	Fails
	Skipped
	CallsTools
	Denied // by its person
	Late   // its person's answer
)

// String says what a node did.
func (o Outcome) String() string {
	return [...]string{"succeeds", "fails softly", "is refused by its guards", "fails", "is skipped", "calls tools", "is denied", "is answered too late"}[o]
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
	Unrun    bool   // the node was not executed: it was skipped, and may then have failed to match
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
	return &State{graph: g, Visits: make([]int, len(g.Nodes)), Pairs: make([]int, len(g.Bounds)), Failed: No}
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

// Within counts the visits that the visited node makes of others. It returns those for which
// the steps suffice, and reports whether they are all.
func (s *State) Within(c *Course) (made *Course, all bool) {
	left := s.graph.MaxSteps - s.Steps
	made, all = c.First(left), c.Length <= left
	s.Steps += made.Length
	made.Count(func(n *Node, times int) { s.Visits[n.Index] += times })
	return made, all
}

// Spend counts steps that the visited node makes within its visit. It reports whether there
// are so many.
func (s *State) Spend(steps int) bool {
	s.Steps += steps
	return s.Steps <= s.graph.MaxSteps
}

// Clone returns a copy that goes its own way.
func (s *State) Clone() *State {
	c := *s
	c.Visits, c.Pairs = append([]int(nil), s.Visits...), append([]int(nil), s.Pairs...)
	return &c
}
