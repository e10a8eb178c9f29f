package temporal_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/hooks"
)

// A line is a model whose first calls fail, and which counts the calls that go over the wire.
type line struct {
	of    chat.Model
	fails int

	mu    sync.Mutex
	calls int
}

// Generate implements chat.Model.
func (l *line) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls++; l.calls <= l.fails {
		return &chat.Response{Usage: chat.Usage{Input: 3}, Model: "small"}, &chat.ModelError{Kind: chat.Unreachable, Message: fmt.Sprint("call ", l.calls)}
	}
	resp, err := l.of.Generate(ctx, req, stream)
	if err == nil {
		said := *resp
		said.Usage, said.Model = chat.Usage{Input: 10, Output: l.calls}, "large"
		resp = &said
	}
	return resp, err
}

// asked is what a run has of the calls of its models.
type asked struct {
	mu     sync.Mutex
	events []string
	end    string
}

func (a *asked) observe(e graphgen.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e.Kind {
	case graphgen.ModelStart, graphgen.ModelEnd:
		m := e.Model()
		a.events = append(a.events, fmt.Sprint(e.Kind, " ", e.Node, " ", m.Call, " ", m.Attempt, " ", m.Name, " ", m.Usage.Tokens(), " ", e.Err))
	case graphgen.RunEnd:
		if e.Run.Within == "" && e.Run.Branch == "" {
			r := e.Report()
			a.end = fmt.Sprint(r.ModelCalls, " calls, ", r.Usage.Tokens(), " tokens, ", r.Reason, ": ", e.Err)
		}
	}
}

// same compares what a workflow has with what the run in this process has.
func (a *asked) same(t *testing.T, here *asked) {
	t.Helper()
	if a.end != here.end {
		t.Errorf("it ends with %s\nand here with %s", a.end, here.end)
	}
	if !slices.Equal(a.events, here.events) {
		t.Errorf("its calls are\n%s\nand here\n%s", strings.Join(a.events, "\n"), strings.Join(here.events, "\n"))
	}
}

// dropping is a model that returns nothing beside an error of the other one.
func dropping(of chat.Model) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		resp, err := of.Generate(ctx, req, stream)
		if err != nil {
			return nil, err
		}
		return resp, nil
	})
}

// checked is a model that takes no answer of the other one.
func checked(of chat.Model) chat.Model {
	return dropping(chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		if resp, err := of.Generate(ctx, req, stream); err != nil {
			return resp, err
		}
		return nil, &chat.ModelError{Kind: chat.Malformed, Message: "checked"}
	}))
}

// roleless is a model whose answers have no role.
func roleless(of chat.Model) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		resp, err := of.Generate(ctx, req, stream)
		if err == nil {
			said := *resp
			said.Message.Role = 0
			resp = &said
		}
		return resp, err
	})
}

// TestRepeatedCalls holds that each call which chat.Retry and chat.Fallback repeat counts, is within the budgets of the run, and is seen by observers, as
// in this process.
func TestRepeatedCalls(t *testing.T) {
	retry := func(m chat.Model) chat.Model { return chat.Retry(m, chat.Backoff{Attempts: 4, Wait: 1}) }
	fallback := func(m chat.Model) chat.Model {
		down := &line{fails: 100}
		return chat.Fallback(chat.Retry(down, chat.Backoff{Attempts: 2, Wait: 1}), m)
	}
	priced := func(m chat.Model) chat.Model { return chat.Priced(m, chat.Price{}) }
	for name, row := range map[string]struct {
		around func(chat.Model) chat.Model
		fails  int
		budget graphgen.Budgets
	}{
		"no failure":                  {around: retry},
		"two failures":                {around: retry, fails: 2},
		"failures alone":              {around: retry, fails: 4},
		"another model":               {around: fallback, fails: 0},
		"no model answers":            {around: fallback, fails: 1},
		"a budget that is enough":     {around: retry, fails: 2, budget: graphgen.Budgets{ModelCalls: 4}},
		"a budget of calls":           {around: retry, fails: 3, budget: graphgen.Budgets{ModelCalls: 2}},
		"a budget of tokens":          {around: retry, fails: 3, budget: graphgen.Budgets{Tokens: 5}},
		"a budget for the first turn": {around: retry, fails: 2, budget: graphgen.Budgets{ModelCalls: 3}},
		"a budget without an end":     {around: priced, budget: graphgen.Budgets{Cost: math.Inf(1)}},
		"an answer that is not taken": {around: func(m chat.Model) chat.Model { return checked(retry(m)) }},
		"a later one that is not":     {around: func(m chat.Model) chat.Model { return checked(retry(m)) }, fails: 2},
		"another model after it":      {around: func(m chat.Model) chat.Model { return chat.Fallback(checked(retry(m)), m) }},
		"an error alone": {fails: 1, around: func(m chat.Model) chat.Model {
			return dropping(chat.Retry(m, chat.Backoff{Attempts: 1}))
		}},
		"an error of a model":          {around: func(m chat.Model) chat.Model { return m }, fails: 1},
		"an answer without a role":     {around: roleless},
		"later answers without a role": {around: func(m chat.Model) chat.Model { return roleless(retry(m)) }, fails: 2},
	} {
		t.Run(name, func(t *testing.T) {
			var here, there asked
			opts := func(a *asked) graphgen.Option {
				return graphgen.Options(graphgen.WithObserver(a.observe), graphgen.WithBudgets(row.budget))
			}
			in, near := temporaltest.InquiryInput{Message: "a dent"}, &line{of: talkTwice(), fails: row.fails}
			m, err := temporaltest.NewInquiry(new(inspector), new(inspector), row.around(near), opts(&here))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = m.Run(t.Context(), in) // its error is in the event
			far := &line{of: talkTwice(), fails: row.fails}
			g, err := temporaltest.NewInquiryTemporal(new(inspector), new(inspector), row.around(far), temporal.WithRuns(opts(&there)))
			if err != nil {
				t.Fatal(err)
			}
			env := newEnvironment()
			g.Register(env)
			env.ExecuteWorkflow(g.Name(), in)
			there.same(t, &here)
			if near.calls != far.calls {
				t.Errorf("%d calls go over the wire, and here %d", far.calls, near.calls)
			}
		})
	}
}

// TestRepeatedCallsOfChild holds that calls of a child workflow which chat.Retry repeats are within the budget of its parent.
func TestRepeatedCallsOfChild(t *testing.T) {
	retry := func() (*line, chat.Model) {
		l := &line{of: chat.ModelFunc(temporaltest.Inviter), fails: 3}
		return l, chat.Retry(l, chat.Backoff{Attempts: 4, Wait: 1})
	}
	opts := func(a *asked) graphgen.Option {
		return graphgen.Options(graphgen.WithObserver(a.observe), graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 2}))
	}
	var here, there asked
	near, model := retry()
	reason, err := temporaltest.NewReason(model)
	if err != nil {
		t.Fatal(err)
	}
	vote, err := temporaltest.NewVote(new(pollster).handlers(), model, reason)
	if err != nil {
		t.Fatal(err)
	}
	m, err := temporaltest.NewBallot(vote, opts(&here))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = m.Run(t.Context(), ballotInput(1)) // its error is in the event
	far, model := retry()
	distantReason, err := temporaltest.NewReasonTemporal(model)
	if err != nil {
		t.Fatal(err)
	}
	distantVote, err := temporaltest.NewVoteTemporal(new(pollster).handlers(), model, distantReason)
	if err != nil {
		t.Fatal(err)
	}
	g, err := temporaltest.NewBallotTemporal(distantVote, temporal.WithRuns(opts(&there)))
	if err != nil {
		t.Fatal(err)
	}
	env := newEnvironment()
	g.Register(env)
	env.ExecuteWorkflow(g.Name(), ballotInput(1))
	there.same(t, &here)
	if near.calls != 2 || far.calls != 2 {
		t.Errorf("%d calls go over the wire, and here %d", far.calls, near.calls)
	}
}

// TestRepeatedCallsOfBranches holds that all calls count which branches have made at the same time, where the budget of the run does not have them all.
func TestRepeatedCallsOfBranches(t *testing.T) {
	says := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "la"}, Finish: chat.Stop}, nil
	})
	lines := map[string]*line{"Sing.": {of: says, fails: 2}, "Hum.": {of: says, fails: 2}}
	var begun sync.WaitGroup
	begun.Add(2)
	model := chat.Retry(chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		l := lines[req.Messages[0].Text]
		resp, err := l.Generate(ctx, req, stream)
		if l.calls == 1 {
			begun.Done()
			begun.Wait()
		}
		return resp, err
	}), chat.Backoff{Attempts: 4, Wait: 1})
	var there asked
	budget := hooks.NewBudget(graphgen.Budgets{ModelCalls: 7})
	opts := graphgen.Options(graphgen.WithObserver(there.observe), graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 4}), budget.Option())
	g, err := temporaltest.NewDuetTemporal(model, temporal.WithRuns(opts))
	if err != nil {
		t.Fatal(err)
	}
	env := newEnvironment()
	g.Register(env)
	env.ExecuteWorkflow(g.Name(), temporaltest.DuetInput{})
	if n := lines["Sing."].calls + lines["Hum."].calls; n != 6 {
		t.Errorf("%d calls go over the wire", n)
	}
	if want := "6 calls, 38 tokens, budget: "; !strings.HasPrefix(there.end, want) {
		t.Errorf("it ends with %s\nand not with %s", there.end, want)
	}
	if used := budget.Used(); used.ModelCalls != 6 || used.Tokens != 38 {
		t.Errorf("the budget that runs share counts %+v", used)
	}
	m, err := temporaltest.NewDuet(says, budget.Option())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(t.Context(), temporaltest.DuetInput{}); err == nil || budget.Used().ModelCalls != 7 {
		t.Errorf("the budget that runs share counts %+v after a run that has one call left: %v", budget.Used(), err)
	}
	ends := 0
	for _, e := range there.events {
		if strings.HasPrefix(e, "model_end ") {
			ends++
		}
	}
	if ends != 6 {
		t.Errorf("its calls are\n%s", strings.Join(there.events, "\n"))
	}
}
