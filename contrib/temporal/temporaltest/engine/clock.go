package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen/runtime/driver"
)

// A clock is the clock of a workflow in a test environment, and adds the time of activities. The clock of the environment stops while an activity is
// executed, except that a timer sets it. On a server each workflow task has the time at which it starts.
type clock struct {
	driver.Clock
	wall, own time.Time     // of the last reading: of the bubble, where activities take their time, and of the environment
	lag       time.Duration // of the environment
}

func newClock(of driver.Clock) *clock { return &clock{Clock: of, wall: time.Now(), own: of.Now()} }

// Now returns the time of the environment without its lag. Each reading adds what activities have taken since the last one.
func (c *clock) Now() time.Time {
	wall, own := time.Now(), c.Clock.Now()
	c.lag += max(0, wall.Sub(c.wall)-own.Sub(c.own))
	c.wall, c.own = wall, own
	return own.Add(c.lag)
}

// After reads the clock before it calls f, as a timer sets the clock of the environment.
func (c *clock) After(ctx context.Context, d time.Duration, f func()) (stop func()) {
	c.Now()
	return c.Clock.After(ctx, d, func() { c.Now(); f() })
}
