package hooks_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/hooks"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// after returns the function of an option's hook that is called behind steps.
func after(t *testing.T, o graphgen.Option) func(graphgen.Event) error {
	t.Helper()
	var s optionset.Settings
	option.Set(&s, o)
	if len(s.Hooks) != 1 {
		t.Fatalf("the option has %d hooks", len(s.Hooks))
	}
	return func(e graphgen.Event) error { return s.Hooks[0].After(t.Context(), e) }
}

// ended is the end of a step that took so long.
func ended(node string, took time.Duration) graphgen.Event {
	return graphgen.Event{Kind: graphgen.NodeEnd, Run: details, Node: node, Details: origin.Details{Wait: took}}
}

// TestTimingOfEvents holds which steps are measured, and compared with a budget: a step that takes just as long is in it.
func TestTimingOfEvents(t *testing.T) {
	exceeded := 0
	watch := &hooks.Timing{Budgets: map[string]time.Duration{"details/draft": time.Second, "draft": 1},
		Exceeded: func(graphgen.Event, time.Duration) { exceeded++ }}
	step := after(t, watch.Option())
	skipped, dynamic, failed := ended("draft", time.Hour), ended("made_up", time.Hour), ended("draft", 3*time.Second)
	skipped.Skipped, dynamic.Dynamic, failed.Kind = true, true, graphgen.NodeFailed
	for _, e := range []graphgen.Event{ended("draft", time.Second), failed, ended("fix", time.Minute), skipped, dynamic} {
		if err := step(e); err != nil {
			t.Error(err)
		}
	}
	got := watch.Nodes()
	if want := (hooks.NodeTime{Steps: 2, Total: 4 * time.Second, Longest: 3 * time.Second, Exceeded: 1}); got["details/draft"] != want ||
		len(got) != 2 || exceeded != 1 {
		t.Errorf("%+v, exceeded %d times", got, exceeded)
	}
	got["details/draft"] = hooks.NodeTime{}
	if watch.Nodes()["details/draft"].Steps != 2 {
		t.Error("the map that Nodes returns is that of the timing")
	}
}

// TestGoverningTiming holds the error that ends a run.
func TestGoverningTiming(t *testing.T) {
	watch := &hooks.Timing{Budgets: map[string]time.Duration{"details/draft": time.Second}, Governing: true}
	err, ok := errors.AsType[*graphgen.LimitError](after(t, watch.Option("details/draft"))(ended("draft", 1500*time.Millisecond)))
	if !ok || *err != (graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "seconds of node details/draft", Max: 1, Used: 1.5}) {
		t.Errorf("the error is %v", err)
	}
	if err := after(t, watch.Option("fix"))(ended("draft", time.Hour)); err != nil {
		t.Errorf("a node that is not watched: %v", err)
	}
}

// TestTimingOfConcurrentRuns holds that no step of runs at the same time is lost.
func TestTimingOfConcurrentRuns(t *testing.T) {
	var watch hooks.Timing
	step := after(t, watch.Option())
	var wait sync.WaitGroup
	for range 100 {
		wait.Go(func() {
			for range 10 {
				_ = step(ended("draft", 1))
				watch.Nodes()
			}
		})
	}
	wait.Wait()
	if got := watch.Nodes()["details/draft"]; got != (hooks.NodeTime{Steps: 1000, Total: 1000, Longest: 1}) {
		t.Errorf("%+v", got)
	}
}
