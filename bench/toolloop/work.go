// Package toolloop has a tool loop of a generated machine, to be measured beside the same loop written by hand, over
// the same model and the same tool.
package toolloop

import (
	"context"

	"github.com/graphgen/graphgen/chat"
)

// rounds is how often the model asks for the tool before it answers.
const rounds = 10

// Question is what the agent is asked.
const Question = "Where do otters sleep?"

// Tools finds every query.
type Tools struct{}

//go:noinline
func (Tools) Search(_ context.Context, args AgentSearchArgs) (string, error) {
	return "found " + args.Query, nil
}

// A Script is a model that asks for the tool in every round, and then answers. It counts the
// rounds by the messages of the request, and allocates nothing.
type Script struct{ turns []chat.Response }

// NewScript returns the script of ten rounds.
func NewScript() *Script { return newScript(rounds) }

func newScript(rounds int) *Script {
	s := &Script{}
	for range rounds {
		s.turns = append(s.turns, chat.Response{Finish: chat.ToolCalls, Message: chat.Message{
			Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "call_1", Name: "search", Arguments: `{"query":"otters","limit":3}`}},
		}})
	}
	s.turns = append(s.turns, chat.Response{Finish: chat.Stop, Message: chat.Message{Role: chat.RoleAssistant, Text: "In kelp."}})
	return s
}

func (s *Script) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	return &s.turns[(len(req.Messages)-1)/2], nil
}
