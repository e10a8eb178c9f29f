package anthropic

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/graphgen/graphgen/chat"
)

const wholeMessage = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},` +
	`{"type":"text","text":"Hi."},{"type":"tool_use","id":"t","name":"look","input":{"at":1}}],"stop_reason":"tool_use",` +
	`"usage":{"input_tokens":1,"output_tokens":2}}`

func fuzzed() *Model {
	return &Model{redact: func(text string) string { return chat.Redact(text, "secret-key") }}
}

func FuzzAMessageIsReadOrRefused(f *testing.F) {
	f.Add(wholeMessage)
	f.Add(`{"type":"error","error":{"type":"overloaded_error","message":"secret-key"}}`)
	f.Add(`{"type":"message","content":[[[[]]]],"stop_reason":"end_turn"}`)
	f.Add(`{"type":"message","content":[{"type":"x","input":7}],"stop_reason":"pause_turn"}`)
	f.Fuzz(func(t *testing.T, body string) {
		check(t, func(m *Model) (*answer, error) { return m.decode([]byte(body)) })
	})
}

func FuzzAStreamIsReadOrRefused(f *testing.F) {
	f.Add("event: message_start\ndata: {\"message\":{\"type\":\"message\"}}\n\nevent: content_block_start\ndata: " +
		"{\"index\":0,\"content_block\":{\"type\":\"text\"}}\n\n" +
		"event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\nevent: " +
		"message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {}\n\n")
	f.Add("event: error\ndata: {\"error\":{\"message\":\"secret-key\"}}\n\n")
	f.Add("event: content_block_delta\ndata: {\"index\":-1}\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		check(t, func(m *Model) (*answer, error) {
			reply := &http.Response{Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
			a, err := m.follow(t.Context(), ssestream.NewDecoder(reply), reply.Header, func(chat.Delta) {})
			if err == nil && !strings.Contains(body, "message_stop") {
				t.Errorf("an answer of a stream that does not end: %q", body)
			}
			return a, err
		})
	})
}

// check holds what is true of every answer.
func check(t *testing.T, read func(*Model) (*answer, error)) {
	m := fuzzed()
	a, err := read(m)
	if a == nil && err == nil {
		t.Fatal("neither an answer nor an error")
	}
	if err != nil {
		if strings.Contains(err.Error(), "secret-key") {
			t.Fatalf("the key is in the error: %v", err)
		}
		return
	}
	for _, b := range a.blocks { // what is sent back is JSON, or the call would fail
		if _, err := json.Marshal(b.param()); err != nil {
			t.Errorf("a block of the kind %q cannot be sent back: %v", b.kind, err)
		}
	}
	r, err := a.response(m.redact)
	if (r == nil) == (err == nil) {
		t.Fatalf("a response %v and the error %v", r, err)
	}
	if r != nil {
		if _, err := json.Marshal(assistant(&r.Message)); err != nil {
			t.Errorf("the message cannot be sent back: %v", err)
		}
	}
}

func FuzzAnAdaptedSchemaStaysAsItIs(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","minLength":2,"description":"A."}},"required":["a"]}`)
	f.Add(`{"oneOf":[{"$ref":"#/$defs/A"},{"type":["array","null"],"items":{"enum":[1,null]}}],"$defs":{"A":{"const":"a"}}}`)
	f.Add(`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) {
			return
		}
		once, ok := adapt(schema)
		if !ok {
			return
		}
		if !json.Valid([]byte(once)) {
			t.Fatalf("%s became %s", schema, once)
		}
		if twice, ok := adapt(once); !ok || !bytes.Equal([]byte(twice), []byte(once)) {
			t.Errorf("%s became %s, and that %s", schema, once, twice)
		}
	})
}

func FuzzAThoughtIsFoundAgain(f *testing.F) {
	f.Add(0, 0, "c2ln")
	f.Add(12, 3, ":.:")
	f.Fuzz(func(t *testing.T, text, calls int, secret string) {
		at := place{max(text, 0), max(calls, 0)}
		if got, s, ok := unpack(pack(at, secret)); !ok || got != at || s != secret {
			t.Errorf("%+v %q came back as %+v %q", at, secret, got, s)
		}
	})
}
