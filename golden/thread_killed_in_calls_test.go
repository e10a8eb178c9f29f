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

func newClerk(t *testing.T, bank *ledger, opts ...graphgen.Option) *durable.Clerk {
	t.Helper()
	m, err := durable.NewClerk(clerkWork{bank}, clerkTools{bank}, clerkModel{bank}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bill returns what a call has given. Where the run has ended, its report has each call of the model once, by whatever process.
func bill(t *testing.T, bank *ledger, out any, rep *graphgen.Report, err error) (any, error) {
	t.Helper()
	if err != nil {
		return out, err
	}
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
	return out, nil
}

var clerkAnswers = map[string]string{"refund": `"approve"`, "locate": `{"result":"Bonn"}`}

// TestCallsAcrossPauses holds that conditions see the calls of tools that a node made before its pauses.
func TestCallsAcrossPauses(t *testing.T) {
	m := newClerk(t, new(ledger))
	out, err := m.Run(t.Context(), durable.ClerkInput{Message: "otters"})
	for p, ok := errors.AsType[*graphgen.InterruptedError](err); ok; p, ok = errors.AsType[*graphgen.InterruptedError](err) {
		out, err = m.Answer(t.Context(), p, p.Requests[0].ID, []byte(clerkAnswers[p.Tool]))
	}
	if err != nil || len(out.Filed) != 1 {
		t.Errorf("the run ends with %+v, %v", out, err)
	}
}

// TestKilledClerk holds that an agent which is killed at any of its appends makes no finished call of its model or of a
// tool again.
func TestKilledClerk(t *testing.T) {
	killed(t, 1, func(kept graphgen.Option, bank *ledger) survivor {
		var rep graphgen.Report
		reports := graphgen.WithReport(&rep)
		m := newClerk(t, bank, kept)
		return survivor{
			start: func(ctx context.Context) (any, error) {
				out, err := m.Start(ctx, "t", durable.ClerkInput{Message: "otters"}, reports)
				return bill(t, bank, out, &rep, err)
			},
			recover: func(ctx context.Context) (any, error) {
				out, err := m.Recover(ctx, "t", reports)
				return bill(t, bank, out, &rep, err)
			},
			answer: func(ctx context.Context, id string, a []byte) (any, error) {
				out, err := m.Answer(ctx, m.Thread("t"), id, a, reports)
				return bill(t, bank, out, &rep, err)
			},
		}
	}, clerkAnswers)
}

// TestKilledAttempt holds the same of an agent whose model fails once, or takes too long, so that its node has a second
// attempt.
func TestKilledAttempt(t *testing.T) {
	for _, turn := range []string{"1", "2", "4"} {
		for name, hangs := range map[string]bool{"fails": false, "hangs": true} {
			t.Run(turn+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					killedWith(t, thread.Settings{}, 1, func(kept graphgen.Option, bank *ledger) survivor {
						bank.fails, bank.hangs = "model otters "+turn, hangs
						m := newClerk(t, bank, kept)
						return survivor{
							start: func(ctx context.Context) (any, error) {
								return m.Start(ctx, "t", durable.ClerkInput{Message: "otters"})
							},
							recover: func(ctx context.Context) (any, error) { return m.Recover(ctx, "t") },
							answer: func(ctx context.Context, id string, a []byte) (any, error) {
								return m.Answer(ctx, m.Thread("t"), id, a)
							},
						}
					}, clerkAnswers)
				})
			})
		}
	}
}

// TestKilledOffice is TestKilledClerk for agents side by side, in runs of another graph.
func TestKilledOffice(t *testing.T) {
	t.Run("one", func(t *testing.T) { killedOffice(t, 1, "a") })
	t.Run("three", func(t *testing.T) { killedOffice(t, 4, "a b c") })
}

func killedOffice(t *testing.T, atOnce int, messages string) {
	killed(t, atOnce, func(kept graphgen.Option, bank *ledger) survivor {
		var rep graphgen.Report
		reports := graphgen.WithReport(&rep)
		m, err := durable.NewOffice(officeWork{bank}, newClerk(t, bank), kept)
		if err != nil {
			t.Fatal(err)
		}
		return survivor{
			start: func(ctx context.Context) (any, error) {
				out, err := m.Start(ctx, "t", durable.OfficeInput{Messages: strings.Fields(messages)}, reports)
				return bill(t, bank, out, &rep, err)
			},
			recover: func(ctx context.Context) (any, error) {
				out, err := m.Recover(ctx, "t", reports)
				return bill(t, bank, out, &rep, err)
			},
			answer: func(ctx context.Context, id string, a []byte) (any, error) {
				out, err := m.Answer(ctx, m.Thread("t"), id, a, reports)
				return bill(t, bank, out, &rep, err)
			},
		}
	}, clerkAnswers)
}
