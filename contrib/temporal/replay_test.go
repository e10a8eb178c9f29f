package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

func init() { worker.SetStickyWorkflowCacheSize(0) } // each workflow task executes the workflow from its beginning

var silent = log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))

// played runs a graph once on a server with a worker.
func played[M, I, O, S any](t *testing.T, g *temporal.Graph[M, I, O, S], in I, lose func(kind string, n int) bool) (out O, s *frontend.Server, err error) {
	t.Helper()
	s, err = frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	s.Lose = lose
	w := worker.New(s.Client(), "graphs", worker.Options{Identity: "worker@host"})
	g.Register(w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: "graphs"}, g.Name(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out, s, run.Get(t.Context(), &out)
}

// effects counts what activities did, by the keys of their effects.
type effects struct {
	mu   sync.Mutex
	keys map[string]int
}

func (e *effects) happens(ctx context.Context, what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.keys == nil {
		e.keys = map[string]int{}
	}
	e.keys[what+" "+graphgen.IdempotencyKey(ctx)]++
}

// inspector are handlers and tools with effects.
type inspector struct{ effects }

func (i *inspector) Inspect(ctx context.Context, _ temporaltest.InquiryInspectIn) (temporaltest.InquiryInspectOut, error) {
	i.happens(ctx, "inspect")
	if graphgen.Info(ctx).Attempt == 1 {
		return temporaltest.InquiryInspectOut{}, graphgen.Transient(errors.New("busy"))
	}
	return temporaltest.InquiryInspectOut{Score: 7}, nil
}
func (*inspector) Sane(context.Context, temporaltest.InquiryInspectOut) error { return nil }
func (i *inspector) LookUp(ctx context.Context, _ temporaltest.InquiryLookUpArgs) (int, error) {
	i.happens(ctx, "look up")
	return 42, nil
}
func (i *inspector) Search(ctx context.Context, args temporaltest.InquirySearchArgs) ([]string, error) {
	i.happens(ctx, "search "+args.Query)
	return []string{args.Query}, nil
}

// TestReplay holds that a run with branches, retries and concurrent calls is the same at each replay, whatever a worker that ends has not answered:
// each workflow task replays the whole history. Effects have the keys that they have without losses, and observers count once.
func TestReplay(t *testing.T) {
	want, _ := investigated(t, nil, true)
	boundaries, repeated := tier.Pick(2, 12, 40), false
	for _, kind := range []string{"workflow", "activity"} {
		for n := 1; n <= boundaries; n++ {
			got, again := investigated(t, func(of string, k int) bool { return of == kind && k == n }, false)
			if !slices.Equal(got, want) {
				t.Errorf("answer %d of a task of kind %s is lost: the effects are %q, and %q without", n, kind, got, want)
			}
			repeated = repeated || again
		}
	}
	if !repeated && !testing.Short() {
		t.Error("no effect has happened again")
	}
}

// investigated runs the graph inquiry, and returns the keys of its effects. again reports whether one has happened twice.
func investigated(t *testing.T, lose func(kind string, n int) bool, once bool) (keys []string, again bool) {
	t.Helper()
	i := new(inspector)
	var mu sync.Mutex
	events := map[string]int{}
	observe := graphgen.WithObserver(func(e graphgen.Event) {
		mu.Lock()
		defer mu.Unlock()
		events[fmt.Sprint(e.Kind, e.Run.Branch, e.Node, e.Step, e.Tool().ID, e.Model().Call)]++
	})
	g, err := temporaltest.NewInquiryTemporal(i, i, talkTwice(), temporal.WithStore(temporal.NewMemory(), 0), temporal.WithRuns(observe))
	if err != nil {
		t.Fatal(err)
	}
	out, s, err := played(t, g, temporaltest.InquiryInput{Message: "a dent"}, lose)
	if err != nil || out.Score != 7 || out.Reply != "All is well." {
		t.Errorf("it gives %+v, %v", out, err)
	}
	if f := s.Failures(); len(f) > 0 {
		t.Errorf("workflow tasks failed: %q", f)
	}
	for key, n := range i.keys {
		_, key, _ = strings.Cut(key, "/") // without the ID of the run
		keys, again = append(keys, key), again || n > 1 && !strings.HasPrefix(key, "inspect")
	}
	slices.Sort(keys)
	if once {
		for e, n := range events {
			if n != 1 && !strings.HasPrefix(e, "retry") {
				t.Errorf("observers got %d times %s", n, e)
			}
		}
		if len(events) < 15 {
			t.Errorf("observers got %d events", len(events))
		}
		r := worker.NewWorkflowReplayer()
		g.RegisterWorkflow(r)
		if err := r.ReplayWorkflowHistory(silent, s.History()); err != nil {
			t.Errorf("its history: %v", err)
		}
	}
	return keys, again
}

// talkTwice is talk, for models that are asked again.
func talkTwice() chat.Model {
	return chat.ModelFunc(func(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		if len(r.Messages) > 1 {
			return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "All is well."}, Finish: chat.Stop}, nil
		}
		return &chat.Response{Finish: chat.ToolCalls, Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{
			{ID: "1", Name: "look_up", Arguments: `{"order":"7"}`}, {ID: "2", Name: "search", Arguments: `{"query":"dent"}`},
			{ID: "3", Name: "search", Arguments: `{"query":"all"}`},
		}}}, nil
	})
}
