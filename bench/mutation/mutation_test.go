// Package mutation measures what it costs that runs may change their graph: a step of a run that
// does not, and the first change of graphs of several sizes.
package mutation

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/engine"
)

var errLimit = errors.New("limit")

// work counts up. Its methods are kept from being inlined, as no handler that does anything is.
type work struct{ limit int }

//go:noinline
func (w *work) up(count int) (int, error) {
	if count > w.limit {
		return 0, errLimit
	}
	return count + 1, nil
}

type plainWork struct{ work }

//go:noinline
func (w *plainWork) Fetch(_ context.Context, in PlainFetchIn) (PlainFetchOut, error) {
	n, err := w.up(in.Count)
	return PlainFetchOut{Count: n}, err
}

//go:noinline
func (w *plainWork) Check(_ context.Context, in PlainCheckIn) (PlainCheckOut, error) {
	n, err := w.up(in.Count)
	return PlainCheckOut{Count: n}, err
}

//go:noinline
func (w *plainWork) Store(_ context.Context, in PlainStoreIn) (PlainStoreOut, error) {
	n, err := w.up(in.Count)
	return PlainStoreOut{Count: n}, err
}

type freeWork struct{ work }

//go:noinline
func (w *freeWork) Fetch(_ context.Context, in FreeFetchIn) (FreeFetchOut, error) {
	n, err := w.up(in.Count)
	return FreeFetchOut{Count: n}, err
}

//go:noinline
func (w *freeWork) Check(_ context.Context, in FreeCheckIn) (FreeCheckOut, error) {
	n, err := w.up(in.Count)
	return FreeCheckOut{Count: n}, err
}

//go:noinline
func (w *freeWork) Store(_ context.Context, in FreeStoreIn) (FreeStoreOut, []mutation.Change, error) {
	n, err := w.up(in.Count)
	return FreeStoreOut{Count: n}, nil, err
}

// plainSteps and freeSteps make so many steps. The second has every check that mutations need,
// and no mutation.

func plainSteps(b *testing.B, steps int) {
	m, err := NewPlain(&plainWork{work{limit: steps + 3}})
	if err != nil {
		b.Fatal(err)
	}
	if out, err := m.Run(context.Background(), PlainInput{Goal: steps}); err != nil || out.Count < steps {
		b.Fatal(out, err)
	}
}

func freeSteps(b *testing.B, steps int) {
	m, err := NewFree(&freeWork{work{limit: steps + 3}})
	if err != nil {
		b.Fatal(err)
	}
	if out, err := m.Run(context.Background(), FreeInput{Goal: steps}); err != nil || out.Count < steps {
		b.Fatal(out, err)
	}
}

func BenchmarkStepWithoutMutations(b *testing.B) { b.ReportAllocs(); plainSteps(b, b.N) }

func BenchmarkStepMutationsUnused(b *testing.B) { b.ReportAllocs(); freeSteps(b, b.N) }

// BenchmarkStepRatio compares the two in turns, the fastest of each: the ratio may be at most 1.05.
func BenchmarkStepRatio(b *testing.B) {
	const turns, steps = 40, 300_000
	fastest := [2]time.Duration{time.Hour, time.Hour}
	for range turns {
		for i, run := range []func(*testing.B, int){plainSteps, freeSteps} {
			start := time.Now()
			run(b, steps)
			fastest[i] = min(fastest[i], time.Since(start))
		}
	}
	for b.Loop() { // the turns above are what is measured
	}
	b.ReportMetric(float64(fastest[0])/steps, "plain-ns/step")
	b.ReportMetric(float64(fastest[1])/steps, "free-ns/step")
	b.ReportMetric(float64(fastest[1])/float64(fastest[0]), "ratio")
}

// A chain is a graph of nodes one after the other, as its generated machine would have it.
func chain(nodes int) *engine.Graph {
	g := &engine.Graph{
		Name: "chain", File: "chain.graph.yaml", MaxSteps: 2 * nodes,
		Nodes: make([]engine.NodeInfo, nodes+1), Transitions: make([]engine.TransitionInfo, nodes),
		Mutable: &engine.Mutable{
			Allow: []mutation.Action{mutation.ActionSkipTo, mutation.ActionAddEdge, mutation.ActionAddNode}, Max: 10,
			Templates: []engine.NodeID{engine.NodeID(nodes)},
		},
	}
	g.Nodes[0].Name = "end"
	g.Transitions[0] = engine.TransitionInfo{To: 1, Rule: graphgen.RuleEntry}
	for n := 1; n <= nodes; n++ {
		name := strconv.Itoa(n)
		g.Nodes[n] = engine.NodeInfo{Name: "n0000"[:5-len(name)] + name}
		if n < nodes {
			g.Nodes[n].Only = engine.TransitionID(n)
			g.Transitions[n] = engine.TransitionInfo{From: engine.NodeID(n), To: engine.NodeID(n + 1), Rule: graphgen.RuleNext}
		}
	}
	g.Nodes[nodes].Ends, g.Nodes[nodes].Name = true, "last"
	return g
}

// mutate makes a run whose first node asks for a change, and which then goes to the end.
func mutate(b *testing.B, g *engine.Graph, asks mutation.Change) {
	b.ReportAllocs()
	counters := make([]uint32, len(g.Transitions)+len(g.Nodes))
	changes := []mutation.Change{asks, mutation.SkipTo("end")}
	if asks.Action == mutation.ActionSkipTo {
		changes = changes[1:]
	}
	for b.Loop() {
		clear(counters)
		var r engine.Run
		r.Start(context.Background(), g, &engine.Frame{Counters: counters}, nil, nil)
		for r.At != engine.End {
			if !r.Changes().Apply(changes, func(any) bool { return true }) {
				b.Fatal("the run is not led on")
			}
		}
		if _, err := engine.Finish(&r, struct{}{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstMutation is a run of one step, which changes its graph: of graphs of any size it
// costs the same.
func BenchmarkFirstMutation(b *testing.B) {
	again := mutation.AddNode(mutation.Node{Name: "again", Template: "last", After: "n0001"})
	for _, change := range []struct {
		name string
		asks mutation.Change
	}{{"skip_to", mutation.SkipTo("end")}, {"add_edge", mutation.AddEdge("n0001", "n0003").AtMost(1)}, {"add_node", again}} {
		for _, nodes := range []int{10, 100, 1000} {
			b.Run(change.name+"/"+strconv.Itoa(nodes), func(b *testing.B) { mutate(b, chain(nodes), change.asks) })
		}
	}
}
