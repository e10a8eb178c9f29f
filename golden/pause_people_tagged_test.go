package golden_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/golden/humantagged"
)

// taggedDesk has the handler and the tools of the graph desk, which is a Go struct.
type taggedDesk struct{ done []string }

func (d *taggedDesk) Send(_ context.Context, in humantagged.DeskSendIn) (humantagged.DeskSendOut, error) {
	d.done = append(d.done, "send "+in.Answer)
	return humantagged.DeskSendOut{Sent: true}, nil
}

func (d *taggedDesk) LookUp(_ context.Context, args humantagged.DeskLookUpArgs) (string, error) {
	d.done = append(d.done, "look_up "+args.Order)
	return "shipped", nil
}

func (d *taggedDesk) Refund(_ context.Context, args humantagged.DeskRefundArgs) (int, error) {
	d.done = append(d.done, "refund "+args.Order)
	return args.Amount, nil
}

func (d *taggedDesk) DeleteOrder(_ context.Context, args humantagged.DeskDeleteOrderArgs) (string, error) {
	d.done = append(d.done, "delete "+args.Order)
	return "", nil
}

// TestTaggedPeople answers the requests of a graph in Go by its typed methods: approvals of calls, the result of the
// caller's tool, a decision that is kept with its options in any order, and the approval of a node.
func TestTaggedPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(taggedDesk)
		model := scripted.New(
			scripted.Turn{Calls: []chat.ToolCall{
				{Name: "look_up", Arguments: `{"order":"a"}`}, {Name: "refund", Arguments: `{"order":"a","amount":50}`},
				{Name: "delete_order", Arguments: `{"order":"a"}`}, {Name: "locate", Arguments: `{}`},
			}},
			scripted.Turn{Text: "done"},
		)
		m, err := humantagged.NewDesk(d, d, model)
		if err != nil {
			t.Fatal(err)
		}
		ctx, began := t.Context(), time.Now()
		_, err = m.Run(ctx, humantagged.DeskInput{Question: "q"})
		p := pause(t, err)
		if got := listed(p); got != "support.1.refund.2 tool_approval refund, support.1.delete_order.3 tool_approval delete_order, "+
			"support.1.locate.4 client_tool locate" {
			t.Fatalf("the run waits for %s", got)
		}
		if args, ok := p.Requests[0].Args.(humantagged.DeskRefundArgs); !ok || args.Amount != 50 || !p.Requests[0].Deadline.Equal(began.Add(24*time.Hour)) {
			t.Errorf("the call has the arguments %#v, and time until %v", p.Requests[0].Args, p.Requests[0].Deadline)
		}
		much := humantagged.DeskRefundArgs{Order: "a", Amount: 500}
		_, err = m.Resume(ctx, p, humantagged.ApproveDeskRefund(graphgen.Approval[humantagged.DeskRefundArgs]{Decision: graphgen.Approve, Args: &much}))
		if _, refused := errors.AsType[*graphgen.AnswerError](err); !refused {
			t.Errorf("arguments that do not fit: %v", err)
		}
		if _, err = m.Resume(ctx, p, humantagged.AnswerDeskSign(graphgen.Approve)); !errors.Is(err, graphgen.ErrOtherNode) {
			t.Errorf("a decision of another node: %v", err)
		}
		less := humantagged.DeskRefundArgs{Order: "b", Amount: 5}
		_, err = m.Resume(ctx, p, humantagged.ReturnDeskLocate(graphgen.Returned[humantagged.Place]{Value: humantagged.Place{City: "Bonn"}}))
		no := graphgen.Approval[humantagged.DeskDeleteOrderArgs]{Decision: graphgen.Deny, Reason: "keep it"}
		_, err = m.Resume(ctx, pause(t, err), humantagged.ApproveDeskDeleteOrder(no))
		yes := graphgen.Approval[humantagged.DeskRefundArgs]{Decision: graphgen.Approve, Args: &less}
		_, err = m.Resume(ctx, pause(t, err), humantagged.ApproveDeskRefund(yes))
		if !slices.Equal(d.done, []string{"look_up a", "refund b"}) {
			t.Fatalf("the calls are %q", d.done)
		}
		time.Sleep(time.Hour)
		_, err = m.Resume(ctx, pause(t, err), humantagged.AnswerDeskSign(graphgen.Approve), graphgen.WithTimings(), graphgen.AnsweredBy("ann"))
		out, err := m.Resume(ctx, pause(t, err), humantagged.AnswerDeskSend(graphgen.Approve))
		signed := []humantagged.Signed{{Decision: "approve", By: "ann", At: began.Add(time.Hour)}}
		if err != nil || !out.Sent || out.Answer != "done" || !slices.Equal(out.Signed, signed) || !slices.Equal(d.done,
			[]string{"look_up a", "refund b", "send done"}) {
			t.Errorf("the run ends with %+v, %v, after %q", out, err, d.done)
		}
	})
}
