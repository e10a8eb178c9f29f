package temporal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen/runtime/driver"
)

// A host drives a run in a workflow: it is its scheduler, its clock, and the source of its ID. The contexts of the run have the coroutine of the
// workflow in which they are used.
type host struct {
	root workflow.Context // does not end: the end of the workflow's own context cancels the run
	acts *Activities
	name string // of the graph
	set  *settings

	release  int                   // of the machine; 0: none
	place    string                // of the run of a child workflow in the run that no other is around
	open     map[string]*openChild // child workflows by their IDs
	receives bool                  // receive is under way

	ids    int
	spoken map[string]*conversation // by place
	broken error
	closed bool // the SDK unwinds the coroutines: none of them can wait again
}

// coroutineKey is the key of the coroutine, a workflow.Context, in a context of a run.
type coroutineKey struct{}

// hostKey is the key of the host.
type hostKey struct{}

func newHost(w workflow.Context, a *Activities) *host {
	root, _ := workflow.NewDisconnectedContext(w)
	return &host{root: root, acts: a, name: a.graph, set: a.set, spoken: map[string]*conversation{}, open: map[string]*openChild{}}
}

// driver returns the option of the calls that drive the run.
func (h *host) driver() driver.Driver {
	return driver.Driver{Scheduler: h, Clock: h, IDs: h, Children: h}
}

// within returns a context of a run for a coroutine.
func (h *host) within(ctx context.Context, w workflow.Context) context.Context {
	return context.WithValue(context.WithValue(ctx, hostKey{}, h), coroutineKey{}, w)
}

// coroutine returns the coroutine that a context of the run is used in.
func (h *host) coroutine(ctx context.Context) workflow.Context {
	if w, ok := ctx.Value(coroutineKey{}).(workflow.Context); ok {
		return w
	}
	return h.root
}

// Go starts a coroutine of the workflow.
func (h *host) Go(ctx context.Context, f func(context.Context)) {
	h.do(ctx, func(w workflow.Context) {
		workflow.Go(w, func(w workflow.Context) { f(context.WithValue(ctx, coroutineKey{}, w)) })
	})
}

// Wait lets other coroutines continue until ready returns true.
func (h *host) Wait(ctx context.Context, ready func() bool) {
	h.do(ctx, func(w workflow.Context) {
		if err := workflow.Await(w, ready); err != nil {
			panic(err)
		}
	})
}

// Now returns the time of the workflow task.
func (h *host) Now() time.Time { return workflow.Now(h.root) }

// After calls f when a timer of the workflow has fired.
func (h *host) After(ctx context.Context, d time.Duration, f func()) (stop func()) {
	stopped := false
	var cancel workflow.CancelFunc
	h.do(ctx, func(w workflow.Context) {
		w, cancel = workflow.WithCancel(w)
		timer := workflow.NewTimer(w, d)
		workflow.Go(w, func(w workflow.Context) {
			if err := timer.Get(w, nil); err == nil && !stopped {
				f()
			}
		})
	})
	return func() {
		if stopped = true; !h.closed {
			cancel()
		}
	}
}

// RunID returns the ID of the run of the workflow, the same after a reset.
func (h *host) RunID() string {
	info := workflow.GetInfo(h.root)
	id := info.OriginalRunID
	if id == "" {
		id = info.WorkflowExecution.RunID
	}
	if h.ids++; h.ids > 1 {
		return fmt.Sprintf("%s-%d", id, h.ids)
	}
	return id
}

// short returns an idempotency key without the ID of the run, where activities know it.
func (h *host) short(key string) string {
	info := workflow.GetInfo(h.root)
	id := info.WorkflowExecution.RunID
	if rest, ok := strings.CutPrefix(key, id); ok && (info.OriginalRunID == "" || info.OriginalRunID == id) {
		return ownRun + rest
	}
	return key
}

// do calls a function of the workflow within the coroutine of ctx. The kernel turns what handlers panic with into failures of their nodes. What the
// workflow panics with, such as what its history does not have, must fail the workflow task instead: the host keeps it for the root of the workflow,
// and the coroutine does not continue.
func (h *host) do(ctx context.Context, f func(w workflow.Context)) {
	if h.closed { // a deferred function of a coroutine that the SDK unwinds
		runtime.Goexit()
	}
	w := h.coroutine(ctx)
	if err := h.protected(w, f); err != nil {
		h.stop(w, err)
	}
}

// protected calls f, and returns what it panics with.
func (h *host) protected(w workflow.Context, f func(w workflow.Context)) (err error) {
	returned := false
	defer func() {
		switch v := recover(); {
		case v != nil:
			err = fmt.Errorf("%v\n%s", v, debug.Stack())
		case !returned:
			h.closed = true
		}
	}()
	f(w)
	returned = true
	return nil
}

// stop lets the root of the workflow fail its task. The coroutine is not executed any more.
func (h *host) stop(w workflow.Context, err error) {
	if h.broken == nil {
		h.broken = err
	}
	_ = h.protected(w, func(w workflow.Context) { _ = workflow.Await(w, func() bool { return false }) })
	runtime.Goexit()
}

// errNoStore is the error of an activity whose worker has no store, and the workflow has one.
var errNoStore = errors.New("a value is in a store: give the graph the option WithStore")

// errNoHost is the error of a proxy that is called outside of a workflow.
var errNoHost = errors.New("it is the proxy of a workflow: run the machine by the workflow of its graph")
