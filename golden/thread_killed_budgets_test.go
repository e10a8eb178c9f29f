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
	"github.com/graphgen/graphgen/chat/scripted"
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

// TestSpentBudgetOfAPause holds that a thread which waits for a call can be answered where a budget of its machine was spent meanwhile: with a no the run
// continues, as it needs nothing of the budget, and with a yes it ends with the budget.
func TestSpentBudgetOfAPause(t *testing.T) {
	for decision, completes := range map[graphgen.Decision]bool{graphgen.Deny: true, graphgen.Approve: false} {
		budget := hooks.NewBudget(graphgen.Budgets{ToolCalls: 2})
		model := scripted.New(
			scripted.Turn{Calls: []chat.ToolCall{{ID: "a", Name: "refund", Arguments: `{"order":"7","cents":1}`}}}, scripted.Turn{Text: "It is settled."},
		)
		opts := []thread.Option{thread.In(thread.NewMemory()), budget.Option()}
		th := must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model, opts...)).Thread("t")
		if _, err := th.Start(t.Context(), durable.ClerkInput{Message: "Pay me back."}); graphgen.AsPause(err) == nil {
			t.Fatal(err)
		}
		budget.Count(graphgen.Budgets{ToolCalls: 3}) // by other processes together, which may exceed it
		answer := graphgen.Approval[durable.ClerkRefundArgs]{Decision: decision}
		out, err := th.Resume(t.Context(), durable.ApproveClerkRefund(answer))
		spent, _ := errors.AsType[*graphgen.LimitError](err)
		if _, stuck := errors.AsType[*thread.StoreError](err); stuck {
			t.Errorf("%s: the thread cannot be answered: %v", decision, err)
		}
		if completes && (err != nil || out.Reply != "It is settled.") || !completes && (spent == nil || spent.Limit != graphgen.LimitBudget) {
			t.Errorf("%s: the run ends with %q, %v", decision, out.Reply, err)
		}
		if used := budget.Used().ToolCalls; used != 3 {
			t.Errorf("%s: %d calls are used", decision, used)
		}
	}
}

// TestUnfitCallsBeforeAPause holds that a call whose arguments do not fit is counted once in a shared budget, however often its thread is answered.
func TestUnfitCallsBeforeAPause(t *testing.T) {
	budget := hooks.NewBudget(graphgen.Budgets{ToolCalls: 10})
	model := scripted.New(scripted.Turn{Calls: []chat.ToolCall{
		{ID: "a", Name: "refund", Arguments: `{"cents":"one"}`},
		{ID: "b", Name: "refund", Arguments: `{"order":"7","cents":1}`},
		{ID: "c", Name: "refund", Arguments: `{"order":"8","cents":1}`},
	}}, scripted.Turn{Text: "It is paid."})
	m := must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model, thread.In(thread.NewMemory()), budget.Option()))
	th := m.Thread("t")
	_, err := th.Start(t.Context(), durable.ClerkInput{Message: "Pay me back."})
	for p := graphgen.AsPause(err); p != nil; p = graphgen.AsPause(err) {
		_, err = th.Resume(t.Context(), graphgen.AnswerJSON[durable.Clerk](p.Requests[0].ID, []byte(`"deny"`)))
	}
	if used := budget.Used().ToolCalls; err != nil || used != 1 {
		t.Errorf("%d calls are used, %v", used, err)
	}
}
