package temporal_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/first"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
)

// teller are the handlers of the first release, as far as a run calls them.
type teller struct{ first.ApprovalHandlers }

func (teller) Prepare(context.Context, first.ApprovalPrepareIn) (first.ApprovalPrepareOut, error) {
	return first.ApprovalPrepareOut{Rounds: 1}, nil
}

// works starts a worker.
func works(t *testing.T, s *frontend.Server, g interface{ Register(worker.Registry) }) (stop func()) {
	t.Helper()
	name := fmt.Sprintf("worker%d@host", workers.Add(1))
	w := worker.New(s.Client(), "payments", worker.Options{Identity: name})
	g.Register(w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		w.Stop()
		s.Gone(name)
	}
}

// workers numbers the workers: what a poll of one that has stopped gets would be lost.
var workers atomic.Int32

// approved answers the request of a node, once the run waits there.
func approved(t *testing.T, s *frontend.Server, node string) temporal.Status {
	t.Helper()
	return answered(t, s, "payment-7", "answer."+node, temporal.Answer{Answer: raw(`"approve"`), By: "Ann"})
}

// waits returns once the worker has nothing to do.
func waits(t *testing.T, s *frontend.Server) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	if err := s.Await(ctx, "payment-7", func(events []*history.HistoryEvent) bool {
		n := len(events)
		return n >= 10 && events[n-1].EventType == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
	}); err != nil {
		t.Fatal("the run does not wait:", err)
	}
}

// begunFirst begins a workflow with the first release, and ends its worker when the run waits for the first approval.
func begunFirst(t *testing.T) *frontend.Server {
	t.Helper()
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	g, err := first.NewApprovalTemporal(teller{})
	if err != nil {
		t.Fatal(err)
	}
	stop := works(t, s, g)
	if _, err := begin(t.Context(), s.Client(), temporaltest.ApprovalInput{Amount: 200, Items: 3}); err != nil {
		t.Fatal(err)
	}
	waits(t, s)
	stop()
	return s
}

// current returns the graph as it is, with the machine of the first release or without.
func current(t *testing.T, c *clerk, keep bool) *temporaltest.ApprovalTemporal {
	t.Helper()
	make := func() (*temporaltest.ApprovalTemporal, error) { return temporaltest.NewApprovalTemporal(c) }
	if keep {
		make = func() (*temporaltest.ApprovalTemporal, error) { return both(c, teller{}) }
	}
	g, err := make()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestReleases holds that a workflow of a release continues in a worker of the next one that keeps its machine, and begins with the next one where that is
// its release.
func TestReleases(t *testing.T) {
	s := begunFirst(t)
	var c clerk
	defer works(t, s, current(t, &c, true))()
	for _, node := range []string{"first", "second"} {
		approved(t, s, node)
	}
	if last := approved(t, s, "last"); last.Phase != temporal.Ended || last.Ended != "completed" || len(c.checked) != 0 || len(c.paid) != 1 {
		t.Errorf("it ends as %+v, has checked %q and paid %q", last, c.checked, c.paid)
	}
	if f := s.Failures(); len(f) > 0 {
		t.Errorf("workflow tasks failed: %q", f)
	}
	if _, err := begin(t.Context(), s.Client(), temporaltest.ApprovalInput{Amount: 5}); err != nil {
		t.Fatal(err)
	}
	approved(t, s, "first")
	if approved(t, s, "last"); len(c.checked) != 1 || len(s.Failures()) > 0 {
		t.Errorf("a workflow of the last release has checked %q; workflow tasks failed: %q", c.checked, s.Failures())
	}
}

// TestReleaseWithStore holds that a workflow of a release without a store continues where the graph has one now: its activities put what they return there.
func TestReleaseWithStore(t *testing.T) {
	s := begunFirst(t)
	var c clerk
	earlier, err := first.NewApprovalTemporal(teller{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := temporaltest.NewApprovalTemporal(&c, temporal.WithRelease(1, earlier), temporal.WithStore(temporal.NewMemory(), 1))
	if err != nil {
		t.Fatal(err)
	}
	defer works(t, s, g)()
	for _, node := range []string{"first", "second"} {
		approved(t, s, node)
	}
	if last := approved(t, s, "last"); last.Ended != "completed" || len(c.paid) != 1 || len(s.Failures()) > 0 {
		t.Errorf("it ends as %+v, and has paid %q; workflow tasks failed: %q", last, c.paid, s.Failures())
	}
}

// TestReleaseWithoutMachine holds that a workflow that has passed what a release has changed is blocked, not ended, by a worker without its machine.
func TestReleaseWithoutMachine(t *testing.T) {
	s := begunFirst(t)
	var c clerk
	stop := works(t, s, current(t, &c, false))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	go func() {
		defer cancel()
		_ = s.AwaitFailure(ctx)
	}()
	if _, err := approve(ctx, s.Client(), "first", "Ann"); err == nil {
		t.Error("the answer is taken")
	}
	stop()
	if f := s.Failures(); len(f) == 0 || !strings.Contains(f[0], "TMPRL1100") {
		t.Errorf("workflow tasks failed: %q", f)
	}
	defer works(t, s, current(t, &c, true))()
	approved(t, s, "second")
}

// TestHistories holds that workflows of released versions can be replayed: their histories are kept. With -update they are recorded where they are missing.
func TestHistories(t *testing.T) {
	const dir = "testdata/histories"
	graph := func(g interface {
		RegisterWorkflow(worker.WorkflowRegistry)
	}, err error) func(worker.WorkflowReplayer) {
		if err != nil {
			t.Fatal(err)
		}
		return func(r worker.WorkflowReplayer) { g.RegisterWorkflow(r) }
	}
	replayers := map[string]func(worker.WorkflowReplayer){
		"approval": graph(current(t, new(clerk), true), nil), "inquiry": graph(temporaltest.NewInquiryTemporal(new(inspector), new(inspector), talkTwice())),
		"chat": graph(temporaltest.NewChatTemporal(talkTwice())),
	}
	if *updates {
		record(t, dir)
	}
	files, err := filepath.Glob(dir + "/*.json")
	if err != nil || len(files) < 5 {
		t.Fatal("no histories", err, files)
	}
	for _, file := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
		r := worker.NewWorkflowReplayer()
		replayers[name](r)
		if err := r.ReplayWorkflowHistoryFromJSONFile(silent, file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// record records the histories that are missing.
func record(t *testing.T, dir string) {
	t.Helper()
	write := func(name string, s *frontend.Server) {
		data, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(s.History())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".json"), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	missing := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name+".json"))
		return err != nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if missing("approval-1-waits") {
		write("approval-1-waits", begunFirst(t))
	}
	if missing("approval-2") {
		s, err := frontend.Start(silent)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		defer works(t, s, current(t, new(clerk), false))()
		run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "payment-7", TaskQueue: "payments"}, "approval",
			temporaltest.ApprovalInput{Amount: 200, Items: 3})
		if err != nil {
			t.Fatal(err)
		}
		approved(t, s, "first")
		write("approval-2-waits", s)
		approved(t, s, "second")
		approved(t, s, "last")
		if err := run.Get(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		write("approval-2", s)
	}
	if missing("inquiry") {
		g, err := temporaltest.NewInquiryTemporal(new(inspector), new(inspector), talkTwice())
		if err != nil {
			t.Fatal(err)
		}
		if _, s, err := played(t, g, temporaltest.InquiryInput{Message: "a dent"}, nil); err != nil {
			t.Fatal(err)
		} else {
			write("inquiry", s)
		}
	}
	if missing("chat") {
		turns := 3
		g, err := temporaltest.NewChatTemporal(talkTwice())
		if err != nil {
			t.Fatal(err)
		}
		if _, s, err := played(t, g, temporaltest.ChatInput{Message: "Hello.", Turns: &turns}, nil); err != nil {
			t.Fatal(err)
		} else {
			write("chat", s)
		}
	}
}
