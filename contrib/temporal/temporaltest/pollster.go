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
	text := strings.TrimSpace(in.Name + " votes " + in.Why)
	if r := in.Signature; r != nil && r.By != "" {
		text += " (by " + r.By + ", " + r.Note + ")"
	}
	return VoteCountOut{Heard: []string{text}}, nil
}

// Absent notes who has not answered.
func (p *Pollster) Absent(ctx context.Context, in VoteAbsentIn) (VoteAbsentOut, error) {
	p.Note(ctx, "absent")
	return VoteAbsentOut{Heard: []string{in.Name + " is absent"}}, nil
}

// Inviter is the model of the graphs vote and reason: it invites people, and repeats reasons.
func Inviter(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	text := r.Messages[len(r.Messages)-1].Text
	if name, invites := strings.CutPrefix(text, "Invite "); invites {
		text = strings.Trim(name, ".") + " is invited"
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: text}, Usage: chat.Usage{Input: 7}}, nil
}
