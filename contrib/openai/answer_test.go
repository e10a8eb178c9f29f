package openai_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// chunk is an event of a stream.
func chunk(delta, finish string) string {
	if finish == "" {
		finish = "null"
	} else {
		finish = `"` + finish + `"`
	}
	return `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-1","system_fingerprint":null,"choices":[{"index":0,"delta":` +
		delta + `,"logprobs":null,"finish_reason":` + finish + `}],"usage":null}`
}

// completion is a whole answer.
func completion(message, finish, usage string) string {
	return `{"id":"c1","object":"chat.completion","created":1,"model":"m-1","choices":[{"index":0,"message":` + message +
		`,"logprobs":null,"finish_reason":` + finish + `}],"usage":` + usage + `}`
}

// usageChunk is the last event of a stream.
func usageChunk(usage string) string {
	return `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[],"usage":` + usage + `}`
}

const usage = `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,
	"prompt_tokens_details":{"cached_tokens":64,"audio_tokens":0,"cache_write_tokens":16},
	"completion_tokens_details":{"reasoning_tokens":8,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`

var used = chat.Usage{Input: 100, Output: 20, Reasoning: 8, CacheRead: 64, CacheWrite: 16}

func said(text string) chat.Message { return chat.Message{Role: chat.RoleAssistant, Text: text} }

func called(calls ...chat.ToolCall) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Calls: calls}
}

func thought(text, opaque string) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Text: "4", Reasoning: []chat.Reasoning{{Text: text, Opaque: opaque}}}
}

// answers are what servers say, whole and in a stream, and what is to come of both.
var answers = map[string]struct {
	whole  string
	events []string
	want   chat.Response
	told   []chat.Delta
}{
	"text, with its usage": {
		completion(`{"role":"assistant","content":"Otters swim.","refusal":null,"annotations":[]}`, `"stop"`, usage),
		[]string{
			chunk(`{"role":"assistant","content":"","refusal":null}`, ""), chunk(`{"content":"Otters "}`, ""), chunk(`{"content":"swim."}`, ""),
			chunk(`{}`, "stop"), usageChunk(usage), "[DONE]",
		},
		chat.Response{Message: said("Otters swim."), Finish: chat.Stop, Usage: used},
		[]chat.Delta{{Text: "Otters "}, {Text: "swim."}},
	},
	"text that is cut at its limit": {
		completion(`{"role":"assistant","content":"Ot"}`, `"length"`, usage),
		[]string{chunk(`{"content":"Ot"}`, ""), chunk(`{}`, "length"), usageChunk(usage), "[DONE]"},
		chat.Response{Message: said("Ot"), Finish: chat.Length, Usage: used}, []chat.Delta{{Text: "Ot"}},
	},
	"text that is cut because the model can take no more, as Mistral reports it": {
		completion(`{"role":"assistant","content":"The first half of"}`, `"model_length"`, usage),
		[]string{chunk(`{"content":"The first half of"}`, ""), chunk(`{}`, "model_length"), usageChunk(usage), "[DONE]"},
		chat.Response{Message: said("The first half of"), Finish: chat.Length, Usage: used}, []chat.Delta{{Text: "The first half of"}},
	},
	"a call that is cut before its arguments": {
		completion(`{"tool_calls":[{"id":"x","function":{"name":"one","arguments":""}}]}`, `"model_length"`, `null`),
		[]string{chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"one","arguments":""}}]}`, ""), chunk(`{}`, "model_length"), "[DONE]"},
		chat.Response{Message: called(chat.ToolCall{ID: "x", Name: "one"}), Finish: chat.Length}, []chat.Delta{{Tool: "one", ToolID: "x"}},
	},
	"one tool call": {
		completion(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_x","type":"function","function":{"name":"search",`+
			`"arguments":"{\"q\":1}"}}]}`, `"tool_calls"`, usage),
		[]string{
			chunk(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_x","type":"function",`+
				`"function":{"name":"search","arguments":""}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\""}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`, ""),
			chunk(`{}`, "tool_calls"), usageChunk(usage), "[DONE]",
		},
		chat.Response{Message: called(chat.ToolCall{ID: "call_x", Name: "search", Arguments: `{"q":1}`}), Finish: chat.ToolCalls, Usage: used},
		[]chat.Delta{{Tool: "search", ToolID: "call_x"}},
	},
	"parallel calls, streamed in turns": {
		completion(`{"role":"assistant","content":"Both.","tool_calls":[{"id":"a","type":"function","function":{"name":"one",`+
			`"arguments":"{\"n\":1}"}},{"id":"b","type":"function","function":{"name":"two","arguments":"{\"n\":2}"}}]}`, `"tool_calls"`, usage),
		[]string{
			chunk(`{"content":"Both."}`, ""),
			chunk(`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"two","arguments":""}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"one","arguments":"{"}}]}`, ""),
			chunk(`{"tool_calls":[{"index":1,"function":{"arguments":"{\"n\":"}},{"index":0,"function":{"arguments":"\"n\":"}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`, ""), chunk(`{"tool_calls":[{"index":1,"function":{"arguments":"2}"}}]}`, ""),
			chunk(`{}`, "tool_calls"), usageChunk(usage), "[DONE]",
		},
		chat.Response{
			Message: chat.Message{Role: chat.RoleAssistant, Text: "Both.",
				Calls: []chat.ToolCall{{ID: "a", Name: "one", Arguments: `{"n":1}`}, {ID: "b", Name: "two", Arguments: `{"n":2}`}}},
			Finish: chat.ToolCalls, Usage: used,
		},
		[]chat.Delta{{Text: "Both."}, {Tool: "two", ToolID: "b"}, {Tool: "one", ToolID: "a"}},
	},
	"calls without ids, numbers and types, as some servers give them, which say stop": {
		completion(`{"content":"","tool_calls":[{"function":{"name":"one","arguments":{"n":1}}},{"function":{"name":"one",`+
			`"arguments":"{\"n\":2}"}}]}`, `"stop"`, `null`),
		[]string{
			chunk(`{"tool_calls":[{"function":{"name":"one","arguments":{"n":1}}}]}`, ""),
			chunk(`{"tool_calls":[{"function":{"name":"one","arguments":"{\"n\":2}"}}]}`, "stop"), "[DONE]",
		},
		chat.Response{Message: called(chat.ToolCall{ID: "call_2", Name: "one", Arguments: `{"n":1}`},
			chat.ToolCall{ID: "call_3", Name: "one", Arguments: `{"n":2}`}), Finish: chat.ToolCalls},
		[]chat.Delta{{Tool: "one"}, {Tool: "one"}},
	},
	"calls that all have the number 0, with the signatures of Gemini": {
		completion(`{"tool_calls":[{"id":"f1","type":"function","function":{"name":"one","arguments":"{}"},`+
			`"extra_content":{"google":{"thought_signature":"s"}}},{"id":"f2","type":"function","function":{"name":"two","arguments":"{}"}}]}`, `null`, `null`),
		[]string{
			chunk(`{"tool_calls":[{"index":0,"id":"f1","type":"function","function":{"name":"one","arguments":"{}"},`+
				`"extra_content":{"google":{"thought_signature":"s"}}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"id":"f2","type":"function","function":{"name":"two","arguments":"{}"}}]}`, ""), "[DONE]",
		},
		chat.Response{Message: called(
			chat.ToolCall{ID: "f1", Name: "one", Arguments: `{}`, Opaque: `openai:extra_content:{"google":{"thought_signature":"s"}}`},
			chat.ToolCall{ID: "f2", Name: "two", Arguments: `{}`}), Finish: chat.ToolCalls},
		[]chat.Delta{{Tool: "one", ToolID: "f1"}, {Tool: "two", ToolID: "f2"}},
	},
	"a call whose name and id come with every piece": {
		completion(`{"tool_calls":[{"id":"x","type":"function","function":{"name":"one","arguments":"{\"n\":1}"}}]}`, `"tool_calls"`, `null`),
		[]string{
			chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"one","arguments":"{\"n\""}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"one","arguments":":1}"}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"id":"","function":{"name":"one","arguments":""}}]}`, "tool_calls"),
		},
		chat.Response{Message: called(chat.ToolCall{ID: "x", Name: "one", Arguments: `{"n":1}`}), Finish: chat.ToolCalls},
		[]chat.Delta{{Tool: "one", ToolID: "x"}},
	},
	"two calls of one id become two": {
		completion(`{"tool_calls":[{"id":"x","function":{"name":"one","arguments":"{}"}},{"id":"x","function":{"name":"two","arguments":"{}"}}]}`,
			`"tool_calls"`, `null`),
		[]string{
			chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"one","arguments":"{}"}},{"index":1,"id":"x",`+
				`"function":{"name":"two","arguments":"{}"}}]}`, "tool_calls"),
		},
		chat.Response{Message: called(chat.ToolCall{ID: "x", Name: "one", Arguments: `{}`},
			chat.ToolCall{ID: "call_3", Name: "two", Arguments: `{}`}), Finish: chat.ToolCalls},
		[]chat.Delta{{Tool: "one", ToolID: "x"}, {Tool: "two", ToolID: "x"}},
	},
	"reasoning in reasoning_content": {
		completion(`{"role":"assistant","reasoning_content":"2 and 2","content":"4"}`, `"stop"`,
			`{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11,"prompt_cache_hit_tokens":3,"prompt_cache_miss_tokens":2}`),
		[]string{
			chunk(`{"role":"assistant","content":null,"reasoning_content":"2 "}`, ""), chunk(`{"content":null,"reasoning_content":"and 2"}`, ""),
			chunk(`{"content":"4","reasoning_content":null}`, ""),
			`{"id":"c1","model":"m-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,` +
				`"completion_tokens":6,"total_tokens":11,"prompt_cache_hit_tokens":3}}`, "[DONE]",
		},
		chat.Response{Message: thought("2 and 2", "openai:reasoning_content"), Finish: chat.Stop, Usage: chat.Usage{Input: 5, Output: 6, CacheRead: 3}},
		[]chat.Delta{{Reasoning: "2 "}, {Reasoning: "and 2"}, {Text: "4"}},
	},
	"reasoning in reasoning, and the same in reasoning_content": {
		completion(`{"role":"assistant","reasoning":"2 and 2","reasoning_content":"2 and 2","content":"4"}`, `"stop"`, `null`),
		[]string{chunk(`{"reasoning":"2 and 2","reasoning_content":"2 and 2"}`, ""), chunk(`{"content":"4"}`, "stop"), "[DONE]"},
		chat.Response{Message: thought("2 and 2", "openai:reasoning_content"), Finish: chat.Stop},
		[]chat.Delta{{Reasoning: "2 and 2"}, {Text: "4"}},
	},
	"reasoning in reasoning, with details, and the price": {
		completion(`{"role":"assistant","reasoning":"2 and 2","content":"4","reasoning_details":[{"type":"reasoning.text",`+
			`"text":"2 and 2","signature":"sig","format":"f","index":0},{"type":"reasoning.encrypted","data":"xyz","index":1}]}`,
			`"stop"`, `{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11,"cost":0.0125}`),
		[]string{
			": OPENROUTER PROCESSING",
			chunk(`{"reasoning":"2 ","reasoning_details":[{"type":"reasoning.text","text":"2 ","signature":null,"format":"f","index":0}]}`, ""),
			chunk(`{"reasoning":"and 2","reasoning_details":[{"type":"reasoning.text","text":"and 2","index":0}]}`, ""),
			chunk(`{"reasoning":null,"reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0}]}`, ""),
			chunk(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":1}]}`, ""),
			chunk(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"yz","index":1}]}`, ""),
			chunk(`{"content":"4"}`, "stop"), usageChunk(`{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11,"cost":0.0125}`), "[DONE]",
		},
		chat.Response{
			Message: thought("2 and 2",
				`openai:reasoning_details:[{"type":"reasoning.text","text":"2 and 2","signature":"sig","format":"f","index":0},`+
					`{"type":"reasoning.encrypted","data":"xyz","index":1}]`),
			Finish: chat.Stop, Usage: chat.Usage{Input: 5, Output: 6, Cost: 0.0125},
		},
		[]chat.Delta{{Reasoning: "2 "}, {Reasoning: "and 2"}, {Text: "4"}},
	},
	"hidden reasoning": {
		completion(`{"content":"4","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}`, `"stop"`, `null`),
		[]string{chunk(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}`, ""), chunk(`{"content":"4"}`, "stop")},
		chat.Response{
			Message: chat.Message{Role: chat.RoleAssistant, Text: "4",
				Reasoning: []chat.Reasoning{{Hidden: true, Opaque: `openai:reasoning_details:[{"type":"reasoning.encrypted","data":"x"}]`}}},
			Finish: chat.Stop,
		},
		[]chat.Delta{{Text: "4"}},
	},
	"content in parts, one of them a thought": {
		completion(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"4"}]}`, `"stop"`, `null`),
		[]string{chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`, ""), chunk(`{"content":"4"}`, "stop")},
		chat.Response{Message: thought("hm", ""), Finish: chat.Stop}, []chat.Delta{{Reasoning: "hm"}, {Text: "4"}},
	},
	"other choices, other events, and no reason to end": {
		`{"id":"c1","model":"m-1","choices":[{"index":0,"message":{"content":"yes"},"finish_reason":null},{"index":1,` +
			`"message":{"content":"no"},"finish_reason":"stop"}]}`,
		[]string{
			"event: ping\ndata: not even JSON", ": comment", `{"id":"c1","model":"m-1","choices":[],"prompt_filter_results":[]}`,
			`{"id":"c1","model":"m-1","error":null,"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`, "[DONE]",
		},
		chat.Response{Message: said("yes"), Finish: chat.Stop}, []chat.Delta{{Text: "yes"}},
	},
}

func TestAnswersWholeAndStreamed(t *testing.T) {
	req := ask(func(r *chat.Request) {
		r.Messages = append(r.Messages, called(chat.ToolCall{ID: "call_1", Name: "t"}), chat.Message{Role: chat.RoleTool, Call: "call_1"})
	})
	for name, c := range answers {
		c.want.ID, c.want.Model = "c1", "m-1"
		t.Run(name, func(t *testing.T) {
			s := serve(t, whole(c.whole), events(c.events...))
			got, err := s.model().Generate(t.Context(), req, nil)
			if err != nil || !reflect.DeepEqual(*got, c.want) {
				t.Errorf("whole: %v\n%+v\nwant\n%+v", err, got, c.want)
			}
			var told []chat.Delta
			got, err = s.model().Generate(t.Context(), req, func(d chat.Delta) { told = append(told, d) })
			if err != nil || !reflect.DeepEqual(*got, c.want) {
				t.Errorf("streamed: %v\n%+v\nwant\n%+v", err, got, c.want)
			}
			if !reflect.DeepEqual(told, c.told) {
				t.Errorf("told %+v\nwant %+v", told, c.told)
			}
		})
	}
}

// What a server gave goes back as it was: the answer of one request is a message of the next.
func TestReasoningComesBackAsItWas(t *testing.T) {
	for name, want := range map[string]string{
		"reasoning in reasoning_content": `"reasoning_content":"2 and 2"`,
		"reasoning in reasoning, with details, and the price": `"reasoning_details":[{"type":"reasoning.text",` +
			`"text":"2 and 2","signature":"sig","format":"f","index":0},{"type":"reasoning.encrypted","data":"xyz","index":1}]`,
		"hidden reasoning": `"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]`,
		"calls that all have the number 0, with the signatures of Gemini": `"extra_content":{"google":{"thought_signature":"s"}}`,
	} {
		s := serve(t, whole(answers[name].whole), whole(hello))
		m := s.model()
		first, err := m.Generate(t.Context(), ask(func(*chat.Request) {}), nil)
		if err != nil {
			t.Fatal(err)
		}
		conversation := []chat.Message{chat.UserText("hi"), first.Message}
		for _, c := range first.Message.Calls {
			conversation = append(conversation, chat.Message{Role: chat.RoleTool, Call: c.ID, Text: "ok"})
		}
		if _, err := m.Generate(t.Context(), &chat.Request{Messages: conversation}, nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.last(), want) {
			t.Errorf("%s: sent %s", name, s.last())
		}
	}
}

func TestARefusalIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		whole  string
		events []string
		says   string
	}{
		"by the model": {
			completion(`{"role":"assistant","content":null,"refusal":"I can't help with that."}`, `"stop"`, usage),
			[]string{
				chunk(`{"role":"assistant","refusal":"I can't "}`, ""), chunk(`{"refusal":"help with that."}`, ""), chunk(`{}`, "stop"),
				usageChunk(usage), "[DONE]",
			},
			"the model refused: I can't help with that.",
		},
		"by a filter": {
			completion(`{"role":"assistant","content":"Som"}`, `"content_filter"`, usage),
			[]string{chunk(`{"content":"Som"}`, ""), chunk(`{}`, "content_filter"), usageChunk(usage), "[DONE]"},
			"the model refused: the provider's content filter ended the answer",
		},
	} {
		s := serve(t, whole(c.whole), events(c.events...))
		for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
			resp, err := s.model().Generate(t.Context(), ask(func(*chat.Request) {}), stream)
			var refused *chat.ModelError
			if !errors.As(err, &refused) || refused.Kind != chat.Refused || err.Error() != c.says {
				t.Errorf("%s: got %v", name, err)
			}
			spent := chat.Response{Message: said(""), Usage: used, Model: "m-1", ID: "c1"}
			if resp == nil || !reflect.DeepEqual(*resp, spent) {
				t.Errorf("%s: beside the error is %+v, want %+v", name, resp, spent)
			}
		}
	}
}

// TestUsageBesideAnError holds that what a call has used is not lost where its answer is an error.
func TestUsageBesideAnError(t *testing.T) {
	named := chunk(`{"tool_calls":[{"function":{"name":"f"}}]}`, "")
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   bool
	}{
		"the provider gives up":    {events(chunk(`{"content":"Ot"}`, "error"), usageChunk(usage), "[DONE]"), true},
		"the stream is malformed":  {events(chunk(`{"content":"Ot"}`, ""), usageChunk(usage), `{"choices":`), true},
		"nothing was counted":      {events(chunk(`{"content":"Ot"}`, "error"), "[DONE]"), false},
		"there was no answer":      {status(500, ""), false},
		"the pieces make no sense": {events(named, named, usageChunk(usage), "[DONE]"), true},
	} {
		resp, err := serve(t, c.answer).model().Generate(t.Context(), ask(func(*chat.Request) {}), func(chat.Delta) {})
		if err == nil || (resp != nil) != c.want || c.want && resp.Usage != used {
			t.Errorf("%s: got %+v, %v", name, resp, err)
		}
	}
}

func TestServerWithoutStreams(t *testing.T) {
	s := serve(t, whole(hello))
	var told []chat.Delta
	got, err := s.model().Generate(t.Context(), ask(func(*chat.Request) {}), func(d chat.Delta) { told = append(told, d) })
	if err != nil || got.Message.Text != "hello" || !reflect.DeepEqual(told, []chat.Delta{{Text: "hello"}}) {
		t.Errorf("got %+v, %v, told %v", got, err, told)
	}
}
