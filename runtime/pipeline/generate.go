package pipeline

import (
	"context"

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
