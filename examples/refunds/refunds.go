// Package refunds answers customers, and asks people first where it matters: support before it pays money back, but not
// before it looks an order up; inbox in the branches of a map, before each reply is sent; office through a graph that its
// branches run. The people are played by a function, and the model by a script of what it does.
package refunds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

//go:generate go tool graphgen

// A Shop has the tools and the handlers of the graphs.
type Shop struct {
	Paid map[string]int // by order, in cents

	mu       sync.Mutex
	Refunded map[string]int // by order, in cents
}

// LookUp is the tool look_up.
func (s *Shop) LookUp(_ context.Context, args SupportLookUpArgs) (int, error) {
	cents, ok := s.Paid[args.Order]
	if !ok {
		return 0, errors.New("there is no order " + args.Order)
	}
	return cents, nil
}

// Refund is the tool refund. No call reaches it that no person approved.
func (s *Shop) Refund(_ context.Context, args SupportRefundArgs) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Refunded == nil {
		s.Refunded = map[string]int{}
	}
	s.Refunded[args.Order] += args.Cents
	return fmt.Sprintf("%d cents are paid back for %s", args.Cents, args.Order), nil
}

// Send is the handler of the node send.
func (s *Shop) Send(_ context.Context, in InboxSendIn) (InboxSendOut, error) {
	return InboxSendOut{Sent: []string{in.Draft}}, nil
}

// A Person answers a request, in JSON. An empty answer leaves the request open.
type Person func(q graphgen.Request) (answer string)

// A Resume is the method Resume of a machine.
type Resume[M, Out any] = func(context.Context, *graphgen.Pause, graphgen.Answer[M], ...graphgen.ResumeOption) (Out, error)

// Ask has a person answer the requests of a run, one at a time, until it ends or the person leaves one open. out and err are what
// the run has returned. This code knows no graph. The options are for each part of the run.
func Ask[M, Out any](ctx context.Context, out Out, err error, person Person, resume Resume[M, Out], opts ...graphgen.ResumeOption) (Out, error) {
	for p := graphgen.AsPause(err); p != nil; p = graphgen.AsPause(err) {
		answer := ""
		i := slices.IndexFunc(p.Requests, func(q graphgen.Request) bool {
			answer = person(q)
			return answer != ""
		})
		if i < 0 {
			break
		}
		out, err = resume(ctx, p, graphgen.AnswerJSON[M](p.Requests[i].ID, []byte(answer)), opts...)
	}
	return out, err
}

// Agent plays the model: it looks up the order that a message names, asks for its money back where the message does, and
// says what it was told.
var Agent = chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	message := req.Messages[0].Text
	order := orderIn(message)
	said := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}}
	call := func(tool, arguments string) {
		said.Message.Calls = []chat.ToolCall{{ID: tool, Name: tool, Arguments: arguments}}
	}
	switch {
	case len(req.Tools) == 0:
		said.Message.Text = "Thank you for your message about " + order + "."
	case last.Role == chat.RoleUser:
		call("look_up", fmt.Sprintf(`{"order": %q}`, order))
	case last.Name == "look_up" && !last.Failed && strings.Contains(message, "money"):
		call("refund", fmt.Sprintf(`{"order": %q, "cents": %s}`, order, last.Text))
	default:
		said.Message.Text = "About " + order + ": " + last.Text + "."
	}
	return said, nil
})

// orderIn returns the order that a message names: a word that begins with a number sign.
func orderIn(message string) string {
	for _, word := range strings.Fields(message) {
		if name, ok := strings.CutPrefix(word, "#"); ok {
			return strings.Trim(name, ".,:!?")
		}
	}
	return "none"
}

// NewShopSupport returns the support agent of a shop.
func NewShopSupport(s *Shop) (*Support, error) { return NewSupport(s, Agent) }

// NewShopInbox returns the inbox of a shop.
func NewShopInbox(s *Shop) (*Inbox, error) { return NewInbox(s, Agent) }

// NewShopOffice returns the office of a shop.
func NewShopOffice(s *Shop) (*Office, error) {
	support, err := NewShopSupport(s)
	if err != nil {
		return nil, err
	}
	return NewOffice(support)
}
