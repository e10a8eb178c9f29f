package golden_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/hooks"
	"github.com/graphgen/graphgen/thread"
)

// savedTools returns how many results of tools a thread has saved.
func savedTools[M, In, Out, State any](t *testing.T, th thread.Thread[M, In, Out, State]) (calls int) {
	t.Helper()
	for step, err := range th.History(t.Context(), 0) {
		if _, none := errors.AsType[*thread.NotFoundError](err); none {
			return 0
		} else if err != nil {
			t.Fatal(err)
		}
		for _, c := range step.Calls {
			if strings.HasPrefix(c.Key, "tool.") {
				calls++
			}
		}
	}
	return calls
}

// TestKilledBudgets holds that a run which is killed at any of its appends ends within budgets that have exactly the calls of tools that it needs: in
// each process, a shared budget counts the calls that are saved, and a run that continues makes the others.
func TestKilledBudgets(t *testing.T) {
	// A maker returns the machine of a process, and how many results of tools its thread has saved.
	type maker func(t *testing.T, kept thread.Option, opts ...graphgen.CallOption) (survivor, int)
	turn, desk := lookUps(2), clerkModel{new(ledger)}
	clerkOf := func(t *testing.T, model chat.Model, opts []thread.Option) *durable.Clerk {
		m, err := durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	clerk := func(model chat.Model, own ...thread.Option) maker {
		return func(t *testing.T, kept thread.Option, opts ...graphgen.CallOption) (survivor, int) {
			th := clerkOf(t, model, append(slices.Clip(own), kept)).Thread("t")
			return survivorOf(th, durable.ClerkInput{Message: "otters"}, opts...), savedTools(t, th)
		}
	}
	office := func(model chat.Model, own ...thread.Option) maker {
		return func(t *testing.T, kept thread.Option, opts ...graphgen.CallOption) (survivor, int) {
			m, err := durable.NewOffice(officeWork{new(ledger)}, clerkOf(t, model, own), kept)
			if err != nil {
				t.Fatal(err)
			}
			return survivorOf(m.Thread("t"), durable.OfficeInput{Messages: []string{"otters"}}, opts...), savedTools(t, m.Thread("t"))
		}
	}
	bounds := func(calls int) graphgen.Option { return graphgen.WithBudgets(graphgen.Budgets{ToolCalls: calls}) }
	for _, c := range []struct {
		name  string
		make  maker
		opts  []graphgen.CallOption
		calls int
	}{
		{"the calls of a turn", clerk(turn), nil, 2},
		{"the calls of a turn, and a budget of the run", clerk(turn), []graphgen.CallOption{bounds(2)}, 2},
		{"calls that wait", clerk(desk), nil, 4},
		{"calls that wait, and a budget of the machine", clerk(desk, bounds(4)), nil, 4},
		{"the calls of a child run", office(turn), nil, 2},
		{"the calls of a child run, and budgets of both runs", office(turn, bounds(2)), []graphgen.CallOption{bounds(2)}, 2},
		{"calls of a child run that wait, and budgets of both runs", office(desk, bounds(4)), []graphgen.CallOption{bounds(4)}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			partly := false // a process continued a turn with some of its calls saved
			for at := range 20 {
				for _, during := range []bool{false, true} {
					var now atomic.Int64 // in seconds
					store := thread.NewMemoryAt(func() time.Time { return time.Unix(now.Load(), 0) })
					var budget *hooks.Budget
					live(t, func() survivor {
						now.Add(3600)
						s := thread.Store(store)
						if budget == nil {
							s = &mortal{Store: store, left: at, during: during}
						}
						budget = hooks.NewBudget(graphgen.Budgets{ToolCalls: c.calls})
						m, saved := c.make(t, thread.In(s), append(slices.Clip(c.opts), budget.Option())...)
						budget.Count(graphgen.Budgets{ToolCalls: saved})
						partly = partly || saved > 0 && saved < c.calls
						return m
					}, clerkAnswers)
					if used := budget.Used().ToolCalls; used != c.calls {
						t.Errorf("killed at append %d (%v): %d calls are used, want %d", at, during, used, c.calls)
					}
				}
			}
			if !partly {
				t.Error("no process began with some of the calls")
			}
		})
	}
}
