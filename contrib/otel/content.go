package graphotel

import (
	"encoding/json"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/graphgen/graphgen/chat"
)

// A message is one in the form of the conventions.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"`
}

// A part is a piece of a message.
type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Response  string `json:"response,omitempty"`
	MIME      string `json:"mime_type,omitempty"`
	URI       string `json:"uri,omitempty"`
}

// given returns the content of a request.
func (o *Observer) given(req *chat.Request) []attribute.KeyValue {
	messages := make([]message, len(req.Messages))
	for i := range req.Messages {
		messages[i] = o.messageOf(&req.Messages[i])
	}
	attributes := []attribute.KeyValue{semconv.GenAIInputMessagesKey.String(asJSON(messages))}
	if req.System != "" {
		attributes = append(attributes, semconv.GenAISystemInstructionsKey.String(asJSON([]part{{Type: "text", Content: o.clip(req.System)}})))
	}
	if len(req.Tools) > 0 {
		type tool struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			Parameters  json.RawMessage `json:"parameters,omitempty"`
		}
		var tools []tool
		for _, t := range req.Tools {
			d := tool{Type: "function", Name: t.Name, Description: o.clip(t.Doc)}
			if json.Valid([]byte(t.Schema)) {
				d.Parameters = json.RawMessage(t.Schema)
			}
			tools = append(tools, d)
		}
		attributes = append(attributes, semconv.GenAIToolDefinitionsKey.String(asJSON(tools)))
	}
	return attributes
}

// spoken returns the content of an answer.
func (o *Observer) spoken(resp *chat.Response) attribute.KeyValue {
	m := o.messageOf(&resp.Message)
	m.Role, m.Finish = "assistant", string(resp.Finish)
	return semconv.GenAIOutputMessagesKey.String(asJSON([]message{m}))
}

// messageOf returns a message in the form of the conventions, without the bytes of media.
func (o *Observer) messageOf(m *chat.Message) message {
	made := message{Role: m.Role.String(), Parts: []part{}}
	add := func(p part) { made.Parts = append(made.Parts, p) }
	for _, r := range m.Reasoning {
		if r.Text != "" {
			add(part{Type: "reasoning", Content: o.clip(r.Text)})
		}
	}
	switch {
	case m.Role == chat.RoleTool:
		add(part{Type: "tool_call_response", ID: m.Call, Response: o.clip(m.Text)})
	case m.Text != "":
		add(part{Type: "text", Content: o.clip(m.Text)})
	}
	for _, media := range m.Media {
		add(part{Type: "uri", MIME: media.Type, URI: o.clip(media.URL)})
	}
	for _, c := range m.Calls {
		add(part{Type: "tool_call", ID: c.ID, Name: c.Name, Arguments: o.clip(c.Arguments)})
	}
	return made
}

// asJSON returns a value of this file as JSON, which always has one.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// clip cuts a text that is too long, between two characters.
func (o *Observer) clip(text string) string {
	most := o.config.ContentLimit
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
