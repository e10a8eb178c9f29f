package engine

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
)

// Fail records err as the failure of the current node, and takes its failure route. The run ends
// where there is none. It pauses where a child run has paused.
func (r *Run) Fail(err error) { r.takeFailureRoute(err) }

// Failed reports whether err is an error. It is then the failure of the current node, as Fail has it.
func (r *Run) Failed(err error) bool { return err != nil && r.takeFailureRoute(err) }

// takeFailureRoute is Fail, and returns true. Failed does not return a constant, of which the compiler would make a second test of
// err: each node of a machine would have it on the stack.
func (r *Run) takeFailureRoute(err error) bool {
	if err == errPaused {
		r.suspend()
		return true
	}
	transition := r.failureTransition(errtree.Sound(err))
	if transition == Aborted {
		r.abort()
		return true
	}
	r.SlowStep(transition, r.Graph().to(transition))
	return true
}

// failureTransition records err as the failure of the current node, and returns the transition that the run
// takes. It returns Aborted if there is none, or the run has ended.
func (r *Run) failureTransition(err error) TransitionID {
	if !r.recordFailure(err) {
		return Aborted
	}
	return r.findFailureRoute(err)
}

// findFailureRoute returns the first open transition for a failure of the current node: its own, then
// that of the graph, which is not for nodes in regions. It returns Aborted if there is none. A
// node without visits left has not run: its error edges and its flag critical do not apply.
func (r *Run) findFailureRoute(err error) TransitionID {
	g := r.Graph()
	var n NodeInfo // an added prompt has no row
	if int(r.At) < len(g.Nodes) {
		n = g.Nodes[r.At]
	}
	ran := err != ErrVisitsExhausted
	if n.Critical && ran || n.Parent != End && r.IsCancelled() { // what is cut short leads nowhere in its region
		return Aborted
	}
	if ran {
		for _, transition := range n.OnError {
			if !r.path.isUsedUp(g.transition(transition)) {
				return transition
			}
		}
	}
	switch {
	case n.ErrorTo != 0:
		return n.ErrorTo
	case n.Parent != End || g.OnError == 0 || g.to(g.OnError) == r.At:
		return Aborted
	}
	return g.OnError
}

// recordFailure records err as the failure of the current node, and reports whether the run may go on. It
// may not after a chain of nodes without visits left that is longer than the graph: it would never end.
func (r *Run) recordFailure(err error) bool {
	r.requireSlowStep()
	if r.relations().ended {
		return r.emitUnreported()
	}
	if r.extra().agent.verdict() != nil {
		return false // the run ends because its budget is spent
	}
	at := r.here()
	if _, unmatched := ownError[*graphgen.NoEdgeMatchedError](err); unmatched && r.settings.DryRun {
		r.end(graphgen.Stopped, nil) // no model has judged its edges
		return false
	}
	x := r.withExtra()
	node := &graphgen.NodeError{Where: r.where(at), Attempt: r.Execution().Attempt(), Err: err}
	if err == ErrVisitsExhausted {
		r.takeBackStep()
		node.Err = &graphgen.LimitError{Limit: graphgen.LimitVisits, Max: float64(r.Graph().mostVisits(at))}
		node.Where.Step, node.Where.Visit, node.Attempt = r.stepNumber(), r.visit(at), 0
		x.Detours++
		x.PassedOver = at
	}
	if p, ok := ownError[*graphgen.PanicError](err); ok && p.Pos.Line > 0 {
		node.Where.Pos = p.Pos
	}
	if g, ok := ownError[*graphgen.GuardsError](err); ok {
		r.refusal(g)
	}
	reported := x.outcome == failedSoft // a step ends once
	x.outcome = failed
	x.FailureState.add(node)
	if r.settings.isWatched() && !reported {
		r.watch().emitFailure(node.Where.Node, node)
	}
	switch {
	case endsRun(err):
		if !r.over {
			r.end(graphgen.Failed, node)
		}
		return false
	case r.endByFailure(err):
		return false
	}
	return x.Detours < len(r.Graph().Nodes)+len(r.Graph().dynamicNodes) // of which one is end
}

// abort ends the run with the failure of the current node.
func (r *Run) abort() {
	if r.relations().ended {
		r.At = End
		return
	}
	if w := r.extra().wrap; w != nil && w.inside {
		w.aborts, r.At = true, End // when its hooks have returned
		return
	}
	r.leave(Aborted)
	if r.At = End; r.Changes().exist() {
		r.Changes().current = End
	}
	if r.over {
		return
	}
	failures := r.extra().Failures
	failure := failures[len(failures)-1].Err
	if r.callerContext().Err() != nil {
		r.end(graphgen.Stopped, &graphgen.CancelledError{Where: failure.Where, Err: context.Cause(r.callerContext()), Failure: failure})
		return
	}
	r.end(graphgen.Failed, failure)
}

// endsCancelled reports whether the context of the run has ended, and the current node, which leads to end, has failed, softly or not, or a
// model could not choose what follows it. The end of the context may be the reason, so the run has not succeeded. Other nodes have done their work.
func (r *Run) endsCancelled() bool {
	x := r.extra()
	return (x.outcome == failed || x.outcome == failedSoft || x.unjudged) && r.parent() == nil && r.IsCancelled()
}

// endCancelled ends a run that is cut short at its last node.
func (r *Run) endCancelled() {
	x := r.extra()
	stopped := &graphgen.CancelledError{Where: r.where(r.here()), Err: context.Cause(r.callerContext())}
	if x.outcome != succeeded {
		stopped.Failure = x.FailureState.last()
	}
	if r.leave(Aborted); !r.over {
		r.end(graphgen.Stopped, stopped)
	}
}

// emitFailure reports that the step of a node has failed.
func (w *watch) emitFailure(node string, err error) {
	now := w.now()
	w.run.notify(&graphgen.Event{Kind: graphgen.NodeFailed, Time: now, Node: node, Err: err, Details: origin.Details{Wait: w.stopTimer(now)}})
	w.started = false
}

// emitUnreported reports that the current composite node failed, because a child run ended for a
// reason that ends this run too. It returns false.
func (r *Run) emitUnreported() bool {
	if r.settings.isWatched() && r.watch().started {
		r.watch().emitFailure(r.Graph().NodeName(r.here()), r.extra().err)
	}
	return false
}

// FailSoftly records the failure of a fail_soft node; the run goes on as if it had succeeded.
func (r *Run) FailSoftly(err error) {
	if err == errPaused {
		r.suspend()
		return
	}
	r.requireSlowStep()
	if r.relations().ended {
		r.emitUnreported()
		return
	}
	err = errtree.Sound(err)
	node := &graphgen.NodeError{Where: r.where(r.here()), Attempt: r.Execution().Attempt(), Err: err}
	if r.parent() != nil && context.Cause(r.callerContext()) == errSettled {
		// A branch that is no longer needed has not failed, and goes no further.
		r.end(graphgen.Stopped, &graphgen.CancelledError{Where: node.Where, Err: errSettled})
	} else {
		if g, ok := ownError[*graphgen.GuardsError](err); ok {
			r.refusal(g)
		}
		r.withExtra().Failures = append(r.extra().Failures, graphgen.Failure{Err: node, Soft: true})
	}
	r.withExtra().outcome, r.withExtra().PrevFailed, r.withExtra().soft = failedSoft, true, node
	if r.settings.isWatched() {
		r.watch().emitFailure(node.Where.Node, node)
	}
	if over := r.endingFailure(err); over != nil {
		r.Agent().overdrawn = over
	}
}

// GuardsFailed records that the node's guards refused its output.
func (r *Run) GuardsFailed(err error) {
	r.requireSlowStep()
	r.withExtra().outcome = failedGuards
	if g, ok := ownError[*graphgen.GuardsError](err); ok {
		r.refusal(g)
		r.withExtra().Feedback = g.Messages()
	}
}

// refusal records a verdict of guards once. Both the execution of a node and the transition
// that it takes report the same verdict.
func (r *Run) refusal(g *graphgen.GuardsError) {
	if r.extra().tally.lastVerdict() != g {
		r.requireSlowStep()
		r.tally().refuse(g, r.where(r.here()), r.Execution().Attempt())
	}
}

// AfterFailure reports whether the node before this one failed.
func (r *Run) AfterFailure() bool { return r.extra().PrevFailed }

// Skip records that the node is not executed because the one before it failed.
func (r *Run) Skip() {
	r.requireSlowStep()
	r.withExtra().outcome = skipped
	r.tally().Skips++
}

// endBy ends the run with the error of its child.
func (r *Run) endBy(err error) {
	switch e := err.(type) {
	case *graphgen.LimitError:
		r.endByVerdict(&graphgen.HookError{Where: r.where(r.here()), Hook: "budget", Err: e})
	case *graphgen.HookError:
		r.endByVerdict(e)
	case *graphgen.StopError:
		r.end(graphgen.Stopped, &graphgen.StopError{Where: r.where(r.here()), Err: e.Err, Origin: e.Origin})
	case fatality:
		r.end(graphgen.Failed, &graphgen.NodeError{Where: r.where(r.here()), Attempt: r.Execution().Attempt(), Err: e.error})
	default:
		r.end(graphgen.Stopped, nil)
	}
}

// endByVerdict ends the run by the verdict of a governing hook.
func (r *Run) endByVerdict(err *graphgen.HookError) {
	reason := graphgen.Failed
	var spent *graphgen.LimitError
	if errtree.As(err, &spent, func(err error) bool { spent = budgetOf(err); return spent != nil }) {
		reason = graphgen.Budget
		at := err.Where
		r.notify(&graphgen.Event{Kind: graphgen.OverBudget, Node: at.Node, Step: at.Step, Visit: at.Visit, Err: err})
	}
	r.end(reason, err)
}

// endByFailure ends the run if a failure is that its budget is spent, or an error of a child run
// that ends it too. It reports whether it did.
func (r *Run) endByFailure(err error) bool {
	if e := r.endingPart(err); e != nil && !r.over {
		r.endBy(e)
		return true
	}
	spent := overBudget(err)
	if spent == nil || r.over {
		return spent != nil
	}
	r.endByVerdict(&graphgen.HookError{Where: r.where(r.here()), Hook: "budget", Err: spent})
	return true
}
