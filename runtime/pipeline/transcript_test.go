package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// A stage is a run that stands at a node, on which dialogs are acted out: what generated code
// does between them is left to the test.
type stage struct {
	engine.Run
	tools        machine
	state        struct{}
	conversation pipeline.Conversation
	counters     [5]uint32
	model        chat.Model
}

func (r *stage) View() any { return &r.state }

func on(t *testing.T, model chat.Model, options ...graphgen.RunOption) *stage {
	s := &stage{model: model}
	s.Start(t.Context(), &graph, &engine.Frame{Counters: s.counters[:], Viewer: s}, nil, options)
	return s
}

// step ends a step of the run, and begins the next.
func (s *stage) step() {
	s.SlowStep(1, 1)
}

// turn makes a turn of a node. It keeps what was said if that succeeds; after a turn that calls tools, the node is entered again.
func (s *stage) turn(d *pipeline.Transcript, n *pipeline.Node, reads string, after ...pipeline.Filter) error {
	err := s.attempt(s.Context(), d, n, reads, after...)
	switch {
	case err != nil:
	case d.Looping():
		s.step()
	default:
		s.conversation.Keep(d)
	}
	return err
}

func (s *stage) attempt(ctx context.Context, d *pipeline.Transcript, n *pipeline.Node, reads string, after ...pipeline.Filter) error {
	if p := d.Enter(&s.Run, &s.conversation, s.model, n, nil); p != nil {
		p.Message.String(reads)
	}
	return d.Ask(ctx, &s.tools, nil, after...)
}

// told is what a model was sent, a line a message.
func told(messages []chat.Message) string {
	var lines []string
	for _, m := range messages {
		line := m.Role.String()
		for _, c := range m.Calls {
			line += " " + c.Name + c.Arguments
		}
		lines = append(lines, line+": "+m.Text)
	}
	return strings.Join(lines, "\n")
}

func (a *answers) lastSent() string { return told(a.sent[len(a.sent)-1]) }

// plain is a node without tools, and deferring one that leaves its calls to others.
func plain(name string) *pipeline.Node { return &pipeline.Node{Name: name, System: name, Repair: 1} }

func deferring(name string, tools ...string) *pipeline.Node {
	n := plain(name)
	for _, tool := range tools {
		n.Tools = append(n.Tools, pipeline.Tool{Name: tool})
		n.Specs = append(n.Specs, chat.ToolSpec{Name: tool, Schema: "{}"})
	}
	return n
}

var runs = &pipeline.Node{Name: "run"}

func TestLateToolLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &answers{turns: []chat.Message{calls(queries(1)...), {Text: "done"}}}
		s := on(t, model)
		s.tools.search = func(context.Context, string) (string, error) { time.Sleep(2 * time.Second); return "found", nil }
		var d pipeline.Transcript
		err := s.Execute(s.Context(), engine.Policy{Timeout: time.Second}, func(ctx context.Context) error {
			return s.attempt(ctx, &d, &agentPrompt, "where is the first?")
		})
		if !isA[*graphgen.LimitError](err) {
			t.Fatalf("the turn gave %v", err)
		}
		if err := s.turn(&d, &agentPrompt, "where is the second?"); err != nil {
			t.Fatal(err)
		}
		if got, want := model.lastSent(), "user: where is the second?"; got != want {
			t.Errorf("the model was sent:\n%s\nwant:\n%s", got, want)
		}
	})
}

func TestRetriedTurn(t *testing.T) {
	lost := graphgen.Transient(errors.New("lost"))
	for _, c := range []struct {
		name  string
		turns []chat.Message
		fails int // which attempts, as bits
		want  string
	}{
		{"after a failure", []chat.Message{{Text: "a"}, {Text: "b"}}, 1, "user: where?"},
		{"after an answer that did not fit", []chat.Message{calls(call("1", "x", "")), calls(call("2", "x", "")), {Text: "b"}}, 0, "user: where?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &answers{turns: c.turns}
			s := on(t, model)
			var d pipeline.Transcript
			try := 0
			err := s.Execute(s.Context(), engine.Policy{Attempts: 2, RetryAny: true}, func(ctx context.Context) error {
				err := s.attempt(ctx, &d, plain("a"), "where?")
				if try++; c.fails&try != 0 {
					return lost
				}
				return err
			})
			if err != nil || d.Text() != "b" {
				t.Fatalf("the answer is %q (error %v)", d.Text(), err)
			}
			if got := model.lastSent(); got != c.want {
				t.Errorf("the model was sent:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestUnsentPrompt(t *testing.T) {
	model := &answers{turns: []chat.Message{{Text: "done"}}}
	s := on(t, model)
	var d pipeline.Transcript
	tries := 0
	before := func(_ context.Context, p *pipeline.Prompt) error {
		if tries++; tries == 1 {
			p.User.String("half a thought")
			return errors.New("lost")
		}
		p.User.String("a whole one")
		return nil
	}
	err := s.Execute(s.Context(), engine.Policy{Attempts: 2, RetryAny: true}, func(ctx context.Context) (err error) {
		if p := d.Enter(&s.Run, &s.conversation, s.model, plain("a"), nil); p != nil {
			if err = before(ctx, p); err != nil {
				return err
			}
		}
		return d.Ask(ctx, nil, nil)
	})
	if err != nil || tries != 2 || model.lastSent() != "user: a whole one" {
		t.Errorf("the processor ran %d times (error %v), and the model was sent:\n%s", tries, err, model.lastSent())
	}
}

func TestRefusedAnswer(t *testing.T) {
	for _, scope := range []struct {
		name  string
		scope pipeline.Scope
		want  string
	}{
		{"in full", pipeline.Full, "user: where?\nassistant: good\nuser: and then?"},
		{"as a ledger", pipeline.Ledger, "user: What is known so far:\n- first: good\nuser: and then?"},
	} {
		t.Run(scope.name, func(t *testing.T) {
			model := &answers{turns: []chat.Message{{Text: "bad"}, calls(call("1", "x", "")), {Text: "good"}, {Text: "done"}}}
			s := on(t, model)
			var first, second pipeline.Transcript
			err := s.Execute(s.Context(), engine.Policy{GuardRetries: 1}, func(ctx context.Context) error {
				if err := s.attempt(ctx, &first, plain("first"), "where?"); err != nil {
					return err
				}
				if first.Text() == "bad" {
					return engine.Guarded(engine.Guard{Name: "polite", Err: graphgen.Reject("be polite")})
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := "user: where?\nassistant: bad\nuser: The answer was not accepted: be polite. Answer again.\nuser: There are " +
				"no tools to call. Answer again, without."
			if got := model.lastSent(); got != want {
				t.Errorf("the node itself was sent:\n%s\nwant:\n%s", got, want)
			}
			s.conversation.Keep(&first)
			s.step()
			n := plain("second")
			n.Scope = scope.scope
			if err := s.turn(&second, n, "and then?"); err != nil {
				t.Fatal(err)
			}
			if got := model.lastSent(); got != scope.want {
				t.Errorf("the next node was sent:\n%s\nwant:\n%s", got, scope.want)
			}
		})
	}
}

func TestLateAnswer(t *testing.T) {
	model := &answers{turns: []chat.Message{{Text: "bad"}, {Text: "late"}, {Text: "good"}}}
	s := on(t, model)
	var d pipeline.Transcript
	err := s.Execute(s.Context(), engine.Policy{GuardRetries: 1, Attempts: 2, RetryAny: true}, func(ctx context.Context) error {
		if err := s.attempt(ctx, &d, plain("a"), "where?"); err != nil {
			return err
		}
		switch d.Text() {
		case "bad":
			return engine.Guarded(engine.Guard{Name: "polite", Err: graphgen.Reject("be polite")})
		case "late":
			return graphgen.Transient(errors.New("late"))
		}
		return nil
	})
	want := "user: where?\nassistant: bad\nuser: The answer was not accepted: be polite. Answer again."
	if got := model.lastSent(); err != nil || got != want {
		t.Errorf("the model was sent (error %v):\n%s\nwant:\n%s", err, got, want)
	}
}

func TestUnchangedTurn(t *testing.T) {
	for name, lost := range map[string]error{"after an answer": nil, "after a failure": errors.New("lost")} {
		t.Run(name, func(t *testing.T) {
			model := says{answer(chat.Message{Text: "one"}, chat.Stop), answer(chat.Message{Text: "two"}, chat.Stop)}
			var sent []chat.Message
			model = append(model, func(req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
				sent = req.Messages
				return &chat.Response{Message: chat.Message{Text: "three"}}, nil
			})
			s := on(t, &model)
			var cache engine.Cache
			cache.Keep(1, "key", "one")
			var cached, last pipeline.Transcript
			if err := s.turn(&cached, plain("a"), "one?"); err != nil {
				t.Fatal(err)
			}
			want := "user: one?\nassistant: one\n"
			if err := s.attempt(s.Context(), &cached, plain("a"), "two?"); err != nil {
				t.Fatal(err)
			}
			if lost == nil {
				s.conversation.Keep(&cached)
				want += "user: two?\nassistant: two\n"
			}
			s.step()
			if _, hit := engine.Cached[string](&s.Run, &cache, 1, "key"); !hit {
				t.Fatal("the answer is not in the cache")
			}
			s.conversation.Keep(&cached)
			s.step()
			if err := s.turn(&last, plain("last"), "last?"); err != nil {
				t.Fatal(err)
			}
			if got := told(sent); got != want+"user: last?" {
				t.Errorf("the last node was sent:\n%s\nwant:\n%suser: last?", got, want)
			}
		})
	}
}

func TestFilteredAnswer(t *testing.T) {
	model := &answers{turns: []chat.Message{{Text: "a long story"}, {Text: "done"}}}
	s := on(t, model)
	var first, second pipeline.Transcript
	short := func(_ context.Context, a *pipeline.Answer) error { a.Text = "short"; return nil }
	if err := errors.Join(s.turn(&first, plain("first"), "?", short), s.turn(&second, plain("second"), "?")); err != nil {
		t.Fatal(err)
	}
	if got, want := model.lastSent(), "user: ?\nassistant: short\nuser: ?"; got != want {
		t.Errorf("the second node was sent:\n%s\nwant:\n%s", got, want)
	}
}

func TestCallsLeftToNode(t *testing.T) {
	for _, c := range []struct {
		name string
		call chat.ToolCall
		want string
	}{
		{"of its tools", call("1", "search", `{"query":"a"}`), "found a"},
		{"of a tool that is injected", call("1", "fetch", `{}`), "fetch was given {}"},
		{"not of the tool of another node", call("1", "drop", `{}`), `there is no tool "drop"; the tools are search, fetch`},
		{"not of a tool that it is denied", call("1", "shell", `{}`), `there is no tool "shell"; the tools are search, fetch`},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &answers{turns: []chat.Message{calls(c.call), {Text: "done"}}}
			s := on(t, model, graphgen.WithToolbox(box{[]string{"fetch", "shell"}}))
			asks := deferring("asks", "search")
			asks.Inject, asks.Deny = true, []string{"shell"}
			tools := &pipeline.Node{Name: "run", Inject: true, Tools: []pipeline.Tool{{Name: "search"}, {Name: "drop"}}}
			var d pipeline.Transcript
			if err := s.turn(&d, asks, "where?"); err != nil || !d.Called() {
				t.Fatal(err)
			}
			if err := pipeline.CallPending(s.Context(), &s.Run, &s.conversation, tools, &s.tools); err != nil {
				t.Fatal(err)
			}
			if err := s.turn(&d, asks, "where?"); err != nil || d.Called() {
				t.Fatal(err)
			}
			if got := model.lastSent(); !strings.Contains(got, ": "+c.want) {
				t.Errorf("the model was sent:\n%s\nwant: %s", got, c.want)
			}
		})
	}
}

func TestLeftCallsOrder(t *testing.T) {
	search := calls(call("1", "search", `{"query":"a"}`))
	asks, also, answers3 := deferring("asks", "search"), deferring("also", "search"), plain("answers")
	for _, c := range []struct {
		name  string
		turns []chat.Message
		acts  []*pipeline.Node
		want  string
	}{
		{"the node itself is not told again what it is about", []chat.Message{search, {Text: "done"}}, []*pipeline.Node{asks, runs, asks},
			"user: asks?\nassistant search{\"query\":\"a\"}: \ntool: found a"},
		{"another node is told what it is about", []chat.Message{search, {Text: "done"}}, []*pipeline.Node{asks, runs, also},
			"user: asks?\nassistant search{\"query\":\"a\"}: \ntool: found a\nuser: also?"},
		{"a node without tools is told in words", []chat.Message{search, {Text: "done"}}, []*pipeline.Node{asks, runs, answers3},
			"user: asks?\nuser: search{\"query\":\"a\"}: found a\nuser: answers?"},
		{"calls that nobody has answered are not shown", []chat.Message{search, {Text: "done"}}, []*pipeline.Node{asks, also},
			"user: asks?\nuser: also?"},
		{"results come behind their calls, whoever has spoken since", []chat.Message{search, {Text: "between"}, {Text: "done"}},
			[]*pipeline.Node{asks, answers3, runs, asks},
			"user: asks?\nassistant search{\"query\":\"a\"}: \ntool: found a\nuser: answers?\nassistant: between\nuser: asks?"},
		{"the calls of the last node are run", []chat.Message{search, search, {Text: "done"}}, []*pipeline.Node{asks, also, runs, also},
			"user: asks?\nuser: also?\nassistant search{\"query\":\"a\"}: \ntool: found a"},
		{"what is run is run once", []chat.Message{search, {Text: "done"}}, []*pipeline.Node{asks, runs, runs, asks},
			"user: asks?\nassistant search{\"query\":\"a\"}: \ntool: found a"},
		{"a node that answers leaves nothing", []chat.Message{search, {Text: "no"}, {Text: "done"}}, []*pipeline.Node{asks, asks, runs, answers3},
			"user: asks?\nuser: asks?\nassistant: no\nuser: answers?"},
		{"nothing is left before the first turn", []chat.Message{{Text: "done"}}, []*pipeline.Node{runs, answers3}, "user: answers?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &answers{turns: c.turns}
			s := on(t, model)
			transcripts := map[*pipeline.Node]*pipeline.Transcript{asks: {}, also: {}, answers3: {}}
			for _, n := range c.acts {
				var err error
				if n == runs {
					err = pipeline.CallPending(s.Context(), &s.Run, &s.conversation, n, &s.tools)
				} else {
					err = s.turn(transcripts[n], n, n.Name+"?")
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := model.lastSent(); got != c.want {
				t.Errorf("the model was sent:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestIsolatedCallResults(t *testing.T) {
	for name, change := range map[string]func(*pipeline.Node){
		"scoped": func(n *pipeline.Node) { n.Scope = pipeline.Scoped },
		"apart":  func(n *pipeline.Node) { n.Scope, n.Apart = pipeline.Scoped, true },
	} {
		t.Run(name, func(t *testing.T) {
			model := &answers{turns: []chat.Message{{Text: "before"}, calls(queries(1)...), calls(call("2", "search", `{"query":"b"}`)),
				{Text: "done"}, {Text: "after"}}}
			s := on(t, model)
			var first, d pipeline.Transcript
			asks := deferring("asks", "search")
			change(asks)
			err := s.turn(&first, plain("first"), "first?")
			for range 2 {
				err = errors.Join(err, s.turn(&d, asks, "where?"), pipeline.CallPending(s.Context(), &s.Run, &s.conversation, runs, &s.tools))
			}
			if err = errors.Join(err, s.turn(&d, asks, "where?")); err != nil {
				t.Fatal(err)
			}
			want := "user: where?\nassistant search{\"query\":\"0\"}: \ntool: found 0\nassistant search{\"query\":\"b\"}: \ntool: found b"
			if got := model.lastSent(); got != want {
				t.Errorf("the model was sent:\n%s\nwant:\n%s", got, want)
			}
			if err := s.turn(&first, plain("first"), "and?"); err != nil {
				t.Fatal(err)
			}
			seen := strings.Contains(model.lastSent(), "found b\nassistant: done")
			if seen == asks.Apart {
				t.Errorf("a later node was sent:\n%s", model.lastSent())
			}
		})
	}
}

func TestFailedTurnCalls(t *testing.T) {
	model := &answers{turns: []chat.Message{calls(queries(1)...), {Text: "done"}}}
	s := on(t, model)
	made := 0
	s.tools.search = func(context.Context, string) (string, error) { made++; return "", nil }
	var d pipeline.Transcript
	tries := 0
	err := s.Execute(s.Context(), engine.Policy{Attempts: 2, RetryAny: true}, func(ctx context.Context) error {
		err := s.attempt(ctx, &d, deferring("asks", "search"), "where?")
		if tries++; tries == 1 {
			return errors.New("late")
		}
		return err
	})
	s.conversation.Keep(&d)
	err = errors.Join(err, pipeline.CallPending(s.Context(), &s.Run, &s.conversation, runs, &s.tools))
	if err != nil || d.Called() || made != 0 {
		t.Errorf("%d calls were made of a turn that failed (error %v)", made, err)
	}
}

func TestOpaqueParts(t *testing.T) {
	said := chat.Message{Text: "so", Reasoning: []chat.Reasoning{{Text: "hm", Opaque: "signed"}, {Opaque: "sealed", Hidden: true}}}
	for _, c := range []struct {
		name  string
		asker func(*pipeline.Node)
		want  []chat.Reasoning
	}{
		{"the same model has it back", func(*pipeline.Node) {}, said.Reasoning},
		{"another is not sent it", func(n *pipeline.Node) { n.Model = "large" }, []chat.Reasoning{{Text: "hm"}}},
		{"nor is the smaller one", func(n *pipeline.Node) { n.Light = true }, []chat.Reasoning{{Text: "hm"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &answers{turns: []chat.Message{said, {Text: "done"}}}
			s := on(t, model)
			var first, second pipeline.Transcript
			n := plain("second")
			c.asker(n)
			if err := errors.Join(s.turn(&first, plain("first"), "?"), s.turn(&second, n, "?")); err != nil {
				t.Fatal(err)
			}
			if got := model.sent[1][1].Reasoning; !slices.Equal(got, c.want) {
				t.Errorf("the second model was sent %+v", got)
			}
			if said.Reasoning[0].Opaque == "" {
				t.Error("the answer itself was changed")
			}
		})
	}
}

func TestCallKeyOnRetry(t *testing.T) {
	model := &answers{turns: []chat.Message{calls(queries(2)...), calls(queries(2)...)}}
	s := on(t, model, graphgen.WithRunID("run"))
	var keys []string
	s.tools.search = func(ctx context.Context, query string) (string, error) {
		if query == "0" {
			return "", nil
		}
		if keys = append(keys, graphgen.IdempotencyKey(ctx)); len(keys) == 1 {
			return "", chat.Fatal(errors.New("lost"))
		}
		return "", nil
	}
	n := agentPrompt
	n.Parallel = 1
	var d pipeline.Transcript
	err := s.Execute(s.Context(), engine.Policy{Attempts: 2, RetryAny: true}, func(ctx context.Context) error {
		return s.attempt(ctx, &d, &n, "where?")
	})
	if err != nil || len(keys) != 2 || keys[0] != keys[1] {
		t.Errorf("the keys are %v (error %v)", keys, err)
	}
	if got := model.lastSent(); got != "user: where?" {
		t.Errorf("the second try was sent:\n%s", got)
	}
}

// TestSavedToolLoop holds that a node which a run has added from a template continues its tool loop in another process under its own name, and with the
// version of the prompt that was sent.
func TestSavedToolLoop(t *testing.T) {
	model := &answers{turns: []chat.Message{calls(queries(1)...), {Text: "done"}}}
	template := agentPrompt
	template.Name, template.Version = "template", "v1"
	var before, after pipeline.Transcripts
	s := on(t, model)
	if err := s.turn(before.Of(&s.Run), &template, "where?"); err != nil {
		t.Fatal(err)
	}
	list := func(of *pipeline.Transcripts, s *stage) func(*codec.Cells) {
		return func(c *codec.Cells) {
			s.conversation.Cells(c)
			of.Cells(c, &s.conversation, &template)
		}
	}
	var saved, cells codec.Cells
	if _, _, err := saved.Changes(list(&before, s)); err != nil {
		t.Fatal(err)
	}
	if err := cells.Take(saved.Object(func(string) bool { return true })); err != nil {
		t.Fatal(err)
	}
	var prompts []string
	s = on(t, model, graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.ModelStart {
			prompts = append(prompts, e.Model().Prompt)
		}
	}))
	if err := cells.Load(list(&after, s)); err != nil {
		t.Fatal(err)
	}
	s.step()
	template.Version = "v2" // of a newer process
	tr := after.Of(&s.Run)
	if err := s.turn(tr, &template, "what else?"); err != nil || tr.Text() != "done" {
		t.Fatalf("the turn gives %q, %v", tr.Text(), err)
	}
	if _, _, err := saved.Changes(s.conversation.Cells); err != nil {
		t.Fatal(err)
	}
	if spoken := string(saved.Value("~spoken")); !strings.Contains(spoken, `"agent"`) || !slices.Equal(prompts, []string{"v1"}) {
		t.Errorf("the passages are %s, the versions %q", spoken, prompts)
	}
}
