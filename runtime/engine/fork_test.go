package engine_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

// composer is a machine of one node that runs another one, as compose says. It is shaped like
// generated code.
type composer struct {
	graph   engine.Graph
	compose func(ctx context.Context, r *composerRun) error
	work    func(ctx context.Context, b *composerRun) error
	again   int  // how often the child leads to itself, in branches
	soft    bool // the composite node is a fail_soft one
}

type composerRun struct {
	engine.Run
	m        *composer
	state    int
	counters [8]uint32
}

func (r *composerRun) View() any { return &r.state }

const (
	composite engine.NodeID = 1
	child     engine.NodeID = 2

	toChild    engine.TransitionID = 1
	childAgain engine.TransitionID = 3
	overBudget engine.TransitionID = 4
)

func newComposer(compose, work func(context.Context, *composerRun) error) *composer {
	return &composer{compose: compose, work: work, graph: engine.Graph{
		Name: "composer", File: "composer.graph.yaml", MaxSteps: 1 << 30,
		Nodes: []engine.NodeInfo{{Name: "end"}, {Name: "composite", Line: 5, Col: 3}, {Name: "child", Line: 6, Col: 3}},
		Transitions: []engine.TransitionInfo{
			{To: composite, Rule: graphgen.RuleEntry},
			{From: composite, To: child, Rule: graphgen.RuleBranch, Line: 5},
			{From: composite, Rule: graphgen.RuleEdge, Line: 7},
			{From: child, To: child, Rule: graphgen.RuleToolLoop, Line: 6},
			{From: composite, Rule: graphgen.RuleBudget, Line: 8},
		},
	}}
}

func (r *composerRun) frame() *engine.Frame {
	return &engine.Frame{Counters: r.counters[:], Viewer: r}
}

func (m *composer) Run(ctx context.Context, opts ...graphgen.RunOption) error {
	r := &composerRun{m: m}
	r.Start(ctx, &m.graph, r.frame(), nil, opts)
	r.drive()
	_, err := engine.Finish(&r.Run, r.state)
	return err
}

func (r *composerRun) drive() {
	for !r.loop() {
	}
}

func (r *composerRun) loop() (done bool) {
	defer r.Recover()
	for {
		var err error
		switch r.At {
		case engine.End:
			return true
		case composite:
			err = r.m.compose(r.Context(), r)
		case child:
			err = r.m.work(r.Context(), r)
		}
		if err != nil && r.At == composite && r.m.soft {
			r.FailSoftly(err)
		} else if err != nil {
			r.Fail(err)
			continue
		}
		if r.At == child && r.state < r.m.again {
			r.state++
			r.SlowStep(childAgain, child)
			continue
		}
		r.SlowStep(engine.Terminal, engine.End)
	}
}

// iterate runs the child so many times, as a loop does.
func iterate(times int) func(context.Context, *composerRun) error {
	return func(ctx context.Context, r *composerRun) error {
		b := &composerRun{m: r.m, state: 1 << 30}
		b.ChildOf(ctx, &r.Run, b.frame())
		defer r.Join(&b.Run)
		for i := range times {
			if err := r.Iterate(i+1, "child"); err != nil {
				return err
			}
			b.Begin(toChild)
			b.drive()
			if err := b.Ended(); err != nil {
				return err
			}
		}
		return nil
	}
}

// branch runs the child in that number of branches, all of them to their ends.
func branch(branches, atOnce int) func(context.Context, *composerRun) error {
	return forked(engine.ForkOptions{Join: engine.JoinAll, Branches: branches, MaxParallel: atOnce})
}

// forked runs the child in branches.
func forked(o engine.ForkOptions) func(context.Context, *composerRun) error {
	return func(ctx context.Context, r *composerRun) error {
		list := make([]composerRun, o.Branches)
		f := r.Fork(ctx, o, func(i int) { list[i].drive() })
		for i := range list {
			b := &list[i]
			b.m = r.m
			f.Go(&b.Run, b.frame(), strconv.Itoa(i), toChild)
		}
		return f.Wait()
	}
}

func succeed(context.Context, *composerRun) error { return nil }

func TestDroppedPathCount(t *testing.T) {
	for _, times := range []int{1, 8_190, 8_191, 8_192, 8_193, 16_383, 16_384, 16_385, 40_000} {
		var rep graphgen.Report
		if err := newComposer(iterate(times), succeed).Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
			t.Fatal(err)
		}
		if rep.Steps != 1+times || rep.Dropped+len(rep.Path) != rep.Steps || rep.Transitions[toChild].Count != times {
			t.Errorf("of %d iterations: %d steps, %d dropped, a path of %d, %d ways", times, rep.Steps, rep.Dropped, len(rep.Path),
				rep.Transitions[toChild].Count)
		}
		if last := rep.Path[len(rep.Path)-1]; last != (graphgen.Visit{Node: "child", Visit: times}) {
			t.Errorf("the last visit is %+v", last)
		}
	}
}

func TestALongBranchIsCountedOnce(t *testing.T) {
	for _, again := range []int{8_191, 8_192, 16_379, 16_380, 16_381, 16_382, 16_383, 16_384, 20_000} {
		m := newComposer(func(ctx context.Context, r *composerRun) error {
			return errors.Join(iterate(5)(ctx, r), branch(1, 1)(ctx, r))
		}, succeed)
		m.again = again
		var rep graphgen.Report
		if err := m.Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
			t.Fatal(err)
		}
		if rep.Steps != again+7 || rep.Dropped+len(rep.Path) != rep.Steps || rep.Transitions[childAgain].Count != again {
			t.Errorf("of %d: %d steps, %d dropped, a path of %d, %d ways", again, rep.Steps, rep.Dropped, len(rep.Path), rep.Transitions[childAgain].Count)
		}
	}
}

func TestTruncatedPath(t *testing.T) {
	twice := func(ctx context.Context, r *composerRun) error {
		if err := iterate(5)(ctx, r); err != nil {
			return err
		}
		return iterate(20_000)(ctx, r)
	}
	var rep graphgen.Report
	if err := newComposer(twice, succeed).Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	first := 20_005 - len(rep.Path) + 1
	if rep.Steps != 20_006 || rep.Dropped != rep.Steps-len(rep.Path) || rep.Path[0] != (graphgen.Visit{Node: "child", Visit: first}) {
		t.Errorf("%d steps, %d dropped, the path begins with %+v", rep.Steps, rep.Dropped, rep.Path[0])
	}
}

func TestLargeMapPath(t *testing.T) {
	const elements = 100_000
	var rep graphgen.Report
	if err := newComposer(branch(elements, 4), succeed).Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if rep.Steps != 1+elements || rep.Dropped+len(rep.Path) != rep.Steps || rep.Transitions[toChild].Count != elements || len(rep.Path) > 1<<14 {
		t.Errorf("%d steps, %d dropped, a path of %d", rep.Steps, rep.Dropped, len(rep.Path))
	}
	if last := rep.Path[len(rep.Path)-1]; last != (graphgen.Visit{Node: "child", Visit: elements}) {
		t.Errorf("the last visit is %+v", last)
	}
}

// runsItself makes a run of the same machine, in which the child does nothing more.
func runsItself(ctx context.Context, b *composerRun) error {
	if strings.HasSuffix(graphgen.Info(ctx).Branch, "7") {
		_ = graphgen.IdempotencyKey(ctx) // names the run
	}
	o, err := b.Again(1)
	if err != nil {
		return nil // the run within
	}
	return newComposer(succeed, succeed).Run(ctx, o)
}

func TestBranchChildRunNames(t *testing.T) {
	var rep graphgen.Report
	if err := newComposer(branch(64, 8), runsItself).Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if len(rep.Nested) != 64 || rep.Nested[63].Branch != "63" {
		t.Errorf("%d runs within", len(rep.Nested))
	}
}

func TestChildRunReportBound(t *testing.T) {
	var rep graphgen.Report
	if err := newComposer(branch(3000, 8), runsItself).Run(t.Context(), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if len(rep.Nested)+rep.NestedDropped != 3000 || len(rep.Nested) > 1024 || rep.Nested[len(rep.Nested)-1].Branch != "2999" {
		t.Errorf("%d reports of runs within, %d dropped", len(rep.Nested), rep.NestedDropped)
	}
}

// TestBranchesOverBudget holds that the failure from which a budget edge leads has every branch that failed, and that each branch reports its own
// spent budget.
func TestBranchesOverBudget(t *testing.T) {
	for name, soft := range map[string]bool{"failed": false, "failed softly": true} {
		t.Run(name, func(t *testing.T) {
			join := engine.ForkOptions{Join: engine.JoinSettled, Branches: 3, Need: 1, MaxParallel: 3}
			m := newComposer(forked(join), func(ctx context.Context, _ *composerRun) error {
				if graphgen.Info(ctx).Branch == "1" {
					return errors.New("broken")
				}
				return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens", Max: 1, Used: 1}
			})
			m.soft, m.graph.Nodes[composite].OnBudget = soft, []engine.TransitionID{overBudget}
			var (
				report graphgen.Report
				spent  []string
			)
			observe := graphgen.WithObserver(func(e graphgen.Event) { // no branch ends before all have begun, as the run waits for the observer
				if e.Kind == graphgen.OverBudget {
					spent = append(spent, e.Node)
				}
			})
			if err := m.Run(t.Context(), observe, graphgen.WithReport(&report)); err != nil || report.Reason != graphgen.Completed {
				t.Fatalf("the run ended as %s: %v", report.Reason, err)
			}
			if len(report.Failures) != 1 || report.Failures[0].Soft != soft {
				t.Fatalf("the failures are %+v", report.Failures)
			}
			of := report.Failures[0].Err
			if failed, ok := of.Err.(*graphgen.BranchesError); !ok || len(failed.Errs) != 3 || of.Where.Node != "composite" {
				t.Errorf("the failure is %v", of)
			}
			if last := report.Transitions[overBudget]; last.Count != 1 {
				t.Errorf("the budget edge was taken %d times", last.Count)
			}
			if want := []string{"child", "child"}; !slices.Equal(spent, want) {
				t.Errorf("a spent budget is reported of %q, want %q", spent, want)
			}
		})
	}
}

// TestBranchesRunAtOnce holds that a branch waits for none of the others, whatever they do.
func TestBranchesRunAtOnce(t *testing.T) {
	const branches = 8
	for name, others := range map[string]func(begun *atomic.Int32, all chan struct{}){
		"blocked":  func(_ *atomic.Int32, all chan struct{}) { <-all },
		"finished": func(*atomic.Int32, chan struct{}) {},
		"exited":   func(*atomic.Int32, chan struct{}) { runtime.Goexit() },
		"busy": func(begun *atomic.Int32, _ chan struct{}) {
			for begun.Load() < branches {
			}
		},
	} {
		for _, opts := range [][]graphgen.RunOption{nil, {graphgen.WithObserver(func(graphgen.Event) {})}} {
			synctest.Test(t, func(t *testing.T) {
				var begun atomic.Int32
				all := make(chan struct{})
				work := func(ctx context.Context, _ *composerRun) error {
					switch {
					case begun.Add(1) == branches:
						close(all)
					case graphgen.Info(ctx).Branch != "7" || name != "exited": // the last one may be on this goroutine
						others(&begun, all)
					}
					return nil
				}
				err := newComposer(branch(branches, branches), work).Run(t.Context(), opts...)
				if begun.Load() != branches || err != nil && name != "exited" {
					t.Errorf("%s: %d branches have begun, %v", name, begun.Load(), err)
				}
			})
		}
	}
}

func TestBranchFailureListedOnce(t *testing.T) {
	refuse := func(context.Context, *composerRun) error {
		return &graphgen.GuardsError{Failed: []graphgen.GuardFailure{{Guard: "clean", Message: "dirty"}}}
	}
	for name, compose := range map[string]func(context.Context, *composerRun) error{"a loop": iterate(2), "branches": branch(1, 1)} {
		var rep graphgen.Report
		err := newComposer(compose, refuse).Run(t.Context(), graphgen.WithReport(&rep))
		if _, ok := errors.AsType[*graphgen.GuardsError](err); !ok || len(rep.Failures) != 1 || rep.Failures[0].Err.Where.Node != "composite" {
			t.Errorf("%s: %v; the failures are %v", name, err, rep.Failures)
		}
		if len(rep.Refusals) != 1 || rep.Refusals[0].Where.Node != "child" {
			t.Errorf("%s: the refusals are %+v", name, rep.Refusals)
		}
	}
}

// TestStopInABranch holds that a stop which one branch has seen is the error of the run, also where the branches before it are
// cancelled for that.
func TestStopInABranch(t *testing.T) {
	stop, begun := new(graphgen.Stopper), make(chan bool)
	m := newComposer(forked(engine.ForkOptions{Join: engine.JoinFailFast, Branches: 2, MaxParallel: 2}), func(ctx context.Context, _ *composerRun) error {
		if graphgen.Info(ctx).Branch == "0" {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		}
		<-begun
		stop.Stop()
		return nil
	})
	m.again = 1
	err := m.Run(t.Context(), graphgen.WithStopper(stop))
	run, _ := errors.AsType[*graphgen.RunError](err)
	if stopped, ok := errors.AsType[*graphgen.StopError](err); !ok || stopped.Where.Branch != "1" || run.Reason != graphgen.Stopped {
		t.Errorf("the run gave %v", err)
	}
}

// TestRoutesIntoARegion holds that a route into the region of a node is of the step and the visit of that node, in every iteration,
// and that no route has the time of the step before it.
func TestRoutesIntoARegion(t *testing.T) {
	into, from := 0, 0
	watch := graphgen.WithObserver(func(e graphgen.Event) {
		switch {
		case e.Kind != graphgen.Routed:
			return
		case e.Route().Rule == graphgen.RuleBranch:
			if into++; e.Node != "composite" || e.Step != 1 || e.Visit != 1 {
				t.Errorf("the route into the region is of %s, step %d, visit %d", e.Node, e.Step, e.Visit)
			}
		default:
			from++
		}
		if e.Details.Wait != 0 {
			t.Errorf("the route from %s waits %v", e.Node, e.Details.Wait)
		}
	})
	for _, compose := range []func(context.Context, *composerRun) error{iterate(3), branch(3, 2)} {
		if err := newComposer(compose, succeed).Run(t.Context(), watch); err != nil {
			t.Error(err)
		}
	}
	if into != 6 || from != 10 {
		t.Errorf("there are %d routes into the region, and %d others", into, from)
	}
}
