package anthropic_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A reply is what the server says, whole or as events.
type reply struct {
	blocks  []block
	stop    string
	details any
	usage   map[string]any
}

// message returns the reply as an object of the API.
func (r reply) message() map[string]any {
	content := []any{}
	for _, b := range r.blocks {
		content = append(content, b)
	}
	usage := map[string]any{
		"input_tokens": 10, "output_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		"service_tier": "standard",
	}
	for name, n := range r.usage {
		usage[name] = n
	}
	return map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test-20260101", "content": content,
		"stop_reason": r.stop, "stop_sequence": nil, "stop_details": r.details, "container": nil, "usage": usage,
	}
}

// whole answers at once.
func (r reply) whole(w http.ResponseWriter, _ *call) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_1")
	_ = json.NewEncoder(w).Encode(r.message())
}

// streamed answers in events, the blocks of which come interleaved.
func (r reply) streamed(w http.ResponseWriter, _ *call) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, e := range r.events() {
		fmt.Fprint(w, e)
	}
}

// either answers as the request wants it.
func (r reply) either(w http.ResponseWriter, c *call) {
	if c.Stream {
		r.streamed(w, c)
		return
	}
	r.whole(w, c)
}

func event(name string, data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return "event: " + name + "\ndata: " + string(text) + "\n\n"
}

// events returns the reply in pieces of a few bytes. All blocks are open at the same time.
func (r reply) events() []string {
	start := r.message()
	start["content"], start["stop_reason"] = []any{}, nil
	usage := start["usage"]
	start["usage"] = map[string]any{"input_tokens": 10, "output_tokens": 1}
	list := []string{
		event("message_start", map[string]any{"type": "message_start", "message": start}),
		event("ping", map[string]any{"type": "ping"}),
		": a comment\n\n",
		event("weather", map[string]any{"type": "weather", "delta": 7}),
		"event: later\ndata: not even JSON\n\n",
	}
	pieces := make([][]map[string]any, len(r.blocks))
	for i, b := range r.blocks {
		list = append(list, event("content_block_start", map[string]any{
			"type": "content_block_start", "index": i, "content_block": b.begun(),
		}))
		pieces[i] = b.deltas()
	}
	for more := true; more; {
		more = false
		for i := range pieces {
			if len(pieces[i]) > 0 {
				more = true
				list = append(list, event("content_block_delta", map[string]any{
					"type": "content_block_delta", "index": i, "delta": pieces[i][0],
				}))
				pieces[i] = pieces[i][1:]
			}
		}
	}
	for i := range r.blocks {
		list = append(list, event("content_block_stop", map[string]any{"type": "content_block_stop", "index": i}))
	}
	return append(list,
		event("message_delta", map[string]any{
			"type":  "message_delta",
			"delta": map[string]any{"stop_reason": r.stop, "stop_sequence": nil, "stop_details": r.details}, "usage": usage,
		}),
		event("message_stop", map[string]any{"type": "message_stop"}))
}

// begun returns the block as it begins, before its deltas.
func (b block) begun() map[string]any {
	switch b.Type {
	case "text":
		return map[string]any{"type": "text", "text": ""}
	case "thinking":
		return map[string]any{"type": "thinking", "thinking": "", "signature": ""}
	case "redacted_thinking":
		return map[string]any{"type": b.Type, "data": b.Data}
	case "tool_use", "server_tool_use":
		return map[string]any{"type": b.Type, "id": b.ID, "name": b.Name, "input": map[string]any{}}
	}
	return map[string]any{"type": b.Type, "tool_use_id": b.ToolUseID, "content": b.Content}
}

func (b block) deltas() []map[string]any {
	var list []map[string]any
	add := func(kind, field, text string) {
		for runes := []rune(text); len(runes) > 0; {
			n := min(5, len(runes))
			list = append(list, map[string]any{"type": kind, field: string(runes[:n])})
			runes = runes[n:]
		}
	}
	add("text_delta", "text", b.Text)
	if b.Thinking != nil {
		add("thinking_delta", "thinking", *b.Thinking)
		list = append(list, map[string]any{"type": "signature_delta", "signature": *b.Signature})
	}
	if input := string(b.Input); strings.HasSuffix(b.Type, "tool_use") && input != "{}" {
		list = append(list, map[string]any{"type": "input_json_delta", "partial_json": ""})
		add("input_json_delta", "partial_json", input)
	}
	return append(list, map[string]any{"type": "mood_delta", "mood": "good"})
}

func said(text string) block { return block{Type: "text", Text: text} }

func thought(text, signature string) block {
	return block{Type: "thinking", Thinking: &text, Signature: &signature}
}

func hidden(data string) block { return block{Type: "redacted_thinking", Data: data} }

func called(id, name, input string) block {
	return block{Type: "tool_use", ID: id, Name: name, Input: json.RawMessage(input)}
}

func inBytes(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
