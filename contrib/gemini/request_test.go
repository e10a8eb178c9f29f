package gemini_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/gemini"
)

var (
	ok    = says(chunk("STOP", `{"text":"ok"}`))
	zero  = 0.0
	plain = `{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`
	png   = chat.Media{Type: "image/png", Data: []byte("png"), Name: "a.png"}
)

// sent makes a call and returns what reached the server.
func sent(t *testing.T, name string, req *chat.Request, options ...gemini.Option) *server {
	t.Helper()
	s, model := serve(t, name, ok, options...)
	if _, err := model.Generate(context.Background(), req, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// like compares JSON, with the order of members.
func like(t *testing.T, got, want string) {
	t.Helper()
	var g, w bytes.Buffer
	if err := errors.Join(json.Compact(&g, []byte(got)), json.Compact(&w, []byte(want))); err != nil {
		t.Fatal(err)
	}
	if g.String() != w.String() {
		t.Errorf("sent %s\nwant %s", &g, &w)
	}
}

func TestAllOfARequestReachesTheAPI(t *testing.T) {
	req := &chat.Request{
		System: "Be brief.", Messages: []chat.Message{chat.UserText("hello")},
		Tools: []chat.ToolSpec{{Name: "find", Doc: "finds", Schema: plain},
			{Name: "now", Schema: `{"type":"object","properties":{},"additionalProperties":false}`}},
		Choice:      chat.ToolChoice{Mode: chat.Named, Name: "find"},
		Output:      &chat.Schema{Name: "Answer", JSON: `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`},
		Temperature: &zero, MaxTokens: 100, Cache: true, Model: "gemini-3-flash",
	}
	s := sent(t, "gemini-3.1-pro-preview", req,
		gemini.Thinking(genai.ThinkingConfig{IncludeThoughts: true, ThinkingLevel: genai.ThinkingLevelLow}),
		gemini.Safety(&genai.SafetySetting{Category: genai.HarmCategoryHarassment, Threshold: genai.HarmBlockThresholdBlockNone}))
	if s.model != "gemini-3-flash" {
		t.Errorf("asked %s", s.model)
	}
	like(t, s.body, `{"contents":[{"parts":[{"text":"hello"}],"role":"user"}],
		"generationConfig":{"maxOutputTokens":100,"responseJsonSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}},
			"responseMimeType":"application/json","temperature":0,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}},
		"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}],
		"systemInstruction":{"parts":[{"text":"Be brief."}],"role":"user"},
		"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["find"],"mode":"ANY"}},
		"tools":[{"functionDeclarations":[{"description":"finds","name":"find","parametersJsonSchema":`+plain+`},{"name":"now"}]}]}`)
}

func TestHowFreeAModelIsToCallTools(t *testing.T) {
	for mode, want := range map[chat.ToolMode]string{chat.Auto: "AUTO", chat.None: "NONE", chat.Required: "ANY"} {
		s := sent(t, "gemini-2.5-pro", &chat.Request{
			Messages: hello.Messages, Tools: []chat.ToolSpec{{Name: "find"}}, Choice: chat.ToolChoice{Mode: mode},
		})
		if got := s.request.ToolConfig.FunctionCallingConfig; got.Mode != want || got.AllowedFunctionNames != nil {
			t.Errorf("mode %d is %+v, want %s", mode, got, want)
		}
	}
}

func TestOutputWithTools(t *testing.T) {
	instruction := "one JSON value and nothing else: no other text, no code fence. It fits this JSON Schema, named Answer:\n" + plain
	for _, c := range []struct {
		name, model string
		tools       []chat.ToolSpec
		mode        gemini.SchemaMode
		want        string // of the system prompt
	}{
		{"a third generation takes both", "gemini-3.1-pro-preview", []chat.ToolSpec{{Name: "find"}}, gemini.SchemaAuto, "Be brief."},
		{"so does what is newest", "gemini-flash-latest", nil, gemini.SchemaAuto, "Be brief."},
		{"a second generation takes one", "gemini-2.5-flash", []chat.ToolSpec{{Name: "find"}}, gemini.SchemaAuto,
			"Be brief.\n\nWhen you call no tool, your answer is " + instruction},
		{"it takes it alone", "gemini-2.5-flash", nil, gemini.SchemaAuto, "Be brief."},
		{"an instruction is wanted", "gemini-3.1-pro-preview", nil, gemini.SchemaInstructed, "Be brief.\n\nYour answer is " + instruction},
		{"the schema is wanted", "gemini-3.1-pro-preview", []chat.ToolSpec{{Name: "find"}}, gemini.SchemaNative, "Be brief."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sent(t, c.model, &chat.Request{
				System: "Be brief.", Messages: hello.Messages, Tools: c.tools, Output: &chat.Schema{Name: "Answer", JSON: strings.ReplaceAll(plain, ":", ": ")},
			}, gemini.Schemas(c.mode))
			if got := *s.request.SystemInstruction.Parts[0].Text; got != c.want {
				t.Errorf("the system prompt is %q", got)
			}
			native := s.request.GenerationConfig.ResponseJSONSchema != nil
			if native != (c.want == "Be brief.") {
				t.Errorf("sent %s", s.body)
			}
		})
	}
}

func TestAConversationReachesTheAPI(t *testing.T) {
	for _, c := range []struct {
		name, model string
		messages    []chat.Message
		want        string
	}{
		{
			"media come before the text, by bytes and by reference", "gemini-2.5-flash",
			[]chat.Message{{Role: chat.RoleUser, Text: "what is it?", Media: []chat.Media{
				png, {URL: "https://example.com/a.pdf", Type: "application/pdf"}, {URL: "data:text/plain;base64,aGk="},
				{URL: "data:text/csv,a%2Cb", Type: "text/plain"},
			}}},
			`[{"parts":[{"inlineData":{"data":"cG5n","mimeType":"image/png"}},{"fileData":{"fileUri":"https://example.com/a.pdf","mimeType":"application/pdf"}},
				{"inlineData":{"data":"aGk=","mimeType":"text/plain"}},{"inlineData":{"data":"YSxi","mimeType":"text/plain"}},{"text":"what is it?"}],"role":"user"}]`,
		},
		{
			"instructions between messages are marked", "gemini-2.5-flash",
			[]chat.Message{chat.UserText("a"), {Role: chat.RoleAssistant, Text: "b"}, {Role: chat.RoleSystem, Text: "c"}},
			`[{"parts":[{"text":"a"}],"role":"user"},{"parts":[{"text":"b"}],"role":"model"},` +
				`{"parts":[{"text":"\u003csystem\u003e\nc\n\u003c/system\u003e"}],"role":"user"}]`,
		},
		{
			"messages of nothing are left out, and those of the model joined", "gemini-2.5-flash",
			[]chat.Message{chat.UserText("a"), {Role: chat.RoleAssistant, Text: "b"}, chat.UserText(""), {Role: chat.RoleAssistant},
				{Role: chat.RoleAssistant, Text: "c"}},
			`[{"parts":[{"text":"a"}],"role":"user"},{"parts":[{"text":"b"},{"text":"c"}],"role":"model"}]`,
		},
		{
			"results come in the order of their calls, by ID and else by name, with IDs where the API gave them", "gemini-2.5-flash",
			[]chat.Message{
				chat.UserText("a"),
				{Role: chat.RoleAssistant, Calls: []chat.ToolCall{
					{ID: "x", Name: "find", Arguments: `{"n":9007199254740993}`}, {ID: "gemini_r1_1", Name: "find", Arguments: ""},
					{ID: "y", Name: "list", Arguments: `[1,"<"]`},
				}},
				{Role: chat.RoleTool, Name: "list", Text: "3", Failed: true},
				{Role: chat.RoleTool, Call: "gemini_r1_1", Text: "2"},
				{Role: chat.RoleTool, Call: "x", Name: "find", Text: ""},
			},
			`[{"parts":[{"text":"a"}],"role":"user"},
			{"parts":[{"functionCall":{"args":{"n":9007199254740993},"id":"x","name":"find"}},{"functionCall":{"args":{},"name":"find"}},
				{"functionCall":{"args":{"arguments":"[1,\"\u003c\"]"},"id":"y","name":"list"}}],"role":"model"},
			{"parts":[{"functionResponse":{"id":"x","name":"find","response":{"output":""}}},{"functionResponse":{"name":"find","response":{"output":"2"}}},
				{"functionResponse":{"name":"list","response":{"error":"3"},"id":"y"}}],"role":"user"}]`,
		},
		{
			"media of results stand in them", "gemini-3.1-pro-preview",
			[]chat.Message{
				chat.UserText("a"), {Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "x", Name: "see", Arguments: "{}", Opaque: "gemini:c2ln"}}},
				{Role: chat.RoleTool, Call: "x", Text: "seen", Media: []chat.Media{png, {URL: "https://example.com/b.png"}}},
			},
			`[{"parts":[{"text":"a"}],"role":"user"},{"parts":[{"functionCall":{"args":{},"id":"x","name":"see"},"thoughtSignature":"c2ln"}],"role":"model"},
			{"parts":[{"functionResponse":{"id":"x","name":"see","parts":[{"inlineData":{"data":"cG5n","mimeType":"image/png"}}],"response":{"output":"seen"}}},
				{"fileData":{"fileUri":"https://example.com/b.png"}}],"role":"user"}]`,
		},
		{
			"and beside them before the third generation", "gemini-2.5-flash",
			[]chat.Message{
				chat.UserText("a"), {Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "x", Name: "see", Arguments: "{}"}}},
				{Role: chat.RoleTool, Call: "x", Text: "seen", Media: []chat.Media{png}},
			},
			`[{"parts":[{"text":"a"}],"role":"user"},{"parts":[{"functionCall":{"args":{},"id":"x","name":"see"}}],"role":"model"},
			{"parts":[{"functionResponse":{"id":"x","name":"see","response":{"output":"seen"}}},{"inlineData":{"data":"cG5n","mimeType":"image/png"}}],"role":"user"}]`,
		},
		{
			"signatures go back where they were, with the parts they were on", "gemini-3.1-pro-preview",
			[]chat.Message{
				chat.UserText("a"),
				{
					Role: chat.RoleAssistant, Text: "one two",
					Reasoning: []chat.Reasoning{
						{Text: "for people"}, {Text: "signed", Opaque: "gemini:dGg="},
						{Hidden: true, Opaque: "gemini:text:3:7:c2ln"}, {Hidden: true, Opaque: "gemini:text:7:7:ZW5k"},
					},
					Calls: []chat.ToolCall{{ID: "x", Name: "a", Arguments: "{}", Opaque: "gemini:Y2FsbA=="}, {ID: "y", Name: "b", Arguments: "{}"}},
				},
				{Role: chat.RoleTool, Call: "x"}, {Role: chat.RoleTool, Call: "y"},
			},
			`[{"parts":[{"text":"a"}],"role":"user"},
			{"parts":[{"text":"signed","thought":true,"thoughtSignature":"dGg="},{"text":"one"},{"text":" two","thoughtSignature":"c2ln"},{"thoughtSignature":"ZW5k","text":""},
				{"functionCall":{"args":{},"id":"x","name":"a"},"thoughtSignature":"Y2FsbA=="},{"functionCall":{"args":{},"id":"y","name":"b"}}],"role":"model"},
			{"parts":[{"functionResponse":{"id":"x","name":"a","response":{"output":""}}},{"functionResponse":{"id":"y","name":"b","response":{"output":""}}}],"role":"user"}]`,
		},
		{
			"signatures of others, and of a text that has changed, stay here; the API is told to do without", "gemini-3.1-pro-preview",
			[]chat.Message{
				chat.UserText("a"),
				{
					Role: chat.RoleAssistant, Text: "é!",
					Reasoning: []chat.Reasoning{
						{Text: "hm", Opaque: "ErUB"}, {Hidden: true, Opaque: "gemini:text:0:1:c2ln"}, {Hidden: true, Opaque: "gemini:text:2:9:c2ln"},
						{Hidden: true, Opaque: "gemini:text:-1:2:c2ln"}, {Hidden: true, Opaque: "gemini:text:x"},
					},
					Calls: []chat.ToolCall{{ID: "toolu_1", Name: "a", Arguments: "{}", Opaque: "ErUB"}},
				},
				{Role: chat.RoleTool, Call: "toolu_1"},
			},
			`[{"parts":[{"text":"a"}],"role":"user"},
			{"parts":[{"text":"é!"},{"functionCall":{"args":{},"id":"toolu_1","name":"a"},"thoughtSignature":"skip_thought_signature_validator"}],"role":"model"},
			{"parts":[{"functionResponse":{"id":"toolu_1","name":"a","response":{"output":""}}}],"role":"user"}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sent(t, c.model, &chat.Request{Messages: c.messages})
			like(t, sortedParts(t, s.body), sortedParts(t, `{"contents":`+c.want+`}`))
		})
	}
}

// sortedParts returns the contents of a request with the members of objects sorted, and the
// digits of numbers as they are.
func sortedParts(t *testing.T, body string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var request struct {
		Contents any `json:"contents"`
	}
	if err := d.Decode(&request); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.MarshalIndent(request.Contents, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

func TestSystemPromptOnly(t *testing.T) {
	s := sent(t, "gemini-2.5-flash", &chat.Request{System: "Tell a joke."})
	like(t, s.body, `{"contents":[{"parts":[{"text":"Tell a joke."}],"role":"user"}],"generationConfig":{}}`)
}

func TestSentBack(t *testing.T) {
	said := `{"text":"hm","thought":true,"thoughtSignature":"dGg="},{"text":"I look."},{"functionCall":{"name":"a","args":{"n":1.0}},` +
		`"thoughtSignature":"c2ln"},{"functionCall":{"name":"a","args":{"n":2}}}`
	_, model := serve(t, "gemini-3.1-pro-preview", says(chunk("STOP", said)))
	res := ask(t, model, func(chat.Delta) {})
	s := sent(t, "gemini-3.1-pro-preview", &chat.Request{Messages: []chat.Message{
		chat.UserText("hello"), res.Message,
		{Role: chat.RoleTool, Call: res.Message.Calls[1].ID, Text: "2"}, {Role: chat.RoleTool, Call: res.Message.Calls[0].ID, Text: "1"},
	}})
	want := `{"contents":[{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[` + said + `]},{"role":"user","parts":[
		{"functionResponse":{"name":"a","response":{"output":"1"}}},{"functionResponse":{"name":"a","response":{"output":"2"}}}]}]}`
	like(t, sortedParts(t, s.body), sortedParts(t, want))
}

func TestUnsupportedRequest(t *testing.T) {
	media := func(m chat.Media) *chat.Request {
		return &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Media: []chat.Media{m}}}}
	}
	nan := math.NaN()
	for name, c := range map[string]struct {
		req  *chat.Request
		want string
	}{
		"nothing":              {&chat.Request{}, "there is no message, and no system prompt"},
		"a message of no role": {&chat.Request{Messages: []chat.Message{{Text: "a"}}}, "message 0 is of no role"},
		"a zip": {media(chat.Media{Name: "a.zip", Type: "application/zip", Data: []byte("a")}),
			`media "a.zip" is application/zip, which Gemini does not take`},
		"media of no type": {media(chat.Media{Data: []byte("a")}), `a piece of media is of no MIME type: ""`},
		"media of nothing": {media(chat.Media{Type: "image/png"}), "a piece of media is empty"},
		"a file here": {media(chat.Media{Name: "a", URL: "file:///etc/passwd", Type: "text/plain"}),
			`media "a" is at "file:", and Gemini takes https, gs and data only`},
		"an address that is none": {media(chat.Media{URL: "https://a b/%zz"}), "a piece of media has an address that is not a URL"},
		"a data URL without data": {media(chat.Media{URL: "data:image/png"}), "a piece of media has a data URL without data"},
		"a data URL of no base64": {media(chat.Media{URL: "data:image/png;base64,?"}), "a piece of media has a data URL that cannot be read"},
		"a data URL of a zip": {media(chat.Media{URL: "data:application/zip;base64,aGk="}),
			"a piece of media is application/zip, which Gemini does not take"},
		"a tool to call that is none": {&chat.Request{Messages: hello.Messages, Choice: chat.ToolChoice{Mode: chat.Named, Name: "x"}},
			`tool "x" is to be called, and is not among the tools`},
		"any tool to call, and none": {&chat.Request{Messages: hello.Messages, Choice: chat.ToolChoice{Mode: chat.Required}},
			"a tool is to be called, and there is none"},
		"a tool with no schema": {&chat.Request{Messages: hello.Messages, Tools: []chat.ToolSpec{{Name: "x", Schema: "{"}}},
			`the schema of tool "x": jsontext: unexpected EOF after offset 1`},
		"an output with no schema": {&chat.Request{Messages: hello.Messages, Output: &chat.Schema{Name: "x", JSON: "no"}},
			`the schema of output "x": jsontext: invalid character 'o' in literal null (expecting 'u') after offset 1`},
		"a temperature that is none":   {&chat.Request{Messages: hello.Messages, Temperature: &nan}, "the temperature is not a number"},
		"fewer tokens than none":       {&chat.Request{Messages: hello.Messages, MaxTokens: -1}, "the most tokens are fewer than none"},
		"a model that leads elsewhere": {&chat.Request{Messages: hello.Messages, Model: "../files?"}, "tModel: invalid model parameter"},
		"media of an assistant, a zip": {
			&chat.Request{Messages: []chat.Message{{Role: chat.RoleAssistant, Media: []chat.Media{{Type: "application/zip", Data: []byte("a")}}}}},
			"a piece of media is application/zip, which Gemini does not take",
		},
		"media of a result, in no type": {
			&chat.Request{Messages: []chat.Message{{Role: chat.RoleTool, Media: []chat.Media{{Type: "x/y", Data: []byte("a")}}}}},
			"a piece of media is x/y, which Gemini does not take",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, model := serve(t, "gemini-3.1-pro-preview", ok)
			for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
				_, err := model.Generate(context.Background(), c.req, stream)
				var wrong *chat.ModelError
				if !errors.As(err, &wrong) || wrong.Kind != chat.BadRequest || wrong.Status != 0 || wrong.Message != c.want {
					t.Errorf("got %T %v, want %s", err, err, c.want)
				}
			}
			if s.body != "" {
				t.Errorf("a call was made: %s", s.body)
			}
		})
	}
}

func TestKey(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "")
	t.Setenv("GOOGLE_API_KEY", "")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "")
	if _, err := gemini.New("gemini-3.1-pro-preview"); err == nil ||
		err.Error() != "gemini: no key: set GOOGLE_API_KEY or GEMINI_API_KEY, or use the option Key" {
		t.Errorf("without a key: %v", err)
	}
	if _, err := gemini.New("", gemini.Key("k")); err == nil {
		t.Error("a model has no name")
	}
	if _, err := gemini.New("m", gemini.Key("")); err == nil {
		t.Error("Google's own API is called without a key")
	}
	for _, base := range []string{"ftp://h", "localhost:80", "http://", "http://h/%zz" + key, ":"} {
		if _, err := gemini.New("m", gemini.Key("k"), gemini.BaseURL(base)); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("the base URL %s: %v", base, err)
		}
	}
}

func TestTheEnvironmentIsRead(t *testing.T) {
	for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GEMINI_API_KEY", "")
			t.Setenv("GOOGLE_API_KEY", "")
			t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true") // is no business of this API
			t.Setenv(name, key)
			t.Setenv("GOOGLE_GEMINI_BASE_URL", listen(t, key))
			model, err := gemini.New("gemini-3.1-pro-preview")
			if err != nil {
				t.Fatal(err)
			}
			ask(t, model, nil)
		})
	}
}

func TestAServerOfOnesOwnNeedsNoKey(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "of somebody else")
	for _, end := range []string{"", "/", "/v1beta", "/v1beta/"} {
		model, err := gemini.New("gemini-3.1-pro-preview", gemini.Key(""), gemini.BaseURL(listen(t, "")+end))
		if err != nil {
			t.Fatal(err)
		}
		ask(t, model, nil)
		ask(t, model, func(chat.Delta) {})
	}
}
