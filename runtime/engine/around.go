package engine

import (
	"context"
	"errors"
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
	errNextAgain = errors.New("its Around called next again, concurrently, or after it had returned")
)

// Drive runs nodes by the loop of a machine until the run ends. The loop returns earlier before each step that hooks wrap,
// and it is left where a node panics: that is the failure of the node.
func Drive[M, R any](machine M, r R, run *Run, loop func(M, context.Context, R)) {
	for !once(machine, r, run, loop) || run.takeBackLeftStep() ||
		run.more.get().wrap.isHeldBack() && run.more.wrap.execute(func() bool { return once(machine, r, run, loop) }) {
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

// execute executes the step before which the loop has returned, wrapped by hooks. It returns false when the
// run is over.
func (w *wrapping) execute(loop func() (done bool)) bool {
	r := w.run
	w.loop, w.waits = loop, false
	r.At = w.node
	_ = w.callHook(r.Context(), 0)
	w.ctx, w.loop = nil, nil
	switch {
	case w.refused:
		r.related.takeBackStep(&r.path)
		r.ending.byVerdict(w.verdict)
	case w.aborts:
		r.abort()
	case r.ending.over && w.verdict != nil:
		r.ending.byVerdict(w.verdict)
	}
	if r.ending.over {
		if r.more.make().wrap = nil; r.ending.reason != graphgen.Paused {
			r.At = End
		}
		return false
	}
	r.SlowStep(w.transition, w.to)
	return true
}

// callHook calls the hook of that number, or executes the step. It returns the failure of the step.
func (w *wrapping) callHook(ctx context.Context, number int) error {
	if number == len(w.hooks) {
		return w.runStep(ctx)
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
		failed = w.callHook(inner, number+1)
		return failed
	}
	err, panicked := h.around(ctx, w, next)
	if s := w.run.settings.scheduler(); s != nil { // likewise
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
		w.recordFailure(h, err)
	}
	if ran {
		return failed
	}
	if w.refused = h.Governing; w.refused {
		return w.verdict
	}
	return w.callHook(ctx, number+1)
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

// recordFailure counts the failure of a hook, or makes it the verdict on the run.
func (w *wrapping) recordFailure(h wrapper, err error) {
	r, e := w.run, &w.event
	if !h.Governing {
		h.countFailure(r.watch())
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

// runStep executes the step, and returns its failure, or the Interrupted that pauses the run.
func (w *wrapping) runStep(ctx context.Context) error {
	r := w.run
	w.ctx, w.inside = ctx, true
	defer func() { w.inside = false }()
	for !w.loop() {
	}
	r.At = w.node
	switch {
	case r.ending.Paused():
		return openRequests(r.Pauses().requests())
	case r.ending.over:
		return r.ending.err
	case r.more.get().outcome == failed, r.more.get().outcome == failedSoft:
		return r.more.get().FailureState.last()
	case r.more.get().outcome == failedGuards:
		return r.more.get().tally.lastVerdict()
	}
	return nil
}
