package engine

import (
	"context"
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

// opens reports that the run begins, or that it is resumed, and has hooks open their scopes. It returns when that was.
func (r *Run) opens() time.Time {
	again := r.extra().seen != nil
	o := r.observed()
	e := graphgen.Event{Kind: graphgen.RunStart, Time: o.clock, Resumed: again || r.over}
	if again {
		e.Time = r.now()
	}
	o.calls.Store(max(o.calls.Load(), int64(r.savedCalls())))
	r.describe(&e)
	r.notify(&e)
	if !r.settings.isGoverned() {
		return e.Time
	}
	for _, h := range r.settings.wrappers(opensRuns) {
		ctx, end, ok := r.begin(h, &e)
		if ok && ctx != nil {
			r.context.Context = ctx
		}
		if ok && end != nil {
			o.scope = &scope{h, end, o.scope}
		}
	}
	return e.Time
}

// savedCalls returns the number of the last call of a model that another process has made for the run and its child runs.
func (r *Run) savedCalls() int {
	n := r.extra().agent.used().modelCalls
	if l := r.relations().ledger; l != nil {
		n = l.modelCalls
	}
	if t := r.settings.thread; t != nil {
		n = max(n, t.LastCall())
	}
	return n
}

// begin calls the hook. It returns false if that panics.
func (r *Run) begin(h wrapper, e *graphgen.Event) (ctx context.Context, end func(graphgen.Event), ok bool) {
	defer func() {
		if recover() != nil {
			r.hookFailed(h)
			ok = false
		}
	}()
	ctx, end = h.Begin(r.callerContext(), *e)
	return ctx, end, true
}

// scoped reports whether hooks have opened scopes of the run.
func (r *Run) scoped() bool { return r.extra().seen != nil && r.more.seen.scope != nil }

// closes reports that the run ends, or that it pauses, and closes its scopes, the innermost first. rep is the report, nil
// if it is not made yet.
func (r *Run) closes(rep *graphgen.Report, err error) {
	at := r.graph.node(r.tail)
	e := graphgen.Event{Kind: graphgen.RunEnd, Node: at.Name, Step: r.step(), Visit: r.visit(r.tail), Err: err}
	if place(&e, at); r.tail == End {
		e.Visit = min(e.Visit, 1) // the ends of branches count too
	}
	r.describe(&e)
	o := r.observed()
	end := &o.end
	e.Details.Of = origin.To(end)
	if r.reason == graphgen.Paused {
		p := &pausing{output: r.extra().output} // of this call
		end, e.Details.Of = &p.ending, origin.To(p)
	}
	end.run, end.hookFailures = r, r.incidents().hookFailures
	if rep != nil {
		end.report.Store(rep)
	}
	r.notify(&e)
	for ; o.scope != nil; o.scope = o.scope.around {
		r.close(o.scope, &e)
	}
}

func (r *Run) close(s *scope, e *graphgen.Event) {
	defer func() {
		if recover() != nil {
			r.hookFailed(s.of)
		}
	}()
	s.close(*e)
}
