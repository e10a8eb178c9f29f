package agui

import (
	"encoding/json"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// A message is a message of a client. Its content is a text, or parts.
type message struct {
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"toolCallId"`
	Error      string          `json:"error"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"toolCalls"`
}

// A part is a part of the content of a message.
type part struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source struct {
		Type     string `json:"type"`
		Value    string `json:"value"`
		MimeType string `json:"mimeType"`
	} `json:"source"`
}

// result returns the answer of a tool's message: its content is JSON, or a text.
func (m *message) result(q *graphgen.Request) ([]byte, error) {
	if m.Error != "" {
		return speech.Failed(q, m.Error)
	}
	text := ""
	if json.Unmarshal(m.Content, &text) != nil {
		return nil, speech.Invalid("messages.content", "The result of a tool is a text.")
	}
	return speech.Written(q, text)
}

// conversation returns the messages of a client as a model has them.
func conversation(list []message) (messages []chat.Message, err error) {
	roles := map[string]chat.Role{
		"user": chat.RoleUser, "assistant": chat.RoleAssistant, "tool": chat.RoleTool, "system": chat.RoleSystem, "developer": chat.RoleSystem,
	}
	for i := range list {
		m := &list[i]
		if m.Role == "reasoning" || m.Role == "activity" { // for the page
			continue
		}
		of := chat.Message{Role: roles[m.Role], Failed: m.Error != "", Call: m.ToolCallID}
		if of.Role == 0 {
			return nil, speech.Invalid(speech.Index("messages", i)+".role", "It is user, assistant, tool, system or developer.")
		}
		for _, call := range m.ToolCalls {
			of.Calls = append(of.Calls, chat.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
		}
		if err := m.fill(&of, speech.Index("messages", i)+".content"); err != nil {
			return nil, err
		}
		messages = append(messages, of)
	}
	return messages, nil
}

// fill adds the content of a message.
func (m *message) fill(of *chat.Message, at string) error {
	text := ""
	if len(m.Content) == 0 || string(m.Content) == "null" {
		return nil
	}
	if json.Unmarshal(m.Content, &text) == nil {
		of.Text = text
		return nil
	}
	var parts []part
	if json.Unmarshal(m.Content, &parts) != nil {
		return speech.Invalid(at, "It is a text, or a list of parts.")
	}
	for i := range parts {
		p := &parts[i]
		switch p.Type {
		case "text":
			if of.Text != "" {
				of.Text += "\n"
			}
			of.Text += p.Text
		case "image", "audio", "document":
			link := p.Source.Value
			if p.Source.Type == "data" {
				link = "data:" + p.Source.MimeType + ";base64," + link
			}
			file, err := speech.File(link, p.Source.MimeType, "")
			if err != nil {
				return speech.Invalid(speech.Index(at, i)+".source", err.Error())
			}
			of.Media = append(of.Media, file)
		default:
			return speech.Invalid(speech.Index(at, i)+".type", "The graph takes no part of this type.")
		}
	}
	return nil
}
