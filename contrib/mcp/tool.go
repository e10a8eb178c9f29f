package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"reflect"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/graphgen/graphgen/chat"
)

// A tool is one of a server's.
type tool struct {
	server *Server
	described
}

// Spec returns the description of the tool for the model.
func (t *tool) Spec() chat.ToolSpec { return t.spec }

// Call has the server run the tool. Its errors are a ToolError, a CallError, a
// TooLargeError, a DownError, ErrClosed, or the context's.
func (t *tool) Call(ctx context.Context, arguments string) (chat.ToolResult, error) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	if !json.Valid([]byte(arguments)) || !strings.HasPrefix(strings.TrimSpace(arguments), "{") {
		return chat.ToolResult{}, &CallError{Server: t.server.cfg.name, Tool: t.name, Message: "the arguments are not a JSON object"}
	}
	ctx, release := t.server.bind(ctx)
	defer release()
	var result *sdk.CallToolResult
	err := t.server.do(ctx, t.name, func(ctx context.Context, s *session) (err error) {
		result, err = s.sdk.CallTool(ctx, &sdk.CallToolParams{Name: t.name, Arguments: json.RawMessage(arguments)})
		return err
	})
	if err != nil {
		return chat.ToolResult{}, err
	}
	return t.result(result)
}

// result converts a server's result into one for the model.
func (t *tool) result(from *sdk.CallToolResult) (chat.ToolResult, error) {
	if from.NeedsInput() {
		return chat.ToolResult{}, &CallError{
			Server: t.server.cfg.name, Tool: t.name,
			Message: "the tool asks for input of a person, which it cannot have here",
		}
	}
	cfg := &t.server.cfg
	structured, err := jsonOf(from.StructuredContent)
	if err != nil {
		return chat.ToolResult{}, &CallError{Server: cfg.name, Tool: t.name, Message: cfg.redact(err.Error())}
	}
	repeated := from.StructuredContent == nil
	var texts []string
	var media []chat.Media
	for _, c := range from.Content {
		text, m := cfg.content(c)
		if from.StructuredContent != nil && isJSONOf(text, from.StructuredContent) {
			repeated = true
			if cfg.redact(structured) != structured {
				text = structured // whose escapes are known
			}
		}
		if text != "" {
			texts = append(texts, text)
		}
		if m != nil {
			media = append(media, *m)
		}
	}
	if !repeated {
		texts = append(texts, structured)
	}
	text := cfg.redact(strings.Join(texts, "\n"))
	if from.IsError {
		return chat.ToolResult{}, &ToolError{Server: cfg.name, Tool: t.name, Text: text, Media: media}
	}
	return chat.ToolResult{Text: text, Media: media}, nil
}

// jsonOf returns a value as JSON, with no escapes but what JSON needs.
func jsonOf(value any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// isJSONOf reports whether a text is the JSON of a value. Servers repeat the structured content of a result as a text, for clients that
// know no other.
func isJSONOf(text string, value any) bool {
	var v any
	return json.Unmarshal([]byte(text), &v) == nil && reflect.DeepEqual(v, value)
}

// content returns a piece of a result as text, as media, or both.
func (c *config) content(from sdk.Content) (string, *chat.Media) {
	switch from := from.(type) {
	case *sdk.TextContent:
		return from.Text, nil
	case *sdk.ImageContent:
		return "", &chat.Media{Type: from.MIMEType, Data: from.Data}
	case *sdk.AudioContent:
		return "", &chat.Media{Type: from.MIMEType, Data: from.Data}
	case *sdk.EmbeddedResource:
		return c.resource(from.Resource)
	case *sdk.ResourceLink:
		return link(from), nil
	}
	return "", nil // the rest belongs to conversations that a server holds, and is in no result
}

// resource returns what a resource holds: its text under its address, or its bytes.
func (c *config) resource(r *sdk.ResourceContents) (string, *chat.Media) {
	switch {
	case r == nil:
		return "", nil
	case len(r.Blob) > 0:
		kind := r.MIMEType
		kind = cmp.Or(kind, "application/octet-stream")
		return "", &chat.Media{Type: kind, Data: r.Blob, Name: path.Base(c.redact(r.URI))}
	}
	return r.URI + ":\n" + r.Text, nil
}

// link returns a line about a resource that a result only points at. It is text, and not
// media by reference: the address is often one that only the server can read.
func link(l *sdk.ResourceLink) string {
	name := l.Title
	name = cmp.Or(name, l.Name)
	facts := []string{name}
	if l.MIMEType != "" {
		facts = append(facts, l.MIMEType)
	}
	if l.Size != nil {
		facts = append(facts, strconv.FormatInt(*l.Size, 10)+" bytes")
	}
	text := "resource " + l.URI + " (" + strings.Join(facts, ", ") + ")"
	if l.Description != "" {
		text += ": " + l.Description
	}
	return text
}
