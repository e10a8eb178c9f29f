package chat_test

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// A versioned calls models for a prompt of a version, and adds up what their calls cost.
type versioned struct{ cost float64 }

func (c *versioned) PromptVersion() string { return "v1" }

func (c *versioned) Call(ctx context.Context, m chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	resp, err := m.Generate(ctx, req, stream)
	c.cost += resp.Usage.Cost
	return resp, err
}

// TestCallerOfAPrice holds that the models within a price have the caller of the model around them: its version of the prompt, and that it sees the cost
// of each call.
func TestCallerOfAPrice(t *testing.T) {
	version := ""
	model := chat.ModelFunc(func(ctx context.Context, _ *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		if c, ok := ctx.Value(chat.CallerKey{}).(chat.Versioned); ok {
			version = c.PromptVersion()
		}
		return &chat.Response{Usage: chat.Usage{Input: 1}}, nil
	})
	by := &versioned{}
	priced := chat.Priced(chat.Retry(model, chat.Backoff{}), chat.Price{Input: 2e6})
	resp, err := priced.Generate(context.WithValue(t.Context(), chat.CallerKey{}, by), &chat.Request{}, nil)
	if err != nil || version != "v1" || by.cost != 2 || resp.Usage.Cost != 2 {
		t.Errorf("the version is %q, the cost %v of %v, %v", version, resp.Usage.Cost, by.cost, err)
	}
}
