package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"

	"github.com/graphgen/graphgen/spec/resolve"
)

// connect finds the outcomes of a point.
func (f *flow) connect(p *point) {
	n, r := p.node, f.c.routings[p.node]
	add := func(e ending, commits bool, moves []move) {
		if len(moves) > 0 {
			p.outcomes = append(p.outcomes, outcome{ending: e, commits: commits, moves: moves})
		}
	}
	if p.skipped {
		add(isSkipped, false, f.skips(n, r))
	} else {
		add(succeeds, true, f.successes(n, r))
		add(callsTools, false, f.calls(n, r))
		if n.Spec.FailSoft.V {
			add(failsSoftly, false, f.softFailures(n, r))
		}
		add(refused, false, f.refusals(n, r))
		add(isDenied, false, f.withheld(n, r.Denied))
		add(isLate, false, f.withheld(n, r.Late))
		add(fails, false, f.failures(n, r))
	}
	if !p.skipped && !flagged(n, "skip_on_error") && p.failsLikeUsedUp() {
		return
	}
	add(usedUp, false, f.detours(n, r))
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
	node    *resolve.Node
	failed  bool // the node after it is skipped if it may be
	skipped bool // the node itself is
	after   []int
	behind  bool // what follows is late
	closed  bool // what follows is never come to
	moves   []move
}

func (l *lister) add(t resolve.Target) *move { return l.addEdge(t, nil) }

func (l *lister) addEdge(t resolve.Target, e *resolve.Edge) *move {
	m := move{to: theEnd, edge: e}
	if t.Node != nil {
		m.to = l.f.at[t.Node]
		if l.failed && flagged(t.Node, "skip_on_error") {
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

// open adds an edge without a condition. What stands behind one that is bounded is come to
// when it is used up, so after it was followed.
func (l *lister) open(e *resolve.Edge) {
	l.addEdge(e.To, e)
	if !e.Bounded() || e.To.Node == nil {
		l.closed = true
		return
	}
	l.behind = true
	l.after = append(l.after, l.f.at[e.To.Node])
}

// edges adds those of rule 4, conditional ones as far as their condition can hold.
func (l *lister) edges(list []*resolve.Edge, conditional func(*resolve.Edge) bool) {
	for _, e := range list {
		switch {
		case l.closed:
			return
		case !e.Conditional():
			l.open(e)
		case !conditional(e):
		case e.Uncalled():
			l.open(e)
		default:
			asks, _ := l.f.asked(e)
			for i, t := range e.Targets() {
				if m := l.addEdge(t, e); i == 0 {
					m.asks, m.cond = asks, l.f.c.conditions().of[e]
				}
			}
			if e.Decides() {
				l.closed = true
			}
		}
	}
}

// events adds the edges of one event.
func (l *lister) events(list []*resolve.Edge) {
	for _, e := range list {
		if !l.closed {
			l.open(e)
		}
	}
}

// rest is rules 6 and 7: the default, else an end.
func (l *lister) rest(r *resolve.Routing) []move {
	switch {
	case l.closed:
	case r.Next != nil:
		l.add(r.Next.To)
	case r.Terminal():
		l.add(resolve.Target{End: true})
	default:
		l.dryEnd(r)
	}
	return l.moves
}

// dryEnd adds the end of a run that finds no way on: where the edges are used up, where the
// model says no to the only way it is asked about, or where the spec says that it ends there.
func (l *lister) dryEnd(r *resolve.Routing) {
	if r.NoMatch == "end" && l.f.c.gap(l.node) != nil {
		l.add(resolve.Target{End: true})
		return
	}
	if r.MayDecline() && !l.skipped {
		l.declined(r)
	}
	if l.closed {
		return
	}
	if !r.Exhaustible() {
		return
	}
	for _, e := range r.Edges {
		for _, t := range e.Targets() {
			if t.Node == nil {
				return // it ends there before it is used up
			}
			l.after = append(l.after, l.f.at[t.Node])
		}
	}
	l.behind = true
	l.add(resolve.Target{End: true})
}

// declined adds the ends of a run at a node of whose ways the model judges one alone: at once
// where there is no other, else when the others are used up.
func (l *lister) declined(r *resolve.Routing) {
	if len(r.Judged) == 1 {
		l.add(resolve.Target{End: true})
		l.closed = !l.behind
		return
	}
	behind, after := l.behind, l.after
	for _, alone := range r.Judged {
		l.behind, l.after = true, slices.Clip(after)
		usable := true
		for _, e := range r.Judged {
			if e == alone {
				continue
			}
			usable = usable && e.Bounded() && e.To.Node != nil // else it is never used up
			if usable {
				l.after = append(l.after, l.f.at[e.To.Node])
			}
		}
		if usable {
			l.add(resolve.Target{End: true})
		}
	}
	l.behind, l.after = behind, after
}

// calls are the moves of a turn that calls tools, which gives no output.
func (f *flow) calls(n *resolve.Node, r *resolve.Routing) []move {
	l := lister{f: f, node: n}
	if r.ToolLoop {
		l.add(resolve.Target{Node: n})
		return l.moves
	}
	l.events(r.Called)
	return l.moves
}

// successes are the moves of a node that succeeded, by the seven rules.
func (f *flow) successes(n *resolve.Node, r *resolve.Routing) []move {
	l := lister{f: f, node: n, moves: make([]move, 0, len(r.Edges)+2)}
	for _, field := range r.Route {
		for _, choice := range field.Choices {
			l.add(choice.To)
		}
	}
	if r.RouteDecides() {
		return l.moves
	}
	for _, g := range r.Goto {
		l.add(g.To)
	}
	if n.Kind == "router" && len(r.Goto) > 0 {
		return l.moves
	}
	l.edges(r.Edges, func(e *resolve.Edge) bool { return f.c.mayHold(n, e, false) })
	if !l.closed {
		for _, t := range r.Transitions {
			if t.Field != nil {
				l.add(t.To.To)
			}
		}
	}
	return l.rest(r)
}

// softFailures are the moves of a fail_soft node that failed: its output is empty.
func (f *flow) softFailures(n *resolve.Node, r *resolve.Routing) []move {
	l := lister{f: f, node: n, failed: true}
	l.edges(r.Edges, func(e *resolve.Edge) bool { return !e.Table() && f.c.mayHold(n, e, true) })
	return l.rest(r)
}

// skips are the moves of a node that is skipped: those without a condition.
func (f *flow) skips(n *resolve.Node, r *resolve.Routing) []move {
	l := lister{f: f, node: n, failed: true, skipped: true}
	l.edges(r.Edges, func(*resolve.Edge) bool { return false })
	return l.rest(r)
}

// refusals are the moves of a node whose guards refused its output.
func (f *flow) refusals(n *resolve.Node, r *resolve.Routing) []move {
	if len(n.Spec.Guards) == 0 && n.Kind != "guard" {
		return nil
	}
	l := lister{f: f, node: n}
	l.events(r.GuardFail)
	if !l.closed && r.OnFail != nil {
		l.add(r.OnFail.To)
	}
	return l.moves
}

// withheld are the moves of a node whose person has not said yes.
func (f *flow) withheld(n *resolve.Node, to *resolve.Named) []move {
	l := lister{f: f, node: n}
	if to != nil {
		l.add(to.To)
	}
	return l.moves
}

// failures are the moves of a node that failed, and was not passed over.
func (f *flow) failures(n *resolve.Node, r *resolve.Routing) []move {
	if flagged(n, "critical") || n.Spec.FailSoft.V && !f.mayPanic(r) && !n.Evaluates() {
		return nil
	}
	l := lister{f: f, node: n, failed: true}
	if !n.Spec.FailSoft.V {
		l.events(r.Failed)
	}
	if !l.closed {
		l.takeOver(r)
	}
	return l.moves
}

// detours are the moves of a node whose visits are used up.
func (f *flow) detours(n *resolve.Node, r *resolve.Routing) []move {
	l := lister{f: f, node: n, failed: true, behind: true}
	l.takeOver(r)
	return l.moves
}

// takeOver adds the error transition, else the graph's on_error.
func (l *lister) takeOver(r *resolve.Routing) {
	switch rescue := l.f.c.graph.OnError; {
	case r.ErrorTo != nil:
		l.add(r.ErrorTo.To)
	case rescue != nil && rescue != l.node:
		l.add(resolve.Target{Node: rescue})
	}
}

// asked returns the fields of the state that the condition of an edge looks at. The second
// result is false where that is not known.
func (f *flow) asked(e *resolve.Edge) (asks []int, known bool) {
	if !e.Spec.If.IsSet() {
		return nil, true
	}
	was, ok := f.asks[e]
	if !ok {
		was.fields, was.known = f.findAsked(e)
		f.asks[e] = was
	}
	return was.fields, was.known
}

// An asking is what a condition looks at.
type asking struct {
	fields []int
	known  bool
}

func (f *flow) findAsked(e *resolve.Edge) (asks []int, known bool) {
	cond := f.c.conditions().of[e]
	if cond == nil || cond.tree == nil || cond.flaw != nil {
		return nil, false
	}
	return f.fieldsIn(cond.tree)
}

// fieldsIn returns the fields of the state that an expression looks at, and whether these
// are all.
func (f *flow) fieldsIn(tree ast.Expr) (asks []int, known bool) {
	known = true
	ast.Inspect(tree, func(x ast.Node) bool {
		if sel, ok := stateField(x); ok {
			if at, ok := f.goNames[sel.Sel.Name]; ok && !slices.Contains(asks, at) {
				asks = append(asks, at)
			}
			return false
		}
		if id, ok := x.(*ast.Ident); ok && id.Name == "state" {
			known = false
		}
		return true
	})
	return asks, known
}

// stateField reports whether an expression is a field of the state.
func stateField(x ast.Node) (*ast.SelectorExpr, bool) {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	return sel, ok && id.Name == "state"
}

// mayPanic reports whether a condition can panic: then even a fail_soft node fails.
func (f *flow) mayPanic(r *resolve.Routing) bool {
	return slices.ContainsFunc(r.Edges, f.c.panics)
}

// divides are the operators that panic on some operands.
var divides = map[token.Token]bool{token.QUO: true, token.REM: true, token.SHL: true, token.SHR: true}

// mayHold reports whether the condition of an edge can hold after a success of its node,
// or after a failure that was passed over: then its output is empty.
func (c *context) mayHold(n *resolve.Node, e *resolve.Edge, failed bool) bool {
	cond := c.conditions().of[e]
	if !failed && (cond == nil || cond.tree == nil || !mentions(cond.tree, "res")) {
		return true
	}
	w := newWorld(c.visible())
	w.failed, w.empty = failed, failed
	f, ok := c.holdsWhen(w, n, e)
	if !ok || f == nil {
		return true
	}
	w.formulas = append(w.formulas, f)
	w.settle()
	if failed {
		w.emptyOutput()
	}
	if w.count() > mostCases {
		return true
	}
	holds := false
	w.each(func(at []int) bool {
		holds = w.eval(f, at) != no
		return !holds
	})
	return holds
}

// emptyOutput leaves numbers and texts of the output only what they are when it is empty.
func (w *world) emptyOutput() {
	for _, s := range w.subjects {
		if len(s.constants) == 0 || s.enum != nil || len(s.text) < 4 || s.text[:4] != "out." || !isPath(s.text) {
			continue
		}
		switch s.constants[0].Kind() {
		case constant.String:
			s.cases = []constant.Value{constant.MakeString("")}
		case constant.Int, constant.Float:
			s.cases = []constant.Value{constant.MakeInt64(0)}
		}
	}
}

// mentions reports whether an expression uses a name.
func mentions(tree ast.Expr, name string) bool {
	found := false
	ast.Inspect(tree, func(x ast.Node) bool {
		id, ok := x.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
