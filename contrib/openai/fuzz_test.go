package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// FuzzAnswer reads whatever a server may send. An answer that is understood can be sent back.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"id":"c","model":"m","choices":[{"index":0,"message":{"content":[{"type":"thinking","thinking":[{"text":"x"}]}],` +
		`"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"finish_reason":"length"}],"usage":{"prompt_tokens":1e9,"cost":1}}`)
	f.Add("data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{\"type\":\"t\",\"index\":0,\"text\":\"a\"}]}}]}\n\ndata: " +
		"{\"choices\":[{\"delta\":{\"reasoning_details\":[{\"type\":\"t\",\"index\":0,\"text\":\"\\u00e4\"}]}}]}\n\ndata: [DONE]\n\n")
	f.Add(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"s":1}},` +
		`{"index":0,"function":{"name":"f","arguments":"x"}}]},"finish_reason":"stop"}]}` + "\n\n")
	f.Add("event: error\ndata: {\"error\":{\"code\":429,\"message\":\"try again in 1m2s\"}}\n\n")
	m := &Model{}
	f.Fuzz(func(t *testing.T, body string) {
		for _, read := range []func(*answer) error{
			func(a *answer) error { return m.readWhole([]byte(body), a) },
			func(a *answer) error {
				return m.readEvents(t.Context(), &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, a)
			},
		} {
			var text strings.Builder
			a := &answer{stream: func(d chat.Delta) { text.WriteString(d.Text) }}
			if read(a) != nil {
				continue
			}
			r, err := a.response(&chat.Request{})
			if err != nil {
				continue
			}
			if text.String() != r.Message.Text {
				t.Errorf("told %q, the text is %q", text.String(), r.Message.Text)
			}
			ids := map[string]bool{}
			for _, c := range r.Message.Calls {
				if c.ID == "" || ids[c.ID] {
					t.Errorf("the id %q in %+v", c.ID, r.Message.Calls)
				}
				ids[c.ID] = true
			}
			if _, err := json.Marshal(m.assistant(&r.Message)); err != nil {
				t.Errorf("%v: %+v", err, r.Message)
			}
		}
	})
}

// FuzzDetails holds that a list of details that comes whole is kept as it is.
func FuzzDetails(f *testing.F) {
	f.Add(`[{"type":"reasoning.text","text":"a","index":0},{"type":"reasoning.text","text":"b","index":1},{}]`)
	f.Add(`[{"text":"\ud800","signature":null}]`)
	f.Fuzz(func(t *testing.T, raw string) {
		var want []map[string]any
		if json.Unmarshal([]byte(raw), &want) != nil || len(want) == 0 {
			return
		}
		seen := map[string]bool{}
		for _, w := range want {
			index, _ := json.Marshal([]any{w["type"], w["index"]})
			if w == nil || w["index"] != nil && seen[string(index)] {
				return // pieces of one
			}
			seen[string(index)] = true
		}
		var th thought
		th.addDetails(raw)
		var got []map[string]any
		if err := json.Unmarshal([]byte(writeDetails(th.details)), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v\n%s\nbecame\n%s", err, raw, writeDetails(th.details))
		}
	})
}
