package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
)

// where describes a node of the run at this moment.
func (r *Run) where(n NodeID) graphgen.Where {
	w := graphgen.Where{Graph: r.graph.Name, Branch: r.relations().branch, Node: r.graph.NodeName(n), Pos: r.graph.nodePosition(n)}
	if n == r.here() {
		w.Step, w.Visit = r.step(), r.visit(n)
	}
	return w
}

// notify passes a copy of an event to each observer. It counts an observer's panic, and otherwise
// ignores it.
func (r *Run) notify(e *graphgen.Event) {
	if !r.Observed() {
		return
	}
	if e.Run == nil {
		r.describe(e)
	}
	r.pass(e)
}

// named returns the node with a name, most likely the one given. It returns End where there is none.
func (g *Graph) named(name string, likely NodeID) NodeID {
	if g.NodeName(likely) == name {
		return likely
	}
	for n := range len(g.Nodes) + len(g.dynamicNodes) {
		if g.node(NodeID(n)).Name == name {
			return NodeID(n)
		}
	}
	return End
}

// pass delivers an event of this run or of a child run.
func (r *Run) pass(e *graphgen.Event) {
	if r.parent() != nil && r.Observed() {
		r.passOutside(*e)
		return
	}
	r.show(e)
}

// passOutside delivers an event of a branch on the goroutine of the run around it.
func (r *Run) passOutside(e graphgen.Event) { r.outside(func() { r.show(&e) }) }

// show calls the observers, those of parents last. The numbers of the event are for them alone: hooks do not get them.
func (r *Run) show(e *graphgen.Event) {
	if len(r.settings.Observers) > 0 {
		o := r.outermost().observed()
		o.events++
		e.N = o.events
		if t := r.settings.thread; t != nil {
			e.Record = t.Made()
		}
		for i := 0; i < len(r.settings.Observers); {
			i = r.observe(i, e)
		}
		e.N, e.Record = 0, 0
	}
	if r.settings.nesting != nil {
		r.settings.nesting.run.pass(e)
	}
}

// observe calls the observers from the number next on, and returns the number of the one to go on with: a
// panic ends the call.
func (r *Run) observe(next int, e *graphgen.Event) (after int) {
	after = next
	defer func() {
		if recover() != nil {
			r.withIncidents().hookFailures++
			after++
		}
	}()
	for ; after < len(r.settings.Observers); after++ {
		r.settings.Observers[after](*e)
	}
	return after
}

// enter reports the start of a step and returns true. It returns false when a governing hook ends the run.
func (r *Run) enter(n NodeID) bool {
	return !r.settings.isWatched() || r.begins(n)
}

// begins is the part of enter for watched runs. It is a function of its own because events are
// large and runs without observers need small stacks.
//
//go:noinline
func (r *Run) begins(n NodeID) bool {
	x, now := r.withExtra(), r.now()
	e := r.stepEvent(graphgen.NodeStart, now, r.graph.node(n), r.step(), r.visit(n))
	r.notify(&e)
	x.started, x.begun = true, now
	x.rest.restarts()
	if x.book != nil {
		x.book.begins(r)
	}
	if !r.settings.isGoverned() {
		return true
	}
	if err := r.judge(&e, true); err != nil {
		r.retract()
		r.ruled(err)
		return false
	}
	r.wraps(n, &e)
	return true
}

// leave reports how the step ended and which transition the run takes.
func (r *Run) leave(transition TransitionID) {
	x := r.extra()
	first := r.At == End && x.passedOver == End // the run, or one within it, begins
	switch {
	case r.settings.isWatched():
		if !r.leaves(transition, first) {
			return
		}
	case x.agent.verdict() != nil:
		r.endBy(x.agent.verdict())
		return
	}
	if !first {
		r.settle(transition)
	}
	if r.related != nil {
		if r.related.behind = 0; r.related.saved != nil {
			r.related.saved.trying = nil
			if r.more != nil { // the tries with which another process was in the node
				r.more.waiting = nil
			}
		}
	}
	if x := r.more; x != nil {
		if x.feedback != nil && x.outcome != failedGuards {
			x.feedback = nil
		}
		if x.soft != nil {
			x.soft = nil
		}
		x.outcome, x.attempts, x.cached, x.cleared, x.passedOver = succeeded, 0, false, false, End
	}
}

// leaves is the part of leave for watched runs. It returns false when the run is over.
//
//go:noinline
func (r *Run) leaves(transition TransitionID, first bool) bool {
	x, at := r.withExtra(), r.here()
	ended := !first && x.passedOver == End
	if x.passedOver != End {
		at = x.passedOver
	}
	now := x.begun // of the run
	if transition != entry || r.parent() != nil {
		now = r.now()
	}
	e := r.stepEvent(graphgen.NodeEnd, now, r.graph.node(at), r.step(), r.visit(at))
	if ended {
		if r.emitEnd(&e, at); r.over {
			return false
		}
	}
	if over := x.agent.verdict(); over != nil {
		r.endBy(over)
		return false
	}
	if !r.Observed() {
		return true
	}
	e.Kind, e.Skipped, e.Err = graphgen.Routed, false, nil
	e.Details.Text, e.Details.Wait, e.Details.More = "", 0, r.route(transition)
	if at == End {
		e.Node, e.NodeKind = "", ""
	}
	if transition < firstCommon {
		w := r.graph.transition(transition)
		e.Line, e.Col = int32(w.Line), int32(w.Col)
		if p := r.parent(); at == End && p != nil && w.From != End { // into the region of a node
			e.Node, e.NodeKind, e.Step, e.Visit = r.graph.leaving(w.From), r.graph.node(w.From).Kind, p.step(), p.visit(p.here())
		}
	}
	r.notify(&e)
	return true
}

// emitDry reports the end of the last step of a dry run.
func (r *Run) emitDry(at NodeID) {
	e := r.stepEvent(graphgen.NodeEnd, r.now(), r.graph.node(at), r.step(), r.visit(at))
	r.emitEnd(&e, at)
}

// emitEnd reports the end of a step.
func (r *Run) emitEnd(e *graphgen.Event, at NodeID) {
	x := r.withExtra()
	e.Skipped = x.outcome == skipped
	if a := x.agent; a != nil && a.answer != "" {
		e.Details.Text, a.answer = a.answer, ""
	}
	if x.outcome == failed || x.outcome == failedSoft {
		e.Kind, e.Err, e.Details.Wait = graphgen.NodeFailed, x.failures[len(x.failures)-1].Err, e.Time.Sub(x.begun)
	} else if x.started {
		e.Details.Wait = r.stopWatch(e.Time)
		r.notify(e)
	}
	x.started = false
	if emit := r.incidents().emitAll; emit != nil {
		emit(r, at)
	}
	var err *graphgen.HookError
	if r.settings.isGoverned() {
		err = r.judge(e, false)
	}
	if x.wrap != nil {
		if err == nil {
			err = x.wrap.verdict
		}
		x.wrap = nil
	}
	if err != nil {
		r.ruled(err)
	}
}

// judge calls the hooks for a step of this run or of a child run, and returns the verdict of the first
// governing one.
func (r *Run) judge(e *graphgen.Event, before bool) *graphgen.HookError {
	if r.parent() != nil && r.settings.isWatched() {
		return r.judgeOutside(*e, before)
	}
	return r.verdict(e, before)
}

// judgeOutside calls the hooks for a step of a branch on the goroutine of the run around it.
func (r *Run) judgeOutside(e graphgen.Event, before bool) (verdict *graphgen.HookError) {
	r.outside(func() { verdict = r.verdict(&e, before) })
	return verdict
}

func (r *Run) verdict(e *graphgen.Event, before bool) *graphgen.HookError {
	var verdict *graphgen.HookError
	for i := range r.settings.Hooks {
		h := &r.settings.Hooks[i]
		f := h.After
		if before {
			f = h.Before
		}
		if f == nil {
			continue
		}
		err := r.call(f, e)
		switch {
		case err == nil:
		case !h.Governing:
			r.withIncidents().hookFailures++
		case verdict == nil:
			at := graphgen.Where{Graph: e.Run.Graph, Branch: e.Run.Branch, Node: e.Node, Step: e.Step, Visit: e.Visit, Pos: e.Pos()}
			verdict = &graphgen.HookError{Where: at, Hook: h.Name, Err: err}
		}
	}
	if r.settings.nesting != nil && r.settings.nesting.watched {
		if err := r.settings.nesting.run.judge(e, before); err != nil && verdict == nil {
			if verdict = err; err.Origin == (origin.Ref{}) {
				err.Origin = origin.To(r.settings.nesting.run)
			}
		}
	}
	return verdict
}

func (r *Run) call(f func(context.Context, graphgen.Event) error, e *graphgen.Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError(v, r.graph)
		}
	}()
	return errtree.Sound(f(r.Context(), *e))
}

// ruled ends the run by the verdict of a governing hook.
func (r *Run) ruled(err *graphgen.HookError) {
	reason := graphgen.Failed
	var spent *graphgen.LimitError
	if errtree.As(err, &spent, func(err error) bool { spent = budgetOf(err); return spent != nil }) {
		reason = graphgen.Budget
		at := err.Where
		r.notify(&graphgen.Event{Kind: graphgen.OverBudget, Node: at.Node, Step: at.Step, Visit: at.Visit, Err: err})
	}
	r.end(reason, err)
}

// stopWatch returns the time from the start of the step to its end, and adds it to that of its node without pauses.
func (r *Run) stopWatch(end time.Time) time.Duration {
	x, at := r.withExtra(), int(r.here())
	if at >= len(x.timings) {
		x.timings = grown(x.timings, max(at, len(r.graph.Nodes)-1))
	}
	if !x.started {
		return 0
	}
	took := end.Sub(x.begun)
	ran := took - x.rest.ofStep()
	x.timings[at] += ran
	if x.book != nil {
		x.book.time(r, x.book.step, ran)
	}
	return took
}
