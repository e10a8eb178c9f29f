// Package explore models what the runs of a graph can do when nothing is known of its handlers:
// every condition may hold or not, every choice may be made, every execution may fail, every guard
// may refuse. What the graph counts is exact: used-up visits and iterations, the order in which
// transitions are tried, and whether a node after a failure is skipped.
//
// Every run of the graph is a walk. A walk need not be a run, because conditions may exclude one
// another. An Exit that may be impossible for another reason is marked as doubtful.
package explore

import "github.com/graphgen/graphgen/spec/cfg"

// Failed is the set of possible answers to whether the node before failed. A walk that does not
// count may leave both open.
type Failed uint8

const (
	No  Failed = 1 << iota // it may have succeeded
	Yes                    // it may have failed
)

// An Exit is a possible end of a visit: an outcome and the transition taken.
type Exit struct {
	Transition *cfg.Transition // nil: the run ends, by rule 7 or at a terminal node
	Outcome    cfg.Outcome
	Unrun      bool   // the node was skipped, not executed
	After      Failed // whether the next node follows a failure
	Doubtful   bool   // it may be impossible: nothing shows that the conditions allow it
}

// A State is a point in a walk with everything that the graph counts.
type State struct {
	maxSteps int
	Current  *cfg.Node // the node of the last visit; nil: the run has ended
	Steps    int
	Visits   []int // by the node's index
	Counts   []int // by the counter's index
	Failed   Failed
}

// Start returns the state before the first visit.
func Start(g *cfg.Graph) *State {
	return &State{maxSteps: g.MaxSteps(), Visits: make([]int, len(g.Nodes)), Counts: make([]int, len(g.Counters)), Failed: No}
}

// An Arrival is the result of taking a transition.
type Arrival struct {
	Transition  *cfg.Transition // the last transition taken: to the current node or the end; nil: the run failed
	UsedUp      []*cfg.Node     // nodes on the way whose visits were used up
	StepsUsedUp bool            // the steps are used up: the target was not visited
}

// Take takes a transition to the next visit. At nodes whose visits are used up it continues by
// LastResort.
func (s *State) Take(w *cfg.Transition, after Failed) Arrival {
	var a Arrival
	if w.Counter != nil {
		s.Counts[w.Counter.Index]++
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
		case s.Steps >= s.maxSteps:
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
		w = w.To.LastResort()
		if len(a.UsedUp) > len(s.Visits) {
			w = nil
		}
	}
}

// AddPath adds the visits of the regions of the current node. It returns those for which there are
// steps, and reports whether they are all.
func (s *State) AddPath(c *PathCost) (made *PathCost, all bool) {
	left := s.maxSteps - s.Steps
	made, all = c.First(left), c.Length <= left
	s.Steps += made.Length
	made.Count(func(n *cfg.Node, times int, _ bool) { s.Visits[n.Index] += times })
	return made, all
}

// AddSteps adds steps of the regions of the current node. It reports whether there are enough.
func (s *State) AddSteps(steps int) bool {
	s.Steps += steps
	return s.Steps <= s.maxSteps
}

// Clone returns a copy that shares nothing with s.
func (s *State) Clone() *State {
	c := *s
	c.Visits, c.Counts = append([]int(nil), s.Visits...), append([]int(nil), s.Counts...)
	return &c
}
