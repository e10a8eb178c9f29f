package desk

import (
	"errors"
	"slices"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
)

func TestDesk(t *testing.T) {
	small := scripted.New(scripted.Turn{Text: `{"topic": "outage", "urgent": true, "summary": "no mail"}`})
	large := scripted.New(
		scripted.Turn{Calls: []chat.ToolCall{{Name: "status", Arguments: `{"service": "mail"}`}, {Name: "status", Arguments: `{"service": "fax"}`}}},
		scripted.Turn{Text: "Mail is back."},
		scripted.Turn{Text: `{"pass": true}`},
	)
	var woken []string
	staff := Staff{Services: map[string]string{"mail": "up"}, Wakes: func(reason string) error {
		woken = append(woken, reason)
		return nil
	}}
	var report graphgen.Report
	out, err := staff.Handle(t.Context(), large, small, "My mail is down, and I cannot work", graphgen.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	if out.Reply == nil || *out.Reply != "Mail is back." || out.Ticket.Topic != TicketTopicOutage {
		t.Errorf("the output is %+v", out)
	}
	if !slices.Equal(woken, []string{"no mail"}) {
		t.Errorf("woken: %q", woken)
	}
	if report.ModelCalls != 4 || report.Tools.Made != 2 || report.Tools.Failed != 1 {
		t.Errorf("%d model calls, %+v tool calls", report.ModelCalls, report.Tools)
	}
}

func TestFallbackModelPrice(t *testing.T) {
	first := scripted.New(scripted.Turn{Err: &chat.ModelError{Kind: chat.BadRequest, Status: 404, Message: "no such model"}})
	second := scripted.New(scripted.Turn{Text: "yes", Usage: chat.Usage{Input: 1_000_000}})
	answer, err := Reliable(first, second).Generate(t.Context(), &chat.Request{Messages: []chat.Message{chat.UserText("Are you there?")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Message.Text != "yes" || answer.Usage.Cost != 0.25 {
		t.Errorf("%q for %v dollars", answer.Message.Text, answer.Usage.Cost)
	}
}

func TestABudgetEndsARun(t *testing.T) {
	small := scripted.New(scripted.Turn{Text: `{"topic": "other", "urgent": false, "summary": "a riddle"}`, Usage: chat.Usage{Input: 900}})
	var report graphgen.Report
	_, err := Staff{}.Handle(t.Context(), small, small, "A riddle", graphgen.WithBudgets(graphgen.Budgets{Tokens: 500}), graphgen.WithReport(&report))
	if spent, ok := errors.AsType[*graphgen.LimitError](err); !ok || spent.Used != 900 || report.Reason != graphgen.Budget {
		t.Errorf("the run ended with %v, %v", report.Reason, err)
	}
}
