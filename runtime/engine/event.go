package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
)

// enter is the part of startStep for watched runs. It is a function of its own because events are
// large and runs without observers need small stacks.
//
//go:noinline
func (w *watch) enter(n NodeID) bool {
	x, now := w.run.more.make(), w.now()
	e := w.stepEvent(graphgen.NodeStart, now, w.run.Graph().node(n), w.run.path.Step(), w.run.path.visit(n))
	w.run.notify(&e)
	w.started, w.begun = true, now
	x.pauses.pauseClock().beginStep()
	if x.details != nil {
		x.details.beginStep(&w.run.path)
	}
	if !w.run.settings.isGoverned() {
		return true
	}
	if err := w.judge(&e, true); err != nil {
		w.run.related.takeBackStep(&w.run.path)
		w.run.ending.byVerdict(err)
		return false
	}
	w.wrapStep(n, &e)
	return true
}

// leave reports how the step ended and which transition the run takes.
func (r *Run) leave(transition TransitionID) {
	x := r.more.get()
	first := r.At == End && x.PassedOver == End // the run, or one within it, begins
	switch {
	case r.settings.isWatched():
		if !r.watch().leave(transition, first) {
			return
		}
	case x.agent.verdict() != nil:
		r.ending.byError(x.agent.verdict())
		return
	}
	if x := r.more.extra; !first && x != nil {
		x.settle(x.outcome, r.Graph().to(transition) == End && transition < firstCommon)
	}
	r.path.behind = 0
	if in := r.related.saved; in != nil {
		in.trying = nil
		r.Pauses().Withdraw() // the tries with which another process was in the node
	}
	if x := r.more.extra; x != nil {
		if x.Feedback != nil && x.outcome != failedGuards {
			x.Feedback = nil
		}
		if x.soft != nil {
			x.soft = nil
		}
		x.outcome, x.Attempts, x.Cached, x.Cleared, x.PassedOver = succeeded, 0, false, false, End
	}
}

// leave is the part of leave for watched runs. It returns false when the run is over.
//
//go:noinline
func (w *watch) leave(transition TransitionID, first bool) bool {
	x, at := w.run.more.make(), w.run.here()
	ended := !first && x.PassedOver == End
	if x.PassedOver != End {
		at = x.PassedOver
	}
	now := w.begun // of the run
	if transition != entry || w.run.related.parent != nil {
		now = w.now()
	}
	e := w.stepEvent(graphgen.NodeEnd, now, w.run.Graph().node(at), w.run.path.Step(), w.run.path.visit(at))
	if ended {
		if w.emitEnd(&e, at); w.run.ending.over {
			return false
		}
	}
	if over := x.agent.verdict(); over != nil {
		w.run.ending.byError(over)
		return false
	}
	if !w.run.settings.Observed() {
		return true
	}
	e.Kind, e.Skipped, e.Err = graphgen.Routed, false, nil
	e.Details.Text, e.Details.Wait, e.Details.More = "", 0, w.run.Graph().route(transition)
	if at == End {
		e.Node, e.NodeKind = "", ""
	}
	if transition < firstCommon {
		t := w.run.Graph().transition(transition)
		e.Line, e.Col = int32(t.Line), int32(t.Col)
		if p := w.run.related.parent; at == End && p != nil && t.From != End { // into the region of a node
			e.Node, e.NodeKind, e.Step, e.Visit = w.run.Graph().leaving(t.From), w.run.Graph().node(t.From).Kind, p.path.Step(), p.path.visit(p.here())
		}
	}
	w.run.notify(&e)
	return true
}

// emitDry reports the end of the last step of a dry run.
func (w *watch) emitDry(at NodeID) {
	e := w.stepEvent(graphgen.NodeEnd, w.now(), w.run.Graph().node(at), w.run.path.Step(), w.run.path.visit(at))
	w.emitEnd(&e, at)
}

// emitEnd reports the end of a step.
func (w *watch) emitEnd(e *graphgen.Event, at NodeID) {
	x := w.run.more.make()
	e.Skipped = x.outcome == skipped
	if a := x.agent; a != nil && a.answer != "" {
		e.Details.Text, a.answer = a.answer, ""
	}
	if x.outcome == failed || x.outcome == failedSoft {
		e.Kind, e.Err, e.Details.Wait = graphgen.NodeFailed, x.FailureState.last(), e.Time.Sub(w.begun)
	} else if w.started {
		e.Details.Wait = w.stopTimer(e.Time)
		w.run.notify(e)
	}
	w.started = false
	if x.changes != nil {
		x.changes.emit(at)
	}
	var err *graphgen.HookError
	if w.run.settings.isGoverned() {
		err = w.judge(e, false)
	}
	if x.wrap != nil {
		if err == nil {
			err = x.wrap.verdict
		}
		x.wrap = nil
	}
	if err != nil {
		w.run.ending.byVerdict(err)
	}
}

// judge calls the hooks for a step of this run or of a child run, and returns the verdict of the first
// governing one.
func (w *watch) judge(e *graphgen.Event, before bool) *graphgen.HookError {
	if w.run.related.parent != nil && w.run.settings.isWatched() {
		return w.judgeOutside(*e, before)
	}
	return w.callHooks(e, before)
}

// judgeOutside calls the hooks for a step of a branch on the goroutine of the run around it.
func (w *watch) judgeOutside(e graphgen.Event, before bool) (verdict *graphgen.HookError) {
	w.outside(func() { verdict = w.callHooks(&e, before) })
	return verdict
}

func (w *watch) callHooks(e *graphgen.Event, before bool) *graphgen.HookError {
	var verdict *graphgen.HookError
	for i := range w.run.settings.Hooks {
		h := &w.run.settings.Hooks[i]
		f := h.After
		if before {
			f = h.Before
		}
		if f == nil {
			continue
		}
		err := w.callHook(f, e)
		switch {
		case err == nil:
		case !h.Governing:
			w.run.tally().HookFailures++
		case verdict == nil:
			at := graphgen.Where{Graph: e.Run.Graph, Branch: e.Run.Branch, Node: e.Node, Step: e.Step, Visit: e.Visit, Pos: e.Pos()}
			verdict = &graphgen.HookError{Where: at, Hook: h.Name, Err: err}
		}
	}
	if w.run.settings.nesting != nil && w.run.settings.nesting.watched {
		if err := w.run.settings.nesting.run.watch().judge(e, before); err != nil && verdict == nil {
			if verdict = err; err.Origin == (origin.Ref{}) {
				err.Origin = origin.To(w.run.settings.nesting.run)
			}
		}
	}
	return verdict
}

func (w *watch) callHook(f func(context.Context, graphgen.Event) error, e *graphgen.Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError(v, w.run.Graph())
		}
	}()
	return errtree.Sound(f(w.run.Context(), *e))
}

// stopTimer returns the time from the start of the step to its end, and adds it, without pauses, to the time of its node.
func (w *watch) stopTimer(end time.Time) time.Duration {
	x, at := w.run.more.make(), int(w.run.here())
	if at >= len(w.timings) {
		w.timings = grown(w.timings, max(at, len(w.run.Graph().Nodes)-1))
	}
	if !w.started {
		return 0
	}
	took := end.Sub(w.begun)
	ran := took - x.pauses.pauseClock().inStep()
	w.timings[at] += ran
	if x.details != nil {
		x.details.time(&w.run.path, x.details.step, ran)
	}
	return took
}
