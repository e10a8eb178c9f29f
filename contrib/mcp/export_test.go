package mcp

import "time"

// A Clock is what a test gives the time with.
type Clock struct {
	Time time.Time
	Wait chan time.Duration // is told of every wait that begins
	Over chan time.Time     // ends a wait
}

func (c *Clock) Now() time.Time { return c.Time }

func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.Wait <- d
	return c.Over
}

// WithClock has the server go by a clock.
func WithClock(c *Clock) Option { return func(cfg *config) { cfg.clock = c } }
