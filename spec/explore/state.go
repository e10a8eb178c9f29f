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

// An Exit is a way on from a visited node that a walk can take.
type Exit struct {
	Transition *Transition // nil: the run ends at the node, by rule 7 or because it is terminal
	Outcome    Outcome
	Unrun      bool   // the node was not executed: it was skipped, and may then have failed to match
	After      Failed // whether the next node comes after a failure
	Doubtful   bool   // it may be impossible: nothing says that the conditions can do this
}

// A State is where a walk is, with all that the graph counts and remembers of it.
type State struct {
	graph   *Graph
	Current *Node // visited last; nil: the run has ended
	Steps   int
	Visits  []int // by the node's index
	Counts  []int // follows of edges, by the pair's number
	Failed  Failed
}

// Start returns the state before the first visit.
func (g *Graph) Start() *State {
	return &State{graph: g, Visits: make([]int, len(g.Nodes)), Counts: make([]int, len(g.CounterMax)), Failed: No}
}

// LastResort is where a node goes that fails without an edge for it, or whose visits are
// used up; nil: the run fails.
func (g *Graph) LastResort(n *Node) *Transition {
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
	Transition  *Transition // the way that was followed: to the visited node or to end; nil: the run failed
	UsedUp      []*Node     // nodes whose visits were used up, which were passed over
	StepsUsedUp bool        // the steps are used up: the node was not visited
}

// Take follows a way, and the ways round nodes whose visits are used up, to the next visit.
func (s *State) Take(w *Transition, after Failed) Arrival {
	var a Arrival
	if w.Counter >= 0 {
		s.Counts[w.Counter]++
	}
	s.Failed = after
	for {
		switch {
		case w == nil:
			s.Current = nil
			return a
		case w.To == nil:
			s.Current, a.Transition = nil, w
			return a
		case s.Steps >= s.graph.MaxSteps:
			s.Current, a.StepsUsedUp = nil, true
			return a
		case s.Visits[w.To.Index] < w.To.MaxVisits:
			s.Current, a.Transition = w.To, w
			s.Visits[w.To.Index]++
			s.Steps++
			return a
		}
		a.UsedUp = append(a.UsedUp, w.To)
		s.Failed = Yes
		w = s.graph.LastResort(w.To)
		if len(a.UsedUp) > len(s.graph.Nodes) {
			w = nil
		}
	}
}

// AddPath counts the visits that the visited node makes of others. It returns those for which
// the steps suffice, and reports whether they are all.
func (s *State) AddPath(c *PathCost) (made *PathCost, all bool) {
	left := s.graph.MaxSteps - s.Steps
	made, all = c.First(left), c.Length <= left
	s.Steps += made.Length
	made.Count(func(n *Node, times int) { s.Visits[n.Index] += times })
	return made, all
}

// AddSteps counts steps that the visited node makes within its visit. It reports whether there
// are so many.
func (s *State) AddSteps(steps int) bool {
	s.Steps += steps
	return s.Steps <= s.graph.MaxSteps
}

// Clone returns a copy that goes its own way.
func (s *State) Clone() *State {
	c := *s
	c.Visits, c.Counts = append([]int(nil), s.Visits...), append([]int(nil), s.Counts...)
	return &c
}
