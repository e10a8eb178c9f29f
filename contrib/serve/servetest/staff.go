package servetest

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/chat"
)

// A Staff has the handler and the tools of the graph desk, and counts what they do.
type Staff struct {
	mu   sync.Mutex
	Done []string
}

func (s *Staff) did(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Done = append(s.Done, what)
}

// Count returns how often something was done.
func (s *Staff) Count(what string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, done := range s.Done {
		if done == what {
			n++
		}
	}
	return n
}

// Post posts a message.
func (s *Staff) Post(_ context.Context, in DeskPostIn) (DeskPostOut, error) {
	s.did("post")
	return DeskPostOut{Reply: "posted"}, nil
}

// LookUp returns what an order is.
func (s *Staff) LookUp(_ context.Context, args DeskLookUpArgs) (string, error) {
	return "order " + args.Order + " is on its way; the password is sesame", nil
}

// Refund pays money back.
func (s *Staff) Refund(_ context.Context, args DeskRefundArgs) (string, error) {
	s.did("refund " + args.Order)
	return "paid", nil
}

// Clerk is the model of the desk. It calls the tool that the message names, and answers in pieces of a word. The message "wait" is answered when the
// context ends, and a "slow" one in pieces for which Next is asked.
type Clerk struct {
	Next func(ctx context.Context) // nil: a slow message is as any other
}

// Generate answers a request.
func (c *Clerk) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	answer := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Finish: chat.Stop, Usage: chat.Usage{Input: 7, Output: 3}}
	call := func(id, name, arguments string) {
		answer.Finish = chat.ToolCalls
		answer.Message.Calls = append(answer.Message.Calls, chat.ToolCall{ID: id, Name: name, Arguments: arguments})
	}
	switch {
	case last.Role == chat.RoleTool:
		answer.Message.Text = "The desk heard: " + last.Text
	case last.Text == "refund":
		call("m1", "refund", `{"order":"A-7","amount":20}`)
	case last.Text == "where":
		call("m1", "locate", `{}`)
	case last.Text == "two":
		call("m1", "refund", `{"order":"A-7","amount":20}`)
		call("m2", "locate", `{}`)
	case last.Text == "look":
		call("m1", "look_up", `{"order":"A-7"}`)
	case last.Text == "wait":
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case last.Text == "fail":
		return nil, errors.New("the key sesame is wrong")
	case last.Text == "think":
		answer.Message.Text = "You wrote: think"
		answer.Message.Reasoning = []chat.Reasoning{{Text: "The secret word is sesame.", Opaque: "sesame"}}
	default:
		answer.Message.Text = "You wrote: " + last.Text
	}
	if stream != nil && answer.Message.Text != "" {
		for word := range strings.SplitAfterSeq(answer.Message.Text, " ") {
			if c.Next != nil && strings.HasPrefix(last.Text, "slow") {
				if c.Next(ctx); ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
			}
			stream(chat.Delta{Text: word})
		}
	}
	return answer, nil
}
