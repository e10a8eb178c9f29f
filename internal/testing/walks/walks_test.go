// Package walks compares what is proved of all runs of a graph, its bounds and its assertions, with random walks of a model.
// The model reads the spec itself, and shares no code with the analyses: it does whatever a handler, a condition, a guard or
// a language model may do.
package walks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

const (
	walksPerGraph      = 50
	assertionsPerGraph = 12
)

// A hunt looks for walks beyond what is proved of a graph.
type hunt struct {
	t      *testing.T
	a      *Graph
	text   string
	draw   tier.Draw
	inside bool // most nodes run others

	b    *bounds.Bounds
	done map[*bounds.Segment][]*Walk // walks that were followed: bounds share them

	assertions []*assertion.Assertion
	verdicts   []assertion.Verdict
}

// TestWalks walks random graphs: each walk keeps within the bounds, and breaks no assertion that is proved. The walk that a bound comes with is
// walked too, and reaches what it is to reach; so is the path that refutes an assertion, and breaks it.
func TestWalks(t *testing.T) {
	huntAll(t, func(r *rand.Rand, number int) (text string, inside bool) {
		text = some(r, number)
		if number%3 == 2 {
			return randomgraph.Inside(r, "g"), true
		}
		return text, false
	})
}

// TestWalksPastSkippedNodes does so with routers in regions. Some of the walks skip nodes, and the bounds of their routes are reached.
func TestWalksPastSkippedNodes(t *testing.T) {
	total := huntAll(t, func(r *rand.Rand, _ int) (string, bool) { return randomgraph.Routed(r, "g"), true })
	if !tier.Alone() && total.routes < tier.Pick(1, 20, 20) || total.exactRoutes < total.routes*tier.Pick(3, 4, 4)/6 {
		t.Errorf("%d of %d routes have exact bounds", total.exactRoutes, total.routes)
	}
	for _, what := range []string{"every path to X passes Y: holds", "every path to X passes Y: fails"} {
		if total.results[what] < tier.Pick(1, 5, 5) && !tier.Alone() {
			t.Errorf("%s: %d", what, total.results[what])
		}
	}
}

// TestWalksOfGraphsInRegions does so with regions that are graphs, and branches that conditions start.
func TestWalksOfGraphsInRegions(t *testing.T) {
	huntAll(t, func(r *rand.Rand, _ int) (string, bool) { return randomgraph.Graphs(r, "g"), true })
}

// TestWalksPastSpentBudgets does so with nodes that take an edge where a budget is spent.
func TestWalksPastSpentBudgets(t *testing.T) {
	huntAll(t, func(r *rand.Rand, _ int) (string, bool) {
		return randomgraph.Make(r, "g", randomgraph.Options{Models: true, Budgets: true}), false
	})
}

// some makes a random graph; every second one has prompts and edges that a model judges, and some
// have branch tables that look at outputs.
func some(r *rand.Rand, number int) string {
	return randomgraph.Make(r, "g", randomgraph.Options{Models: number%2 == 1, Tables: number%5 == 0 && number%3 != 2, Ends: number%4 < 2})
}

// huntAll looks for walks beyond what is proved of random graphs, and returns what it has tried. A graph whose nodes run others may have mistakes.
func huntAll(t *testing.T, made func(r *rand.Rand, number int) (text string, inside bool)) *tally {
	t.Helper()
	total := &tally{results: map[string]int{}}
	for d := range tier.Draws(t, tier.Endless) {
		r := d.Rand()
		text, inside := made(r, int(d.Number))
		s, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 && inside {
			t.Fatal(found)
		}
		if len(found) > 0 || !inside && diag.HasErrors(check.Run(cfg.Of(s))) {
			continue
		}
		g := cfg.Of(s)
		h := hunt{t: t, a: modelOf(g.Spec), text: text, draw: d, inside: inside, b: bounds.Of(g), done: map[*bounds.Segment][]*Walk{}}
		h.prove(r, total.results)
		for range walksPerGraph {
			v, done := wander(h.a, r)
			h.compare(v)
			h.breaks(v, done)
		}
		h.attain()
		total.add(h.b, inside)
		if t.Failed() || total.walks >= tier.Pick(1000, 4000, 20_000) {
			break
		}
	}
	t.Log(total)
	return total
}

// wander makes a random walk, and returns what it did at each node.
func wander(a *Graph, r *rand.Rand) (v *Walk, done []visited) {
	v = a.Start()
	liking := map[string]int{}
	for v.At != nil {
		at := v.At.Spec.Name.V
		inside := v.RunInside(r)
		if v.At == nil {
			done = append(done, visited{at, true})
		} else {
			o := v.Choose(r, liking)
			done = append(done, visited{at, !o.Unrun})
			v.Take(o)
		}
		for _, x := range inside {
			done = append(done, visited{x.Node, !x.Unrun})
		}
	}
	return v, done
}

// A tally counts what was tried, which results the assertions had, and how many bounds are exact.
type tally struct {
	graphs, walks, steps, bounds, exact int
	models, calls, turns                int
	routes, exactRoutes                 int // in regions

	composed, composedSteps, children, exactChildren int

	results map[string]int // of assertions, by their kind
}

func (l *tally) add(b *bounds.Bounds, inside bool) {
	l.walks += walksPerGraph
	if inside {
		l.composed++
		if b.Steps.Exact() {
			l.composedSteps++
		}
		for _, x := range b.Visits {
			l.children++
			if x.Exact() {
				l.exactChildren++
			}
		}
		for _, w := range b.RegionTransitions {
			if w.Rule == spec.RuleGoto {
				l.routes++
				if w.Follows.Exact() {
					l.exactRoutes++
				}
			}
		}
		return
	}
	l.graphs++
	if b.Steps.Exact() {
		l.steps++
	}
	if b.ModelCalls.Most > 0 {
		l.models++
		if b.ModelCalls.Exact() {
			l.calls++
		}
		if b.ToolTurns.Exact() {
			l.turns++
		}
	}
	for _, x := range slices.Concat(b.Visits, b.Follows) {
		l.bounds++
		if x.Exact() {
			l.exact++
		}
	}
}

func (l *tally) String() string {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(of) }
	return fmt.Sprintf("%d walks on %d graphs; exact: the steps of %.1f %% of the graphs, %.1f %% of %d other bounds; of %d graphs "+
		"with models the calls of %.1f %%, the turns that call tools of %.1f %%; of %d graphs with nodes within nodes the steps "+
		"of %.1f %%, and %.1f %% of %d bounds of visits, and %d of %d routes; assertions: %v",
		l.walks, l.graphs, share(l.steps, l.graphs), share(l.exact, l.bounds), l.bounds, l.models, share(l.calls, l.models),
		share(l.turns, l.models), l.composed, share(l.composedSteps, l.composed), share(l.exactChildren, l.children), l.children,
		l.exactRoutes, l.routes, l.results)
}
