package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// A travelled journey is what came of a run.
type travelled struct {
	out      temporaltest.JourneyOutput
	report   graphgen.Report
	effects  []string
	observed map[string]int
	earlier  []int // events of the histories before the last
}

// travel runs the graph journey, whose histories have at most a number of events.
func travel(t *testing.T, lose func(kind string, n int) bool, opts ...temporal.Option) (got travelled) {
	t.Helper()
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	s.Lose = lose
	got.observed = map[string]int{}
	e := new(effects)
	h := &temporaltest.Traveller{Note: e.happens}
	observe := graphgen.WithObserver(func(of graphgen.Event) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if of.Kind == graphgen.NodeEnd || of.Kind == graphgen.RunEnd {
			got.observed[fmt.Sprint(of.Kind, " ", of.Run.Graph, ".", of.Node, " ", of.Step)]++
		}
		if of.Kind == graphgen.RunEnd && of.Run.Within == "" && of.Run.Branch == "" {
			got.report = *of.Report()
		}
	})
	store := temporal.WithStore(temporal.Folder(t.TempDir()), 0)
	stay, err := temporaltest.NewStayTemporal(h, store)
	if err != nil {
		t.Fatal(err)
	}
	g, err := temporaltest.NewJourneyTemporal(h, h, chat.ModelFunc(temporaltest.Planner), stay, append(opts, store, temporal.WithRuns(observe))...)
	if err != nil {
		t.Fatal(err)
	}
	defer works(t, s, g)()
	run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "journey", TaskQueue: "payments"}, g.Name(),
		temporaltest.JourneyInput{To: "Rome"})
	if err != nil {
		t.Fatal(err)
	}
	agreed(t, s)
	if err := run.Get(t.Context(), &got.out); err != nil {
		t.Fatal(err)
	}
	if f := s.Failures(); len(f) > 0 {
		t.Errorf("workflow tasks failed: %q", f)
	}
	for key, n := range e.keys {
		what, key, _ := strings.Cut(key, " ")
		_, key, _ = strings.Cut(key, "/") // without the ID of the run
		got.effects = append(got.effects, what+" "+key)
		if n > 1 && lose == nil && what != "weather" { // which fails once
			t.Errorf("%s happened %d times", key, n)
		}
	}
	slices.Sort(got.effects)
	got.earlier = s.Earlier()
	return got
}

// agreed answers all that people are asked.
func agreed(t *testing.T, s *frontend.Server) {
	t.Helper()
	for range 2 {
		answered(t, s, "journey", "answer.lawyer", temporal.Answer{Answer: raw(`"yes"`)})
		answered(t, s, "journey", "answer.book/agree", temporal.Answer{Answer: raw(`"approve"`)})
	}
}

// answered sends an answer by an update, once the run of a workflow waits for it.
func answered(t *testing.T, s *frontend.Server, id, update string, a temporal.Answer) (status temporal.Status) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	for seen := 0; ; {
		if err := s.Await(ctx, id, func(events []*history.HistoryEvent) bool { // it changes before a run waits
			changed := len(events) != seen
			seen = len(events)
			return changed
		}); err != nil {
			t.Fatal(update, a.Request, err)
		}
		u, err := s.Client().UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
			WorkflowID: id, UpdateName: update, WaitForStage: client.WorkflowUpdateStageCompleted, Args: []any{a},
		})
		if err == nil {
			err = u.Get(ctx, &status)
		}
		if err == nil {
			return status
		}
		if !strings.Contains(err.Error(), "pause") {
			t.Fatal(update, a.Request, err)
		}
	}
}

// TestHandover holds that a run which is handed over from one workflow to the next after each of its steps is the run that it is in one.
func TestHandover(t *testing.T) {
	want := travel(t, nil)
	if want.out.Plan == "" || want.out.Rounds != 2 || len(want.out.Notes) != 4 || want.out.Seat != "7a" || len(want.earlier) != 0 {
		t.Fatalf("it gives %+v", want.out)
	}
	got := travel(t, nil, temporal.WithHistory(1))
	if len(got.earlier) < 8 {
		t.Errorf("it was handed over after %d events", got.earlier)
	}
	if !reflect.DeepEqual(got.out, want.out) {
		t.Errorf("it gives %+v, and in one workflow %+v", got.out, want.out)
	}
	if !slices.Equal(got.effects, want.effects) {
		t.Errorf("its effects are %q, and in one workflow %q", got.effects, want.effects)
	}
	for e, n := range got.observed {
		if n != want.observed[e] {
			t.Errorf("observers get %s %d times, and in one workflow %d times", e, n, want.observed[e])
		}
	}
	for e := range want.observed {
		if got.observed[e] == 0 {
			t.Errorf("observers do not get %s", e)
		}
	}
	for _, r := range []*graphgen.Report{&got.report, &want.report} {
		r.ID, r.Detail, r.Nested, r.Origin = "", nil, nil, want.report.Origin // reports of earlier child runs are lost
		for i := range r.Nodes {
			r.Nodes[i].Time = 0 // of the last workflow
		}
	}
	is, was := strings.Fields(fmt.Sprintf("%+v", got.report)), strings.Fields(fmt.Sprintf("%+v", want.report))
	for i := range min(len(is), len(was)) {
		if is[i] != was[i] {
			t.Fatalf("the report has %q, and in one workflow %q", is[max(0, i-5):i+1], was[max(0, i-5):i+1])
		}
	}
}

// TestHistoryBound holds that no history has more events than it may, where the compiler knows what a step adds.
func TestHistoryBound(t *testing.T) {
	turns, most := tier.Pick(10, 40, 1000), 40
	g, err := temporaltest.NewChatTemporal(talkTwice(), temporal.WithStore(temporal.Folder(t.TempDir()), 0), temporal.WithHistory(most))
	if err != nil {
		t.Fatal(err)
	}
	out, s, err := played(t, g, temporaltest.ChatInput{Message: "Hello.", Turns: &turns}, nil)
	if err != nil || out.Reply != "All is well." || len(s.Failures()) > 0 {
		t.Fatal(out, err, s.Failures())
	}
	histories := append(s.Earlier(), len(s.History().Events))
	if longest := slices.Max(histories); longest > most || len(histories) < turns*6/most {
		t.Errorf("%d calls have histories of %d events", turns, histories)
	}
}

// TestHandoverAfterLosses holds that what workers do not answer changes nothing of a run that is handed over.
func TestHandoverAfterLosses(t *testing.T) {
	want := travel(t, nil)
	boundaries := tier.Pick(1, 8, 60)
	for _, kind := range []string{"workflow", "activity"} {
		for n := 1; n <= boundaries; n++ {
			got := travel(t, func(of string, k int) bool { return of == kind && k == n }, temporal.WithHistory(1))
			if !reflect.DeepEqual(got.out, want.out) || !slices.Equal(got.effects, want.effects) {
				t.Errorf("answer %d of a task of kind %s is lost: it gives %+v, and its effects are %q", n, kind, got.out, got.effects)
			}
		}
	}
}

// TestHandoverWithoutImage holds that a run fails whose state has no JSON where it is to be handed over: the workflow ends, and observers get the end.
func TestHandoverWithoutImage(t *testing.T) {
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	var ends atomic.Int32
	observe := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.RunEnd && e.Err != nil {
			ends.Add(1)
		}
	})
	g, err := temporaltest.NewRatioTemporal(temporal.WithHistory(1), temporal.WithRuns(observe))
	if err != nil {
		t.Fatal(err)
	}
	defer works(t, s, g)()
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	run, err := s.Client().ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "ratio", TaskQueue: "payments"}, g.Name(),
		temporaltest.RatioInput{A: 1, B: 0})
	if err != nil {
		t.Fatal(err)
	}
	err = run.Get(ctx, nil)
	app, ok := errors.AsType[*sdk.ApplicationError](err)
	if !ok || app.Type() != graphgen.Failed.String() || !strings.Contains(err.Error(), "JSON") {
		t.Errorf("the workflow ends with %v", err)
	}
	if f := len(s.Failures()); f > 0 || ends.Load() != 1 {
		t.Errorf("%d workflow tasks failed; observers got %d ends", f, ends.Load())
	}
}
