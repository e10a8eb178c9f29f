package mcp

import (
	"context"
	"time"
)

// A clock returns the time and timers.
type clock interface {
	Now() time.Time
	After(time.Duration) <-chan time.Time
}

type wall struct{}

func (wall) Now() time.Time                         { return time.Now() }
func (wall) After(d time.Duration) <-chan time.Time { return time.After(d) }

const (
	firstWait = 500 * time.Millisecond
	lastWait  = 30 * time.Second
)

// restarts decides whether a server is started again, and when.
type restarts struct {
	most   int         // within RestartWindow; below 0: without end
	deaths []time.Time // of the window, and no more of them than matter
}

// died notes a death.
func (r *restarts) died(now time.Time) {
	r.deaths = append(r.deaths, now)
	if keep := max(r.most+1, 16); len(r.deaths) > keep {
		r.deaths = r.deaths[len(r.deaths)-keep:]
	}
}

// next returns how long to wait before the next start, and whether there may be one. The
// first start after a death need not wait; each further one within the window waits twice
// as long as the one before, counted from the last death.
func (r *restarts) next(now time.Time) (time.Duration, bool) {
	for len(r.deaths) > 0 && now.Sub(r.deaths[0]) >= RestartWindow {
		r.deaths = r.deaths[1:]
	}
	n := len(r.deaths)
	if r.most >= 0 && n > r.most {
		return 0, false
	}
	if n < 2 {
		return 0, true
	}
	wait := lastWait
	if n-2 < 6 {
		wait = firstWait << (n - 2)
	}
	return max(0, r.deaths[n-1].Add(wait).Sub(now)), true
}

// pause waits, or returns false when the context ends before.
func pause(ctx context.Context, c clock, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-c.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
