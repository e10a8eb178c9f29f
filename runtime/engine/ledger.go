package engine

import (
	"sync"
	"sync/atomic"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// A ledger counts the steps, tokens and calls used by a run and its child runs.
// Concurrent branches share it, so they reserve what a bound still allows before they use it.
type ledger struct {
	steps      atomic.Int64 // every step takes one: no lock for that
	mu         sync.Mutex   // of what follows
	usage      chat.Usage
	modelCalls int
	toolCalls  int
}

// share returns the ledger for the child runs of the run with these relations. It begins with what the path and the agent of the run have used.
func (rel *relations) share(p *Path, a *Agent) *ledger {
	if rel.ledger == nil {
		rel.ledger = new(ledger)
		if a != nil {
			rel.ledger.usage, rel.ledger.modelCalls, rel.ledger.toolCalls = a.usage, a.modelCalls, a.tools.Made
		}
		rel.ledger.steps.Store(int64(p.steps()))
	}
	return rel.ledger
}

// reserveStep reserves a step, and reports whether one was left.
func (l *ledger) reserveStep(most int) bool {
	for {
		made := l.steps.Load()
		if made >= int64(most) {
			return false
		}
		if l.steps.CompareAndSwap(made, made+1) {
			return true
		}
	}
}

// takeBackStep takes the last step of the path back, of the run with these relations: its node was reached but must not run.
func (rel *relations) takeBackStep(p *Path) {
	p.takeBack()
	if rel.parent != nil {
		rel.ledger.steps.Add(-1)
	}
}

// reserveCall reserves a model call, or returns the error that none is left.
func (p *ledger) reserveCall(b *graphgen.Budgets) error {
	p.mu.Lock()
	err := mayAsk(b, p.modelCalls, &p.usage)
	if err == nil {
		p.modelCalls++
	}
	p.mu.Unlock()
	return err
}

// holdCall reserves a model call that was made, whether or not one is left.
func (p *ledger) holdCall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modelCalls++
}

// releaseCall releases a reserved model call.
func (p *ledger) releaseCall() {
	p.mu.Lock()
	p.modelCalls--
	p.mu.Unlock()
}

// addUsage adds the usage of a model call.
func (p *ledger) addUsage(u chat.Usage) {
	p.mu.Lock()
	p.usage = p.usage.Add(u)
	p.mu.Unlock()
}

func (p *ledger) reserveTools(b *graphgen.Budgets, calls int) error {
	p.mu.Lock()
	err := mayCall(b, p.toolCalls, calls)
	if err == nil {
		p.toolCalls += calls
	}
	p.mu.Unlock()
	return err
}

// mayAsk returns an error when what was used of a budget leaves no call of a model.
func mayAsk(b *graphgen.Budgets, calls int, used *chat.Usage) error {
	switch {
	case b.ModelCalls != 0 && calls >= b.ModelCalls:
		return overspent("model calls", float64(b.ModelCalls), float64(calls))
	case b.Tokens != 0 && used.Tokens() >= b.Tokens:
		return overspent("tokens", float64(b.Tokens), float64(used.Tokens()))
	case b.Cost != 0 && used.Cost >= b.Cost:
		return overspent("US dollars", b.Cost, used.Cost)
	}
	return nil
}

// mayCall returns an error when fewer than calls tool calls are left of a budget.
func mayCall(b *graphgen.Budgets, made, calls int) error {
	if most := b.ToolCalls; most != 0 && made+calls > most {
		return overspent("tool calls", float64(most), float64(made))
	}
	return nil
}

// overspent returns the error of a budget, of which more is used than it has.
func overspent(of string, most, used float64) error {
	return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: of, Max: most, Used: used}
}
