package engine

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
)

// failureTransition records err as the failure of the current node, and returns the transition that the run
// takes. It returns Aborted if there is none, or the run has ended.
func (r *Run) failureTransition(err error) TransitionID {
	if transition := r.ending.verdictRoute(); transition != Aborted {
		return transition
	}
	if !r.recordFailure(err) {
		return Aborted
	}
	if transition := r.ending.spentRoute(err); transition != Aborted {
		return transition
	}
	return r.path.failureRoute(r.At, err != ErrVisitsExhausted, r.IsCancelled())
}

// recordFailure records err as the failure of the current node, and reports whether the run may continue. It
// may not after a chain of nodes without visits left that is longer than the graph: it would never end.
func (r *Run) recordFailure(err error) bool {
	r.path.requireSlowStep()
	if r.ending.byChild {
		r.more.get().watch.emitUnreported()
		return false
	}
	if r.more.get().agent.verdict() != nil {
		return false // the run ends because its budget is spent
	}
	at := r.here()
	if _, unmatched := ownError[*graphgen.NoEdgeMatchedError](err); unmatched && r.settings.DryRun {
		r.ending.set(graphgen.Stopped, nil) // no model has judged its edges
		return false
	}
	x := r.more.make()
	node := &graphgen.NodeError{Where: r.where(at), Attempt: r.Execution().Attempt(), Err: err}
	if err == ErrVisitsExhausted {
		r.related.takeBackStep(&r.path)
		node.Err = &graphgen.LimitError{Limit: graphgen.LimitVisits, Max: float64(r.Graph().mostVisits(at))}
		node.Where.Step, node.Where.Visit, node.Attempt = r.path.Step(), r.path.visit(at), 0
		x.Detours++
		x.PassedOver = at
	}
	if p, ok := ownError[*graphgen.PanicError](err); ok && p.Pos.Line > 0 {
		node.Where.Pos = p.Pos
	}
	if g, ok := ownError[*graphgen.GuardsError](err); ok {
		r.tally().refuse(g, r.where(r.here()), r.Execution().Attempt())
	}
	reported := x.outcome == failedSoft // a step ends once
	x.outcome = failed
	x.FailureState.add(node)
	if r.settings.isWatched() && !reported {
		r.watch().emitFailure(node.Where.Node, node)
	}
	switch {
	case endsRun(err):
		if !r.ending.over {
			r.ending.set(graphgen.Failed, node)
		}
		return false
	case r.ending.spentRoute(err) != Aborted:
		r.ending.emitSpent(err)
		return true
	case r.ending.byFailure(err):
		if x.spent != nil {
			x.spent = node
		}
		return false
	}
	return x.Detours < len(r.Graph().Nodes)+len(r.Graph().dynamicNodes) // of which one is end
}

// abort ends the run with the failure of the current node.
func (r *Run) abort() {
	if r.ending.byChild {
		r.At = End
		return
	}
	if w := r.more.get().wrap; w != nil && w.inside {
		w.aborts, r.At = true, End // when its hooks have returned
		return
	}
	r.leave(Aborted)
	if r.At = End; r.Changes().exist() {
		r.Changes().current = End
	}
	if r.ending.over {
		return
	}
	failures := r.more.get().Failures
	failure := failures[len(failures)-1].Err
	if r.context.Context.Err() != nil {
		r.ending.set(graphgen.Stopped, &graphgen.CancelledError{Where: failure.Where, Err: context.Cause(r.context.Context), Failure: failure})
		return
	}
	r.ending.set(graphgen.Failed, failure)
}

// emitFailure reports that the step of a node has failed.
func (w *watch) emitFailure(node string, err error) {
	now := w.now()
	w.run.notify(&graphgen.Event{Kind: graphgen.NodeFailed, Time: now, Node: node, Err: err, Details: origin.Details{Wait: w.stopTimer(now)}})
	w.started = false
}

// emitUnreported reports that the current composite node failed, because a child run ended for a reason that ends this run too.
func (w *watch) emitUnreported() {
	if w != nil && w.started && w.run.settings.isWatched() {
		w.emitFailure(w.run.NodeName(), w.run.ending.err)
	}
}

// FailSoftly records the failure of a fail_soft node; the run continues as if it had succeeded.
func (r *Run) FailSoftly(err error) {
	if err == errPaused {
		r.Pausing().suspend()
		return
	}
	r.path.requireSlowStep()
	if r.ending.byChild {
		r.more.get().watch.emitUnreported()
		return
	}
	err = errtree.Sound(err)
	node := &graphgen.NodeError{Where: r.where(r.here()), Attempt: r.Execution().Attempt(), Err: err}
	if r.related.parent != nil && context.Cause(r.context.Context) == errSettled {
		// A branch that is no longer needed has not failed, and ends here.
		r.ending.set(graphgen.Stopped, &graphgen.CancelledError{Where: node.Where, Err: errSettled})
	} else {
		if g, ok := ownError[*graphgen.GuardsError](err); ok {
			r.tally().refuse(g, r.where(r.here()), r.Execution().Attempt())
		}
		r.more.make().Failures = append(r.more.get().Failures, graphgen.Failure{Err: node, Soft: true})
	}
	r.more.make().outcome, r.more.make().PrevFailed, r.more.make().soft = failedSoft, true, node
	if r.settings.isWatched() {
		r.watch().emitFailure(node.Where.Node, node)
	}
	if over := r.ending.despite(err); over != nil {
		r.Agent().overdrawn = over
	}
}

// GuardsFailed records that the node's guards refused its output.
func (r *Run) GuardsFailed(err error) {
	r.path.requireSlowStep()
	r.more.make().outcome = failedGuards
	if g, ok := ownError[*graphgen.GuardsError](err); ok {
		r.tally().refuse(g, r.where(r.here()), r.Execution().Attempt())
		r.more.make().Feedback = g.Messages()
	}
}

// AfterFailure reports whether the node before this one failed.
func (r *Run) AfterFailure() bool { return r.more.get().PrevFailed }

// Skip records that the node is not executed because the one before it failed.
func (r *Run) Skip() {
	r.path.requireSlowStep()
	r.more.make().outcome = skipped
	r.tally().Skips++
}
