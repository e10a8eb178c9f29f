package mcp

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An Elicitation is what a server asks a person during a call of one of its tools.
type Elicitation struct {
	Server  string // its name
	Message string // the question
	Schema  []byte // the JSON Schema of the answer, an object without objects in it; nil: the server gives none
}

// Elicit lets a server ask a person, by a form: ask returns the answer, a JSON object that fits the schema, or nil if the person declines. An error cancels
// the question, and its text does not leave the process. The call of the tool waits meanwhile, until its context ends, which is the context of ask. Several
// questions may be asked at the same time. Without this option, a tool that asks is an error to the model.
//
// A run that has to survive the wait does not ask here: give the graph a node of kind human, or a tool with approve.
func Elicit(ask func(ctx context.Context, e Elicitation) (answer []byte, err error)) Option {
	return func(c *config) { c.ask = ask }
}

// offer is what the client offers to a server.
func (c *config) offer(o *sdk.ClientOptions) {
	o.Capabilities, o.MultiRoundTrip = &sdk.ClientCapabilities{}, &sdk.MultiRoundTripOptions{Disabled: c.ask == nil}
	if c.ask == nil {
		return
	}
	o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
	o.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		content, err := c.elicit(ctx, r.Params)
		switch {
		case err != nil:
			return &sdk.ElicitResult{Action: "cancel"}, nil
		case content == nil:
			return &sdk.ElicitResult{Action: "decline"}, nil
		}
		return &sdk.ElicitResult{Action: "accept", Content: content}, nil
	}
}

var errNoForm = errors.New("the server asks by other means than a form")

// elicit asks a person. Nil is a person who declines.
func (c *config) elicit(ctx context.Context, p *sdk.ElicitParams) (content map[string]any, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the function panicked")
		}
	}()
	if p.URL != "" {
		return nil, errNoForm
	}
	e := Elicitation{Server: c.name, Message: p.Message}
	if p.RequestedSchema != nil {
		if e.Schema, err = json.Marshal(p.RequestedSchema); err != nil {
			return nil, err
		}
	}
	answer, err := c.ask(ctx, e)
	if err != nil || answer == nil {
		return nil, err
	}
	if err := json.Unmarshal(answer, &content); err != nil {
		return nil, err
	}
	if content == nil {
		return nil, errors.New("the answer is no object")
	}
	return content, nil
}
