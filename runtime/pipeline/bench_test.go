package pipeline_test

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

type script struct{ turns []chat.Response }

func (s *script) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	return &s.turns[(len(req.Messages)-1)/2], nil
}

func newScript(rounds int) *script {
	s := &script{}
	for range rounds {
		s.turns = append(s.turns,
			chat.Response{Finish: chat.ToolCalls,
				Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "1", Name: "search", Arguments: `{"query":"otters","limit":3}`}}}})
	}
	s.turns = append(s.turns, chat.Response{Finish: chat.Stop, Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}})
	return s
}

func byHand(ctx context.Context, model chat.Model, m *machine, question string) (string, error) {
	messages := []chat.Message{chat.UserText(question)}
	for {
		resp, err := model.Generate(ctx, &chat.Request{System: "Answer the question.", Messages: messages, Tools: agentPrompt.Specs}, nil)
		if err != nil {
			return "", err
		}
		messages = append(messages, resp.Message)
		if len(resp.Message.Calls) == 0 {
			return resp.Message.Text, nil
		}
		for i := range resp.Message.Calls {
			c := &resp.Message.Calls[i]
			result, err := m.CallTool(ctx, c)
			if err != nil {
				return "", err
			}
			messages = append(messages, chat.Message{Role: chat.RoleTool, Call: c.ID, Name: c.Name, Text: result.Text})
		}
	}
}

func BenchmarkToolLoop(b *testing.B) {
	s := newScript(10)
	m := &machine{model: s, node: &agentPrompt}
	ctx := context.Background()
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := byHand(ctx, s, m, "where?"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("graph", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Run(ctx, "where?"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
