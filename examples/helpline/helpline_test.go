package helpline

import (
	"context"
	"slices"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
)

// A till is a tool that notes how it was called.
type till struct{ calls []string }

func (t *till) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: "refund", Doc: "Refunds money.", Schema: `{"type":"object"}`}
}

func (t *till) Call(_ context.Context, arguments string) (chat.ToolResult, error) {
	t.calls = append(t.calls, arguments)
	return chat.ToolResult{Text: "done"}, nil
}

func TestRefunds(t *testing.T) {
	asked := []string{`{"euros": 50}`, `{"euros": 50.01}`, `{"euros": 1e9}`, `{}`, `{"euros": null}`, `{"euros": "5"}`, `nonsense`}
	var calls []chat.ToolCall
	for _, arguments := range asked {
		calls = append(calls, chat.ToolCall{Name: "refund", Arguments: arguments})
	}
	model := scripted.New(scripted.Turn{Text: `{"route": "billing"}`}, scripted.Turn{Calls: calls}, scripted.Turn{Text: "Done."})
	var box till
	out, err := Answer(t.Context(), &Counter{}, model, chat.Tools{&box}, "I want my money back!", RefundsUpTo(50))
	if err != nil || out.Reply == nil || *out.Reply != "Done." {
		t.Fatalf("output %+v and %v", out, err)
	}
	if !slices.Equal(box.calls, asked[:1]) {
		t.Errorf("the tool was called with %q", box.calls)
	}
}
