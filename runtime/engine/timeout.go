package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/driver"
)

// A Timeout is a time limit. It holds the function that begins it, so that programs without timeouts do not link it.
type Timeout struct {
	Limit time.Duration // 0: none

	// Begin returns a context, of a run, that ends when what is left of the time is over. late is the cause.
	Begin func(ctx context.Context, r *Run, left time.Duration, late error) (context.Context, context.CancelFunc)
}

// TimeLimit returns a Timeout of a duration.
func TimeLimit(limit time.Duration) Timeout { return Timeout{limit, beginTimeout} }

func beginTimeout(ctx context.Context, r *Run, left time.Duration, late error) (context.Context, context.CancelFunc) {
	if d := r.settings.driver; d != nil {
		return driver.WithTimeoutCause(ctx, d.Clock, left, late)
	}
	return context.WithTimeoutCause(ctx, left, late)
}

// A deadline is what a run has of its timeout.
type deadline struct {
	left    time.Duration // without what pauses took
	running time.Time     // since when it runs out
	cancel  context.CancelFunc
}

// begin returns the context of a call of the run, which ends with what is left of the timeout.
func (d *deadline) begin(ctx context.Context, r *Run) context.Context {
	if d != nil {
		d.running = r.settings.Now()
		ctx, d.cancel = r.Graph().Timeout.Begin(ctx, r, d.left, Late("run", r.Graph().Timeout.Limit))
	}
	return ctx
}

// remaining returns what is left of the timeout of a run, which may be less than nothing; 0 if it has none.
func (d *deadline) remaining(s *Settings, paused bool) time.Duration {
	if d == nil {
		return 0
	}
	left := d.left
	if !paused {
		left -= s.Since(d.running)
	}
	if left == 0 {
		left = -1
	}
	return left
}

// Late returns the error of a node, a run or a tool that took longer than its timeout.
func Late(of string, limit time.Duration) *graphgen.LimitError {
	return &graphgen.LimitError{Limit: graphgen.LimitTimeout, Of: of, Max: limit.Seconds()}
}
