package anthropic_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
)

var yes = reply{blocks: []block{said("Yes.")}, stop: "end_turn"}

// sent returns the request that the API gets. It fails the test where there is none.
func sent(t *testing.T, req *chat.Request, opts ...anthropic.Option) *call {
	t.Helper()
	s := serve(t, yes.either)
	if _, err := s.model(opts...).Generate(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	return s.last()
}

func hello() []chat.Message { return []chat.Message{chat.UserText("hello")} }

// inJSON returns a value as compact JSON, to be compared.
func inJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMessagesBecomeTurns(t *testing.T) {
	calls := []chat.ToolCall{{ID: "toolu_1", Name: "look", Arguments: `{"at": 1}`}, {ID: "functions.look:2", Name: "look"}}
	for _, c := range []struct {
		name     string
		messages []chat.Message
		want     string
	}{
		{
			"a question", hello(),
			`[{"role":"user","content":[{"type":"text","text":"hello"}]}]`,
		},
		{
			"messages of the user and the system that follow one another are one turn",
			[]chat.Message{chat.UserText("a"), {Role: chat.RoleSystem, Text: "be kind"}, chat.UserText("b")},
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"\u003csystem\u003e\nbe ` +
				`kind\n\u003c/system\u003e"},{"type":"text","text":"b"}]}]`,
		},
		{
			"the results of a turn are one turn, and begin it",
			[]chat.Message{
				chat.UserText("go"), {Role: chat.RoleAssistant, Text: "I go.", Calls: calls},
				{Role: chat.RoleTool, Call: "toolu_1", Text: "otters"}, {Role: chat.RoleSystem, Text: "hurry"},
				{Role: chat.RoleTool, Call: "functions.look:2", Text: "no such place", Failed: true}, chat.UserText("and?"),
			},
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"I go."},{"type":"tool_use","id":"toolu_1","name":"look",` +
				`"input":{"at":1}},{"type":"tool_use","id":"functions_look_2","name":"look","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"otters"}]},` +
				`{"type":"tool_result","tool_use_id":"functions_look_2","is_error":true,"content":[{"type":"text","text":"no such place"}]},` +
				`{"type":"text","text":"\u003csystem\u003e\nhurry\n\u003c/system\u003e"},{"type":"text","text":"and?"}]}]`,
		},
		{
			"what the API would refuse for being empty is left out, or filled",
			[]chat.Message{
				chat.UserText("go"), chat.UserText(" \n"), {Role: chat.RoleAssistant}, {Role: chat.RoleAssistant, Text: "\n\n", Calls: calls[:1]},
				{Role: chat.RoleTool, Call: "toolu_1", Failed: true},
			},
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"look","input":{"at":1}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text",` +
				`"text":"the call failed"}]}]}]`,
		},
		{
			"arguments that are no object are shown to the model in one",
			[]chat.Message{
				chat.UserText("go"), {Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "toolu_1", Name: "look", Arguments: `{"at": `}}},
				{Role: chat.RoleTool, Call: "toolu_1", Text: "wrong", Failed: true},
			},
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"look","input":{"invalid_arguments":"{\"at\": "}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"wrong"}]}]}]`,
		},
		{
			"images and files, of users and of tools, by reference and by their bytes",
			[]chat.Message{
				{Role: chat.RoleUser, Text: "look", Media: []chat.Media{
					{Type: "image/png", Data: []byte{1, 2, 3}}, {Type: "image/jpeg", URL: "https://x.test/a.jpg"},
					{Type: "application/pdf", URL: "https://x.test/a.pdf"}, {Type: "text/csv; charset=utf-8", Data: []byte("a,b"), Name: "a.csv"},
				}},
				{Role: chat.RoleAssistant, Calls: calls[:1]},
				{Role: chat.RoleTool, Call: "toolu_1", Media: []chat.Media{{Type: "application/pdf", Data: []byte{4}}, {Type: "image/webp", Data: []byte{5}}}},
			},
			`[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}},` +
				`{"type":"image","source":{"type":"url","url":"https://x.test/a.jpg"}},` +
				`{"type":"document","source":{"type":"url","url":"https://x.test/a.pdf"}},{"type":"document","title":"a.csv",` +
				`"source":{"type":"text","media_type":"text/plain","data":"a,b"}},{"type":"text","text":"look"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"look","input":{"at":1}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"document",` +
				`"source":{"type":"base64","media_type":"application/pdf","data":"BA=="}},{"type":"image","source":{"type":"base64",` +
				`"media_type":"image/webp","data":"BQ=="}}]}]}]`,
		},
		{
			"reasoning of other providers is left out",
			[]chat.Message{
				chat.UserText("go"), {Role: chat.RoleAssistant, Text: "I go.", Reasoning: []chat.Reasoning{
					{Text: "theirs", Opaque: "gAAAA"}, {Text: "nobody's"}, {Opaque: "anthropic:x.0:a"}, {Opaque: "anthropic:-1.0:a"},
				}}, chat.UserText("and?"),
			},
			`[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"text","text":"I ` +
				`go."}]},{"role":"user","content":[{"type":"text","text":"and?"}]}]`,
		},
		{
			"a thought whose place is not in a text that was made shorter",
			[]chat.Message{
				chat.UserText("go"), {Role: chat.RoleAssistant, Text: "größe", Reasoning: []chat.Reasoning{
					{Text: "within a character", Opaque: "anthropic:3.0:a"}, {Text: "behind the end", Opaque: "anthropic:99.9:b"},
				}}, chat.UserText("and?"),
			},
			`[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"text","text":"gr"},` +
				`{"type":"thinking","thinking":"within a character","signature":"a"},` +
				`{"type":"text","text":"öße"},{"type":"thinking","thinking":"behind the end","signature":"b"}]},{"role":"user",` +
				`"content":[{"type":"text","text":"and?"}]}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := inJSON(t, sent(t, &chat.Request{Messages: c.messages}).Messages); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestThoughtsSentBack(t *testing.T) {
	blocks := []block{
		thought("first", "czE="), said("I look. "), hidden("ZW5j"), thought("", "czI="), called("toolu_1", "look", `{"at":1}`),
		thought("third", "czM="), said("And there."), called("toolu_2", "look", `{"at":2}`),
	}
	for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
		s := serve(t, reply{blocks: blocks, stop: "tool_use"}.either, yes.either)
		m := s.model(anthropic.AdaptiveThinking())
		r, err := ask(t.Context(), m, stream)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Generate(t.Context(), &chat.Request{Messages: []chat.Message{
			chat.UserText("hello"), r.Message,
			{Role: chat.RoleTool, Call: "toolu_1", Text: "a"}, {Role: chat.RoleTool, Call: "toolu_2", Text: "b"},
		}}, nil); err != nil {
			t.Fatal(err)
		}
		if got := s.last().Messages[1].Content; inJSON(t, got) != inJSON(t, blocks) {
			t.Errorf("\n got %s\nwant %s", inJSON(t, got), inJSON(t, blocks))
		}
	}
}

func TestSystemPromptOnly(t *testing.T) {
	c := sent(t, &chat.Request{System: "Name an otter.", Output: &chat.Schema{Name: "otter", JSON: `{}`}})
	if got := inJSON(t, c.Messages); got != `[{"role":"user","content":[{"type":"text","text":"Name an otter."}]}]` {
		t.Errorf("got %s", got)
	}
	if len(c.System) != 1 || !strings.HasSuffix(c.System[0].Text, "JSON Schema:\n{}") {
		t.Errorf("the system prompt is %+v", c.System)
	}
}

func TestRequestSettings(t *testing.T) {
	zero := 0.0
	c := sent(t, &chat.Request{
		Model: "claude-other", System: "Be terse.", Messages: hello(), Temperature: &zero, MaxTokens: 100, Cache: true,
		Tools: []chat.ToolSpec{{Name: "now"},
			{Name: "look", Doc: "Looks.", Schema: `{"properties":{"z":{"type":"string"},"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"minLength":1}}}`}},
	}, anthropic.Effort("low"))
	if c.Model != "claude-other" || *c.Temperature != 0 || c.MaxTokens != 100 || c.Output.Effort != "low" || c.Output.Format != nil {
		t.Errorf("got %+v", c)
	}
	if len(c.System) != 1 || c.System[0].Text != "Be terse." || c.System[0].Cache == nil {
		t.Errorf("the system prompt is %+v", c.System)
	}
	if c.Tools[0].Cache != nil || c.Tools[1].Cache == nil || c.Tools[1].Description != "Looks." ||
		!strings.HasPrefix(string(c.Tools[1].Schema), `{"type":"object","properties":{"z":{"type":"string"},"a":{`) {
		t.Errorf("the tools are %+v", c.Tools)
	}
	c = sent(t, &chat.Request{System: "Be terse.", Messages: hello(), Tools: []chat.ToolSpec{{Name: "now"}}})
	if c.MaxTokens != anthropic.DefaultMaxTokens || c.Temperature != nil || c.Thinking != nil || c.Output != nil ||
		c.System[0].Cache != nil || c.Tools[0].Cache != nil {
		t.Errorf("what nobody asked for: %+v", c)
	}
	if c = sent(t, &chat.Request{Messages: hello()}, anthropic.MaxTokens(50)); c.MaxTokens != 50 || c.ToolChoice != nil {
		t.Errorf("got %+v", c)
	}
}

func TestTheChoiceOfTools(t *testing.T) {
	for _, c := range []struct {
		name        string
		choice      chat.ToolChoice
		opts        []anthropic.Option
		want        toolChoice
		instruction string
		thinks      bool
	}{
		{name: "as the model likes", want: toolChoice{Type: "auto"}, thinks: true},
		{name: "no tool", choice: chat.ToolChoice{Mode: chat.None}, want: toolChoice{Type: "none"}, thinks: true},
		{name: "any tool, and so no thinking", choice: chat.ToolChoice{Mode: chat.Required}, want: toolChoice{Type: "any"}},
		{name: "one tool, and so no thinking", choice: chat.ToolChoice{Mode: chat.Named, Name: "now"}, want: toolChoice{Type: "tool", Name: "now"}},
		{name: "one at a time", opts: []anthropic.Option{anthropic.OneToolAtATime()}, want: toolChoice{Type: "auto", One: true}, thinks: true},
		{
			name: "any tool by instruction", choice: chat.ToolChoice{Mode: chat.Required}, opts: []anthropic.Option{anthropic.ToolsByInstruction()},
			want: toolChoice{Type: "auto"}, instruction: "Do not answer in text: call at least one of the tools.", thinks: true,
		},
		{
			name: "one tool by instruction", choice: chat.ToolChoice{Mode: chat.Named, Name: "now"}, opts: []anthropic.Option{anthropic.ToolsByInstruction()},
			want: toolChoice{Type: "auto"}, instruction: "Do not answer in text: call the tool now.", thinks: true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sent(t, &chat.Request{Messages: hello(), Tools: []chat.ToolSpec{{Name: "now"}}, Choice: c.choice, MaxTokens: 100},
				append(c.opts, anthropic.ThinkingBudget(2048))...)
			if *got.ToolChoice != c.want {
				t.Errorf("got %+v, want %+v", *got.ToolChoice, c.want)
			}
			if (got.Thinking != nil) != c.thinks || c.thinks && got.MaxTokens != 2148 || !c.thinks && got.MaxTokens != 100 {
				t.Errorf("thinking is %+v, max_tokens %d", got.Thinking, got.MaxTokens)
			}
			if c.instruction == "" && got.System != nil || c.instruction != "" && got.System[0].Text != c.instruction {
				t.Errorf("the instruction is %+v", got.System)
			}
		})
	}
}

func TestHowTheModelThinks(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  anthropic.Option
		want thinkingConfig
		max  int
	}{
		{"with a budget, which max_tokens has besides", anthropic.ThinkingBudget(4096), thinkingConfig{Type: "enabled", Budget: 4096}, 4196},
		{"as it likes, in summary", anthropic.AdaptiveThinking(), thinkingConfig{Type: "adaptive", Display: "summarized"}, 100},
		{"not at all", anthropic.WithoutThinking(), thinkingConfig{Type: "disabled"}, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sent(t, &chat.Request{Messages: hello(), MaxTokens: 100}, c.opt)
			if *got.Thinking != c.want || got.MaxTokens != c.max {
				t.Errorf("got %+v, max_tokens %d", *got.Thinking, got.MaxTokens)
			}
		})
	}
}

func TestThinkingBudget(t *testing.T) {
	thought := []chat.Reasoning{{Text: "Hm.", Opaque: "anthropic:0.0:c2ln"}}
	for _, c := range []struct {
		name      string
		reasoning []chat.Reasoning
		after     []chat.Message
		thinks    bool
	}{
		{"calls after a thought", thought, nil, true},
		{"calls of another provider", []chat.Reasoning{{Text: "Hm.", Opaque: "gAAAA"}}, nil, false},
		{"calls that were forced", nil, nil, false},
		{"calls that were forced, and an answer since", nil, []chat.Message{{Role: chat.RoleAssistant, Text: "Otters."}, chat.UserText("and?")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sent(t, &chat.Request{MaxTokens: 100, Messages: append([]chat.Message{
				chat.UserText("go"), {Role: chat.RoleAssistant, Reasoning: c.reasoning, Calls: []chat.ToolCall{{ID: "toolu_1", Name: "look"}}},
				{Role: chat.RoleTool, Call: "toolu_1", Text: "otters"},
			}, c.after...)}, anthropic.ThinkingBudget(1024))
			if (got.Thinking != nil) != c.thinks || c.thinks != (got.MaxTokens == 1124) {
				t.Errorf("thinking is %+v, max_tokens %d", got.Thinking, got.MaxTokens)
			}
		})
	}
}

func TestUnsupportedRequest(t *testing.T) {
	user := func(m chat.Media) *chat.Request {
		return &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Media: []chat.Media{m}}}}
	}
	for _, c := range []struct {
		req  *chat.Request
		says string
	}{
		{&chat.Request{}, "there is neither a message nor a system prompt to answer"},
		{&chat.Request{Messages: []chat.Message{{Text: "hello"}}}, "a message has no role"},
		{user(chat.Media{Type: "audio/wav", Data: []byte{1}, Name: "a.wav"}),
			`Anthropic takes no media "a.wav" of type "audio/wav": transcribe it before, or ask a model of another provider`},
		{user(chat.Media{Type: "image/heic", Data: []byte{1}}), `Anthropic takes no media of type "image/heic": convert it to PNG, JPEG, GIF or WebP`},
		{user(chat.Media{Type: "image/png", Data: make([]byte, 4<<20), Name: "a.png"}),
			`Anthropic takes no image "a.png" of more than 5 MiB in base64, and it has 5592408 bytes: scale it down, or give its URL`},
		{user(chat.Media{Data: []byte{1}}), `Anthropic takes no media of type ""`},
		{user(chat.Media{Type: "image/png"}), `the media has neither a URL nor data`},
		{user(chat.Media{Type: "image/png", URL: "file:///etc/passwd"}), `Anthropic takes no media by a URL that is not of https`},
		{user(chat.Media{Type: "text/plain", URL: "https://x.test/a"}), `Anthropic takes no media of type text/plain by its URL: give its bytes`},
		{user(chat.Media{Type: "text/plain", Data: []byte{0xff}, Name: "a"}), `the media "a" is not a text in UTF-8`},
		{&chat.Request{Messages: []chat.Message{{Role: chat.RoleTool, Call: "c", Media: []chat.Media{{Type: "video/mp4", Data: []byte{1}}}}}},
			`Anthropic takes no media of type "video/mp4"`},
		{&chat.Request{Messages: []chat.Message{{Role: chat.RoleAssistant, Media: []chat.Media{{Type: "image/png", Data: []byte{1}}}}}},
			"Anthropic takes no media in messages of the assistant"},
		{&chat.Request{Messages: hello(), Tools: []chat.ToolSpec{{Name: "now", Schema: "[]"}}}, "the schema of the tool now is not an object of JSON"},
		{&chat.Request{Messages: hello(), Output: &chat.Schema{Name: "o", JSON: "{"}}, "the schema of the output o is not JSON"},
	} {
		s := serve(t, yes.either)
		_, err := s.model().Generate(t.Context(), c.req, nil)
		var wrong *chat.ModelError
		if !errors.As(err, &wrong) || wrong.Kind != chat.BadRequest || wrong.Message != c.says || wrong.Status != 0 || len(s.calls) != 0 {
			t.Errorf("got %v after %d calls, want %q", err, len(s.calls), c.says)
		}
	}
}

func TestResumedConversation(t *testing.T) {
	req := &chat.Request{Messages: []chat.Message{chat.UserText("hello"), {Role: chat.RoleAssistant, Text: "Well,"}}}
	before := slices.Clone(req.Messages)
	s := serve(t, reply{blocks: []block{said("I pause.")}, stop: "pause_turn"}.either, yes.either)
	if _, err := s.model().Generate(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(req.Messages, before) {
		t.Errorf("the request is %+v", req.Messages)
	}
	if got := s.last().Messages; len(got) != 2 || len(got[1].Content) != 2 {
		t.Errorf("the turn went on after %+v", got)
	}
}
