// Package driver lets another engine drive the runs of machines: it gives the goroutines, the time and the names that a run needs. Without it a
// run uses goroutines, the clock of the system and random names. A package that runs machines within another engine, such as in a workflow, uses
// it; programs that call machines do not.
package driver

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// A Scheduler runs the branches of forks and the tool calls of a turn in coroutines. One coroutine of a run is executed at a time, and another
// one only while it waits in Wait or has ended. So a run with a Scheduler starts no goroutine, and waits for another of its coroutines by Wait alone;
// its observers and hooks are called in the coroutine of the branch, and must not wait.
type Scheduler interface {
	// Go starts a coroutine that calls f, and returns before f ends. It gives f a context with the values of ctx, which ends with ctx. The
	// coroutine is started immediately, or not before the caller waits or ends: either is right, as long as it is always the same.
	Go(ctx context.Context, f func(ctx context.Context))

	// Wait lets other coroutines continue until ready returns true. It returns only then, even if ctx, a context of the coroutine, has
	// ended before. ready is called at any time between the executions of coroutines, has no effects, and becomes true by what another
	// coroutine, the Clock, the end of a context or a stop of the run does.
	Wait(ctx context.Context, ready func() bool)
}

// A Clock has the time of a run: of its events and reports, of timeouts and deadlines, and of waits between attempts.
type Clock interface {
	Now() time.Time

	// After calls f once d has passed, unless the returned function was called before. ctx is a context of the coroutine that calls After.
	// f does not wait. With a Scheduler it is called while no coroutine is executed.
	After(ctx context.Context, d time.Duration, f func()) (stop func())
}

// IDs name runs. The ID of a run is in its events and idempotency keys, and the IDs of its child runs and its jitter are made from it.
type IDs interface {
	// RunID returns the ID of a run whose options give it none.
	RunID() string
}

// A Driver is what drives a run. A field that is nil has the effect of no driver. A Scheduler needs a Clock, and Children need a Scheduler: what a child
// run has used is counted for the runs around it, whose branches may run on other goroutines without one.
type Driver struct {
	Scheduler Scheduler
	Clock     Clock
	IDs       IDs
	Children  Children
}

// With returns the option with which a driver drives a run and its child runs, until it ends. A later call that resumes the run, in the same
// process, needs no such option. Runs in a thread have no driver: their store needs goroutines and the time of the system, as other processes
// compare the time of their leases. A stream that is buffered needs a goroutine too.
func With(d Driver) graphgen.CallOption {
	var invalid string
	switch {
	case d.Scheduler != nil && d.Clock == nil:
		invalid = "a Scheduler needs a Clock"
	case d.Children != nil && d.Scheduler == nil:
		invalid = "Children need a Scheduler"
	}
	if d.Clock == nil {
		d.Clock = system{}
	}
	return option.ForCall[optionset.Settings](func(s *optionset.Settings) {
		if invalid != "" {
			s.Refuse("driver.With", invalid)
		}
		s.Driver = origin.To(&d)
	})
}

// system is the clock of the system.
type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) After(_ context.Context, d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// A child is a context that ends with another one, and may end before.
type child struct {
	Context context.Context // which cancels it
	parent  context.Context
	end     time.Time // zero: it ends at no time of its own
	late    error     // its cause then
}

// WithCancelCause is context.WithCancelCause for a run with a Clock: a context that WithTimeoutCause has ended leaves its error to what this returns.
func WithCancelCause(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	return &child{Context: inner, parent: ctx}, cancel
}

// WithTimeoutCause is context.WithTimeoutCause by a Clock. Contexts that package context makes of it end as cancelled, with its cause.
func WithTimeoutCause(ctx context.Context, c Clock, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	own := &child{inner, ctx, c.Now().Add(d), cause}
	if d <= 0 {
		cancel(cause)
		return own, func() {}
	}
	stop := c.After(inner, d, func() { cancel(cause) })
	return own, func() { stop(); cancel(nil) }
}

func (c *child) Deadline() (time.Time, bool) {
	if end, ok := c.parent.Deadline(); c.end.IsZero() || ok && end.Before(c.end) {
		return end, ok
	}
	return c.end, true
}

func (c *child) Done() <-chan struct{} { return c.Context.Done() }
func (c *child) Value(key any) any     { return c.Context.Value(key) }

func (c *child) Err() error {
	err := c.Context.Err()
	switch cause := context.Cause(c.Context); {
	case err == nil:
		return nil
	case c.late != nil && cause == c.late:
		return context.DeadlineExceeded
	case c.parent.Err() != nil && context.Cause(c.parent) == cause:
		return c.parent.Err()
	}
	return err
}
