package golden_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// A clerkModel answers by what is in the conversation, so that a process which goes on with it gets the same answers.
type clerkModel struct{ bank *ledger }

func (m clerkModel) Generate(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	turn, results := 1, ""
	for _, msg := range req.Messages {
		switch msg.Role {
		case chat.RoleAssistant:
			turn++
		case chat.RoleTool:
			results += ", " + msg.Name + ": " + msg.Text
		}
	}
	order := req.Messages[0].Text
	key := "model " + order + " " + strconv.Itoa(turn)
	if m.bank.falls(key) {
		if m.bank.hangs {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil, graphgen.Transient(errors.New("the line is down"))
	}
	m.bank.count(key)
	msg := chat.Message{Role: chat.RoleAssistant}
	call := func(name, args string) {
		msg.Calls = append(msg.Calls, chat.ToolCall{ID: name + strconv.Itoa(turn), Name: name, Arguments: args})
	}
	switch turn {
	case 1:
		call("look_up", `{"order":"`+order+`"}`)
	case 2:
		call("look_up", `{"order":"`+order+` again"}`)
		call("refund", `{"order":"`+order+`","cents":500}`)
	case 3:
		call("locate", `{"name":"Ann"}`)
	default:
		msg.Text = "done" + results
	}
	return &chat.Response{Message: msg, Finish: chat.Stop, Usage: chat.Usage{Input: 7, Output: 3}}, nil
}

// clerkTools count what they do, by the keys for effects.
type clerkTools struct{ bank *ledger }

func (t clerkTools) LookUp(ctx context.Context, args durable.ClerkLookUpArgs) (int, error) {
	t.bank.did(ctx)
	return len(args.Order), nil
}

func (t clerkTools) Refund(ctx context.Context, args durable.ClerkRefundArgs) (string, error) {
	t.bank.did(ctx)
	return strconv.Itoa(args.Cents), nil
}

type clerkWork struct{ bank *ledger }

func (w clerkWork) File(ctx context.Context, in durable.ClerkFileIn) (durable.ClerkFileOut, error) {
	w.bank.did(ctx)
	return durable.ClerkFileOut{Filed: []string{in.Reply}}, nil
}

type officeWork struct{ bank *ledger }

func (w officeWork) Close(ctx context.Context, in durable.OfficeCloseIn) (durable.OfficeCloseOut, error) {
	w.bank.did(ctx)
	return durable.OfficeCloseOut{Filed: []string{strconv.Itoa(len(in.Filed)) + " filed"}}, nil
}

func newClerk(t *testing.T, bank *ledger, opts ...thread.Option) *durable.Clerk {
	t.Helper()
	m, err := durable.NewClerk(clerkWork{bank}, clerkTools{bank}, clerkModel{bank}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// billed holds that where the run of a survivor has ended, its report has each call of the model once, by whatever process.
func billed(t *testing.T, bank *ledger, m survivor, rep *graphgen.Report) survivor {
	t.Helper()
	bill := func(call func(context.Context) (any, error)) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			out, err := call(ctx)
			if err == nil {
				bills(t, bank, rep)
			}
			return out, err
		}
	}
	return survivor{start: bill(m.start), recover: bill(m.recover), answer: func(ctx context.Context, id string, data []byte) (any, error) {
		return bill(func(ctx context.Context) (any, error) { return m.answer(ctx, id, data) })(ctx)
	}}
}

// bills holds that a report has each call of the model once.
func bills(t *testing.T, bank *ledger, rep *graphgen.Report) {
	t.Helper()
	calls := 0
	for key := range bank.done {
		if strings.Contains(key, "model ") {
			calls++
		}
	}
	if rep.ModelCalls != calls || rep.Usage.Input != 7*calls || rep.Tools.Made != calls {
		t.Errorf("the report has %d calls of the model, %+v, %+v, want %d", rep.ModelCalls, rep.Usage, rep.Tools, calls)
	}
	for _, n := range rep.Nodes {
		if n.ModelCalls != 0 && n.ModelCalls != calls {
			t.Errorf("node %s has %d calls of the model, want %d", n.Node, n.ModelCalls, calls)
		}
	}
}

var clerkAnswers = map[string]string{"refund": `"approve"`, "locate": `{"result":"Bonn"}`}

// TestCallsAcrossPauses holds that conditions see the calls of tools that a node made before its pauses.
func TestCallsAcrossPauses(t *testing.T) {
	m := newClerk(t, new(ledger))
	out, err := m.Run(t.Context(), durable.ClerkInput{Message: "otters"})
	for p := graphgen.AsPause(err); p != nil; p = graphgen.AsPause(err) {
		q := p.Requests[0]
		out, err = m.Resume(t.Context(), p, graphgen.AnswerJSON[durable.Clerk](q.ID, []byte(clerkAnswers[q.Tool])))
	}
	if err != nil || len(out.Filed) != 1 {
		t.Errorf("the run ends with %+v, %v", out, err)
	}
}

// TestKilledClerk holds that an agent which is killed at any of its appends makes no finished call of its model or of a
// tool again.
func TestKilledClerk(t *testing.T) {
	killed(t, 1, func(kept thread.Option, bank *ledger) survivor {
		var rep graphgen.Report
		m := newClerk(t, bank, kept)
		return billed(t, bank, survivorOf(m.Thread("t"), durable.ClerkInput{Message: "otters"}, graphgen.WithReport(&rep)), &rep)
	}, clerkAnswers)
}

// TestKilledAttempt holds the same of an agent whose model fails once, or takes too long, so that its node has a second
// attempt.
func TestKilledAttempt(t *testing.T) {
	for _, turn := range []string{"1", "2", "4"} {
		for name, hangs := range map[string]bool{"fails": false, "hangs": true} {
			t.Run(turn+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					killedWith(t, thread.Settings{}, 1, func(kept thread.Option, bank *ledger) survivor {
						bank.fails, bank.hangs = "model otters "+turn, hangs
						m := newClerk(t, bank, kept)
						return survivorOf(m.Thread("t"), durable.ClerkInput{Message: "otters"})
					}, clerkAnswers)
				})
			})
		}
	}
}

// TestKilledOffice is TestKilledClerk for agents side by side, in runs of another graph.
func TestKilledOffice(t *testing.T) {
	if testing.Short() {
		t.Skip("TestKilledProcesses kills in a short test")
	}
	t.Run("one", func(t *testing.T) { killedOffice(t, 1, "a") })
	t.Run("three", func(t *testing.T) { killedOffice(t, 4, "a b c") })
}

func killedOffice(t *testing.T, atOnce int, messages string) {
	killed(t, atOnce, func(kept thread.Option, bank *ledger) survivor {
		var rep graphgen.Report
		m, err := durable.NewOffice(officeWork{bank}, newClerk(t, bank), kept)
		if err != nil {
			t.Fatal(err)
		}
		return billed(t, bank, survivorOf(m.Thread("t"), durable.OfficeInput{Messages: strings.Fields(messages)}, graphgen.WithReport(&rep)), &rep)
	}, clerkAnswers)
}

// latin1 are tools of which one returns a text that is not UTF-8.
type latin1 struct{ clerkTools }

func (t latin1) Refund(ctx context.Context, args durable.ClerkRefundArgs) (string, error) {
	t.bank.did(ctx)
	return "caf\xe9", nil
}

// TestKilledForeignText is TestKilledClerk for a tool whose result is not UTF-8: each process shows it to the model unchanged.
func TestKilledForeignText(t *testing.T) {
	killed(t, 1, func(kept thread.Option, bank *ledger) survivor {
		model := chat.ModelFunc(func(ctx context.Context, req *chat.Request, more func(chat.Delta)) (*chat.Response, error) {
			for _, m := range req.Messages {
				if m.Role == chat.RoleTool && m.Name == "refund" && m.Text != "caf\xe9" {
					t.Errorf("the model is shown %q", m.Text)
				}
			}
			return clerkModel{bank}.Generate(ctx, req, more)
		})
		m := must(durable.NewClerk(clerkWork{bank}, latin1{clerkTools{bank}}, model, kept))
		return survivorOf(m.Thread("t"), durable.ClerkInput{Message: "otters"})
	}, clerkAnswers)
}
