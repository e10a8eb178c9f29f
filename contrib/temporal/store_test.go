package temporal_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
)

// flaky is a store whose first calls of Put fail.
type flaky struct {
	temporal.Store
	fails atomic.Int32
}

func newFlaky(fails int32) *flaky {
	f := &flaky{Store: temporal.NewMemory()}
	f.fails.Store(fails)
	return f
}

func (f *flaky) Put(ctx context.Context, name string, data []byte) error {
	if f.fails.Add(-1) >= 0 {
		return errors.New("the disk is full")
	}
	return f.Store.Put(ctx, name, data)
}

// TestStoreOfNestedGraph holds that a store which does not work fails the workflow task, which is tried again, also where only a graph that a node runs
// has a store: for the input of an activity, and for the conversation of a model in a child workflow.
func TestStoreOfNestedGraph(t *testing.T) {
	t.Run("input", func(t *testing.T) {
		inner, err := temporaltest.NewApprovalTemporal(new(clerk), temporal.WithStore(newFlaky(1), 1))
		if err != nil {
			t.Fatal(err)
		}
		o := &office{goesTo: temporaltest.ClaimsDecideGotoPay, inspect: func(context.Context, int) (temporaltest.ClaimsInspectOut, error) {
			return temporaltest.ClaimsInspectOut{Score: 7}, nil
		}}
		g, err := temporaltest.NewClaimsTemporal(o, o, talk(), inner)
		if err != nil {
			t.Fatal(err)
		}
		var out temporaltest.ClaimsOutput
		failsOnce(t, g, temporaltest.ClaimsInput{Message: "a dent"}, &out, []temporal.Answer{
			{Request: "law/lawyer.1", Answer: raw(`"lawful"`)}, {Request: "pay.1/first.1", Answer: raw(`"approve"`)},
			{Request: "pay.1/last.1", Answer: raw(`"approve"`)},
		})
		if out.Reason != "paid" {
			t.Errorf("it gives %+v", out)
		}
	})
	t.Run("conversation", func(t *testing.T) {
		store := temporal.WithStore(newFlaky(1), 1<<20)
		reason, err := temporaltest.NewReasonTemporal(chat.ModelFunc(temporaltest.Inviter), store)
		if err != nil {
			t.Fatal(err)
		}
		vote, err := temporaltest.NewVoteTemporal(new(pollster).handlers(), chat.ModelFunc(temporaltest.Inviter), reason, store)
		if err != nil {
			t.Fatal(err)
		}
		g, err := temporaltest.NewBallotTemporal(vote)
		if err != nil {
			t.Fatal(err)
		}
		var out temporaltest.BallotOutput
		failsOnce(t, g, ballotInput(1), &out, []temporal.Answer{voted[1], voted[6]})
		if len(out.Votes) == 0 || out.Verdict != "fine" {
			t.Errorf("it gives %+v", out)
		}
	})
}

// failsOnce runs a graph as a workflow, with answers, to its end. One workflow task fails, as the store does.
func failsOnce(t *testing.T, g interface {
	Name() string
	Register(worker.Registry)
}, in, out any, answers []temporal.Answer) {
	t.Helper()
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	defer works(t, s, g)()
	run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: "payments"}, g.Name(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		answered(t, s, "w", temporal.UpdateAnswer, a)
	}
	if err := run.Get(t.Context(), out); err != nil {
		t.Error(err)
	}
	if f := s.Failures(); len(f) != 1 || !strings.Contains(f[0], "the disk is full") {
		t.Errorf("%d workflow tasks failed: %.300q", len(f), f)
	}
}
