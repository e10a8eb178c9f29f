package engine

import (
	"github.com/graphgen/graphgen"
)

// An interrupt pauses a run between two nodes. Before a node, the transition to it is recorded, and its step has
// not begun: no event, hook or code has seen it. Behind a node, its step has ended, and the transition from it is
// chosen but not taken. So an interrupt is part of no step, and resuming repeats nothing.

// interrupt pauses the run at a boundary of the current node. It does not where the context has ended or a stop was
// requested: the run ends before its next node and, where there is none, behind this one, as no person has let it go on.
// It reports whether the run goes no further.
func (r *Run) interrupt(b Boundary) (halted bool) {
	side := "before"
	if b.After {
		side = "after"
	}
	at := r.here()
	name := r.Graph().NodeName(at)
	if t := r.settings.thread; t != nil && t.Decided(r.requestID(side)) != nil {
		return false
	}
	if r.callerContext().Err() != nil || r.stopping() {
		if b.To == End {
			r.refuse(at)
		}
		return r.over
	}
	r.waits().requests = []*request{{run: r, node: at, proceeds: true, Request: graphgen.Request{
		ID: r.requestID(side), Where: r.where(at), Within: r.settings.location(), Kind: graphgen.RequestInterrupt,
		Question: "The run has paused " + side + " " + name + ". Shall it continue?", Choices: []string{goesOn},
	}}}
	r.waits().boundary = &b
	r.emitRequest(r.waits().requests[0])
	r.suspend()
	return true
}

// goesOn is the answer to an interrupt.
const goesOn = "continue"

// crosses continues a run that paused between two nodes.
func (r *Run) crosses() {
	b, answered := *r.more.waiting.boundary, r.more.answered
	r.more.waiting, r.more.answered = nil, false
	next := halts
	switch {
	// Another process was here, or the request is withdrawn.
	case b.After && !answered && r.settings.interruptsAfter(r.Graph().node(r.here())) && r.interrupt(b):
	case b.After:
		next = r.advance(b.By, b.To)
	case r.callerContext().Err() != nil || r.stopping():
		r.retract()
		r.refuse(b.To)
	default:
		next = r.startStep(b.To)
	}
	switch next {
	case halts:
		r.At = End
	case passes:
		r.Fail(ErrVisitsExhausted)
	default:
		r.enterCode()
	}
}
