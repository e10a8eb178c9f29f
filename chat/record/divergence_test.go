package record_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
)

func TestDivergence(t *testing.T) {
	question := func(text string) func(*chat.Request) { return func(r *chat.Request) { r.Messages[0].Text = text } }
	temperature := 0.5
	for story, c := range map[string]struct {
		change func(*chat.Request) // of the first request
		want   string
	}{
		"another question": {question("seals?"), `the replay diverges at call 1 (model answer): messages[0].text: recorded "otters?", got "seals?"`},
		"a long one": {question(strings.Repeat("otters ", 20) + "?"),
			`the replay diverges at call 1 (model answer): messages[0].text: recorded "otters?", got "otters otters otters otters ` +
				`otters otters otters otters otters otters ot"…`},
		"another system": {func(r *chat.Request) { r.System = "You know books!" },
			`the replay diverges at call 1 (model answer): system: recorded "You know books.", got "You know books!"`},
		"another purpose": {func(r *chat.Request) { r.Purpose = chat.Judge },
			`the replay diverges at call 1 (model answer): purpose: recorded "answer", got "judge"`},
		"another tool": {func(r *chat.Request) { r.Tools = append(r.Tools[:1:1], chat.ToolSpec{Name: "read"}) },
			`the replay diverges at call 1 (model answer): tools[1].name: recorded none, got "read"`},
		"no tool": {func(r *chat.Request) { r.Tools = nil },
			`the replay diverges at call 1 (model answer): tools[0].name: recorded "search", got none`},
		"a must for tools": {func(r *chat.Request) { r.Choice.Mode = chat.Required },
			`the replay diverges at call 1 (model answer): choice.mode: recorded none, got "required"`},
		"a temperature": {func(r *chat.Request) { r.Temperature = &temperature },
			`the replay diverges at call 1 (model answer): temperature: recorded none, got "0.5"`},
		"an output": {func(r *chat.Request) { r.Output = &chat.Schema{Name: "Book"} },
			`the replay diverges at call 1 (model answer): output.name: recorded none, got "Book"`},
		"a limit": {func(r *chat.Request) { r.MaxTokens = 3 }, `the replay diverges at call 1 (model answer): max_tokens: recorded none, got "3"`},
		"a message more": {func(r *chat.Request) { r.Messages = append(r.Messages, chat.UserText("now")) },
			`the replay diverges at call 1 (model answer): messages[1].role: recorded none, got "user"`},
		"a message less": {func(r *chat.Request) { r.Messages = nil },
			`the replay diverges at call 1 (model answer): messages[0].role: recorded "user", got none`},
		"another conversation": {conversation("somebody"),
			`the replay diverges at call 5 (model answer): messages[2].text: recorded "found by {\"q\":\"otters\"}", got "found by somebody"`},
	} {
		t.Run(story, func(t *testing.T) {
			p := open(t, libraryFile)
			req := library().settings
			req.Purpose, req.Messages = chat.Answer, []chat.Message{chat.UserText("otters?")}
			c.change(&req)
			_, err := p.Model(nil).Generate(t.Context(), &req, nil)
			if said(err) != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			var fatal interface{ Fatal() bool }
			if diverged, ok := errors.AsType[*record.DivergenceError](err); !ok || !errors.As(err, &fatal) || !fatal.Fatal() || p.Done() != error(diverged) {
				t.Errorf("%T is no fatal divergence, or is forgotten: %v", err, p.Done())
			}
		})
	}
}

// conversation makes of a request one that has gone on, otherwise than the recorded one.
func conversation(found string) func(*chat.Request) {
	return func(r *chat.Request) {
		resp, err := library().model.Generate(context.Background(), r, nil)
		if err != nil {
			panic(err)
		}
		r.Messages = append(r.Messages, resp.Message, chat.Message{Role: chat.RoleTool, Text: "found by " + found, Call: "a", Name: "search"})
	}
}

func TestToolDivergence(t *testing.T) {
	for story, c := range map[string]struct {
		calls [][2]string
		want  string
	}{
		"other arguments": {[][2]string{{"search", `{"q":"otter"}`}},
			`the replay diverges at call 2 (tool search): arguments: recorded "{\"q\":\"otters\"}", got "{\"q\":\"otter\"}"`},
		"another tool":   {[][2]string{{"write", `{}`}}, `the replay diverges (tool write): the recording has no such call`},
		"once too often": {[][2]string{{"read", "{"}, {"read", "{"}}, `the replay diverges (tool read): it is made once more than in the recording`},
		"one more": {[][2]string{{"read", "{"}, {"read", "{}"}},
			`the replay diverges (tool read): the only one in the recording has been made, with something else`},
	} {
		t.Run(story, func(t *testing.T) {
			p := open(t, libraryFile)
			var err error
			for _, call := range c.calls {
				_, err = p.Call(t.Context(), call[0], call[1], nil)
			}
			if said(err) != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestUnplayedCalls(t *testing.T) {
	p := open(t, libraryFile)
	for _, c := range []struct{ tool, arguments, want string }{
		{"search", `{"q":"seals"}`, "the replay diverges at call 1 (model answer): it has not been made, nor have 3 others"},
		{"search", `{"q":"otters"}`, "the replay diverges at call 1 (model answer): it has not been made, nor have 2 others"},
		{"read", `{`, "the replay diverges at call 1 (model answer): it has not been made, nor has another one"},
	} {
		_, _ = p.Call(t.Context(), c.tool, c.arguments, nil)
		if err := p.Done(); said(err) != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestRepeatedRequest(t *testing.T) {
	p := open(t, libraryFile)
	req := library().settings
	req.Purpose, req.Messages = chat.Answer, []chat.Message{chat.UserText("otters?")}
	if _, err := p.Model(nil).Generate(t.Context(), &req, nil); err != nil {
		t.Fatal(err)
	}
	_, err := p.Model(nil).Generate(t.Context(), &req, nil)
	if want := "the replay diverges (model answer): it is made once more than in the recording"; said(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

var namesLine = regexp.MustCompile(`^line [1-9][0-9]* of the recording: .`)

func TestInvalidRecording(t *testing.T) {
	lines := strings.SplitAfter(libraryFile, "\n")
	without := func(n int) string { return strings.Join(append(append([]string{}, lines[:n-1]...), lines[n:]...), "") }
	instead := func(old, text string) string { return strings.Replace(libraryFile, old, text, 1) }
	for story, c := range map[string]struct{ file, want string }{
		"nothing":                    {"", "line 1 of the recording: the file is empty"},
		"something else":             {"{}", `line 1 of the recording: missing field "kind" of Line`},
		"no JSON":                    {"hello\n", "line 1 of the recording: no valid JSON: invalid character 'h'"},
		"another version":            {instead(`"version":1`, `"version":2`), "line 1 of the recording: it is of version 2, want 1"},
		"no header":                  {without(1), "line 1 of the recording: a recording begins with one line of the kind recording"},
		"two headers":                {lines[0] + libraryFile, "line 2 of the recording: a recording begins with one line of the kind recording"},
		"no settings":                {without(2), "line 3 of the recording: there are no settings 1"},
		"a message lacks":            {without(3), "line 3 of the recording: there is no message 1"},
		"a call lacks":               {without(5), "line 5 of the recording: the number of the call is 3, want 2"},
		"a message in between lacks": {without(8), "line 8 of the recording: the number of the message is 4, want 3"},
		"the end lacks":              {without(12), "line 11 of the recording: the recording is cut short: it has no end"},
		"cut within a line":          {libraryFile[:len(libraryFile)-300], "line 10 of the recording: message: the document is cut short"},
		"an empty line":              {instead("\n", "\n\n"), "line 2 of the recording: the document is empty"},
		"something after the end":    {libraryFile + lines[1], "line 13 of the recording: it is after the end"},
		"calls are miscounted":       {instead(`"calls":5`, `"calls":6`), "line 12 of the recording: the number of calls is 6, want 5"},
		"an unknown kind": {instead(`"kind":"tool"`, `"kind":"tolo"`),
			`line 5 of the recording: kind: "tolo" is no value of Line: want one of recording, settings, message, model, tool, tools, end`},
		"an unknown error": {instead(`"type":"other"`, `"type":"odd"`),
			`line 7 of the recording: error.type: "odd" is no value of Error: want one of rate_limited, context_too_long, refused,` +
				` request, transport, malformed, decoding, canceled, deadline, fatal, panic, other`},
		"a message twice": {instead(`"n":4,"after":3,"message":{"role":"tool","text":"found by {\"q\":\"seals\"}","call":"b"`,
			`"n":4,"after":2,"message":{"role":"tool","text":"found by {\"q\":\"otters\"}","call":"a"`),
			"line 9 of the recording: the message is the same as message 3"},
		"settings twice":                    {instead(lines[1], lines[1]+lines[1]), "line 3 of the recording: the settings are there already"},
		"the response is another message":   {instead(`"as":6`, `"as":1`), "line 11 of the recording: the response is not message 1"},
		"the response is no message at all": {instead(`"as":6`, `"as":-1`), "line 11 of the recording: the response is not message -1"},
		"a conversation from nowhere":       {instead(`"messages":5`, `"messages":-5`), "line 11 of the recording: there is no message -5"},
		"an error of nothing":               {instead(`"type":"other"`, `"type":"fatal"`), "line 7 of the recording: error: there is no such error"},
	} {
		t.Run(story, func(t *testing.T) {
			_, err := record.Open([]byte(c.file))
			if !strings.HasPrefix(said(err), c.want) || (err == nil) != (c.want == "") {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if err != nil && !namesLine.MatchString(err.Error()) {
				t.Errorf("the error names no line: %v", err)
			}
		})
	}
}
