package engine

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// Follow ends a step and begins the next one, if that needs no more than counting. It returns false,
// and does nothing, where SlowStep is due.
func (r *Run) Follow(transition TransitionID, to NodeID) bool {
	p := &r.path
	edges, visits := p.edges, p.visits
	if p.n >= r.limit || int(transition) >= len(edges) || int(to) >= len(visits) || visits[to] == usedUpVisits {
		return false
	}
	p.ring[p.n&(len(p.ring)-1)] = transition
	p.n++
	edges[transition]++
	visits[to]++
	r.At, r.tail = to, to
	return true
}

// SlowStep ends a step and begins the next one, with everything that has to be looked at: observers,
// hooks, stop requests, cancellation, bounds, changes of the graph. The run ends where it may not continue.
func (r *Run) SlowStep(transition TransitionID, to NodeID) {
	if w := r.extra().wrap; w != nil && w.inside {
		w.endStep(transition, to)
		return
	}
	for {
		if r.Changes().exist() {
			taken := transition
			to, transition = r.Changes().divert(to, transition)
			if taken != transition && int(taken) < len(r.Graph().Transitions) {
				r.path.miss(&r.Graph().Transitions[taken])
			}
		}
		next := r.proceed(transition, to)
		if next == halts {
			r.At = End
			return
		}
		if r.enterCode(); next == runs {
			return
		}
		if transition = r.failureTransition(ErrVisitsExhausted); transition == Aborted {
			r.abort()
			return
		}
		to = r.Graph().to(transition)
	}
}

// enterCode makes the code of the current node run next: the code of a dynamic node, or of a step which hooks wrap.
func (r *Run) enterCode() {
	if r.Changes().exist() {
		r.Changes().enterDynamic()
	}
	if w := r.extra().wrap; w != nil {
		w.holdBack()
	}
}

// A beginning is how a step begins.
type beginning uint8

const (
	runs   beginning = iota // the node runs
	halts                   // the run ends before the node
	passes                  // the node has no visits left: it fails
)

// proceed ends one step and begins the next one. The numbers are from SEMANTICS section 2.
func (r *Run) proceed(transition TransitionID, to NodeID) beginning {
	if r.over {
		return halts
	}
	if r.At != End {
		r.At = r.tail
	}
	if r.stopDry(r.At) {
		r.watch().emitDry(r.At)
		return halts
	}
	if to == End && r.endsCancelled() {
		r.endCancelled()
		return halts
	}
	passed := r.At == End || r.extra().PassedOver != End // no step ends here
	r.leave(transition)                                  // 10: node_end, the hooks after the node; 11: route
	if r.over {
		return halts
	}
	if !passed && r.settings.thread != nil && !r.settings.thread.saveStep(r, transition, to) { // 12
		return halts
	}
	if !passed && r.settings.interruptsAfter(r.Graph().node(r.here())) && r.Pausing().interrupt(Boundary{By: transition, To: to, After: true}) { // 13
		return halts
	}
	return r.advance(transition, to)
}

// advance takes a transition, and begins the next step.
func (r *Run) advance(transition TransitionID, to NodeID) beginning {
	switch {
	case to == End:
		r.record(transition, to)
		r.endWith(transition)
		return halts
	case !r.mayContinue(to): // 1: cancellation, a stop request, the steps
		return halts
	}
	exhausted := r.isExhausted(to) // 2: the visits
	r.record(transition, to)
	r.At = to
	if exhausted {
		return passes
	}
	if r.more != nil {
		r.more.Detours = 0
	}
	if r.settings.interruptsBefore(r.Graph().node(to)) && r.Pausing().interrupt(Boundary{By: transition, To: to}) { // 3
		return halts
	}
	return r.startStep(to)
}

// record counts a transition, and adds it to the path.
func (r *Run) record(transition TransitionID, to NodeID) {
	r.path.count(transition, to)
	r.tail = to
	r.path.add(transition, r.settings)
}

// startStep begins a step whose transition is recorded.
func (r *Run) startStep(n NodeID) beginning {
	if !r.enter(n) { // 4: node_start, the hooks before the node
		return halts
	}
	r.schedule()
	return runs
}

// schedule sets when SlowStep is due: at the end of every step, or when the path has to grow or the
// steps are used up. Until then, the loop asks the context.
func (r *Run) schedule() {
	r.limit, r.polls = 0, false
	x := r.extra()
	if r.context != &r.first || r.Changes().exist() || r.parent() != nil || r.settings.isWatched() || r.settings.DryRun ||
		r.settings.thread != nil || r.settings.hasStopper() || r.settings.mayInterrupt(r.Graph()) || x.Pending > 0 || x.PrevFailed || x.Feedback != nil {
		return
	}
	r.limit = r.settings.maxSteps(r.Graph())
	if len(r.path.ring) < r.settings.pathLength() {
		r.limit = min(r.limit, len(r.path.ring))
	}
	r.polls = r.first.Done() != nil
}

// takeBackLeftStep takes back the step before which the loop was left, and ends the run before its node: the context has
// ended. It returns false where the loop was not left before a node.
func (r *Run) takeBackLeftStep() bool {
	if r.At == End {
		return false
	}
	last, to := r.path.last(), r.At
	if r.path.n > len(r.path.ring) { // it is in the place of another
		r.path.correct().gap = r.path.oldest()
	}
	if last < firstCommon {
		r.path.edges[last]--
	}
	r.path.visits[to]--
	r.path.n, r.tail = r.path.n-1, r.Graph().transition(last).From
	r.SlowStep(last, to)
	return true
}

// mayContinue stops the run before a node if the context is cancelled, a stop was requested
// or the steps are used up.
func (r *Run) mayContinue(to NodeID) bool {
	if r.callerContext().Err() == nil && !r.isStopping() && r.mayStep() {
		return true
	}
	r.endBefore(to)
	return false
}

// endBefore ends the run before a node that must not run.
func (r *Run) endBefore(to NodeID) {
	switch at := r.where(to); {
	case r.callerContext().Err() != nil:
		r.end(graphgen.Stopped, &graphgen.CancelledError{Where: at, Err: context.Cause(r.callerContext())})
	case r.isStopping():
		r.end(graphgen.Stopped, &graphgen.StopError{Where: at, Origin: origin.To(r.stoppedRun())})
	case r.Graph().OnMaxSteps != MaxStepsError:
		r.end(graphgen.MaxSteps, nil)
	default:
		r.end(graphgen.MaxSteps, &graphgen.LimitError{Limit: graphgen.LimitSteps, Where: &at, Max: float64(r.settings.maxSteps(r.Graph()))})
	}
}

// endWith ends the run with the reason that its last transition gives.
func (r *Run) endWith(transition TransitionID) {
	if r.over {
		return
	}
	switch transition {
	case Exhausted:
		r.end(graphgen.ExhaustedEdges, nil)
	case NoRoute:
		r.end(graphgen.NoRouteMatched, nil)
	default:
		r.end(graphgen.Completed, nil)
	}
	switch x := r.extra(); {
	case x.Stuck > 0:
		r.end(graphgen.Failed, x.Failures[x.Stuck-1].Err)
	case x.changes != nil && x.changes.accepted > 0:
		if missing := x.changes.unwritten(); len(missing) > 0 {
			r.end(graphgen.Failed, &graphgen.OutputError{Graph: r.Graph().Name, Fields: missing})
		}
	}
}

// isExhausted reports whether a node has used up its visits, in the graph as the run has changed it.
func (r *Run) isExhausted(n NodeID) bool {
	if r.Changes().exist() {
		return r.path.entered(n) >= r.Graph().mostVisits(n)
	}
	return r.path.visits[n] == usedUpVisits
}

// enter reports the start of a step and returns true. It returns false when a governing hook ends the run.
func (r *Run) enter(n NodeID) bool {
	return !r.settings.isWatched() || r.watch().enter(n)
}

// leave reports how the step ended and which transition the run takes.
func (r *Run) leave(transition TransitionID) {
	x := r.extra()
	first := r.At == End && x.PassedOver == End // the run, or one within it, begins
	switch {
	case r.settings.isWatched():
		if !r.watch().leave(transition, first) {
			return
		}
	case x.agent.verdict() != nil:
		r.endBy(x.agent.verdict())
		return
	}
	if x := r.more; !first && x != nil {
		x.settle(x.outcome, r.Graph().to(transition) == End && transition < firstCommon)
	}
	if r.related != nil {
		if r.related.behind = 0; r.related.saved != nil {
			r.related.saved.trying = nil
			if r.more != nil { // the tries with which another process was in the node
				r.Pauses().Withdraw()
			}
		}
	}
	if x := r.more; x != nil {
		if x.Feedback != nil && x.outcome != failedGuards {
			x.Feedback = nil
		}
		if x.soft != nil {
			x.soft = nil
		}
		x.outcome, x.Attempts, x.Cached, x.Cleared, x.PassedOver = succeeded, 0, false, false, End
	}
}
