package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A childRun is the run of a child workflow.
type childRun struct {
	*host
	ctx     context.Context
	graph   childGraph
	cancel  context.CancelCauseFunc
	stopper graphgen.Stopper
	info    *graphgen.RunInfo
	last    graphgen.Event
	waits   []graphgen.Request // for which the run waits
	next    *childNext         // has arrived
	done    *childDone
	err     error // of the run
	wrong   error
}

// errAround is why a run in a child workflow ends: the context of the run around it has ended. That has the cause.
var errAround = errors.New("the run around it ends")

// runChild makes the run of a child workflow.
func runChild(w workflow.Context, root Workflow, name string, given *childTask) (*childDone, error) {
	a := root.acts()
	r := &childRun{host: newHost(w, a), graph: a.childrenOf()[name]}
	r.release, r.place = given.Release, given.Place
	if r.graph == nil {
		panic("the machine of the release that began the run has no child workflow " + name)
	}
	ctx, cancel := context.WithCancelCause(r.within(context.Background(), r.root))
	r.ctx, r.cancel = ctx, cancel
	if err := r.listen(w); err != nil {
		return nil, err
	}
	workflow.Go(r.root, func(w workflow.Context) {
		done, err := r.run(w, a, given)
		r.done, r.wrong = done, err
	})
	err := workflow.Await(r.root, func() bool { return r.broken != nil || r.done != nil || r.wrong != nil })
	switch {
	case err != nil:
		return nil, err
	case r.broken != nil:
		panic(r.broken)
	case r.wrong != nil:
		panic(r.wrong)
	case r.err == nil:
		return r.done, nil
	case w.Err() != nil:
		return nil, temporal.NewCanceledError(*r.done)
	}
	reason := graphgen.Failed
	if e, ok := errors.AsType[*graphgen.RunError](r.err); ok {
		reason = e.Reason
	}
	return nil, temporal.NewNonRetryableApplicationError(r.err.Error(), reason.String(), nil, *r.done)
}

// run makes the run in a coroutine of its own.
func (r *childRun) run(w workflow.Context, a *Activities, given *childTask) (*childDone, error) {
	ctx := r.within(r.ctx, w)
	input := r.opened(ctx, given.sent)[0]
	limited, free := r.limited(ctx, given.Left)
	defer func() { free() }()
	options := []graphgen.RunOption{
		driver.With(r.driver()), graphgen.WithStopper(&r.stopper), graphgen.WithObserver(r.observe),
		graphgen.Options(a.runs...), quiet(r.live, r.set.runs),
	}
	stand := engine.StandIn(limited, given.Around, options)
	out, err := r.graph.runWithin(limited, input, stand.Option())
	e := stand.Ended(err)
	for e.Waits != nil {
		free()
		next, answers, wrong := r.wait(ctx, e)
		if wrong != nil {
			return nil, wrong
		}
		limited, free = r.limited(ctx, next.Left)
		if option := stand.Continue(limited, next.Around, answers); option != nil {
			out, err = r.graph.runWithin(limited, input, option)
		}
		e = stand.Ended(err)
	}
	r.err = err
	if e.Report == nil {
		return nil, errors.Join(errors.New("the run has no report"), err)
	}
	done := &childDone{Err: carry(err), Ends: e.Ends + 1, Counted: e.Counted}
	done.sent, err = r.packed(ctx, e.Report, out)
	return done, err
}

// limited returns the context of the run with what is left of the time limits around it.
func (r *childRun) limited(ctx context.Context, left int64) (context.Context, context.CancelFunc) {
	if left == 0 {
		return ctx, func() {}
	}
	return driver.WithTimeoutCause(ctx, r, time.Duration(left), errAround)
}

// opened returns values that have been sent.
func (r *childRun) opened(ctx context.Context, from sent) (values []json.RawMessage) {
	r.do(ctx, func(w workflow.Context) {
		r.stores(w, func() (err error) { values, err = r.set.unpack(context.Background(), from); return err })
	})
	return values
}

// packed returns a report to be sent, with another value; nil: none.
func (r *childRun) packed(ctx context.Context, rep *graphgen.Report, other json.RawMessage) (to sent, err error) {
	report, err := json.Marshal(carryReport(rep))
	if err != nil {
		return to, err
	}
	values := []json.RawMessage{report}
	if other != nil {
		values = append(values, other)
	}
	r.do(ctx, func(w workflow.Context) {
		r.stores(w, func() (err error) { to, err = r.set.pack(context.Background(), values); return err })
	})
	return to, nil
}

// wait sends the parent what the run waits for, and returns what it continues with: nothing, where the run is cancelled.
func (r *childRun) wait(ctx context.Context, e *driver.Ended) (next *childNext, answers []driver.Answered, err error) {
	requests, err := json.Marshal(e.Waits)
	if err != nil {
		return nil, nil, err
	}
	info := workflow.GetInfo(r.root)
	waits := &childWaits{info.WorkflowExecution.ID, childDone{Counted: e.Counted}}
	if waits.sent, err = r.packed(ctx, e.Report, requests); err != nil {
		return nil, nil, err
	}
	r.do(ctx, func(w workflow.Context) {
		if err := workflow.SignalExternalWorkflow(w, info.ParentWorkflowExecution.ID, "", signalWaits, waits).Get(w, nil); err != nil {
			r.cancel(errAround) // the parent has ended
		}
	})
	r.waits = e.Waits
	r.Wait(ctx, func() bool { return r.next != nil || r.ctx.Err() != nil || r.endedWaiting() != "" })
	next = r.next
	if r.waits, r.next = nil, nil; next == nil {
		if id := r.endedWaiting(); id != "" {
			answers = []driver.Answered{{Request: id, Answer: noAnswer}}
		}
		return new(childNext), answers, nil
	}
	err = json.Unmarshal(r.opened(ctx, next.sent)[0], &answers)
	return next, answers, err
}

// live reports whether what happens has not happened before.
func (r *childRun) live() bool { return !r.closed && !workflow.IsReplaying(r.root) }

// observe keeps what queries ask for: the last event of the run itself.
func (r *childRun) observe(e graphgen.Event) {
	if r.info == nil {
		r.info = e.Run
	}
	if e.Run.Within == r.info.Within && e.Run.Branch == r.info.Branch {
		r.last = e
	}
}

// listen sets the handlers of messages.
func (r *childRun) listen(w workflow.Context) error {
	err := errors.Join(
		workflow.SetQueryHandler(w, QueryStatus, func() (Status, error) {
			s := Status{Phase: Running, Node: r.last.Node, Step: r.last.Step}
			if r.waits != nil {
				s.waits(r.waits)
			}
			if r.done != nil {
				s.Phase, s.Ended = Ended, graphgen.Completed.String()
				if e, ok := errors.AsType[*graphgen.RunError](r.err); ok {
					s.Ended = e.Reason.String()
				}
			}
			return s, nil
		}),
		workflow.SetQueryHandler(w, QueryState, func() (json.RawMessage, error) { return r.graph.stateAt(r.last) }),
	)
	workflow.Go(r.root, func(own workflow.Context) {
		workflow.GetSignalChannel(w, SignalStop).Receive(own, nil)
		r.stopper.Stop()
	})
	workflow.Go(r.root, func(own workflow.Context) {
		for {
			next := new(childNext)
			workflow.GetSignalChannel(w, signalContinue).Receive(own, next)
			r.next = next
		}
	})
	workflow.Go(w, func(w workflow.Context) {
		if w.Done().Receive(w, nil); w.Err() != nil {
			r.cancel(errAround)
		}
	})
	return err
}
