package record_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/chat/scripted"
)

// keys are texts with a secret in them, which begins with s3cr3t or has the form of a key.
var keys = map[string][2]string{
	"a header":              {"POST /v1: Authorization: Bearer s3cr3t-abcdef0123", "POST /v1: Authorization: Bearer REDACTED"},
	"a header of Go":        {"map[Authorization:[Bearer s3cr3tabcdef] Accept:[*/*]]", "map[Authorization:[Bearer REDACTED] Accept:[*/*]]"},
	"a header as JSON":      {`{"authorization":"Basic s3cr3t=","id":1}`, `{"authorization":"Basic REDACTED","id":1}`},
	"a key header":          {"x-api-key: s3cr3t\nhost: a", "x-api-key: REDACTED\nhost: a"},
	"another one":           {"X-Goog-Api-Key=s3cr3t", "X-Goog-Api-Key=REDACTED"},
	"a bearer token":        {"token was bearer s3cr3tabc.def", "token was bearer REDACTED"},
	"the password of a URL": {"dial https://bob:s3cr3t@example.com/a: refused", "dial https://bob:REDACTED@example.com/a: refused"},
	"the key of a URL":      {"Get https://example.com/a?key=s3cr3t&alt=sse: EOF", "Get https://example.com/a?key=REDACTED&alt=sse: EOF"},
	"a key of OpenAI":       {"Incorrect API key provided: sk-proj-abcdef0123456789.", "Incorrect API key provided: REDACTED."},
	"a key of Anthropic":    {"invalid sk-ant-api03-abcdefghijkl", "invalid REDACTED"},
	"a key of Google":       {"AIzaSyA0123456789abcdefghijklmnopqrstu is not valid", "REDACTED is not valid"},
	"a token of GitHub":     {"ghp_0123456789abcdefghijABCDEFGHIJ012345", "REDACTED"},
	"a key of AWS":          {"AKIAABCDEFGHIJKLMNOP cannot", "REDACTED cannot"},
	"a signed token":        {"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0abc.SflKxwRJSMeKKF2QT4", "jwt REDACTED"},
	"a header in a text in JSON": {`{"command":"curl -H \"Authorization: Bearer s3cr3tabc\" https://x"}`,
		`{"command":"curl -H \"Authorization: Bearer REDACTED\" https://x"}`},
	"a URL in a text in JSON":        {`{"html":"<a href=\"https://a?token=s3cr3t\">"}`, `{"html":"<a href=\"https://a?token=REDACTED\">"}`},
	"a key header in a text in JSON": {`{"text":"send \"x-api-key: s3cr3t\" along"}`, `{"text":"send \"x-api-key: REDACTED\" along"}`},
	"a header in a line of JSON": {
		`{"dump":"GET / HTTP/1.1\r\nAuthorization: Basic s3cr3t=\r\nHost: a"}`,
		`{"dump":"GET / HTTP/1.1\r\nAuthorization: Basic REDACTED\r\nHost: a"}`,
	},
	"a key in a line of JSON": {`{"text":"keys:\nsk-proj-abcdef0123456789"}`, `{"text":"keys:\nREDACTED"}`},
	"a URL that JSON escapes": {
		`{"url":"https://a/x?page=1\u0026access_token=s3cr3t\u0026n=2"}`,
		`{"url":"https://a/x?page=1\u0026access_token=REDACTED\u0026n=2"}`,
	},
	"another URL that JSON escapes": {`{"url":"https://a/x?page=1\u0026api_key=s3cr3t"}`, `{"url":"https://a/x?page=1\u0026api_key=REDACTED"}`},
	"a key that JSON escapes": {
		`{"authorization":"Basic s3\/cr3t\u003d","cookie":"a=s3cr3t\u0026b=s3cr3t"}`,
		`{"authorization":"Basic REDACTED","cookie":"REDACTED"}`,
	},
	"a header as JSON in JSON": {`{"headers":"{\"x-api-key\":\"s3cr3t\"}"}`, `{"headers":"{\"x-api-key\":\"REDACTED\"}"}`},
	"headers as JSON in JSON": {
		`{"headers":"{\"authorization\":\"Basic s3cr3t\",\"accept\":\"*\"}"}`,
		`{"headers":"{\"authorization\":\"Basic REDACTED\",\"accept\":\"*\"}"}`,
	},
	"JSON in JSON in JSON": {
		`{"a":"{\"b\":\"{\\\"x-api-key\\\":[\\\"s3cr3t\\\"]}\"}"}`,
		`{"a":"{\"b\":\"{\\\"x-api-key\\\":[\\\"REDACTED\\\"]}\"}"}`,
	},
	"a key in braces":               {"x-api-key: {3f2504e0-4f89}\nhost: a", "x-api-key: REDACTED\nhost: a"},
	"a key in braces in JSON":       {`{"x-api-key":"{3f2504e0-4f89}","id":{}}`, `{"x-api-key":"REDACTED","id":{}}`},
	"a key in braces in a list":     {`{"x-api-key":["{3f2504e0-4f89}"],"id":[{}]}`, `{"x-api-key":["REDACTED"],"id":[{}]}`},
	"a key in braces of Go":         {"map[X-Api-Key:[{3f2504e0-4f89}] Accept:[*/*]]", "map[X-Api-Key:[REDACTED] Accept:[*/*]]"},
	"a key in braces in JSON twice": {`{"a":"{\"x-api-key\":\"{3f2504e0-4f89}\"}"}`, `{"a":"{\"x-api-key\":\"REDACTED\"}"}`},
	"braces within a key":           {"x-api-key: a{s3cr3t}c", "x-api-key: REDACTED"},
	"braces within a cookie":        {`{"cookie":"id={s3cr3t}","text":"Cookie: id={s3cr3t}"}`, `{"cookie":"REDACTED","text":"Cookie: REDACTED"}`},
	"a key after a tab in JSON":     {`{"dump":"x-api-key:\ts3cr3tkey\nhost: a"}`, `{"dump":"x-api-key:\tREDACTED\nhost: a"}`},
	"a token after a tab in JSON":   {`{"dump":"Authorization: Bearer\ts3cr3tkey"}`, `{"dump":"Authorization: Bearer\tREDACTED"}`},
	"a key after a blank in quotes": {`{"x-api-key":"\ts3cr3t","cookie":" a=s3cr3t"}`, `{"x-api-key":"\tREDACTED","cookie":" REDACTED"}`},
	"a backslash within a key":      {`Authorization: Basic abc\s3cr3t`, "Authorization: Basic REDACTED"},
	"a backslash within a key of JSON": {
		`{"authorization":"Basic abc\\s3cr3t","x-api-key":"s3cr3t\\"}`, `{"authorization":"Basic REDACTED","x-api-key":"REDACTED\\"}`,
	},
	"a letter that JSON escapes": {`{"api_key":"abc\u00e9s3cr3t","cookie":"\u00e9s3cr3t"}`, `{"api_key":"REDACTED","cookie":"REDACTED"}`},
	"values that are no headers": {
		`[{"cookie":[{"a":"b"}]},{"api_key":{"a":"bcdefgh"}},{"api_key": [ {} ] },{"text":"Cookie: " },{"text":"authorization: {}"},{"cookie":false}]`,
		`[{"cookie":[{"a":"b"}]},{"api_key":{"a":"bcdefgh"}},{"api_key": [ {} ] },{"text":"Cookie: " },{"text":"authorization: {}"},{"cookie":false}]`,
	},
	"headers that are not sent": {`[{"authorization":""},{"x-api-key":null},{"cookie":false},{"api_key":{}},{"authorization":[]},{"text":"Cookie: "}]`,
		`[{"authorization":""},{"x-api-key":null},{"cookie":false},{"api_key":{}},{"authorization":[]},{"text":"Cookie: "}]`},
	"nothing that is secret": {"unexpected token: key=value, at sk-1, authorization was refused",
		"unexpected token: key=value, at sk-1, authorization was refused"},
}

func TestSecrets(t *testing.T) {
	for name, text := range keys {
		got := record.Secrets(text[0])
		if got != text[1] {
			t.Errorf("%s: %q", name, got)
		}
		if json.Valid([]byte(text[0])) && !json.Valid([]byte(got)) {
			t.Errorf("%s: it was JSON", name)
		}
		if again := record.Secrets(got); again != got {
			t.Errorf("%s: the second time %q", name, again)
		}
	}
}

const secret = "Authorization: Bearer s3cr3tabcdef"

// everywhere is a run that has a secret in every text that a recording holds. The model streams it in
// two pieces, and fails with it when it is asked again.
func everywhere(t *testing.T, tape record.Tape) (said []string) {
	t.Helper()
	model := tape.Model(chat.ModelFunc(func(_ context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		if len(req.Messages) > 1 {
			return nil, &chat.ModelError{Kind: chat.Unreachable, Status: 502, Err: errors.New("proxy: " + secret)}
		}
		stream(chat.Delta{Text: "I say Authorization: Bear"})
		stream(chat.Delta{Text: "er s3cr3tabcdef"})
		stream(chat.Delta{Reasoning: secret})
		return &chat.Response{Message: chat.Message{
			Role: chat.RoleAssistant, Text: "I say " + secret, Reasoning: []chat.Reasoning{{Text: secret}},
			Calls: []chat.ToolCall{{ID: "1", Name: "fetch", Arguments: `{"a":"` + secret + `"}`}},
		}}, nil
	}))
	box, err := tape.Toolbox(chat.Tools{fetcher{}}).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	req := &chat.Request{System: "s " + secret, Tools: []chat.ToolSpec{box[0].Spec()}, Messages: []chat.Message{
		{Role: chat.RoleUser, Text: "u " + secret, Media: []chat.Media{{Type: "text/plain", URL: "https://a?token=s3cr3t", Data: []byte(secret)}}},
	}}
	resp, err := model.Generate(t.Context(), req, func(d chat.Delta) { said = append(said, d.Text+d.Reasoning) })
	if err != nil {
		t.Fatal(err)
	}
	call := resp.Message.Calls[0]
	_, failed := box[0].Call(t.Context(), call.Arguments)
	if failed == nil {
		t.Fatal("the tool has not failed")
	}
	panics := func() (v any) {
		defer func() { v = recover() }()
		_, _ = tape.Call(t.Context(), "panics", secret, func(context.Context) (chat.ToolResult, error) { panic(secret) })
		return nil
	}
	said = append(said, resp.Message.Text, call.Arguments, failed.Error(), panics().(string))
	req.Messages = append(req.Messages, resp.Message,
		chat.Message{Role: chat.RoleTool, Call: "1", Name: "fetch", Text: failed.Error(), Failed: true}, chat.UserText("fetch: "+failed.Error()))
	_, err = model.Generate(t.Context(), req, nil)
	if err == nil {
		t.Fatal("the model has not failed")
	}
	return append(said, err.Error())
}

type fetcher struct{}

func (fetcher) Spec() chat.ToolSpec { return chat.ToolSpec{Name: "fetch", Doc: secret, Schema: "{}"} }

func (fetcher) Call(context.Context, string) (chat.ToolResult, error) {
	return chat.ToolResult{Text: secret}, errors.New("fetch: " + secret)
}

func TestNoSecretIsWritten(t *testing.T) {
	hook := func(text string) string { return strings.ReplaceAll(text, "s3cr3tabcdef", "?") }
	for name, c := range map[string]struct {
		redact func(string) string
		leaves string // what is in the recording; empty: not the secret
	}{
		"without a hook":             {nil, ""},
		"with one":                   {func(text string) string { return hook(record.Secrets(text)) }, ""},
		"with one of its own alone":  {func(text string) string { return strings.ReplaceAll(hook(text), "s3cr3t", "?") }, ""},
		"with one that does nothing": {func(text string) string { return text }, "s3cr3tabcdef"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			tape := record.New(&b)
			tape.Redact = c.redact
			heard := everywhere(t, tape)
			if err := tape.Close(); err != nil {
				t.Fatal(err)
			}
			if has := strings.Contains(b.String(), "s3cr3t"); has != (c.leaves != "") {
				t.Errorf("the recording has the secret: %v\n%s", has, b.String())
			}
			if !strings.Contains(strings.Join(heard, "\n"), "s3cr3tabcdef") {
				t.Error("the run has not heard the secret: a recorder never changes a run")
			}
			player, err := record.Open(b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			player.Redact = c.redact
			everywhere(t, player)
			if err := player.Done(); err != nil {
				t.Errorf("the replay gave %v", err)
			}
		})
	}
}

// TestReplayOfATypedAnswer holds that the answer of a typed node is played as the JSON that it was.
func TestReplayOfATypedAnswer(t *testing.T) {
	const answer = `{"command":"curl -H \"Authorization: Bearer $TOKEN\" https://x","headers":"{\"cookie\":\"a=1\"}"}`
	node := func(tape record.Tape) error {
		resp, err := tape.Model(scripted.New(scripted.Turn{Text: answer})).Generate(t.Context(), &chat.Request{
			Messages: []chat.Message{chat.UserText("how?")},
		}, nil)
		if err != nil {
			return err
		}
		var out struct{ Command, Headers string }
		if err := json.Unmarshal([]byte(resp.Message.Text), &out); err != nil {
			return err
		}
		_, err = tape.Call(t.Context(), "run", out.Command+out.Headers, func(context.Context) (chat.ToolResult, error) { return chat.ToolResult{}, nil })
		return err
	}
	var b bytes.Buffer
	tape := record.New(&b)
	if err := errors.Join(node(tape), tape.Close()); err != nil {
		t.Fatal(err)
	}
	player, err := record.Open(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(node(player), player.Done()); err != nil {
		t.Error(err)
	}
}

func TestADivergenceQuotesAnExcerpt(t *testing.T) {
	var b bytes.Buffer
	tape := record.New(&b)
	long := strings.Repeat("long ", 100_000)
	if _, err := tape.Call(t.Context(), "fetch", long, func(context.Context) (chat.ToolResult, error) { return chat.ToolResult{}, nil }); err != nil {
		t.Fatal(err)
	}
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	for _, call := range [][2]string{{"fetch", long + "x"}, {"fetch", "x" + long}, {long, "x"}, {"fet\x1b", "x"}} {
		player, err := record.Open(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		_, err = player.Call(t.Context(), call[0], call[1], nil)
		if text := said(err); err == nil || len(text) > 4*record.Excerpt || strings.Contains(text, "\x1b") {
			t.Errorf("the error has %d bytes: %.400q", len(text), text)
		}
	}
}
