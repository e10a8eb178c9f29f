package golden_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// A cutter is a tool that ends the context of its run when it is first called.
type cutter struct {
	clerkTools
	cut context.CancelFunc
}

func (c *cutter) LookUp(ctx context.Context, args durable.ClerkLookUpArgs) (int, error) {
	if c.cut != nil {
		c.cut()
		c.cut = nil
		return 0, ctx.Err()
	}
	return c.clerkTools.LookUp(ctx, args)
}

// TestAttemptsOfAnotherProcess holds that the attempts of chat.Retry, and what each of them used, count for the budget and the report where
// another process repeats the answer, or the failure, that they led to. The failure keeps the model that was asked.
func TestAttemptsOfAnotherProcess(t *testing.T) {
	for name, c := range map[string]struct{ failures, attempts int }{
		"none fails":               {0, 3},
		"the last attempt answers": {2, 3},
		"all attempts fail, then one of the node answers":      {3, 3},
		"the only attempt fails, then one of the node answers": {1, 1},
		"without chat.Retry, an attempt of the node fails":     {1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.failures + 2
			calls := 0
			play := func(most int, cut bool) (graphgen.Report, error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				calls = 0
				tools := &cutter{clerkTools: clerkTools{new(ledger)}}
				if cut {
					tools.cut = cancel
				}
				var model chat.Model = chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
					if calls++; calls <= c.failures {
						used := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: chat.Usage{Input: 1}, Model: "m", ID: "1"}
						return used, &chat.ModelError{Kind: chat.Unreachable, Err: errors.New("down")}
					}
					said := chat.Message{Role: chat.RoleAssistant, Text: "done"}
					if req.Messages[len(req.Messages)-1].Role == chat.RoleUser {
						said = chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "1", Name: "look_up", Arguments: `{"order":"1"}`}}}
					}
					return &chat.Response{Message: said, Usage: chat.Usage{Input: 1}}, nil
				})
				if c.attempts > 0 {
					model = chat.Retry(model, chat.Backoff{Attempts: c.attempts, Wait: time.Nanosecond})
				}
				m, err := durable.NewClerk(clerkWork{new(ledger)}, tools, model, thread.In(thread.NewMemory()))
				if err != nil {
					t.Fatal(err)
				}
				var report graphgen.Report
				reports, budget := graphgen.WithReport(&report), graphgen.WithBudgets(graphgen.Budgets{ModelCalls: most})
				_, err = m.Thread("t").Start(ctx, durable.ClerkInput{Message: "x"}, reports, budget)
				if cut && ctx.Err() != nil {
					_, err = m.Thread("t").Recover(t.Context(), reports, budget)
				}
				return report, err
			}
			for _, cut := range []bool{false, true} {
				report, err := play(want, cut)
				ok := calls == want && report.ModelCalls == want && report.Usage.Input == want
				if err != nil || !ok || len(report.Prompts) != 1 || report.Prompts[0].ModelCalls != want {
					t.Errorf("cut %v: %d calls, the report has %d, %+v, %v", cut, calls, report.ModelCalls, report.Prompts, err)
				}
				for _, of := range report.Detail.Calls {
					if of.Err != nil && of.Model != "m" {
						t.Errorf("cut %v: a call that failed is of %q", cut, of.Model)
					}
				}
				if _, err := play(want-1, cut); !errorsAs[*graphgen.LimitError](err) {
					t.Errorf("cut %v: a budget of %d calls: %v", cut, want-1, err)
				}
			}
		})
	}
}

func errorsAs[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
