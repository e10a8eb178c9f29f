package aisdk

import (
	"encoding/json"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// A message is a UIMessage of a client.
type message struct {
	ID    string `json:"id"`
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

// A part is a part of a message, of any type.
type part struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	URL        string          `json:"url"`
	MediaType  string          `json:"mediaType"`
	Filename   string          `json:"filename"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	State      string          `json:"state"`
	Input      json.RawMessage `json:"input"`
	Output     json.RawMessage `json:"output"`
	ErrorText  string          `json:"errorText"`
	Approval   struct {
		Approved bool   `json:"approved"`
		Reason   string `json:"reason"`
	} `json:"approval"`
}

// tool returns the name of the tool of a part that is a call, empty for others.
func (p *part) tool() string {
	if p.Type == "dynamic-tool" {
		return p.ToolName
	}
	name, _ := strings.CutPrefix(p.Type, "tool-")
	if name == p.Type {
		return ""
	}
	return name
}

// answers reports whether the user has decided about a call, or the client has made it.
func (p *part) answers() bool {
	switch p.State {
	case "approval-responded", "output-available", "output-error", "output-denied":
		return true
	}
	return false
}

// answer returns the answer to a request.
func (p *part) answer(q *graphgen.Request) ([]byte, error) {
	switch p.State {
	case "approval-responded":
		return speech.Decided(q, p.Approval.Approved, p.Approval.Reason)
	case "output-denied":
		return speech.Decided(q, false, p.Approval.Reason)
	case "output-error":
		return speech.Failed(q, p.ErrorText)
	}
	return speech.Given(q, p.Output)
}

// conversation returns the messages of a client as a model has them.
func conversation(list []message) (messages []chat.Message, err error) {
	for i := range list {
		m := &list[i]
		var of chat.Message
		var results []chat.Message
		switch m.Role {
		case "user":
			of.Role = chat.RoleUser
		case "assistant":
			of.Role = chat.RoleAssistant
		case "system":
			of.Role = chat.RoleSystem
		default:
			return nil, speech.Invalid(speech.Index("messages", i)+".role", "It is user, assistant or system.")
		}
		for n := range m.Parts {
			p := &m.Parts[n]
			at := speech.Index(speech.Index("messages", i)+".parts", n)
			switch tool := p.tool(); {
			case p.Type == "text":
				if of.Text != "" {
					of.Text += "\n"
				}
				of.Text += p.Text
			case p.Type == "file":
				file, err := speech.File(p.URL, p.MediaType, p.Filename)
				if err != nil {
					return nil, speech.Invalid(at+".url", err.Error())
				}
				of.Media = append(of.Media, file)
			case tool != "" && of.Role == chat.RoleAssistant:
				if !p.answers() || p.Input == nil {
					continue // a call without a result is nothing that a model can be shown
				}
				of.Calls = append(of.Calls, chat.ToolCall{ID: p.ToolCallID, Name: tool, Arguments: string(p.Input)})
				result := chat.Message{Role: chat.RoleTool, Call: p.ToolCallID, Name: tool, Text: string(p.Output)}
				if p.State != "output-available" && p.State != "approval-responded" {
					result.Failed, result.Text = true, p.ErrorText
				}
				results = append(results, result)
			case passes(p.Type):
			default:
				return nil, speech.Invalid(at+".type", "The graph takes no part of this type.")
			}
		}
		messages = append(append(messages, of), results...)
	}
	return messages, nil
}

// passes reports whether parts of a type are for the page alone.
func passes(kind string) bool {
	switch kind {
	case "step-start", "reasoning", "source-url", "source-document":
		return true
	}
	return strings.HasPrefix(kind, "data-")
}
