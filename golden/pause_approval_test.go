package golden_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/golden/interrupts"
	"github.com/graphgen/graphgen/golden/toolapproval"
)

// till has the tools of the graph toolapproval, and notes what is called.
type till struct {
	mu     sync.Mutex
	called []string
	keys   []string
}

func (c *till) note(ctx context.Context, call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called, c.keys = append(c.called, call), append(c.keys, graphgen.IdempotencyKey(ctx))
}

func (c *till) LookUp(ctx context.Context, args toolapproval.ToolapprovalLookUpArgs) (string, error) {
	c.note(ctx, "look_up "+args.Order)
	return "shipped", nil
}

func (c *till) Refund(ctx context.Context, args toolapproval.ToolapprovalRefundArgs) (int, error) {
	c.note(ctx, fmt.Sprint("refund ", args.Order, " ", args.Amount))
	return args.Amount, nil
}

func (c *till) DeleteOrder(ctx context.Context, args toolapproval.ToolapprovalDeleteOrderArgs) (string, error) {
	c.note(ctx, "delete_order "+args.Order)
	return "gone", nil
}

// refunding plays a model that calls two refunds, a look-up and a deletion in one turn.
func refunding() *scripted.Model {
	return scripted.New(
		scripted.Turn{Calls: []chat.ToolCall{
			{Name: "refund", Arguments: `{"order":"a","amount":50}`}, {Name: "look_up", Arguments: `{"order":"a"}`},
			{Name: "refund", Arguments: `{"order":"b","amount":7}`}, {Name: "delete_order", Arguments: `{"order":"a"}`},
		}},
		scripted.Turn{Text: "done"}, scripted.Turn{Text: "bye"},
	)
}

type (
	refundAnswer = graphgen.Approval[toolapproval.ToolapprovalRefundArgs]
	deleteAnswer = graphgen.Approval[toolapproval.ToolapprovalDeleteOrderArgs]
)

func TestToolApproval(t *testing.T) {
	c, model := new(till), refunding()
	m, err := toolapproval.NewToolapproval(c, model)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	_, err = m.Run(ctx, toolapproval.ToolapprovalInput{Question: "My money!"}, graphgen.WithRunID("run"))
	p := pause(t, err)
	want := "support.1.refund.1 tool_approval refund, support.1.refund.3 tool_approval refund, support.1.delete_order.4 tool_approval delete_order"
	if got := listed(p); got != want {
		t.Fatalf("the run waits for %s, want %s", got, want)
	}
	if args, ok := p.Requests[0].Args.(toolapproval.ToolapprovalRefundArgs); !ok || args.Amount != 50 || p.Requests[0].Arguments != `{"order":"a","amount":50}` ||
		!strings.Contains(p.Requests[0].Schema, `"maximum": 100`) {
		t.Errorf("arguments %#v, %s, schema %s", p.Requests[0].Args, p.Requests[0].Arguments, p.Requests[0].Schema)
	}
	refuse := func(want error, id string, answer refundAnswer) {
		t.Helper()
		if _, err := m.Resume(ctx, p, toolapproval.ApproveToolapprovalRefund(answer).For(id)); !errors.Is(err, want) {
			t.Errorf("the answer is refused with %v, want %v", err, want)
		}
	}
	yes := refundAnswer{Decision: graphgen.Approve}
	refuse(graphgen.ErrSeveral, "", yes)
	refuse(graphgen.ErrOtherNode, "support.1.delete_order.4", yes)
	for _, none := range []refundAnswer{{}, {Decision: graphgen.Deny, Args: new(toolapproval.ToolapprovalRefundArgs)},
		{Decision: graphgen.Approve, Reason: "because"}, {Decision: graphgen.Approve, Args: &toolapproval.ToolapprovalRefundArgs{Amount: 500}}} {
		_, err := m.Resume(ctx, p, toolapproval.ApproveToolapprovalRefund(none).For("support.1.refund.1"))
		if _, ok := errors.AsType[*graphgen.AnswerError](err); !ok {
			t.Errorf("the answer %+v is refused with %v", none, err)
		}
	}
	for _, text := range []string{`"yes"`, `{}`, `{"decision":"approve","arguments":{"amount":1}}`, `{"decision":"deny","arguments":{}}`, `true`, ``} {
		_, err := m.Resume(ctx, p, graphgen.AnswerJSON[toolapproval.Toolapproval]("support.1.refund.1", []byte(text)))
		if _, ok := errors.AsType[*graphgen.AnswerError](err); !ok {
			t.Errorf("the answer %s is refused with %v", text, err)
		}
	}
	less := yes
	less.Args = &toolapproval.ToolapprovalRefundArgs{Order: "a", Amount: 5}
	_, err = m.Resume(ctx, p, toolapproval.ApproveToolapprovalRefund(less).For("support.1.refund.1"))
	rest := pause(t, err)
	if got := listed(rest); got != "support.1.refund.3 tool_approval refund, support.1.delete_order.4 tool_approval delete_order" {
		t.Fatalf("the run then waits for %s", got)
	}
	refuse(graphgen.ErrResumed, "support.1.refund.1", yes)
	if got := strings.Join(c.called, ", "); got != "look_up a" {
		t.Fatalf("before the last answer the calls are %s", got)
	}
	_, err = m.Resume(ctx, p, toolapproval.ApproveToolapprovalDeleteOrder(deleteAnswer{Decision: graphgen.Deny, Reason: "keep it"})) // of the pause before
	pause(t, err)
	var report graphgen.Report
	out, err := m.Resume(ctx, rest, toolapproval.ApproveToolapprovalRefund(yes), graphgen.WithReport(&report))
	if err != nil || out.Answer != "done" {
		t.Fatalf("the run ends with %+v, %v", out, err)
	}
	made := map[string]bool{}
	for i, call := range c.called {
		if made[call] = true; c.keys[i] == "" {
			t.Errorf("the call %s has no key", call)
		}
	}
	if len(c.called) != 3 || !made["refund a 5"] || !made["refund b 7"] || report.Tools.Made != 3 || report.Steps != 3 {
		t.Errorf("the calls are %v, the report has %+v in %d steps", c.called, report.Tools, report.Steps)
	}
	said := model.Asked()[1].Request.Messages
	var results []string
	for _, r := range said[len(said)-4:] {
		results = append(results, r.Call+" "+r.Text)
	}
	if got := strings.Join(results, "; "); got != `call-1 A person changed the arguments of the call to {"order":"a","amount":5}. The result:
5; call-2 shipped; call-3 7; call-4 a person denied the call: keep it` {
		t.Errorf("the model is told %s", got)
	}
}

func listed(p *graphgen.Pause) string {
	var list []string
	for _, q := range p.Requests {
		list = append(list, fmt.Sprint(q.ID, " ", q.Kind, " ", q.Tool))
	}
	return strings.Join(list, ", ")
}

// TestToolApprovalWrapped checks that a wrapper cannot change what was approved, nor turn a call that needs no
// approval into one that does.
func TestToolApprovalWrapped(t *testing.T) {
	for _, change := range []func(*chat.ToolCall){
		func(c *chat.ToolCall) { c.Arguments = `{"order":"a","amount":99}` },
		func(c *chat.ToolCall) { c.Name = "delete_order" },
	} {
		c := new(till)
		m, _ := toolapproval.NewToolapproval(c, refunding())
		wrapper := graphgen.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
			return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
				other := *call
				change(&other)
				return next(ctx, &other)
			}
		})
		_, err := m.Run(t.Context(), toolapproval.ToolapprovalInput{}, wrapper)
		for p := pause(t, err); p != nil; p = graphgen.AsPause(err) {
			_, err = m.Resume(t.Context(), p, graphgen.AnswerJSON[toolapproval.Toolapproval](p.Requests[0].ID, []byte(`"approve"`)))
		}
		for _, call := range c.called {
			if strings.Contains(call, "99") || call == "delete_order b" {
				t.Errorf("the call %s was made", call)
			}
		}
	}
}

// TestToolApprovalAtOnce gives the answers of one turn at once: each is recorded, and each call made once.
func TestToolApprovalAtOnce(t *testing.T) {
	c := new(till)
	m, _ := toolapproval.NewToolapproval(c, refunding())
	_, err := m.Run(t.Context(), toolapproval.ToolapprovalInput{})
	p := pause(t, err)
	var wg sync.WaitGroup
	ends := make(chan string, 2*len(p.Requests))
	for _, q := range append(p.Requests, p.Requests...) {
		wg.Go(func() {
			_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[toolapproval.Toolapproval](q.ID, []byte(`{"decision":"approve","arguments":`+q.Arguments+`}`))) // which are checked
			if run, ok := errors.AsType[*graphgen.RunError](err); ok {
				ends <- string(run.Reason.String())
			} else if errors.Is(err, graphgen.ErrResumed) {
				ends <- "resumed"
			} else {
				ends <- fmt.Sprint(err)
			}
		})
	}
	wg.Wait()
	close(ends)
	count := map[string]int{}
	for end := range ends {
		count[end]++
	}
	if count["<nil>"] != 1 || count["resumed"] != 3 || len(c.called) != 4 {
		t.Errorf("the answers end with %v, the calls are %v", count, c.called)
	}
}

// clerk does the work of the graph interrupts.
type clerk struct{ did []string }

func (c *clerk) Prepare(context.Context, interrupts.InterruptsPrepareIn) (out interrupts.InterruptsPrepareOut, err error) {
	c.did = append(c.did, "prepare")
	return out, nil
}

func (c *clerk) Check(context.Context, interrupts.InterruptsCheckIn) (out interrupts.InterruptsCheckOut, err error) {
	c.did = append(c.did, "check")
	return out, nil
}

func (c *clerk) Send(context.Context, interrupts.InterruptsSendIn) (out interrupts.InterruptsSendOut, err error) {
	c.did = append(c.did, "send")
	return out, nil
}

func (c *clerk) Withdraw(context.Context) (out interrupts.InterruptsWithdrawOut, err error) {
	c.did = append(c.did, "withdraw")
	return out, nil
}

func (c *clerk) Book(context.Context) (out interrupts.InterruptsBookOut, err error) {
	c.did = append(c.did, "book")
	return out, nil
}

// TestInterruptOptions names the nodes of interrupts for one run.
func TestInterruptOptions(t *testing.T) {
	c := new(clerk)
	m, _ := interrupts.NewInterrupts(c)
	ctx := t.Context()
	_, err := m.Run(ctx, interrupts.InterruptsInput{}, graphgen.WithInterruptBefore("prepare", "send"), graphgen.WithInterruptAfter("book"))
	var met []string
	for p := pause(t, err); p != nil; p = graphgen.AsPause(err) {
		met = append(met, p.Requests[0].ID)
		if p.Requests[0].Kind == graphgen.RequestInterrupt {
			if _, err := m.Resume(ctx, p, interrupts.AnswerInterruptsSend(graphgen.Approve)); !errors.Is(err, graphgen.ErrOtherNode) {
				t.Errorf("an interrupt is no approval: %v", err)
			}
			_, err = m.Resume(ctx, p, interrupts.ContinueInterrupts())
			continue
		}
		if _, err := m.Resume(ctx, p, interrupts.ContinueInterrupts()); !errors.Is(err, graphgen.ErrOtherNode) {
			t.Errorf("an approval is no interrupt: %v", err)
		}
		_, err = m.Resume(ctx, p, graphgen.AnswerJSON[interrupts.Interrupts](p.Requests[0].ID, []byte(`"approve"`)))
	}
	if got := strings.Join(met, " "); err != nil || got != "prepare.1.before check.1.before check.1.after send.1.before send.1 book.1 book.1.after" {
		t.Errorf("the run waits for %s, and ends with %v", got, err)
	}
	if got := strings.Join(c.did, " "); got != "prepare check send book" {
		t.Errorf("the nodes that ran are %s", got)
	}
	_, err = m.Run(ctx, interrupts.InterruptsInput{}, graphgen.WithInterruptAfter("nowhere"))
	if wrong, ok := errors.AsType[*graphgen.ConfigError](err); !ok || wrong.Name != "nowhere" {
		t.Errorf("an unknown node: %v", err)
	}
	plain, _ := toolapproval.NewToolapproval(new(till), refunding())
	_, err = plain.Run(ctx, toolapproval.ToolapprovalInput{}, graphgen.WithInterruptBefore("support"))
	if wrong, ok := errors.AsType[*graphgen.ConfigError](err); !ok || !strings.Contains(wrong.Why, "cannot be interrupted") {
		t.Errorf("a graph without interrupts: %v", err)
	}
}
