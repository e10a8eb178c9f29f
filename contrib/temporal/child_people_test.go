package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
)

// A pollster counts the effects of the graph vote.
type pollster struct {
	effects
	fails func(ctx context.Context, name string) error
}

func (p *pollster) handlers() *temporaltest.Pollster {
	return &temporaltest.Pollster{Note: p.happens, Fails: p.fails}
}

// ballotInput is the input with some voters.
func ballotInput(names int) temporaltest.BallotInput {
	return temporaltest.BallotInput{Names: []string{"Ann", "Bob", "Cem"}[:names]}
}

// voted are answers to the requests of a ballot, in the order in which they are given.
var voted = []temporal.Answer{
	{Request: "1/vote.1/consent.1", Answer: raw(`"deny"`), By: "Bob", Note: "in writing"},
	{Request: "0/vote.1/consent.1", Answer: raw(`"approve"`)},
	{Request: "1/own/vote.1/reason.1/ask.1", Answer: raw(`{"why":"no","weight":3}`)},
	{Request: "2/vote.1/consent.1", Answer: raw(`"approve"`)},
	{Request: "1/other/vote.1/reason.1/witness.1", Answer: raw(`"nothing"`), Note: "by phone"},
	{Request: "1/vote.1/reason.1/check.1", Answer: raw(`"approve"`)},
	{Request: "lead.1", Answer: raw(`"fine"`)},
}

// A ballot is what came of a run of the graph ballot.
type ballot struct {
	out temporaltest.BallotOutput
	probed
	numbers []string // of events, with what they are about
	paused  []string // the reports of its pauses
}

func (b *ballot) observe(e graphgen.Event) {
	b.probed.observe(e)
	if e.Kind != graphgen.Token {
		b.numbers = append(b.numbers, fmt.Sprint(e.N, " ", e.Run.Within, " ", e.Kind, " ", e.Node))
	}
}

func (b *ballot) same(t *testing.T, of ballot) {
	t.Helper()
	b.probed.same(t, of.probed)
	if !slices.Equal(b.out.Votes, of.out.Votes) || b.out.Verdict != of.out.Verdict {
		t.Errorf("it gives %+v, and here %+v", b.out, of.out)
	}
}

// voteHere makes the run in this process, with no driver.
func voteHere(t *testing.T, names int, answers []temporal.Answer, h *pollster, opts ...graphgen.Option) (b ballot) {
	t.Helper()
	reason, err := temporaltest.NewReason(chat.ModelFunc(temporaltest.Inviter))
	if err != nil {
		t.Fatal(err)
	}
	vote, err := temporaltest.NewVote(h.handlers(), chat.ModelFunc(temporaltest.Inviter), reason)
	if err != nil {
		t.Fatal(err)
	}
	m, err := temporaltest.NewBallot(vote, opts...)
	if err != nil {
		t.Fatal(err)
	}
	observe := graphgen.WithObserver(b.observe)
	var report graphgen.Report
	b.out, err = m.Run(t.Context(), ballotInput(names), observe, graphgen.WithRunID("run"), graphgen.WithReport(&report))
	for _, a := range answers {
		b.paused = append(b.paused, calls(t, &report))
		p := graphgen.AsPause(err)
		if p == nil {
			t.Fatalf("%s: the run does not wait: %v", a.Request, err)
		}
		by := []graphgen.ResumeOption{observe, graphgen.WithReport(&report), graphgen.AnsweredBy(a.By), graphgen.AnswerNote(a.Note)}
		b.out, err = m.Resume(t.Context(), p, graphgen.AnswerJSON[temporaltest.Ballot](a.Request, a.Answer), by...)
	}
	if err != nil {
		b.err = err.Error()
	}
	b.keyed(&h.effects)
	return b
}

// calls are the calls of models of a report in JSON, and of those in it.
func calls(t *testing.T, report any) string {
	t.Helper()
	data, err := json.Marshal(report)
	var r struct {
		ModelCalls int `json:"model_calls"`
		Nested     []struct {
			Branch string
			Report json.RawMessage
		}
	}
	if err := errors.Join(err, json.Unmarshal(data, &r)); err != nil {
		t.Fatal(err)
	}
	text := strconv.Itoa(r.ModelCalls)
	for _, n := range r.Nested {
		text += " " + n.Branch + "(" + calls(t, n.Report) + ")"
	}
	return text
}

// pausedReports makes the run in workflows of a test environment, and returns the reports of its pauses.
func pausedReports(t *testing.T, answers []temporal.Answer) (paused []string) {
	t.Helper()
	env, g := newEnvironment(), ballotOf(t, new(pollster))
	g.Register(env)
	for i, a := range answers {
		at := time.Duration(i) * time.Minute
		env.RegisterDelayedCallback(func() {
			var report json.RawMessage
			v, err := env.QueryWorkflow(temporal.QueryReport)
			if err == nil {
				err = v.Get(&report)
			}
			if err != nil {
				t.Fatal(err)
			}
			paused = append(paused, calls(t, report))
		}, at+30*time.Second)
		send(env, at+time.Minute, "answer", a)
	}
	env.ExecuteWorkflow(g.Name(), ballotInput(3))
	if err := env.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	return paused
}

// ballotOf returns the graph as a workflow.
func ballotOf(t *testing.T, h *pollster, opts ...temporal.Option) *temporaltest.BallotTemporal {
	t.Helper()
	opts = append(opts, temporal.WithStore(temporal.Folder(t.TempDir()), 0))
	reason, err := temporaltest.NewReasonTemporal(chat.ModelFunc(temporaltest.Inviter), opts...)
	if err != nil {
		t.Fatal(err)
	}
	vote, err := temporaltest.NewVoteTemporal(h.handlers(), chat.ModelFunc(temporaltest.Inviter), reason, opts...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := temporaltest.NewBallotTemporal(vote, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// voteThere makes the run in workflows.
func voteThere(t *testing.T, names int, answers []temporal.Answer, h *pollster, lose func(string, int) bool) (
	b ballot, s *frontend.Server, g *temporaltest.BallotTemporal,
) {
	t.Helper()
	s = losing(t, lose)
	g = ballotOf(t, h, temporal.WithRuns(graphgen.WithObserver(func(e graphgen.Event) {
		h.mu.Lock()
		defer h.mu.Unlock()
		b.observe(e)
	})))
	defer works(t, s, g)()
	run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "ballot", TaskQueue: "payments"}, g.Name(), ballotInput(names))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		status := answered(t, s, "ballot", temporal.UpdateAnswer, a)
		if last := i == len(answers)-1; h.fails == nil && last != (status.Phase == temporal.Ended) || !last && len(status.Waiting) == 0 {
			t.Errorf("after %s it is %+v", a.Request, status)
		}
	}
	if err := run.Get(t.Context(), &b.out); err != nil {
		b.err = err.Error()
	}
	b.keyed(&h.effects)
	return b, s, g
}

// TestPeopleInChildWorkflows holds that a run is what it is here where its child workflows ask, and the child workflows of these: with the same
// requests, answers, events, report, keys of effects and output, whatever its workers lose.
func TestPeopleInChildWorkflows(t *testing.T) {
	here := voteHere(t, 3, voted, new(pollster))
	const votes = "Ann is invited, Ann votes, Bob is invited, Bob votes no (by Bob, in writing), Cem is invited, Cem votes"
	if strings.Join(here.out.Votes, ", ") != votes {
		t.Fatalf("it gives %+v, %s", here.out, here.err)
	}
	there, s, g := voteThere(t, 3, voted, new(pollster), nil)
	there.same(t, here)
	if paused := pausedReports(t, voted); !slices.Equal(paused, here.paused) {
		t.Errorf("the calls of models of its reports are\n%s\nand here\n%s", strings.Join(paused, "\n"), strings.Join(here.paused, "\n"))
	}
	alone, _, _ := voteThere(t, 1, []temporal.Answer{voted[1], voted[len(voted)-1]}, new(pollster), nil)
	if want := voteHere(t, 1, []temporal.Answer{voted[1], voted[len(voted)-1]}, new(pollster)); !slices.Equal(alone.numbers, want.numbers) {
		t.Errorf("its events are\n%s\nand here\n%s", strings.Join(alone.numbers, "\n"), strings.Join(want.numbers, "\n"))
	}
	children := s.Children()
	r := worker.NewWorkflowReplayer()
	g.RegisterWorkflow(r)
	children["ballot"] = s.History()
	for id, h := range children {
		o := worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: id}}
		if err := r.ReplayWorkflowHistoryWithOptions(silent, h, o); err != nil {
			t.Error(id, err)
		}
	}
	want := []string{"ballot", "ballot/0/2.vote", "ballot/1/2.vote", "ballot/1/2.vote/1/3.reason", "ballot/2/2.vote"}
	if ids := slices.Sorted(maps.Keys(children)); !slices.Equal(ids, want) {
		t.Errorf("the workflows are %q", ids)
	}
	for lost := range 3 {
		lossy, _, _ := voteThere(t, 3, voted, new(pollster), func(_ string, n int) bool { return n%3 == lost })
		if !slices.Equal(lossy.out.Votes, here.out.Votes) || lossy.out.Verdict != here.out.Verdict || lossy.err != "" {
			t.Errorf("with what its workers lose it gives %+v, %s", lossy.out, lossy.err)
		}
	}
}

// TestPeopleInChildWorkflowsHooked holds that hooks of the parent wrap the steps of child workflows that wait as they do here, also after a pause, and
// that their contexts have not ended.
func TestPeopleInChildWorkflowsHooked(t *testing.T) {
	hooked := func(list *[]string) graphgen.Option {
		var mu sync.Mutex // branches have goroutines here
		add := func(ctx context.Context, e *graphgen.Event) {
			mu.Lock()
			defer mu.Unlock()
			*list = append(*list, fmt.Sprint(e.Run.Within, "/", e.Run.Branch, " ", e.Kind, " ", e.Node, " ", ctx.Err()))
		}
		return graphgen.WithHook(graphgen.Hook{
			Name:   "list",
			Before: func(ctx context.Context, e graphgen.Event) error { add(ctx, &e); return nil },
			After:  func(ctx context.Context, e graphgen.Event) error { add(ctx, &e); return nil },
			Around: func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
				add(ctx, &e)
				return next(ctx)
			},
		})
	}
	var here, there []string
	voteHere(t, 3, voted, new(pollster), hooked(&here))
	env, g := newEnvironment(), ballotOf(t, new(pollster), temporal.WithRuns(hooked(&there)))
	g.Register(env)
	for i, a := range voted {
		send(env, time.Duration(i+1)*time.Minute, "answer", a)
	}
	env.ExecuteWorkflow(g.Name(), ballotInput(3))
	if err := env.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	slices.Sort(here)
	if slices.Sort(there); !slices.Equal(there, here) {
		t.Errorf("the hook wraps\n%s\nand here\n%s", strings.Join(there, "\n"), strings.Join(here, "\n"))
	}
}

// TestPeopleInChildWorkflowsBudget holds that a child workflow that continues knows what the runs around it have used of their budgets meanwhile.
func TestPeopleInChildWorkflowsBudget(t *testing.T) {
	budget := graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 3}) // for the invitations
	answers := []temporal.Answer{voted[0], voted[2], voted[4], voted[5]}
	here := voteHere(t, 3, answers, new(pollster), budget)
	env, g := newEnvironment(), ballotOf(t, new(pollster), temporal.WithRuns(budget))
	g.Register(env)
	for i, a := range answers {
		send(env, time.Duration(i+1)*time.Minute, "answer", a)
	}
	env.ExecuteWorkflow(g.Name(), ballotInput(3))
	e, ok := errors.AsType[*sdk.ApplicationError](env.GetWorkflowError())
	if !strings.Contains(here.err, "model calls") || !ok || e.Message() != here.err {
		t.Errorf("the workflow ends with %v, and here the run with %s", env.GetWorkflowError(), here.err)
	}
}

// TestPeopleInChildWorkflowsWithdrawn holds that child workflows which wait are cancelled where the run ends, by a failure or a stop, while another of
// its branches works.
func TestPeopleInChildWorkflowsWithdrawn(t *testing.T) {
	answers := []temporal.Answer{voted[0], voted[1]}
	sunk := func(context.Context, string) error { return errors.New("sunk") }
	here := voteHere(t, 3, answers, &pollster{fails: sunk})
	if !strings.Contains(here.err, "sunk") {
		t.Fatal(here.err)
	}
	there, s, _ := voteThere(t, 3, answers, &pollster{fails: sunk}, nil)
	there.endsAs(t, here, s)

	var stopper graphgen.Stopper
	here = voteHere(t, 3, answers, &pollster{fails: func(context.Context, string) error { stopper.Stop(); return nil }}, graphgen.WithStopper(&stopper))
	if !strings.Contains(here.err, "stop requested") {
		t.Fatal(here.err)
	}
	there, s, _ = voteThere(t, 3, answers, &pollster{fails: func(ctx context.Context, _ string) error {
		s := started.Load()
		if err := s.Client().SignalWorkflow(ctx, "ballot", "", temporal.SignalStop, nil); err != nil {
			return err
		}
		return s.Await(ctx, "ballot/0/2.vote", func(events []*history.HistoryEvent) bool {
			return slices.ContainsFunc(events, func(e *history.HistoryEvent) bool {
				return e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == temporal.SignalStop
			})
		})
	}}, nil)
	there.endsAs(t, here, s)
}

// endsAs holds that a run ends as the one here, and that the child workflows that waited have ended as cancelled. These do not know why.
func (b *ballot) endsAs(t *testing.T, here ballot, s *frontend.Server) {
	t.Helper()
	if !strings.Contains(b.err, here.err) || !slices.Equal(b.effects, here.effects) {
		t.Errorf("it ends with %s and the effects %q, and here %s and %q", b.err, b.effects, here.err, here.effects)
	}
	for _, id := range []string{"ballot/1/2.vote", "ballot/1/2.vote/1/3.reason", "ballot/2/2.vote"} {
		events := s.Children()[id].GetEvents()
		if last := events[len(events)-1]; last.EventType != enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED {
			t.Errorf("%s ends with %s", id, last.EventType)
		}
	}
}

// TestPeopleInChildWorkflowsEnded holds that the run learns that a child workflow has ended while it waited, without an answer.
func TestPeopleInChildWorkflowsEnded(t *testing.T) {
	for _, row := range []struct{ node, places string }{{"vote", "0/2.vote 1/2.vote 2/2.vote"}, {"vote.reason", "1/2.vote/1/3.reason"}} {
		env := newEnvironment()
		g := ballotOf(t, new(pollster), temporal.WithChild(row.node, workflow.ChildWorkflowOptions{WorkflowRunTimeout: 10 * time.Minute}))
		g.Register(env)
		send(env, time.Minute, "answer", voted[0])
		began := env.Now()
		env.ExecuteWorkflow(g.Name(), ballotInput(3))
		e, ok := errors.AsType[*sdk.ApplicationError](env.GetWorkflowError())
		if took := env.Now().Sub(began); !ok || e.Type() != "failed" || !strings.Contains(e.Error(), "deadline exceeded") || took > 15*time.Minute {
			t.Errorf("%s: the workflow ends with %v after %s", row.node, env.GetWorkflowError(), took)
		}
	}
}

// TestPeopleInChildWorkflowsRefused holds that an answer which does not fit a request of a child workflow is refused before it is in a history, and
// that the names of nodes lead to it.
func TestPeopleInChildWorkflowsRefused(t *testing.T) {
	env, g := newEnvironment(), ballotOf(t, new(pollster))
	g.Register(env)
	const bob = "1/own/vote.1/reason.1/ask.1"
	send(env, time.Minute, "answer", voted[0])
	refused := map[string]*update{
		"neither":                       send(env, 2*time.Minute, "answer", temporal.Answer{Request: "0/vote.1/consent.1", Answer: raw(`"perhaps"`)}),
		"neither approve":               send(env, 9*time.Minute, "answer", temporal.Answer{Request: "0/vote.1/consent.1", Answer: raw(`"\u0061pprove"`)}),
		"the pause has no request":      send(env, 3*time.Minute, "answer", voted[0]),
		"weight":                        send(env, 4*time.Minute, "answer", temporal.Answer{Request: bob, Answer: raw(`{"why":"no","weight":6}`)}),
		"why":                           send(env, 5*time.Minute, "answer.vote/reason/ask", temporal.Answer{Answer: raw(`{"weight":1}`)}),
		"several open requests":         send(env, 6*time.Minute, "answer.vote/consent", temporal.Answer{Answer: raw(`"approve"`)}),
		"has no request of that node":   send(env, 7*time.Minute, "answer.vote/consent", temporal.Answer{Request: bob, Answer: raw(`"approve"`)}),
		"no request of that node or ID": send(env, 8*time.Minute, "answer.vote/reason/check", temporal.Answer{Answer: raw(`"approve"`)}),
	}
	asked := send(env, 10*time.Minute, "answer.vote/reason/ask", temporal.Answer{Answer: raw(`{"why":"no","weight":5}`)})
	both := send(env, 10*time.Minute, "answer", voted[4]) // it waits until the run has taken the other one
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(temporal.SignalStop, nil) }, 20*time.Minute)
	env.ExecuteWorkflow(g.Name(), ballotInput(3))
	for why, u := range refused {
		e, ok := errors.AsType[*sdk.ApplicationError](u.err)
		if u.accepted || !ok || e.Type() != temporal.RefusalType || !strings.Contains(u.err.Error(), why) {
			t.Errorf("%s: it is refused with %v", why, u.err)
		}
	}
	const open = "[0/vote.1/consent.1 1/vote.1/reason.1/check.1 2/vote.1/consent.1]"
	if asked.err != nil || both.err != nil || fmt.Sprint(both.status.Waiting) != open {
		t.Errorf("after two answers at the same time it is %+v, %v, %v", both.status, asked.err, both.err)
	}
	if e, ok := errors.AsType[*sdk.ApplicationError](env.GetWorkflowError()); !ok || e.Type() != "stopped" {
		t.Errorf("the workflow ends with %v", env.GetWorkflowError())
	}
}

// TestPeopleInChildWorkflowsLate holds that the deadline of a request passes where its node is in a child workflow, that pauses do not count for the
// time limit of the node around it, and that child workflows say what they wait for.
func TestPeopleInChildWorkflowsLate(t *testing.T) {
	env, g := newEnvironment(), ballotOf(t, new(pollster))
	g.Register(env)
	send(env, 40*time.Minute, "answer", voted[0])
	for i, a := range []temporal.Answer{voted[2], voted[4], voted[5], voted[6]} {
		send(env, 90*time.Minute+time.Duration(i)*40*time.Minute, "answer", a)
	}
	var of temporal.Status
	var requests []graphgen.Request
	env.RegisterDelayedCallback(func() {
		v, err := env.QueryWorkflowByID("default-test-workflow-id/1/2.vote", temporal.QueryStatus)
		if err == nil {
			err = v.Get(&of)
		}
		if err == nil {
			v, err = env.QueryWorkflow(temporal.QueryRequests)
		}
		if err == nil {
			err = v.Get(&requests)
		}
		if err != nil {
			t.Error(err)
		}
	}, time.Minute)
	env.ExecuteWorkflow(g.Name(), ballotInput(3))
	var out json.RawMessage
	if err := errors.Join(env.GetWorkflowError(), env.GetWorkflowResult(&out)); err != nil {
		t.Fatal(err)
	}
	want := `{"votes":["Ann is invited","Ann is absent","Bob is invited","Bob votes no (by Bob, in writing)",` +
		`"Cem is invited","Cem is absent"],"verdict":"fine"}`
	if string(out) != want {
		t.Errorf("it gives %s", out)
	}
	if of.Phase != temporal.Waiting || of.Node != "consent" || fmt.Sprint(of.Waiting) != "[1/vote.1/consent.1]" {
		t.Errorf("the child workflow is %+v", of)
	}
	if len(requests) != 3 || requests[1].Question != "Does Bob agree?" || requests[1].Within != "vote" || requests[1].Deadline.IsZero() {
		t.Errorf("the requests are %+v", requests)
	}
}
