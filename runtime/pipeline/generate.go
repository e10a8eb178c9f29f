package pipeline

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/runtime/engine"
)

// Generate has a model answer a request, within the budget of the run. A panic or an answer without
// content is an error. It repairs messages of another role, bytes that are not UTF-8, and calls
// without distinct IDs.
func Generate(ctx context.Context, run *engine.Run, model chat.Model, req *chat.Request) (*chat.Response, error) {
	return new(callMeter).ask(ctx, run, model, req, false)
}

// generate is Generate for a request with a text of the author's, whose version is reported.
func generate(ctx context.Context, run *engine.Run, model chat.Model, req *chat.Request, text string) (*chat.Response, error) {
	w := &callMeter{version: prompttext.Version(prompttext.Hash(text), prompttext.Hash(""), prompttext.Hash(""))}
	return w.ask(ctx, run, model, req, false)
}

// ask is Generate by a meter that makes one answer after another. Observers get the pieces of an answer that streams.
func (c *callMeter) ask(ctx context.Context, run *engine.Run, model chat.Model, req *chat.Request, streams bool) (*chat.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	resp, err := c.generate(ctx, run, model, req, streams)
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, &chat.ModelError{Kind: chat.Malformed, Message: "the model gave neither an answer nor an error"}
	}
	return proper(resp), nil
}

// proper returns an answer in the form that conversations need: of the assistant, and with
// calls that have distinct IDs. Providers refuse a conversation with any other.
func proper(resp *chat.Response) *chat.Response {
	m := &resp.Message
	distinct := areDistinct(m.Calls)
	if m.Role == chat.RoleAssistant && distinct && (m.Text == "" || utf8.ValidString(m.Text)) {
		return resp
	}
	mended := *resp // others may share it
	mended.Message.Role = chat.RoleAssistant
	mended.Message.Text = strings.ToValidUTF8(m.Text, "\ufffd") // or nothing that holds it had a JSON
	if !distinct {
		mended.Message.Calls = distinctCalls(m.Calls)
	}
	return &mended
}

// fewCalls is up to how many calls are compared pairwise; more need a set.
const fewCalls = 16

func areDistinct(calls []chat.ToolCall) bool {
	if len(calls) > fewCalls {
		seen := make(map[string]bool, len(calls))
		for i := range calls {
			seen[calls[i].ID] = true
		}
		return len(seen) == len(calls) && !seen[""]
	}
	for i := range calls {
		if calls[i].ID == "" {
			return false
		}
		for j := range i {
			if calls[j].ID == calls[i].ID {
				return false
			}
		}
	}
	return true
}

// distinctCalls gives an ID to each call that has none, or the ID of an earlier call.
func distinctCalls(calls []chat.ToolCall) []chat.ToolCall {
	calls = slices.Clone(calls)
	taken := make(map[string]bool, len(calls))
	for i := range calls {
		taken[calls[i].ID] = true
	}
	seen := make(map[string]bool, len(calls))
	next := 0
	for i := range calls {
		id := calls[i].ID
		for id == "" || seen[id] || id != calls[i].ID && taken[id] {
			next++
			id = "call_" + strconv.Itoa(next)
		}
		seen[id], calls[i].ID = true, id
	}
	return calls
}
