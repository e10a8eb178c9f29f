package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/hooks"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// A toolThread is a thread which has saved the result of the first call of a turn, or nothing.
type toolThread struct {
	engine.Threaded
	unused
	options []graphgen.Option
	saved   bool
}

// unused has the methods of a thread that are not called.
type unused struct{ engine.Thread }

func (t *toolThread) Name() string                   { return "t" }
func (t *toolThread) LastCall() int                  { return 0 }
func (t *toolThread) Observer() func(graphgen.Event) { return nil }
func (t *toolThread) Applied() *engine.Applied {
	return engine.Apply(new(engine.Options), t.options)
}
func (t *toolThread) Sets(*optionset.Settings)                 {}
func (t *toolThread) Stopping() bool                           { return false }
func (t *toolThread) Stopper() *graphgen.Stopper               { return new(graphgen.Stopper) }
func (t *toolThread) Step(*engine.Run, engine.Boundary) error  { return nil }
func (t *toolThread) Adopt(*engine.Run) (bool, error)          { return false, nil }
func (t *toolThread) Ended(_ *engine.Run, err error) error     { return err }
func (t *toolThread) SavedTool(_ *engine.Run, number int) bool { return t.saved && number == 0 }

func (t *toolThread) Tool(_ context.Context, _ *engine.Run, _ int, call func() (chat.ToolResult, error)) (chat.ToolResult, error) {
	if t.saved {
		return chat.ToolResult{Text: "saved"}, nil
	}
	return call()
}

// A query is the arguments of a tool.
type query string

func (q query) EncodeJSON(e *codec.Encoder) {
	if e.Begin() {
		codec.WriteString(string(q), e.Name("query"))
		e.End()
	}
}

// callNode is the loop of a machine whose node calls its tool.
func (m *machine) callNode(ctx context.Context, r *run) {
	for r.At != engine.End {
		if err := pipeline.CallText(ctx, &r.Run, &r.conversation, &agentPrompt, m, query("otters"), &r.state.Answer); err != nil {
			r.Fail(err)
			continue
		}
		r.SlowStep(engine.Terminal, engine.End)
	}
}

// TestSavedCallOfToolNode holds that a tool node whose result is saved needs nothing of a budget that runs share, which has counted the call.
func TestSavedCallOfToolNode(t *testing.T) {
	for _, c := range []struct {
		saved  bool
		used   int
		answer string // empty: the budget is spent
	}{{true, 1, "saved"}, {false, 1, ""}, {false, 0, "found otters"}} {
		budget := hooks.NewBudget(graphgen.Budgets{ToolCalls: 1})
		budget.Count(graphgen.Budgets{ToolCalls: c.used})
		thread := engine.Thread(&toolThread{options: []graphgen.Option{budget.Option()}, saved: c.saved})
		m, r := &machine{}, &run{}
		r.Start(t.Context(), &graph, &engine.Frame{Counters: r.counters[:], Viewer: r}, nil,
			[]graphgen.RunOption{optionset.Option(func(s *optionset.Settings) { s.Thread = origin.To(thread) })})
		engine.Drive(m, r, &r.Run, (*machine).callNode)
		answer, err := engine.Finish(&r.Run, r.state.Answer)
		if spent, _ := errors.AsType[*graphgen.LimitError](err); answer != c.answer || (spent != nil) != (c.answer == "") || budget.Used().ToolCalls != 1 {
			t.Errorf("saved %v, %d used: %q, %v, %+v are used", c.saved, c.used, answer, err, budget.Used())
		}
	}
}

// A desk is a machine whose node calls a tool that the caller of the machine runs.
type desk struct {
	machine
	unfit error // of the arguments
}

func (d *desk) ToolArguments(*chat.ToolCall) (any, error) { return nil, d.unfit }
func (d *desk) ToolReturns(string) string                 { return "{}" }

func (d *desk) ToolResult(_ string, result []byte) (chat.ToolResult, error) {
	return chat.ToolResult{Text: string(result)}, nil
}

// run begins a run with options, and returns its error.
func (d *desk) run(ctx context.Context, options ...graphgen.RunOption) error {
	return d.runOf(ctx, &graph, options...)
}

// runOf is run of a graph.
func (d *desk) runOf(ctx context.Context, graph *engine.Graph, options ...graphgen.RunOption) error {
	n := agentPrompt
	n.Tools, n.Holder = []pipeline.Tool{{Name: "search", Client: true}}, &pipeline.CallHolder
	r := &run{}
	r.Start(ctx, graph, &engine.Frame{Counters: r.counters[:], Viewer: r}, nil, options)
	engine.Drive(d, r, &r.Run, func(d *desk, ctx context.Context, r *run) {
		for r.At != engine.End {
			if err := pipeline.CallText(ctx, &r.Run, &r.conversation, &n, d, query("otters"), &r.state.Answer); err != nil {
				r.Fail(err)
				continue
			}
			r.SlowStep(engine.Terminal, engine.End)
		}
	})
	_, err := engine.FinishBy(&r.Run, d, r.state.Answer)
	return err
}

// TestClientCallLeavesBudget holds that a tool node which waits for its result, or whose arguments do not fit, keeps nothing of a budget that runs share.
func TestClientCallLeavesBudget(t *testing.T) {
	unfit := errors.New("unfit")
	for name, c := range map[string]struct {
		unfit error
		ends  func(error) bool
	}{
		"a call that waits":         {nil, func(err error) bool { return graphgen.AsPause(err) != nil }},
		"arguments that do not fit": {unfit, func(err error) bool { return errors.Is(err, unfit) }},
	} {
		budget := hooks.NewBudget(graphgen.Budgets{ToolCalls: 1})
		for n := range 3 {
			if err := (&desk{unfit: c.unfit}).run(t.Context(), budget.Option()); !c.ends(err) {
				t.Errorf("%s: run %d ends with %v", name, n+1, err)
			}
		}
		budget.Count(graphgen.Budgets{ToolCalls: 1})
		err := (&desk{unfit: c.unfit}).run(t.Context(), budget.Option())
		if _, spent := errors.AsType[*graphgen.LimitError](err); !spent {
			t.Errorf("%s: where the budget is spent, a run ends with %v", name, err)
		}
	}
}

// A replayThread is a thread that replays its run until a request has its answer.
type replayThread struct {
	toolThread
	answered bool
}

func (t *replayThread) Replays() bool                  { return !t.answered }
func (t *replayThread) Asks(*graphgen.Request)         {}
func (t *replayThread) Decided(string) *engine.Decided { return nil }

func (t *replayThread) Answered(string, engine.Decided) error {
	t.answered = true
	return nil
}

// TestAnAnswerNeedsPrices holds that a replay needs no price of the models that a graph with a budget of money names, and that an answer is refused,
// and the thread waits as before, where the call that gives it leads to a model without one.
func TestAnAnswerNeedsPrices(t *testing.T) {
	plain := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return nil, errors.New("asked")
	})
	paid := &engine.Graph{Name: graph.Name, MaxSteps: graph.MaxSteps, Nodes: graph.Nodes, Transitions: graph.Transitions, Models: []engine.ModelUse{{}}}
	for name, c := range map[string]struct {
		options []graphgen.ResumeOption
		refused bool
	}{
		"no model":            {nil, true},
		"one without a price": {[]graphgen.ResumeOption{graphgen.WithModel(plain)}, true},
		"one with a price":    {[]graphgen.ResumeOption{graphgen.WithModel(chat.Priced(plain, chat.Price{}))}, false},
	} {
		d, kept := &desk{}, &replayThread{toolThread: toolThread{options: []graphgen.Option{graphgen.WithBudgets(graphgen.Budgets{Cost: 1})}}}
		err := d.runOf(t.Context(), paid, optionset.Option(func(s *optionset.Settings) { s.Thread = origin.To(engine.Thread(kept)) }))
		p := graphgen.AsPause(err)
		if p == nil {
			t.Fatal("the run does not wait: ", err)
		}
		_, err = engine.Resume[run](t.Context(), p, d, graphgen.AnswerJSON[desk](p.Requests[0].ID, []byte(`{"result":"found"}`)), c.options)
		not, _ := errors.AsType[*graphgen.ResumeError](err)
		spent, _ := errors.AsType[*graphgen.LimitError](err)
		if refused := not != nil && spent != nil && spent.Unpriced != ""; refused != c.refused || !refused && err != nil || kept.answered == c.refused {
			t.Errorf("%s: %v, answered %t", name, err, kept.answered)
		}
	}
}

// TestForeignTextOfToolNode holds that a tool node writes a text that is not UTF-8 as one that is: the state can be saved.
func TestForeignTextOfToolNode(t *testing.T) {
	m, r := &machine{search: func(context.Context, string) (string, error) { return "caf\xe9", nil }}, &run{}
	r.Start(t.Context(), &graph, &engine.Frame{Counters: r.counters[:], Viewer: r}, nil, nil)
	engine.Drive(m, r, &r.Run, (*machine).callNode)
	if answer, err := engine.Finish(&r.Run, r.state.Answer); err != nil || answer != "caf\ufffd" {
		t.Errorf("the node writes %q: %v", answer, err)
	}
}
