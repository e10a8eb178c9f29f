package engine

import (
	"sync"
	"sync/atomic"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/incomparable"
)

// A ledger counts the steps, tokens and calls used by a run and its child runs.
// Concurrent branches share it, so they reserve what a bound still allows before they use it.
type ledger struct {
	_ incomparable.Struct

	steps      atomic.Int64 // every step takes one: no lock for that
	mu         sync.Mutex   // of what follows
	usage      chat.Usage
	modelCalls int
	toolCalls  int
}

// share returns the ledger for the child runs of this run.
func (r *Run) share() *ledger {
	own := r.related
	if own != nil && own.ledger != nil {
		return own.ledger
	}
	var l *ledger
	if own == nil {
		both := new(struct {
			relations
			ledger
		})
		r.related, l = &both.relations, &both.ledger
	} else {
		l = new(ledger)
	}
	if a := r.extra().agent; a != nil {
		l.usage, l.modelCalls, l.toolCalls = a.usage, a.modelCalls, a.tools.Made
	}
	l.steps.Store(int64(r.path.steps()))
	r.related.ledger = l
	return l
}

// mayStep reserves a step, and reports whether one was left.
func (r *Run) mayStep() bool {
	if r.parent() == nil {
		return r.path.steps() < r.settings.maxSteps(r.Graph())
	}
	steps := &r.relations().ledger.steps
	for {
		made := steps.Load()
		if made >= int64(r.settings.maxSteps(r.Graph())) {
			return false
		}
		if steps.CompareAndSwap(made, made+1) {
			return true
		}
	}
}

// retract takes the last step back: its node was reached but must not run.
func (r *Run) retract() {
	r.tail = r.path.takeBack()
	if r.parent() != nil {
		r.relations().ledger.steps.Add(-1)
	}
}

// ask reserves a model call, or returns the error that none is left.
func (p *ledger) ask(b *graphgen.Budgets) error {
	p.mu.Lock()
	err := mayAsk(b, p.modelCalls, &p.usage)
	if err == nil {
		p.modelCalls++
	}
	p.mu.Unlock()
	return err
}

// giveBack releases a reserved model call.
func (p *ledger) giveBack() {
	p.mu.Lock()
	p.modelCalls--
	p.mu.Unlock()
}

// spend adds the usage of a model call.
func (p *ledger) spend(u chat.Usage) {
	p.mu.Lock()
	p.usage = p.usage.Add(u)
	p.mu.Unlock()
}

// holdTools reserves the tool calls of a turn, or returns the error that they are too many.
func (a *Agent) holdTools(calls int) error {
	err := a.run.relations().ledger.hold(&a.run.settings.Budgets, calls)
	if err == nil {
		a.held += calls
	}
	return err
}

func (p *ledger) hold(b *graphgen.Budgets, calls int) error {
	p.mu.Lock()
	err := mayCall(b, p.toolCalls, calls)
	if err == nil {
		p.toolCalls += calls
	}
	p.mu.Unlock()
	return err
}

// releaseTools releases the calls that the turn has reserved and not used.
func (a *Agent) releaseTools(made int) {
	l := a.run.relations().ledger
	l.mu.Lock()
	l.toolCalls += made - a.held
	l.mu.Unlock()
	a.held = 0
}
