package engine_test

import (
	"context"
	"errors"
	"math"
	"testing"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/internal/engine"
)

// asker makes calls of models and tools as a node does, for as long as the budget lasts, but
// 9 times at most.
func asker(calls *int, usage chat.Usage) *counter {
	return newCounter(20, func(ctx context.Context, n *int) (bool, error) {
		r := engine.RunOf(ctx)
		if err := r.Asking(); err != nil {
			return false, err
		}
		used := usage
		r.Asked(&used)
		if err := r.Calling(1); err != nil {
			return false, err
		}
		r.Called(graphrt.ToolCount{Made: 1})
		*calls++
		return *calls < 9, nil
	})
}

func TestABudgetEndsTheRun(t *testing.T) {
	const million = 1_000_000
	for _, c := range []struct {
		name   string
		budget graphrt.Budgets
		usage  chat.Usage
		calls  int
	}{
		{"when the tokens are spent", graphrt.Budgets{Tokens: 25}, chat.Usage{Input: 10}, 3},
		{"when the money is spent", graphrt.Budgets{Cost: 0.5}, chat.Usage{Cost: 0.25}, 2},
		{"at once where nothing is left of the tokens", graphrt.Budgets{Tokens: -1}, chat.Usage{}, 0},
		{"at once where more money was spent before than there was", graphrt.Budgets{Cost: -0.01}, chat.Usage{}, 0},
		{"at once where no model call is left", graphrt.Budgets{ModelCalls: -1}, chat.Usage{}, 0},
		{"at once where no tool call is left", graphrt.Budgets{ToolCalls: -1}, chat.Usage{}, 0},
		{"though a provider counts below zero", graphrt.Budgets{Tokens: 25}, chat.Usage{Input: -million, Output: 10}, 3},
		{"though a provider counts beyond all numbers", graphrt.Budgets{Tokens: 25}, chat.Usage{Input: math.MaxInt, Output: math.MaxInt}, 1},
		{"though what one call costs is no number", graphrt.Budgets{Cost: 0.5, ModelCalls: 4}, chat.Usage{Cost: math.NaN()}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			_, err := asker(&calls, c.usage).Run(t.Context(),
				graphrt.WithBudgets(graphrt.Budgets{Tokens: 1 << 50, Cost: 1e9, ModelCalls: 9, ToolCalls: 9}), graphrt.WithBudgets(c.budget))
			var run *graphrt.RunError
			if !errors.As(err, &run) || run.Reason != graphrt.Budget || calls != c.calls {
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
		_, err := asker(&inner, chat.Usage{Input: 10}).Run(ctx, graphrt.WithBudgets(graphrt.Budgets{Tokens: 5}))
		return false, err
	})
	if n, err := m.Run(t.Context(), graphrt.WithBudgets(graphrt.Budgets{Tokens: 100})); err != nil || n != 2 {
		t.Errorf("the node ran %d times, and the run gave %v: its error edge leads on", n, err)
	}
}

func TestBudgetIsNotRetried(t *testing.T) {
	calls := 0
	m := asker(&calls, chat.Usage{})
	m.policy = engine.Policy{Attempts: 3, RetryAny: true}
	var report graphrt.Report
	_, err := m.Run(t.Context(), graphrt.WithBudgets(graphrt.Budgets{ModelCalls: 2}), graphrt.WithReport(&report))
	if report.Reason != graphrt.Budget || report.Retries != 0 {
		t.Errorf("the run tried again %d times, and gave %v", report.Retries, err)
	}
}
