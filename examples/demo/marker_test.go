package main

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/examples/agenttriage"
	chatserver "github.com/graphgen/graphgen/examples/chat"
	"github.com/graphgen/graphgen/examples/desk"
	"github.com/graphgen/graphgen/examples/helpline"
	"github.com/graphgen/graphgen/examples/inquiry"
	"github.com/graphgen/graphgen/examples/librarian"
	"github.com/graphgen/graphgen/examples/tenants"
	"github.com/graphgen/graphgen/internal/testing/marker"
)

// TestMarkerIsInNoSystemPrompt runs every example that asks a model, with a marker in what a customer writes.
func TestMarkerIsInNoSystemPrompt(t *testing.T) {
	for name, run := range map[string]func(context.Context, chat.Model) error{
		"desk": func(ctx context.Context, m chat.Model) error {
			_, err := desk.Staff{}.Handle(ctx, m, m, marker.Text)
			return err
		},
		"helpline": func(ctx context.Context, m chat.Model) error {
			_, err := helpline.Answer(ctx, &helpline.Counter{}, m, chat.Tools{}, marker.Text)
			return err
		},
		"librarian": func(ctx context.Context, m chat.Model) error {
			_, err := librarian.Ask(ctx, m, librarian.Shelf(), marker.Text)
			return err
		},
		"inquiry": func(ctx context.Context, m chat.Model) error {
			_, err := inquiry.Ask(ctx, m, inquiry.Shelf(), marker.Text)
			return err
		},
		"chat": func(ctx context.Context, m chat.Model) error { // every message of a conversation is the caller's
			c, err := chatserver.New(m)
			if err != nil {
				return err
			}
			history := []chat.Message{chat.UserText(marker.Text), {Role: chat.RoleAssistant, Text: marker.Text}}
			_, err = c.Run(ctx, chatserver.ChatInput{History: history, Message: marker.Text})
			return err
		},
		"tenants": func(ctx context.Context, m chat.Model) error {
			_, err := tenants.Ask(ctx, m, tenants.Shelf(), marker.Text)
			return err
		},
		"triage": func(ctx context.Context, m chat.Model) error { // its models see what others answer
			dir := t.TempDir()
			if err := agenttriage.Fixture(dir); err != nil {
				return err
			}
			_, err := agenttriage.Investigate(ctx, m, dir)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			model := &marker.Model{}
			model.Check(t, run(t.Context(), chat.Priced(model, chat.Price{})))
		})
	}
}
