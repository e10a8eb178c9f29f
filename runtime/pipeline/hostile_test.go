package pipeline_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// crowd counts how many there are at once.
type crowd struct{ now, most atomic.Int64 }

func (c *crowd) enter() {
	now := c.now.Add(1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
}

func (c *crowd) leave() { c.now.Add(-1) }

func TestTenThousandCalls(t *testing.T) {
	const many = 10_000
	for _, c := range []struct {
		name   string
		calls  []chat.ToolCall
		pure   bool
		budget int
		made   int
		parts  int // of the conversation in the end
	}{
		{"different ones", queries(many), false, 0, many, many + 3},
		{"different ones of a pure tool", queries(many), true, 0, many, many + 3},
		{"the same one of a pure tool", repeated(call("", "search", `{"query":"a"}`), many), true, 0, 1, many + 3},
		{"more than the budget has", queries(many), false, many - 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var there crowd
			var report graphgen.Report
			model := &answers{turns: []chat.Message{calls(c.calls...), {Text: "done"}}}
			m := &machine{model: model, node: node(pipeline.Tool{Pure: c.pure}), search: func(_ context.Context, query string) (string, error) {
				there.enter()
				defer there.leave()
				return "found " + query, nil
			}, options: []graphgen.RunOption{graphgen.WithReport(&report), graphgen.WithTurnCalls(many),
				graphgen.WithBudgets(graphgen.Budgets{ToolCalls: c.budget})}}
			_, err := m.Run(t.Context(), "where?")
			var failed *graphgen.RunError
			if spent := errors.As(err, &failed) && failed.Reason == graphgen.Budget; spent != (c.budget > 0) || err != nil && !spent {
				t.Fatalf("the run gave %.200v", err)
			}
			if report.Tools.Made != c.made || there.most.Load() > 8 {
				t.Errorf("%d calls were made, %d at once", report.Tools.Made, there.most.Load())
			}
			if err == nil && len(model.sent[1])+1 != c.parts {
				t.Errorf("the conversation has %d messages, want %d", len(model.sent[1])+1, c.parts)
			}
		})
	}
}

func repeated(c chat.ToolCall, times int) []chat.ToolCall {
	list := make([]chat.ToolCall, times)
	for i := range list {
		list[i] = c
	}
	return list
}

func TestToolGoexit(t *testing.T) {
	model := &answers{turns: []chat.Message{calls(queries(3)...), {Text: "done"}}}
	m := &machine{model: model, node: &agentPrompt, search: func(_ context.Context, query string) (string, error) {
		if query == "1" {
			runtime.Goexit()
		}
		return "found " + query, nil
	}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	if got, want := told(model.last()), "tool: found 0\ntool: the tool ended without an answer\ntool: found 2"; got != want {
		t.Errorf("the model was told:\n%s\nwant:\n%s", got, want)
	}
}

func TestLongTextRefusal(t *testing.T) {
	const size = 80 << 20
	huge := strings.Repeat("x", size)
	for _, c := range []struct {
		name string
		call chat.ToolCall
		want string
	}{
		{"the name of a tool", chat.ToolCall{ID: "1", Name: huge}, "there is no tool \"xxxxx"},
		{"arguments", call("1", "search", `{"query":"`+huge+`"}`), "the arguments do not fit: the document is longer than"},
		{"nested arguments", call("1", "search", `{"query":`+strings.Repeat("[", 1<<20)), "the arguments do not fit: query: expected a string"},
		{"arguments that are not UTF-8", call("1", "search", "{\"query\":\"\xff\"}"), "the arguments do not fit: query: no valid JSON: invalid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &answers{turns: []chat.Message{calls(c.call), {Text: "done"}}}
			if _, err := (&machine{model: model, node: &agentPrompt}).Run(t.Context(), "where?"); err != nil {
				t.Fatalf("%.200v", err)
			}
			if told := model.last()[0]; !strings.HasPrefix(told.Text, c.want) || len(told.Text) > 1000 {
				t.Errorf("the model was told %.200q, of %d bytes", told.Text, len(told.Text))
			}
		})
	}
	t.Run("an answer", func(t *testing.T) {
		s := on(t, &answers{turns: []chat.Message{{Text: `{"route":"` + huge + `"}`}}})
		n := plain("a")
		n.Repair = 0
		var d pipeline.Transcript
		d.Enter(&s.Run, &s.conversation, s.model, n, nil)
		err := d.Ask(s.Context(), nil, &pipeline.Pick{Routes: []string{"a"}})
		if !chat.IsKind(err, chat.Malformed) || len(err.Error()) > 1000 {
			t.Errorf("the error is %.200v", err)
		}
	})
}

func TestAnAnswerThatIsCutOff(t *testing.T) {
	whole := chat.Message{Text: `{"route":"a"}`}
	for _, c := range []struct {
		name  string
		said  chat.Message
		typed bool
		most  int
		want  string // what the model is told, empty: the answer is taken
	}{
		{"is taken as text where the node bounds it", chat.Message{Text: "half"}, false, 9, ""},
		{"is no text where nobody bounds it", chat.Message{Text: "half"}, false, 0,
			"assistant: half\nuser: The answer was cut off before its end. Answer again, in fewer words."},
		{"is no output, though it looks like one", whole, true, 9,
			"assistant: {\"route\":\"a\"}\nuser: The answer was cut off before its end. Answer again, in fewer words."},
		{"is nothing at all", chat.Message{}, false, 0, "user: The answer was cut off before its end. Answer again, in fewer words."},
		{"has calls that are whole", calls(queries(1)...), false, 0, "assistant search{\"query\":\"0\"}: \ntool: found 0"},
		{"has a call that is cut off in its arguments", calls(call("1", "search", `{"que`)), false, 0,
			"assistant search{\"que: \ntool: the arguments do not fit: the document is cut short"},
		{"has a call that is cut off before its arguments", calls(call("1", "search", `{"query":"a"}`), call("2", "search", "")), false, 0,
			"user: The answer was cut off before its end. Answer again, in fewer words."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sent []chat.Message
			model := says{answer(c.said, chat.Length), func(req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
				sent = req.Messages
				return &chat.Response{Message: whole}, nil
			}}
			s := on(t, &model)
			n := deferring("a", "search")
			n.Loop, n.MaxTokens = true, c.most
			var out codec.Unmarshaler
			if c.typed {
				out = &pipeline.Pick{Routes: []string{"a"}}
			}
			var d pipeline.Transcript
			for {
				if p := d.Enter(&s.Run, &s.conversation, s.model, n, nil); p != nil {
					p.Message.String("where?")
				}
				if err := d.Ask(s.Context(), &s.tools, out); err != nil {
					t.Fatal(err)
				}
				if !d.Looping() {
					break
				}
				s.step()
			}
			if got := strings.TrimPrefix(told(sent), "user: where?\n"); got != c.want {
				t.Errorf("the model was told:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestLostCalls(t *testing.T) {
	var sent []chat.Message
	model := says{answer(chat.Message{}, chat.ToolCalls), func(req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		sent = req.Messages
		return &chat.Response{Finish: chat.ToolCalls}, nil
	}}
	_, err := (&machine{model: &model, node: &agentPrompt}).Run(t.Context(), "where?")
	if want := "user: where?\nuser: The answer is empty, and calls no tool. Answer again."; told(sent) != want {
		t.Errorf("the model was sent:\n%s\nwant:\n%s", told(sent), want)
	}
	if !chat.IsKind(err, chat.Malformed) {
		t.Errorf("the run gave %v", err)
	}
}

func TestSeparateRuns(t *testing.T) {
	const runs, rounds, width = 8, 5, 4
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		m := chat.Message{Role: chat.RoleAssistant, Text: req.Messages[0].Text}
		if len(req.Messages) < 1+rounds*(width+1) {
			for i := range width {
				m.Calls = append(m.Calls, call(strconv.Itoa(i), "search", `{"query":"`+req.Messages[0].Text+`"}`))
			}
		}
		if stream != nil {
			stream(chat.Delta{Text: m.Text})
		}
		return &chat.Response{Message: m, Usage: chat.Usage{Input: 1}}, nil
	})
	var wait sync.WaitGroup
	for run := range runs {
		wait.Go(func() {
			name := strconv.Itoa(run)
			var mu sync.Mutex
			keys := map[string]bool{}
			var report graphgen.Report
			options := []graphgen.RunOption{graphgen.WithReport(&report)}
			if run%2 == 0 {
				options = append(options, graphgen.WithObserver(func(e graphgen.Event) {
					if e.Kind == graphgen.Token && e.Token().Text != name {
						t.Errorf("run %s was told %q", name, e.Token().Text)
					}
				}))
			}
			m := &machine{model: model, node: &agentPrompt, options: options, search: func(ctx context.Context, query string) (string, error) {
				key := graphgen.IdempotencyKey(ctx)
				mu.Lock()
				defer mu.Unlock()
				keys[key] = true
				return query, nil
			}}
			out, err := m.Run(t.Context(), name)
			if err != nil || out != name || len(keys) != rounds*width || report.ModelCalls != rounds+1 || report.Usage.Input != rounds+1 {
				t.Errorf("run %s gave %q and %v, its calls had %d keys, its report has %d calls and %d tokens", name, out, err,
					len(keys), report.ModelCalls, report.Usage.Input)
			}
		})
	}
	wait.Wait()
}

func TestAToolMayRunTheMachine(t *testing.T) {
	inner := &machine{model: &answers{turns: []chat.Message{calls(queries(1)...), {Text: "from within"}}}, node: &agentPrompt}
	model := &answers{turns: []chat.Message{calls(queries(1)...), {Text: "done"}}}
	var report graphgen.Report
	outer := &machine{model: model, node: &agentPrompt, options: []graphgen.RunOption{graphgen.WithReport(&report)}, search: inner.Run}
	if _, err := outer.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	if got := told(model.last()); got != "tool: from within" || report.Tools.Made != 1 || report.ModelCalls != 2 {
		t.Errorf("the model was told %s; the report has %+v", got, report.Tools)
	}
}
