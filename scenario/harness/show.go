package harness

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

// errShown ends a run whose request is to be shown.
var errShown = errors.New("the request is shown")

// show keeps the first request of a node, and returns an error, which ends the run.
func (m *model) show(ctx context.Context, node string, req *chat.Request) error {
	s := m.script
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown != nil {
		return errShown
	}
	shown := &wire.Request{
		Node: node, Purpose: string(req.Purpose), Model: req.Model, System: req.System,
		Temperature: req.Temperature, MaxTokens: req.MaxTokens, Cache: req.Cache,
	}
	if shown.Model == "" {
		shown.Model = m.name
	}
	if c, ok := ctx.Value(chat.CallerKey{}).(chat.Versioned); ok {
		shown.Version = c.PromptVersion()
	}
	for i := range req.Messages {
		shown.Messages = append(shown.Messages, turnOf(&req.Messages[i]))
	}
	for _, t := range req.Tools {
		shown.Tools = append(shown.Tools, wire.Tool{Name: t.Name, Doc: t.Doc, Schema: json.RawMessage(t.Schema)})
	}
	switch req.Choice.Mode {
	case chat.None:
		shown.Choice = "none"
	case chat.Required:
		shown.Choice = "required"
	case chat.Named:
		shown.Choice = req.Choice.Name
	}
	if req.Output != nil {
		shown.Output = &wire.Schema{Name: req.Output.Name, JSON: json.RawMessage(req.Output.JSON)}
	}
	s.shown = shown
	return errShown
}

func turnOf(m *chat.Message) wire.Turn {
	t := wire.Turn{Role: m.Role.String(), Text: m.Text}
	for i := range m.Media {
		t.Media = append(t.Media, mediaText(&m.Media[i]))
	}
	for _, c := range m.Calls {
		t.Calls = append(t.Calls, c.Name+c.Arguments)
	}
	return t
}
