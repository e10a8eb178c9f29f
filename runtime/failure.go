package graphrt

import (
	"context"
	"time"
)

// Fail records err as the failure of the current node, and takes its failure route. The run ends
// where there is none.
func (r *Run) Fail(err error) {
	way := r.failureWay(err)
	if way == Aborted {
		r.abort()
		return
	}
	r.SlowStep(way, r.graph.to(way))
}

// failureWay records err as the failure of the current node, and returns the transition that the run
// takes. It returns Aborted if there is none, or the run has ended.
func (r *Run) failureWay(err error) Way {
	if !r.failed(err) {
		return Aborted
	}
	return r.failureRoute(err)
}

// failureRoute returns the first open transition for a failure of the current node: its own, then
// that of the graph. It returns Aborted if there is none, or the failure is that of the parent. A
// node without visits left has not run: its error edges and its flag critical do not apply.
func (r *Run) failureRoute(err error) Way {
	var n NodeInfo // an added prompt has no row
	if int(r.At) < len(r.graph.Nodes) {
		n = r.graph.Nodes[r.At]
	}
	ran := err != ErrVisitsExhausted
	if n.Host != End || n.Critical && ran {
		return Aborted
	}
	if ran {
		for _, way := range n.OnError {
			if !r.usedUp(r.graph.way(way)) {
				return way
			}
		}
	}
	switch {
	case n.ErrorTo != 0:
		return n.ErrorTo
	case r.graph.OnError == 0 || r.graph.to(r.graph.OnError) == r.At:
		return Aborted
	}
	return r.graph.OnError
}

// failed records err as the failure of the current node, and reports whether the run may go on. It
// may not after a chain of nodes without visits left that is longer than the graph: it would never end.
func (r *Run) failed(err error) bool {
	r.attentive()
	if r.ended {
		return r.unsaid()
	}
	if r.overdrawn != nil {
		return false // the run ends because its budget is spent
	}
	at := r.here()
	if _, unmatched := ownError[*NoEdgeMatchedError](err); unmatched && r.DryRun {
		r.end(Stopped, nil) // no model has judged its edges
		return false
	}
	node := &NodeError{Where: r.where(at), Attempt: max(1, r.attempts), Err: err}
	if err == ErrVisitsExhausted {
		r.retract()
		node.Err = &VisitsError{Max: int(r.mostVisits(at))}
		node.Where.Step, node.Where.Visit, node.Attempt = r.step(), r.visit(at), 0
		r.detours++
		r.passedOver = at
	}
	if p, ok := ownError[*PanicError](err); ok && p.Pos.Line > 0 {
		node.Where.Pos = p.Pos
	}
	if g, ok := ownError[*GuardsError](err); ok {
		r.refusal(g)
	}
	r.failures = append(r.failures, Failure{Err: node})
	told := r.outcome == failedSoft // a step ends once
	r.outcome, r.prevFailed = failed, true
	r.pending = len(r.failures)
	if r.watched() && !told {
		now := time.Now()
		r.stopWatch(now)
		r.notify(&Event{Kind: NodeFailed, Time: now, Node: node.Where.Node, Err: node})
		r.started = false
	}
	switch {
	case endsRun(err):
		if !r.over {
			r.end(Failed, node)
		}
		return false
	case r.overBudget(err):
		return false
	}
	return r.detours < len(r.graph.Nodes)+len(r.graph.addedNodes) // of which one is end
}

// abort ends the run with the failure of the current node.
func (r *Run) abort() {
	if r.ended {
		r.At = End
		return
	}
	if r.wrap != nil && r.wrap.inside {
		r.wrap.aborts, r.At = true, End // when its hooks have returned
		return
	}
	r.leave(Aborted)
	if r.At = End; r.overlay != nil {
		r.overlay.stands = End
	}
	if r.over {
		return
	}
	failure := r.failures[len(r.failures)-1].Err
	if r.parent.Err() != nil {
		r.end(Stopped, &CancelledError{Where: failure.Where, Err: context.Cause(r.parent), Failure: failure})
		return
	}
	r.end(Failed, failure)
}

// unsaid reports that the current composite node failed, because a child run ended for a
// reason that ends this run too. It returns false.
func (r *Run) unsaid() bool {
	if r.watched() && r.started {
		now := time.Now()
		r.stopWatch(now)
		r.notify(&Event{Kind: NodeFailed, Time: now, Node: r.graph.NodeName(r.here()), Err: r.err})
		r.started = false
	}
	return false
}

// Soften records the failure of a fail_soft node; the run goes on as if it had succeeded.
func (r *Run) Soften(err error) {
	r.attentive()
	if r.ended {
		r.unsaid()
		return
	}
	node := &NodeError{Where: r.where(r.here()), Attempt: max(1, r.attempts), Err: err}
	if r.host != nil && context.Cause(r.parent) == errSettled {
		// A branch that is no longer needed has not failed, and goes no further.
		r.end(Stopped, &CancelledError{Where: node.Where, Err: errSettled})
	} else {
		if g, ok := ownError[*GuardsError](err); ok {
			r.refusal(g)
		}
		r.failures = append(r.failures, Failure{Err: node, Soft: true})
	}
	r.outcome, r.prevFailed, r.soft = failedSoft, true, node
	if r.watched() {
		now := time.Now()
		r.stopWatch(now)
		r.notify(&Event{Kind: NodeFailed, Time: now, Node: node.Where.Node, Err: node})
		r.started = false
	}
	r.overdrawn = r.overdraws(err)
}

// GuardsFailed records that the node's guards refused its output.
func (r *Run) GuardsFailed(err error) {
	r.attentive()
	r.outcome = failedGuards
	if g, ok := ownError[*GuardsError](err); ok {
		r.refusal(g)
		r.feedback = g.Messages()
	}
}

// refusal records a verdict of guards once. Both the execution of a node and the transition
// that it takes report the same verdict.
func (r *Run) refusal(g *GuardsError) {
	if r.refused == g {
		return
	}
	r.attentive()
	r.refused = g
	r.refusals = append(r.refusals, Refusal{Where: r.where(r.here()), Attempt: max(1, r.attempts), Guards: g.Failed})
}

// AfterFailure reports whether the node before this one failed.
func (r *Run) AfterFailure() bool { return r.prevFailed }

// Skip records that the node is not executed because the one before it failed.
func (r *Run) Skip() {
	r.attentive()
	r.outcome = skipped
	r.skips++
}

// settle draws the consequences of a step's outcome for the failures before it.
func (r *Run) settle(way Way) {
	switch r.outcome {
	case succeeded:
		r.prevFailed = false
		r.clear()
	case failed:
		if r.graph.to(way) == End && way < firstCommon {
			r.clear()
		}
	case failedGuards, withheld:
		r.prevFailed = false
	case skipped:
		if r.pending > 0 && r.stuck == 0 {
			r.stuck = r.pending
		}
		r.settled, r.pending = len(r.failures), 0
	}
}

// clear marks the failures that waited for a success as handled.
func (r *Run) clear() {
	for i := r.settled; i < len(r.failures); i++ {
		r.failures[i].Cleared = !r.failures[i].Soft
	}
	r.settled, r.pending = len(r.failures), 0
}
