package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"reflect"
	"slices"
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
	var texts []string
	var media []chat.Media
	for _, c := range from.Content {
		text, m := content(c)
		if text != "" {
			texts = append(texts, text)
		}
		if m != nil {
			media = append(media, *m)
		}
	}
	if from.StructuredContent != nil && !slices.ContainsFunc(texts, func(text string) bool { return isJSONOf(text, from.StructuredContent) }) {
		structured, err := json.Marshal(from.StructuredContent)
		if err != nil {
			return chat.ToolResult{}, &CallError{Server: t.server.cfg.name, Tool: t.name, Message: err.Error()}
		}
		texts = append(texts, string(structured))
	}
	text := t.server.cfg.redact(strings.Join(texts, "\n"))
	if from.IsError {
		return chat.ToolResult{}, &ToolError{Server: t.server.cfg.name, Tool: t.name, Text: text, Media: media}
	}
	return chat.ToolResult{Text: text, Media: media}, nil
}

// isJSONOf reports whether a text is the JSON of a value. Servers repeat the structured content of a result as a text, for clients that
// know no other.
func isJSONOf(text string, value any) bool {
	var v any
	return json.Unmarshal([]byte(text), &v) == nil && reflect.DeepEqual(v, value)
}

// content returns a piece of a result as text, as media, or both.
func content(c sdk.Content) (string, *chat.Media) {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text, nil
	case *sdk.ImageContent:
		return "", &chat.Media{Type: c.MIMEType, Data: c.Data}
	case *sdk.AudioContent:
		return "", &chat.Media{Type: c.MIMEType, Data: c.Data}
	case *sdk.EmbeddedResource:
		return resource(c.Resource)
	case *sdk.ResourceLink:
		return link(c), nil
	}
	return "", nil // the rest belongs to conversations that a server holds, and is in no result
}

// resource returns what a resource holds: its text under its address, or its bytes.
func resource(r *sdk.ResourceContents) (string, *chat.Media) {
	switch {
	case r == nil:
		return "", nil
	case len(r.Blob) > 0:
		kind := r.MIMEType
		kind = cmp.Or(kind, "application/octet-stream")
		return "", &chat.Media{Type: kind, Data: r.Blob, Name: path.Base(r.URI)}
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
