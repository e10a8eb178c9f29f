package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
)

// fails returns a model that fails times before it answers; each call uses a token.
func fails(name string, times int) chat.Model {
	return chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		resp := &chat.Response{Model: name, ID: name + "-id", Finish: chat.Stop, Usage: chat.Usage{Input: 1},
			Message: chat.Message{Role: chat.RoleAssistant, Text: "by " + name}}
		if times--; times >= 0 {
			return resp, &chat.ModelError{Kind: chat.Unreachable, Err: errors.New(name + " is down")}
		}
		return resp, nil
	})
}

// opaque is a model around another one that the runtime knows nothing of.
func opaque(m chat.Model) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		return m.Generate(ctx, req, stream)
	})
}

// twice has a model answer twice, and takes the second answer.
func twice(m chat.Model) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		if _, err := m.Generate(ctx, req, stream); err != nil {
			return nil, err
		}
		return m.Generate(ctx, req, stream)
	})
}

// wireText describes the events of models, one a call.
func wireText(events []graphgen.Event) string {
	var calls []string
	for _, e := range events {
		switch e.Kind {
		case graphgen.ModelStart:
			calls = append(calls, strconv.Itoa(e.Model().Attempt)+":")
		case graphgen.ModelEnd:
			text := strconv.Itoa(e.Model().Attempt) + " " + e.Model().Name
			if e.Err != nil {
				text = strconv.Itoa(e.Model().Attempt) + " failed"
			}
			calls[len(calls)-1] += text
		}
	}
	return strings.Join(calls, ", ")
}

func TestCallsOverTheWire(t *testing.T) {
	soon := chat.Backoff{Wait: 1, Attempts: 3}
	price := chat.Price{Input: 1e6}
	node := agentPrompt
	node.Version = "v1"
	for _, c := range []struct {
		name  string
		model chat.Model
		want  string
		calls int
		cost  float64
	}{
		{"a model", fails("a", 0), "1:1 a", 1, 0},
		{"a retry", chat.Retry(fails("a", 2), soon), "1:1 failed, 2:2 failed, 3:3 a", 3, 0},
		{"a retry that gives up", chat.Retry(fails("a", 9), soon), "1:1 failed, 2:2 failed, 3:3 failed", 3, 0},
		{"a fallback", chat.Fallback(fails("a", 9), fails("b", 0)), "1:1 failed, 2:2 b", 2, 0},
		{"a fallback of retries", chat.Fallback(chat.Retry(fails("a", 9), soon), chat.Retry(fails("b", 1), soon)),
			"1:1 failed, 2:2 failed, 3:3 failed, 4:4 failed, 5:5 b", 5, 0},
		{"a retry of a fallback", chat.Retry(chat.Fallback(fails("a", 1), opaque(fails("b", 1))), soon), "1:1 failed, 2:2 failed, 3:3 a", 3, 0},
		{"a price around a retry", chat.Priced(chat.Retry(fails("a", 1), soon), price), "1:1 failed, 2:2 a", 2, 2},
		{"a price around a retry that gives up", chat.Priced(chat.Retry(fails("a", 9), soon), price), "1:1 failed, 2:2 failed, 3:3 failed", 3, 3},
		{"a price around a fallback", chat.Priced(chat.Fallback(fails("a", 1), fails("b", 0)), price), "1:1 failed, 2:2 b", 2, 2},
		{"a price around a price",
			chat.Priced(chat.Fallback(chat.Priced(chat.Retry(fails("a", 9), soon), chat.Price{Input: 2e6}), opaque(fails("b", 0))), price),
			"1:1 failed, 2:2 failed, 3:3 failed, 4:4 b", 4, 7},
		{"a retry of a price", chat.Retry(chat.Priced(fails("a", 1), price), soon), "1:1 failed, 2:2 a", 2, 2},
		{"a model of one's own around a retry", opaque(chat.Retry(opaque(fails("a", 2)), soon)), "1:1 failed, 2:2 failed, 3:3 a", 3, 0},
		{"an answer that is not taken", twice(chat.Retry(fails("a", 0), soon)), "1:1 a, 2:2 a", 2, 0},
		{"a panic",
			chat.Retry(chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { panic("nil map") }), soon),
			"1:1 failed", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var events []graphgen.Event
			var report graphgen.Report
			m := &machine{model: c.model, node: &node, options: []graphgen.RunOption{
				graphgen.WithReport(&report), graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) }),
			}}
			_, err := m.Run(t.Context(), "where?")
			if got := wireText(events); got != c.want {
				t.Errorf("the calls are %s, want %s; the run gave %v", got, c.want, err)
			}
			if report.ModelCalls != c.calls || report.Nodes[0].ModelCalls != c.calls || report.Usage.Cost != c.cost {
				t.Errorf("the report has %d calls, %d of the node, for $%g; want %d for $%g", report.ModelCalls,
					report.Nodes[0].ModelCalls, report.Usage.Cost, c.calls, c.cost)
			}
			if len(report.Prompts) != 1 || report.Prompts[0].ModelCalls != c.calls {
				t.Errorf("the calls by prompts are %+v, want %d", report.Prompts, c.calls)
			}
		})
	}
}

// TestUsageBesideAnError holds that a call which has failed counts with what it used, and that what came beside its error is no answer.
func TestUsageBesideAnError(t *testing.T) {
	var report graphgen.Report
	var ends []graphgen.Event
	model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		used := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: chat.Usage{Input: 3, Output: 2}}
		return used, &chat.ModelError{Kind: chat.Refused, Message: "no"}
	})
	m := &machine{model: chat.Fallback(chat.Priced(model, chat.Price{Input: 1e6})), node: &agentPrompt, options: []graphgen.RunOption{
		graphgen.WithReport(&report), graphgen.WithExchanges(), graphgen.WithObserver(func(e graphgen.Event) {
			if e.Kind == graphgen.ModelEnd {
				ends = append(ends, e)
			}
		}),
	}}
	if _, err := m.Run(t.Context(), "where?"); !chat.IsKind(err, chat.Refused) {
		t.Fatal(err)
	}
	if want := (chat.Usage{Input: 3, Output: 2, Cost: 3}); report.Usage != want || len(ends) != 1 || ends[0].Model().Usage != want {
		t.Errorf("the report has %+v, the events are %+v; want %+v", report.Usage, ends, want)
	}
	if received := ends[0].Received(); received != nil {
		t.Errorf("an answer was received: %+v", received)
	}
}

func TestModelEvents(t *testing.T) { synctest.Test(t, modelEvents) }

func modelEvents(t *testing.T) {
	n := agentPrompt
	n.Model = "large"
	var start, end graphgen.Event
	model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		time.Sleep(time.Second)
		return &chat.Response{Model: "large-1", ID: "7", Finish: chat.Stop, Usage: chat.Usage{Input: 3, Output: -1}, Message: chat.Message{Text: "done"}}, nil
	})
	m := &machine{model: model, node: &n, options: []graphgen.RunOption{graphgen.WithRunID("r"), graphgen.WithObserver(func(e graphgen.Event) {
		switch e.Kind {
		case graphgen.ModelStart:
			start = e
		case graphgen.ModelEnd:
			end = e
		}
	})}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	if got := start.Model(); got != (graphgen.ModelEvent{Call: 1, Name: "large", Purpose: chat.Answer, Attempt: 1}) {
		t.Errorf("the start is %+v", got)
	}
	if start.Node != "agent" || start.Step != 1 || start.Run.ID != "r" {
		t.Errorf("the start is %+v", start)
	}
	if end.Time.Sub(start.Time) != time.Second {
		t.Errorf("the call is from %v to %v", start.Time, end.Time)
	}
	want := graphgen.ModelEvent{
		Call: 1, Name: "large-1", ID: "7", Purpose: chat.Answer, Attempt: 1, Usage: chat.Usage{Input: 3}, Finish: chat.Stop, Latency: time.Second,
	}
	if got := end.Model(); got != want {
		t.Errorf("the end is %+v", got)
	}
}

func TestBudgetCountsRetries(t *testing.T) {
	var events []graphgen.Event
	var report graphgen.Report
	m := &machine{model: chat.Retry(fails("a", 9), chat.Backoff{Wait: 1, Attempts: 9}), node: &agentPrompt, options: []graphgen.RunOption{
		graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 2}), graphgen.WithReport(&report),
		graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) }),
	}}
	_, err := m.Run(t.Context(), "where?")
	if !engine.IsOverBudget(errors.Unwrap(errors.Unwrap(err))) || report.Reason != graphgen.Budget || report.ModelCalls != 2 {
		t.Errorf("the run gave %v, with the reason %s after %d calls", err, report.Reason, report.ModelCalls)
	}
	if got := wireText(events); got != "1:1 failed, 2:2 failed" {
		t.Errorf("the calls are %s", got)
	}
}

// traced is a model around another one that notes when it is called, and passes on a context.
func traced(name string, log *[]string) graphgen.Option {
	return graphgen.WithModelWrapper(func(next chat.Model) chat.Model {
		return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			outer, _ := ctx.Value(tracedKey{}).(string)
			*log = append(*log, outer+name)
			defer func() { *log = append(*log, "/"+name) }()
			return next.Generate(context.WithValue(ctx, tracedKey{}, outer+name+">"), req, stream)
		})
	})
}

type tracedKey struct{}

func TestAroundModels(t *testing.T) {
	var log []string
	calls := 0
	model := chat.ModelFunc(func(ctx context.Context, _ *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		log = append(log, ctx.Value(tracedKey{}).(string)+graphgen.Info(ctx).Node)
		if calls++; calls == 1 {
			return nil, &chat.ModelError{Kind: chat.Unreachable, Err: errors.New("down")}
		}
		return &chat.Response{Message: chat.Message{Text: "done"}}, nil
	})
	m := &machine{model: chat.Retry(model, chat.Backoff{Wait: 1}), node: &agentPrompt, options: []graphgen.RunOption{traced("a", &log), traced("b", &log)}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "a>b", "a>b>agent", "a>b>agent", "/b", "/a"}; !slices.Equal(log, want) {
		t.Errorf("the calls are %q, want %q", log, want)
	}
}

func TestAnswerOfAWrapper(t *testing.T) {
	var report graphgen.Report
	answers := func(resp *chat.Response) graphgen.Option {
		return graphgen.WithModelWrapper(func(chat.Model) chat.Model {
			return chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { return resp, nil })
		})
	}
	m := &machine{model: fails("a", 9), node: &agentPrompt, options: []graphgen.RunOption{
		graphgen.WithReport(&report), answers(&chat.Response{Message: chat.Message{Text: "kept"}, Usage: chat.Usage{Input: 5}}),
	}}
	if out, err := m.Run(t.Context(), "where?"); out != "kept" || err != nil || report.ModelCalls != 0 || report.Usage != (chat.Usage{}) {
		t.Errorf("the run gave %q and %v, with %d calls and %+v", out, err, report.ModelCalls, report.Usage)
	}
}

// TestAbandonedCall holds that a call which a wrapper does not wait for is counted, and that what it does
// later is not.
func TestAbandonedCall(t *testing.T) {
	release, done := make(chan bool), make(chan bool)
	slow := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		<-release
		return nil, &chat.ModelError{Kind: chat.Unreachable, Err: errors.New("late")}
	})
	hasty := graphgen.WithModelWrapper(func(next chat.Model) chat.Model {
		return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			began := make(chan bool)
			go func() {
				defer close(done)
				close(began)
				_, _ = next.Generate(ctx, req, func(chat.Delta) {})
			}()
			<-began
			synctest.Wait()
			return &chat.Response{Message: chat.Message{Text: "at once"}}, nil
		})
	})
	synctest.Test(t, func(t *testing.T) {
		release, done = make(chan bool), make(chan bool)
		var report graphgen.Report
		var events []graphgen.Event
		m := &machine{model: chat.Retry(slow, chat.Backoff{Wait: 1}), node: &agentPrompt, options: []graphgen.RunOption{
			graphgen.WithReport(&report), hasty, graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) }),
		}}
		out, err := m.Run(t.Context(), "where?")
		close(release)
		<-done
		if got := wireText(events); out != "at once" || err != nil || report.ModelCalls != 1 || got != "1:1 " {
			t.Errorf("the run gave %q and %v, with %d calls: %s", out, err, report.ModelCalls, got)
		}
	})
}

// TestLateCalls holds that what an answered model calls and sends while a later answer of the run is under way
// is neither counted nor passed on.
func TestLateCalls(t *testing.T) {
	const answers = 25 // more than the lines that are allocated together
	var before context.Context
	var send func(chat.Delta)
	calls := 0
	late := func() {
		if before == nil {
			return
		}
		for range 2 {
			_, _ = before.Value(chat.CallerKey{}).(chat.Caller).Call(before, fails("late", 0), &chat.Request{}, nil)
			send(chat.Delta{Text: "late"})
		}
	}
	model := chat.ModelFunc(func(ctx context.Context, _ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		late()
		before, send = ctx, stream
		stream(chat.Delta{Text: "."})
		resp := &chat.Response{Usage: chat.Usage{Input: 1}, Message: chat.Message{Text: "done"}}
		if calls++; calls < answers {
			resp.Message.Calls = []chat.ToolCall{{ID: "1", Name: "search", Arguments: `{"query":"otters"}`}}
		}
		return resp, nil
	})
	var report graphgen.Report
	tokens, ends := "", 0
	m := &machine{model: model, node: &agentPrompt, options: []graphgen.RunOption{
		graphgen.WithReport(&report), graphgen.WithObserver(func(e graphgen.Event) {
			switch e.Kind {
			case graphgen.Token:
				tokens += e.Token().Text
			case graphgen.ModelEnd:
				ends++
			}
		}),
	}}
	if _, err := m.Run(t.Context(), "where?"); err != nil {
		t.Fatal(err)
	}
	late()
	if report.ModelCalls != answers || report.Usage.Input != answers || ends != answers {
		t.Errorf("there are %d calls with %d tokens, and %d events, want %d each", report.ModelCalls, report.Usage.Input, ends, answers)
	}
	if want := strings.Repeat(".", answers); tokens != want {
		t.Errorf("the pieces are %q, want %q", tokens, want)
	}
}
