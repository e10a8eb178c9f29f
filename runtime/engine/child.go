package engine

import (
	"context"
	"errors"
	"slices"
)

// A composite node runs other nodes in a child run: a record of its own, of the same graph,
// which ends with the last of them. Generated code creates it (ChildOf, or Fork.Go), calls Begin
// with a transition, drives it like any run, and checks Ended. Join, or the Fork, adds its
// record to the record of the parent.

// errEnded is passed to Fail when a run is over and its end has been reported.
var errEnded = errors.New("the run is over")

// ChildOf makes b a child run of r on the same goroutine, for the nodes that the current node
// of r runs. ctx is the context of that node.
func (b *Run) ChildOf(ctx context.Context, r *Run, f *Frame) {
	r.path.requireSlowStep()
	b.attach(ctx, r, f)
	b.related.branch = r.related.branch
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
	b.related.root, b.related.parent, b.related.ledger = parent.related.root, parent, parent.related.share(&parent.path, parent.more.get().agent)
	b.path.around, b.path.base = &parent.path, parent.path.base+parent.path.steps()
	if parent.more.keepsDetails() {
		b.more.make().details = new(details)
	}
}

// Begin starts a child run with a transition to its first node. It also restarts a child run
// that has ended. One that has paused continues.
func (b *Run) Begin(transition TransitionID) {
	if t := b.settings.thread; t != nil && t.endUnloadable(b) {
		return
	}
	if b.ending.Paused() {
		b.Pausing().wake()
		return
	}
	b.ending.undo()
	if x := b.more.extra; x != nil {
		x.FailureState.begin()
		x.outcome, x.soft, x.Feedback, x.spent = succeeded, nil, nil, nil
		if x.watch != nil {
			x.watch.started = false
		}
	}
	b.path.renew()
	if t := b.settings.thread; t != nil {
		t.Begins(b, Boundary{By: transition, To: b.Graph().to(transition)}, b.related.loop())
	}
	b.At = End
	b.SlowStep(transition, b.Graph().to(transition))
}

// Ended returns the error with which the parent's node fails, nil if the child run succeeded.
// A spent budget for which the node has no edge, used up steps or a stop ends the parent run too.
func (b *Run) Ended() error {
	if !b.ending.over {
		b.ending.byTransition(b.path.last())
	}
	parent := b.related.parent
	switch {
	case b.ending.Paused():
		parent.Pausing().awaitChild(b, nil)
		return errPaused
	case b.ending.endsAll():
		if err := b.ending.handSpent(parent); err != nil {
			return err
		}
	case b.ending.err == nil:
		return nil
	case b.ending.isStopped() && (parent.related.root.context.Context.Err() != nil || parent.settings.isStopping()):
	default:
		return b.ending.err
	}
	parent.ending.set(b.ending.reason, b.ending.err)
	parent.ending.byChild = true
	return errEnded
}

// Join adds the record of a child run to the record of its parent: its path, its usage and its
// failures. The generated code joins the state.
func (r *Run) Join(b *Run) {
	if b.related.parent == nil || b.ending.Paused() {
		return // a branch that was not started, or a child run that goes on later
	}
	r.add(b)
	if r.related.parent == nil {
		r.related.ledger = nil // its own counts are complete
	}
}

// add is Join for any child run, also one that has paused. Its record is in this one from now on.
func (r *Run) add(b *Run) {
	if b.related.parent == nil {
		return
	}
	if b.ending.Paused() {
		b = b.Pauses().whole()
	}
	r.splice(b)
	of := b.more.extra
	if of == nil {
		return
	}
	if of.watch != nil {
		r.watch().join(of.watch)
	}
	if of.details != nil {
		r.more.details.join(of.details)
	}
	if of.agent != nil {
		of.agent.closeNode()
		r.Agent().join(of.agent)
	}
	if of.tally != nil {
		r.tally().join(of.tally)
	}
	if passed := b.ending.passedOn(); len(passed) > 0 {
		r.more.make().FailureState.inherit(passed)
	}
}

// splice adds the path of a child run after the step that it belongs to, with its details for the report.
func (r *Run) splice(b *Run) {
	r.path.behind, r.path.joined = r.path.behind+b.path.steps(), true
	whole := b.path.isWhole() && b.related.saved == nil
	own := r.more.get().details
	if own == nil {
		r.path.join(&b.path, r.settings, whole, nil)
		return
	}
	parent := own.current(&r.path)
	r.path.join(&b.path, r.settings, whole, func(number int) { own.splice(&r.path, r.settings, b.more.get().details, number) })
	own.parent, own.joined = parent, r.path.n
}

// whole returns the record of a paused run together with the records of the runs within it, for a report.
func (p *Pauses) whole() *Run {
	x := *p.run.more.extra
	x.Failures, x.tally = slices.Clone(x.Failures), x.tally.copied()
	x.details = x.details.copied()
	all := &Run{
		At: p.run.At, path: p.run.path.copied(), ending: p.run.ending, viewer: p.run.viewer, settings: p.run.settings, context: p.run.context,
		more: extras{&x}, related: p.run.related,
	}
	all.ending.run = all
	all.id.random.Store(p.run.id.random.Load())
	if x.watch != nil {
		x.watch = &watch{run: all, timings: slices.Clone(x.watch.timings)}
	}
	if x.agent != nil {
		a := *x.agent
		a.run, a.usages, a.prompts = all, slices.Clone(a.usages), slices.Clone(a.prompts)
		x.agent = &a
	}
	w := p.waiting
	at := w.at
	if x.changes != nil && x.changes.current != End {
		at = x.changes.current
	}
	switch {
	case w.fork != nil:
		for i := range w.fork.branches {
			all.add(w.fork.branches[i].run)
		}
	case w.child != nil && w.child.related.parent == nil: // of another machine
		w.child.settings.nesting.addReport(all, at, w.child.Report())
	case w.child != nil:
		all.add(w.child)
	case w.apart != nil:
		w.apart.nesting.addReport(all, at, w.apart.report)
	}
	return all
}

// Branches returns n generated runs for branches, each set by begin.
func Branches[R any](n int, begin func(*R)) []R {
	list := make([]R, n)
	for i := range list {
		begin(&list[i])
	}
	return list
}
