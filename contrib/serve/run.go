package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/thread"
)

// ErrDrained is the cause of the end of the context of runs that Drain hands on: another process continues them.
var ErrDrained = errors.New("serve: the server ends")

// errAborted is the cause of the end of the context of a run that is stopped within a step.
var errAborted = errors.New("serve: the run was stopped")

// A job is a call that begins or continues a run in a thread of this process.
type job struct {
	graph   *Graph
	tenant  string
	name    string // in the store
	runID   string // that its client has given it by a key; empty: none
	input   string // a hash of its input, where it has an ID
	begin   beginning
	account *account // that it uses; nil: none
	saves   saving
	ctx     context.Context // has the values of the request
	slot    bool            // it takes one of its tenant's slots
	hold    bool            // it waits until its client watches it
	counts  bool            // its client is sent what it has used
}

// A saving is from when on what a client has asked for survives the process.
type saving uint8

const (
	savedBefore  saving = iota // a recovery: it is saved
	savedByBegin               // a start: when its first node starts
	savedByNext                // an answer: with the next record
)

// A run is a job that this process works on.
type run struct {
	job
	cancel   context.CancelCauseFunc
	id       atomic.Pointer[string] // of the run, by its first event
	after    atomic.Int64           // the last record before it; -1: it has no event
	accepted chan struct{}          // closed when what the client has asked for survives the process
	once     sync.Once
	watched  chan struct{} // closed when its client watches it
	watches  sync.Once
	done     chan struct{}              // closed when the call has returned
	used     atomic.Pointer[chat.Usage] // what it has used of models, where that is counted
	out      []byte                     // what it has returned, in JSON
	err      error                      // likewise
}

// running are the runs of this process.
type running struct {
	slots slots

	mu     sync.Mutex
	closed bool
	of     map[string]*run // by the name of the thread
}

// busy is the problem of a tenant, or a server, with too many runs or streams.
func busy(detail string) error {
	return &Problem{Status: http.StatusTooManyRequests, Code: "busy", Detail: detail, Retry: time.Second}
}

// launch begins a job on a goroutine of its own. Where this process works on the thread, the error is a HeldError.
func (h *Handler) launch(j job) (*run, error) {
	if j.slot && !h.runs.slots.take(j.tenant) {
		j.account.leave()
		return nil, busy("Too many runs work at the moment.")
	}
	r := &run{job: j, accepted: make(chan struct{}), watched: make(chan struct{}), done: make(chan struct{})}
	if !j.hold {
		r.watch()
	}
	r.after.Store(-1)
	var ctx context.Context
	ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(j.ctx)) // before others find the run
	if err := h.register(r); err != nil {
		j.account.leave()
		if j.slot {
			h.runs.slots.give(j.tenant)
		}
		return nil, err
	}
	unlink := context.AfterFunc(h.life, func() { r.cancel(context.Cause(h.life)) })
	go func() {
		defer h.working.Done()
		defer close(r.done)
		defer h.unregister(r)
		defer unlink()
		defer r.cancel(nil)
		defer j.account.end()
		defer caught.Panic(&r.err)
		r.err = errEnded // unless the call returns
		observer := graphgen.WithObserver(func(e graphgen.Event) { h.observe(r, &e) })
		r.out, r.err = j.begin(ctx, j.account.with(observer))
	}()
	return r, nil
}

var errEnded = errors.New("serve: the goroutine of the run has ended during a step")

// register notes that this process works on a thread.
func (h *Handler) register(r *run) error {
	h.runs.mu.Lock()
	defer h.runs.mu.Unlock()
	if h.runs.closed {
		return ErrDrained
	}
	if h.runs.of[r.name] != nil {
		return &thread.HeldError{Thread: r.name}
	}
	if h.runs.of == nil {
		h.runs.of = map[string]*run{}
	}
	h.runs.of[r.name] = r
	h.working.Add(1)
	return nil
}

func (h *Handler) unregister(r *run) {
	h.runs.mu.Lock()
	defer h.runs.mu.Unlock()
	delete(h.runs.of, r.name)
	if r.slot {
		h.runs.slots.give(r.tenant)
	}
}

// here returns the run of this process in a thread, nil if there is none.
func (h *Handler) here(name string) *run {
	h.runs.mu.Lock()
	defer h.runs.mu.Unlock()
	return h.runs.of[name]
}

// observe notes what is saved of a run, and hands it on between two steps once the handler drains.
func (h *Handler) observe(r *run, e *graphgen.Event) {
	if r.after.CompareAndSwap(-1, int64(e.Record)) {
		r.id.Store(&e.Run.ID)
	}
	switch r.saves {
	case savedBefore:
		r.accept()
	case savedByBegin:
		if e.Kind == graphgen.NodeStart {
			r.accept()
		}
	case savedByNext:
		if int64(e.Record) > r.after.Load() {
			r.accept()
		}
	}
	if r.counts && e.Kind == graphgen.RunEnd && e.Run.Within == "" && e.Run.Branch == "" {
		r.used.Store(&e.Report().Usage)
	}
	r.account.observe(h, e)
	if e.Kind == graphgen.Routed && e.Run.Within == "" && e.Run.Branch == "" && h.isDraining() {
		r.cancel(ErrDrained)
	}
}

// accept notes that what the client has asked for survives the process. A client that is sent events as they come misses none that follow: the run waits
// until it watches.
func (r *run) accept() {
	r.once.Do(func() {
		close(r.accepted)
		select {
		case <-r.watched:
		case <-r.ctx.Done(): // the client has gone
		}
	})
}

// watch notes that the client watches the run, or has given up.
func (r *run) watch() { r.watches.Do(func() { close(r.watched) }) }

// named returns the ID of the run; empty: it is not known.
func (r *run) named() string {
	if id := r.id.Load(); id != nil {
		return *id
	}
	return r.runID
}

// abort ends a run within its step, with the status stopped: the stop is requested, the context of the run ends, and a recovery, which executes nothing,
// saves the status.
func (h *Handler) abort(ctx context.Context, r *run) error {
	if err := r.graph.durable.stop(ctx, r.name); err != nil && !is[*thread.NotFoundError](err) {
		return err
	}
	r.cancel(errAborted)
	select {
	case <-r.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return h.settle(ctx, r.graph, r.name)
}

// stop stops the run of a thread before its next node, in any process.
func (h *Handler) stop(ctx context.Context, g *Graph, name string) error {
	if err := g.durable.stop(ctx, name); err != nil {
		return err
	}
	return h.settle(ctx, g, name)
}

// settle saves the status of a run that is to stop, and that no process works on. A recovery that has taken it up does.
func (h *Handler) settle(ctx context.Context, g *Graph, name string) error {
	head, err := headOf(ctx, g, name)
	switch {
	case is[*thread.NotFoundError](err):
		return nil
	case err != nil:
		return err
	case head.Status != thread.Running || !head.Stop || head.Held(h.o.Clock.Now()):
		return nil
	}
	r, err := h.launch(job{graph: g, name: name, begin: g.durable.recover(name), ctx: ctx})
	switch {
	case is[*thread.HeldError](err):
		return nil
	case err != nil:
		return err
	}
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isDraining reports whether Drain was called.
func (h *Handler) isDraining() bool {
	select {
	case <-h.draining:
		return true
	default:
		return false
	}
}
