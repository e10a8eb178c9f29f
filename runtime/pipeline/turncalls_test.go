package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

func TestTurnCallLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		most  int // of the option; 0: there is none
		calls int
		made  int
		told  string // to the model, where the calls are refused
	}{
		{"as many as the default", 0, 1000, 1000, ""},
		{"one more", 0, 1001, 0, "The answer calls 1001 tools at once. Answer again, with 1000 calls at most."},
		{"a million", 0, 1_000_000, 0, "The answer calls 1000000 tools at once. Answer again, with 1000 calls at most."},
		{"a lower bound", 2, 3, 0, "The answer calls 3 tools at once. Answer again, with 2 calls at most."},
		{"a higher bound", 2000, 2000, 2000, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := []graphgen.RunOption{graphgen.WithBudgets(graphgen.Budgets{ToolCalls: 2000})}
			if c.most > 0 {
				options = append(options, graphgen.WithTurnCalls(c.most))
			}
			var report graphgen.Report
			model := &answers{turns: []chat.Message{calls(queries(c.calls)...), {Text: "done"}}}
			m := &machine{model: model, node: &agentPrompt, options: append(options, graphgen.WithReport(&report))}
			if _, err := m.Run(t.Context(), "where?"); err != nil {
				t.Fatalf("%.300v", err)
			}
			last := model.sent[1][len(model.sent[1])-1]
			if report.Tools.Made != c.made || c.told != "" && last.Text != c.told {
				t.Errorf("%d calls were made, want %d; the model was told %.300q", report.Tools.Made, c.made, last.Text)
			}
		})
	}
	t.Run("again and again", func(t *testing.T) {
		crowd := calls(queries(1001)...)
		m := &machine{model: &answers{turns: []chat.Message{crowd, crowd, crowd}}, node: &agentPrompt}
		_, err := m.Run(t.Context(), "where?")
		wrong, ok := errors.AsType[*chat.ModelError](err)
		if !ok || wrong.Kind != chat.Malformed || wrong.Message != "the answer calls 1001 tools at once, more than 1000" {
			t.Errorf("the run gave %.300v", err)
		}
	})
	t.Run("calls that are left to another node", func(t *testing.T) {
		model := &answers{turns: []chat.Message{calls(queries(1001)...), calls(queries(1)...)}}
		s := on(t, model)
		var d pipeline.Transcript
		if err := s.turn(&d, deferring("a", "search"), "where?"); err != nil || !d.Called() || len(model.sent) != 2 {
			t.Errorf("the turn gave %v after %d requests", err, len(model.sent))
		}
	})
}

func TestCallsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		model := &answers{turns: []chat.Message{calls(queries(1000)...), {Text: "done"}}}
		s := on(t, model)
		s.tools.search = func(context.Context, string) (string, error) { // it does not look at its context
			made.Add(1)
			time.Sleep(time.Second)
			return "found", nil
		}
		var d pipeline.Transcript
		began := time.Now()
		err := s.Execute(s.Context(), engine.Policy{Timeout: 2500 * time.Millisecond}, func(ctx context.Context) error {
			return s.attempt(ctx, &d, &agentPrompt, "where?")
		})
		if late, ok := errors.AsType[*graphgen.LimitError](err); !ok || late.Limit != graphgen.LimitTimeout || late.Of != "node" {
			t.Errorf("the turn gave %v", err)
		}
		if took := time.Since(began); took != 3*time.Second || made.Load() != 24 {
			t.Errorf("%d calls were made in %s, want 24 in 3s: those that had begun", made.Load(), took)
		}
		if report := s.Report(); report.Tools.Made != 24 {
			t.Errorf("the report counts %+v", report.Tools)
		}
	})
	t.Run("before the first", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the user has left")
		model := &answers{turns: []chat.Message{calls(queries(1)...)}}
		s := on(t, chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			defer cancel(gone)
			return model.Generate(ctx, req, stream)
		}))
		s.tools.search = func(context.Context, string) (string, error) {
			t.Error("a tool was called")
			return "", nil
		}
		var d pipeline.Transcript
		if err := s.attempt(ctx, &d, &agentPrompt, "where?"); !errors.Is(err, gone) {
			t.Errorf("the turn gave %v", err)
		}
	})
}

func TestALedgerNamesWhoSpoke(t *testing.T) {
	model := &answers{turns: []chat.Message{{Text: "one"}, {Text: "two"}, {Text: "three"}, {Text: "four"}}}
	s := on(t, model)
	for _, name := range []string{"a", "b", "a"} {
		var d pipeline.Transcript
		if err := s.turn(&d, plain(name), "q"); err != nil {
			t.Fatal(err)
		}
		s.step()
	}
	n := plain("last")
	n.Scope = pipeline.Ledger
	var d pipeline.Transcript
	if err := s.turn(&d, n, "q"); err != nil {
		t.Fatal(err)
	}
	if got := model.sent[3][0].Text; !strings.HasSuffix(got, "- a: one\n- b: two\n- a: three") {
		t.Errorf("the ledger is %q", got)
	}
}
