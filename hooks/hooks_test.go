package hooks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/subgraph/lookup"
	"github.com/graphgen/graphgen/golden/visits"
	"github.com/graphgen/graphgen/hooks"
)

// A game is the handlers of the graph visits, of which one takes a while.
type game struct{ slow time.Duration }

func (g game) Ping(context.Context) (visits.VisitsPingOut, error) {
	time.Sleep(g.slow)
	return visits.VisitsPingOut{N: 1}, nil
}
func (game) Pong(context.Context, *visits.VisitsState) error    { return nil }
func (game) Rest(context.Context, *visits.VisitsState) error    { return errors.New("a secret") }
func (game) Limited(context.Context, *visits.VisitsState) error { return nil }
func (game) Rescue(context.Context, *visits.VisitsState) error  { return nil }
func (game) Never(context.Context, *visits.VisitsState) error   { return nil }

func play(t *testing.T, g game, options ...graphgen.RunOption) (path string, reason graphgen.Reason, err error) {
	t.Helper()
	m, err := visits.NewVisits(g)
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	_, err = m.Run(t.Context(), visits.VisitsInput{}, append(options, graphgen.WithReport(&report))...)
	return strings.Join(report.NodePath(), " "), report.Reason, err
}

// TestMaxSteps holds that a run may have fewer steps than the spec allows, never more.
func TestMaxSteps(t *testing.T) {
	const all = "ping pong ping pong ping pong rest rescue"
	for most, want := range map[int]string{8: all, 1000: all, 7: "ping pong ping pong ping pong rest", 1: "ping"} {
		for _, observed := range []bool{false, true} {
			options := []graphgen.RunOption{hooks.MaxSteps(most), hooks.MaxSteps(2000)}
			if observed {
				options = append(options, graphgen.WithObserver(func(graphgen.Event) {}))
			}
			path, reason, err := play(t, game{}, options...)
			steps, ends := errors.AsType[*graphgen.LimitError](err)
			if ends != (want != all) || path != want ||
				ends && (steps.Limit != graphgen.LimitSteps || steps.Max != float64(most) || reason != graphgen.MaxSteps) {
				t.Errorf("at most %d: %s, %v", most, path, err)
			}
		}
	}
}

// TestCycles holds which paths are cycles.
func TestCycles(t *testing.T) {
	for times, want := range map[int]string{2: "ping pong ping", 3: "ping pong ping pong ping",
		4: "ping pong ping pong ping pong rest rescue"} {
		path, _, err := play(t, game{}, hooks.Cycles(times))
		cycle, found := errors.AsType[*hooks.CycleError](err)
		if path != want || found != (times < 4) || found && !slices.Equal(cycle.Path, []string{"ping", "pong"}) {
			t.Errorf("%d times: %s, %v", times, path, err)
		}
	}
	if path, _, err := play(t, game{}, hooks.Cycles(2, "pong", "rest")); path != "ping pong ping" || !strings.Contains(fmt.Sprint(err),
		"2 times at pong without progress") {
		t.Errorf("%s, %v", path, err)
	}
	if path, _, err := play(t, game{}, hooks.Cycles(2, "rest")); !strings.HasSuffix(path, "rescue") {
		t.Errorf("%s, %v", path, err)
	}
}

// TestStates holds that a run ends which is at a node with the same state again.
func TestStates(t *testing.T) {
	same := func(*visits.VisitsState) string { return "" }
	other := func(s *visits.VisitsState) string { return fmt.Sprint(s.N) }
	if path, _, err := play(t, game{}, hooks.States(2, other)); !strings.HasSuffix(path, "rescue") {
		t.Errorf("%s, %v", path, err)
	}
	if path, reason, err := play(t, game{}, hooks.States(3, same)); path != "ping pong ping pong" || reason != graphgen.Failed {
		t.Errorf("%s, %v", path, err)
	}
	if path, _, err := play(t, game{}, hooks.States(2, same, "pong")); path != "ping pong ping" {
		t.Errorf("%s, %v", path, err)
	}
	if path, _, err := play(t, game{}, hooks.States(2, func(*lookup.LookupState) string { return "" })); !strings.HasSuffix(path, "rescue") {
		t.Errorf("%s, %v", path, err)
	}
}

// TestTiming holds that the time of nodes is summed over runs, and that a budget ends a run where it governs.
func TestTiming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exceeded := 0
		watch := &hooks.Timing{Budgets: map[string]time.Duration{"ping": time.Second, "pong": time.Second},
			Exceeded: func(e graphgen.Event, budget time.Duration) {
				if exceeded++; e.Node != "ping" || budget != time.Second || e.Took() != 2*time.Second {
					t.Errorf("%s took %s", e.Node, e.Took())
				}
			}}
		for range 2 {
			if path, _, err := play(t, game{slow: 2 * time.Second}, watch.Option("ping", "rest")); !strings.HasSuffix(path, "rescue") {
				t.Errorf("%s, %v", path, err)
			}
		}
		want := hooks.NodeTime{Steps: 6, Total: 12 * time.Second, Longest: 2 * time.Second, Exceeded: 6}
		if got := watch.Nodes(); got["ping"] != want || got["rest"].Steps != 2 || len(got) != 2 || exceeded != 6 {
			t.Errorf("%+v, %d times", got, exceeded)
		}
		path, reason, err := play(t, game{slow: 2 * time.Second}, (&hooks.Timing{Budgets: watch.Budgets, Governing: true}).Option())
		if path != "ping" || reason != graphgen.Budget || !strings.Contains(fmt.Sprint(err), "seconds of node ping") {
			t.Errorf("%s ended as %s: %v", path, reason, err)
		}
	})
}

// TestLog holds the lines of a log, and that each names its run where several run at once.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		if _, _, err := play(t, game{slow: time.Second}, hooks.Log(&log, "rest"), graphgen.WithRunID("a b")); err != nil {
			t.Fatal(err)
		}
		want := `2000-01-01T00:00:00.000Z run_start run="a b" graph=visits
2000-01-01T00:00:00.000Z route run="a b" graph=visits to=ping rule=entry
2000-01-01T00:00:03.000Z node_start run="a b" graph=visits node=rest kind=func step=7 visit=1
2000-01-01T00:00:03.000Z node_error run="a b" graph=visits node=rest kind=func step=7 visit=1 failed=true
2000-01-01T00:00:03.000Z route run="a b" graph=visits node=rest kind=func step=7 visit=1 to=rescue rule=error
2000-01-01T00:00:03.000Z run_end run="a b" graph=visits reason=completed steps=8
`
		if log.String() != want {
			t.Errorf("the log is\n%s", log.String())
		}
	})
	var mu sync.Mutex
	var log bytes.Buffer
	lines := writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(p)
	})
	option := hooks.Log(lines)
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() { _, _, _ = play(t, game{}, option, graphgen.WithRunID(fmt.Sprint("run", i, "."))) })
	}
	wait.Wait()
	for i := range 20 {
		if n := strings.Count(log.String(), fmt.Sprint(" run=run", i, ". ")); n != 29 {
			t.Errorf("run %d has %d lines", i, n)
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
