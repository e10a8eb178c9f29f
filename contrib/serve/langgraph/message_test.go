package langgraph

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// TestMessages holds that lists of messages in a state are in LangChain's form, and that other values are as they were.
func TestMessages(t *testing.T) {
	list := []chat.Message{
		{Role: chat.RoleSystem, Text: "be kind"},
		{Role: chat.RoleUser, Text: "look", Media: []chat.Media{{Type: "image/png", Data: []byte("png")}, {URL: "https://x.example/a.png"}}},
		{
			Role: chat.RoleAssistant, Reasoning: []chat.Reasoning{{Text: "sesame", Opaque: "sesame"}},
			Calls: []chat.ToolCall{{ID: "c1", Name: "find", Arguments: `{"a":1}`, Opaque: "sesame"}, {ID: "c2", Name: "find", Arguments: "half {"}},
		},
		{Role: chat.RoleTool, Call: "c1", Name: "find", Text: "found"},
		{Role: chat.RoleTool, Call: "c2", Name: "find", Text: "no JSON", Failed: true},
	}
	data, err := codec.Marshal(codec.OfList(list, chatjson.EncodeMessage))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Turns []map[string]any
		Other json.RawMessage
		Empty json.RawMessage
		Roles json.RawMessage
	}
	const other, roles = `[{"role":"clerk","text":"x"}]`, `[{"text":"x"}]`
	all := valuesOf([]thread.Value{
		{Name: "turns", JSON: data}, {Name: "other", JSON: []byte(other)}, {Name: "empty", JSON: []byte("[]")}, {Name: "roles", JSON: []byte(roles)},
	})
	if err := json.Unmarshal(all, &got); err != nil || string(got.Other) != other || string(got.Empty) != "[]" || string(got.Roles) != roles {
		t.Fatalf("%v: %s", err, all)
	}
	if strings.Contains(string(all), "sesame") {
		t.Errorf("a client is sent what is for models: %s", all)
	}
	want := []string{
		`{"content":"be kind","type":"system"}`,
		`{"content":[{"text":"look","type":"text"},{"image_url":{"url":"data:image/png;base64,cG5n"},"type":"image_url"},` +
			`{"image_url":{"url":"https://x.example/a.png"},"type":"image_url"}],"type":"human"}`,
		`{"content":"","tool_calls":[{"args":{"a":1},"id":"c1","name":"find","type":"tool_call"},` +
			`{"args":"half {","id":"c2","name":"find","type":"tool_call"}],"type":"ai"}`,
		`{"content":"found","name":"find","status":"success","tool_call_id":"c1","type":"tool"}`,
		`{"content":"no JSON","name":"find","status":"error","tool_call_id":"c2","type":"tool"}`,
	}
	ids := map[any]bool{}
	for i, m := range got.Turns {
		ids[m["id"]] = true
		for _, name := range []string{"id", "additional_kwargs", "response_metadata", "invalid_tool_calls", "tool_call_chunks"} {
			delete(m, name)
		}
		if calls, _ := m["tool_calls"].([]any); len(calls) == 0 {
			delete(m, "tool_calls")
		}
		if text, _ := json.Marshal(m); string(text) != want[i] {
			t.Errorf("message %d is\n%s, want\n%s", i, text, want[i])
		}
	}
	if len(got.Turns) != len(want) || len(ids) != len(want) {
		t.Errorf("there are %d messages with %d IDs", len(got.Turns), len(ids))
	}
}

// TestConversation holds which inputs are conversations.
func TestConversation(t *testing.T) {
	for input, want := range map[string]string{
		`{"messages":[{"type":"human","content":"hi"}]}`:                            "hi",
		`{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`:    "hi",
		`{"messages":[{"type":"ai","content":"a"},{"type":"human","content":"b"}]}`: "b",
		`{"messages":[{"type":"human","content":"hi"}],"more":1}`:                   "",
		`{"messages":[{"role":"user","text":"of ours"}]}`:                           "",
		`{"message":"hi"}`: "",
		`7`:                "",
		`{"messages":[{"type":"clerk","content":"hi"}]}`: "invalid: input.messages[0].type: It is human, ai, system or tool.",
		`{"messages":[{"type":"human","content":7}]}`:    "invalid: input.messages[0].content: It is a text, or a list of parts.",
		`{"messages":[{"type":"ai","content":"a"}]}`:     "invalid: messages: The last message is one of the user.",
		`{"messages":[]}`: "invalid: messages: The last message is one of the user.",
	} {
		turns, err := conversationOf(json.RawMessage(input))
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case turns != nil:
			got = turns.Text
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", input, got, want)
		}
	}
}
