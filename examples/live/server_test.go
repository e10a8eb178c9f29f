package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A request is one to the Chat Completions API, as far as this test looks at it.
type request struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
}

// results returns what the tools have given so far, by the IDs of the calls.
func (r *request) results() map[string]string {
	found := map[string]string{}
	for _, m := range r.Messages {
		if m.Role == "tool" {
			found[m.ToolCallID] = string(m.Content)
		}
	}
	return found
}

// A turn is an answer of the server, in pieces of its stream.
type turn struct {
	status int
	pieces []string // of a status that is not a success: the body
	check  func(*testing.T, *request)
}

// serve starts a server that speaks the Chat Completions API and plays the turns.
func serve(t *testing.T, key string, turns ...turn) (url string) {
	t.Helper()
	next := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %s, authorization %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		if !req.Stream || len(req.Tools) != 3 || req.ResponseFormat.Type != "json_schema" {
			t.Errorf("stream %v, %d tools, output %q", req.Stream, len(req.Tools), req.ResponseFormat.Type)
		}
		if next == len(turns) {
			t.Error("a request that is one too many")
			next--
		}
		now := turns[next]
		next++
		if now.check != nil {
			now.check(t, &req)
		}
		answer(w, now)
	}))
	t.Cleanup(func() {
		s.Close()
		if next != len(turns) {
			t.Errorf("%d of %d turns were asked for", next, len(turns))
		}
	})
	return s.URL + "/v1"
}

func answer(w http.ResponseWriter, now turn) {
	if now.status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(now.status)
		_, _ = io.WriteString(w, strings.Join(now.pieces, ""))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range slices.Concat(now.pieces, []string{
		`{"id":"c1","object":"chat.completion.chunk","model":"served","choices":[],"usage":{"prompt_tokens":500,"completion_tokens":20,"total_tokens":520}}`,
		"[DONE]",
	}) {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", piece)
		w.(http.Flusher).Flush()
	}
}

// chunk is a piece of a stream; finish is empty but in the last.
func chunk(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return `{"id":"c1","object":"chat.completion.chunk","model":"served","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]}`
}

// calls are the pieces of a turn that calls tools: pairs of a name and its arguments. The ID of a
// call is its tool's name.
func calls(pairs ...string) []string {
	var pieces []string
	for i := 0; i < len(pairs); i += 2 {
		begin := `{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`
		rest := `{"tool_calls":[{"index":%d,"function":{"arguments":%q}}]}`
		pieces = append(pieces, chunk(fmt.Sprintf(begin, i/2, pairs[i], pairs[i]), ""), chunk(fmt.Sprintf(rest, i/2, pairs[i+1]), ""))
	}
	return append(pieces, chunk("{}", "tool_calls"))
}

// says are the pieces of a turn of text.
func says(texts ...string) []string {
	var pieces []string
	for _, text := range texts {
		pieces = append(pieces, chunk(fmt.Sprintf(`{"content":%q}`, text), ""))
	}
	return append(pieces, chunk("{}", "stop"))
}
