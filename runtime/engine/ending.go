package engine

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
)

// An Ending is whether and why a run has ended. It has the rules by which a transition, a limit, a failure or a child run ends it.
type Ending struct {
	run     *Run
	over    bool
	byChild bool // a child run has ended for a reason that ends this run too
	reason  graphgen.Reason
	err     error
}

// set ends the run. err is nil where that is no failure.
func (e *Ending) set(reason graphgen.Reason, err error) {
	e.over, e.reason, e.err = true, reason, err
	if reason == graphgen.Stopped && err != nil {
		if late, _ := context.Cause(e.run.context.Context).(*graphgen.LimitError); late != nil && late.Timeout() {
			e.reason = graphgen.Failed
		}
	}
}

// undo makes the run one that has not ended.
func (e *Ending) undo() { e.over, e.reason, e.err = false, graphgen.Completed, nil }

// Reason returns why the run has ended.
func (e *Ending) Reason() graphgen.Reason { return e.reason }

// Err returns the error with which the run has ended, nil if that was no failure.
func (e *Ending) Err() error { return e.err }

// Paused reports whether the run has paused.
func (e *Ending) Paused() bool { return e.over && e.reason == graphgen.Paused }

// Truncated reports whether the run ended because its steps were used up.
func (e *Ending) Truncated() bool { return e.reason == graphgen.MaxSteps }

// name returns the name of the end that the run has reached, empty if it has none.
func (e *Ending) name() string {
	last, transitions := e.run.path.last(), e.run.Graph().Transitions
	if !e.over || e.reason != graphgen.Completed || int(last) >= len(transitions) {
		return ""
	}
	return transitions[last].Ending
}

// isStopped reports whether the run was cancelled or stopped, and not by its own nodes.
func (e *Ending) isStopped() bool {
	switch e.err.(type) {
	case *graphgen.CancelledError, *graphgen.StopError:
		return true
	}
	return false
}

// endsAll reports whether the run has ended for a reason that also ends the runs around it.
func (e *Ending) endsAll() bool {
	if e.reason == graphgen.Budget || e.reason == graphgen.MaxSteps || e.byChild {
		return true
	}
	if e.err == nil {
		return e.reason == graphgen.Stopped // a dry run
	}
	_, ruled := ownError[*graphgen.HookError](e.err)
	return ruled || endsRun(e.err)
}

// isCausedBy reports whether the last failure is the one that ended the run: it is its error, or the
// run was cancelled.
func (e *Ending) isCausedBy(last *graphgen.Failure) bool {
	cancelled, ok := e.err.(*graphgen.CancelledError)
	if !ok {
		return e.err == error(last.Err)
	}
	return cancelled.Failure == last.Err || last.Soft && (errors.Is(last.Err, cancelled.Err) || errors.Is(last.Err, e.run.context.Context.Err()))
}

// passedOn returns the failures of a child run that belong to the run around it, too: those that the child run recovered from. The failure
// that ended the child run is the cause of the failure of its parent's node.
func (e *Ending) passedOn() []graphgen.Failure {
	failures, rel := e.run.more.get().Failures, &e.run.related
	last := len(failures) - 1
	if last < 0 || !e.isCausedBy(&failures[last]) {
		return failures
	}
	switch f := rel.fork; {
	case e.isStopped(): // to be cancelled is no failure
		return failures[:last]
	case rel.parent.ending.byChild, f != nil && f.wasCut: // the parent's node has no failure of its own that would report it
	case f != nil && f.forgiven:
		failures[last].Soft = true
	default:
		return failures[:last]
	}
	return failures
}

// beforeNode ends the run before a node that must not run.
func (e *Ending) beforeNode(to NodeID) {
	r := e.run
	switch at := r.where(to); {
	case r.IsCancelled():
		e.set(graphgen.Stopped, &graphgen.CancelledError{Where: at, Err: context.Cause(r.context.Context)})
	case r.settings.isStopping():
		e.set(graphgen.Stopped, e.stop(at, nil))
	case r.Graph().OnMaxSteps != MaxStepsError:
		e.set(graphgen.MaxSteps, nil)
	default:
		e.set(graphgen.MaxSteps, &graphgen.LimitError{Limit: graphgen.LimitSteps, Where: &at, Max: float64(r.settings.maxSteps(r.Graph()))})
	}
}

// byTransition ends the run with the reason that its last transition gives.
func (e *Ending) byTransition(transition TransitionID) {
	if e.over {
		return
	}
	switch transition {
	case Exhausted:
		e.set(graphgen.ExhaustedEdges, nil)
	case NoRoute:
		e.set(graphgen.NoRouteMatched, nil)
	default:
		e.set(graphgen.Completed, nil)
	}
	switch x := e.run.more.get(); {
	case x.Stuck > 0:
		e.set(graphgen.Failed, x.Failures[x.Stuck-1].Err)
	case x.changes != nil && x.changes.accepted > 0:
		if missing := x.changes.unwritten(); len(missing) > 0 {
			e.set(graphgen.Failed, &graphgen.OutputError{Graph: e.run.Graph().Name, Fields: missing})
		}
	}
}

// isCutShort reports whether the context of the run has ended, and the current node, which leads to end, has failed, softly or not, or a
// model could not choose what follows it. The end of the context may be the reason, so the run has not succeeded. Other nodes have done their work.
func (e *Ending) isCutShort() bool {
	x := e.run.more.get()
	return (x.outcome == failed || x.outcome == failedSoft || x.unjudged) && e.run.related.parent == nil && e.run.IsCancelled()
}

// cut returns the error of a run that is cut short at its last node.
func (e *Ending) cut() *graphgen.CancelledError {
	r := e.run
	x := r.more.get()
	stopped := &graphgen.CancelledError{Where: r.where(r.here()), Err: context.Cause(r.context.Context)}
	if x.outcome != succeeded {
		stopped.Failure = x.FailureState.last()
	}
	return stopped
}

// byError ends the run with the error of a child run, or of the agent of its current node.
func (e *Ending) byError(err error) {
	r := e.run
	at := r.where(r.here())
	switch err := err.(type) {
	case *graphgen.LimitError:
		e.bySpent(err)
	case *graphgen.HookError:
		e.byVerdict(err)
	case *graphgen.StopError:
		e.set(graphgen.Stopped, &graphgen.StopError{Where: at, Err: err.Err, Origin: err.Origin})
	case fatality:
		e.set(graphgen.Failed, &graphgen.NodeError{Where: at, Attempt: r.Execution().Attempt(), Err: err.error})
	default:
		e.set(graphgen.Stopped, nil)
	}
}

// byVerdict ends the run by the verdict of a governing hook, though a spent budget may have ended it before.
func (e *Ending) byVerdict(err *graphgen.HookError) {
	if x := e.run.more.extra; x != nil {
		x.spent = nil
	}
	reason := graphgen.Failed
	var spent *graphgen.LimitError
	if errtree.As(err, &spent, func(err error) bool { spent = budgetOf(err); return spent != nil }) {
		reason = graphgen.Budget
		at := err.Where
		e.run.notify(&graphgen.Event{Kind: graphgen.OverBudget, Node: at.Node, Step: at.Step, Visit: at.Visit, Err: err})
	}
	e.set(reason, err)
}

// byFailure ends the run if a failure is that its budget is spent, or an error of a child run
// that ends it too. It reports whether it did.
func (e *Ending) byFailure(err error) bool {
	if part := e.part(err); part != nil && !e.over {
		e.byError(part)
		return true
	}
	spent := overBudget(err)
	if spent == nil || e.over {
		return spent != nil
	}
	e.bySpent(spent)
	return true
}

// bySpent ends the run at its current node: a budget is spent, and the node has no edge for that.
func (e *Ending) bySpent(spent *graphgen.LimitError) {
	at := e.run.where(e.run.here())
	e.byVerdict(&graphgen.HookError{Where: at, Hook: "budget", Err: spent})
	if e.run.related.parent != nil && spent.Unpriced == "" {
		e.run.more.make().spent = &graphgen.NodeError{Where: at, Attempt: e.run.Execution().Attempt(), Err: spent}
	}
}

// A fatality is an error that ends runs.
type fatality struct{ error }

// despite returns the part of a tolerated failure that ends the run nonetheless.
func (e *Ending) despite(err error) error {
	if endsRun(err) {
		return fatality{err}
	}
	if part := e.part(err); part != nil {
		return part
	}
	if spent := overBudget(err); spent != nil {
		return spent
	}
	return nil
}

// part returns the part of a child run's failure that ends this run too.
func (e *Ending) part(err error) error {
	if of := endedBy(err); of != nil {
		for r := e.run; r != nil; r = r.enclosing() {
			if r == of {
				return err
			}
		}
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			return e.part(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range err.Unwrap() {
			if found := e.part(inner); found != nil {
				return found
			}
		}
	}
	return nil
}

// errDryRun is the error with which a dry child run ends.
type errDryRun struct{ of *Run }

func (e *errDryRun) Error() string { return "the dry run stops here" }

// endedBy returns the run that an error ends: the one whose budget is spent, whose hook has decided
// so, or that is to stop. It is nil for other errors, and where the error occurred in that run.
func endedBy(err error) *Run {
	var of origin.Ref
	switch e := err.(type) {
	case *graphgen.LimitError:
		of = e.Origin
	case *graphgen.HookError:
		of = e.Origin
	case *graphgen.StopError:
		of = e.Origin
	case *errDryRun:
		return e.of
	}
	r, _ := origin.Of(of).(*Run)
	return r
}

// stop returns the error of a run whose stop is requested. err is the failure after which it is seen; nil: there is none.
func (e *Ending) stop(at graphgen.Where, err error) *graphgen.StopError {
	r := e.run
	for !r.settings.hasRequest() && r.settings.nesting != nil {
		r = r.settings.nesting.run
	}
	return &graphgen.StopError{Where: at, Err: err, Origin: origin.To(r)}
}
