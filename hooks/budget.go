package hooks

import (
	"slices"
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// A Budget bounds what models and tools may do in several runs together, such as the runs of a tenant. It may be
// given to any number of runs of any machines, at the same time.
//
// Calls of models and tools are reserved before they are made: there are never more than the bounds. The tokens
// and the cost of a call are known only after it, so that runs at the same time may exceed them by the calls that
// are under way. A run that finds the budget spent takes the on: budget edge of its node, or ends, with the reason budget and a graphgen.LimitError. Calls
// whose answers or results a thread has saved were counted when they were made, and are not counted again when a run continues.
type Budget struct {
	mu      sync.Mutex
	limits  graphgen.Budgets
	used    graphgen.Budgets
	models  int // calls that are reserved
	tools   int // calls that are reserved
	refused int
}

// NewBudget returns a budget of which nothing is used.
func NewBudget(limits graphgen.Budgets) *Budget { return &Budget{limits: limits} }

// Option lets a run use the budget, besides the budgets of the spec and of graphgen.WithBudgets. A run that has it
// several times, and its child runs, use it once.
func (b *Budget) Option() graphgen.Option {
	switch {
	case b == nil:
		return graphgen.Invalid("hooks.Budget.Option", "the budget is nil: leave it out")
	case b.limits.Cost != b.limits.Cost:
		return graphgen.Invalid("hooks.Budget.Option", "Cost is not a number: leave it out for no bound")
	}
	return limit(func(l *origin.Limits) {
		l.Ledgers = append(slices.Clip(l.Ledgers), (*ledger)(b))
	})
}

// Used returns what the runs have used so far, without calls that are under way.
func (b *Budget) Used() graphgen.Budgets {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Count counts what is used elsewhere, such as by runs of other processes.
func (b *Budget) Count(used graphgen.Budgets) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.Tokens += used.Tokens
	b.used.Cost += used.Cost
	b.used.ModelCalls += used.ModelCalls
	b.used.ToolCalls += used.ToolCalls
}

// Refused returns how often a run found the budget spent.
func (b *Budget) Refused() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// Add raises the bounds that there are, for the runs that follow and those under way.
func (b *Budget) Add(more graphgen.Budgets) {
	b.mu.Lock()
	defer b.mu.Unlock()
	raise(&b.limits.Tokens, more.Tokens)
	raise(&b.limits.Cost, more.Cost)
	raise(&b.limits.ModelCalls, more.ModelCalls)
	raise(&b.limits.ToolCalls, more.ToolCalls)
}

func raise[N int | float64](limit *N, more N) {
	if *limit != 0 {
		*limit += more
	}
}

// A ledger is a Budget as the engine uses it.
type ledger Budget

// Ask reserves a call of a model.
func (l *ledger) Ask() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch made := l.used.ModelCalls + l.models; {
	case l.limits.ModelCalls != 0 && made >= l.limits.ModelCalls:
		return l.refuse("model calls", float64(l.limits.ModelCalls), float64(made))
	case l.limits.Tokens != 0 && l.used.Tokens >= l.limits.Tokens:
		return l.refuse("tokens", float64(l.limits.Tokens), float64(l.used.Tokens))
	case l.limits.Cost != 0 && l.used.Cost >= l.limits.Cost:
		return l.refuse("US dollars", l.limits.Cost, l.used.Cost)
	}
	l.models++
	return nil
}

// AskPaid reserves a call of a model that was made, whether or not one is left.
func (l *ledger) AskPaid() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.models++
}

// refuse returns the error of a bound. The lock is held.
func (l *ledger) refuse(what string, limit, used float64) error {
	l.refused++
	return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: what, Max: limit, Used: used}
}

// Asked counts a reserved call of a model.
func (l *ledger) Asked(u chat.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.models--
	l.used.ModelCalls++
	l.used.Tokens += u.Tokens()
	l.used.Cost += u.Cost
}

// GiveBack releases a reserved call of a model that was not made.
func (l *ledger) GiveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.models--
}

// Hold reserves calls of tools.
func (l *ledger) Hold(calls int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	made := l.used.ToolCalls + l.tools
	if l.limits.ToolCalls != 0 && made+calls > l.limits.ToolCalls {
		return l.refuse("tool calls", float64(l.limits.ToolCalls), float64(made))
	}
	l.tools += calls
	return nil
}

// Called counts the calls that were made, of the reserved calls of tools.
func (l *ledger) Called(held, made int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tools -= held
	l.used.ToolCalls += made
}

// Priced reports whether money is bounded: then models without a price are refused.
func (l *ledger) Priced() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limits.Cost != 0
}
