// Package realserver runs graphs as workflows on a server of Temporal: the one that its own tests start in a process. It is a module of its own, since
// the server takes 20 minutes to compile and has dependencies that no other module should have. make full runs it.
package realserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporaltest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	graphs "github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/server"
)

const queue = "graphs"

var silent = log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))

// workerVariable is the environment variable of a worker process: its place.
const workerVariable = "REALSERVER_WORKER"

// A place is what a worker process knows.
type place struct {
	Address, Namespace string
	Dir                string // of the store, and of the file effects
	History            int    // events of a workflow
	Kill               int64  // the effect within which the process kills itself; 0: none
}

func TestMain(m *testing.M) {
	text := os.Getenv(workerVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var p place
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.work()
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// work works until the process is killed.
func (p place) work() error {
	c, err := client.Dial(client.Options{HostPort: p.Address, Namespace: p.Namespace, Logger: silent})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(p.Dir, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	var count atomic.Int64
	g, err := journey(p.Dir, p.History, func(ctx context.Context, effect string) {
		if _, err := fmt.Fprintln(file, effect, graphgen.IdempotencyKey(ctx)); err != nil {
			panic(err)
		}
		if count.Add(1) == p.Kill {
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				panic(err)
			}
			_ = self.Kill() // what follows is not reached
			select {}
		}
	})
	if err != nil {
		return err
	}
	w := worker.New(c, queue, worker.Options{})
	g.Register(w)
	return w.Run(nil)
}

// journey returns the graph, whose workflows have at most a number of events.
func journey(dir string, events int, note func(context.Context, string)) (*graphs.JourneyTemporal, error) {
	h := &graphs.Traveller{Note: note}
	options := []temporal.Option{
		temporal.WithStore(temporal.Folder(dir), 0),
		temporal.WithActivities(workflow.ActivityOptions{StartToCloseTimeout: 5 * time.Second}), // so long does a killed worker keep an activity
	}
	stay, err := graphs.NewStayTemporal(h, options...)
	if err != nil {
		return nil, err
	}
	return graphs.NewJourneyTemporal(h, h, chat.ModelFunc(graphs.Planner), stay, append(options, temporal.WithHistory(events))...)
}

// answer sends an answer by an update, once the run waits for it.
func answer(t *testing.T, c client.Client, id, update string, a temporal.Answer) {
	t.Helper()
	for {
		u, err := c.UpdateWorkflow(t.Context(), client.UpdateWorkflowOptions{
			WorkflowID: id, UpdateName: update, WaitForStage: client.WorkflowUpdateStageCompleted, Args: []any{a},
		})
		if err == nil {
			err = u.Get(t.Context(), nil)
		}
		if err == nil {
			return
		}
		_, closing := errors.AsType[*serviceerror.NotFound](err) // one workflow has ended, and the next has not begun
		if t.Context().Err() != nil || !closing && !strings.Contains(err.Error(), "pause") && !strings.Contains(err.Error(), "completed") {
			t.Fatalf("%s %s: %T %v", update, a.Request, err, err)
		}
	}
}

// travelled is what came of a run.
type travelled struct {
	dir     string // of the store
	out     graphs.JourneyOutput
	effects map[string]int // without the ID of the run
	chain   []*history.History
}

// travel makes a run with worker processes, of which the first may kill itself.
func travel(t *testing.T, s *temporaltest.TestServer, id string, events int, kill int64) (got travelled) {
	t.Helper()
	c := s.GetDefaultClient()
	p := place{Address: s.GetFrontendHostPort(), Namespace: s.GetDefaultNamespace(), Dir: t.TempDir(), History: events, Kill: kill}
	begin := func(p place) *exec.Cmd {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerVariable+"="+string(text))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Error(err)
		}
		return cmd
	}
	first := begin(p)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = first.Wait() // it is killed
		if kill == 0 {
			return
		}
		p.Kill = 0
		second := begin(p)
		<-over
		_ = second.Process.Kill() // its work is done
		_ = second.Wait()
	}()
	defer func() {
		close(over)
		_ = first.Process.Kill() // it may have killed itself
		<-ended
	}()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: queue}, "journey", graphs.JourneyInput{To: "Rome"})
	if err != nil {
		t.Fatal(err)
	}
	began := run.GetRunID()
	for range 2 {
		answer(t, c, id, "answer.lawyer", temporal.Answer{Answer: json.RawMessage(`"yes"`)})
		answer(t, c, id, "answer.book/agree", temporal.Answer{Answer: json.RawMessage(`"approve"`)})
	}
	if err := run.Get(t.Context(), &got.out); err != nil {
		t.Fatal(err)
	}
	got.dir = p.Dir
	got.effects = effects(t, filepath.Join(p.Dir, "effects"))
	got.chain = chain(t, c, id, began)
	return got
}

// effects counts the lines of a file.
func effects(t *testing.T, name string) map[string]int {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	counts := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		what, key, _ := strings.Cut(lines.Text(), " ")
		_, key, _ = strings.Cut(key, "/")
		counts[what+" "+key]++
	}
	return counts
}

// chain reads the history of a workflow, of its last run if run is empty, and of those that it continues as.
func chain(t *testing.T, c client.Client, id, run string) (list []*history.History) {
	t.Helper()
	for run != "" || list == nil {
		h := new(history.History)
		for events := c.GetWorkflowHistory(t.Context(), id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
			e, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			h.Events = append(h.Events, e)
		}
		list = append(list, h)
		run = h.Events[len(h.Events)-1].GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
	}
	return list
}

// replayed holds that no task of workflows has failed, and that their histories replay.
func replayed(t *testing.T, of travelled, events int) {
	t.Helper()
	g, err := journey(of.dir, events, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := worker.NewWorkflowReplayer()
	g.RegisterWorkflow(r)
	for i, h := range of.chain {
		for _, e := range h.Events {
			if e.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_FAILED {
				t.Errorf("workflow %d: a task has failed: %v", i, e.GetWorkflowTaskFailedEventAttributes().GetFailure())
			}
		}
		if err := r.ReplayWorkflowHistory(silent, h); err != nil {
			t.Errorf("workflow %d: %v", i, err)
		}
	}
}

// TestJourney holds that a run with a model, tools, branches, people and a subgraph is on a server what it is with the tests' own: in one workflow, in
// many that continue each other, and with workers that are killed within an effect.
func TestJourney(t *testing.T) {
	s := temporaltest.NewServer(temporaltest.WithBaseClientOptions(client.Options{Logger: silent}))
	defer s.Stop()
	want := travel(t, s, "whole", 10_000, 0)
	if want.out.Rounds != 2 || len(want.out.Notes) != 4 || want.out.Seat != "7a" || len(want.chain) != 1 {
		t.Fatalf("it gives %+v in %d workflows", want.out, len(want.chain))
	}
	for effect, n := range want.effects {
		if n > 1 && !strings.HasPrefix(effect, "weather ") { // which fails once
			t.Errorf("%s happened %d times", effect, n)
		}
	}
	replayed(t, want, 10_000)
	for _, row := range []struct {
		name   string
		events int
		kill   int64
	}{{"handed over", 1, 0}, {"killed", 10_000, 1}, {"killed later", 10_000, 5}, {"killed and handed over", 1, 3}} {
		t.Run(row.name, func(t *testing.T) {
			begun := time.Now()
			got := travel(t, s, row.name, row.events, row.kill)
			if !reflect.DeepEqual(got.out, want.out) {
				t.Errorf("it gives %+v, not %+v", got.out, want.out)
			}
			more := 0
			for effect, n := range got.effects {
				if want.effects[effect] == 0 {
					t.Errorf("an effect has another key: %s", effect)
				}
				more += n - want.effects[effect]
			}
			if len(got.effects) != len(want.effects) || more > 0 && row.kill == 0 || more > 1 {
				t.Errorf("%d effects happened again; the effects are %v, not %v", more, got.effects, want.effects)
			}
			if handed := row.events == 1; handed != (len(got.chain) > 8) {
				t.Errorf("it is in %d workflows", len(got.chain))
			}
			replayed(t, got, row.events)
			t.Logf("%d workflows, %d effects happened again, %s", len(got.chain), more, time.Since(begun).Round(time.Millisecond))
		})
	}
}

// TestGolden holds that the scenarios of golden machines are on a server what they are locally, where no time passes in them. Their programs are built by
// the tests of contrib/temporal, since this module has the server's versions of all others.
func TestGolden(t *testing.T) {
	s := temporaltest.NewServer(temporaltest.WithBaseClientOptions(client.Options{Logger: silent}))
	defer s.Stop()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-v", "-timeout=1h", "-run=^TestGolden(Children)?$", ".")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOWORK=", server.Address+"="+s.GetFrontendHostPort(), server.Namespace+"="+s.GetDefaultNamespace())
	out, err := cmd.CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Error(err)
	}
}

// ballot returns a graph that has its people in child workflows.
func ballot(dir string, note func(context.Context, string)) (*graphs.BallotTemporal, error) {
	store := temporal.WithStore(temporal.Folder(dir), 0)
	reason, err := graphs.NewReasonTemporal(chat.ModelFunc(graphs.Inviter), store)
	if err != nil {
		return nil, err
	}
	vote, err := graphs.NewVoteTemporal(&graphs.Pollster{Note: note}, chat.ModelFunc(graphs.Inviter), reason, store)
	if err != nil {
		return nil, err
	}
	return graphs.NewBallotTemporal(vote, store)
}

// TestChildWorkflows holds that child workflows ask people on a server, also when each answer finds another worker, and that all histories replay.
func TestChildWorkflows(t *testing.T) {
	s := temporaltest.NewServer(temporaltest.WithBaseClientOptions(client.Options{Logger: silent}))
	defer s.Stop()
	var mu sync.Mutex
	counted := map[string]int{}
	g, err := ballot(t.TempDir(), func(ctx context.Context, effect string) {
		mu.Lock()
		defer mu.Unlock()
		counted[effect+" "+graphgen.IdempotencyKey(ctx)]++
	})
	if err != nil {
		t.Fatal(err)
	}
	c := s.GetDefaultClient()
	w := s.NewWorker(queue, func(r worker.Registry) { g.Register(r) })
	in := graphs.BallotInput{Names: []string{"Ann", "Bob", "Cem"}}
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "ballot", TaskQueue: queue}, g.Name(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []temporal.Answer{
		{Request: "1/vote.1/consent.1", Answer: json.RawMessage(`"deny"`), By: "Bob", Note: "in writing"},
		{Request: "0/vote.1/consent.1", Answer: json.RawMessage(`"approve"`)},
		{Request: "1/own/vote.1/reason.1/ask.1", Answer: json.RawMessage(`{"why":"no","weight":3}`)},
		{Request: "2/vote.1/consent.1", Answer: json.RawMessage(`"approve"`)},
		{Request: "1/other/vote.1/reason.1/witness.1", Answer: json.RawMessage(`"nothing"`)},
		{Request: "1/vote.1/reason.1/check.1", Answer: json.RawMessage(`"approve"`)},
		{Request: "lead.1", Answer: json.RawMessage(`"fine"`)},
	} {
		answer(t, c, "ballot", "answer", a)
		w.Stop()
		w = s.NewWorker(queue, func(r worker.Registry) { g.Register(r) })
	}
	var out graphs.BallotOutput
	if err := run.Get(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	w.Stop()
	if got := strings.Join(out.Votes, ", ") + ": " + out.Verdict; got !=
		"Ann is invited, Ann votes, Bob is invited, Bob votes no (by Bob, in writing), Cem is invited, Cem votes: fine" {
		t.Errorf("it gives %s", got)
	}
	if len(counted) != 3 {
		t.Errorf("the effects are %v", counted)
	}
	r := worker.NewWorkflowReplayer()
	g.RegisterWorkflow(r)
	for _, id := range []string{"ballot", "ballot/0/2.vote", "ballot/1/2.vote", "ballot/2/2.vote", "ballot/1/2.vote/1/3.reason"} {
		h := chain(t, c, id, "")[0]
		for _, e := range h.Events {
			if e.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_FAILED {
				t.Errorf("%s: a task has failed: %v", id, e.GetWorkflowTaskFailedEventAttributes().GetFailure())
			}
		}
		o := worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: id}}
		if err := r.ReplayWorkflowHistoryWithOptions(silent, h, o); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestHistory holds that a call of a model costs at most 900 bytes of history as the server counts it, however long the conversation is.
func TestHistory(t *testing.T) {
	s := temporaltest.NewServer(temporaltest.WithBaseClientOptions(client.Options{Logger: silent}))
	defer s.Stop()
	m := chat.ModelFunc(func(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		return &chat.Response{
			Message: chat.Message{Role: chat.RoleAssistant, Text: strings.Repeat("the answer ", 90)}, Finish: chat.Stop,
			Usage: chat.Usage{Input: 20_000, Output: 250}, Model: "model-2026-11", ID: "resp_0123456789",
		}, nil
	})
	for _, turns := range []int{50, 200, 1000} {
		g, err := graphs.NewChatTemporal(m, temporal.WithStore(temporal.Folder(t.TempDir()), 0))
		if err != nil {
			t.Fatal(err)
		}
		on := "chat-" + strconv.Itoa(turns)
		w := s.NewWorker(on, func(r worker.Registry) { g.Register(r) })
		begun := time.Now()
		run, err := s.GetDefaultClient().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: on, TaskQueue: on}, g.Name(),
			graphs.ChatInput{Message: strings.Repeat("the question ", 80), Turns: &turns})
		if err != nil {
			t.Fatal(err)
		}
		began := run.GetRunID()
		if err := run.Get(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		w.Stop()
		all := chain(t, s.GetDefaultClient(), on, began)
		size := int64(0)
		for _, h := range all {
			begun := h.Events[0].GetWorkflowExecutionStartedEventAttributes()
			d, err := s.GetDefaultClient().DescribeWorkflowExecution(t.Context(), on, begun.GetOriginalExecutionRunId())
			if err != nil {
				t.Fatal(err)
			}
			size += d.WorkflowExecutionInfo.HistorySizeBytes
		}
		t.Logf("%d calls: %d bytes, %d a call, %d workflows, %s", turns, size, size/int64(turns), len(all), time.Since(begun).Round(time.Millisecond))
		if size/int64(turns) > 900 {
			t.Errorf("%d calls: %d bytes a call", turns, size/int64(turns))
		}
	}
}
