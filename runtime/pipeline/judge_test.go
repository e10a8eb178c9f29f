package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// A fork is what the compiler makes of a node whose two edges a model judges, by hand: both
// lead to the node after, the default too if there is one.
type fork struct {
	model     chat.Model
	byDefault bool
	soft      error // the failure of the node, which is fail_soft
}

type forkRun struct {
	engine.Run
	state    struct{}
	results  pipeline.Results
	counters [8]uint32
}

func (r *forkRun) View() any { return &r.state }

var forkGraph = engine.Graph{
	Name: "fork", File: "fork.graph.yaml", MaxSteps: 50,
	Nodes: []engine.NodeInfo{{Name: "end"}, {Name: "fork"}, {Name: "after"}},
	Transitions: []engine.TransitionInfo{
		{To: 1, Rule: graphgen.RuleEntry},
		{From: 1, To: 2, Rule: graphgen.RuleEdge, Text: "when it is good"},
		{From: 1, To: 2, Rule: graphgen.RuleEdge, Text: "when it is bad"},
		{From: 1, To: 2, Rule: graphgen.RuleEdge},
	},
}

func (m *fork) Run(ctx context.Context, options ...graphgen.RunOption) error {
	r := &forkRun{}
	r.Start(ctx, &forkGraph, &engine.Frame{Counters: r.counters[:], Viewer: r}, nil, options)
	engine.Drive(m, r, &r.Run, (*fork).loop)
	_, err := engine.Finish(&r.Run, struct{}{})
	return err
}

func (m *fork) loop(ctx context.Context, r *forkRun) {
	for r.At != engine.End {
		switch r.At {
		case 1:
			if m.soft != nil {
				r.FailSoftly(m.soft)
			}
			question := pipeline.Question{Default: m.byDefault}
			question.Offer(1, "it is good")
			question.Offer(2, "it is bad")
			switch way := pipeline.Judge(ctx, &r.Run, m.model, &r.results, &question); {
			case way < pipeline.NoAnswer:
				r.SlowStep(way, 2)
			case m.byDefault:
				r.SlowStep(3, 2)
			default:
				r.Fail(r.NoMatch())
			}
		case 2:
			r.SlowStep(engine.Terminal, engine.End)
		}
	}
}

// kinds are the names of events, in order.
func kinds(events []graphgen.Event) string {
	var names []string
	for _, e := range events {
		names = append(names, e.Kind.String())
	}
	return strings.Join(names, " ")
}

func TestJudgeOverBudget(t *testing.T) {
	for _, c := range []struct {
		name      string
		byDefault bool
	}{
		{"though there is a default to take", true},
		{"and not because no edge matched", false},
	} {
		for _, observed := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				var events []graphgen.Event
				var report graphgen.Report
				options := []graphgen.RunOption{graphgen.WithReport(&report), graphgen.WithBudgets(graphgen.Budgets{ModelCalls: -1})}
				if observed {
					options = append(options, graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) }))
				}
				err := (&fork{model: &answers{}, byDefault: c.byDefault}).Run(t.Context(), options...)
				var run *graphgen.RunError
				var spent *graphgen.LimitError
				if !errors.As(err, &run) || run.Reason != graphgen.Budget || !errors.As(err, &spent) {
					t.Errorf("the run gave %v", err)
				}
				if path := report.NodePath(); !slices.Equal(path, []string{"fork"}) || len(report.Failures) > 0 {
					t.Errorf("the path is %v, the failures are %v", path, report.Failures)
				}
				if want := "run_start route node_start node_end budget run_end"; observed && kinds(events) != want {
					t.Errorf("the events are %s, want %s", kinds(events), want)
				}
			})
		}
	}
}

func TestBudgetInSoftFailure(t *testing.T) {
	var after []graphgen.Event
	var events []graphgen.Event
	err := (&fork{model: &answers{}, byDefault: true, soft: &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 5, Used: 7}}).Run(t.Context(),
		graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) }),
		graphgen.WithHook(graphgen.Hook{Name: "after", After: func(_ context.Context, e graphgen.Event) error {
			after = append(after, e)
			return nil
		}}))
	var run *graphgen.RunError
	if !errors.As(err, &run) || run.Reason != graphgen.Budget {
		t.Errorf("the run gave %v", err)
	}
	if kinds(after) != "node_error" {
		t.Errorf("the hook after steps was told %s", kinds(after))
	}
	if want := "run_start route node_start node_error model_start model_end route_rejected budget run_end"; kinds(events) != want {
		t.Errorf("the events are %s, want %s", kinds(events), want)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name     string
		says     string
		way      int
		rejected int
	}{
		{"a choice", `{"choice":"2"}`, 2, 0},
		{"a choice in prose", "I would say:\n```json\n{\"choice\": \"1\"}\n```", 1, 0},
		{"none", `{"choice":"none"}`, 3, 0},
		{"an edge that there is not", `{"choice":"3"}`, 3, 1},
		{"a number", `{"choice":1}`, 3, 1},
		{"two choices", `{"choice":"1","choice":"2"}`, 3, 1},
		{"nothing", "", 3, 1},
		{"no JSON", "the first", 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var report graphgen.Report
			m := &fork{model: &answers{turns: []chat.Message{{Text: c.says}}}, byDefault: true}
			if err := m.Run(t.Context(), graphgen.WithReport(&report)); err != nil {
				t.Fatal(err)
			}
			for way := 1; way <= 3; way++ {
				if taken := report.Transitions[way].Count == 1; taken != (way == c.way) {
					t.Errorf("way %d was followed %d times, want way %d", way, report.Transitions[way].Count, c.way)
				}
			}
			if report.Rejected != c.rejected {
				t.Errorf("%d answers were rejected, want %d", report.Rejected, c.rejected)
			}
		})
	}
}

func TestJudgeFailure(t *testing.T) {
	for name, model := range map[string]chat.Model{
		"with an error": chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
			return nil, errors.New("no network")
		}),
		"with a panic":    chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { panic("nil map") }),
		"without a word":  chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { return nil, nil }),
		"with tool calls": &answers{turns: []chat.Message{calls(queries(2)...)}},
	} {
		t.Run(name, func(t *testing.T) {
			var report graphgen.Report
			err := (&fork{model: model, byDefault: true}).Run(t.Context(), graphgen.WithReport(&report))
			if err != nil || report.Transitions[3].Count != 1 || report.Rejected != 1 || report.ModelCalls != 1 {
				t.Errorf("the run gave %v; the default was followed %d times, %d answers were rejected, %d calls counted", err,
					report.Transitions[3].Count, report.Rejected, report.ModelCalls)
			}
		})
	}
}
