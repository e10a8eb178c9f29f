package pipeline_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// answers is a model that says one thing after another, and keeps what it was sent.
type answers struct {
	turns []chat.Message
	sent  [][]chat.Message
}

func (a *answers) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	a.sent = append(a.sent, append([]chat.Message(nil), req.Messages...))
	if len(a.sent) > len(a.turns) {
		return nil, errors.New("the model has nothing left to say")
	}
	m := a.turns[len(a.sent)-1]
	m.Role = chat.RoleAssistant
	return &chat.Response{Message: m, Usage: chat.Usage{Input: 10, Output: 1}}, nil
}

// last returns what the model was told last, from the end back to its own words.
func (a *answers) last() []chat.Message {
	sent := a.sent[len(a.sent)-1]
	for i := len(sent) - 1; i >= 0; i-- {
		if sent[i].Role == chat.RoleAssistant {
			return sent[i+1:]
		}
	}
	return sent
}

func call(id, name, arguments string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: arguments}
}

func calls(list ...chat.ToolCall) chat.Message { return chat.Message{Calls: list} }

func queries(n int) []chat.ToolCall {
	var list []chat.ToolCall
	for i := range n {
		list = append(list, call(strconv.Itoa(i), "search", `{"query":"`+strconv.Itoa(i)+`"}`))
	}
	return list
}

func node(tool pipeline.Tool) *pipeline.Node {
	n := agentPrompt
	tool.Name = "search"
	n.Tools = []pipeline.Tool{tool}
	return &n
}

func TestToolErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		call   chat.ToolCall
		tool   pipeline.Tool
		search func(context.Context, string) (string, error)
		want   string
	}{
		{"an unknown tool", call("1", "serch", `{}`), pipeline.Tool{}, nil, `there is no tool "serch"; the tools are search`},
		{"arguments that are no JSON", call("1", "search", `{"query":`), pipeline.Tool{}, nil, "the arguments do not fit: "},
		{"arguments that do not fit", call("1", "search", `{"query":3}`), pipeline.Tool{}, nil, "the arguments do not fit: query: "},
		{"an error", call("1", "search", `{"query":"a"}`), pipeline.Tool{},
			func(context.Context, string) (string, error) { return "", errors.New("no network") }, "no network"},
		{"a panic", call("1", "search", `{"query":"a"}`), pipeline.Tool{}, func(context.Context, string) (string, error) { panic("nil map") },
			"the tool failed: panic: nil map"},
		{"a result that is too large", call("1", "search", `{"query":"a"}`), pipeline.Tool{MaxResult: 3},
			func(context.Context, string) (string, error) { return "four", nil }, "the result has 4 bytes, the limit is 3: ask for less"},
		{"a tool that hangs", call("1", "search", `{"query":"a"}`), pipeline.Tool{Timeout: engine.TimeLimit(time.Second)},
			func(ctx context.Context, _ string) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}, "tool timeout of 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := &answers{turns: []chat.Message{calls(c.call), {Text: "done"}}}
				var report graphgen.Report
				m := &machine{model: model, node: node(c.tool), search: c.search, options: []graphgen.RunOption{graphgen.WithReport(&report)}}
				out, err := m.Run(t.Context(), "where?")
				if err != nil || out != "done" {
					t.Fatalf("the run gave %q and %v", out, err)
				}
				told := model.last()
				if len(told) != 1 || told[0].Role != chat.RoleTool || told[0].Call != "1" || !told[0].Failed || !strings.HasPrefix(told[0].Text, c.want) {
					t.Errorf("the model was told %+v, want %q", told, c.want)
				}
				if report.Tools != (graphgen.ToolCount{Made: 1, Failed: 1}) {
					t.Errorf("the report counts %+v", report.Tools)
				}
			})
		})
	}
}

func TestFatalToolError(t *testing.T) {
	gone := errors.New("the account is closed")
	model := &answers{turns: []chat.Message{calls(queries(2)...), {Text: "done"}}}
	m := &machine{model: model, node: &agentPrompt, search: func(context.Context, string) (string, error) { return "", chat.Fatal(gone) }}
	_, err := m.Run(t.Context(), "where?")
	var failed *graphgen.NodeError
	if !errors.As(err, &failed) || !errors.Is(err, gone) {
		t.Errorf("the run gave %v", err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	for _, c := range []struct {
		name     string
		calls    int
		parallel int
		takes    time.Duration
	}{
		{"eight calls run at once", 8, 0, time.Millisecond},
		{"a ninth waits", 9, 0, 2 * time.Millisecond},
		{"one after the other", 3, 1, 3 * time.Millisecond},
		{"two by two", 5, 2, 3 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := &answers{turns: []chat.Message{calls(queries(c.calls)...), {Text: "done"}}}
				n := agentPrompt
				n.Parallel = c.parallel
				m := &machine{model: model, node: &n, search: func(_ context.Context, query string) (string, error) {
					time.Sleep(time.Millisecond)
					return "found " + query, nil
				}}
				began := time.Now()
				if _, err := m.Run(t.Context(), "where?"); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != c.takes {
					t.Errorf("the calls took %s, want %s", took, c.takes)
				}
				for i, told := range model.last() {
					if want := "found " + strconv.Itoa(i); told.Text != want || told.Call != strconv.Itoa(i) {
						t.Errorf("result %d is %q of call %s, want %q", i, told.Text, told.Call, want)
					}
				}
			})
		})
	}
}

func TestPureToolCalls(t *testing.T) {
	same := call("x", "search", `{"query":"a"}`)
	model := &answers{turns: []chat.Message{calls(same, same, call("y", "search", `{"query":"b"}`)), calls(same),
		calls(same, call("z", "search", `{"query":"b"}`)), {Text: "done"}}}
	var made atomic.Int32
	var report graphgen.Report
	m := &machine{model: model, node: node(pipeline.Tool{Pure: true}), options: []graphgen.RunOption{graphgen.WithReport(&report)},
		search: func(_ context.Context, query string) (string, error) {
			made.Add(1)
			return "found " + query, nil
		}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	if made.Load() != 2 || report.Tools != (graphgen.ToolCount{Made: 2, Deduplicated: 4}) {
		t.Errorf("%d calls were made, the report counts %+v", made.Load(), report.Tools)
	}
	told := model.last()
	if len(told) != 2 || told[0].Text != "found a" || told[1].Text != "found b" {
		t.Errorf("the model was told %+v", told)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	keys := make(chan string, 3)
	model := &answers{turns: []chat.Message{calls(queries(2)...), calls(queries(1)...), {Text: "done"}}}
	m := &machine{model: model, node: &agentPrompt, options: []graphgen.RunOption{graphgen.WithRunID("run")},
		search: func(ctx context.Context, _ string) (string, error) {
			keys <- graphgen.IdempotencyKey(ctx)
			return "", nil
		}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	close(keys)
	seen := map[string]bool{}
	for key := range keys {
		seen[key] = true
	}
	for _, want := range []string{"run/1/0", "run/1/1", "run/2/0"} {
		if !seen[want] {
			t.Errorf("no call had the key %s: %v", want, seen)
		}
	}
}

func TestBudgetBeforeCall(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget graphgen.Budgets
		says   string
		asked  int
	}{
		{"of tokens", graphgen.Budgets{Tokens: 20}, "budget of tokens exceeded: 22 of 20", 2},
		{"of model calls", graphgen.Budgets{ModelCalls: 1}, "budget of model calls exceeded: 1 of 1", 1},
		{"of tool calls", graphgen.Budgets{ToolCalls: 3}, "budget of tool calls exceeded: 2 of 3", 2},
		{"the lowest of several", graphgen.Budgets{ToolCalls: 5, ModelCalls: 1}, "budget of model calls exceeded: 1 of 1", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := calls(queries(2)...)
			model := &answers{turns: []chat.Message{turn, turn, turn, turn}}
			m := &machine{model: model, node: &agentPrompt,
				options: []graphgen.RunOption{graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 100}), graphgen.WithBudgets(c.budget)}}
			_, err := m.Run(t.Context(), "where?")
			var failed *graphgen.RunError
			var spent *graphgen.LimitError
			if !errors.As(err, &failed) || failed.Reason != graphgen.Budget || !errors.As(err, &spent) || spent.Error() != c.says {
				t.Errorf("the run gave %v", err)
			}
			if len(model.sent) != c.asked {
				t.Errorf("the model was asked %d times, want %d", len(model.sent), c.asked)
			}
		})
	}
}

func TestCancelledRunWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the user has left")
		var ended atomic.Int32
		model := &answers{turns: []chat.Message{calls(queries(4)...), {Text: "done"}}}
		m := &machine{model: model, node: &agentPrompt, search: func(ctx context.Context, query string) (string, error) {
			if query == "3" {
				cancel(why)
			}
			<-ctx.Done()
			ended.Add(1)
			return "", ctx.Err()
		}}
		_, err := m.Run(ctx, "where?")
		if !errors.Is(err, why) || ended.Load() != 4 {
			t.Errorf("the run gave %v, and %d tools had ended", err, ended.Load())
		}
	})
}

// box has tools that are known only at run time.
type box struct{ names []string }

func (b box) Tools(context.Context) ([]chat.Tool, error) {
	var tools []chat.Tool
	for _, name := range b.names {
		tools = append(tools, injected(name))
	}
	return tools, nil
}

type injected string

func (i injected) Spec() chat.ToolSpec { return chat.ToolSpec{Name: string(i), Schema: "{}"} }

func (i injected) Call(_ context.Context, arguments string) (chat.ToolResult, error) {
	return chat.ToolResult{Text: string(i) + " was given " + arguments}, nil
}

func TestToolsAreInjectedAtRunTime(t *testing.T) {
	var offered []string
	model := &answers{turns: []chat.Message{calls(call("1", "fetch", `{"a":1}`), call("2", "drop", `{}`)), {Text: "done"}}}
	n := agentPrompt
	n.Inject, n.Deny = true, []string{"drop"}
	m := &machine{node: &n, options: []graphgen.RunOption{graphgen.WithToolbox(box{[]string{"fetch", "drop", "search"}})}}
	m.model = chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		offered = nil
		for _, s := range req.Tools {
			offered = append(offered, s.Name)
		}
		return model.Generate(ctx, req, stream)
	})
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(offered, " "); got != "search fetch" {
		t.Errorf("the model was offered %s", got)
	}
	told := model.last()
	if told[0].Text != `fetch was given {"a":1}` || told[1].Text != `there is no tool "drop"; the tools are search, fetch` {
		t.Errorf("the model was told %+v", told)
	}
}

func TestEmptyToolbox(t *testing.T) {
	n := pipeline.Node{Name: "agent", System: "s", Inject: true, Loop: true}
	for _, c := range []struct {
		name string
		box  chat.Toolbox
		says chat.Message
		want string
	}{
		{"an empty one", chat.Tools{}, calls(call("1", "fetch", `{"a":1}`)), "user: where?\nuser: fetch{\"a\":1}: there is no tool \"fetch\""},
		{"a text and a call", chat.Tools{}, chat.Message{Text: "I look.", Calls: []chat.ToolCall{call("1", "fetch", "{}")}},
			"user: where?\nassistant: I look.\nuser: fetch{}: there is no tool \"fetch\""},
		{"one with another tool", box{[]string{"drop"}}, calls(call("1", "fetch", `{}`)),
			"user: where?\nassistant fetch{}: \ntool: there is no tool \"fetch\"; the tools are drop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var report graphgen.Report
			model := &answers{turns: []chat.Message{c.says, {Text: "done"}}}
			m := &machine{node: &n, model: model, options: []graphgen.RunOption{graphgen.WithToolbox(c.box), graphgen.WithReport(&report)}}
			if _, err := m.Run(t.Context(), "where?"); err != nil {
				t.Fatal(err)
			}
			if got := model.lastSent(); got != c.want {
				t.Errorf("the model was sent:\n%s\nwant:\n%s", got, c.want)
			}
			if report.Steps != 2 || report.Tools != (graphgen.ToolCount{Made: 1, Failed: 1}) {
				t.Errorf("%d steps, %+v, want 2 and one call that failed", report.Steps, report.Tools)
			}
		})
	}
	t.Run("left to another node", func(t *testing.T) {
		model := &answers{turns: []chat.Message{calls(call("1", "fetch", "{}")), {Text: "done"}}}
		s := on(t, model)
		n := plain("a")
		n.Inject = true
		var d pipeline.Transcript
		if err := s.turn(&d, n, "where?"); err != nil || !d.Called() {
			t.Fatal(err, d.Called())
		}
		s.step()
		if err := pipeline.CallPending(s.Context(), &s.Run, &s.conversation, runs, &s.tools); err != nil {
			t.Fatal(err)
		}
		s.step()
		if err := s.turn(&d, n, "where?"); err != nil || !strings.Contains(model.lastSent(), `there is no tool "fetch"`) {
			t.Errorf("the model was sent:\n%s (error %v)", model.lastSent(), err)
		}
	})
}

func TestRequiredTool(t *testing.T) {
	var choices []chat.ToolMode
	model := &answers{turns: []chat.Message{calls(queries(1)...), {Text: "done"}}}
	n := agentPrompt
	n.Choice = chat.ToolChoice{Mode: chat.Required}
	m := &machine{node: &n, model: chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		choices = append(choices, req.Choice.Mode)
		return model.Generate(ctx, req, stream)
	})}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	if len(choices) != 2 || choices[0] != chat.Required || choices[1] != chat.Auto {
		t.Errorf("the choices were %v", choices)
	}
}

func TestModelWithoutTools(t *testing.T) {
	model := &answers{turns: []chat.Message{calls(queries(1)...), {Text: "done"}}}
	n := agentPrompt
	n.Choice = chat.ToolChoice{Mode: chat.None}
	made := 0
	m := &machine{node: &n, model: model, search: func(context.Context, string) (string, error) { made++; return "", nil }}
	if _, err := m.Run(t.Context(), "where?"); err != nil || made != 0 {
		t.Errorf("%d calls were made (error %v)", made, err)
	}
	if got, want := model.lastSent(), "user: where?\nuser: There are no tools to call. Answer again, without."; got != want {
		t.Errorf("the model was sent:\n%s\nwant:\n%s", got, want)
	}
}

func TestToolChoiceWithoutTools(t *testing.T) {
	var choice chat.ToolChoice
	model := says{func(req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		choice = req.Choice
		return &chat.Response{Message: chat.Message{Text: "done"}}, nil
	}}
	n := pipeline.Node{Name: "agent", Inject: true, Loop: true, Choice: chat.ToolChoice{Mode: chat.Required}}
	if _, err := (&machine{node: &n, model: &model}).Run(t.Context(), "where?"); err != nil || choice != (chat.ToolChoice{}) {
		t.Errorf("the choice is %+v (error %v)", choice, err)
	}
}

func TestEndlessToolCalls(t *testing.T) {
	model := &answers{}
	for range 30 {
		model.turns = append(model.turns, calls(queries(1)...))
	}
	m := &machine{model: model, node: &agentPrompt}
	_, err := m.Run(t.Context(), "where?")
	var visits *graphgen.LimitError
	if !errors.As(err, &visits) || visits.Max != 25 || len(model.sent) != 25 {
		t.Errorf("the run gave %v after %d calls", err, len(model.sent))
	}
}

func TestTurnEvents(t *testing.T) {
	model := says{
		func(_ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			stream(chat.Delta{Tool: "search"})
			return &chat.Response{Message: calls(queries(2)...)}, nil
		},
		func(_ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			stream(chat.Delta{Reasoning: "hm"})
			stream(chat.Delta{Text: "done"})
			return &chat.Response{Message: chat.Message{Text: "done"}}, nil
		},
	}
	var events []graphgen.Event
	first := make(chan bool)
	m := &machine{model: &model, node: &agentPrompt, search: func(_ context.Context, query string) (string, error) {
		if query == "0" {
			<-first
		} else {
			defer close(first)
		}
		return query, nil
	}, options: []graphgen.RunOption{graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) })}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	want := "run_start route node_start model_start token model_end tool_start tool_start tool_end tool_end node_end route " +
		"node_start model_start token token model_end node_end route run_end"
	if kinds(events) != want {
		t.Errorf("the events are\n%s, want\n%s", kinds(events), want)
	}
	for i, e := range events[3:8] {
		if e.Node != "agent" || e.Step != 1 || e.Visit != 1 {
			t.Errorf("event %d is told of node %q, step %d, visit %d", i, e.Node, e.Step, e.Visit)
		}
	}
	if e := events[11]; e.Route().Rule != graphgen.RuleToolLoop {
		t.Errorf("the way back is of rule %s", e.Route().Rule)
	}
}

func TestToolOutlivesRun(t *testing.T) {
	const rounds = 5
	turns := []chat.Message{}
	for range rounds {
		turns = append(turns, calls(queries(2)...))
	}
	var late sync.WaitGroup
	var mu sync.Mutex
	keys := map[string]int{}
	m := &machine{model: &answers{turns: append(turns, chat.Message{Text: "done"})}, node: &agentPrompt,
		options: []graphgen.RunOption{graphgen.WithRunID("run")}, search: func(ctx context.Context, _ string) (string, error) {
			late.Go(func() {
				key := graphgen.IdempotencyKey(ctx)
				mu.Lock()
				defer mu.Unlock()
				keys[key]++
			})
			return "", nil
		}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	late.Wait()
	for step := 1; step <= rounds; step++ {
		for number := range 2 {
			if key := "run/" + strconv.Itoa(step) + "/" + strconv.Itoa(number); keys[key] != 1 {
				t.Errorf("the key %s was given %d times: %v", key, keys[key], keys)
			}
		}
	}
}
