package temporal_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/first"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
)

// serve runs a worker for the graph until the context ends.
func serve(ctx context.Context, c client.Client, handlers temporaltest.ApprovalHandlers, dir string) error {
	graph, err := temporaltest.NewApprovalTemporal(handlers, temporal.WithStore(temporal.Folder(dir), 0))
	if err != nil {
		return err
	}
	w := worker.New(c, "payments", worker.Options{})
	graph.Register(w)
	if err := w.Start(); err != nil {
		return err
	}
	<-ctx.Done()
	w.Stop()
	return nil
}

// both returns the graph with the machine of the first release, whose workflows still run.
func both(handlers temporaltest.ApprovalHandlers, before first.ApprovalHandlers) (*temporaltest.ApprovalTemporal, error) {
	earlier, err := first.NewApprovalTemporal(before)
	if err != nil {
		return nil, err
	}
	return temporaltest.NewApprovalTemporal(handlers, temporal.WithRelease(1, earlier))
}

// begin begins a run.
func begin(ctx context.Context, c client.Client, in temporaltest.ApprovalInput) (client.WorkflowRun, error) {
	return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "payment-7", TaskQueue: "payments"}, "approval", in)
}

// approve answers the request of a node, and returns what the run waits for then.
func approve(ctx context.Context, c client.Client, node, by string) (status temporal.Status, err error) {
	update, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: "payment-7", UpdateName: "answer." + node, WaitForStage: client.WorkflowUpdateStageCompleted,
		Args: []any{temporal.Answer{Answer: json.RawMessage(`"approve"`), By: by}},
	})
	if err == nil {
		err = update.Get(ctx, &status)
	}
	return status, err
}

// TestGuide runs the program of the guide, on a server that loses the first answers of its worker.
func TestGuide(t *testing.T) {
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	s.Lose = func(_ string, n int) bool { return n == 2 || n == 4 }
	var c clerk
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, s.Client(), &c, t.TempDir()) }()
	run, err := begin(ctx, s.Client(), temporaltest.ApprovalInput{Amount: 200, Items: 3})
	if err != nil {
		t.Fatal(err)
	}
	var last temporal.Status
	for _, node := range []string{"first", "second", "last"} {
		for tries := 0; ; tries++ { // the run has to get there
			if last, err = approve(ctx, s.Client(), node, "Ann"); err == nil {
				break
			}
			if tries == 200 || !strings.Contains(err.Error(), "pause") {
				t.Fatal(node, err)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	var out temporaltest.ApprovalOutput
	if err := run.Get(ctx, &out); err != nil || out.Reason != "paid" || last.Phase != temporal.Ended {
		t.Errorf("it gives %+v, %v, at last %+v", out, err, last)
	}
	keys := map[string]bool{}
	for _, key := range c.paid {
		keys[key] = true
	}
	if len(keys) != 1 || len(s.Failures()) > 0 {
		t.Errorf("it has paid %q; workflow tasks failed: %q", c.paid, s.Failures())
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	graph, err := temporaltest.NewApprovalTemporal(&c)
	if err != nil {
		t.Fatal(err)
	}
	r := worker.NewWorkflowReplayer()
	graph.RegisterWorkflow(r)
	if err := r.ReplayWorkflowHistory(silent, s.History()); err != nil {
		t.Errorf("its history: %v", err)
	}
}
