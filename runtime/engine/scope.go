package engine

import (
	"context"
	"slices"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// A scope is what a hook has opened for a run.
type scope struct {
	of     wrapper
	close  func(graphgen.Event)
	around *scope // nil: this is the outermost
}

func opensRuns(h *graphgen.Hook) bool { return h.Begin != nil }

// openRun reports that the run begins, or that it is resumed, and has hooks open their scopes. It returns when that was.
func (w *watch) openRun(again bool) time.Time {
	e := graphgen.Event{Kind: graphgen.RunStart, Time: w.clock, Resumed: again || w.run.ending.over}
	if again {
		e.Time = w.now()
	}
	w.calls.Store(max(w.calls.Load(), int32(w.lastSavedCall())))
	w.describe(&e)
	w.run.notify(&e)
	if !w.run.settings.isGoverned() {
		return e.Time
	}
	for _, h := range w.run.settings.wrappers(opensRuns) {
		ctx, end, ok := w.openScope(h, &e)
		if ok && ctx != nil {
			w.run.context.Context = ctx
		}
		if ok && end != nil {
			w.scope = &scope{h, end, w.scope}
		}
	}
	return e.Time
}

// lastSavedCall returns the number of the last call of a model that another process has made for the run and its child runs.
func (w *watch) lastSavedCall() int {
	r := w.run
	n := r.more.get().agent.used().modelCalls
	if l := r.related.ledger; l != nil {
		n = l.modelCalls
	}
	if t := r.settings.thread; t != nil {
		n = max(n, t.LastCall())
	}
	return n
}

// openScope calls the hook. It returns false if that panics.
func (w *watch) openScope(h wrapper, e *graphgen.Event) (ctx context.Context, end func(graphgen.Event), ok bool) {
	defer func() {
		if recover() != nil {
			h.countFailure(w)
			ok = false
		}
	}()
	ctx, end = h.Begin(w.run.context.Context, *e)
	return ctx, end, true
}

// hasScopes reports whether hooks have opened scopes of the run.
func (w *watch) hasScopes() bool { return w != nil && w.scope != nil }

// closeRun reports that the run ends, or that it pauses, and closes its scopes, the innermost first. rep is the report, nil
// if it is not made yet.
func (w *watch) closeRun(rep *graphgen.Report, err error) {
	at := w.run.Graph().node(w.run.path.tail)
	e := graphgen.Event{Kind: graphgen.RunEnd, Node: at.Name, Step: w.run.path.Step(), Visit: w.run.path.visit(w.run.path.tail), Err: err}
	if place(&e, at); w.run.path.tail == End {
		e.Visit = min(e.Visit, 1) // the ends of branches count too
	}
	w.describe(&e)
	end := &w.end
	e.Details.Of = origin.To(end)
	if w.run.ending.reason == graphgen.Paused {
		p := &pausing{output: w.run.more.get().output} // of this call
		end, e.Details.Of = &p.runEnd, origin.To(p)
	}
	end.run, end.hookFailures = w.run, w.run.more.get().tally.counts().HookFailures
	if rep != nil {
		end.report.Store(rep)
	}
	w.run.notify(&e)
	for ; w.scope != nil; w.scope = w.scope.around {
		w.closeScope(w.scope, &e)
	}
}

func (w *watch) closeScope(s *scope, e *graphgen.Event) {
	defer func() {
		if recover() != nil {
			s.of.countFailure(w)
		}
	}()
	s.close(*e)
}

// A wrapper is a hook of the run, or of a parent, that wraps its steps.
type wrapper struct {
	*graphgen.Hook
	of *Run // nil: the run itself
}

// wrappers returns the hooks of the run and of its parents that have a function, the parents' first.
func (s *Settings) wrappers(has func(*graphgen.Hook) bool) []wrapper {
	var list []wrapper
	var of *Run // nil: the run itself
	for ; ; s = of.settings {
		for i := range slices.Backward(s.Hooks) {
			if h := &s.Hooks[i]; has(h) {
				list = append(list, wrapper{h, of})
			}
		}
		if s.nesting == nil {
			slices.Reverse(list)
			return list
		}
		of = s.nesting.run
	}
}

// countFailure counts a failure of the hook at a run, on the goroutine of the run that the hook is of.
func (h wrapper) countFailure(w *watch) {
	w.outside(func() {
		if h.of == nil || h.of == w.run {
			w.run.tally().HookFailures++
			return
		}
		h.countFailure(w.run.settings.nesting.run.watch())
	})
}
