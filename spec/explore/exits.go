package explore

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// An exitLister lists the exits of a node. It asks two functions about the bounds of transitions.
type exitLister struct {
	node        *cfg.Node
	failed      Failed
	mayBeOpen   func(*cfg.Transition) bool // the transition may be under its bound
	mayBeUsedUp func(*cfg.Transition) bool // the bound of the transition may be used up
	exits       []Exit
}

// Exits lists the exits of the current node in the order of the routing rules.
func (s *State) Exits() []Exit {
	v := exitLister{node: s.Current, failed: s.Failed, mayBeOpen: s.Open, mayBeUsedUp: func(w *cfg.Transition) bool { return !s.Open(w) }}
	return v.list()
}

// Open reports whether the bound of a transition that leaves the current node is not used up.
func (s *State) Open(w *cfg.Transition) bool { return w.Max == 0 || s.Counts[w.Counter.Index] < w.Max }

// Exhausted reports whether the current node has only edges and the bounds of all of them are used
// up. A success then ends the run.
func (s *State) Exhausted() bool {
	return s.Current.Exhaustible() && !slices.ContainsFunc(s.Current.Tests, s.Open)
}

// Exits lists the exits of a node for any earlier counts, in the order of the routing rules. usable
// reports whether the bound of a transition can be used up.
func Exits(n *cfg.Node, failed Failed, usable func(*cfg.Transition) bool) []Exit {
	v := exitLister{
		node: n, failed: failed,
		mayBeOpen:   func(*cfg.Transition) bool { return true },
		mayBeUsedUp: func(w *cfg.Transition) bool { return w.Max > 0 && usable(w) },
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
func (v *exitLister) addFirstOpen(transitions []*cfg.Transition, m Exit) bool {
	for _, w := range transitions {
		if v.mayBeOpen(w) {
			m.Transition = w
			v.add(m)
		}
		if w.Cond.Kind != cfg.Calls && !v.mayBeUsedUp(w) {
			return false
		}
	}
	return true
}

// addSkipped adds the exits of a skipped node.
func (v *exitLister) addSkipped() {
	var plain []*cfg.Transition
	for _, t := range v.node.Tests {
		if t.Cond.Kind.Plain() {
			plain = append(plain, t)
		}
	}
	if v.addFirstOpen(plain, Exit{Outcome: cfg.Skipped, After: Yes}) {
		v.addUnmatched(Exit{Outcome: cfg.Skipped, After: Yes})
	}
}

func (v *exitLister) addExecuted() {
	n := v.node
	v.addFirstOpen(n.On[cfg.CalledTools], Exit{Outcome: cfg.CalledTools, After: No})
	v.addTests(Exit{Outcome: cfg.Succeeded, After: No})
	v.addFirstOpen(n.On[cfg.Refused], Exit{Outcome: cfg.Refused, After: No})
	for _, o := range [...]cfg.Outcome{cfg.Denied, cfg.Late} {
		for _, w := range n.On[o] {
			v.add(Exit{Outcome: o, Transition: w, After: No})
		}
	}
	spent := Exit{Outcome: cfg.Spent, After: Yes}
	if len(n.JudgedEdges()) > 0 {
		spent.After |= No // the model that judges may find it spent
	}
	v.addFirstOpen(n.On[cfg.Spent], spent)
	if !n.Soft {
		v.addFailure(n.Spec.Kind.By == spec.ByPerson && !n.Refusable()) // a transition for every answer
		return
	}
	v.addTests(Exit{Outcome: cfg.SoftFailed, After: Yes})
	if n.Spec.Evaluates() || slices.ContainsFunc(n.Tests, func(t *cfg.Transition) bool { return t.Cond.Kind == cfg.If }) {
		v.addFailure(true) // a condition panics
	}
}

// addTests adds the exits of rules 2 to 7.
func (v *exitLister) addTests(m Exit) {
	soft := m.Outcome == cfg.SoftFailed
	for _, t := range v.node.Tests {
		if soft && t.Cond.Kind.Chosen() {
			continue
		}
		if v.mayBeOpen(t) {
			taken := m
			taken.Transition = t
			taken.Doubtful = m.Doubtful || soft && t.Cond.Kind.OfOutput()
			v.add(taken)
		}
		if (t.Cond.Kind.Plain() || t.Cond.Kind.Callless()) && !v.mayBeUsedUp(t) {
			return
		}
		choice := t.Closes()
		if choice == nil || soft {
			continue
		}
		past := slices.ContainsFunc(choice, v.mayBeUsedUp)
		if !past && !t.Choice.Loose {
			return
		}
		m.Doubtful = m.Doubtful || !past
	}
	v.addUnmatched(m)
}

// addUnmatched adds the exits of rule 7.
func (v *exitLister) addUnmatched(m Exit) {
	n := v.node
	if n.Terminal() || n.NoMatch == "end" {
		v.add(m)
		return
	}
	over, left := n.Exhaustible(), false
	for _, t := range n.Tests {
		over = over && v.mayBeUsedUp(t)
		left = left || v.mayBeOpen(t)
	}
	if over || m.Outcome != cfg.Skipped && v.maySayNo() {
		v.add(m)
	}
	if n.Exhaustible() && !left {
		return
	}
	// Without no_match, the checks have proved that some transition is taken.
	v.addFailure(m.Doubtful || n.NoMatch == "")
}

// maySayNo reports whether the model may be asked about a single edge. It can then answer no, which
// completes the run. Of several edges it always names one, unless it fails.
func (v *exitLister) maySayNo() bool {
	left, most := 0, 0
	for _, t := range v.node.Tests {
		if t.Cond.Kind != cfg.Judged {
			continue
		}
		if !v.mayBeUsedUp(t) {
			left++
		}
		if v.mayBeOpen(t) {
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
	m := Exit{Outcome: cfg.Failed, After: Yes, Doubtful: doubtful}
	v.addFirstOpen(v.node.On[cfg.Failed], m)
}
