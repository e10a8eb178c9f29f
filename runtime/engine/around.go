package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
)

// Hooks wrap a step as follows. SlowStep, when it begins a step that a hook wraps, has the generated loop
// return. Drive then calls the hooks, by wrapped. The innermost next runs the loop again, until
// SlowStep is called for the end of the step. So handlers run on the goroutine of the hooks, and in the
// context that these pass on; a run without such hooks pays nothing.

// The failures of a hook that does not call next as it has to.
var (
	errNoNext    = errors.New("its Around did not call next")
	errNextAgain = errors.New("its Around called next again, at once, or after it had returned")
)

// A wrapping is a step that hooks wrap.
type wrapping struct {
	run        *Run
	event      graphgen.Event // its NodeStart
	node       NodeID         // at whose code it begins
	hooks      []wrapper
	loop       func() (done bool)
	ctx        context.Context // of the handlers; nil: outside of the hooks
	waits      bool            // the loop has returned before it
	inside     bool            // the loop is to return when it ends
	transition TransitionID    // by which it ends
	to         NodeID          // where that leads
	aborts     bool            // the step ends the run, because its failure has no route
	refused    bool            // a governing hook did not have the node executed
	verdict    *graphgen.HookError
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

func wrapsSteps(h *graphgen.Hook) bool { return h.Around != nil }

// wrapStep prepares a step that hooks wrap. A node that is skipped is not executed, and not wrapped.
func (w *watch) wrapStep(n NodeID, start *graphgen.Event) {
	w.run.withExtra().wrap = nil
	if w.run.extra().prevFailed && w.run.Graph().node(n).Skips {
		return
	}
	if hooks := w.run.settings.wrappers(wrapsSteps); len(hooks) > 0 {
		w.run.withExtra().wrap = &wrapping{run: w.run, event: *start, hooks: hooks}
	}
}

// due makes the generated loop return before a step that hooks wrap.
func (w *wrapping) due() {
	w.waits, w.node, w.run.At = true, w.run.At, End
}

// leaves makes the generated loop return when the step that it executes in a wrapping ends.
func (w *wrapping) leaves(transition TransitionID, to NodeID) {
	w.transition, w.to, w.run.At = transition, to, End
}

// Drive runs nodes by the loop of a machine until the run ends. The loop returns earlier before each step that hooks wrap,
// and it is left where a node panics: that is the failure of the node.
func Drive[M, R any](machine M, r R, run *Run, loop func(M, context.Context, R)) {
	for !once(machine, r, run, loop) || run.leftOff() || run.holdsBack() && run.wrapped(func() bool { return once(machine, r, run, loop) }) {
	}
}

// RunRegion runs a chain of nodes in the child run b by the loop of a machine, from the target of the transition.
func RunRegion[M, R any](machine M, r R, b *Run, loop func(M, context.Context, R), transition TransitionID) error {
	b.Begin(transition)
	Drive(machine, r, b, loop)
	return b.Ended()
}

// once runs nodes until the loop returns. It returns false where one has panicked.
func once[M, R any](machine M, r R, run *Run, loop func(M, context.Context, R)) (done bool) {
	defer run.Recover()
	loop(machine, run.Context(), r)
	return true
}

// holdsBack reports whether the loop has returned before a step that hooks wrap.
func (r *Run) holdsBack() bool { return r.extra().wrap != nil && r.extra().wrap.waits }

// wrapped executes the step before which the loop has returned, wrapped by hooks. It returns false when the
// run is over.
func (r *Run) wrapped(loop func() (done bool)) bool {
	w := r.extra().wrap
	w.loop, w.waits = loop, false
	r.At = w.node
	_ = w.call(r.Context(), 0)
	w.ctx, w.loop = nil, nil
	switch {
	case w.refused:
		r.retract()
		r.ruled(w.verdict)
	case w.aborts:
		r.abort()
	case r.over && w.verdict != nil:
		r.ruled(w.verdict)
	}
	if r.over {
		if r.withExtra().wrap = nil; r.reason != graphgen.Paused {
			r.At = End
		}
		return false
	}
	r.SlowStep(w.transition, w.to)
	return true
}

// call calls the hook of that number, or executes the step. It returns the failure of the step.
func (w *wrapping) call(ctx context.Context, number int) error {
	if number == len(w.hooks) {
		return w.step(ctx)
	}
	h := w.hooks[number]
	var (
		mu     sync.Mutex // held while next runs
		called bool
		failed error // what next returned
		misuse atomic.Bool
	)
	next := func(inner context.Context) error {
		if !mu.TryLock() {
			misuse.Store(true)
			return errNextAgain
		}
		defer mu.Unlock()
		if called {
			misuse.Store(true)
			return errNextAgain
		}
		called = true
		failed = w.call(inner, number+1)
		return failed
	}
	err, panicked := h.around(ctx, w, next)
	if s := w.run.scheduler(); s != nil { // likewise
		s.Wait(ctx, func() bool {
			free := mu.TryLock()
			if free {
				mu.Unlock()
			}
			return free
		})
	}
	mu.Lock() // waits for a call of next on another goroutine
	ran := called
	called = true
	mu.Unlock()
	switch {
	case panicked:
	case !ran && err == nil:
		err = errNoNext
	case misuse.Load():
		err = errNextAgain
	case failed != nil:
		err = nil // the step has failed, whatever the hook makes of that
	}
	if err != nil {
		w.fails(h, err)
	}
	if ran {
		return failed
	}
	if w.refused = h.Governing; w.refused {
		return w.verdict
	}
	return w.call(ctx, number+1)
}

// around calls the hook. Its panic is an error.
func (h wrapper) around(ctx context.Context, w *wrapping, next func(context.Context) error) (err error, panicked bool) {
	defer func() {
		if v := recover(); v != nil {
			err, panicked = newPanicError(v, w.run.Graph()), true
		}
	}()
	return errtree.Sound(h.Around(ctx, w.event, next)), false
}

// fails counts the failure of a hook, or makes it the verdict on the run.
func (w *wrapping) fails(h wrapper, err error) {
	r, e := w.run, &w.event
	if !h.Governing {
		r.hookFailed(h)
		return
	}
	if w.verdict == nil {
		at := graphgen.Where{Graph: e.Run.Graph, Branch: e.Run.Branch, Node: e.Node, Step: e.Step, Visit: e.Visit, Pos: e.Pos()}
		w.verdict = &graphgen.HookError{Where: at, Hook: h.Name, Err: err}
		if h.of != nil {
			w.verdict.Origin = origin.To(h.of)
		}
	}
}

// hookFailed counts the failure of a hook, of this run or of a parent.
func (r *Run) hookFailed(h wrapper) {
	of := h.of
	if of == nil {
		of = r
	}
	r.outside(func() { of.withIncidents().hookFailures++ })
}

// step executes the step, and returns its failure, or the Interrupted that pauses the run.
func (w *wrapping) step(ctx context.Context) error {
	r := w.run
	w.ctx, w.inside = ctx, true
	defer func() { w.inside = false }()
	for !w.loop() {
	}
	r.At = w.node
	switch {
	case r.isPaused():
		return openRequests(r.requests())
	case r.over:
		return r.extra().err
	case r.extra().outcome == failed, r.extra().outcome == failedSoft:
		return r.extra().failures[len(r.extra().failures)-1].Err
	case r.extra().outcome == failedGuards:
		return r.incidents().refused
	}
	return nil
}
