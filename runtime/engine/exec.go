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
	x := r.more.make()
	a := attempts{run: r, timeout: p.Timeout, tries: tries{guards: p.GuardRetries, made: 1, left: p.Timeout}}
	if w := x.pauses.awaited(); w != nil && w.tries != nil {
		a.tries = *w.tries
	} else {
		x.Attempts, x.Declined = 1, false
	}
	for ; ; x.Attempts++ {
		if r.settings.thread != nil {
			saved, in := a.tries, r.related.savedIn()
			in.trying, in.late = &saved, nil
		}
		err := a.make(ctx, run)
		switch err {
		case nil:
			return nil
		case errPaused:
			kept := a.tries
			r.Pausing().wait().tries = &kept
			return err
		}
		g, refused := ownError[*graphgen.GuardsError](err)
		if x.Declined = refused; refused {
			r.tally().refuse(g, r.where(r.here()), x.Attempt())
			if a.guards == 0 || ctx.Err() != nil {
				return err
			}
			a.guards--
			x.Feedback = g.Messages()
			a.countRetry(err, 0)
			continue
		}
		if a.made >= p.Attempts || ctx.Err() != nil || IsPermanent(err) || r.ending.part(err) != nil || !p.RetryAny && !graphgen.IsTransient(err) {
			return err
		}
		after := errtree.RetryAfter(err)
		if after > max(p.MaxWait, patience) {
			return err
		}
		wait := max(backoff(p, a.made, waiter{r}.Jitter(ctx, a.made)), after)
		a.made++
		a.countRetry(err, wait)
		if err := (waiter{r}).Wait(ctx, wait, err); err != nil {
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

// attempts are the tries of the current node of a run.
type attempts struct {
	tries
	run     *Run
	timeout time.Duration // of each; 0: none
}

// make executes the handler once. It runs on this goroutine, so that none outlives
// the run: make waits for a handler that ignores its context, and then counts it as late.
func (a *attempts) make(ctx context.Context, run func(context.Context) error) (err error) {
	r := a.run
	if a.timeout > 0 {
		late := Late("node", a.timeout)
		if in := r.related.saved; in != nil {
			in.late = late
		}
		outer, begun := ctx, r.settings.Now()
		inner, cancel := beginTimeout(outer, r, a.left, late)
		defer cancel()
		defer func() {
			switch {
			case err == errPaused:
				a.left -= r.settings.Since(begun)
				return
			case context.Cause(inner) == late && outer.Err() == nil && err != errEnded, errors.Is(err, late):
				err = late
			}
			a.left = a.timeout
		}()
		ctx = inner
	}
	defer func() { r.Graph().Caught(recover(), &err) }()
	return errtree.Sound(run(ctx))
}

// countRetry counts that another attempt follows an error, and reports it.
func (a *attempts) countRetry(err error, wait time.Duration) {
	r := a.run
	r.tally().Retries++
	r.path.requireSlowStep()
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{Kind: graphgen.Retry, Node: r.NodeName(), Err: err, Details: origin.Details{Number: r.more.Attempts, Wait: wait}})
	}
}

// From returns the first iteration of the current loop node: that in which its child run b has paused, else 1.
func (r *Run) From(b *Run) int {
	if !b.ending.Paused() {
		return 1
	}
	r.more.resumes = true
	return r.more.Iterations
}

// Iterate begins iteration i of the current loop node, counted from 1. It returns an error
// when the context has ended.
func (r *Run) Iterate(i int, body string) error {
	if x := r.more.get(); x.resumes {
		r.more.resumes = false
		return nil // it began before a pause
	}
	if r.context.Context.Err() != nil {
		return context.Cause(r.context.Context)
	}
	r.more.make().Iterations = i
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{
			Kind: graphgen.Progress, Node: r.NodeName(), Details: origin.Details{More: "iteration " + strconv.Itoa(i) + " of " + body},
		})
	}
	return nil
}

// defaultFactor is the factor of a policy that has none.
const defaultFactor = 2

// backoff returns the wait after an attempt: Wait × Factorⁿ up to MaxWait, half of it by jitter, from 0 to 1.
func backoff(p Policy, tries int, jitter float64) time.Duration {
	factor := p.Factor
	if factor == 0 {
		factor = defaultFactor
	}
	// In floating point an overflow gives a large number, not a wrong one.
	wait := time.Duration(min(float64(p.Wait)*math.Pow(factor, float64(tries-1)), float64(p.MaxWait)))
	half := wait / 2
	return half + time.Duration(float64(half)*jitter)
}

// patience is the longest wait of a node that an error may ask for.
const patience = time.Minute
