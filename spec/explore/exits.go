package explore

import "slices"

// An exitLister lists the exits of a node. It asks two functions about the bounds of transitions.
type exitLister struct {
	graph       *Graph
	node        *Node
	failed      Failed
	mayBeOpen   func(*Transition) bool // the transition may be under its bound
	mayBeUsedUp func(*Transition) bool // the bound of the transition may be used up
	exits       []Exit
}

// Exits lists the exits of the current node in the order of the routing rules.
func (s *State) Exits() []Exit {
	v := exitLister{graph: s.graph, node: s.Current, failed: s.Failed, mayBeOpen: s.Open, mayBeUsedUp: func(w *Transition) bool { return !s.Open(w) }}
	return v.list()
}

// Open reports whether the bound of a transition that leaves the current node is not used up.
func (s *State) Open(w *Transition) bool { return w.Max == 0 || s.Counts[w.Counter] < w.Max }

// Exhausted reports whether the current node has only edges and the bounds of all of them are used
// up. A success then ends the run.
func (s *State) Exhausted() bool {
	return s.Current.exhaustible && !slices.ContainsFunc(s.Current.Tests, func(t Test) bool { return s.Open(t.Transition) })
}

// Exits lists the exits of a node for any earlier counts, in the order of the routing rules. usable
// reports whether the bound of a transition can be used up.
func (g *Graph) Exits(n *Node, failed Failed, usable func(*Transition) bool) []Exit {
	v := exitLister{
		graph: g, node: n, failed: failed,
		mayBeOpen:   func(*Transition) bool { return true },
		mayBeUsedUp: func(w *Transition) bool { return w.Max > 0 && usable(w) },
	}
	return v.list()
}

func (v *exitLister) list() []Exit {
	if v.node.Skip && v.failed&Yes != 0 {
		v.addSkipped()
		for i := range v.exits {
			v.exits[i].Unrun = true
		}
	}
	if !v.node.Skip || v.failed&No != 0 {
		v.addExecuted()
	}
	return v.exits
}

func (v *exitLister) add(m Exit) { v.exits = append(v.exits, m) }

// addFirstOpen adds the transitions that may be the first open one. It reports whether the bounds
// of all may be used up.
func (v *exitLister) addFirstOpen(transitions []*Transition, m Exit) bool {
	for _, w := range transitions {
		if v.mayBeOpen(w) {
			m.Transition = w
			v.add(m)
		}
		if !w.Named && !v.mayBeUsedUp(w) {
			return false
		}
	}
	return true
}

// addSkipped adds the exits of a skipped node.
func (v *exitLister) addSkipped() {
	var plain []*Transition
	for _, t := range v.node.Tests {
		if t.Kind == Always {
			plain = append(plain, t.Transition)
		}
	}
	if v.addFirstOpen(plain, Exit{Outcome: Skipped, After: Yes}) {
		v.addUnmatched(Exit{Outcome: Skipped, After: Yes})
	}
}

func (v *exitLister) addExecuted() {
	n := v.node
	v.addFirstOpen(n.Called, Exit{Outcome: CallsTools, After: No})
	v.addTests(Exit{Outcome: Succeeds, After: No})
	v.addFirstOpen(n.Refused, Exit{Outcome: Refused, After: No})
	if n.Denied != nil {
		v.add(Exit{Outcome: Denied, Transition: n.Denied, After: No})
	}
	if n.Late != nil {
		v.add(Exit{Outcome: Late, Transition: n.Late, After: No})
	}
	if !n.Soft {
		v.addFailure(n.assured)
		return
	}
	v.addTests(Exit{Outcome: FailsSoftly, After: Yes})
	if n.Evals || slices.ContainsFunc(n.Tests, func(t Test) bool { return t.Kind == Condition }) {
		v.addFailure(true) // a condition panics
	}
}

// addTests adds the exits of rules 2 to 7.
func (v *exitLister) addTests(m Exit) {
	soft := m.Outcome == FailsSoftly
	for i, t := range v.node.Tests {
		if soft && t.Kind == Choice {
			continue
		}
		if v.mayBeOpen(t.Transition) {
			taken := m
			taken.Transition = t.Transition
			taken.Doubtful = m.Doubtful || soft && t.Kind == Output
			v.add(taken)
		}
		if (t.Kind == Always || t.Kind == Uncalled) && !v.mayBeUsedUp(t.Transition) {
			return
		}
		if t.ChoiceSize == 0 || soft {
			continue
		}
		past := false
		for _, member := range v.node.Tests[i+1-t.ChoiceSize : i+1] {
			past = past || v.mayBeUsedUp(member.Transition)
		}
		if !past && !t.Loose {
			return
		}
		m.Doubtful = m.Doubtful || !past
	}
	v.addUnmatched(m)
}

// addUnmatched adds the exits of rule 7.
func (v *exitLister) addUnmatched(m Exit) {
	n := v.node
	if n.terminal || n.noMatch == "end" {
		v.add(m)
		return
	}
	over, left := n.exhaustible, false
	for _, t := range n.Tests {
		over = over && v.mayBeUsedUp(t.Transition)
		left = left || v.mayBeOpen(t.Transition)
	}
	if over || m.Outcome != Skipped && v.maySayNo() {
		v.add(m)
	}
	if n.exhaustible && !left {
		return
	}
	// Without no_match, the checks have proved that some transition is taken.
	v.addFailure(m.Doubtful || n.noMatch == "")
}

// maySayNo reports whether the model may be asked about a single edge. It can then answer no, which
// completes the run. Of several edges it always names one, unless it fails.
func (v *exitLister) maySayNo() bool {
	left, most := 0, 0
	for _, t := range v.node.Tests {
		if t.Kind != Judged {
			continue
		}
		if !v.mayBeUsedUp(t.Transition) {
			left++
		}
		if v.mayBeOpen(t.Transition) {
			most++
		}
	}
	return left <= 1 && most >= 1
}

// addFailure adds the exits of a failure. Without a failure route, the run fails without an
// exit.
func (v *exitLister) addFailure(doubtful bool) {
	if v.node.Critical {
		return
	}
	m := Exit{Outcome: Fails, After: Yes, Doubtful: doubtful}
	if !v.addFirstOpen(v.node.Failed, m) {
		return
	}
	if m.Transition = v.graph.LastResort(v.node); m.Transition != nil {
		v.add(m)
	}
}
