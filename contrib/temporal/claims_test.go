package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	history "go.temporal.io/api/history/v1"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
)

// office are the handlers and the tools of the graph claims.
type office struct {
	mu      sync.Mutex
	calls   []string
	inspect func(ctx context.Context, attempt int) (temporaltest.ClaimsInspectOut, error)
	goesTo  temporaltest.ClaimsDecideGoto
}

func (o *office) note(ctx context.Context, what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, key, _ := strings.Cut(graphgen.IdempotencyKey(ctx), "/")
	o.calls = append(o.calls, what+" "+key)
}

func (o *office) Inspect(ctx context.Context, in temporaltest.ClaimsInspectIn) (temporaltest.ClaimsInspectOut, error) {
	i := graphgen.Info(ctx)
	o.note(ctx, fmt.Sprintf("inspect %s, attempt %d in %s", in.Message, i.Attempt, i.Branch))
	return o.inspect(ctx, i.Attempt)
}
func (o *office) Sane(_ context.Context, out temporaltest.ClaimsInspectOut) error {
	if out.Score > 100 {
		return graphgen.Reject("too much")
	}
	return nil
}
func (o *office) Decide(context.Context, temporaltest.ClaimsDecideIn) (temporaltest.ClaimsDecideOut, temporaltest.ClaimsDecideGoto, error) {
	return temporaltest.ClaimsDecideOut{Amount: 50}, o.goesTo, nil
}
func (o *office) Refuse(_ context.Context, in temporaltest.ClaimsRefuseIn) (temporaltest.ClaimsRefuseOut, error) {
	return temporaltest.ClaimsRefuseOut{Reason: "refused: " + in.Ruling}, nil
}
func (o *office) LookUp(ctx context.Context, args temporaltest.ClaimsLookUpArgs) (int, error) {
	o.note(ctx, "look_up "+args.Order)
	return 4200, nil
}
func (o *office) Search(ctx context.Context, args temporaltest.ClaimsSearchArgs) ([]string, error) {
	o.note(ctx, "search "+args.Query)
	if args.Query == "all" {
		return nil, errors.New("too much to list")
	}
	return []string{args.Query + " found"}, nil
}

// talk is a model that calls two tools at once, then answers with what it was told.
func talk() chat.Model {
	return scripted.New(
		scripted.Turn{Calls: []chat.ToolCall{
			{Name: "look_up", Arguments: `{"order":"7"}`}, {Name: "search", Arguments: `{"query":"dent"}`}, {Name: "search", Arguments: `{"query":"all"}`},
		}, Usage: chat.Usage{Input: 10, Output: 5}},
		scripted.Turn{Text: "All is well.", Usage: chat.Usage{Input: 30, Output: 7}, Check: func(r *chat.Request) error {
			var said []string
			for _, m := range r.Messages {
				said = append(said, m.Text)
			}
			if got := strings.Join(said, "|"); got != `a dent||4200|["dent found"]|too much to list` || r.System != "Answer the customer." || len(r.Tools) != 2 {
				return fmt.Errorf("the request is %q, %q with %d tools", r.System, got, len(r.Tools))
			}
			return nil
		}},
	)
}

// claims returns a test environment with the graph claims.
func claims(t *testing.T, o *office, c *clerk, m chat.Model, opts ...temporal.Option) (*testsuite.TestWorkflowEnvironment, *temporaltest.ClaimsTemporal) {
	t.Helper()
	inner, err := temporaltest.NewApprovalTemporal(c)
	if err != nil {
		t.Fatal(err)
	}
	g, err := temporaltest.NewClaimsTemporal(o, o, m, inner, opts...)
	if err != nil {
		t.Fatal(err)
	}
	env := newEnvironment()
	g.Register(env)
	return env, g
}

// TestBranches holds that branches, calls of tools and retries run as they do locally: concurrently, with people who answer in a branch and in a
// graph that a node runs.
func TestBranches(t *testing.T) {
	for name, opts := range map[string][]temporal.Option{"inline": nil, "stored": {temporal.WithStore(temporal.NewMemory(), 1)}} {
		t.Run(name, func(t *testing.T) {
			o := &office{goesTo: temporaltest.ClaimsDecideGotoPay, inspect: func(_ context.Context, attempt int) (temporaltest.ClaimsInspectOut, error) {
				switch attempt {
				case 1:
					return temporaltest.ClaimsInspectOut{}, graphgen.Transient(errors.New("busy"))
				case 2:
					return temporaltest.ClaimsInspectOut{}, &chat.ModelError{Kind: chat.RateLimited, Wait: 3 * time.Second}
				}
				return temporaltest.ClaimsInspectOut{Score: 7, Found: []string{"a scratch"}}, nil
			}}
			var c clerk
			var events []string
			observe := graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e.Kind.String()+" "+e.Node) })
			env, g := claims(t, o, &c, talk(), append(opts, temporal.WithRuns(observe))...)
			send(env, time.Hour, "answer.lawyer", temporal.Answer{Answer: raw(`"lawful"`)})
			send(env, 2*time.Hour, "answer.pay/first", temporal.Answer{Answer: raw(`"approve"`)})
			send(env, 3*time.Hour, "answer.pay/last", temporal.Answer{Answer: raw(`"approve"`)})
			env.ExecuteWorkflow(g.Name(), temporaltest.ClaimsInput{Message: "a dent"})
			var out temporaltest.ClaimsOutput
			if err := errors.Join(env.GetWorkflowError(), env.GetWorkflowResult(&out)); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%+v", out); got != "{Found:[a scratch] Score:7 Reply:All is well. Ruling:lawful Reason:paid}" {
				t.Errorf("it gives %s", got)
			}
			slices.Sort(o.calls)
			want := []string{
				"inspect a dent, attempt 1 in inspect inspect/4", "inspect a dent, attempt 2 in inspect inspect/4",
				"inspect a dent, attempt 3 in inspect inspect/4", "look_up 7 talk/3/0", "search all talk/3/2", "search dent talk/3/1",
			}
			if !slices.Equal(o.calls, want) {
				t.Errorf("the calls are\n%s", strings.Join(o.calls, "\n"))
			}
			if len(c.paid) != 1 {
				t.Errorf("it has paid %q", c.paid)
			}
			for _, e := range []string{"retry inspect", "say hello", "tool_end answer", "model_end answer"} {
				if !slices.Contains(events, e) {
					t.Errorf("there is no event %s", e)
				}
			}
		})
	}
}

// TestUsageBesideAnError holds that what a call of a model has used counts for the run also where it has failed.
func TestUsageBesideAnError(t *testing.T) {
	o := &office{inspect: func(context.Context, int) (temporaltest.ClaimsInspectOut, error) {
		return temporaltest.ClaimsInspectOut{Score: 7}, nil
	}}
	refuses := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		used := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: chat.Usage{Input: 30, Output: 7, Cost: 0.5}}
		return used, &chat.ModelError{Kind: chat.Refused, Message: "not that"}
	})
	var ends []string
	env, g := claims(t, o, new(clerk), refuses, temporal.WithRuns(graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.ModelEnd {
			ends = append(ends, fmt.Sprintf("%v, %+v", e.Err, e.Model().Usage))
		}
	})))
	env.ExecuteWorkflow(g.Name(), temporaltest.ClaimsInput{Message: "a dent"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	want := "the model refused: not that, {Input:30 Output:7 Reasoning:0 CacheRead:0 CacheWrite:0 Cost:0.5}"
	if !slices.Equal(ends, []string{want}) {
		t.Errorf("the calls end with %q, want %s", ends, want)
	}
}

// TestDeadlines holds that a timer takes the transition for a late answer, and that what a guard refuses is a failure.
func TestDeadlines(t *testing.T) {
	o := &office{inspect: func(context.Context, int) (temporaltest.ClaimsInspectOut, error) {
		return temporaltest.ClaimsInspectOut{Score: 1000}, nil // which the guard refuses
	}}
	env, g := claims(t, o, new(clerk), talk())
	env.ExecuteWorkflow(g.Name(), temporaltest.ClaimsInput{Message: "a dent"})
	var out temporaltest.ClaimsOutput
	if err := errors.Join(env.GetWorkflowError(), env.GetWorkflowResult(&out)); err != nil {
		t.Fatal(err)
	}
	if out.Reason != "refused: none" {
		t.Errorf("it gives %+v", out)
	}
	o = &office{inspect: func(context.Context, int) (temporaltest.ClaimsInspectOut, error) {
		return temporaltest.ClaimsInspectOut{Score: 1}, nil
	}}
	env, g = claims(t, o, new(clerk), talk())
	begun := env.Now()
	env.ExecuteWorkflow(g.Name(), temporaltest.ClaimsInput{Message: "a dent"})
	if err := errors.Join(env.GetWorkflowError(), env.GetWorkflowResult(&out)); err != nil {
		t.Fatal(err)
	}
	if took := env.Now().Sub(begun); out.Reason != "refused: none" || took < 24*time.Hour || took > 25*time.Hour {
		t.Errorf("it gives %+v after %s", out, took)
	}
}

// TestSearchAttributes holds what workflows can be found by.
func TestSearchAttributes(t *testing.T) {
	tenant := func(workflow.Context) string { return "acme" }
	env, g := environment(t, new(clerk), temporal.WithSearchAttributes(tenant))
	var seen []string
	env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
		all := args.Get(0).(sdk.SearchAttributes)
		var text string
		for _, name := range []string{"GraphgenGraph", "GraphgenStatus", "GraphgenNode", "GraphgenTenant"} {
			v, _ := all.GetKeyword(sdk.NewSearchAttributeKeyKeyword(name))
			text += v + " "
		}
		seen = append(seen, strings.TrimSpace(text))
	}).Return(nil)
	send(env, time.Hour, "answer.first", temporal.Answer{Answer: raw(`"approve"`)})
	send(env, 2*time.Hour, "answer.last", temporal.Answer{Answer: raw(`"approve"`)})
	env.ExecuteWorkflow(g.Name(), temporaltest.ApprovalInput{Amount: 5})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	want := "approval running  acme|approval waiting first acme|approval running  acme|approval waiting last acme|approval running  acme"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("the attributes are %s", got)
	}
}

// TestSearchAttributesAfterRefusal holds that a workflow that waits is found as one that waits where the second of two answers, which arrive in one
// workflow task, is refused.
func TestSearchAttributesAfterRefusal(t *testing.T) {
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	g, err := temporaltest.NewApprovalTemporal(new(clerk), temporal.WithSearchAttributes(nil))
	if err != nil {
		t.Fatal(err)
	}
	found := func(events []*history.HistoryEvent) (statuses []string) {
		for _, e := range events {
			fields := e.GetUpsertWorkflowSearchAttributesEventAttributes().GetSearchAttributes().GetIndexedFields()
			if p := fields["GraphgenStatus"]; p != nil {
				statuses = append(statuses, string(p.Data))
			}
		}
		return statuses
	}
	stop := works(t, s, g)
	run, err := begin(t.Context(), s.Client(), temporaltest.ApprovalInput{Amount: 200})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Await(t.Context(), "payment-7", func(events []*history.HistoryEvent) bool { return len(found(events)) == 2 }); err != nil {
		t.Fatal(err)
	}
	stop()
	outcomes := make(chan error)
	for range 2 {
		go func() {
			_, err := approve(t.Context(), s.Client(), "first", "")
			outcomes <- err
		}()
	}
	if err := s.AwaitUpdates(t.Context(), "payment-7", 2); err != nil {
		t.Fatal(err)
	}
	defer works(t, s, g)()
	if one, other := <-outcomes, <-outcomes; (one == nil) == (other == nil) || !strings.Contains(fmt.Sprint(one, other), "answered before") {
		t.Errorf("the answers end with %v and %v", one, other)
	}
	if got := found(s.History().Events); got[len(got)-1] != `"waiting"` {
		t.Errorf("the run waits, and its status was %s", got)
	}
	approved(t, s, "second")
	approved(t, s, "last")
	if err := run.Get(t.Context(), nil); err != nil || len(s.Failures()) > 0 {
		t.Error(err, s.Failures())
	}
}
