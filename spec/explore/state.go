package explore

// Outcome is how a visit ends.
type Outcome uint8

const (
	Succeeds Outcome = iota
	FailsSoftly
	Refused // by its guards
	Fails
	Skipped
	CallsTools
	Denied // by the person asked
	Late   // the answer came after the timeout
)

// String returns the outcome as a phrase, as paths show it.
func (o Outcome) String() string {
	return [...]string{"succeeds", "fails softly", "is refused by its guards", "fails", "is skipped", "calls tools", "is denied", "is answered too late"}[o]
}

// Failed is the set of possible answers to whether the node before failed. A walk that does not
// count may leave both open.
type Failed uint8

const (
	No  Failed = 1 << iota // it may have succeeded
	Yes                    // it may have failed
)

// An Exit is a possible end of a visit: an outcome and the transition taken.
type Exit struct {
	Transition *Transition // nil: the run ends, by rule 7 or at a terminal node
	Outcome    Outcome
	Unrun      bool   // the node was skipped, not executed
	After      Failed // whether the next node follows a failure
	Doubtful   bool   // it may be impossible: nothing shows that the conditions allow it
}

// A State is a point in a walk with everything that the graph counts.
type State struct {
	graph   *Graph
	Current *Node // the node of the last visit; nil: the run has ended
	Steps   int
	Visits  []int // by the node's index
	Counts  []int // by the counter's index
	Failed  Failed
}

// Start returns the state before the first visit.
func (g *Graph) Start() *State {
	return &State{graph: g, Visits: make([]int, len(g.Nodes)), Counts: make([]int, len(g.CounterMax)), Failed: No}
}

// LastResort returns the transition of a node that fails without an open edge for failures, or
// whose visits are used up. Nil: the run fails.
func (g *Graph) LastResort(n *Node) *Transition {
	switch {
	case n.ErrorTo != nil:
		return n.ErrorTo
	case g.OnError != nil && g.OnError.To != n:
		return g.OnError
	}
	return nil
}

// An Arrival is the result of taking a transition.
type Arrival struct {
	Transition  *Transition // the last transition taken: to the current node or the end; nil: the run failed
	UsedUp      []*Node     // nodes on the way whose visits were used up
	StepsUsedUp bool        // the steps are used up: the target was not visited
}

// Take takes a transition to the next visit. At nodes whose visits are used up it continues by
// LastResort.
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

// AddPath adds the visits of the regions of the current node. It returns those for which there are
// steps, and reports whether they are all.
func (s *State) AddPath(c *PathCost) (made *PathCost, all bool) {
	left := s.graph.MaxSteps - s.Steps
	made, all = c.First(left), c.Length <= left
	s.Steps += made.Length
	made.Count(func(n *Node, times int) { s.Visits[n.Index] += times })
	return made, all
}

// AddSteps adds steps of the regions of the current node. It reports whether there are enough.
func (s *State) AddSteps(steps int) bool {
	s.Steps += steps
	return s.Steps <= s.graph.MaxSteps
}

// Clone returns a copy that shares nothing with s.
func (s *State) Clone() *State {
	c := *s
	c.Visits, c.Counts = append([]int(nil), s.Visits...), append([]int(nil), s.Counts...)
	return &c
}
