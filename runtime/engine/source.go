package engine

import (
	"context"
	"hash/fnv"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// A source is the run that values of package graphgen come from: its methods are what the functions
// of that package ask for.
type source struct{ run *Run }

// Seals reports whether a thread seals what it saves of the run.
func (s source) Seals() bool { return s.run.settings.thread != nil && s.run.settings.thread.Seals() }

// CommittedState returns a pointer to the state for others.
func (s source) CommittedState() any { return s.run.stateView() }

// FinalOutput returns a pointer to the output of a run that has ended.
func (s source) FinalOutput() any { return s.run.more.get().output }

// A runEnd is what the event of the end of a run leads to.
type runEnd struct {
	source
	hookFailures int // before the event
	report       atomic.Pointer[graphgen.Report]
}

// A pausing is what the event of a pause leads to. The run changes when another call continues it.
type pausing struct {
	runEnd
	output any // a pointer
}

// FinalOutput returns a pointer to the output with which the call has ended.
func (p *pausing) FinalOutput() any { return p.output }

// Report returns the report. A run that has ended does not change, so that it is made when it is first asked for.
func (e *runEnd) Report() *graphgen.Report {
	if e.report.Load() == nil {
		rep := new(graphgen.Report)
		e.run.report(rep, e.hookFailures)
		e.report.CompareAndSwap(nil, rep) // several may ask concurrently
	}
	return e.report.Load()
}

// StepInfo returns the current step of the run that ctx belongs to.
func (s source) StepInfo(ctx context.Context) graphgen.StepInfo {
	r := s.run
	at := r.here()
	info := graphgen.StepInfo{
		Graph: r.Graph().Name, Node: r.Graph().NodeName(at),
		Within: r.settings.location(), Branch: r.related.branch, Step: r.path.Step(), Visit: r.path.visit(at),
		Attempt: r.Execution().Attempt(), Iteration: s.iteration(),
	}
	if isolated, _ := ctx.Value(isolationKey{}).(bool); isolated {
		return info
	}
	info.Feedback = Clip(r.more.get().Feedback)
	if r.more.get().PrevFailed && len(r.more.get().Failures) > 0 {
		info.Failure = r.more.get().FailureState.last()
	}
	return info
}

// iteration returns the iteration of the innermost loop around the current node.
func (s source) iteration() int {
	r := s.run
	for r.related.parent != nil && r.Graph().node(r.here()).Most == 0 {
		r = r.related.parent
	}
	return r.iteration()
}

// IdempotencyKey returns the key for the current step of the run that ctx belongs to, or for the call
// of a tool in it.
func (s source) IdempotencyKey(ctx context.Context) string {
	r := s.run
	of := r.related.name()
	if r.related.branch != "" {
		of += "/" + r.related.branch
	}
	if c, ok := ctx.Value(callKey{}).(*callContext); ok && c.run == r {
		return of + "/" + strconv.Itoa(int(c.step)) + "/" + strconv.Itoa(int(c.number))
	}
	return of + "/" + strconv.Itoa(r.path.Step())
}

// Once returns what fn gave for a name in the current step, or calls it.
func (s source) Once(ctx context.Context, name string, fn func(context.Context) ([]byte, error)) ([]byte, error) {
	r := s.run
	t := r.settings.thread
	if t == nil {
		return fn(ctx)
	}
	if c, ok := ctx.Value(callKey{}).(*callContext); ok && c.run == r {
		name = strconv.Itoa(int(c.number)) + "." + name
	}
	return t.Once(r, name, func() ([]byte, error) { return fn(ctx) })
}

// A runContext is the context handlers get: the caller's, and the run. It does not embed that context, nor do others
// here: the compiler would write its methods for the struct too, beside those for the pointer.
type runContext struct {
	Context context.Context
	run     *Run
}

func (c *runContext) Deadline() (time.Time, bool) { return c.Context.Deadline() }
func (c *runContext) Done() <-chan struct{}       { return c.Context.Done() }
func (c *runContext) Err() error                  { return c.Context.Err() }

func (c *runContext) Value(key any) any {
	switch key {
	case origin.RunKey{}:
		return source{c.run}
	case chat.WaiterKey{}:
		return waiter{c.run}
	}
	return c.Context.Value(key)
}

// A waiter waits on behalf of a handler, on any goroutine, as the run does between attempts.
type waiter struct{ run *Run }

// Wait waits after an error, and returns nil if a retry may follow. It returns an error if the
// context has ended, or if the run is to stop, which ends the wait.
func (w waiter) Wait(ctx context.Context, d time.Duration, err error) error {
	r := w.run
	switch {
	case r.ending.part(err) != nil, !r.settings.sleep(ctx, d):
		return err
	case r.settings.isStopping():
		return r.ending.stop(r.where(r.here()), err)
	}
	return nil
}

// Now returns the time.
func (w waiter) Now() time.Time { return w.run.settings.Now() }

// Jitter returns a number from 0 to 1 that differs between runs, branches, steps and calls, and is the same when a step is executed again.
func (w waiter) Jitter(ctx context.Context, tries int) float64 {
	h := fnv.New64a()
	h.Write([]byte(source(w).IdempotencyKey(ctx)))
	h.Write([]byte("#" + strconv.Itoa(tries)))
	const bits = 53 // of a float64
	return float64(h.Sum64()>>(64-bits)) / (1 << bits)
}

type isolationKey struct{}

// Isolated returns the context for a node with the flag isolated_context.
func Isolated(ctx context.Context) context.Context {
	return context.WithValue(ctx, isolationKey{}, true)
}
