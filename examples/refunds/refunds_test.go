package refunds

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
)

func TestSupport(t *testing.T) {
	shop := &Shop{Paid: map[string]int{"A1": 2500}}
	m, err := NewShopSupport(shop)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	out, err := m.Run(ctx, SupportInput{Message: "Where is #A1?"})
	if err != nil || out.Reply != "About A1: 2500." {
		t.Fatalf("a look-up: %+v, %v", out, err)
	}
	_, err = m.Run(ctx, SupportInput{Message: "#A1 is broken, I want my money."})
	p := graphgen.AsPause(err)
	if p == nil || p.Requests[0].Tool != "refund" || len(shop.Refunded) > 0 {
		t.Fatalf("a refund does not wait: %v, %v", err, shop.Refunded)
	}
	half := SupportRefundArgs{Order: "A1", Cents: 1250}
	out, err = m.Resume(ctx, p, ApproveSupportRefund(graphgen.Approval[SupportRefundArgs]{Decision: graphgen.Approve, Args: &half}))
	if err != nil || shop.Refunded["A1"] != 1250 || !strings.Contains(out.Reply, "1250 cents are paid back") {
		t.Errorf("the refund: %+v, %v, %v", out, err, shop.Refunded)
	}
}

func TestInbox(t *testing.T) {
	m, err := NewShopInbox(new(Shop))
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	out, err := m.Run(t.Context(), InboxInput{Messages: []string{"Hello, #A1", "Hello, #B2", "Hello, #C3"}})
	out, err = Ask(t.Context(), out, err, func(q graphgen.Request) string {
		asked = append(asked, q.ID)
		if strings.Contains(q.Question, "#B2") {
			return `"deny"`
		}
		return `"approve"`
	}, m.Resume)
	want := []string{"Thank you for your message about A1.", "Thank you for your message about C3."}
	if err != nil || !slices.Equal(out.Sent, want) || len(asked) != 3 {
		t.Errorf("sent %q, %v, asked %v", out.Sent, err, asked)
	}
}

func TestOffice(t *testing.T) {
	shop := &Shop{Paid: map[string]int{"A1": 2500, "B2": 90_00}}
	m, err := NewShopOffice(shop)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Run(t.Context(), OfficeInput{Messages: []string{"#A1: my money!", "Where is #B2?", "#B2: money, now!"}})
	out, err = Ask(t.Context(), out, err, func(q graphgen.Request) string {
		if strings.Contains(q.Arguments, "A1") {
			return `"approve"`
		}
		return `{"decision": "deny", "reason": "it was used"}`
	}, m.Resume)
	want := []string{"About A1: 2500 cents are paid back for A1.", "About B2: 9000.", "About B2: a person denied the call: it was used."}
	if err != nil || !slices.Equal(out.Replies, want) || len(shop.Refunded) != 1 {
		t.Errorf("replies %q, %v, refunds %v", out.Replies, err, shop.Refunded)
	}
	_, err = m.Run(t.Context(), OfficeInput{Messages: []string{"#A1: my money!", "#B2: my money!"}})
	p := graphgen.AsPause(err)
	if p == nil || len(p.Requests) != 2 || shop.Refunded["A1"] != 2500 {
		t.Fatalf("without answers: %v, refunds %v", err, shop.Refunded)
	}
	no := ApproveOfficeHelpRefund(graphgen.Approval[SupportRefundArgs]{Decision: graphgen.Deny})
	if _, err = m.Resume(t.Context(), p, no); !errors.Is(err, graphgen.ErrSeveral) {
		t.Errorf("one answer for two calls: %v", err)
	}
	few := SupportRefundArgs{Order: "B2", Cents: 100}
	yes := ApproveOfficeHelpRefund(graphgen.Approval[SupportRefundArgs]{Decision: graphgen.Approve, Args: &few})
	_, err = m.Resume(t.Context(), p, yes.For(p.Requests[1].ID))
	if p = graphgen.AsPause(err); p == nil || len(p.Requests) != 1 {
		t.Fatalf("after one answer: %v", err)
	}
	out, err = m.Resume(t.Context(), p, no)
	if err != nil || shop.Refunded["B2"] != 100 || !slices.Equal(out.Replies,
		[]string{"About A1: a person denied the call.",
			"About B2: A person changed the arguments of the call to {\"order\":\"B2\",\"cents\":100}. The result:\n100 cents are paid back for B2."}) {
		t.Errorf("typed answers: %q, %v, refunds %v", out.Replies, err, shop.Refunded)
	}
}
