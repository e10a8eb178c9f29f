package hooks

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// TestLedgerIsExact holds that any number of goroutines get exactly the calls that the bounds allow, however many of the
// reserved ones are given back.
func TestLedgerIsExact(t *testing.T) {
	const models, tools = 500, 300
	b := NewBudget(graphgen.Budgets{ModelCalls: models, ToolCalls: tools})
	l := (*ledger)(b)
	var wait sync.WaitGroup
	var made, called atomic.Int64
	for range 1000 {
		wait.Go(func() {
			for range 3 {
				if l.Ask() != nil {
					break
				}
				if rand.N(2) == 0 {
					l.GiveBack()
					continue
				}
				l.Asked(chat.Usage{Input: 2, Output: 1, Cost: 0.5})
				made.Add(1)
			}
			if calls := rand.N(3) + 1; l.Hold(calls) == nil {
				used := rand.N(calls + 1)
				l.Called(calls, used)
				called.Add(int64(used))
			}
		})
	}
	wait.Wait()
	for l.Ask() == nil {
		l.Asked(chat.Usage{Input: 2, Output: 1, Cost: 0.5})
		made.Add(1)
	}
	for l.Hold(1) == nil {
		l.Called(1, 1)
		called.Add(1)
	}
	used := b.Used()
	if made.Load() != models || called.Load() != tools || used != (graphgen.Budgets{ModelCalls: models, ToolCalls: tools,
		Tokens: 3 * models, Cost: 0.5 * models}) {
		t.Errorf("%d and %d calls were made, %+v are used", made.Load(), called.Load(), used)
	}
	if l.models != 0 || l.tools != 0 {
		t.Errorf("%d and %d calls are reserved", l.models, l.tools)
	}
}

// TestLedgerRefuses holds which bound refuses a call, with its error, and that Add raises only the bounds that there are.
func TestLedgerRefuses(t *testing.T) {
	ask := func(l *ledger) error { return l.Ask() }
	hold := func(l *ledger) error { return l.Hold(2) }
	for name, c := range map[string]struct {
		limits graphgen.Budgets
		call   func(*ledger) error
		want   graphgen.LimitError
	}{
		"model calls":     {graphgen.Budgets{ModelCalls: 2}, ask, graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "model calls", Max: 2, Used: 2}},
		"tokens":          {graphgen.Budgets{Tokens: 6}, ask, graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 6, Used: 6}},
		"tokens, by more": {graphgen.Budgets{Tokens: 5}, ask, graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 5, Used: 6}},
		"money":           {graphgen.Budgets{Cost: 1}, ask, graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "US dollars", Max: 1, Used: 1}},
		"tool calls":      {graphgen.Budgets{ToolCalls: 5}, hold, graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tool calls", Max: 5, Used: 4}},
	} {
		b := NewBudget(c.limits)
		l := (*ledger)(b)
		for range 2 {
			if err := errors.Join(l.Ask(), l.Hold(2)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			l.Asked(chat.Usage{Input: 2, Output: 1, Cost: 0.5})
			l.Called(2, 2)
		}
		err, ok := errors.AsType[*graphgen.LimitError](c.call(l))
		if !ok || *err != c.want || b.Refused() != 1 {
			t.Errorf("%s: %+v, refused %d times", name, err, b.Refused())
		}
		if l.Priced() != (c.limits.Cost != 0) {
			t.Errorf("%s: priced is %t", name, l.Priced())
		}
		b.Add(graphgen.Budgets{ModelCalls: 10, Tokens: 10, Cost: 10, ToolCalls: 10})
		if err := c.call(l); err != nil {
			t.Errorf("%s: after Add: %v", name, err)
		}
		if c.limits.Cost == 0 && b.limits.Cost != 0 || c.limits.ToolCalls == 0 && b.limits.ToolCalls != 0 {
			t.Errorf("%s: Add made a bound: %+v", name, b.limits)
		}
	}
}

// TestLimitsOfOptions holds that options add to the limits of a run, and change none that another run has.
func TestLimitsOfOptions(t *testing.T) {
	var machine, first, second optionset.Settings
	a, b := NewBudget(graphgen.Budgets{}), NewBudget(graphgen.Budgets{})
	option.Set(&machine, a.Option())
	option.Set(&machine, MaxSteps(7))
	first, second = machine, machine
	option.Set(&first, b.Option())
	option.Set(&first, MaxSteps(9))
	option.Set(&second, MaxSteps(3))
	option.Set(&second, MaxSteps(0))
	option.Set(&second, MaxSteps(-1))
	for name, c := range map[string]struct {
		limits  *origin.Limits
		ledgers int
		most    int
	}{"the machine": {machine.Limits, 1, 7}, "one run": {first.Limits, 2, 7}, "another run": {second.Limits, 1, 3}} {
		if len(c.limits.Ledgers) != c.ledgers || c.limits.MaxSteps != c.most {
			t.Errorf("%s has %+v", name, c.limits)
		}
	}
}
