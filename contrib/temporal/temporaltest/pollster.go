package temporaltest

import (
	"context"
	"strings"

	"github.com/graphgen/graphgen/chat"
)

// A Pollster has the handlers of the graph vote. Note gets each of their effects.
type Pollster struct {
	Note  func(ctx context.Context, effect string)
	Fails func(ctx context.Context, name string) error // why a vote is not counted; nil: each is
}

// Count counts a vote.
func (p *Pollster) Count(ctx context.Context, in VoteCountIn) (VoteCountOut, error) {
	p.Note(ctx, "count")
	if p.Fails != nil {
		if err := p.Fails(ctx, in.Name); err != nil {
			return VoteCountOut{}, err
		}
	}
	return VoteCountOut{Heard: []string{strings.TrimSpace(in.Name + " votes " + in.Why)}}, nil
}

// Absent notes who has not answered.
func (p *Pollster) Absent(ctx context.Context, in VoteAbsentIn) (VoteAbsentOut, error) {
	p.Note(ctx, "absent")
	return VoteAbsentOut{Heard: []string{in.Name + " is absent"}}, nil
}

// Inviter is the model of the graph vote: it invites people.
func Inviter(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	name := strings.TrimPrefix(r.Messages[len(r.Messages)-1].Text, "Invite ")
	return &chat.Response{
		Message: chat.Message{Role: chat.RoleAssistant, Text: strings.Trim(name, ".") + " is invited"}, Usage: chat.Usage{Input: 7},
	}, nil
}
