package engine

import (
	"context"
	"time"
)

// Calls are functions that a step calls concurrently: the calls of tools of one turn.
type Calls struct {
	run    *Run
	ctx    context.Context
	step   int
	done   chan int // numbers of calls that have ended, where they are made on goroutines
	ending []int    // likewise, where a Scheduler makes them
}

// Calls prepares at most most calls of a step. ctx is the context of its node.
func (r *Run) Calls(ctx context.Context, step, most int) *Calls {
	c := &Calls{run: r, ctx: ctx, step: step}
	if r.settings.scheduler() == nil {
		c.done = make(chan int, most)
	}
	return c
}

// Go starts the call of a number. The call gets its context; panicked gets what it panics with.
func (c *Calls) Go(number int, call func(context.Context), panicked func(any)) {
	own := c.run.Agent().callContext(c.ctx, c.step, number)
	if s := c.run.settings.scheduler(); s != nil {
		s.Go(c.ctx, func(ctx context.Context) {
			defer func() { c.ending = append(c.ending, number) }()
			defer func() {
				if v := recover(); v != nil {
					panicked(v)
				}
			}()
			own.Context = ctx
			call(own)
		})
		return
	}
	go func() {
		defer func() { c.done <- number }()
		defer func() {
			if v := recover(); v != nil {
				panicked(v)
			}
		}()
		call(own)
	}()
}

// Next waits for the next end of a call, and returns its number. Every call is returned once.
func (c *Calls) Next() (number int) {
	s := c.run.settings.scheduler()
	if s == nil {
		return <-c.done
	}
	s.Wait(c.ctx, func() bool { return len(c.ending) > 0 })
	number, c.ending = c.ending[0], c.ending[1:]
	return number
}

// A callContext is the context of one call of a tool.
type callContext struct {
	Context      context.Context
	run          *Run
	step, number int32
}

func (c *callContext) Deadline() (time.Time, bool) { return c.Context.Deadline() }
func (c *callContext) Done() <-chan struct{}       { return c.Context.Done() }
func (c *callContext) Err() error                  { return c.Context.Err() }

type callKey struct{}

func (c *callContext) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// CallContext returns the context for the call of that number in a step. It allocates the contexts of several calls together.
func (a *Agent) CallContext(ctx context.Context, step, number int) context.Context {
	return a.callContext(ctx, step, number)
}

func (a *Agent) callContext(ctx context.Context, step, number int) *callContext {
	const together = 5
	n := len(a.contexts)
	if n == cap(a.contexts) {
		a.contexts, n = make([]callContext, 0, together), 0
	}
	a.contexts = a.contexts[:n+1]
	c := &a.contexts[n]
	*c = callContext{Context: ctx, run: a.run, step: int32(step), number: int32(number)}
	return c
}
