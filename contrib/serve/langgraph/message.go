package langgraph

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// A message is a message in LangChain's form.
type message struct {
	Content   any            `json:"content"`
	ToolCalls []toolCall     `json:"tool_calls"`
	Invalid   []any          `json:"invalid_tool_calls"`
	Chunks    []any          `json:"tool_call_chunks"`
	Kwargs    map[string]any `json:"additional_kwargs"`
	Response  map[string]any `json:"response_metadata"`
	ID        string         `json:"id,omitempty"`
	Type      string         `json:"type"`
	CallID    string         `json:"tool_call_id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Status    string         `json:"status,omitempty"`
}

type toolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	Type string          `json:"type"`
}

// answer returns a message of a model.
func answer(id, text string) message {
	return message{
		Content: text, ToolCalls: []toolCall{}, Invalid: []any{}, Chunks: []any{}, Kwargs: map[string]any{}, Response: map[string]any{}, ID: id, Type: "ai",
	}
}

// types are the types of messages by their roles.
var types = map[chat.Role]string{chat.RoleUser: "human", chat.RoleAssistant: "ai", chat.RoleSystem: "system", chat.RoleTool: "tool"}

// written returns a message of a state in LangChain's form.
func written(m *chat.Message, id string) message {
	of := answer(id, m.Text)
	of.Type = types[m.Role]
	for _, c := range m.Calls {
		args := json.RawMessage(c.Arguments)
		if !json.Valid(args) {
			args, _ = json.Marshal(c.Arguments)
		}
		of.ToolCalls = append(of.ToolCalls, toolCall{c.ID, c.Name, args, "tool_call"})
	}
	if m.Role == chat.RoleTool {
		of.CallID, of.Name, of.Status = m.Call, m.Name, "success"
		if m.Failed {
			of.Status = "error"
		}
	}
	if len(m.Media) == 0 {
		return of
	}
	parts := []map[string]any{}
	if m.Text != "" {
		parts = append(parts, map[string]any{"type": "text", "text": m.Text})
	}
	for i := range m.Media {
		f := &m.Media[i]
		link := f.URL
		if link == "" {
			link = "data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
		}
		parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]any{"url": link}})
	}
	of.Content = parts
	return of
}

// valuesOf returns fields of a state as an object. Lists of messages are in LangChain's form.
func valuesOf(fields []thread.Value) json.RawMessage {
	of := map[string]json.RawMessage{}
	for _, f := range fields {
		of[f.Name] = f.JSON
		if list, ok := messagesOf(f.JSON); ok {
			of[f.Name] = list
		}
	}
	data, err := json.Marshal(of)
	if err != nil { // they were read from records
		return json.RawMessage("{}")
	}
	return data
}

// messagesOf returns a list of messages in LangChain's form, and whether a value is one.
func messagesOf(data json.RawMessage) (json.RawMessage, bool) {
	var elements []json.RawMessage
	if len(data) == 0 || data[0] != '[' || json.Unmarshal(data, &elements) != nil || len(elements) == 0 {
		return nil, false
	}
	list := make([]message, len(elements))
	for i, element := range elements {
		var m chat.Message
		if codec.Unmarshal(element, codec.Into(&m, chatjson.DecodeMessage)) != nil || types[m.Role] == "" {
			return nil, false
		}
		list[i] = written(&m, "message-"+strconv.Itoa(i))
	}
	converted, err := json.Marshal(list)
	return converted, err == nil
}

// conversationOf returns the conversation of an input that has messages in LangChain's form alone; nil: it has others.
func conversationOf(input json.RawMessage) (*serve.Conversation, error) {
	var of map[string]json.RawMessage
	var given []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []toolCall      `json:"tool_calls"`
		CallID  string          `json:"tool_call_id"`
		Name    string          `json:"name"`
	}
	if json.Unmarshal(input, &of) != nil || len(of) != 1 || of["messages"] == nil || json.Unmarshal(of["messages"], &given) != nil {
		return nil, nil
	}
	roles := map[string]chat.Role{
		"human": chat.RoleUser, "user": chat.RoleUser, "ai": chat.RoleAssistant, "assistant": chat.RoleAssistant, "system": chat.RoleSystem,
		"tool": chat.RoleTool,
	}
	var list []chat.Message
	for i, g := range given {
		at := speech.Index("input.messages", i)
		if g.Content == nil {
			return nil, nil
		}
		if g.Type == "" {
			g.Type = g.Role
		}
		m := chat.Message{Role: roles[g.Type], Call: g.CallID, Name: g.Name}
		if m.Role == 0 {
			return nil, speech.Invalid(at+".type", "It is human, ai, system or tool.")
		}
		if err := speech.Content(&m, g.Content, at+".content"); err != nil {
			return nil, err
		}
		for _, c := range g.Calls {
			m.Calls = append(m.Calls, chat.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(c.Args)})
		}
		list = append(list, m)
	}
	return speech.Conversation(list)
}
