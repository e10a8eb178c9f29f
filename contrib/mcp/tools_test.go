package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/mcp"
)

// ways are the ways to speak to the test server. A test that is true of every way runs in
// each.
var ways = []struct {
	name string
	open func(t *testing.T, o ...mcp.Option) *mcp.Server
}{
	{"over the standard streams", func(t *testing.T, o ...mcp.Option) *mcp.Server { return command(t, commands(o)...) }},
	{"over the standard streams, in an old version", func(t *testing.T, o ...mcp.Option) *mcp.Server {
		return command(t, append(commands(o), mcp.Protocol("2025-06-18"))...)
	}},
	{"over HTTP, in sessions", func(t *testing.T, o ...mcp.Option) *mcp.Server {
		return listen(t, "127.0.0.1:0").connect(t, https(o)...)
	}},
	{"over HTTP, without sessions", func(t *testing.T, o ...mcp.Option) *mcp.Server {
		return listen(t, "127.0.0.1:0", "-stateless").connect(t, https(o)...)
	}},
	{"over HTTP, in one piece", func(t *testing.T, o ...mcp.Option) *mcp.Server {
		return listen(t, "127.0.0.1:0", "-json").connect(t, https(o)...)
	}},
}

func commands(list []mcp.Option) (all []mcp.CommandOption) {
	for _, o := range list {
		all = append(all, o)
	}
	return all
}

func https(list []mcp.Option) (all []mcp.HTTPOption) {
	for _, o := range list {
		all = append(all, o)
	}
	return all
}

func everyWay(t *testing.T, test func(t *testing.T, s *mcp.Server)) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) { test(t, way.open(t)) })
	}
}

func TestEveryPageOfToolsIsThere(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		want := []string{
			"add", "ask_in_vain", "asks", "child", "close", "crash", "echo", "environment", "fails", "flood", "freeze", "give_up", "grow", "line",
			"media", "notify", "pid", "raw_structured_only", "refuse", "repeats", "resources", "wait", "write",
		}
		if got := names(t, s); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		for name, want := range map[string]chat.ToolSpec{
			"raw_structured_only": {Schema: `{"properties":{"a":{"maximum":9,"type":"integer"}},"required":["a"],"type":"object"}`},
			"echo": {
				Doc: "Returns its argument.",
				Schema: `{"additionalProperties":false,"properties":{"text":{"description":"what to say","type":"string"}},` +
					`"required":["text"],"type":"object"}`,
			},
		} {
			want.Name = name
			if got := find(t, s, name).Spec(); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		}
		if got := find(t, s, "add").Spec().Doc; got != "Adds two numbers." {
			t.Errorf("without a description, the doc is %q", got)
		}
	})
}

func TestAResultIsTextAndMedia(t *testing.T) {
	cases := []struct {
		name, tool, arguments string
		want                  chat.ToolResult
		err                   error
	}{
		{"text", "echo", `{"text":"<a> & \"b\" \n ü"}`, chat.ToolResult{Text: "<a> & \"b\" \n ü"}, nil},
		{"the SDK tells a structured result as text, too", "add", `{"a":1,"b":2}`, chat.ToolResult{Text: `{"total":3}`}, nil},
		{"what is only structured is told as JSON", "raw_structured_only", `{"a":1}`, chat.ToolResult{Text: `{"a":null,"b":[1,2]}`}, nil},
		{"structured content has no escapes that it does not need", "repeats", `{"text":"<a> & \"b\""}`, chat.ToolResult{
			Text:  `{"text":"<a> & \"b\""}`,
			Media: []chat.Media{{Type: "application/pdf", Data: []byte("%PDF"), Name: `<a> & "b"`}},
		}, nil},
		{"no arguments are an empty object", "media", "", chat.ToolResult{
			Text: "look\nand listen",
			Media: []chat.Media{
				{Type: "image/png", Data: []byte("\x89PNG")}, {Type: "audio/wav", Data: []byte("RIFF")},
			},
		}, nil},
		{"a resource is its text or its bytes, a link a line", "resources", `{}`, chat.ToolResult{
			Text:  "file:///a.txt:\nin a\nresource file:///c.csv (Table C, text/csv, 12 bytes): all rows",
			Media: []chat.Media{{Type: "application/pdf", Data: []byte("%PDF"), Name: "b.pdf"}},
		}, nil},
		{"a tool's own error is told in its words", "fails", `{"text":""}`, chat.ToolResult{},
			&mcp.ToolError{Tool: "fails", Text: "there is no otter"}},
		{"arguments that are no object do not get to the server", "echo", `["text"]`, chat.ToolResult{},
			&mcp.CallError{Tool: "echo", Message: "the arguments are not a JSON object"}},
		{"arguments that are cut off do not either", "echo", `{"text":"a`, chat.ToolResult{},
			&mcp.CallError{Tool: "echo", Message: "the arguments are not a JSON object"}},
	}
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				got, err := call(t.Context(), t, s, c.tool, c.arguments)
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("got  %+v\nwant %+v", got, c.want)
				}
				if !reflect.DeepEqual(anonymous(err), c.err) {
					t.Errorf("got  %#v\nwant %#v", err, c.err)
				}
			})
		}
	})
}

// anonymous returns the error without the name of the server, which is a port.
func anonymous(err error) error {
	switch e := err.(type) {
	case *mcp.ToolError:
		e.Server = ""
	case *mcp.CallError:
		e.Server = ""
	}
	return err
}

func TestInvalidArguments(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		_, err := call(t.Context(), t, s, "echo", `{"txt":"a"}`)
		if err == nil || !strings.Contains(err.Error(), "txt") {
			t.Errorf("got %v", err)
		}
		answers(t, s)
	})
}

// TestSecretInResult holds that a secret is in no part of a result, however it is written there.
func TestSecretInResult(t *testing.T) {
	const secret = "p&ss<\"wo/rd\\>\nand more ü"
	s := command(t, mcp.Secret("TOKEN", secret))
	quoted := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	got, err := call(t.Context(), t, s, "repeats", quoted(map[string]string{"text": "a " + secret}))
	if err != nil || got.Text != `{"text":"a [redacted]"}` || got.Media[0].Name != "a [redacted]" {
		t.Errorf("got %q, %q, %v", got.Text, got.Media, err)
	}
	for _, text := range []string{secret, quoted(secret), strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(quoted(secret))} {
		got, err := call(t.Context(), t, s, "echo", quoted(map[string]string{"text": text}))
		if err != nil || strings.Trim(got.Text, `"`) != "[redacted]" {
			t.Errorf("got %q, %v", got.Text, err)
		}
	}
}

// TestSecretInRepeatedContent holds that a text which repeats the structured content may escape a secret in any way of JSON.
func TestSecretInRepeatedContent(t *testing.T) {
	for text, want := range map[string]string{
		`{\"a\": \"wo\\/rd-\\u0073ecret\"}`: `{"a":"[redacted]"}`,
		`{\"a\": \"wo\\/rd\"}`:              `{"a": "wo\/rd"}`,
	} {
		var structured string
		if err := json.Unmarshal([]byte(`"`+text+`"`), &structured); err != nil {
			t.Fatal(err)
		}
		l := &legacy{act: func(w http.ResponseWriter, id, _ int) {
			w.Header().Set("Content-Type", asJSON)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"structuredContent":%s}}`, id, text, structured)
		}}
		got, err := call(t.Context(), t, l.connect(t, mcp.Bearer("wo/rd-secret")), "act", "{}")
		if err != nil || got.Text != want {
			t.Errorf("got %q, %v, want %q", got.Text, err, want)
		}
	}
}

// TestCodesOfServer holds that an error of a server is the server's whatever its code, also where the SDK uses the code for errors of its own. The
// server counts what it refuses: a call that it has answered is not made again, and not by another session.
func TestCodesOfServer(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		refuse := find(t, s, "refuse")
		for i, code := range []int64{-32000, -32003, -32004, -32005, -32602, 7} {
			_, err := refuse.Call(t.Context(), fmt.Sprintf(`{"code":%d}`, code))
			want := &mcp.CallError{Tool: "refuse", Code: code, Message: fmt.Sprint("refusal ", i+1)}
			if !reflect.DeepEqual(anonymous(err), error(want)) {
				t.Errorf("got  %#v\nwant %#v", err, want)
			}
		}
		answers(t, s)
	})
}

func TestToolAsksPerson(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		_, err := call(t.Context(), t, s, "asks", `{}`)
		// In old versions the server asks while the call goes on, and is told that nobody answers.
		if err == nil || !strings.Contains(err.Error(), "input of a person") && !strings.Contains(err.Error(), "not support elicitation") {
			t.Errorf("got %v", err)
		}
		answers(t, s)
	})
}

// TestElicit holds that a person is asked over each way, and that a server gets the answer, with the state that it has sent, or that there is none.
func TestElicit(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			var asked mcp.Elicitation
			var answer string
			var failure error
			s := way.open(t, mcp.Elicit(func(_ context.Context, e mcp.Elicitation) ([]byte, error) {
				if asked = e; answer == "panic" {
					panic("a bug")
				}
				if answer == "" {
					return nil, failure
				}
				return []byte(answer), failure
			}))
			for _, row := range []struct {
				answer string
				err    error
				want   string
			}{
				{`{"name":"Ann"}`, nil, "accept Ann where it was"},
				{"", nil, "decline <nil> where it was"},
				{"", errors.New("the secret is sesame"), "cancel <nil> where it was"},
				{"[1]", nil, "cancel <nil> where it was"},
				{"null", nil, "cancel <nil> where it was"},
				{"panic", nil, "cancel <nil> where it was"},
				{`{"name":"A"}`, nil, ""}, // it does not fit the schema
				{`{"name":"Bob"}`, nil, "accept Bob where it was"},
			} {
				answer, failure = row.answer, row.err
				got, err := call(t.Context(), t, s, "asks", `{}`)
				if row.want == "" && err == nil || row.want != "" && (err != nil || got.Text != row.want) {
					t.Errorf("%s: got %q, %v", row.answer, got.Text, err)
				}
			}
			if asked.Message != "who are you?" || !strings.Contains(string(asked.Schema), `"minLength":2`) || asked.Server == "" {
				t.Errorf("the person is asked %+v", asked)
			}
			answers(t, s)
		})
	}
}

// old are the ways over which a server asks while a call is under way, in a version that does not relate the question to the call.
func old(t *testing.T, test func(t *testing.T, open func(o ...mcp.Option) *mcp.Server)) {
	for _, way := range ways {
		if way.name == "over HTTP, without sessions" { // where a server cannot ask
			continue
		}
		t.Run(way.name, func(t *testing.T) {
			test(t, func(o ...mcp.Option) *mcp.Server { return way.open(t, append(o, mcp.Protocol("2025-11-25"))...) })
		})
	}
}

type userKey struct{}

type listKey struct{}

// as returns a context of a user.
func as(t *testing.T, user string) context.Context {
	return context.WithValue(t.Context(), userKey{}, user)
}

// asking returns an option by which a question waits for the end of its context, and the contexts of the questions.
func asking() (mcp.Option, chan context.Context) {
	asked := make(chan context.Context)
	return mcp.Elicit(func(ctx context.Context, _ mcp.Elicitation) ([]byte, error) {
		asked <- ctx
		<-ctx.Done()
		return nil, ctx.Err()
	}), asked
}

// over waits for the end of a question.
func over(t *testing.T, ctx context.Context) {
	t.Helper()
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the question does not end")
	}
}

// TestElicitContext holds that a question has the context of the call that it is asked for, also where another one has used the server first.
func TestElicitContext(t *testing.T) {
	old(t, func(t *testing.T, open func(...mcp.Option) *mcp.Server) {
		elicit, asked := asking()
		s := open(elicit)
		if _, err := s.Tools(as(t, "A")); err != nil {
			t.Fatal(err)
		}
		why := errors.New("no time for this")
		ctx, cancel := context.WithCancelCause(as(t, "B"))
		done := make(chan error)
		go func() {
			_, err := call(ctx, t, s, "asks", `{}`)
			done <- err
		}()
		question := <-asked
		if user := question.Value(userKey{}); user != "B" {
			t.Errorf("%v is asked", user)
		}
		cancel(why)
		if over(t, question); context.Cause(question) != why {
			t.Errorf("it ended with %v", context.Cause(question))
		}
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		answers(t, s)
	})
}

// TestElicitEndedByServer holds that a server can end its question, as often as it likes.
func TestElicitEndedByServer(t *testing.T) {
	old(t, func(t *testing.T, open func(...mcp.Option) *mcp.Server) {
		elicit, asked := asking()
		s := open(elicit)
		vain, giveUp := find(t, s, "ask_in_vain"), find(t, s, "give_up")
		for range 70 {
			done := make(chan error)
			go func() {
				_, err := vain.Call(t.Context(), "")
				done <- err
			}()
			question := <-asked
			if _, err := giveUp.Call(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			over(t, question)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestElicitDuringCalls holds what context a question has that may be for each of several calls: what they have in common, to the end of the last.
func TestElicitDuringCalls(t *testing.T) {
	for _, users := range [][2]string{{"A", "B"}, {"A", "A"}} {
		t.Run(strings.Join(users[:], " and "), func(t *testing.T) {
			elicit, asked := asking()
			stderr := newWatched()
			s := command(t, elicit, mcp.Stderr(stderr), mcp.Protocol("2025-11-25"))
			done := make(chan error, 2)
			start := func(tool, user string) context.CancelFunc {
				ctx, cancel := context.WithCancel(context.WithValue(as(t, user), listKey{}, []int{1})) // which cannot be compared
				use := find(t, s, tool)
				go func() {
					_, err := use.Call(ctx, `{}`)
					done <- err
				}()
				return cancel
			}
			endFirst := start("wait", users[0])
			stderr.until(t, "waiting")
			endSecond := start("asks", users[1])
			question := <-asked
			want := any(users[0])
			if users[0] != users[1] {
				want = nil
			}
			if user := question.Value(userKey{}); user != want || question.Value(listKey{}) != nil {
				t.Errorf("%v is asked", user)
			}
			endFirst()
			if err := <-done; !errors.Is(err, context.Canceled) || question.Err() != nil {
				t.Errorf("got %v, and the question %v", err, question.Err())
			}
			endSecond()
			over(t, question)
			<-done
		})
	}
}

func TestListIsCached(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		before, err := s.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := call(t.Context(), t, s, "grow", `{"text":"zebra"}`); err != nil {
			t.Fatal(err)
		}
		for len(names(t, s)) == len(before) { // until the notification is there
			if t.Context().Err() != nil {
				t.Fatal("the list does not grow")
			}
		}
		if result, err := call(t.Context(), t, s, "zebra", `{}`); err != nil || result.Text != "new" {
			t.Errorf("got %q, %v", result.Text, err)
		}
	})
}

func TestUnchangedList(t *testing.T) {
	for _, args := range [][]string{{"-trace"}, {"-trace", "-static"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stderr := newWatched()
			s := commandOf(t, args, mcp.Stderr(stderr))
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() { _, _ = s.Tools(t.Context()) })
			}
			wg.Wait()
			pages := (len(names(t, s)) + 1) / 2
			if _, err := call(t.Context(), t, s, "environment", `{"text":"last"}`); err != nil {
				t.Fatal(err)
			}
			if before := stderr.until(t, "last is "); len(before) != pages {
				t.Errorf("the server was asked for %d pages, of which there are %d", len(before), pages)
			}
		})
	}
}

func TestConcurrentCalls(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		echo := find(t, s, "echo")
		errs := make(chan error)
		const calls = 50
		for i := range calls {
			go func() {
				text := strings.Repeat("x", i)
				result, err := echo.Call(t.Context(), `{"text":"`+text+`"}`)
				if err == nil && result.Text != text {
					err = errors.New("got " + result.Text)
				}
				errs <- err
			}()
		}
		for range calls {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestCancelledCall(t *testing.T) {
	cases := []struct {
		name string
		open func(*testing.T) (*mcp.Server, *watched)
	}{
		{"over the standard streams", func(t *testing.T) (*mcp.Server, *watched) {
			w := newWatched()
			return command(t, mcp.Stderr(w)), w
		}},
		{"over HTTP, in sessions", func(t *testing.T) (*mcp.Server, *watched) {
			r := listen(t, "127.0.0.1:0")
			return r.connect(t), r.stderr
		}},
		{"over HTTP, without sessions", func(t *testing.T) (*mcp.Server, *watched) {
			r := listen(t, "127.0.0.1:0", "-stateless")
			return r.connect(t), r.stderr
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, stderr := c.open(t)
			wait := find(t, s, "wait")
			why := errors.New("no time for this")
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan error)
			go func() {
				_, err := wait.Call(ctx, "")
				done <- err
			}()
			stderr.until(t, "waiting")
			cancel(why)
			if err := <-done; !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
			stderr.until(t, "cancelled")
			answers(t, s)
		})
	}
}
