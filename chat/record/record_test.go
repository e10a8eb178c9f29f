package record_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/runtime/codec"
)

// An agent asks a model, runs the tools it asks for, all of a turn at once, and goes on until
// it is done. What it hears, it writes into a log.
type agent struct {
	model    chat.Model
	tape     record.Tape
	tools    map[string]func(arguments string) (chat.ToolResult, error)
	settings chat.Request
	stream   bool
	shuffled bool // which tool of a turn begins first is a matter of chance
	log      strings.Builder
}

func (a *agent) run(ctx context.Context, question string) error {
	model := a.tape.Model(a.model)
	req := a.settings
	req.Purpose = chat.Answer
	req.Messages = []chat.Message{chat.UserText(question)}
	for {
		var stream func(chat.Delta)
		if a.stream {
			stream = func(d chat.Delta) { a.log.WriteString("[" + d.Reasoning + d.Text + d.Tool + "]") }
		}
		resp, err := model.Generate(ctx, &req, stream)
		if err != nil {
			a.log.WriteString("error " + err.Error() + "\n")
			return err
		}
		a.log.WriteString(resp.Message.Text + " " + string(resp.Finish) + " " + strconv.Itoa(resp.Usage.Tokens()) + "\n")
		if resp.Finish != chat.ToolCalls {
			return nil
		}
		req.Messages = append(slices.Clip(req.Messages), resp.Message)
		results, err := a.turn(ctx, resp.Message.Calls)
		if err != nil {
			return err
		}
		req.Messages = append(req.Messages, results...)
	}
}

// turn runs the tools of a turn.
func (a *agent) turn(ctx context.Context, calls []chat.ToolCall) ([]chat.Message, error) {
	results, order := make([]chat.Message, len(calls)), rand.Perm(len(calls))
	var failure error
	var all sync.WaitGroup
	for i := range calls {
		if a.shuffled {
			i = order[i]
		}
		c := calls[i]
		run := func() {
			result, err := a.tape.Call(ctx, c.Name, c.Arguments, func(context.Context) (chat.ToolResult, error) { return a.tools[c.Name](c.Arguments) })
			results[i] = chat.Message{Role: chat.RoleTool, Call: c.ID, Name: c.Name, Text: result.Text, Media: result.Media}
			if err != nil {
				results[i].Text, results[i].Failed = err.Error(), true
			}
			if fatal, ok := errors.AsType[*record.DivergenceError](err); ok {
				failure = fatal
			}
		}
		if a.shuffled { // one after the other, as the chance has it
			run()
			continue
		}
		all.Go(run)
	}
	all.Wait()
	for _, r := range results {
		a.log.WriteString("  " + r.Name + " " + r.Text + "\n")
	}
	return results, failure
}

// library is an agent that looks for books.
func library() *agent {
	return &agent{
		settings: chat.Request{System: "You know books.", Model: "tiny", Tools: []chat.ToolSpec{{Name: "search", Doc: "Search.", Schema: "{}"}}},
		model: scripted.New(
			scripted.Turn{
				Stream: []chat.Delta{{Text: "I "}, {Text: "look."}, {Tool: "search"}}, Reasoning: "Otters?",
				Calls: []chat.ToolCall{{ID: "a", Name: "search", Arguments: `{"q":"otters"}`},
					{ID: "b", Name: "search", Arguments: `{"q":"seals"}`}, {ID: "c", Name: "read", Arguments: "{"}},
				Usage: chat.Usage{Input: 10, Output: 2, Cost: 0.5},
			},
			scripted.Turn{Text: "Two books.", Usage: chat.Usage{Input: 20, Output: 3}},
		),
		tools: map[string]func(string) (chat.ToolResult, error){
			"search": func(arguments string) (chat.ToolResult, error) {
				return chat.ToolResult{Text: "found by " + arguments}, nil
			},
			"read": func(string) (chat.ToolResult, error) {
				return chat.ToolResult{}, errors.New("the arguments are cut short")
			},
		},
	}
}

// recorded runs an agent and returns its recording.
func recorded(t testing.TB, a *agent, question string) string {
	t.Helper()
	var file strings.Builder
	r := record.New(&file)
	a.tape = r
	_ = a.run(context.Background(), question)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

func open(t testing.TB, file string) *record.Player {
	t.Helper()
	p, err := record.Open([]byte(file))
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	return p
}

const libraryFile = `{"kind":"recording","version":1}
{"kind":"settings","n":1,"model":"tiny","system":"You know books.","tools":[{"name":"search","doc":"Search.","schema":"{}"}]}
{"kind":"message","n":1,"message":{"role":"user","text":"otters?"}}
{"kind":"model","n":1,"purpose":"answer","settings":1,"messages":1,"deltas":[{"text":"I "},{"text":"look."},{"tool":"search"}],"response":{"as":2,"message":{"role":"assistant","text":"I look.","calls":[{"id":"a","name":"search","arguments":"{\"q\":\"otters\"}"},{"id":"b","name":"search","arguments":"{\"q\":\"seals\"}"},{"id":"c","name":"read","arguments":"{"}],"reasoning":[{"text":"Otters?"}]},"finish":"tool_calls","usage":{"input":10,"output":2,"cost":0.5},"model":"scripted"}}
{"kind":"tool","n":2,"name":"search","arguments":"{\"q\":\"otters\"}","result":{"text":"found by {\"q\":\"otters\"}"}}
{"kind":"tool","n":3,"name":"search","arguments":"{\"q\":\"seals\"}","result":{"text":"found by {\"q\":\"seals\"}"}}
{"kind":"tool","n":4,"name":"read","arguments":"{","error":{"type":"other","message":"the arguments are cut short"}}
{"kind":"message","n":3,"after":2,"message":{"role":"tool","text":"found by {\"q\":\"otters\"}","call":"a","name":"search"}}
{"kind":"message","n":4,"after":3,"message":{"role":"tool","text":"found by {\"q\":\"seals\"}","call":"b","name":"search"}}
{"kind":"message","n":5,"after":4,"message":{"role":"tool","text":"the arguments are cut short","call":"c","name":"read","failed":true}}
{"kind":"model","n":5,"purpose":"answer","settings":1,"messages":5,"deltas":[{"text":"Two books."}],"response":{"as":6,"message":{"role":"assistant","text":"Two books."},"finish":"stop","usage":{"input":20,"output":3},"model":"scripted"}}
{"kind":"end","calls":5}
`

func TestOneFile(t *testing.T) {
	for range 20 {
		a := library()
		a.stream, a.shuffled = true, true
		if got := recorded(t, a, "otters?"); got != libraryFile {
			t.Fatalf("got\n%s\nwant\n%s", got, libraryFile)
		}
	}
}

func TestReplay(t *testing.T) {
	for _, stream := range []bool{false, true} {
		a := library()
		a.stream = stream
		file := recorded(t, a, "otters?")
		for range 20 {
			p := open(t, file)
			again := &agent{settings: a.settings, stream: stream, tape: p, shuffled: stream}
			if err := again.run(t.Context(), "otters?"); err != nil {
				t.Fatal(err)
			}
			if again.log.String() != a.log.String() {
				t.Errorf("got\n%s\nwant\n%s", &again.log, &a.log)
			}
			if err := p.Done(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestReplayStreams(t *testing.T) {
	p := open(t, recorded(t, library(), "otters?"))
	a := &agent{settings: library().settings, stream: true, tape: p}
	if err := a.run(t.Context(), "otters?"); err != nil || !strings.HasPrefix(a.log.String(), "[Otters?][I look.][search][search][read]") {
		t.Errorf("got %s (error %v)", &a.log, err)
	}
}

// A replay may itself be recorded, and is the same file.
func TestRecordingOfReplay(t *testing.T) {
	p := open(t, libraryFile)
	a := &agent{settings: library().settings, stream: true, tools: map[string]func(string) (chat.ToolResult, error){}}
	a.model = p.Model(nil)
	for _, name := range []string{"search", "read"} {
		a.tools[name] = func(arguments string) (chat.ToolResult, error) {
			return p.Call(t.Context(), name, arguments, nil)
		}
	}
	if got := recorded(t, a, "otters?"); got != libraryFile {
		t.Errorf("got\n%s\nwant\n%s", got, libraryFile)
	}
}

func TestALongLoopIsRecordedOnce(t *testing.T) {
	size := func(rounds int) int {
		turns := make([]scripted.Turn, rounds)
		for i := range turns[1:] {
			turns[i].Calls = []chat.ToolCall{{Name: "search", Arguments: strings.Repeat("x", 100)}}
		}
		a := library()
		a.model = scripted.New(turns...)
		return len(recorded(t, a, "?"))
	}
	if ten, forty := size(11)-size(1), size(41)-size(1); forty > 5*ten {
		t.Errorf("10 rounds are %d bytes, 40 rounds %d", ten, forty)
	}
}

func TestErrors(t *testing.T) {
	cause := &codec.Error{Path: "a[1]", Message: "expected a string, found a number"}
	for story, err := range map[string]error{
		"rate limited":            &chat.ModelError{Kind: chat.RateLimited, Wait: time.Second, Message: "slow\xff"},
		"too long":                &chat.ModelError{Kind: chat.ContextTooLong, Limit: 10, Used: 20, Message: "no"},
		"refused":                 &chat.ModelError{Kind: chat.Refused, Message: "never"},
		"not accepted":            &chat.ModelError{Kind: chat.BadRequest, Status: 404, Message: "which?"},
		"lost":                    &chat.ModelError{Kind: chat.Unreachable, Status: 503, Wait: time.Minute, Err: errors.New("reset")},
		"lost for a deadline":     &chat.ModelError{Kind: chat.Unreachable, Err: context.DeadlineExceeded},
		"malformed":               &chat.ModelError{Kind: chat.Malformed, Message: "no JSON", Text: "{", Err: cause},
		"malformed, and no cause": &chat.ModelError{Kind: chat.Malformed, Message: "no JSON"},
		"of a decoder":            cause,
		"cancelled":               context.Canceled,
		"late":                    context.DeadlineExceeded,
		"fatal":                   chat.Fatal(errors.New("the disk is full")),
		"fatal and typed":         chat.Fatal(&chat.ModelError{Kind: chat.BadRequest, Status: 1}),
		"any":                     errors.New("whatever"),
		"wrapped":                 &wrapper{"a node: ", chat.Fatal(&chat.ModelError{Kind: chat.RateLimited, Wait: time.Second})},
		"several": errors.Join(errors.New("first"), &chat.ModelError{Kind: chat.ContextTooLong, Limit: 1},
			&chat.ModelError{Kind: chat.Refused}),
		"several, one transient":  errors.Join(&chat.ModelError{Kind: chat.BadRequest}, &chat.ModelError{Kind: chat.RateLimited, Wait: time.Second}),
		"malformed by a lost one": &chat.ModelError{Kind: chat.Malformed, Err: &chat.ModelError{Kind: chat.Unreachable, Wait: time.Second}},
	} {
		t.Run(story, func(t *testing.T) {
			var file strings.Builder
			r := record.New(&file)
			fail := func(context.Context) (chat.ToolResult, error) { return chat.ToolResult{Text: "half"}, err }
			_, _ = r.Call(t.Context(), "f", "{}", fail)
			model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { return nil, err })
			_, _ = r.Model(model).Generate(t.Context(), &chat.Request{}, nil)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			p := open(t, file.String())
			result, got := p.Call(t.Context(), "f", "{}", nil)
			if result.Text != "half" {
				t.Errorf("the result is %q", result.Text)
			}
			_, again := p.Model(nil).Generate(t.Context(), &chat.Request{}, nil)
			for _, got := range []error{got, again} {
				if got == nil || got.Error() != err.Error() || traits(got) != traits(err) {
					t.Errorf("got %v\n%s\nwant %v\n%s", got, traits(got), err, traits(err))
				}
			}
		})
	}
}

type wrapper struct {
	text string
	err  error
}

func (w *wrapper) Error() string { return w.text + w.err.Error() }
func (w *wrapper) Unwrap() error { return w.err }

// traits says what can be asked of an error.
func traits(err error) string {
	var is []string
	add := func(name string, yes bool) {
		if yes {
			is = append(is, name)
		}
	}
	if e, ok := errors.AsType[*chat.ModelError](err); ok {
		is = append(is, fmt.Sprintf("%v %d %v %d of %d %q", e.Kind, e.Status, e.Wait, e.Used, e.Limit, e.Text))
	}
	decoder, ok := errors.AsType[*codec.Error](err)
	add("decoder", ok && decoder.Path == "a[1]")
	add("cancelled", errors.Is(err, context.Canceled))
	add("late", errors.Is(err, context.DeadlineExceeded))
	add("transient", graphgen.IsTransient(err))
	add("wait "+errtree.RetryAfter(err).String(), errtree.RetryAfter(err) > 0)
	var fatal interface{ Fatal() bool }
	add("fatal", errors.As(err, &fatal) && fatal.Fatal())
	return strings.Join(is, ", ")
}

// TestUsageBesideAnError holds that a replay has what a failed call has used.
func TestUsageBesideAnError(t *testing.T) {
	used := chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: chat.Usage{Input: 3, Output: 2, Cost: 0.5}, Model: "m", ID: "1"}
	refuses := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return &used, &chat.ModelError{Kind: chat.Refused, Message: "no"}
	})
	var file strings.Builder
	recorder := record.New(&file)
	req := &chat.Request{Messages: []chat.Message{chat.UserText("otters")}}
	for _, tape := range []func() record.Tape{
		func() record.Tape { return recorder },
		func() record.Tape {
			if err := recorder.Close(); err != nil {
				t.Fatal(err)
			}
			player, err := record.Open([]byte(file.String()))
			if err != nil {
				t.Fatal(err)
			}
			return player
		},
	} {
		resp, err := tape().Model(refuses).Generate(t.Context(), req, nil)
		if !chat.IsKind(err, chat.Refused) || resp == nil || resp.Usage != used.Usage || resp.Model != "m" || resp.ID != "1" || resp.Message.Text != "" {
			t.Errorf("got %+v, %v", resp, err)
		}
	}
}

func TestAPanicOfAToolIsOneAgain(t *testing.T) {
	var file strings.Builder
	r := record.New(&file)
	panics := func(tape record.Tape) (v any) {
		defer func() { v = recover() }()
		_, _ = tape.Call(t.Context(), "f", "{}", func(context.Context) (chat.ToolResult, error) { panic("broken") })
		return nil
	}
	first := panics(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if again := panics(open(t, file.String())); first != "broken" || again != "broken" {
		t.Errorf("panicked with %v, and then with %v", first, again)
	}
}

func TestToolbox(t *testing.T) {
	use := func(tape record.Tape, box chat.Toolbox) (log string) {
		tools, err := tape.Toolbox(box).Tools(t.Context())
		for _, tool := range tools {
			result, err := tool.Call(t.Context(), `{"a":1}`)
			log += tool.Spec().Doc + result.Text + traits(err)
		}
		return log + traits(err)
	}
	for _, box := range []chat.Toolbox{chat.Tools{tool{"f"}, tool{"g"}}, chat.Tools{}, broken{}} {
		var file strings.Builder
		r := record.New(&file)
		first := use(r, box)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		p := open(t, file.String())
		if again := use(p, nil); again != first || p.Done() != nil {
			t.Errorf("first %q, then %q (error %v)", first, again, p.Done())
		}
	}
}

type tool struct{ name string }

func (t tool) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: t.name, Doc: "It is " + t.name, Schema: `{"type":"object"}`}
}

func (t tool) Call(_ context.Context, arguments string) (chat.ToolResult, error) {
	return chat.ToolResult{Text: t.name + arguments, Media: []chat.Media{{Type: "image/png", Data: []byte{1}}}}, nil
}

type broken struct{}

func (broken) Tools(context.Context) ([]chat.Tool, error) {
	return nil, &chat.ModelError{Kind: chat.Unreachable}
}

// Branches that ask the same at the same time get what they got, by who they are.
func TestBranchesInRecording(t *testing.T) {
	type branch struct{}
	by := func(ctx context.Context) string { name, _ := ctx.Value(branch{}).(string); return name }
	var file strings.Builder
	r := record.New(&file)
	r.By = by
	var all sync.WaitGroup
	names := []string{"left", "right", "middle"}
	for _, name := range names {
		all.Go(func() {
			for i := range 5 {
				_, _ = r.Call(context.WithValue(t.Context(), branch{}, name), "next", "{}", func(context.Context) (chat.ToolResult, error) {
					return chat.ToolResult{Text: name + strconv.Itoa(i)}, nil
				})
			}
		})
	}
	all.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	p := open(t, file.String())
	p.By = by
	for _, name := range names {
		all.Go(func() {
			for i := range 5 {
				got, err := p.Call(context.WithValue(t.Context(), branch{}, name), "next", "{}", nil)
				if err != nil || got.Text != name+strconv.Itoa(i) {
					t.Errorf("%s: got %q (error %v)", name, got.Text, err)
				}
			}
		})
	}
	all.Wait()
	if err := p.Done(); err != nil {
		t.Error(err)
	}
}

func TestRecorderWriteError(t *testing.T) {
	full := errors.New("the disk is full")
	for story, c := range map[string]struct {
		writer writer
		text   string
		want   string
	}{
		"the file fails":            {writer{3, full}, "otters?", "line 4 of the recording: the disk is full"},
		"a message is none":         {writer{100, nil}, "", "line 3 of the recording: message.role: Role is not set"},
		"nothing can be written":    {writer{0, full}, "otters?", "line 1 of the recording: the disk is full"},
		"and nothing wrong is told": {writer{100, nil}, "otters?", ""},
	} {
		t.Run(story, func(t *testing.T) {
			r := record.New(&c.writer)
			a := library()
			a.tape = r
			if c.text == "" {
				_, _ = r.Model(a.model).Generate(t.Context(), &chat.Request{Messages: []chat.Message{{}}}, nil)
			} else if err := a.run(t.Context(), c.text); err != nil || !strings.Contains(a.log.String(), "Two books.") {
				t.Errorf("the run: %v", err)
			}
			err := r.Close()
			if said(err) != c.want || c.writer.err != nil && !errors.Is(err, full) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

type writer struct {
	lines int
	err   error
}

func (w *writer) Write(b []byte) (int, error) {
	if w.lines--; w.lines < 0 && w.err != nil {
		return 0, w.err
	}
	return len(b), nil
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestLateCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := scripted.New(scripted.Turn{Wait: time.Hour})
		use := func(tape record.Tape) {
			start := time.Now()
			for _, call := range []func(context.Context) error{
				func(ctx context.Context) error {
					_, err := tape.Model(slow).Generate(ctx, &chat.Request{}, nil)
					return err
				},
				func(ctx context.Context) error {
					_, err := tape.Call(ctx, "f", "{}", func(ctx context.Context) (chat.ToolResult, error) {
						<-ctx.Done()
						return chat.ToolResult{}, ctx.Err()
					})
					return err
				},
			} {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				if err := call(ctx); err != context.DeadlineExceeded || ctx.Err() == nil {
					t.Errorf("got %v, of the context %v", err, ctx.Err())
				}
				cancel()
			}
			if took := time.Since(start); took != 2*time.Minute {
				t.Errorf("took %s", took)
			}
		}
		var file strings.Builder
		r := record.New(&file)
		use(r)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		p := open(t, file.String())
		use(p)
		if err := p.Done(); err != nil {
			t.Error(err)
		}
	})
}

func TestCallWithinCall(t *testing.T) {
	var file strings.Builder
	r := record.New(&file)
	inner := r.Model(scripted.New(scripted.Turn{Text: "inner"}))
	agent := func(ctx context.Context) (chat.ToolResult, error) {
		tools, _ := r.Toolbox(chat.Tools{tool{"g"}}).Tools(ctx)
		result, _ := r.Call(ctx, "g", "{}", func(ctx context.Context) (chat.ToolResult, error) { return tools[0].Call(ctx, "{}") })
		resp, _ := r.Model(inner).Generate(ctx, &chat.Request{}, nil)
		return chat.ToolResult{Text: result.Text + resp.Message.Text}, nil
	}
	if got, err := r.Call(t.Context(), "agent", "{}", agent); err != nil || got.Text != "g{}inner" {
		t.Errorf("got %v (error %v)", got, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	p := open(t, file.String())
	if got, err := p.Call(t.Context(), "agent", "{}", nil); err != nil || got.Text != "g{}inner" || p.Done() != nil {
		t.Errorf("got %v (errors %v, %v)", got, err, p.Done())
	}
}
