package golden_test

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/toolapproval"
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
