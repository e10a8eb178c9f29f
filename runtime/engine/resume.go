package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
)

// Begin begins the run of a generated run, or returns the one for which the run around it waits. invalid is why the input is invalid.
func Begin[R any](ctx context.Context, of *R, r *Run, g *Graph, f *Frame, machine *Options, call []graphgen.RunOption, invalid error) (*R, error) {
	if len(call) == 1 {
		if c, ok := call[0].(*continued); ok {
			return any(c.within.Pausing().continueNested(ctx)).(*R), nil
		}
	}
	if invalid != nil {
		r.Refuse(ctx, g, f, machine, call, invalid)
	} else {
		r.Start(ctx, g, f, machine, call)
	}
	return of, nil
}

// continueNested prepares the run of another machine with which the current node of r continues, and returns its generated run. ctx is the context
// of the node.
func (p *Pauses) continueNested(ctx context.Context) any {
	b := p.waiting.child
	p.waiting = nil
	n := b.settings.nesting
	n.watched, n.observed = p.run.settings.isWatched(), p.run.settings.Observed()
	b.settings = b.settings.inherited(p.run.settings)
	n.given = len(p.run.settings.given)
	b.Pausing().resume(ctx)
	return b.viewer
}

// wake continues a child run after a pause, in a context that it was given before.
func (p *Pauses) wake() {
	p.run.settings = p.run.related.parent.settings
	if p.run.related.parent.more.keepsDetails() && !p.run.more.keepsDetails() {
		p.run.more.details = &details{step: p.run.path.n - 1}
	}
	p.restore()
	p.proceed()
}

// restore makes the node current at which the run paused.
func (p *Pauses) restore() {
	r := p.run
	r.ending.undo()
	r.At, r.polls, p.waiting.roused = p.waiting.at, false, false
	p.clock.stop(r.settings)
}

// proceed prepares the step that continues after a pause. If it has child runs, hooks wrap it again.
func (p *Pauses) proceed() {
	x := p.run.more
	if p.waiting.boundary != nil {
		if p.run.settings.isWatched() {
			p.run.watch().clock = time.Time{}
		}
		p.crossBoundary()
		return
	}
	if p.run.settings.isWatched() {
		w := p.run.watch()
		w.clock = time.Time{}
		now := w.now()
		if w.started = true; w.begun.IsZero() {
			w.begun = now
			p.clock.beginStep()
		}
		if (p.waiting.within() || p.waiting.apart != nil) && p.run.settings.isGoverned() {
			at := p.run.here()
			e := w.stepEvent(graphgen.NodeStart, now, p.run.Graph().node(at), p.run.path.Step(), p.run.path.visit(at))
			if w.wrapStep(at, &e); x.wrap != nil {
				x.wrap.holdBack()
			}
		}
	}
	p.run.path.requireSlowStep() // what the step has had before the pause is undone at its end
}

// crossBoundary continues a run that paused between two nodes.
func (p *Pauses) crossBoundary() {
	b, answered := *p.waiting.boundary, p.answered
	p.waiting, p.answered = nil, false
	next := halts
	switch {
	// Another process was here, or the request is withdrawn.
	case b.After && !answered && p.run.settings.interruptsAfter(p.run.Graph().node(p.run.here())) && p.interrupt(b):
	case b.After:
		next = p.run.advance(b.By, b.To)
	case p.run.context.Context.Err() != nil || p.run.settings.isStopping():
		p.run.related.takeBackStep(&p.run.path)
		p.run.ending.beforeNode(b.To)
	default:
		next = p.run.startStep(b.To)
	}
	switch next {
	case halts:
		p.run.At = End
	case passes:
		p.run.Fail(ErrVisitsExhausted)
	default:
		p.run.enterCode()
	}
}

// FinishBy is Finish of a machine whose runs may pause.
func FinishBy[Out any](r *Run, machine any, out Out) (Out, error) {
	if p := r.Pauses(); p != nil {
		if p.settle(machine) {
			defer p.endTurn()
		}
	}
	return Finish(r, out)
}

// settle makes the pause of a run that waits lead to the machine. It reports whether it is the first one: then the call has the turn, which endTurn
// gives back, as observers get the pause before the call has ended, and may have another goroutine answer it.
func (p *Pauses) settle(machine any) (first bool) {
	first = p.pause == nil
	if p.pause != nil {
		p.pause.settled = true
	}
	switch {
	case !p.run.ending.Paused():
	case p.run.settings.nesting != nil: // the run around this one waits for the answers
		p.run.settings.nesting.run.Pausing().awaitChild(p.run, nil)
	default:
		p.run.ending.err = p.interrupted(machine)
		p.pause.state = p.run.stateView()
		return first
	}
	return false
}

func (p *Pauses) endTurn() { <-p.pause.turn }

// resume continues a run of a machine at the node at which it paused.
func (p *Pauses) resume(ctx context.Context) {
	p.restore()
	p.run.context = &runContext{run: p.run} // code that kept the one before sees its end
	p.run.context.Context = p.run.more.deadline.begin(ctx, p.run)
	newDetails(p.run)
	if p.run.settings.isWatched() {
		p.run.watch().resumeCall()
		p.run.watch().openRun(true)
	}
	p.proceed()
}

// A continued is the option of a call that continues the run of a machine for which another run waits.
type continued struct {
	option.ForRun[optionset.Settings]
	within *Run
}

// Kept returns the generated run of the child run with which the current node continues after a pause, nil if it
// has none. ctx is the context of the node.
func (p *Pauses) Kept(ctx context.Context) any {
	if p.awaited() == nil || p.waiting.child == nil {
		return nil
	}
	b := p.waiting.child
	p.waiting = nil
	b.context = &runContext{Context: ctx, run: b}
	return b.viewer
}

// Nests reports whether the current node continues after a pause with a run of another machine.
func (p *Pauses) Nests() bool {
	w := p.awaited()
	return w != nil && w.child != nil
}

// Unnest returns the option with which the method Run of another machine continues the run for which the current node waits.
func (p *Pauses) Unnest() graphgen.RunOption { return &continued{within: p.run} }
