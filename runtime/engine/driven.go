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
