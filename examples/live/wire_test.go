package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	talk "github.com/graphgen/graphgen/examples/chat"
	"github.com/graphgen/graphgen/runtime/chat"
)

var update = flag.Bool("update", false, "write the requests again")

// said is a conversation with a call of a tool, as a turn of the chat server leaves it.
var said = []chat.Message{
	chat.UserText("Where is order 7?"),
	{Role: chat.RoleAssistant, Text: "One moment.", Calls: []chat.ToolCall{{ID: "call_1", Name: "order", Arguments: `{"number":7}`}}},
	{Role: chat.RoleTool, Call: "call_1", Name: "order", Text: "sent on Monday, by mail"},
	{Role: chat.RoleAssistant, Text: "It was sent on Monday."},
}

// TestConversationOnTheWire holds the requests for a later turn of a conversation, as each provider sends
// them: with roles, the call, and its result.
func TestConversationOnTheWire(t *testing.T) {
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			var body []byte
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ = io.ReadAll(r.Body)
				w.WriteHeader(http.StatusBadRequest)
			}))
			defer s.Close()
			t.Setenv("OPENAI_BASE_URL", s.URL)
			t.Setenv("ANTHROPIC_BASE_URL", s.URL)
			t.Setenv("GOOGLE_GEMINI_BASE_URL", s.URL)
			for _, name := range p.variables {
				if name != "OPENAI_BASE_URL" {
					t.Setenv(name, "key")
				}
			}
			model, err := p.open(p.model)
			if err != nil {
				t.Fatal(err)
			}
			m, err := talk.New(model)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Run(t.Context(), talk.ChatInput{History: said, Message: "And when does it arrive?"}); err == nil {
				t.Error("the server has refused the request, and the run has not failed")
			}
			var got bytes.Buffer
			if err := json.Indent(&got, bytes.TrimSpace(body), "", "  "); err != nil {
				t.Fatalf("%v: %q", err, body)
			}
			got.WriteByte('\n')
			file := filepath.Join("testdata", "conversation."+p.name+".json")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the request is\n%s\nwant\n%s", got.Bytes(), want)
			}
		})
	}
}
