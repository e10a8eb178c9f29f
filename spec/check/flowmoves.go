package check

import (
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
	"slices"
)

// connect finds the outcomes of a point.
func (f *flow) connect(p *point) {
	n := f.c.cfg.Node(p.node)
	add := func(e ending, commits bool, moves []move) {
		if len(moves) > 0 {
			p.outcomes = append(p.outcomes, outcome{ending: e, commits: commits, moves: moves})
		}
	}
	if p.skipped {
		add(isSkipped, false, f.skips(n))
	} else {
		add(succeeds, true, f.successes(n))
		add(callsTools, false, f.events(n, cfg.CalledTools))
		if n.Soft {
			add(failsSoftly, false, f.softFailures(n))
		}
		add(refused, false, f.refusals(n))
		add(isDenied, false, f.events(n, cfg.Denied))
		add(isLate, false, f.events(n, cfg.Late))
		add(fails, false, f.failures(n))
	}
	if !p.skipped && !n.Skip && p.failsLikeUsedUp() {
		return
	}
	add(usedUp, false, f.detours(n))
}

// failsLikeUsedUp reports whether a failure of the node leads wherever its used up visits
// do: then these, which come later, add nothing. Of a node that runs others it may be that no
// failure leaves a field as it is.
func (p *point) failsLikeUsedUp() bool {
	if p.effect != nil {
		return false
	}
	for _, o := range p.outcomes {
		for _, m := range o.moves {
			if o.ending == fails && m.late == 0 && m.edge == nil {
				return true
			}
		}
	}
	return false
}

// A lister lists the moves of one outcome in the order of the rules.
type lister struct {
	f       *flow
	node    *cfg.Node
	failed  bool // the node after it is skipped if it may be
	skipped bool // the node itself is
	after   []int
	behind  bool // what follows is late
	closed  bool // what follows is never come to
	moves   []move
}

// add adds a move along a transition; end is nil.
func (l *lister) add(to *cfg.Node, e *resolve.Edge) *move {
	m := move{to: theEnd, edge: e}
	if to != nil {
		m.to = l.f.at[to.Spec]
		if l.failed && to.Skip {
			m.to++
		}
	}
	if l.behind {
		l.f.late++
		m.late, m.after = l.f.late, slices.Clip(l.after)
	}
	l.moves = append(l.moves, m)
	return &l.moves[len(l.moves)-1]
}

// open adds a transition without a condition. What stands behind one that is bounded is come to
// when it is used up, so after it was followed.
func (l *lister) open(t *cfg.Transition) {
	l.add(t.To, t.Edge)
	if !t.Bounded || t.To == nil {
		l.closed = true
		return
	}
	l.behind = true
	l.after = append(l.after, l.f.at[t.To.Spec])
}

// try adds the transitions of a list, those with a condition as far as it can hold.
func (l *lister) try(list []*cfg.Transition, holds func(*cfg.Transition) bool) {
	var table *cfg.Choice
	for _, t := range list {
		if table != nil && t.Choice != table {
			l.closed, table = true, nil
		}
		switch {
		case l.closed:
			return
		case !t.Conditional():
			l.open(t)
		case !holds(t):
		case t.Cond.Kind == cfg.Uncalled:
			l.open(t)
		default:
			l.conditional(t)
			if t.Choice != nil && t.Choice.Decides() {
				table = t.Choice
			}
		}
	}
	l.closed = l.closed || table != nil
}

// conditional adds a transition with a condition.
func (l *lister) conditional(t *cfg.Transition) {
	m := l.add(t.To, t.Edge)
	if t.Edge != nil && t.Branch == 0 {
		m.asks, _ = l.f.asked(l.f.c.cfg.If(t.Edge))
		m.cond = t.Edge
	}
}

// rest is rule 7.
func (l *lister) rest() []move {
	switch {
	case l.closed:
	case l.node.Terminal():
		l.add(nil, nil)
	default:
		l.dryEnd()
	}
	return l.moves
}

// dryEnd adds the end of a run that finds no way on: where the edges are used up, where the
// model says no to the only way it is asked about, or where the spec says that it ends there.
func (l *lister) dryEnd() {
	n := l.node
	if n.NoMatch == "end" && l.f.c.gap(n.Spec) != nil {
		l.add(nil, nil)
		return
	}
	if n.MayDecline() && !l.skipped {
		l.declined()
	}
	if l.closed || !n.Exhaustible() {
		return
	}
	for _, t := range n.By(cfg.ByEdge) {
		if t.To == nil {
			return // it ends there before it is used up
		}
		l.after = append(l.after, l.f.at[t.To.Spec])
	}
	l.behind = true
	l.add(nil, nil)
}

// declined adds the ends of a run at a node of whose ways the model judges one alone: at once
// where there is no other, else when the others are used up.
func (l *lister) declined() {
	judged := l.node.Judged()
	if len(judged) == 1 {
		l.add(nil, nil)
		l.closed = !l.behind
		return
	}
	behind, after := l.behind, l.after
	for _, alone := range judged {
		l.behind, l.after = true, slices.Clip(after)
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
			l.add(nil, nil)
		}
	}
	l.behind, l.after = behind, after
}

// events are the moves after an outcome whose transitions have no conditions.
func (f *flow) events(n *cfg.Node, o cfg.Outcome) []move {
	l := lister{f: f, node: n}
	l.try(n.On[o], nil)
	return l.moves
}

// successes are the moves of a node that succeeded, by rules 2 to 7.
func (f *flow) successes(n *cfg.Node) []move {
	l := lister{f: f, node: n, moves: make([]move, 0, len(n.On[cfg.Succeeded])+1)}
	l.try(n.On[cfg.Succeeded], func(t *cfg.Transition) bool { return t.Rule != cfg.ByEdge || f.c.mayHold(n.Spec, t.Edge, false) })
	return l.rest()
}

// softFailures are the moves of a fail_soft node that failed: its output is empty, and chooses
// nothing.
func (f *flow) softFailures(n *cfg.Node) []move {
	l := lister{f: f, node: n, failed: true}
	l.try(n.On[cfg.SoftFailed], func(t *cfg.Transition) bool {
		return t.Rule == cfg.ByEdge && !t.Edge.Table() && f.c.mayHold(n.Spec, t.Edge, true)
	})
	return l.rest()
}

// skips are the moves of a node that is skipped: those without a condition.
func (f *flow) skips(n *cfg.Node) []move {
	l := lister{f: f, node: n, failed: true, skipped: true}
	l.try(n.On[cfg.Skipped], nil)
	return l.rest()
}

// refusals are the moves of a node whose guards refused its output.
func (f *flow) refusals(n *cfg.Node) []move {
	if len(n.Spec.Spec.Guards) == 0 && !n.Spec.Kind.Judges {
		return nil
	}
	return f.events(n, cfg.Refused)
}

// failures are the moves of a node that failed, and was not passed over.
func (f *flow) failures(n *cfg.Node) []move {
	if n.Soft && !f.mayPanic(n) && !n.Spec.Evaluates() {
		return nil
	}
	l := lister{f: f, node: n, failed: true}
	l.try(n.On[cfg.Failed], nil)
	return l.moves
}

// detours are the moves of a node whose visits are used up.
func (f *flow) detours(n *cfg.Node) []move {
	l := lister{f: f, node: n, failed: true, behind: true}
	l.try(n.On[cfg.OutOfVisits], nil)
	return l.moves
}

// asked returns the fields of the state that a condition looks at; nil is no condition. The
// second result is false where that is not known.
func (f *flow) asked(x *expr.Expr) (asks []int, known bool) {
	if x == nil {
		return nil, true
	}
	was, ok := f.asks[x]
	if !ok {
		if x.Typed().Mistake == nil {
			was.fields, was.known = f.fieldsIn(x)
		}
		f.asks[x] = was
	}
	return was.fields, was.known
}

// An asking is what a condition looks at.
type asking struct {
	fields []int
	known  bool
}

// fieldsIn returns the fields of the state that an expression looks at, and whether these
// are all.
func (f *flow) fieldsIn(x *expr.Expr) (asks []int, known bool) {
	uses := x.Uses()
	for _, used := range uses.State {
		if at, ok := f.goNames[used.GoName]; ok && !slices.Contains(asks, at) {
			asks = append(asks, at)
		}
	}
	return asks, !uses.AllState
}

// mayPanic reports whether a condition can panic: then even a fail_soft node fails.
func (f *flow) mayPanic(n *cfg.Node) bool {
	return slices.ContainsFunc(n.Edges(), func(e *resolve.Edge) bool { return panics(f.c.cfg.If(e)) })
}

// mayHold reports whether the condition of an edge can hold after a success of its node,
// or after a failure that was passed over: then its output is empty.
func (c *context) mayHold(n *resolve.Node, e *resolve.Edge, failed bool) bool {
	if x := c.cfg.If(e); !failed && (x == nil || !x.Uses().Name("res")) {
		return true
	}
	w := expr.NewCases(c.cfg.Exprs)
	w.Failed, w.Empty = failed, failed
	f, ok := c.holdsWhen(w, n, e)
	if !ok || f == nil {
		return true
	}
	w.Formulas = append(w.Formulas, f)
	w.Settle()
	if failed {
		w.EmptyOutput()
	}
	return w.MayHold(f)
}
