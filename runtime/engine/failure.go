package engine

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
)

// Fail records err as the failure of the current node, and takes its failure route. The run ends
// where there is none. It pauses where a child run has paused.
func (r *Run) Fail(err error) { r.fail(err) }

// Failed reports whether err is an error. It is then the failure of the current node, as Fail has it.
func (r *Run) Failed(err error) bool { return err != nil && r.fail(err) }

// fail is Fail, and returns true. Failed does not return a constant, of which the compiler would make a second test of
// err: each node of a machine would have it on the stack.
func (r *Run) fail(err error) bool {
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
	if !r.failed(err) {
		return Aborted
	}
	return r.failureRoute(err)
}

// failureRoute returns the first open transition for a failure of the current node: its own, then
// that of the graph. It returns Aborted if there is none, or the failure is that of the parent. A
// node without visits left has not run: its error edges and its flag critical do not apply.
func (r *Run) failureRoute(err error) TransitionID {
	var n NodeInfo // an added prompt has no row
	if int(r.At) < len(r.Graph().Nodes) {
		n = r.Graph().Nodes[r.At]
	}
	ran := err != ErrVisitsExhausted
	if n.Parent != End || n.Critical && ran {
		return Aborted
	}
	if ran {
		for _, transition := range n.OnError {
			if !r.path.isUsedUp(r.Graph().transition(transition)) {
				return transition
			}
		}
	}
	switch {
	case n.ErrorTo != 0:
		return n.ErrorTo
	case r.Graph().OnError == 0 || r.Graph().to(r.Graph().OnError) == r.At:
		return Aborted
	}
	return r.Graph().OnError
}

// failed records err as the failure of the current node, and reports whether the run may go on. It
// may not after a chain of nodes without visits left that is longer than the graph: it would never end.
func (r *Run) failed(err error) bool {
	r.attentive()
	if r.relations().ended {
		return r.unsaid()
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
	node := &graphgen.NodeError{Where: r.where(at), Attempt: r.Attempt(), Err: err}
	if err == ErrVisitsExhausted {
		r.retract()
		node.Err = &graphgen.LimitError{Limit: graphgen.LimitVisits, Max: float64(r.Graph().mostVisits(at))}
		node.Where.Step, node.Where.Visit, node.Attempt = r.step(), r.visit(at), 0
		x.detours++
		x.passedOver = at
	}
	if p, ok := ownError[*graphgen.PanicError](err); ok && p.Pos.Line > 0 {
		node.Where.Pos = p.Pos
	}
	if g, ok := ownError[*graphgen.GuardsError](err); ok {
		r.refusal(g)
	}
	x.failures = append(x.failures, graphgen.Failure{Err: node})
	reported := x.outcome == failedSoft // a step ends once
	x.outcome, x.prevFailed = failed, true
	x.pending = len(x.failures)
	if r.settings.isWatched() && !reported {
		r.watch().emitFailure(node.Where.Node, node)
	}
	switch {
	case endsRun(err):
		if !r.over {
			r.end(graphgen.Failed, node)
		}
		return false
	case r.overBudget(err):
		return false
	}
	return int(x.detours) < len(r.Graph().Nodes)+len(r.Graph().dynamicNodes) // of which one is end
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
	failures := r.extra().failures
	failure := failures[len(failures)-1].Err
	if r.callerContext().Err() != nil {
		r.end(graphgen.Stopped, &graphgen.CancelledError{Where: failure.Where, Err: context.Cause(r.callerContext()), Failure: failure})
		return
	}
	r.end(graphgen.Failed, failure)
}

// isCutShort reports whether the context of the run has ended, and the current node, which leads to end, has failed, softly or not, or a
// model could not choose what follows it. The end of the context may be the reason, so the run has not succeeded. Other nodes have done their work.
func (r *Run) isCutShort() bool {
	x := r.extra()
	return (x.outcome == failed || x.outcome == failedSoft || x.unjudged) && r.parent() == nil && r.IsCancelled()
}

// cutShort ends a run that is cut short at its last node.
func (r *Run) cutShort() {
	x := r.extra()
	stopped := &graphgen.CancelledError{Where: r.where(r.here()), Err: context.Cause(r.callerContext())}
	if x.outcome != succeeded {
		stopped.Failure = x.failures[len(x.failures)-1].Err
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

// unsaid reports that the current composite node failed, because a child run ended for a
// reason that ends this run too. It returns false.
func (r *Run) unsaid() bool {
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
	r.attentive()
	if r.relations().ended {
		r.unsaid()
		return
	}
	err = errtree.Sound(err)
	node := &graphgen.NodeError{Where: r.where(r.here()), Attempt: r.Attempt(), Err: err}
	if r.parent() != nil && context.Cause(r.callerContext()) == errSettled {
		// A branch that is no longer needed has not failed, and goes no further.
		r.end(graphgen.Stopped, &graphgen.CancelledError{Where: node.Where, Err: errSettled})
	} else {
		if g, ok := ownError[*graphgen.GuardsError](err); ok {
			r.refusal(g)
		}
		r.withExtra().failures = append(r.extra().failures, graphgen.Failure{Err: node, Soft: true})
	}
	r.withExtra().outcome, r.withExtra().prevFailed, r.withExtra().soft = failedSoft, true, node
	if r.settings.isWatched() {
		r.watch().emitFailure(node.Where.Node, node)
	}
	if over := r.overdraws(err); over != nil {
		r.Agent().overdrawn = over
	}
}

// GuardsFailed records that the node's guards refused its output.
func (r *Run) GuardsFailed(err error) {
	r.attentive()
	r.withExtra().outcome = failedGuards
	if g, ok := ownError[*graphgen.GuardsError](err); ok {
		r.refusal(g)
		r.withExtra().feedback = g.Messages()
	}
}

// refusal records a verdict of guards once. Both the execution of a node and the transition
// that it takes report the same verdict.
func (r *Run) refusal(g *graphgen.GuardsError) {
	if r.incidents().refused == g {
		return
	}
	r.attentive()
	a := r.withIncidents()
	a.refused = g
	a.refusals = append(a.refusals, graphgen.Refusal{Where: r.where(r.here()), Attempt: r.Attempt(), Guards: g.Failed})
}

// AfterFailure reports whether the node before this one failed.
func (r *Run) AfterFailure() bool { return r.extra().prevFailed }

// Skip records that the node is not executed because the one before it failed.
func (r *Run) Skip() {
	r.attentive()
	r.withExtra().outcome = skipped
	r.withIncidents().skips++
}

// settle draws the consequences of a step's outcome for the failures before it.
func (r *Run) settle(transition TransitionID) {
	x := r.more
	if x == nil {
		return
	}
	switch x.outcome {
	case succeeded:
		x.prevFailed = false
		x.clear()
	case failed:
		if r.Graph().to(transition) == End && transition < firstCommon {
			x.clear()
		}
	case failedGuards, withheld:
		x.prevFailed = false
	case skipped:
		if x.pending > 0 && x.stuck == 0 {
			x.stuck = x.pending
		}
		x.settled, x.pending = len(x.failures), 0
	}
}

// clear marks the failures that waited for a success as handled.
func (x *extra) clear() {
	for i := x.settled; i < len(x.failures); i++ {
		x.failures[i].Cleared = !x.failures[i].Soft
	}
	x.settled, x.pending = len(x.failures), 0
}
