package engine

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
)

// Follow ends a step and begins the next one, if that needs no more than counting. It returns false,
// and does nothing, where SlowStep is due.
func (r *Run) Follow(transition TransitionID, to NodeID) bool {
	p := &r.path
	edges, visits := p.edges, p.visits
	if p.n >= p.limit || int(transition) >= len(edges) || int(to) >= len(visits) || visits[to] == usedUpVisits {
		return false
	}
	p.ring[p.n&(len(p.ring)-1)] = transition
	p.n++
	edges[transition]++
	visits[to]++
	r.At, p.tail = to, to
	return true
}

// SlowStep ends a step and begins the next one, with everything that has to be looked at: observers,
// hooks, stop requests, cancellation, bounds, changes of the graph. The run ends where it may not continue.
func (r *Run) SlowStep(transition TransitionID, to NodeID) {
	if w := r.more.get().wrap; w != nil && w.inside {
		w.endStep(transition, to)
		return
	}
	if route := r.ending.verdictRoute(); route != Aborted {
		transition, to = route, r.Graph().to(route)
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

// Fail records err as the failure of the current node, and takes its failure route. The run ends
// where there is none. It pauses where a child run has paused.
func (r *Run) Fail(err error) { r.takeFailureRoute(err) }

// Failed reports whether err is an error. It is then the failure of the current node, as Fail has it.
func (r *Run) Failed(err error) bool { return err != nil && r.takeFailureRoute(err) }

// takeFailureRoute is Fail, and returns true. Failed does not return a constant, of which the compiler would make a second test of
// err: each node of a machine would have it on the stack.
func (r *Run) takeFailureRoute(err error) bool {
	if err == errPaused {
		r.Pausing().suspend()
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

// enterCode makes the code of the current node run next: the code of a dynamic node, or of a step which hooks wrap.
func (r *Run) enterCode() {
	if r.Changes().exist() {
		r.Changes().enterDynamic()
	}
	if w := r.more.get().wrap; w != nil {
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
	if r.ending.over {
		return halts
	}
	if r.At != End {
		r.At = r.path.tail
	}
	if r.settings.DryRun && r.Graph().isConditional(r.At) { // a dry run asks no condition
		r.ending.set(graphgen.Stopped, nil)
		r.watch().emitDry(r.At)
		return halts
	}
	if to == End && r.ending.isCutShort() {
		cut := r.ending.cut() // of the step, before it is left
		if r.leave(Aborted); !r.ending.over {
			r.ending.set(graphgen.Stopped, cut)
		}
		return halts
	}
	passed := r.At == End || r.more.get().PassedOver != End // no step ends here
	r.leave(transition)                                     // 10: node_end, the hooks after the node; 11: route
	if r.ending.over {
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
		r.path.follow(transition, to, r.settings)
		r.ending.byTransition(transition)
		return halts
	case !r.mayContinue(to): // 1: cancellation, a stop request, the steps
		return halts
	}
	exhausted := r.path.isExhausted(to, r.Changes().exist()) // 2: the visits
	r.path.follow(transition, to, r.settings)
	r.At = to
	if exhausted {
		return passes
	}
	if r.more.extra != nil {
		r.more.Detours = 0
	}
	if r.settings.interruptsBefore(r.Graph().node(to)) && r.Pausing().interrupt(Boundary{By: transition, To: to}) { // 3
		return halts
	}
	return r.startStep(to)
}

// startStep begins a step whose transition is recorded.
func (r *Run) startStep(n NodeID) beginning {
	if r.settings.isWatched() && !r.watch().enter(n) { // 4: node_start, the hooks before the node
		return halts
	}
	r.schedule()
	return runs
}

// schedule sets when SlowStep is due: at the end of every step, or when the path has to grow or the
// steps are used up. Until then, the loop asks the context.
func (r *Run) schedule() {
	r.path.limit, r.polls = 0, false
	x := r.more.get()
	if r.context != &r.first || r.Changes().exist() || r.related.parent != nil || r.settings.isWatched() || r.settings.DryRun ||
		r.settings.thread != nil || r.settings.hasStopper() || r.settings.mayInterrupt(r.Graph()) || x.Pending > 0 || x.PrevFailed || x.Feedback != nil {
		return
	}
	r.path.limit = r.settings.maxSteps(r.Graph())
	if len(r.path.ring) < r.settings.pathLength() {
		r.path.limit = min(r.path.limit, len(r.path.ring))
	}
	r.polls = r.first.Done() != nil
}

// takeBackLeftStep takes back the step before which the loop was left, and ends the run before its node: the context has
// ended. It returns false where the loop was not left before a node.
func (r *Run) takeBackLeftStep() bool {
	if r.At == End {
		return false
	}
	to := r.At
	r.SlowStep(r.path.takeBackLeft(to), to)
	return true
}

// mayContinue stops the run before a node if the context is cancelled, a stop was requested
// or the steps are used up.
func (r *Run) mayContinue(to NodeID) bool {
	if !r.IsCancelled() && !r.settings.isStopping() {
		most := r.settings.maxSteps(r.Graph())
		if r.related.parent == nil && r.path.steps() < most || r.related.parent != nil && r.related.ledger.reserveStep(most) {
			return true
		}
	}
	r.ending.beforeNode(to)
	return false
}
