package chat_test

import (
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// TestMessageEqual changes each part of a message.
func TestMessageEqual(t *testing.T) {
	message := func() chat.Message {
		return chat.Message{
			Role: chat.RoleAssistant, Text: "a", Voice: "large", Call: "1", Name: "find",
			Media:     []chat.Media{{Type: "image/png", Data: []byte("b")}, {URL: "https://example.com/a.png", Name: "c"}},
			Calls:     []chat.ToolCall{{ID: "1", Name: "find", Arguments: "{}", Opaque: "o"}},
			Reasoning: []chat.Reasoning{{Text: "hm", Opaque: "o"}},
		}
	}
	if m := message(); !m.Equal(message()) {
		t.Error("two messages that are the same are not equal")
	}
	for name, change := range map[string]func(*chat.Message){
		"role":        func(m *chat.Message) { m.Role = chat.RoleUser },
		"text":        func(m *chat.Message) { m.Text = "b" },
		"voice":       func(m *chat.Message) { m.Voice = "" },
		"call":        func(m *chat.Message) { m.Call = "2" },
		"name":        func(m *chat.Message) { m.Name = "look" },
		"failure":     func(m *chat.Message) { m.Failed = true },
		"bytes":       func(m *chat.Message) { m.Media[0].Data = []byte("c") },
		"media type":  func(m *chat.Message) { m.Media[0].Type = "image/gif" },
		"address":     func(m *chat.Message) { m.Media[1].URL = "" },
		"file name":   func(m *chat.Message) { m.Media[1].Name = "d" },
		"fewer media": func(m *chat.Message) { m.Media = m.Media[:1] },
		"arguments":   func(m *chat.Message) { m.Calls[0].Arguments = "" },
		"no calls":    func(m *chat.Message) { m.Calls = nil },
		"reasoning":   func(m *chat.Message) { m.Reasoning[0].Hidden = true },
	} {
		m := message()
		change(&m)
		if m.Equal(message()) {
			t.Errorf("messages are equal whose %s differs", name)
		}
	}
}
