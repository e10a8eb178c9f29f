package engine

import (
	"github.com/graphgen/graphgen"
)

// An interrupt pauses a run between two nodes. Before a node, the transition to it is recorded, and its step has
// not begun: no event, hook or code has seen it. After a node, its step has ended, and the transition from it is
// chosen but not taken. So an interrupt is part of no step, and resuming repeats nothing.

// interrupt pauses the run at a boundary of the current node. It does not where the context has ended or a stop was
// requested: the run ends before its next node or, without one, after this node, as no person has let it continue.
// It reports whether the run stops here.
func (p *Pauses) interrupt(b Boundary) (halted bool) {
	side := "before"
	if b.After {
		side = "after"
	}
	at := p.run.here()
	name := p.run.Graph().NodeName(at)
	if t := p.run.settings.thread; t != nil && t.Decided(p.requestID(side)) != nil {
		return false
	}
	if p.run.context.Context.Err() != nil || p.run.settings.isStopping() {
		if b.To == End {
			p.run.ending.beforeNode(at)
		}
		return p.run.ending.over
	}
	w := p.wait()
	w.requests, w.boundary = nil, &b
	p.add(&request{run: p.run, node: at, continues: true, Request: graphgen.Request{
		ID: p.requestID(side), Where: p.run.where(at), Within: p.run.settings.location(), Kind: graphgen.RequestInterrupt,
		Question: "The run has paused " + side + " " + name + ". Shall it continue?", Choices: []string{continueWord},
	}})
	p.suspend()
	return true
}

// goesOn is the answer to an interrupt.
const continueWord = "continue"
