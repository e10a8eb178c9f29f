package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type none struct{}

type text struct {
	Text string `json:"text" jsonschema:"what to say"`
}

type sum struct {
	A int `json:"a"`
	B int `json:"b"`
}

type total struct {
	Total int `json:"total"`
}

func say(s string) *sdk.CallToolResult { return give(&sdk.TextContent{Text: s}) }

func give(content ...sdk.Content) *sdk.CallToolResult { return &sdk.CallToolResult{Content: content} }

// add adds a tool that has no structured result.
func add[In any](s *sdk.Server, name, doc string, run func(context.Context, In) (*sdk.CallToolResult, error)) {
	sdk.AddTool(s, &sdk.Tool{Name: name, Description: doc},
		func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
			result, err := run(ctx, in)
			return result, nil, err
		})
}

// anything is the schema of an object without a schema of its members.
var anything = json.RawMessage(`{"type":"object"}`)

// answers adds the tools that answer.
func answers(s *sdk.Server) {
	add(s, "echo", "Returns its argument.", func(_ context.Context, in text) (*sdk.CallToolResult, error) {
		return say(in.Text), nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "add", Title: "Adds two numbers."},
		func(_ context.Context, _ *sdk.CallToolRequest, in sum) (*sdk.CallToolResult, total, error) {
			return nil, total{in.A + in.B}, nil
		})
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","maximum":9}},"required":["a"]}`)
	s.AddTool(&sdk.Tool{Name: "raw/structured.only", InputSchema: schema},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: json.RawMessage(`{"b":[1,2],"a":null}`)}, nil
		})
	add(s, "media", "Gives an image and a sound.", func(context.Context, none) (*sdk.CallToolResult, error) {
		return give(
			&sdk.TextContent{Text: "look"},
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("\x89PNG")},
			&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("RIFF")},
			&sdk.TextContent{Text: "and listen"}), nil
	})
	add(s, "resources", "Gives resources, and links to some.", func(context.Context, none) (*sdk.CallToolResult, error) {
		size := int64(12)
		return give(
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.txt", MIMEType: "text/plain", Text: "in a"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///d/b.pdf", MIMEType: "application/pdf", Blob: []byte("%PDF")}},
			&sdk.ResourceLink{URI: "file:///c.csv", Name: "c", Title: "Table C", MIMEType: "text/csv", Size: &size, Description: "all rows"}), nil
	})
	add(s, "repeats", "Repeats this as structured content, and as the address of a resource.", func(_ context.Context, in text) (*sdk.CallToolResult, error) {
		blob := &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///d/" + in.Text, MIMEType: "application/pdf", Blob: []byte("%PDF")}}
		return &sdk.CallToolResult{Content: []sdk.Content{blob}, StructuredContent: in}, nil
	})
	add(s, "fails", "Fails.", func(context.Context, text) (*sdk.CallToolResult, error) {
		return nil, errors.New("there is no otter")
	})
	var refusals atomic.Int64
	s.AddTool(&sdk.Tool{Name: "refuse", Description: "Is refused with an error of the protocol that has this code.", InputSchema: anything},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ Code int64 }
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return nil, &jsonrpc.Error{Code: in.Code, Message: fmt.Sprint("refusal ", refusals.Add(1))}
		})
	asks(s)
	add(s, "environment", "Names the variables of the environment, and returns the value of one.",
		func(_ context.Context, in text) (*sdk.CallToolResult, error) {
			var names []string
			for _, entry := range os.Environ() {
				name, _, _ := strings.Cut(entry, "=")
				names = append(names, name)
			}
			fmt.Fprintln(os.Stderr, in.Text, "is", os.Getenv(in.Text))
			return say(os.Getenv(in.Text) + " of " + strings.Join(names, " ")), nil
		})
	add(s, "grow", "Adds a tool of this name to the list.", func(_ context.Context, in text) (*sdk.CallToolResult, error) {
		add(s, in.Text, "Was not there before.", func(context.Context, none) (*sdk.CallToolResult, error) { return say("new"), nil })
		return say("there it is"), nil
	})
}

// asks adds the tools that ask a person.
func asks(s *sdk.Server) {
	sdk.AddTool(s, &sdk.Tool{Name: "asks", Description: "Wants a person to say something."},
		func(_ context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
			if given, ok := r.Params.InputResponses["name"].(*sdk.ElicitResult); ok {
				return say(fmt.Sprint(given.Action, " ", given.Content["name"], " ", r.Params.RequestState)), nil, nil
			}
			schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","minLength":2}},"required":["name"]}`)
			return &sdk.CallToolResult{RequestState: "where it was", InputRequests: sdk.InputRequestMap{
				"name": &sdk.ElicitParams{Mode: "form", Message: "who are you?", RequestedSchema: schema},
			}}, nil, nil
		})
	gaveUp := make(chan struct{})
	sdk.AddTool(s, &sdk.Tool{Name: "ask_in_vain", Description: "Asks a person until give_up is called, in versions before 2026-07-28."},
		func(ctx context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() {
				<-gaveUp
				cancel()
			}()
			_, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "who are you?", RequestedSchema: anything})
			return say(fmt.Sprint(err)), nil, nil
		})
	add(s, "give_up", "Ends a question of ask_in_vain.", func(context.Context, none) (*sdk.CallToolResult, error) {
		gaveUp <- struct{}{}
		return say("gave up"), nil
	})
}
