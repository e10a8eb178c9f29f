package engine

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/driver"
)

// A Policy describes how a node is executed.
type Policy struct {
	Timeout      time.Duration // of one attempt; 0 is none
	Attempts     int           // executions in all; 0 and 1 mean one
	Wait         time.Duration // before the second attempt
	Factor       float64       // by which the wait grows each time; 0 is defaultFactor
	MaxWait      time.Duration
	RetryAny     bool // not only transient errors
	GuardRetries int
}

// A Timeout is a time limit. It holds context.WithTimeoutCause, so that programs without timeouts do not link it.
type Timeout struct {
	Limit time.Duration // 0: none
	begin func(ctx context.Context, left time.Duration, late error) (context.Context, context.CancelFunc)
}

// TimeLimit returns a Timeout of a duration.
func TimeLimit(limit time.Duration) Timeout { return Timeout{limit, context.WithTimeoutCause} }

// Begin returns a context, of a run, that ends when what is left of the time is over. late is the cause.
func (t *Timeout) Begin(ctx context.Context, r *Run, left time.Duration, late error) (context.Context, context.CancelFunc) {
	if d := r.settings.driver; d != nil {
		return driver.WithTimeoutCause(ctx, d.Clock, left, late)
	}
	return t.begin(ctx, left, late)
}

// Execute is the method Execute of r for a function with a result. With an error the result is the zero value.
func Execute[T any](ctx context.Context, r *Run, p Policy, run func(context.Context) (T, error)) (result T, err error) {
	err = r.Execute(ctx, p, func(ctx context.Context) (err error) {
		result, err = run(ctx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return result, nil
}

// Execute runs a node's handler under its policy: a timeout an attempt, retries with
// jittered waits, retries after failed guards. All attempts are one visit.
func (r *Run) Execute(ctx context.Context, p Policy, run func(context.Context) error) error {
	x := r.withExtra()
	t := tries{guards: p.GuardRetries, made: 1, left: p.Timeout}
	if w := x.pauses.awaited(); w != nil && w.tries != nil {
		t = *w.tries
	} else {
		x.Attempts, x.Declined = 1, false
	}
	for ; ; x.Attempts++ {
		if r.settings.thread != nil {
			saved, in := t, r.savedIn()
			in.trying, in.late = &saved, nil
		}
		err := r.attempt(ctx, p.Timeout, &t, run)
		switch err {
		case nil:
			return nil
		case errPaused:
			kept := t
			r.Pausing().wait().tries = &kept
			return err
		}
		g, refused := ownError[*graphgen.GuardsError](err)
		if x.Declined = refused; refused {
			r.refusal(g)
			if t.guards == 0 || ctx.Err() != nil {
				return err
			}
			t.guards--
			x.Feedback = g.Messages()
			r.countRetry(err, 0)
			continue
		}
		if t.made >= p.Attempts || ctx.Err() != nil || IsPermanent(err) || r.endingPart(err) != nil || !p.RetryAny && !graphgen.IsTransient(err) {
			return err
		}
		after := errtree.RetryAfter(err)
		if after > max(p.MaxWait, patience) {
			return err
		}
		wait := max(backoff(p, t.made, r.jitter(ctx, t.made)), after)
		t.made++
		r.countRetry(err, wait)
		if err := r.wait(ctx, wait, err); err != nil {
			return err
		}
	}
}

// tries are the attempts of one execution of a node.
type tries struct {
	guards int           // retries that are left after failed guards
	made   int           // attempts that were not refused by guards
	left   time.Duration // of the timeout of the attempt, without what pauses took
}

// attempt executes the handler once. It runs on this goroutine, so that none outlives
// the run: attempt waits for a handler that ignores its context, and then counts it as late.
func (r *Run) attempt(ctx context.Context, limit time.Duration, t *tries, run func(context.Context) error) (err error) {
	if limit > 0 {
		late := Late("node", limit)
		if in := r.relations().saved; in != nil {
			in.late = late
		}
		outer, begun := ctx, r.settings.Now()
		bound := TimeLimit(limit)
		inner, cancel := bound.Begin(outer, r, t.left, late)
		defer cancel()
		defer func() {
			switch {
			case err == errPaused:
				t.left -= r.settings.Since(begun)
				return
			case context.Cause(inner) == late && outer.Err() == nil && err != errEnded, errors.Is(err, late):
				err = late
			}
			t.left = limit
		}()
		ctx = inner
	}
	defer func() { r.Caught(recover(), &err) }()
	return errtree.Sound(run(ctx))
}

// From returns the first iteration of the current loop node: that in which its child run b has paused, else 1.
func (r *Run) From(b *Run) int {
	if !b.isPaused() {
		return 1
	}
	r.more.resumes = true
	return r.more.Iterations
}

// Iterate begins iteration i of the current loop node, counted from 1. It returns an error
// when the context has ended.
func (r *Run) Iterate(i int, body string) error {
	if x := r.extra(); x.resumes {
		r.more.resumes = false
		return nil // it began before a pause
	}
	if r.callerContext().Err() != nil {
		return context.Cause(r.callerContext())
	}
	r.withExtra().Iterations = i
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{
			Kind: graphgen.Progress, Node: r.NodeName(), Details: origin.Details{More: "iteration " + strconv.Itoa(i) + " of " + body},
		})
	}
	return nil
}

func (r *Run) countRetry(err error, wait time.Duration) {
	r.tally().Retries++
	r.requireSlowStep()
	if r.settings.isWatched() {
		at := r.here()
		r.notify(&graphgen.Event{Kind: graphgen.Retry, Node: r.Graph().NodeName(at), Err: err, Details: origin.Details{Number: r.extra().Attempts, Wait: wait}})
	}
}

// defaultFactor is the factor of a policy that has none.
const defaultFactor = 2

// backoff returns the wait after an attempt: Wait × Factorⁿ up to MaxWait, half of it by jitter, from 0 to 1.
func backoff(p Policy, tries int, jitter float64) time.Duration {
	factor := p.Factor
	if factor == 0 {
		factor = defaultFactor
	}
	// In floating point an overflow is no wrong number, but a large one.
	wait := time.Duration(min(float64(p.Wait)*math.Pow(factor, float64(tries-1)), float64(p.MaxWait)))
	half := wait / 2
	return half + time.Duration(float64(half)*jitter)
}

// patience is the longest wait of a node that an error may ask for.
const patience = time.Minute

// wait waits after an error, and returns nil if a retry may follow. It returns an error if the
// context has ended, or if the run is to stop, which ends the wait.
func (r *Run) wait(ctx context.Context, d time.Duration, err error) error {
	switch {
	case r.endingPart(err) != nil, !r.sleep(ctx, d):
		return err
	case r.isStopping():
		return &graphgen.StopError{Where: r.where(r.here()), Err: err, Origin: origin.To(r.stoppedRun())}
	}
	return nil
}
