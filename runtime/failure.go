package graphrt

import "errors"

// Fail records err as the failure of the node at which the run stands. The generated
// code then takes the way the spec has wired for it, or Abort. It must Abort when Fail
// reports false: a chain of nodes without visits left, longer than the graph, never ends.
func (r *Run) Fail(err error) bool {
	at := r.At()
	node := &NodeError{Where: r.where(at), Attempt: max(1, r.attempts), Err: err}
	if err == VisitsExhausted {
		r.takeBack()
		node.Err = &VisitsError{Max: int(r.graph.Nodes[at].MaxVisits)}
		node.Where.Step, node.Attempt = r.Steps(), 0
		r.detours++
		r.passedOver = true
	}
	if p, ok := errors.AsType[*PanicError](err); ok && p.pos.Line > 0 {
		node.Where.Pos = p.pos
	}
	r.failures = append(r.failures, Failure{Err: node})
	r.outcome, r.prevFailed = failed, true
	r.pending = len(r.failures)
	r.attentive()
	if r.watched() {
		r.stopWatch()
		r.tell(Event{Kind: NodeFailed, Node: node.Where.Node, Err: node})
		r.started = false
	}
	return r.detours <= len(r.graph.Nodes)
}

// takeBack removes the last record: the node was reached but may not run.
func (r *Run) takeBack() {
	if r.n > 0 {
		r.n--
	}
}

// Abort ends the run with the failure of the node at which it stands.
func (r *Run) Abort() Way {
	r.leave(Aborted)
	if r.over {
		return Aborted
	}
	reason := Failed
	if r.parent.Err() != nil {
		reason = Stopped
	}
	r.end(reason, r.failures[len(r.failures)-1].Err)
	return Aborted
}

// Soften records the failure of a fail_soft node; the run goes on as if it had succeeded.
func (r *Run) Soften(err error) {
	node := &NodeError{Where: r.where(r.At()), Attempt: max(1, r.attempts), Err: err}
	r.failures = append(r.failures, Failure{Err: node, Soft: true})
	r.outcome, r.prevFailed, r.soft = failedSoft, true, node
	r.attentive()
	if r.watched() {
		r.stopWatch()
		r.tell(Event{Kind: NodeFailed, Node: node.Where.Node, Err: node})
		r.started = false
	}
}

// GuardsFailed records that the node's guards refused its output.
func (r *Run) GuardsFailed(err error) {
	r.outcome = failedGuards
	r.attentive()
	if g, ok := errors.AsType[*GuardsError](err); ok {
		r.feedback = g.Messages()
	}
}

// AfterFailure reports whether the node before this one failed.
func (r *Run) AfterFailure() bool { return r.prevFailed }

// Skip records that the node is not executed because the one before it failed.
func (r *Run) Skip() {
	r.outcome = skipped
	r.skips++
	r.attentive()
}

// settle draws the consequences of a step's outcome for the failures before it.
func (r *Run) settle(way Way) {
	switch r.outcome {
	case succeeded:
		r.prevFailed = false
		r.clear()
	case failed:
		if r.to(way) == End && way < firstCommon {
			r.clear()
		}
	case failedGuards:
		r.prevFailed = false
	case skipped:
		if r.pending > 0 && r.stuck == 0 {
			r.stuck = r.pending
		}
	}
}

// clear marks the failures that waited for a success as handled.
func (r *Run) clear() {
	if r.pending == 0 || r.stuck > 0 {
		return
	}
	for i := range r.failures {
		r.failures[i].Cleared = r.failures[i].Cleared || !r.failures[i].Soft
	}
	r.pending = 0
}
