package engine_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

// waits is a handler that runs until its context ends, and returns what the context says.
func waits(ctx context.Context, n *int) (bool, error) {
	*n++
	<-ctx.Done()
	return false, ctx.Err()
}

func TestCancelledNodeCause(t *testing.T) {
	reason := errors.New("the user left")
	for name, c := range map[string]struct {
		err  error
		text string
	}{
		"with the context's error": {context.Canceled, "the user left: context canceled"},
		"with the cause":           {reason, "the user left"},
		"with an error of its own": {errors.New("no disk"), "the user left: no disk"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			m := newCounter(50, func(context.Context, *int) (bool, error) {
				cancel(reason)
				return false, c.err
			})
			m.graph.Nodes[1].OnError = nil
			_, err := m.Run(ctx)
			if !errors.Is(err, reason) || !errors.Is(err, c.err) {
				t.Errorf("the error wraps not both: %v", err)
			}
			if want := `counter.graph.yaml:5:3: graph counter: node "count" (step 1): ` + c.text; err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
			run, _ := errors.AsType[*graphgen.RunError](err)
			node, ok := errors.AsType[*graphgen.NodeError](err)
			if !ok || run.Reason != graphgen.Stopped || run.Report.Failures[0].Err != node {
				t.Errorf("reason %v, failures %v", run.Reason, run.Report.Failures)
			}
		})
	}
}

func TestRunTimeoutInNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newCounter(50, waits)
		m.graph.Timeout, m.graph.Nodes[1].OnError = engine.TimeLimit(time.Minute), nil
		_, err := m.Run(t.Context())
		late, ok := errors.AsType[*graphgen.LimitError](err)
		if !ok || late.Of != "run" || !late.Timeout() {
			t.Fatalf("got %v", err)
		}
		if run, _ := errors.AsType[*graphgen.RunError](err); run.Reason != graphgen.Failed {
			t.Errorf("reason %v", run.Reason)
		}
	})
}

func TestTransitionsWithoutNode(t *testing.T) {
	var rep graphgen.Report
	var first graphgen.Event
	observe := func(e graphgen.Event) {
		if e.Kind == graphgen.Routed && first.Run == nil {
			first = e
		}
	}
	if _, err := newCounter(50, upTo(2)).Run(t.Context(), graphgen.WithObserver(observe), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if r := first.Route(); first.Node != "" || r.To != "count" || r.Rule != graphgen.RuleEntry {
		t.Errorf("the first route leaves %q by %v", first.Node, r)
	}
	if w := rep.Transitions[0]; w.From != "" || w.To != "count" || w.Count != 1 {
		t.Errorf("the report has %+v", w)
	}
}

func TestReportVisits(t *testing.T) {
	var rep graphgen.Report
	if _, err := newCounter(50, upTo(3)).Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if want := []graphgen.Visit{{Node: "count", Visit: 1}, {Node: "count", Visit: 2}, {Node: "count", Visit: 3}}; !slices.Equal(rep.Path, want) {
		t.Errorf("the path is %v", rep.Path)
	}
	taken := map[string]int{}
	for _, w := range rep.Transitions {
		taken[w.Rule.String()+" "+w.Text+" "+w.To] = w.Count
	}
	for transition, want := range map[string]int{"entry  count": 1, "edge if again count": 2, "edge  end": 1, "error  count": 0} {
		if got, ok := taken[transition]; !ok || got != want {
			t.Errorf("way %q: followed %d times, want %d", transition, got, want)
		}
	}
}

func TestTimings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
			*n++
			ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
			defer cancel()
			<-ctx.Done()
			if *n == 2 {
				return false, errors.New("broken")
			}
			return *n < 3, nil
		})
		var rep graphgen.Report
		if _, err := m.Run(t.Context(), graphgen.WithTimings(), graphgen.WithReport(&rep)); err != nil {
			t.Fatal(err)
		}
		if got := rep.Nodes[0]; got != (graphgen.NodeCount{Node: "count", Visits: 3, Time: 9 * time.Second}) {
			t.Errorf("got %+v", got)
		}
	})
}

// TestTimesOfLongRun holds that each step that the path of a very long run keeps has its own time.
func TestTimesOfLongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, steps := range []int{1, 15, 16, 17, 100, 16_384, 16_385, 40_000} {
			m := newCounter(steps+1, func(_ context.Context, n *int) (bool, error) {
				*n++
				time.Sleep(time.Duration(*n))
				return *n < steps, nil
			})
			var rep graphgen.Report
			if _, err := m.Run(t.Context(), graphgen.WithTimings(), graphgen.WithReport(&rep)); err != nil {
				t.Fatal(err)
			}
			if len(rep.Detail.Times) != len(rep.Path) || len(rep.Path)+rep.Dropped != steps {
				t.Fatalf("%d steps: %d times of a path of %d", steps, len(rep.Detail.Times), len(rep.Path))
			}
			for i, took := range rep.Detail.Times {
				if int(took) != rep.Path[i].Visit {
					t.Fatalf("%d steps: visit %d took %d ns", steps, rep.Path[i].Visit, took)
				}
			}
			if want := time.Duration(steps) * time.Duration(steps+1) / 2; rep.Detail.Duration != want || rep.Nodes[0].Time != want {
				t.Errorf("%d steps: the run took %s, its node %s, want %s", steps, rep.Detail.Duration, rep.Nodes[0].Time, want)
			}
		}
	})
}

func TestRefusalListedOnce(t *testing.T) {
	calls := 0
	refuse := func(context.Context, *int) (bool, error) {
		calls++
		if calls == 4 {
			return false, nil
		}
		return false, engine.Guarded(engine.Guard{Name: "short", Err: graphgen.Reject("too long")})
	}
	for name, c := range map[string]struct {
		policy   engine.Policy
		attempts []int
	}{
		"by a node that tries again": {engine.Policy{GuardRetries: 1}, []int{1, 2, 1}},
		"by a node that does not":    {engine.Policy{}, []int{1, 1}},
	} {
		calls = 0
		m := newCounter(50, refuse)
		m.policy = c.policy
		var rep graphgen.Report
		_, err := m.Run(t.Context(), graphgen.WithReport(&rep))
		if (err == nil) != (len(c.attempts) == 3) {
			t.Errorf("%s: %v", name, err)
		}
		var attempts []int
		for _, r := range rep.Refusals {
			attempts = append(attempts, r.Attempt)
			if r.Where.Node != "count" || !slices.Equal(r.Guards, []graphgen.GuardFailure{{Guard: "short", Message: "too long"}}) {
				t.Errorf("%s: got %+v", name, r)
			}
		}
		if !slices.Equal(attempts, c.attempts) {
			t.Errorf("%s: refused in attempts %v, want %v", name, attempts, c.attempts)
		}
	}
}

func TestBudgetEvent(t *testing.T) {
	spent := func(ctx context.Context, e graphgen.Event) error {
		if e.Step < 2 {
			return nil
		}
		return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 10, Used: 11}
	}
	for name, c := range map[string]struct {
		hook  graphgen.Hook
		kinds string
		steps int
	}{
		"after a step":  {graphgen.Hook{After: spent}, "node_start node_end budget run_end", 2},
		"before a step": {graphgen.Hook{Before: spent}, "node_start budget run_end", 1},
	} {
		c.hook.Name, c.hook.Governing = "budget", true
		var kinds []string
		observe := func(e graphgen.Event) {
			if e.Step == 2 && e.Kind != graphgen.Routed || e.Kind == graphgen.RunEnd {
				kinds = append(kinds, e.Kind.String())
			}
			if e.Kind == graphgen.OverBudget && (e.Step != 2 || e.Visit != 2 || e.Node != "count" || e.Err == nil) {
				t.Errorf("%s: the event is %+v", name, e)
			}
		}
		_, err := newCounter(50, upTo(9)).Run(t.Context(), graphgen.WithHook(c.hook), graphgen.WithObserver(observe))
		run, _ := errors.AsType[*graphgen.RunError](err)
		hook, ok := errors.AsType[*graphgen.HookError](err)
		if !ok || run.Reason != graphgen.Budget || run.Report.Steps != c.steps || hook.Where.Step != 2 || hook.Where.Visit != 2 {
			t.Errorf("%s: got %v", name, err)
		}
		if got := strings.Join(kinds, " "); got != c.kinds {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.kinds)
		}
	}
}

// TestReportOfEvent holds that the report of the last event is made once, whenever it is asked for, and is that of the moment of the event.
func TestReportOfEvent(t *testing.T) {
	var want graphgen.Report
	var events []graphgen.Event
	observe := func(e graphgen.Event) {
		if events = append(events, e); e.Kind == graphgen.RunEnd {
			panic("at the end")
		}
	}
	for _, o := range []graphgen.RunOption{graphgen.WithReport(&want), graphgen.WithObserver(observe)} {
		if _, err := newCounter(50, upTo(3)).Run(t.Context(), graphgen.WithRunID("a"), o); err != nil {
			t.Fatal(err)
		}
	}
	var same [4]*graphgen.Report
	var all sync.WaitGroup
	for i := range same {
		all.Go(func() { e := events[len(events)-1]; same[i] = e.Report() })
	}
	all.Wait()
	got := same[0]
	want.Detail, want.Origin, want.Nodes[0].Time = nil, got.Origin, got.Nodes[0].Time // of another machine, and not timed
	if same != [4]*graphgen.Report{got, got, got, got} || !reflect.DeepEqual(*got, want) || got.Steps != 3 {
		t.Errorf("the reports are %v: %+v, want %+v", same, *got, want)
	}
	for _, e := range events[:len(events)-1] {
		if e.Report() != nil {
			t.Errorf("%s has a report", e.Kind)
		}
	}
}

// TestReportOfEventWithDetails holds that WithReport and the last event have one report, where both are asked for.
func TestReportOfEventWithDetails(t *testing.T) {
	var rep graphgen.Report
	var last graphgen.Event
	if _, err := newCounter(50, upTo(3)).Run(t.Context(), graphgen.WithReport(&rep), graphgen.WithObserver(func(e graphgen.Event) { last = e })); err != nil {
		t.Fatal(err)
	}
	if last.Report().Detail != rep.Detail || rep.Detail.Duration <= 0 {
		t.Errorf("the details are %+v, want %+v", last.Report().Detail, rep.Detail)
	}
}

// TestPathLength holds how many steps a report has, as Report.Path says.
func TestPathLength(t *testing.T) {
	const steps = 40_000
	var rep graphgen.Report
	for name, c := range map[string]struct {
		option graphgen.RunOption
		want   int
	}{
		"no option":   {graphgen.WithRunID("r"), 1_024},
		"a report":    {graphgen.WithReport(&rep), 16_384},
		"an observer": {graphgen.WithObserver(func(graphgen.Event) {}), 16_384},
	} {
		_, err := newCounter(steps, func(context.Context, *int) (bool, error) { return true, nil }).Run(t.Context(), c.option)
		run, ok := errors.AsType[*graphgen.RunError](err)
		if !ok {
			t.Fatal(err)
		}
		path := run.Report.Path
		if len(path) != c.want || run.Report.Dropped != steps-c.want || path[0].Visit != steps-c.want+1 || path[len(path)-1].Visit != steps {
			t.Errorf("%s: a path of %d, want %d; %d steps are dropped, the first is %+v", name, len(path), c.want, run.Report.Dropped, path[0])
		}
	}
}
