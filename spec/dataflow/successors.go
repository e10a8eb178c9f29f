package dataflow

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/expr"
)

// exit is the end of a run, as a successor.
const exit = -1

// A successor is a point to which a run can go next, or the exit. What the condition of a
// successor reads is read before each successor after it, too.
type successor struct {
	to    int
	via   *cfg.Transition // nil: the run ends because none is taken
	reads []int           // fields that its condition reads

	// A late successor is not possible at the first visit of the node. It has a number above 0,
	// and is possible after the node was left; if after is not empty, after edges of the node led
	// to these points.
	late  int
	after []int
}

// tried are the outcomes of a node that is executed. Their order decides which of the shortest
// paths to a node is reported.
var tried = [...]cfg.Outcome{cfg.Succeeded, cfg.CalledTools, cfg.SoftFailed, cfg.Refused, cfg.Denied, cfg.Late, cfg.Spent, cfg.Failed}

// connect finds the outcomes of a point.
func (f *Flow) connect(p *point) {
	add := func(o cfg.Outcome) {
		if list := f.successors(p.node, o); len(list) > 0 {
			p.outcomes = append(p.outcomes, outcome{o, list})
		}
	}
	if p.skipped {
		add(cfg.Skipped)
	} else {
		for _, o := range tried {
			if f.occurs(p.node, o) {
				add(o)
			}
		}
	}
	if !p.skipped && len(p.node.JudgedEdges()) > 0 { // the model that judges what follows a success may find the budget spent
		l := lister{f: f, node: p.node, outcome: cfg.Succeeded}
		if l.transitions(p.node.On[cfg.Spent]); len(l.list) > 0 {
			p.outcomes = append(p.outcomes, outcome{cfg.Succeeded, l.list})
		}
	}
	if p.skipped || p.node.Skip || !p.failsLikeOutOfVisits() {
		add(cfg.OutOfVisits)
	}
}

// occurs reports whether an execution of a node can have an outcome.
func (f *Flow) occurs(n *cfg.Node, o cfg.Outcome) bool {
	switch o {
	case cfg.SoftFailed:
		return n.Soft
	case cfg.Refused:
		return len(n.Spec.Spec.Guards) > 0 || n.Spec.Kind.Judges
	case cfg.Failed: // of a soft node, because an expression panics
		return !n.Soft || n.Spec.Evaluates() || slices.ContainsFunc(n.By(cfg.ByEdge), func(t *cfg.Transition) bool { return mayPanic(t.Cond.Expr) })
	}
	return true
}

func mayPanic(e *expr.Expr) bool { return e != nil && e.Panics() }

// failsLikeOutOfVisits reports whether a failure of the node leads where its used up visits
// lead: these are late, and add nothing. A composite node may write before each failure.
func (p *point) failsLikeOutOfVisits() bool {
	if p.effect != nil {
		return false
	}
	for _, o := range p.outcomes {
		for _, s := range o.successors {
			if o.Outcome == cfg.Failed && s.late == 0 && (s.via == nil || s.via.Edge == nil) {
				return true
			}
		}
	}
	return false
}

// A lister lists the successors of one outcome in the order in which they are tried.
type lister struct {
	f       *Flow
	node    *cfg.Node
	outcome cfg.Outcome
	after   []int
	late    bool // what follows is late
	done    bool // what follows is never tried
	list    []successor
}

// successors lists the successors of an outcome.
func (f *Flow) successors(n *cfg.Node, o cfg.Outcome) []successor {
	l := lister{f: f, node: n, outcome: o, late: o == cfg.OutOfVisits}
	l.transitions(n.On[o])
	if !l.done && (o == cfg.Succeeded || o == cfg.SoftFailed || o == cfg.Skipped) {
		l.otherwise()
	}
	return l.list
}

// add adds a successor.
func (l *lister) add(t *cfg.Transition) *successor {
	s := successor{to: exit, via: t}
	if t != nil && t.To != nil {
		s.to = l.f.at[t.To.Spec]
		if t.To.Skip && l.failed() {
			s.to++
		}
	}
	if l.late {
		l.f.late++
		s.late, s.after = l.f.late, slices.Clip(l.after)
	}
	l.list = append(l.list, s)
	return &l.list[len(l.list)-1]
}

// failed reports whether the outcome is a failure for the next node, which may be skipped then.
func (l *lister) failed() bool {
	switch l.outcome {
	case cfg.SoftFailed, cfg.Spent, cfg.Failed, cfg.OutOfVisits, cfg.Skipped:
		return true
	}
	return false
}

// transitions adds transitions, those with a condition as far as it can hold. Behind a choice
// that decides, none is tried.
func (l *lister) transitions(list []*cfg.Transition) {
	var decides *cfg.Choice
	for _, t := range list {
		if decides != nil && t.Choice != decides {
			break
		}
		switch {
		case l.done:
			return
		case t.Conditional() && !l.mayHold(t):
		case !t.Conditional() || t.Cond.Kind == cfg.Uncalled:
			l.unconditional(t)
		default:
			s := l.add(t)
			s.reads = l.f.conditionReads(t)
			if t.Choice != nil && t.Choice.Decides() {
				decides = t.Choice
			}
		}
	}
	l.done = l.done || decides != nil
}

// mayHold reports whether the condition of a transition can hold. A soft failure has no output,
// which chooses nothing.
func (l *lister) mayHold(t *cfg.Transition) bool {
	soft := l.outcome == cfg.SoftFailed
	if t.Rule != cfg.ByEdge {
		return !soft
	}
	return !(soft && t.Edge.Table()) && l.f.conds.MayHold(t, soft)
}

// unconditional adds a transition without a condition. Behind one that is bounded, the next is
// tried when it is used up, so after it was followed.
func (l *lister) unconditional(t *cfg.Transition) {
	l.add(t)
	if !t.Bounded || t.To == nil {
		l.done = true
		return
	}
	l.late = true
	l.after = append(l.after, l.f.at[t.To.Spec])
}

// otherwise adds the end of a run of which no transition is taken: at a terminal node, where
// no_match ends the run, where the model declines, and where bounds are used up.
func (l *lister) otherwise() {
	n := l.node
	if n.Terminal() || n.NoMatch == "end" && l.f.conds.MayMiss(n) {
		l.add(nil)
		return
	}
	if n.MayDecline() && l.outcome != cfg.Skipped {
		l.declined()
	}
	if l.done || !n.Exhaustible() {
		return
	}
	for _, t := range n.By(cfg.ByEdge) {
		if t.To == nil {
			return // it ends there before it is used up
		}
		l.after = append(l.after, l.f.at[t.To.Spec])
	}
	l.late = true
	l.add(nil)
}

// declined adds the ends of a run at a node of whose edges the model judges one alone: directly
// where it is the only one, else when the others are used up.
func (l *lister) declined() {
	judged := l.node.JudgedEdges()
	if len(judged) == 1 {
		l.add(nil)
		l.done = !l.late
		return
	}
	late, after := l.late, l.after
	for _, alone := range judged {
		l.late, l.after = true, slices.Clip(after)
		usable := true
		for _, t := range judged {
			if t == alone {
				continue
			}
			usable = usable && t.Bounded && t.To != nil // else it is never used up
			if usable {
				l.after = append(l.after, l.f.at[t.To.Spec])
			}
		}
		if usable {
			l.add(nil)
		}
	}
	l.late, l.after = late, after
}
