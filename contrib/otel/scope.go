package graphotel

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/graphgen/graphgen"
)

// A scope is the context of what a span is for: a run, a step, a call.
type scope struct {
	context.Context
	span trace.Span
	by   *watch
	of   scopeKind
	at   place

	run          *graphgen.RunInfo
	step, visit  int
	conversation string
	within       []*graphgen.RunInfo // the branches, and the executions of regions, that have begun in it
}

// A scopeKind is what a scope is for.
type scopeKind uint8

const (
	ofRun scopeKind = iota
	ofNode
	ofModel
	ofTool
)

// A place is where something happens, by names that the spec has.
type place struct{ graph, node, kind string }

type scopeKey struct{}

// Value returns the scope for its key.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// scopeOf returns the innermost scope that a context is in, nil if it is in none.
func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}

// A record is what is known of a run, or of a branch of it, between its events.
type record struct {
	by    *watch
	outer *scope         // that the steps are in
	step  *scope         // the current one; nil: between two
	from  string         // the node from which the run has gone on
	route graphgen.Route // the last one; zero: there was none
}

// enter records that a step of a run begins, and returns its record.
func (w *watch) enter(run *graphgen.RunInfo, outer, step *scope) *record {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.live[run]
	if r == nil {
		r = &record{by: w, outer: outer}
		w.live[run] = r
		if outer != nil {
			outer.within = append(outer.within, run)
		}
	}
	r.step = step
	return r
}

// leave records that a scope ends, and forgets what has begun in it.
func (o *Observer) leave(s *scope, r *record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, run := range s.within {
		delete(o.live, run)
	}
	if s.within = nil; r != nil {
		r.step = nil
	}
}

// record returns the record of a run and the span that its events belong to; nil without one, or if another
// option observes the run.
func (w *watch) record(run *graphgen.RunInfo) (*record, trace.Span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.live[run]
	switch {
	case r == nil || r.by != w:
		return nil, nil
	case r.step != nil:
		return r, r.step.span
	case r.outer != nil:
		return r, r.outer.span
	}
	return r, nil
}
