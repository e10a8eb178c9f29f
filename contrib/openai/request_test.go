package openai_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/openai"
)

const hello = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[
	{"index":0,"message":{"role":"assistant","content":"hello","refusal":null},"logprobs":null,"finish_reason":"stop"}]}`

var (
	half  = 0.5
	otter = chat.Media{Type: "image/png", Data: []byte("png")}

	search = chat.ToolSpec{
		Name: "search", Doc: "Search.",
		Schema: `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","default":5}},` +
			`"required":["query"],"additionalProperties":false}`,
	}
	lookup = chat.ToolSpec{
		Name: "lookup", Schema: `{"type":"object","properties":{"tags":{"type":"object","additionalProperties":{"type":"string"}}},"required":["tags"]}`,
	}
	verdict = &chat.Schema{
		Name: "verdict",
		JSON: `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"score":{"type":"integer",` +
			`"minimum":1},"note":{"type":["string","null"],"maxLength":9}},"required":["score"],"additionalProperties":false}`,
	}
	words = &chat.Schema{Name: "words", JSON: `{"type":"array","items":{"type":"string"}}`}
)

func ask(change func(*chat.Request)) *chat.Request {
	r := &chat.Request{Messages: []chat.Message{chat.UserText("hi")}}
	change(r)
	return r
}

// turn is a conversation in which two tools were called, and have answered.
func turn(reasoning ...chat.Reasoning) []chat.Message {
	return []chat.Message{
		chat.UserText("look"),
		{Role: chat.RoleAssistant, Reasoning: reasoning, Calls: []chat.ToolCall{
			{ID: "a", Name: "search", Arguments: `{"query":"x"}`},
			{ID: "b", Name: "search", Arguments: `{"query"`, Opaque: `openai:extra_content:{"google":{"thought_signature":"s"}}`},
		}},
		{Role: chat.RoleTool, Call: "a", Name: "search", Text: "found", Media: []chat.Media{otter}},
		{Role: chat.RoleTool, Call: "b", Name: "search", Text: "no JSON", Failed: true},
		{Role: chat.RoleAssistant, Text: "done"},
		{Role: chat.RoleSystem, Text: "be short"},
		chat.UserText("go on"),
	}
}

const (
	strictSearch = `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","description":"(default: ` +
		`5)"}},"required":["query","limit"],"additionalProperties":false}`
	shownOtter = `{"role":"user","content":[{"type":"text","text":"Of the result of the tool call a:"},{"type":"image_url",` +
		`"image_url":{"url":"data:image/png;base64,cG5n"}}]}`
)

func TestRequestsOnTheWire(t *testing.T) {
	hi := `"model":"test-model","messages":[{"role":"user","content":"hi"}]`
	function := func(t chat.ToolSpec, doc string) string {
		return `{"type":"function","function":{"name":"` + t.Name + `",` + doc + `"parameters":` + t.Schema + `}}`
	}
	searchTool := function(search, `"description":"Search.",`)
	for name, c := range map[string]struct {
		req            *chat.Request
		opts           []openai.Option
		others, openAI string // "" = the same as others
	}{
		"a question": {ask(func(*chat.Request) {}), nil, `{` + hi + `}`, ""},
		"a system prompt, another model, temperature and a limit": {
			ask(func(r *chat.Request) {
				r.System, r.Model, r.Temperature, r.MaxTokens, r.Cache = "Be kind.", "big", &half, 99, true
			}), nil,
			`{"model":"big","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"hi"}],"temperature":0.5,"max_tokens":99}`,
			`{"model":"big","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"hi"}],"temperature":0.5,` +
				`"max_completion_tokens":99,"prompt_cache_key":"graphgen-8f4c1b"}`,
		},
		"images, PDF files and sound": {
			ask(func(r *chat.Request) {
				r.Messages[0].Media = []chat.Media{
					{Type: "image/jpeg", URL: "https://example.org/o.jpg"}, otter,
					{Type: "application/pdf", Data: []byte("%PDF"), Name: "a.pdf"},
					{URL: "file-abc"}, {Type: "audio/mpeg", Data: []byte("mp3")},
				}
			}), nil,
			`{"model":"test-model","messages":[{"role":"user","content":[{"type":"text","text":"hi"},
			{"type":"image_url","image_url":{"url":"https://example.org/o.jpg"}},
			{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},
			{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERg==","filename":"a.pdf"}},
			{"type":"file","file":{"file_id":"file-abc"}},
			{"type":"input_audio","input_audio":{"data":"bXAz","format":"mp3"}}]}]}`, "",
		},
		"tools, strict at OpenAI where that says the same": {
			ask(func(r *chat.Request) { r.Tools = []chat.ToolSpec{search, lookup} }), nil,
			`{` + hi + `,"tools":[` + searchTool + `,` + function(lookup, "") + `]}`,
			`{` + hi + `,"tools":[{"type":"function","function":{"name":"search","description":"Search.","strict":true,"parameters":` +
				strictSearch + `}},` + function(lookup, "") + `]}`,
		},
		"the choice of no tool": {
			ask(func(r *chat.Request) { r.Tools, r.Choice.Mode = []chat.ToolSpec{lookup}, chat.None }), nil,
			`{` + hi + `,"tools":[` + function(lookup, "") + `],"tool_choice":"none"}`, "",
		},
		"the choice of any tool, one at a time": {
			ask(func(r *chat.Request) { r.Tools, r.Choice.Mode = []chat.ToolSpec{lookup}, chat.Required }),
			[]openai.Option{openai.ParallelCalls(false)},
			`{` + hi + `,"tools":[` + function(lookup, "") + `],"tool_choice":"required","parallel_tool_calls":false}`, "",
		},
		"the choice of one tool": {
			ask(func(r *chat.Request) {
				r.Tools, r.Choice = []chat.ToolSpec{lookup}, chat.ToolChoice{Mode: chat.Named, Name: "lookup"}
			}), nil,
			`{` + hi + `,"tools":[` + function(lookup, "") + `],"tool_choice":{"type":"function","function":{"name":"lookup"}}}`, "",
		},
		"a choice without tools is none": {
			ask(func(r *chat.Request) { r.Choice.Mode = chat.Required }), nil, `{` + hi + `}`, "",
		},
		"structured output": {
			ask(func(r *chat.Request) { r.Output = verdict }), nil,
			`{` + hi + `,"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,` +
				`"schema":{"type":"object","properties":{"score":{"type":"integer","minimum":1},"note":{"type":["string","null"],` +
				`"description":"(maxLength: 9)"}},"required":["score","note"],"additionalProperties":false}}}}`, "",
		},
		"structured output that is no object, which OpenAI is asked for in words": {
			ask(func(r *chat.Request) { r.Output = words }), nil,
			`{` + hi + `,"response_format":{"type":"json_schema","json_schema":{"name":"words","schema":` + words.JSON + `}}}`,
			`{"model":"test-model","messages":[{"role":"system","content":"INSTRUCTION` + strings.ReplaceAll(words.JSON, `"`,
				`\"`) + `"},{"role":"user","content":"hi"}]}`,
		},
		"structured output by instruction": {
			ask(func(r *chat.Request) { r.System, r.Output = "Be kind.", words }), []openai.Option{openai.OutputByInstruction()},
			`{"model":"test-model","messages":[{"role":"system","content":"Be kind.\n\nINSTRUCTION` + strings.ReplaceAll(words.JSON,
				`"`, `\"`) + `"},{"role":"user","content":"hi"}]}`, "",
		},
		"effort, and the other name of the limit": {
			ask(func(r *chat.Request) { r.MaxTokens = 9 }), []openai.Option{openai.Effort("low"), openai.Field("temperature", 1)},
			`{` + hi + `,"reasoning_effort":"low","max_tokens":9,"temperature":1}`,
			`{` + hi + `,"reasoning_effort":"low","max_completion_tokens":9,"temperature":1}`,
		},
		"the results of tools with an image, and reasoning that others get back": {
			&chat.Request{Messages: turn(chat.Reasoning{Text: "hm", Opaque: "openai:reasoning_content"},
				chat.Reasoning{Text: "of another provider", Opaque: "sig"})}, nil,
			`{"model":"test-model","messages":[{"role":"user","content":"look"},
			{"role":"assistant","reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}},
			{"id":"b","type":"function","function":{"name":"search","arguments":"{\"not_an_object\":\"{\\\"query\\\"\"}"},"extra_content":{"google":{"thought_signature":"s"}}}]},
			{"role":"tool","tool_call_id":"a","content":"found"},{"role":"tool","tool_call_id":"b","content":"no JSON"},` + shownOtter + `,
			{"role":"assistant","content":"done"},{"role":"system","content":"be short"},{"role":"user","content":"go on"}]}`,
			`{"model":"test-model","messages":[{"role":"user","content":"look"},
			{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}},
			{"id":"b","type":"function","function":{"name":"search","arguments":"{\"query\""}}]},
			{"role":"tool","tool_call_id":"a","content":"found"},{"role":"tool","tool_call_id":"b","content":"no JSON"},` + shownOtter + `,
			{"role":"assistant","content":"done"},{"role":"system","content":"be short"},{"role":"user","content":"go on"}]}`,
		},
		"details of reasoning": {
			&chat.Request{Messages: turn(chat.Reasoning{Text: "hm", Opaque: `openai:reasoning_details:[{"type":"reasoning.encrypted","data":"x"}]`})[:4]}, nil,
			`{"model":"test-model","messages":[{"role":"user","content":"look"},
			{"role":"assistant","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}],"tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}},
			{"id":"b","type":"function","function":{"name":"search","arguments":"{\"not_an_object\":\"{\\\"query\\\"\"}"},"extra_content":{"google":{"thought_signature":"s"}}}]},
			{"role":"tool","tool_call_id":"a","content":"found"},{"role":"tool","tool_call_id":"b","content":"no JSON"},` + shownOtter + `]}`,
			`{"model":"test-model","messages":[{"role":"user","content":"look"},
			{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}},
			{"id":"b","type":"function","function":{"name":"search","arguments":"{\"query\""}}]},
			{"role":"tool","tool_call_id":"a","content":"found"},{"role":"tool","tool_call_id":"b","content":"no JSON"},` + shownOtter + `]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, whole(hello))
			if _, err := s.model(c.opts...).Generate(t.Context(), c.req, nil); err != nil {
				t.Fatal(err)
			}
			sameRequest(t, s.last(), c.others)
			if c.openAI == "" {
				c.openAI = c.others
			}
			if _, err := s.asOpenAI(c.opts...).Generate(t.Context(), c.req, nil); err != nil {
				t.Fatal(err)
			}
			sameRequest(t, s.last(), c.openAI)
		})
	}
}

const instruction = "Answer with one JSON value and nothing else: no other text, no code fence. It must be valid by this JSON Schema:\\n"

func sameRequest(t *testing.T, got, want string) {
	t.Helper()
	normal := func(text string) string {
		var v map[string]any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if key, ok := v["prompt_cache_key"].(string); ok { // it is a hash: see TestPromptCacheKey
			v["prompt_cache_key"] = strings.HasPrefix(key, "graphgen-") && len(key) <= 64
		}
		out, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want = strings.ReplaceAll(want, "INSTRUCTION", instruction)
	want = strings.ReplaceAll(want, `"graphgen-8f4c1b"`, "true")
	if got, want := normal(got), normal(want); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

func TestToolPropertyOrder(t *testing.T) {
	s := serve(t, whole(hello))
	if _, err := s.model().Generate(t.Context(), ask(func(r *chat.Request) { r.Tools, r.Output = []chat.ToolSpec{search}, verdict }), nil); err != nil {
		t.Fatal(err)
	}
	for first, second := range map[string]string{`"query"`: `"limit"`, `"score"`: `"note"`} {
		if at := strings.Index(s.last(), first); at < 0 || at > strings.Index(s.last(), second) {
			t.Errorf("%s does not stand before %s in %s", first, second, s.last())
		}
	}
}

func TestPromptCacheKey(t *testing.T) {
	s := serve(t, whole(hello))
	m := s.asOpenAI()
	keyOf := func(change func(*chat.Request)) string {
		r := ask(func(r *chat.Request) { r.System, r.Cache = "long", true })
		change(r)
		if _, err := m.Generate(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Key string `json:"prompt_cache_key"`
		}
		if err := json.Unmarshal([]byte(s.last()), &sent); err != nil || sent.Key == "" {
			t.Fatalf("%v, %q", err, sent.Key)
		}
		return sent.Key
	}
	first := keyOf(func(*chat.Request) {})
	if again := keyOf(func(r *chat.Request) { r.Messages = append(r.Messages, chat.UserText("more")) }); again != first {
		t.Error("another question has another key")
	}
	if other := keyOf(func(r *chat.Request) { r.Tools = []chat.ToolSpec{search} }); other == first {
		t.Error("other tools have the same key")
	}
}

func TestFieldsCanBeAddedAndLeftOut(t *testing.T) {
	s := serve(t, events(`{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`, "[DONE]"))
	s.openAI = false
	m := s.model(openai.Field("top_k", 7), openai.LimitField("max_tokens"))
	if _, err := m.Generate(t.Context(), ask(func(*chat.Request) {}), func(chat.Delta) {}); err != nil {
		t.Fatal(err)
	}
	sameRequest(t, s.last(),
		`{"model":"test-model","messages":[{"role":"user","content":"hi"}],"top_k":7,"stream":true,"stream_options":{"include_usage":true}}`)
}

func TestUnsupportedRequest(t *testing.T) {
	media := func(c chat.Media) *chat.Request {
		return ask(func(r *chat.Request) { r.Messages[0].Media = []chat.Media{otter, c} })
	}
	for name, c := range map[string]struct {
		req  *chat.Request
		says string
	}{
		"a film": {media(chat.Media{Type: "video/mp4", Data: []byte("x")}),
			`media 1 of message 0 ("video/mp4"): only images, PDF files, wav and mp3 are taken`},
		"a file by its URL": {media(chat.Media{Type: "application/pdf", URL: "https://example.org/a.pdf"}), "it is taken as data only"},
		"sound by its URL":  {media(chat.Media{Type: "audio/wav", URL: "https://example.org/a.wav"}), "it is taken as data only"},
		"an empty image":    {media(chat.Media{Type: "image/png"}), "there is neither a URL nor data"},
		"a tool whose schema is not JSON": {ask(func(r *chat.Request) { r.Tools = []chat.ToolSpec{{Name: "t", Schema: "{"}} }),
			"the schema of the tool t is not JSON"},
		"an output whose schema is not JSON": {ask(func(r *chat.Request) { r.Output = &chat.Schema{Name: "o", JSON: "{"} }), "the schema o is not JSON"},
		"a message of nobody":                {&chat.Request{Messages: []chat.Message{{Text: "x"}}}, "message 0 has no role"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, whole(hello))
			_, err := s.model().Generate(t.Context(), c.req, nil)
			var request *chat.ModelError
			if !errors.As(err, &request) || request.Kind != chat.BadRequest || request.Status != 0 || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			if len(s.requests) > 0 {
				t.Error("there was a call")
			}
		})
	}
}

func TestNewErrors(t *testing.T) {
	for name, c := range map[string]struct {
		model, key, base string
		opts             []openai.Option
		says             string // of the error; "" = none
	}{
		"a key from the environment":             {"m", key, "", nil, ""},
		"no key for OpenAI":                      {"m", "", "", nil, "there is no API key: set OPENAI_API_KEY"},
		"an empty key for OpenAI":                {"m", key, "", []openai.Option{openai.Key("")}, "there is no API key"},
		"no key for a server of the environment": {"m", "", "http://localhost:11434/v1", nil, ""},
		"no key for a server":                    {"m", "", "", []openai.Option{openai.BaseURL("http://localhost:1/v1")}, ""},
		"Azure's header in place of a key": {"m", "", "https://x.openai.azure.com/openai/v1",
			[]openai.Option{openai.Header("api-key", "0123456789")}, ""},
		"no name":                    {"", key, "", nil, "the model has no name"},
		"a base URL that is none":    {"m", key, "localhost:11434", nil, "the base URL is not a plain address"},
		"a base URL with a password": {"m", key, "http://me:secret@localhost/v1", nil, "the base URL is not a plain address"},
		"a key with a line break":    {"m", "", "", []openai.Option{openai.Key("secret\n")}, "characters that no key has"},
		"a limit of another name":    {"m", key, "", []openai.Option{openai.LimitField("n")}, `not "n"`},
		"no HTTP client":             {"m", key, "", []openai.Option{openai.HTTPClient(nil)}, "the HTTP client is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OPENAI_API_KEY", c.key)
			t.Setenv("OPENAI_BASE_URL", c.base)
			_, err := openai.New(c.model, c.opts...)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("a secret in %v", err)
			}
		})
	}
}

func TestWithoutAKeyNoneIsSent(t *testing.T) {
	s := serve(t, whole(hello))
	t.Setenv("OPENAI_API_KEY", "not for this server")
	s.Config.Handler = whoever(t)
	m, err := openai.New("m", openai.BaseURL(s.URL+"/v1"), openai.Key(""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), ask(func(*chat.Request) {}), nil); err != nil {
		t.Error(err)
	}
}
