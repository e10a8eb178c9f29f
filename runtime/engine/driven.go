package engine

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/driver"
)

// What a run has of its driver. Nothing else in the engine and the pipeline reads a clock, starts a goroutine, waits for another goroutine or makes
// a random name. A run without a driver has a nil pointer, which is looked at where one of these is needed.

// drives sets the driver that options have given. The thread of the run is set before.
func (s *Settings) drives() {
	s.driver, _ = origin.Of(s.Driver).(*driver.Driver)
	if s.driver != nil && s.thread != nil && !s.thread.Driven() {
		s.Refuse("driver.With", "a run in a thread has no driver")
	}
}

// scheduler returns what starts the coroutines of the run; nil: goroutines are started.
func (s *Settings) scheduler() driver.Scheduler {
	if d := s.driver; d != nil {
		return d.Scheduler
	}
	return nil
}

// Now returns the time.
func (s *Settings) Now() time.Time {
	if d := s.driver; d != nil {
		return d.Clock.Now()
	}
	return time.Now()
}

// Since returns the time since t, of Now.
func (s *Settings) Since(t time.Time) time.Duration {
	if d := s.driver; d != nil {
		return d.Clock.Now().Sub(t)
	}
	return time.Since(t)
}

// epoch is when the program began. The time since then is read for less than the time of day.
var epoch = time.Now()

// instant returns the time since 1970, to be subtracted from a later one, which a call with another driver may have read.
func (s *Settings) instant() time.Duration {
	if d := s.driver; d != nil {
		return time.Duration(d.Clock.Now().UnixNano())
	}
	return time.Duration(epoch.UnixNano()) + time.Since(epoch)
}

// sleep waits, and reports whether the context has not ended. A stop of the run ends the wait.
func (s *Settings) sleep(ctx context.Context, d time.Duration) bool {
	if sched := s.scheduler(); sched != nil {
		over := false
		defer s.driver.Clock.After(ctx, d, func() { over = true })()
		sched.Wait(ctx, func() bool { return over || ctx.Err() != nil || s.isStopping() })
		return ctx.Err() == nil
	}
	woken := make(chan struct{}, 1)
	for stopper := range s.stoppers() {
		defer stopper.Notify(woken)()
	}
	if s.isStopping() { // before the channel was known
		return true
	}
	over := make(chan struct{}, 1)
	defer s.after(ctx, d, func() { over <- struct{}{} })()
	select {
	case <-over:
	case <-woken:
	case <-ctx.Done():
		return false
	}
	return true
}

// after calls f once d has passed, unless it was stopped before.
func (s *Settings) after(ctx context.Context, d time.Duration, f func()) (stop func()) {
	if drv := s.driver; drv != nil {
		return drv.Clock.After(ctx, d, f)
	}
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// newID returns the ID of a run whose options give it none.
func (s *Settings) newID() string {
	if d := s.driver; d != nil && d.IDs != nil {
		return d.IDs.RunID()
	}
	return randomName()
}

// randomName returns 120 random bits as text.
func randomName() string {
	const digits = "0123456789abcdefghijklmnopqrstuv"
	var name [24]byte
	for i, a, b := 0, rand.Uint64(), rand.Uint64(); i < len(name); i += 2 {
		name[i], name[i+1] = digits[a&31], digits[b&31]
		a, b = a>>5, b>>5
	}
	return string(name[:])
}

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
