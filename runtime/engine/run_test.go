package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

// counter is a machine of one node that runs until its handler says so, shaped like
// generated code: what the kernel promises can be tested without a compiler.
type counter struct {
	graph  engine.Graph
	policy engine.Policy
	visits uint32
	handle func(ctx context.Context, n *int) (again bool, err error)
}

type counterRun struct {
	engine.Run
	n        int
	counters [8]uint32
}

func (r *counterRun) View() any { return &r.n }

const (
	_ engine.TransitionID = iota
	again
	toEnd
	failedAgain
)

func newCounter(maxSteps int, handle func(context.Context, *int) (bool, error)) *counter {
	return &counter{handle: handle, visits: 1 << 30, graph: engine.Graph{
		Name: "counter", File: "counter.graph.yaml", MaxSteps: maxSteps,
		Nodes: []engine.NodeInfo{{Name: "end"}, {Name: "count", Line: 5, Col: 3, MaxVisits: 1 << 30, OnError: []engine.TransitionID{failedAgain}}},
		Transitions: []engine.TransitionInfo{
			{To: 1, Rule: graphgen.RuleEntry},
			{From: 1, To: 1, Rule: graphgen.RuleEdge, Text: "if again", Line: 7},
			{From: 1, Rule: graphgen.RuleEdge, Line: 8},
			{From: 1, To: 1, Rule: graphgen.RuleError, Line: 9, Max: 1, Pair: failedAgain},
		},
	}}
}

// Run returns how far the counter is, beside an error too.
func (m *counter) Run(ctx context.Context, opts ...graphgen.RunOption) (int, error) {
	r := &counterRun{}
	frame := &engine.Frame{Counters: r.counters[:], Viewer: r}
	r.Start(ctx, &m.graph, frame, nil, opts)
	engine.Drive(m, r, &r.Run, (*counter).loop)
	_, err := engine.Finish(&r.Run, r.n)
	return r.n, err
}

func (m *counter) loop(ctx context.Context, r *counterRun) {
	for r.At != engine.End && !r.Cancelled() {
		next, transition := engine.End, toEnd
		var more bool
		var err error
		if m.policy == (engine.Policy{}) {
			more, err = m.handle(ctx, &r.n)
		} else {
			err = r.Execute(ctx, m.policy, func(ctx context.Context) (err error) {
				more, err = m.handle(ctx, &r.n)
				return err
			})
		}
		switch {
		case err != nil:
			r.Fail(err)
			continue
		case more:
			next, transition = 1, again
		}
		if !r.Follow(transition, next) {
			r.SlowStep(transition, next)
		}
	}
}

func upTo(limit int) func(context.Context, *int) (bool, error) {
	return func(_ context.Context, n *int) (bool, error) {
		*n++
		return *n < limit, nil
	}
}

func TestLongRunPath(t *testing.T) {
	const steps = 100_000
	var rep graphgen.Report
	n, err := newCounter(steps, upTo(steps)).Run(t.Context(), graphgen.WithReport(&rep))
	if err != nil || n != steps {
		t.Fatalf("got %d, %v", n, err)
	}
	if rep.Steps != steps || rep.Dropped+len(rep.Path) != steps || len(rep.Path) < 1<<13 {
		t.Fatalf("steps %d, dropped %d, path %d", rep.Steps, rep.Dropped, len(rep.Path))
	}
	if last := rep.Path[len(rep.Path)-1]; last != (graphgen.Visit{Node: "count", Visit: steps}) {
		t.Errorf("the last visit is %+v", last)
	}
	if got := rep.Transitions[again].Count; got != steps-1 {
		t.Errorf("the way back was followed %d times, want %d", got, steps-1)
	}
}

// TestCancelledBetweenNodes holds that a run whose loop asks the context ends as one does that looks at everything
// between two nodes: the node that was reached does not run, and does not count.
func TestCancelledBetweenNodes(t *testing.T) {
	for _, last := range []int{1, 2, 15, 16, 17, 63, 64, 65, 1024, 1 << 14, 1<<14 + 1, 20_000} {
		run := func(opts ...graphgen.RunOption) (int, graphgen.Report, string) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var rep graphgen.Report
			var ran int
			m := newCounter(30_000, func(_ context.Context, n *int) (bool, error) {
				if *n++; *n == last {
					cancel()
				}
				ran = *n
				return true, nil
			})
			_, err := m.Run(ctx, append(opts, graphgen.WithReport(&rep))...)
			if _, ok := errors.AsType[*graphgen.CancelledError](err); !ok || !errors.Is(err, context.Canceled) {
				t.Fatalf("cancelled in call %d: the error is %v", last, err)
			}
			for i := range rep.Nodes {
				rep.Nodes[i].Time = 0 // observed runs alone are timed
			}
			return ran, rep, err.Error()
		}
		ran, got, err := run()
		_, want, wantErr := run(graphgen.WithObserver(func(graphgen.Event) {}))
		if ran != last || got.Steps != last || err != wantErr {
			t.Errorf("cancelled in call %d: %d calls, %d steps, %s; want %s", last, ran, got.Steps, err, wantErr)
		}
		lost := 0
		if last >= 1<<14 { // the step that was taken back has the place of another
			lost = 1
		}
		if got.Dropped != want.Dropped+lost || !slices.Equal(got.Path, want.Path[lost:]) {
			t.Errorf("cancelled in call %d: the path has %d steps, without %d; want %d, without %d", last, len(got.Path),
				got.Dropped, len(want.Path), want.Dropped)
		}
		if !slices.Equal(got.Transitions, want.Transitions) || !slices.Equal(got.Nodes, want.Nodes) {
			t.Errorf("cancelled in call %d: the counts are %+v, %+v, want %+v, %+v", last, got.Transitions, got.Nodes, want.Transitions, want.Nodes)
		}
	}
}

func TestWatchingKeepsRun(t *testing.T) {
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	watch := map[string]struct {
		ctx  context.Context
		opts []graphgen.RunOption
	}{
		"unwatched":   {ctx: context.Background()},
		"cancellable": {ctx: cancellable},
		"observed":    {ctx: context.Background(), opts: []graphgen.RunOption{graphgen.WithObserver(func(graphgen.Event) {})}},
		"stoppable":   {ctx: context.Background(), opts: []graphgen.RunOption{graphgen.WithStopper(&graphgen.Stopper{})}},
		"timed":       {ctx: context.Background(), opts: []graphgen.RunOption{graphgen.WithTimings()}},
	}
	for _, steps := range []int{1, 63, 64, 65, 128, 1000} {
		for name, w := range watch {
			var rep graphgen.Report
			n, err := newCounter(steps, upTo(steps)).Run(w.ctx, append(w.opts, graphgen.WithReport(&rep))...)
			if n != steps || err != nil || rep.Steps != steps || rep.Reason != graphgen.Completed {
				t.Errorf("%s, %d steps: got %d, %v, %d steps, %v", name, steps, n, err, rep.Steps, rep.Reason)
			}
			_, err = newCounter(steps, upTo(steps+1)).Run(w.ctx, w.opts...)
			if e, ok := errors.AsType[*graphgen.LimitError](err); !ok || e.Limit != graphgen.LimitSteps || e.Max != float64(steps) {
				t.Errorf("%s, one step too many: %v", name, err)
			}
		}
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the user left")
	n, err := newCounter(50, func(_ context.Context, n *int) (bool, error) {
		*n++
		if *n == 3 {
			cancel(reason)
		}
		return true, nil
	}).Run(ctx)
	if n != 3 || !errors.Is(err, reason) {
		t.Fatalf("got %d, %v", n, err)
	}
	if run, _ := errors.AsType[*graphgen.RunError](err); run.Reason != graphgen.Stopped || run.Report.Steps != 3 {
		t.Errorf("reason %v after %d steps", run.Reason, run.Report.Steps)
	}
}

func TestStopper(t *testing.T) {
	var s graphgen.Stopper
	n, err := newCounter(50, func(_ context.Context, n *int) (bool, error) {
		*n++
		s.Stop()
		return true, nil
	}).Run(context.Background(), graphgen.WithStopper(&s))
	if _, ok := errors.AsType[*graphgen.StopError](err); !ok || n != 1 {
		t.Fatalf("got %d, %v", n, err)
	}
}

func TestRunTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
			*n++
			<-ctx.Done()
			return true, nil
		})
		m.graph.Timeout = engine.TimeLimit(time.Minute)
		_, err := m.Run(t.Context())
		late, ok := errors.AsType[*graphgen.LimitError](err)
		if !ok || *late != *engine.Late("run", time.Minute) {
			t.Fatalf("got %v", err)
		}
		if run, _ := errors.AsType[*graphgen.RunError](err); run.Reason != graphgen.Failed {
			t.Errorf("reason %v", run.Reason)
		}
	})
}

func TestLateDryRunStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newCounter(9, func(context.Context, *int) (bool, error) {
			<-time.After(time.Hour)
			return false, nil
		})
		m.graph.Timeout = engine.TimeLimit(time.Minute)
		var report graphgen.Report
		_, err := m.Run(t.Context(), graphgen.WithDryRun(), graphgen.WithReport(&report))
		if err != nil || report.Reason != graphgen.Stopped {
			t.Errorf("the run ended with %s and the error %v", report.Reason, err)
		}
	})
}

func TestPanic(t *testing.T) {
	calls := 0
	n, err := newCounter(50, func(_ context.Context, n *int) (bool, error) {
		if calls++; calls == 1 {
			panic("boom")
		}
		*n = 7
		return false, nil
	}).Run(t.Context())
	if n != 7 || err != nil {
		t.Fatalf("the error way was not taken: %d, %v", n, err)
	}
	_, err = newCounter(50, func(context.Context, *int) (bool, error) { panic(errors.New("no disk")) }).Run(t.Context())
	p, ok := errors.AsType[*graphgen.PanicError](err)
	if !ok || !strings.Contains(p.Stack, "TestPanic") {
		t.Fatalf("got %v", err)
	}
	if want := `counter.graph.yaml:5:3: graph counter: node "count" (step 2, visit 2): panic: no disk`; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestRetryTransientOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		begun := time.Now()
		m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
			attempts++
			if got := graphgen.Info(ctx).Attempt; got != attempts {
				t.Errorf("attempt %d knows itself as %d", attempts, got)
			}
			if attempts < 3 {
				return false, graphgen.Transient(errors.New("busy"))
			}
			return false, nil
		})
		m.policy = engine.Policy{Attempts: 3, Wait: time.Second, MaxWait: 8 * time.Second}
		var rep graphgen.Report
		if _, err := m.Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < 1500*time.Millisecond || took > 3*time.Second {
			t.Errorf("waited %v, want 1 s + 2 s less up to half as jitter", took)
		}
		if rep.Steps != 1 || rep.Retries != 2 {
			t.Errorf("%d steps, %d retries", rep.Steps, rep.Retries)
		}
		attempts = 0
		m.handle = func(context.Context, *int) (bool, error) { attempts++; return false, errors.New("wrong") }
		if _, err := m.Run(t.Context()); err == nil || attempts != 2 {
			t.Errorf("a permanent error was tried %d times in two visits: %v", attempts, err)
		}
	})
}

func TestAttemptTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
			<-ctx.Done()
			return false, nil
		})
		m.policy = engine.Policy{Timeout: time.Second}
		_, err := m.Run(t.Context())
		if late, ok := errors.AsType[*graphgen.LimitError](err); !ok || late.Limit != graphgen.LimitTimeout || late.Of != "node" {
			t.Fatalf("got %v", err)
		}
	})
}

func TestObserverPanic(t *testing.T) {
	var rep graphgen.Report
	n, err := newCounter(50, upTo(3)).Run(t.Context(), graphgen.WithReport(&rep),
		graphgen.WithObserver(func(graphgen.Event) { panic("observer") }),
		graphgen.WithHook(graphgen.Hook{Before: func(context.Context, graphgen.Event) error { return errors.New("no") }}))
	if n != 3 || err != nil {
		t.Fatalf("got %d, %v", n, err)
	}
	if rep.HookFailures == 0 {
		t.Error("no failure was counted")
	}
}

func TestAGoverningHookEndsTheRun(t *testing.T) {
	budget := graphgen.Hook{Name: "budget", Governing: true, After: func(_ context.Context, e graphgen.Event) error {
		if e.Step < 2 {
			return nil
		}
		return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "steps", Max: 1, Used: 2}
	}}
	n, err := newCounter(50, upTo(9)).Run(t.Context(), graphgen.WithHook(budget))
	run, ok := errors.AsType[*graphgen.RunError](err)
	if !ok || run.Reason != graphgen.Budget || n != 2 {
		t.Fatalf("got %d, %v", n, err)
	}
	forbid := graphgen.Hook{Name: "gate", Governing: true, Before: func(context.Context, graphgen.Event) error { return errors.New("closed") }}
	n, err = newCounter(50, upTo(9)).Run(t.Context(), graphgen.WithHook(forbid))
	if run, _ := errors.AsType[*graphgen.RunError](err); run == nil || run.Reason != graphgen.Failed || n != 0 || run.Report.Steps != 0 {
		t.Fatalf("a hook before the first step: %d, %v", n, err)
	}
}

func TestStreamOrder(t *testing.T) {
	m := newCounter(50, upTo(2))
	stream := func() *graphgen.Stream[int] { return streamed(t.Context(), m) }
	var kinds []string
	s := stream()
	for e := range s.Events() {
		kinds = append(kinds, e.Kind.String())
		if n := graphgen.State[int](e); n == nil || *n > 2 {
			t.Errorf("%v: the state is %v", e.Kind, n)
		}
		if out, err := s.Output(); (err == nil && out == 2) != (e.Kind == graphgen.RunEnd) {
			t.Errorf("%v: the output is %d, %v", e.Kind, out, err)
		}
	}
	want := []string{"run_start", "route", "node_start", "node_end", "route", "node_start", "node_end", "route", "run_end"}
	if !slices.Equal(kinds, want) {
		t.Errorf("got  %v\nwant %v", kinds, want)
	}
	steps := 0
	m.handle = func(ctx context.Context, n *int) (bool, error) {
		steps++
		return true, ctx.Err()
	}
	for e := range stream().Events() {
		if e.Kind == graphgen.NodeStart && e.Step == 3 {
			break
		}
	}
	if steps > 3 {
		t.Errorf("the run made %d steps after the reader had left", steps)
	}
}

func TestStateOfFailedRun(t *testing.T) {
	_, err := newCounter(50, func(_ context.Context, n *int) (bool, error) {
		*n++
		if *n > 3 {
			return false, errors.New("broken")
		}
		return true, nil
	}).Run(t.Context())
	n, ok := graphgen.StateOf[int](err)
	if !ok || *n != 5 {
		t.Fatalf("got %v, %v", n, ok)
	}
	if _, ok := graphgen.StateOf[string](err); ok {
		t.Error("the state was given as another type")
	}
}

func TestConcurrentRuns(t *testing.T) {
	m := newCounter(500, upTo(200))
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			if n, err := m.Run(t.Context()); n != 200 || err != nil {
				t.Errorf("got %d, %v", n, err)
			}
		})
	}
	wg.Wait()
}

func TestAStepAllocatesNothing(t *testing.T) {
	allocs := func(steps int) float64 {
		m := newCounter(steps, upTo(steps))
		return testing.AllocsPerRun(20, func() {
			if _, err := m.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(engine.ShortPath), allocs(9*engine.ShortPath); many > few { // the path has its full length
		t.Errorf("%d steps allocate %v times, %d steps %v times", 9*engine.ShortPath, many, engine.ShortPath, few)

	}
}

func TestExhaustedVisits(t *testing.T) {
	m := newCounter(50, upTo(9))
	m.visits, m.graph.Nodes[1].MaxVisits = 3, 3
	for name, opts := range map[string][]graphgen.RunOption{
		"unwatched": nil,
		"observed":  {graphgen.WithObserver(func(graphgen.Event) {})},
	} {
		n, err := m.Run(t.Context(), opts...)
		run, _ := errors.AsType[*graphgen.RunError](err)
		if e, ok := errors.AsType[*graphgen.LimitError](err); !ok || e.Limit != graphgen.LimitVisits || n != 3 || run.Report.Steps != 3 {
			t.Errorf("%s: got %d, %v", name, n, err)
		}
	}
}

// TestPassedOverClears holds that a failure is cleared whose route leads to end past a node without visits
// left, also where on_error led to that node.
func TestPassedOverClears(t *testing.T) {
	m := newCounter(10, func(context.Context, *int) (bool, error) { return false, errors.New("broken") })
	m.visits = 1
	m.graph.Transitions[failedAgain].From = engine.End // as that of on_error, which has no source
	m.graph.Transitions = append(m.graph.Transitions, engine.TransitionInfo{From: 1, Rule: graphgen.RuleError})
	m.graph.Nodes[1].MaxVisits, m.graph.Nodes[1].ErrorTo = 1, failedAgain+1
	var rep graphgen.Report
	if _, err := m.Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if len(rep.Failures) != 2 {
		t.Fatalf("there are %d failures, want that of the node and that of its visits", len(rep.Failures))
	}
	for _, f := range rep.Failures {
		if !f.Cleared {
			t.Errorf("not cleared: %v", f.Err)
		}
	}
}

// TestEventOfAFailedRun holds that the event of the end of a run that fails is of the visit that failed.
func TestEventOfAFailedRun(t *testing.T) {
	m := newCounter(50, func(_ context.Context, n *int) (bool, error) {
		if *n++; *n == 3 {
			return false, errors.New("broken")
		}
		return true, nil
	})
	m.graph.Nodes[1].OnError = nil
	var last graphgen.Event
	_, err := m.Run(t.Context(), graphgen.WithObserver(func(e graphgen.Event) { last = e }))
	if last.Kind != graphgen.RunEnd || last.Node != "count" || last.Step != 3 || last.Visit != 3 || last.Line != 5 || last.Err != err {
		t.Errorf("the last event is %+v of %v", last, err)
	}
}
