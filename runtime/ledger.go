package graphrt

import (
	"sync"
	"sync/atomic"

	"github.com/graphgen/graphgen/runtime/chat"
)

// A purse is a ledger: it counts the steps, tokens and calls used by a run and its child runs.
// Concurrent branches share it, so they reserve what a bound still allows before they use it.
type purse struct {
	steps      atomic.Int64 // every step takes one: no lock for that
	mu         sync.Mutex   // of what follows
	usage      chat.Usage
	modelCalls int
	toolCalls  int
}

// share returns the ledger for the child runs of this run.
func (r *Run) share() *purse {
	if r.purse == nil {
		r.purse = &purse{usage: r.usage, modelCalls: r.modelCalls, toolCalls: r.tools.Made}
		r.purse.steps.Store(int64(r.made()))
	}
	return r.purse
}

// mayStep reserves a step, and reports whether one was left.
func (r *Run) mayStep() bool {
	if r.host == nil {
		return r.made() < r.graph.MaxSteps
	}
	for {
		made := r.purse.steps.Load()
		if made >= int64(r.graph.MaxSteps) {
			return false
		}
		if r.purse.steps.CompareAndSwap(made, made+1) {
			return true
		}
	}
}

// retract takes the last step back: its node was reached but must not run.
func (r *Run) retract() {
	r.takeBack()
	if r.host != nil {
		r.purse.steps.Add(-1)
	}
}

// ask reserves a model call, or returns the error that none is left.
func (p *purse) ask(b *Budgets) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := mayAsk(b, p.modelCalls, &p.usage); err != nil {
		return err
	}
	p.modelCalls++
	return nil
}

// giveBack releases a reserved model call.
func (p *purse) giveBack() {
	p.mu.Lock()
	p.modelCalls--
	p.mu.Unlock()
}

// spend adds the usage of a model call.
func (p *purse) spend(u chat.Usage) {
	p.mu.Lock()
	p.usage = p.usage.Add(u)
	p.mu.Unlock()
}

// hold reserves the tool calls of a turn, or returns the error that they are too many.
func (r *Run) hold(calls int) error {
	err := r.purse.hold(&r.Budgets, calls)
	if err == nil {
		r.held += calls
	}
	return err
}

func (p *purse) hold(b *Budgets, calls int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := mayCall(b, p.toolCalls, calls); err != nil {
		return err
	}
	p.toolCalls += calls
	return nil
}

// release releases the calls that the turn has reserved and not used.
func (r *Run) release(made int) {
	r.purse.mu.Lock()
	r.purse.toolCalls += made - r.held
	r.purse.mu.Unlock()
	r.held = 0
}
