package gemini_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/gemini"
)

var hello = &chat.Request{Messages: []chat.Message{chat.UserText("hello")}}

const usage = `,"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":30,` +
	`"cachedContentTokenCount":64,"toolUsePromptTokenCount":5,"totalTokenCount":155,` +
	`"promptTokensDetails":[{"modality":"TEXT","tokenCount":100}]}`

func TestWholeAndStreamedAnswer(t *testing.T) {
	for _, c := range []struct {
		name   string
		whole  string
		chunks []string
		want   chat.Response
		deltas []chat.Delta
	}{
		{
			name:   "text comes in pieces, with what it cost at the end",
			whole:  chunk("STOP", `{"text":"one two"}`, usage),
			chunks: []string{chunk("", `{"text":"one"}`, `,"usageMetadata":{"promptTokenCount":100}`), chunk("", `{"text":" two"}`), chunk("STOP", ``, usage)},
			want: chat.Response{
				Message: chat.Message{Text: "one two"}, Finish: chat.Stop,
				Usage: chat.Usage{Input: 105, Output: 50, Reasoning: 30, CacheRead: 64},
			},
			deltas: []chat.Delta{{Text: "one"}, {Text: " two"}},
		},
		{
			name:   "thoughts are reasoning, and pieces of them one",
			whole:  chunk("STOP", `{"text":"first, second","thought":true},{"text":"done"}`),
			chunks: []string{chunk("", `{"text":"first, ","thought":true}`), chunk("", `{"text":"second","thought":true}`), chunk("STOP", `{"text":"done"}`)},
			want: chat.Response{
				Message: chat.Message{Text: "done", Reasoning: []chat.Reasoning{{Text: "first, second"}}}, Finish: chat.Stop,
			},
			deltas: []chat.Delta{{Reasoning: "first, "}, {Reasoning: "second"}, {Text: "done"}},
		},
		{
			name:   "a call without an ID gets one, and keeps its arguments as they were written",
			whole:  chunk("STOP", `{"functionCall":{"name":"find","args":{"z":9007199254740993,"a":1.50}},"thoughtSignature":"c2ln"}`),
			chunks: []string{chunk("STOP", `{"functionCall":{"name":"find","args":{"z":9007199254740993,"a":1.50}},"thoughtSignature":"c2ln"}`)},
			want: chat.Response{
				Message: chat.Message{Calls: []chat.ToolCall{{
					ID: "gemini_r1_0", Name: "find", Arguments: `{"z":9007199254740993,"a":1.50}`, Opaque: "gemini:c2ln",
				}}}, Finish: chat.ToolCalls,
			},
			deltas: []chat.Delta{{Tool: "find"}},
		},
		{
			name: "parallel calls are in their order, those of one tool too",
			whole: chunk("STOP", `{"text":"I look."},{"functionCall":{"id":"x","name":"find","args":{"q":"a"}},"thoughtSignature":"c2ln"},`+
				`{"functionCall":{"name":"find","args":{"q":"b"}}},{"functionCall":{"name":"list"}}`),
			chunks: []string{
				chunk("", `{"text":"I look."},{"functionCall":{"id":"x","name":"find","args":{"q":"a"}},"thoughtSignature":"c2ln"}`),
				chunk("", `{"functionCall":{"name":"find","args":{"q":"b"}}}`), chunk("", `{"functionCall":{"name":"list"}}`), chunk("STOP", ``),
			},
			want: chat.Response{
				Message: chat.Message{Text: "I look.", Calls: []chat.ToolCall{
					{ID: "x", Name: "find", Arguments: `{"q":"a"}`, Opaque: "gemini:c2ln"},
					{ID: "gemini_r1_1", Name: "find", Arguments: `{"q":"b"}`}, {ID: "gemini_r1_2", Name: "list", Arguments: "{}"},
				}}, Finish: chat.ToolCalls,
			},
			deltas: []chat.Delta{{Text: "I look."}, {Tool: "find", ToolID: "x"}, {Tool: "find"}, {Tool: "list"}},
		},
		{
			name:   "a signature of text is hidden reasoning that says where it was",
			whole:  chunk("STOP", `{"text":"one"},{"text":" two","thoughtSignature":"c2ln"}`),
			chunks: []string{chunk("", `{"text":"o"}`), chunk("", `{"text":"ne"}`), chunk("STOP", `{"text":" two","thoughtSignature":"c2ln"}`)},
			want: chat.Response{
				Message: chat.Message{Text: "one two", Reasoning: []chat.Reasoning{{Hidden: true, Opaque: "gemini:text:3:7:c2ln"}}}, Finish: chat.Stop,
			},
			deltas: []chat.Delta{{Text: "o"}, {Text: "ne"}, {Text: " two"}},
		},
		{
			name:   "an answer that is cut off by its limit says so",
			whole:  chunk("MAX_TOKENS", `{"text":"one"}`),
			chunks: []string{chunk("", `{"text":"one"}`), chunk("MAX_TOKENS", ``)},
			want:   chat.Response{Message: chat.Message{Text: "one"}, Finish: chat.Length},
			deltas: []chat.Delta{{Text: "one"}},
		},
		{
			name:   "an answer of nothing is one",
			whole:  `{"candidates":[{"finishReason":"STOP","index":0}],"modelVersion":"gemini-3.1-pro-preview-05","responseId":"r1"}`,
			chunks: []string{`{"candidates":[{"finishReason":"STOP","index":0}],"modelVersion":"gemini-3.1-pro-preview-05","responseId":"r1"}`},
			want:   chat.Response{Finish: chat.Stop},
		},
		{
			name:  "images are media, and kinds of parts and fields that are not known are passed over",
			whole: chunk("STOP", `{"inlineData":{"mimeType":"image/png","data":"iVA="}},{"hologram":{"depth":3}},{"text":"see"}`, `,"mood":"good"`),
			chunks: []string{chunk("", `{"inlineData":{"mimeType":"image/png","data":"iVA="}},{"hologram":{"depth":3}}`, `,"mood":"good"`),
				chunk("STOP", `{"text":"see"}`)},
			want: chat.Response{
				Message: chat.Message{Text: "see", Media: []chat.Media{{Type: "image/png", Data: []byte{0x89, 0x50}}}}, Finish: chat.Stop,
			},
			deltas: []chat.Delta{{Text: "see"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Message.Role, c.want.Model, c.want.ID = chat.RoleAssistant, "gemini-3.1-pro-preview-05", "r1"
			_, model := serve(t, "gemini-3.1-pro-preview", says(c.whole))
			same(t, ask(t, model, nil), &c.want)

			_, model = serve(t, "gemini-3.1-pro-preview", says(c.chunks...))
			var deltas []chat.Delta
			same(t, ask(t, model, func(d chat.Delta) { deltas = append(deltas, d) }), &c.want)
			if !reflect.DeepEqual(deltas, c.deltas) {
				t.Errorf("told %+v, want %+v", deltas, c.deltas)
			}
		})
	}
}

func ask(t *testing.T, model *gemini.Model, stream func(chat.Delta)) *chat.Response {
	t.Helper()
	res, err := model.Generate(context.Background(), hello, stream)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func same(t *testing.T, got, want *chat.Response) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestStreamWithOtherEvents(t *testing.T) {
	text := chunk("STOP", `{"text":"one"}`)
	for name, body := range map[string]string{
		"comments keep it alive":             ": ping\n\ndata: " + text + "\n\n: ping\n\n",
		"events have types, IDs and retries": "event: message\nid: 1\nretry: 5\ndata: " + text + "\n\n",
		"events of other types are ignored":  "event: ping\ndata: pong\n\ndata: " + text + "\n\nevent: bye\ndata: {\n\n",
		"no space follows the colon":         "data:" + text + "\n\n",
		"the last event has no empty line":   "data: " + text,
		"the data is on several lines":       "data: " + strings.Replace(text, ",", ",\ndata: ", 1) + "\n\n",
		"others end it in their own way":     "data: " + text + "\n\ndata: [DONE]\n\n",
		"an event is empty":                  "data:\n\n\n\ndata: " + text + "\n\ndata: {}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, model := serve(t, "gemini-3.1-pro-preview", writes(200, map[string]string{"Content-Type": "text/event-stream"}, body))
			if got := ask(t, model, func(chat.Delta) {}); got.Message.Text != "one" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestCallIDs(t *testing.T) {
	_, model := serve(t, "gemini-2.5-flash",
		says(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a"}},{"functionCall":{"name":"b"}}]},"finishReason":"STOP"}]}`))
	res, err := model.Generate(context.Background(), &chat.Request{Messages: []chat.Message{
		chat.UserText("go"),
		{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "gemini_2", Name: "a", Arguments: "{}"}, {ID: "c", Name: "b", Arguments: "{}"}}},
		{Role: chat.RoleTool, Call: "gemini_2", Text: "1"}, {Role: chat.RoleTool, Call: "c", Text: "2"},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if calls := res.Message.Calls; calls[0].ID != "gemini_3" || calls[1].ID != "gemini_4" {
		t.Errorf("got %+v, want IDs that no call of the conversation has", calls)
	}
}

func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"the prompt is blocked": {
			`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":3},"modelVersion":"m"}`,
			"the model refused: the prompt: PROHIBITED_CONTENT",
		},
		"the prompt is blocked, for a reason that is told": {
			`{"promptFeedback":{"blockReason":"SAFETY","safetyRatings":[{"category":"HARM_CATEGORY_HARASSMENT","probability":"HIGH",` +
				`"blocked":true},{"category":"HARM_CATEGORY_HATE_SPEECH","probability":"LOW"}]}}`,
			"the model refused: the prompt: SAFETY (HARM_CATEGORY_HARASSMENT)",
		},
		"the answer is not safe": {
			`{"candidates":[{"finishReason":"SAFETY","safetyRatings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH","blocked":true}]}]}`,
			"the model refused: SAFETY (HARM_CATEGORY_DANGEROUS_CONTENT)",
		},
		"the answer recites":             {chunk("RECITATION", `{"text":"Call me"}`), "the model refused: RECITATION"},
		"the answer is prohibited":       {chunk("PROHIBITED_CONTENT", ``), "the model refused: PROHIBITED_CONTENT"},
		"the answer has a word":          {chunk("BLOCKLIST", ``), "the model refused: BLOCKLIST"},
		"the answer has personal data":   {chunk("SPII", ``), "the model refused: SPII"},
		"the language is not spoken":     {chunk("LANGUAGE", ``), "the model refused: LANGUAGE"},
		"the answer is blocked on a way": {`{"candidates":[{"finishReason":"SAFETY","finishMessage":"no"}]}`, "the model refused: SAFETY: no"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
				_, model := serve(t, "gemini-3.1-pro-preview", says(c.body))
				_, err := model.Generate(context.Background(), hello, stream)
				var refused *chat.ModelError
				if !errors.As(err, &refused) || refused.Kind != chat.Refused || err.Error() != c.want {
					t.Errorf("got %T %v, want %s", err, err, c.want)
				}
			}
		})
	}
}

// TestUsageBesideAnError holds that what a call has used is not lost where its answer is an error.
func TestUsageBesideAnError(t *testing.T) {
	used := chat.Usage{Input: 105, Output: 50, Reasoning: 30, CacheRead: 64}
	for name, c := range map[string]struct {
		body   string
		want   chat.Usage
		stream bool // only in a stream
	}{
		"the answer is not safe": {chunk("SAFETY", ``, usage), used, false},
		"the prompt is blocked":  {`{"promptFeedback":{"blockReason":"SAFETY"}` + usage + `,"modelVersion":"m"}`, used, false},
		"the call is malformed":  {chunk("MALFORMED_FUNCTION_CALL", ``, usage), used, false},
		"the answer is cut":      {chunk("", `{"text":"one"}`, `,"usageMetadata":{"promptTokenCount":100}`), chat.Usage{Input: 100}, true},
		"nothing was counted":    {chunk("SAFETY", ``), chat.Usage{}, false},
	} {
		for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
			if stream == nil && c.stream {
				continue
			}
			_, model := serve(t, "gemini-3.1-pro-preview", says(c.body))
			res, err := model.Generate(context.Background(), hello, stream)
			if err == nil || (res == nil) != (c.want == chat.Usage{}) {
				t.Fatalf("%s: got %+v, %v", name, res, err)
			}
			if res != nil && (res.Usage != c.want || res.Model == "" || res.Message.Text != "") {
				t.Errorf("%s: got %+v, want the usage %+v", name, res, c.want)
			}
		}
	}
}

func TestOneModelAnswersManyAtOnce(t *testing.T) {
	_, model := serve(t, "gemini-3.1-pro-preview", says(chunk("", `{"text":"one"}`), chunk("STOP", `{"functionCall":{"name":"a","args":{"n":1}}}`)))
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			var text string
			res, err := model.Generate(context.Background(), hello, func(d chat.Delta) { text += d.Text })
			if err != nil || res.Message.Text != "one" || text != "one" || res.Message.Calls[0].Arguments != `{"n":1}` {
				t.Errorf("got %+v, %v", res, err)
			}
		})
	}
	all.Wait()
}
