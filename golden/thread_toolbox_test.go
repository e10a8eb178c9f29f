package golden_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/toolapproval"
	durables "github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A boxed is a tool of a toolbox.
type boxed struct{ ids *[]string }

func (boxed) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: "lookup", Doc: "Looks it up.", Schema: `{"type":"object","properties":{"id":{"type":"integer"}}}`}
}

func (s boxed) Call(_ context.Context, arguments string) (chat.ToolResult, error) {
	*s.ids = append(*s.ids, arguments)
	return chat.ToolResult{Text: "otter"}, nil
}

// TestToolboxOfResume holds that a call which resumes the run of a thread has the turn that waits continue with the tools of its toolbox, in another process:
// a call of such a tool waits for its approval still where another request of the turn is answered first, and is made once it is approved.
func TestToolboxOfResume(t *testing.T) {
	store, ids := thread.NewMemory(), []string(nil)
	box := graphgen.WithToolbox(chat.Tools{boxed{&ids}})
	asked := 0
	model := chat.ModelFunc(func(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		if asked++; asked > 1 {
			return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}}, nil
		}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{
			{ID: "1", Name: "lookup", Arguments: `{"id":3}`}, {ID: "2", Name: "locate", Arguments: `{}`},
		}}}, nil
	})
	process := func() toolapproval.InjectedThread {
		t.Helper()
		m, err := toolapproval.NewInjected(injectedTools{}, model, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		return m.Thread("t")
	}
	_, err := process().Start(t.Context(), toolapproval.InjectedInput{}, box)
	p := graphgen.AsPause(err)
	if p == nil || len(p.Requests) != 2 {
		t.Fatal(p, err)
	}
	approval := p.Requests[0].ID
	_, err = process().Resume(t.Context(), toolapproval.ReturnInjectedLocate(graphgen.Returned[string]{Value: "Bonn"}), box)
	if p = graphgen.AsPause(err); p == nil || len(p.Requests) != 1 || p.Requests[0].ID != approval {
		t.Fatalf("the run waits for %v: %v", p, err)
	}
	out, err := process().Resume(t.Context(), graphgen.AnswerJSON[toolapproval.Injected](approval, []byte(`{"decision": "approve"}`)), box)
	if err != nil || out.Text != "done" || len(ids) != 1 || ids[0] != `{"id":3}` {
		t.Errorf("the run gives %q with the calls %q: %v", out.Text, ids, err)
	}
}

// injectedTools has the tool of the spec, which is not called.
type injectedTools struct{ toolapproval.InjectedTools }

// TestModelsOfResume holds that a thread whose calls give the models and the prompts waits and continues as one whose machine has them, where money is
// bounded, too: the turn that waits asks the model of the call that resumes it, with its prompt.
func TestModelsOfResume(t *testing.T) {
	unpriced := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		t.Error("the model of the machine is asked")
		return nil, errors.New("it has no price")
	})
	for name, office := range map[string]bool{"the run": false, "a child run": true} {
		var systems []string
		model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
			systems = append(systems, req.System)
			said := chat.Message{Role: chat.RoleAssistant, Text: "It is paid."}
			if len(req.Messages) == 1 {
				said = chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "a", Name: "refund", Arguments: `{"order":"7","cents":1}`}}}
			}
			return &chat.Response{Message: said}, nil
		})
		kept, bound := thread.In(thread.NewMemory()), graphgen.WithBudgets(graphgen.Budgets{Cost: 1})
		priced := graphgen.WithModel(chat.Priced(model, chat.Price{}))
		clerk := must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, unpriced, kept, bound))
		of := must(durable.NewOffice(officeWork{new(ledger)}, clerk, kept, bound))
		run := survivorOf(clerk.Thread("t"), durable.ClerkInput{Message: "otters"}, priced, graphgen.WithPrompt("answer", "Be kind."))
		unfit := survivorOf(clerk.Thread("t"), durable.ClerkInput{}, priced, graphgen.WithPrompt("answer", "About {{nothing}}."))
		fits := func(id string) error {
			answer := graphgen.AnswerJSON[durable.Clerk](id, []byte(`"approve"`))
			return durables.Fits(t.Context(), clerk.Durable(), "t", []graphgen.Answer[durable.Clerk]{answer})
		}
		if office {
			run = survivorOf(of.Thread("t"), durable.OfficeInput{Messages: []string{"otters"}}, priced, graphgen.WithPrompt("help/answer", "Be kind."))
			unfit = survivorOf(of.Thread("t"), durable.OfficeInput{}, priced, graphgen.WithPrompt("help/answer", "About {{nothing}}."))
			fits = func(id string) error {
				answer := graphgen.AnswerJSON[durable.Office](id, []byte(`"approve"`))
				return durables.Fits(t.Context(), of.Durable(), "t", []graphgen.Answer[durable.Office]{answer})
			}
		}
		_, err := run.start(t.Context())
		p := graphgen.AsPause(err)
		if p == nil {
			t.Fatal(name, err)
		}
		if err := fits(p.Requests[0].ID); err != nil {
			t.Errorf("%s: the answer does not fit: %v", name, err)
		}
		_, err = unfit.answer(t.Context(), p.Requests[0].ID, []byte(`"approve"`))
		wrong, refused := errors.AsType[*graphgen.ConfigError](err)
		if _, stuck := errors.AsType[*thread.StoreError](err); stuck || !refused || !strings.Contains(wrong.Why, `"nothing"`) {
			t.Errorf("%s: a prompt that does not fit: %v", name, err)
		}
		if _, err := run.answer(t.Context(), p.Requests[0].ID, []byte(`"approve"`)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(systems) != 2 || systems[0] != systems[1] || !strings.Contains(systems[1], "Be kind.") {
			t.Errorf("%s: the prompts are %q", name, systems)
		}
	}
}

// TestUnpricedModelOfResume holds that a thread whose money is bounded asks no model without a price that the call which resumes it leads to: the run ends with
// the budget, and the tool that waited is not called.
func TestUnpricedModelOfResume(t *testing.T) {
	refund := chat.ToolCall{ID: "a", Name: "refund", Arguments: `{"order":"7","cents":1}`}
	calls := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{refund}}}
	bound, unpriced := graphgen.WithBudgets(graphgen.Budgets{Cost: 1}), graphgen.WithModel(nowhere{t})
	priced := chat.Priced(chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { return calls, nil }), chat.Price{})
	for name, c := range map[string]struct {
		own            chat.Model
		office         bool
		starts, resume []graphgen.CallOption
	}{
		"the machine's model":                {nowhere{t}, false, []graphgen.CallOption{graphgen.WithModel(priced)}, nil},
		"the call's model":                   {priced, false, nil, []graphgen.CallOption{unpriced}},
		"the machine's model of a child run": {nowhere{t}, true, []graphgen.CallOption{graphgen.WithModel(priced)}, nil},
		"the call's model of a child run":    {priced, true, nil, []graphgen.CallOption{unpriced}},
	} {
		kept, bank := thread.In(thread.NewMemory()), &ledger{done: map[string]int{}}
		clerk := must(durable.NewClerk(clerkWork{bank}, clerkTools{bank}, c.own, kept, bound))
		start, resume := survivorOf(clerk.Thread("t"), durable.ClerkInput{}, c.starts...), survivorOf(clerk.Thread("t"), durable.ClerkInput{}, c.resume...)
		if c.office {
			of, in := must(durable.NewOffice(officeWork{bank}, clerk, kept, bound)), durable.OfficeInput{Messages: []string{"otters"}}
			start, resume = survivorOf(of.Thread("t"), in, c.starts...), survivorOf(of.Thread("t"), in, c.resume...)
		}
		_, err := start.start(t.Context())
		p := graphgen.AsPause(err)
		if p == nil {
			t.Fatal(name, err)
		}
		before := len(bank.done)
		_, err = resume.answer(t.Context(), p.Requests[0].ID, []byte(`"approve"`))
		if spent, _ := errors.AsType[*graphgen.LimitError](err); spent == nil || spent.Unpriced == "" || len(bank.done) != before {
			t.Errorf("%s: %v with the calls %v", name, err, bank.done)
		}
	}
}

// nowhere is a model without a price, which is not asked.
type nowhere struct{ t *testing.T }

func (m nowhere) Generate(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
	m.t.Error("a model without a price is asked")
	return nil, errors.New("it has no price")
}
