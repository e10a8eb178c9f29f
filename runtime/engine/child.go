package engine

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen"
)

// A composite node runs other nodes in a child run: a record of its own, of the same graph,
// which ends with the last of them. Generated code creates it (ChildOf, or Fork.Go), calls Begin
// with a transition, drives it like any run, and checks Ended. Join, or the Fork, adds its
// record to that of the parent.

// errEnded is passed to Fail when a run is over and its end has been reported.
var errEnded = errors.New("the run is over")

// ChildOf makes b a child run of r on the same goroutine, for the nodes that the current node
// of r runs. ctx is the context of that node.
func (b *Run) ChildOf(ctx context.Context, r *Run, f *Frame) {
	r.requireSlowStep()
	b.attach(ctx, r, f)
	b.withRelations().branch = r.relations().branch
	if t := r.settings.thread; t != nil {
		t.loadChild(b, r, r.Graph().NodeName(r.here()))
	}
}

// attach makes b a child run of parent.
func (b *Run) attach(ctx context.Context, parent *Run, f *Frame) {
	b.settings = parent.settings
	b.frame(parent.Graph(), f)
	b.first = runContext{Context: ctx, run: b}
	b.context = &b.first
	own := b.withRelations()
	own.parent, own.ledger, own.base = parent, parent.share(), parent.relations().base+parent.path.steps()
	if parent.Keeps() {
		b.withExtra().details = new(details)
	}
}

// Begin starts a child run with a transition to its first node. It also restarts a child run
// that has ended. One that has paused goes on.
func (b *Run) Begin(transition TransitionID) {
	if t := b.settings.thread; t != nil && t.endUnloadable(b) {
		return
	}
	if b.isPaused() {
		b.Pausing().wake()
		return
	}
	b.over, b.reason = false, graphgen.Completed
	if x := b.more; x != nil {
		x.err = nil
		x.FailureState.begin()
		x.outcome, x.soft, x.Feedback = succeeded, nil, nil
		if x.watch != nil {
			x.watch.started = false
		}
	}
	b.path.renew()
	if t := b.settings.thread; t != nil {
		t.Begins(b, Boundary{By: transition, To: b.Graph().to(transition)}, b.loop())
	}
	b.At = End
	b.SlowStep(transition, b.Graph().to(transition))
}

// loop returns the run around b whose current node is a loop, which b executes; nil: it executes something else.
func (b *Run) loop() *Run {
	if r := b.parent(); r != nil && r.Graph().node(r.here()).Most > 0 {
		return r
	}
	return nil
}

// Ended returns the error with which the parent's node fails, nil if the child run succeeded.
// A spent budget, used up steps or a stop ends the parent run too.
func (b *Run) Ended() error {
	if !b.over {
		b.endWith(b.path.last())
	}
	parent := b.parent()
	switch {
	case b.isPaused():
		parent.Pausing().awaitChild(b, nil)
		return errPaused
	case b.endsAll():
	case b.extra().err == nil:
		return nil
	case b.isStopped() && (parent.outermost().callerContext().Err() != nil || parent.isStopping()):
	default:
		return b.extra().err
	}
	parent.end(b.reason, b.extra().err)
	parent.withRelations().ended = true
	return errEnded
}

// endsAll reports whether the child run ended for a reason that also ends its parents.
func (b *Run) endsAll() bool {
	if b.reason == graphgen.Budget || b.reason == graphgen.MaxSteps || b.relations().ended {
		return true
	}
	err := b.extra().err
	if err == nil {
		return b.reason == graphgen.Stopped // a dry run
	}
	_, ruled := ownError[*graphgen.HookError](err)
	return ruled || endsRun(err)
}

// isStopped reports whether the run was cancelled or stopped, and not by its own nodes.
func (b *Run) isStopped() bool {
	switch b.extra().err.(type) {
	case *graphgen.CancelledError, *graphgen.StopError:
		return true
	}
	return false
}

// Join adds the record of a child run to that of its parent: its path, its usage and its
// failures. The generated code joins the state.
func (r *Run) Join(b *Run) {
	if b.parent() == nil || b.isPaused() {
		return // a branch that was not started, or a child run that goes on later
	}
	r.add(b)
	if r.parent() == nil {
		r.related.ledger = nil // its own counts are complete
	}
}

// add is Join for any child run.
func (r *Run) add(b *Run) {
	r.splice(b)
	if b.more != nil {
		b.extra().agent.closeNode()
		r.joinExtra(b.more)
		r.inherit(b)
	}
}

// joinExtra adds what a child run has used and reported.
func (r *Run) joinExtra(b *extra) {
	x := r.withExtra()
	if b.watch != nil && len(b.watch.timings) > 0 {
		w := r.watch()
		w.timings = grown(w.timings, len(b.watch.timings)-1)
		for i, took := range b.watch.timings {
			w.timings[i] += took
		}
	}
	if b.details != nil {
		x.details.join(b.details)
	}
	if b.agent != nil {
		r.Agent().join(b.agent)
	}
	if b.tally != nil {
		r.tally().join(b.tally)
	}
}

// splice adds the path of a child run after the step that it belongs to, with its details for the report.
func (r *Run) splice(b *Run) {
	rel, of := r.withRelations(), b.relations()
	rel.behind, rel.joined = rel.behind+b.path.steps(), true
	whole := b.path.isWhole() && !of.joined && of.saved == nil
	own := r.extra().details
	if own == nil {
		r.path.join(&b.path, r.settings, whole, nil)
		return
	}
	parent := own.current(&r.path)
	r.path.join(&b.path, r.settings, whole, func(number int) { own.splice(&r.path, r.settings, b.extra().details, number) })
	own.parent, own.joined = parent, r.path.n
}

// inherit copies the failures that the child run recovered from. The failure that ended the
// child is the cause of the parent's.
func (r *Run) inherit(b *Run) {
	failures := b.extra().Failures
	if last := len(failures) - 1; last >= 0 && b.endedWith(&failures[last]) {
		switch {
		case b.isStopped(): // to be cancelled is no failure
			failures = failures[:last]
		case r.relations().ended, b.relations().fork != nil && b.relations().fork.wasCut: // the parent's node has no failure of its own that would report it
		case b.relations().fork != nil && b.relations().fork.forgiven:
			failures[last].Soft = true
		default:
			failures = failures[:last]
		}
	}
	if len(failures) == 0 {
		return
	}
	x := r.withExtra()
	x.FailureState.inherit(failures)
}

// endedWith reports whether the last failure is the one that ended the run: it is its error, or the
// run was cancelled.
func (b *Run) endedWith(last *graphgen.Failure) bool {
	cancelled, ok := b.extra().err.(*graphgen.CancelledError)
	if !ok {
		return b.extra().err == error(last.Err)
	}
	return cancelled.Failure == last.Err || last.Soft && (errors.Is(last.Err, cancelled.Err) || errors.Is(last.Err, b.callerContext().Err()))
}

// Branches returns n generated runs for branches, each set by begin.
func Branches[R any](n int, begin func(*R)) []R {
	list := make([]R, n)
	for i := range list {
		begin(&list[i])
	}
	return list
}
