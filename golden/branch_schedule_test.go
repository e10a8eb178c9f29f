package golden_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/branchmerge"
	"github.com/graphgen/graphgen/golden/join"
	"github.com/graphgen/graphgen/golden/mapping"
	"github.com/graphgen/graphgen/golden/nested"
)

// gridder does the work of the graph map_nested: a map within a map.
type gridder struct {
	mapping.MapNestedHandlers
	pause func()
}

var gridInput = mapping.MapNestedInput{Rows: [][]int{{1, 2, 3}, {}, {4}, {5, 6, 7, 8, 9, 10, 11, 12, 13}, {14, 15}}}

func newGrid(t *testing.T, pause func()) *mapping.MapNested {
	t.Helper()
	m, err := mapping.NewMapNested(&gridder{pause: pause})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (g *gridder) Square(ctx context.Context, in mapping.MapNestedSquareIn) (mapping.MapNestedSquareOut, error) {
	g.pause()
	return mapping.MapNestedSquareOut{Cells: []int{in.Cell * in.Cell, graphgen.Info(ctx).Step}, Score: in.Cell}, nil
}

func (g *gridder) Sum(ctx context.Context, in mapping.MapNestedSumIn) (mapping.MapNestedSumOut, error) {
	g.pause()
	return mapping.MapNestedSumOut{Score: len(in.Row) * len(in.Cells)}, nil
}

// spreader does the work of the graph nested_branches: a map of retries, a loop and a
// retry, at once.
type spreader struct {
	nested.NestedBranchesHandlers
	pause func()
}

// seen is what a handler can know of its step.
func seen(ctx context.Context) string {
	i := graphgen.Info(ctx)
	return fmt.Sprint(i.Branch, " ", i.Node, " ", i.Step, ".", i.Visit, ".", i.Attempt, ".", i.Iteration, " ", graphgen.IdempotencyKey(ctx))
}

func (s *spreader) Measure(ctx context.Context, in nested.NestedBranchesMeasureIn) (nested.NestedBranchesMeasureOut, error) {
	s.pause()
	return nested.NestedBranchesMeasureOut{Notes: []string{in.Part + ": " + seen(ctx)}}, nil
}

func (s *spreader) Plus(ctx context.Context, in nested.NestedBranchesPlusIn) (nested.NestedBranchesPlusOut, error) {
	s.pause()
	return nested.NestedBranchesPlusOut{Tries: 1}, nil
}

func (s *spreader) Guess(ctx context.Context) (nested.NestedBranchesGuessOut, error) {
	s.pause()
	return nested.NestedBranchesGuessOut{Drafts: []string{seen(ctx)}, Tries: 10}, nil
}

func (s *spreader) Check(_ context.Context, in nested.NestedBranchesCheckIn) error {
	s.pause()
	return nil
}

func (s *spreader) Tell(_ context.Context, in nested.NestedBranchesTellIn) (nested.NestedBranchesTellOut, error) {
	return nested.NestedBranchesTellOut{Verdict: fmt.Sprint(in)}, nil
}

// merger has the handlers of the graph branch_merge, whose branches write fields of every merge rule.
type merger struct{ pause func() }

func (m merger) write(ctx context.Context, seenBefore []string, facts map[string]string) ([]string, map[string]string) {
	m.pause()
	node := graphgen.Info(ctx).Node
	return []string{seen(ctx), strings.Join(seenBefore, "|")}, map[string]string{"last": node, node: fmt.Sprint(len(facts))}
}

func (m merger) Merge1(ctx context.Context, in branchmerge.BranchMergeMerge1In) (out branchmerge.BranchMergeMerge1Out, err error) {
	out.Seen, out.Facts = m.write(ctx, in.Seen, in.Facts)
	least := 7
	out.Total, out.Least = 1, &least
	return out, nil
}

func (m merger) Merge2(ctx context.Context, in branchmerge.BranchMergeMerge2In) (out branchmerge.BranchMergeMerge2Out, err error) {
	out.Seen, out.Facts = m.write(ctx, in.Seen, in.Facts)
	out.Total = 20 + in.Total
	return out, nil
}

func (m merger) Merge3(ctx context.Context, in branchmerge.BranchMergeMerge3In) (out branchmerge.BranchMergeMerge3Out, err error) {
	out.Seen, out.Facts = m.write(ctx, in.Seen, in.Facts)
	least := 5
	out.Total, out.Least = 300+in.Total, &least
	return out, nil
}

func (m merger) MergeSeen(have, add []string) []string { return append(have, add...) }

// outcome is what a run gives, and what is told of it.
type outcome struct {
	out    any
	err    string
	report graphgen.Report
	events map[string][]string // by branch; nil: nobody listened
}

// listen notes the events of each branch.
func listen(events map[string][]string) graphgen.Option {
	return graphgen.WithObserver(func(e graphgen.Event) {
		attempt, _ := e.Retry() // the wait has jitter
		what, text := e.Progress()
		change, refused := e.Mutation()
		tool := e.Tool()
		tool.Latency, tool.By = 0, 0 // branches call models in any order
		branch := e.Run.Branch
		events[branch] = append(events[branch], fmt.Sprint(e.Kind, e.Node, e.Step, e.Visit, attempt, e.Route(), e.Token(), tool,
			what, text, change, refused, e.Message(), e.Request().Question, e.Answer(), e.Rejected(), e.Err))
	})
}

func TestScheduleIndependence(t *testing.T) {
	pause := func() {
		for range rand.N(4) {
			runtime.Gosched()
		}
	}
	grid := newGrid(t, pause)
	spread, err := nested.NewNestedBranches(&spreader{pause: pause})
	if err != nil {
		t.Fatal(err)
	}
	merge, err := branchmerge.NewBranchMerge(merger{pause})
	if err != nil {
		t.Fatal(err)
	}
	polls, err := join.NewJoinSettled(joinSettled{&workload{work: func(_ context.Context, node string) error {
		if pause(); node == "poll1" {
			return errors.New("no")
		}
		return nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	machines := map[string]func(opts ...graphgen.RunOption) (any, error){
		"maps within a map": func(opts ...graphgen.RunOption) (any, error) { return grid.Run(t.Context(), gridInput, opts...) },
		"a map, a loop and a retry at once": func(opts ...graphgen.RunOption) (any, error) {
			return spread.Run(t.Context(), nested.NestedBranchesInput{Parts: []string{"a", "b", "c", "d"}}, opts...)
		},
		"every rule of merging": func(opts ...graphgen.RunOption) (any, error) {
			return merge.Run(t.Context(), branchmerge.BranchMergeInput{}, opts...)
		},
		"a branch that fails": func(opts ...graphgen.RunOption) (any, error) {
			return polls.Run(t.Context(), join.JoinSettledInput{}, opts...)
		},
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, run := range machines {
		var first, firstTold outcome
		for i := range 200 {
			if i%20 == 0 {
				runtime.GOMAXPROCS(1 + rand.N(4))
			}
			got := outcome{}
			opts := []graphgen.RunOption{graphgen.WithReport(&got.report), graphgen.WithRunID("run")}
			if i%2 == 1 {
				got.events = map[string][]string{}
				opts = append(opts, listen(got.events))
			}
			out, err := run(opts...)
			got.out, got.err = out, fmt.Sprint(err)
			switch i {
			case 0:
				first = got
				continue
			case 1:
				firstTold = got
			}
			if !reflect.DeepEqual(got.out, first.out) || got.err != first.err {
				t.Fatalf("%s: run %d gave %+v, %s\nnot %+v, %s", name, i, got.out, got.err, first.out, first.err)
			}
			if a, b := plain(got.report), plain(first.report); a != b {
				t.Fatalf("%s: the report of run %d is\n%s\nnot\n%s", name, i, a, b)
			}
			if i%2 == 1 && !reflect.DeepEqual(got.events, firstTold.events) {
				t.Fatalf("%s: run %d told\n%v\nnot\n%v", name, i, got.events, firstTold.events)
			}
		}
	}
}

// plain is a report as text, without how long things took.
func plain(rep graphgen.Report) string {
	rep.Nodes = slices.Clone(rep.Nodes)
	for i := range rep.Nodes {
		rep.Nodes[i].Time = 0
	}
	failures := told(rep.Failures)
	for _, f := range rep.Failures {
		failures += "\n" + f.Err.Error()
	}
	return fmt.Sprintf("%s, %d steps, path %v\nways %v\nnodes %v\nfailures %s\n%d retries, %d hits, %d skips, %v %v", rep.Reason,
		rep.Steps, rep.Path, rep.Transitions, rep.Nodes, failures, rep.Retries, rep.CacheHits, rep.Skips, rep.Refusals, rep.Usage)
}

func TestConcurrentBranchRuns(t *testing.T) {
	m := newGrid(t, runtime.Gosched)
	want, err := m.Run(t.Context(), gridInput)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if out, err := m.Run(t.Context(), gridInput); err != nil || !reflect.DeepEqual(out, want) {
				t.Errorf("a run gave %+v, %v", out, err)
			}
		})
	}
	all.Wait()
}
