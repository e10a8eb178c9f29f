package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
)

// clerk are the handlers: they pay.
type clerk struct {
	paid, checked []string // keys
	fails         func(node string) error
}

func (c *clerk) fail(node string) error {
	if c.fails == nil {
		return nil
	}
	return c.fails(node)
}

func (c *clerk) Prepare(context.Context, temporaltest.ApprovalPrepareIn) (temporaltest.ApprovalPrepareOut, error) {
	return temporaltest.ApprovalPrepareOut{Rounds: 1}, c.fail("prepare")
}
func (c *clerk) Check(ctx context.Context, _ temporaltest.ApprovalCheckIn) error {
	c.checked = append(c.checked, graphgen.IdempotencyKey(ctx))
	return c.fail("check")
}
func (c *clerk) Pay(ctx context.Context, in temporaltest.ApprovalPayIn) error {
	c.paid = append(c.paid, fmt.Sprintf("%s %g %s", graphgen.IdempotencyKey(ctx), in.Amount, graphgen.Info(ctx).Node))
	return c.fail("pay")
}
func (c *clerk) Settle(context.Context, temporaltest.ApprovalSettleIn) (temporaltest.ApprovalSettleOut, error) {
	return temporaltest.ApprovalSettleOut{Reason: "paid"}, c.fail("settle")
}
func (c *clerk) Apologize(context.Context) (temporaltest.ApprovalApologizeOut, error) {
	return temporaltest.ApprovalApologizeOut{Reason: "sorry"}, c.fail("apologize")
}

// environment returns a test environment of Temporal with the graph.
func environment(t *testing.T, c *clerk, opts ...temporal.Option) (*testsuite.TestWorkflowEnvironment, *temporaltest.ApprovalTemporal) {
	t.Helper()
	g, err := temporaltest.NewApprovalTemporal(c, opts...)
	if err != nil {
		t.Fatal(err)
	}
	env := newEnvironment()
	g.Register(env)
	return env, g
}

func newEnvironment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	return suite.NewTestWorkflowEnvironment()
}

// An update is what came of an update.
type update struct {
	accepted bool
	err      error
	status   temporal.Status
}

// send answers a request after some time.
func send(env *testsuite.TestWorkflowEnvironment, after time.Duration, name string, a temporal.Answer) *update {
	u := new(update)
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(name, after.String()+name, &testsuite.TestUpdateCallback{
			OnAccept:   func() { u.accepted = true },
			OnReject:   func(err error) { u.err = err },
			OnComplete: func(v any, err error) { u.status, _ = v.(temporal.Status); u.err = err },
		}, a)
	}, after)
	return u
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// TestAnswers holds that a run is answered by updates, that a wrong answer is refused before it is in the history, and that queries tell how far it is.
func TestAnswers(t *testing.T) {
	var c clerk
	env, g := environment(t, &c)
	query := func(after time.Duration, name string, to any) {
		env.RegisterDelayedCallback(func() {
			v, err := env.QueryWorkflow(name)
			if err == nil {
				err = v.Get(to)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}, after)
	}
	var status temporal.Status
	var state temporaltest.ApprovalState
	var requests []struct{ ID, Question string }
	query(time.Minute, temporal.QueryStatus, &status)
	query(time.Minute, temporal.QueryState, &state)
	query(time.Minute, temporal.QueryRequests, &requests)
	wrong := send(env, 2*time.Minute, "answer", temporal.Answer{Request: "first.1", Answer: raw(`"perhaps"`)})
	typed := send(env, 3*time.Minute, "answer.first", temporal.Answer{Answer: raw(`7`)})
	other := send(env, 4*time.Minute, "answer.second", temporal.Answer{Answer: raw(`"approve"`)})
	first := send(env, time.Hour, "answer.first", temporal.Answer{Answer: raw(`"approve"`), By: "Ann"})
	twice := send(env, 61*time.Minute, "answer.first", temporal.Answer{Answer: raw(`"approve"`)})
	second := send(env, 2*time.Hour, "answer", temporal.Answer{Request: "second.1", Answer: raw(`"approve"`)})
	last := send(env, 3*time.Hour, "answer", temporal.Answer{Request: "last.1", Answer: raw(`"approve"`)})
	env.ExecuteWorkflow(g.Name(), temporaltest.ApprovalInput{Amount: 200, Items: 3})
	var out temporaltest.ApprovalOutput
	if err := errors.Join(env.GetWorkflowError(), env.GetWorkflowResult(&out)); err != nil {
		t.Fatal(err)
	}
	if out.Reason != "paid" || out.Rounds != 1 || len(c.paid) != 1 || !strings.HasSuffix(c.paid[0], "/5 200 pay") {
		t.Errorf("it gives %+v, and has paid %q", out, c.paid)
	}
	if status.Phase != temporal.Waiting || status.Node != "first" || len(status.Waiting) != 1 {
		t.Errorf("the status is %+v", status)
	}
	if state.Amount != 200 || state.Rounds != 1 {
		t.Errorf("the state is %+v", state)
	}
	if len(requests) != 1 || !strings.HasPrefix(requests[0].Question, "Pay 200 for 3 items?") {
		t.Errorf("the requests are %+v", requests)
	}
	for name, u := range map[string]*update{"invalid": wrong, "neither": typed, "no request": other, "the pause has no request": twice} {
		e, ok := errors.AsType[*sdk.ApplicationError](u.err)
		if u.accepted || !ok || e.Type() != temporal.RefusalType || !strings.Contains(u.err.Error(), name) {
			t.Errorf("%s: it is refused with %v", name, u.err)
		}
	}
	for i, u := range []*update{first, second, last} {
		if !u.accepted || u.err != nil {
			t.Errorf("answer %d is refused with %v", i, u.err)
		}
	}
	if second.status.Phase != temporal.Waiting || last.status.Phase != temporal.Ended || last.status.Ended != "completed" {
		t.Errorf("the updates give %+v, %+v", second.status, last.status)
	}
}

// A partner works on what is on the left.
type partner struct{ works func() }

func (p *partner) Work(_ context.Context, in temporaltest.PairWorkIn) (temporaltest.PairWorkOut, error) {
	if p.works != nil {
		p.works()
	}
	return temporaltest.PairWorkOut{Done: in.Left}, nil
}

// TestOpenRequests holds that the query for the open requests has none that is answered, and the others, while the run works on the answer.
func TestOpenRequests(t *testing.T) {
	env := newEnvironment()
	p := new(partner)
	g, err := temporaltest.NewPairTemporal(p)
	if err != nil {
		t.Fatal(err)
	}
	g.Register(env)
	open := func() (nodes string) {
		var requests []struct{ Node string }
		v, err := env.QueryWorkflow(temporal.QueryRequests)
		if err == nil {
			err = v.Get(&requests)
		}
		if err != nil {
			t.Error(err)
		}
		for _, r := range requests {
			nodes += r.Node + " "
		}
		return nodes
	}
	var before, meanwhile, after string
	p.works = func() { meanwhile = open() }
	env.RegisterDelayedCallback(func() { before = open() }, time.Minute)
	send(env, time.Hour, "answer.left", temporal.Answer{Answer: raw(`"a tree"`)})
	env.RegisterDelayedCallback(func() { after = open() }, 2*time.Hour)
	send(env, 3*time.Hour, "answer.right", temporal.Answer{Answer: raw(`"a house"`)})
	env.ExecuteWorkflow(g.Name(), temporaltest.PairInput{})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if before != "left right " || meanwhile != "right " || after != "right " {
		t.Errorf("the open requests are of %q, then of %q while the run works, then of %q", before, meanwhile, after)
	}
	if left := open(); left != "" {
		t.Errorf("after the end requests of %q are open", left)
	}
}

// TestStop holds that the signal ends a run that waits, and one that runs.
func TestStop(t *testing.T) {
	var c clerk
	env, g := environment(t, &c)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(temporal.SignalStop, nil) }, time.Hour)
	env.ExecuteWorkflow(g.Name(), temporaltest.ApprovalInput{Amount: 200})
	if e, ok := errors.AsType[*sdk.ApplicationError](env.GetWorkflowError()); !ok || e.Type() != "stopped" {
		t.Errorf("the workflow ends with %v", env.GetWorkflowError())
	}
	var running *testsuite.TestWorkflowEnvironment
	running, g = environment(t, &clerk{fails: func(node string) error {
		if node == "prepare" {
			running.SignalWorkflow(temporal.SignalStop, nil)
		}
		return nil
	}})
	running.ExecuteWorkflow(g.Name(), temporaltest.ApprovalInput{Amount: 200})
	e, ok := errors.AsType[*sdk.ApplicationError](running.GetWorkflowError())
	if !ok || e.Type() != "stopped" || !strings.Contains(e.Error(), `node "check"`) {
		t.Errorf("the workflow ends with %v", running.GetWorkflowError())
	}
}

// TestCancel holds that the end of the workflow's context ends a run that waits.
func TestCancel(t *testing.T) {
	var c clerk
	env, g := environment(t, &c)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Hour)
	env.ExecuteWorkflow(g.Name(), temporaltest.ApprovalInput{Amount: 200})
	if e, ok := errors.AsType[*sdk.CanceledError](env.GetWorkflowError()); !ok {
		t.Errorf("the workflow ends with %v", e)
	}
}

// TestFailures holds that what handlers fail with is what the run fails with.
func TestFailures(t *testing.T) {
	for name, fail := range map[string]func() error{
		"offline":            func() error { return errors.New("offline") },
		"panic: out of cash": func() error { panic("out of cash") },
	} {
		tries := 0
		c := clerk{fails: func(node string) error {
			if node == "apologize" {
				return fail()
			}
			if node == "prepare" {
				tries++
				return errors.New("no")
			}
			return nil
		}}
		env, g := environment(t, &c)
		env.ExecuteWorkflow(g.Name(), temporaltest.ApprovalInput{})
		e, ok := errors.AsType[*sdk.ApplicationError](env.GetWorkflowError())
		if !ok || e.Type() != "failed" || !strings.HasSuffix(e.Message(), name) || !strings.Contains(e.Message(), `node "apologize"`) || tries != 1 {
			t.Errorf("the workflow ends with %v after %d tries", env.GetWorkflowError(), tries)
		}
	}
}

// broken panics with the input of one activity.
type broken struct {
	converter.DataConverter
}

func (b broken) ToPayloads(values ...any) (*common.Payloads, error) {
	p, err := b.DataConverter.ToPayloads(values...)
	if strings.Contains(p.String(), "check") {
		panic("the history has no such activity")
	}
	return p, err
}

// TestBrokenWorkflow holds that what the workflow itself panics with fails its task: it is no failure of a node, which on_error would handle.
func TestBrokenWorkflow(t *testing.T) {
	var c clerk
	env, g := environment(t, &c)
	env.SetDataConverter(broken{converter.GetDefaultDataConverter()})
	env.ExecuteWorkflow(g.Name(), temporaltest.ApprovalInput{})
	e, ok := errors.AsType[*sdk.PanicError](env.GetWorkflowError())
	if !ok || !strings.Contains(e.Error(), "the history has no such activity") || len(c.checked) != 0 {
		t.Errorf("the workflow ends with %v", env.GetWorkflowError())
	}
}
