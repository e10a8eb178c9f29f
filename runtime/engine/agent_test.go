package engine_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
)

// asker makes calls of models and tools as a node does, for as long as the budget lasts, but
// 9 times at most.
func asker(calls *int, usage chat.Usage) *counter {
	return newCounter(20, func(ctx context.Context, n *int) (bool, error) {
		r := engine.RunOf(ctx)
		if err := r.Agent().ReserveCall(false); err != nil {
			return false, err
		}
		used := usage
		r.Agent().CountCall(&used, false)
		if err := r.Agent().ReserveTools(1, 0); err != nil {
			return false, err
		}
		r.Agent().CountTools(graphgen.ToolCount{Made: 1}, 0)
		*calls++
		return *calls < 9, nil
	})
}

func TestABudgetEndsTheRun(t *testing.T) {
	const million = 1_000_000
	for _, c := range []struct {
		name   string
		budget graphgen.Budgets
		usage  chat.Usage
		calls  int
	}{
		{"when the tokens are spent", graphgen.Budgets{Tokens: 25}, chat.Usage{Input: 10}, 3},
		{"when the money is spent", graphgen.Budgets{Cost: 0.5}, chat.Usage{Cost: 0.25}, 2},
		{"at once where nothing is left of the tokens", graphgen.Budgets{Tokens: -1}, chat.Usage{}, 0},
		{"at once where more money was spent before than there was", graphgen.Budgets{Cost: -0.01}, chat.Usage{}, 0},
		{"at once where no model call is left", graphgen.Budgets{ModelCalls: -1}, chat.Usage{}, 0},
		{"at once where no tool call is left", graphgen.Budgets{ToolCalls: -1}, chat.Usage{}, 0},
		{"though a provider counts below zero", graphgen.Budgets{Tokens: 25}, chat.Usage{Input: -million, Output: 10}, 3},
		{"though a provider counts beyond all numbers", graphgen.Budgets{Tokens: 25}, chat.Usage{Input: math.MaxInt, Output: math.MaxInt}, 1},
		{"though what one call costs is no number", graphgen.Budgets{Cost: 0.5, ModelCalls: 4}, chat.Usage{Cost: math.NaN()}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			_, err := asker(&calls, c.usage).Run(t.Context(),
				graphgen.WithBudgets(graphgen.Budgets{Tokens: 1 << 50, Cost: 1e9, ModelCalls: 9, ToolCalls: 9}), graphgen.WithBudgets(c.budget))
			var run *graphgen.RunError
			if !errors.As(err, &run) || run.Reason != graphgen.Budget || calls != c.calls {
				t.Errorf("%d calls were made, want %d; the run gave %v", calls, c.calls, err)
			}
		})
	}
}

func TestChildRunBudgetError(t *testing.T) {
	inner := 0
	m := newCounter(20, func(ctx context.Context, n *int) (bool, error) {
		if *n++; *n > 1 {
			return false, nil
		}
		_, err := asker(&inner, chat.Usage{Input: 10}).Run(ctx, graphgen.WithBudgets(graphgen.Budgets{Tokens: 5}))
		return false, err
	})
	if n, err := m.Run(t.Context(), graphgen.WithBudgets(graphgen.Budgets{Tokens: 100})); err != nil || n != 2 {
		t.Errorf("the node ran %d times, and the run gave %v: its error edge leads on", n, err)
	}
}

func TestBudgetIsNotRetried(t *testing.T) {
	calls := 0
	m := asker(&calls, chat.Usage{})
	m.policy = engine.Policy{Attempts: 3, RetryAny: true}
	var report graphgen.Report
	_, err := m.Run(t.Context(), graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 2}), graphgen.WithReport(&report))
	if report.Reason != graphgen.Budget || report.Retries != 0 {
		t.Errorf("the run tried again %d times, and gave %v", report.Retries, err)
	}
}
