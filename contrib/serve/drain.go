package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// Drain ends the work of the handler: no run begins, streams end, so that their clients connect to another process with the number that they have, and
// each run in a thread ends after the step that it is in. It is left as running: Recover of another process continues it. When the context ends, the
// steps are cancelled, too. Runs that are in no thread get their time until then. Drain returns when no run works any more; its error is the cause of the
// context, if steps were cancelled.
func (h *Handler) Drain(ctx context.Context) (err error) {
	h.drain.Do(func() {
		h.runs.mu.Lock()
		h.runs.closed = true
		h.runs.mu.Unlock()
		close(h.draining)
	})
	ended := make(chan struct{})
	go func() {
		h.working.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	h.end(ErrDrained)
	<-ended
	return err
}

// Recover continues the threads of the graphs whose processes have ended, as thread.Recover does, until the context ends or the handler drains. Threads
// that wait and were saved by another version of a graph are saved in the version of its machine.
func (h *Handler) Recover(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for _, g := range h.graphs {
		if g.durable == nil {
			continue
		}
		all.Go(func() {
			_ = thread.Recover(ctx, g.durable.store(), thread.Recovery{ // which returns the cause
				Graph: g.durable.graph(), Shape: g.durable.shape(), Every: h.o.Recovery, Clock: h.o.Clock,
				Run:    func(ctx context.Context, name string) error { return h.recoverOne(ctx, g, name) },
				Report: func(name string, err error) { h.o.Report(Access{Verb: Recover, Graph: g.name, Thread: name}, err) },
			})
		})
	}
	select {
	case <-ctx.Done():
	case <-h.draining:
		cancel(ErrDrained)
	}
	all.Wait()
	return context.Cause(ctx)
}

// recoverOne continues a thread. One that would have been deleted when its call ended, and whose process was killed, is deleted.
func (h *Handler) recoverOne(ctx context.Context, g *Graph, name string) error {
	head, err := headOf(ctx, g, name)
	if err != nil {
		return err
	}
	if durable.IsPassing(&head) {
		if !h.isLeft(&head) {
			return nil
		}
		return g.durable.store().Delete(ctx, name)
	}
	var at *account
	if tenant, ok := h.tenantOf(name); ok {
		if at, err = h.accounts.open(ctx, tenant); err != nil {
			return err
		}
	}
	r, err := h.launch(job{account: at, graph: g, name: name, begin: g.durable.recover(name), ctx: ctx})
	if err != nil {
		return err
	}
	<-r.done // Drain ends it
	if failed, ok := errors.AsType[*graphgen.RunError](r.err); ok && failed.Reason == graphgen.Stopped {
		return nil
	}
	return r.err
}

// ListenAndServe listens at an address until the context ends, with the limits that a server on the internet needs, and recovers threads. Then it
// drains: steps that last longer than grace are cancelled.
func (h *Handler) ListenAndServe(ctx context.Context, address string, grace time.Duration) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return h.Serve(ctx, l, grace)
}

// Serve is ListenAndServe for a listener, which it closes.
func (h *Handler) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	recovered := make(chan struct{})
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(recovered)
		_ = h.Recover(within) // which returns the cause
	}()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	ending, end := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer end()
	err = errors.Join(err, h.Drain(ending))
	cancel()
	<-recovered
	closing, closed := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer closed()
	if server.Shutdown(closing) != nil { // a connection without a request
		err = errors.Join(err, server.Close())
	}
	return err
}

// healthz answers that the process lives.
func (c *call) healthz() error {
	return c.object200(http.StatusOK, func(e *codec.Encoder) { members.Text("status", "ok", e) })
}

// A probe is what is known of the stores.
type probe struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// probed is how long the answer of the stores is good.
const probed = time.Second

// readyz answers whether the handler takes requests, and its stores answer.
func (c *call) readyz() error {
	if c.h.isDraining() {
		return ErrDrained
	}
	if err := c.h.storesAnswer(c.r.Context()); err != nil {
		p := &Problem{Status: http.StatusServiceUnavailable, Code: "store", Detail: "A store of threads does not answer.", Retry: time.Second}
		p.cause = err
		return p
	}
	return c.object200(http.StatusOK, func(e *codec.Encoder) { members.Text("status", "ready", e) })
}

// storesAnswer returns the error of a store. Clients that ask often get the answer of the last second, also if the first one has gone.
func (h *Handler) storesAnswer(ctx context.Context) error {
	h.ready.mu.Lock()
	defer h.ready.mu.Unlock()
	if now := h.o.Clock.Now(); h.ready.at.IsZero() || now.Sub(h.ready.at) >= probed {
		h.ready.at, h.ready.err = now, nil
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		for _, g := range h.graphs {
			if g.durable == nil {
				continue
			}
			if _, err := g.durable.store().List(ctx, thread.Filter{Graph: g.durable.graph(), Limit: 1}); err != nil {
				h.ready.err = err
			}
		}
	}
	return h.ready.err
}
