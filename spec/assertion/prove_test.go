package assertion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

func build(t *testing.T, text string) *cfg.Graph {
	t.Helper()
	s, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return cfg.Build(resolve.Resolve(s))
}

// proved returns the result of a proof, and the nodes of its path.
func proved(t *testing.T, text, says string) string {
	t.Helper()
	a, wrong := assertion.Parse(spec.String{V: says})
	if wrong != nil {
		t.Fatal(wrong)
	}
	v := assertion.NewProver(build(t, text)).Prove(a)
	got := [...]string{"holds", "fails", "open", "nothing"}[v.Result]
	if len(v.Path) > 0 {
		got += ": " + strings.Join(names(v.Path), " ")
	}
	return got
}

// slowFirst has a node slow, by which a run of few visits makes more steps to k than by b.
const slowFirst = `
graph: g
entry: a
limits: {max_steps: 8}
state: {n: int}
input: [n]
nodes:
  a: {reads: n}
  slow: {kind: parallel, branches: {p: s1, q: s2, r: s3, s: s4, u: s5}, next: k}
  s1: {reads: n}
  s2: {reads: n}
  s3: {reads: n}
  s4: {reads: n}
  s5: {reads: n}
  b: {reads: n, next: k}
  k: {reads: n}
  y: {reads: n, next: t}
  t: {reads: n}
edges:
  - {from: a, to: slow, if: state.N > 9}
  - {from: a, to: b, if: state.N > 5}
  - {from: a, to: y}
`

func TestFewestSteps(t *testing.T) {
	graph := slowFirst + "  - {from: k, to: t}"
	for says, want := range map[string]string{
		"every path to t passes y":         "fails: a b k t",
		"no path from a to t without y":    "fails: a b k t",
		"every path to k passes b":         "fails: a slow s1 s2 s3 s4 s5 k",
		"every path to t passes b":         "fails: a y t",
		"no path from slow to t without y": "nothing",
	} {
		if got := proved(t, graph, says); got != want {
			t.Errorf("%s: %s, want %s", says, got, want)
		}
	}
}

func TestExhaustionInFewestSteps(t *testing.T) {
	g := build(t, slowFirst+"  - {from: k, to: k, max_iterations: 1}")
	found := assertion.Exhaustions(g, []*cfg.Node{g.Named("k")})
	if len(found) != 1 || strings.Join(names(found[0].Path), " ") != "a b k k" {
		t.Errorf("%v, want the path a b k k", found)
	}
}

// TestReplacedPositions counts the allocations of searches that find many positions with more steps first, or with the fewest.
func TestReplacedPositions(t *testing.T) {
	work := func(first, second, bounded string) float64 {
		const size = 40
		nodes, edges := "", ""
		for i := range size {
			nodes += fmt.Sprintf("  k%d: {reads: n}\n  x%d: {reads: n, next: z}\n", i, i)
			for j := range size {
				edges += fmt.Sprintf("  - {from: k%d, to: x%d, if: state.N == %d}\n", i, j, j)
			}
			for _, from := range []string{"slow", "b"} {
				edges += fmt.Sprintf("  - {from: %s, to: k%d, if: state.N == %d}\n", from, i, i)
			}
		}
		g := build(t, "graph: g\nentry: a\nstate: {n: int}\ninput: [n]\nnodes:\n"+nodes+`
  a: {reads: n}
  slow: {kind: parallel, branches: {p: s1, q: s2, r: s3}}
  s1: {reads: n}
  s2: {reads: n}
  s3: {reads: n}
  b: {reads: n}
  v: {reads: n, next: y}
  y: {reads: n, next: z}
  z: {reads: n}
  t: {reads: n}
edges:
  - {from: a, to: `+first+`, if: state.N > 9}
  - {from: a, to: `+second+`}
  - {from: z, to: `+bounded+`, max_iterations: 1}
  - {from: z, to: t}
`+edges)
		a, _ := assertion.Parse(spec.String{V: "every path to t passes y"})
		return testing.AllocsPerRun(1, func() {
			if got := assertion.NewProver(g).Prove(a).Result; got != assertion.Holds {
				t.Errorf("result %d, want that it holds", got)
			}
		})
	}
	for _, bounded := range []string{"y", "v"} { // an edge to y cannot be used up without y; one to v takes a search that counts
		if few, many := work("b", "slow", bounded), work("slow", "b", bounded); many > 1.1*few {
			t.Errorf("%s: %g allocations for the fewest steps first, %g for the fewest last", bounded, few, many)
		}
	}
}

// TestUsedUpVisits has a node of a region that calls tools. Its edge for errors is not taken when its visits are used up.
func TestUsedUpVisits(t *testing.T) {
	const graph = `
graph: g
entry: work
limits: {max_steps: 60}
state: {n: int}
input: [n]
tools: {look: {args: {query: string}}}
nodes:
  work: {kind: loop, body: {entry: ask}, until: state.N > 1, max_iterations: 2, next: done, transitions: {error: lost}}
  ask: {kind: prompt, instructions: x, KEYS}
  fix: {reads: n}
  lost: {reads: n}
  done: {reads: n}
edges:
  - {from: ask, to: fix, on: error}
  - {from: ask, to: end}
`
	for keys, want := range map[string]string{
		"repair: 0":                  "holds",
		"tools: look, max_visits: 3": "fails: work ask ask ask lost",
		"tools: look, max_visits: 5": "fails: work ask ask ask ask ask lost",
		"tools: look":                "fails: work" + strings.Repeat(" ask", 25) + " lost",
	} {
		if got := proved(t, strings.Replace(graph, "KEYS", keys, 1), "every path to lost passes fix"); got != want {
			t.Errorf("%s: %s, want %s", keys, got, want)
		}
	}
	for _, c := range []struct {
		visits, steps int
		want          string
	}{
		{118, 120, "fails: work" + strings.Repeat(" ask", 118) + " lost"},
		{119, 120, "holds"}, // lost would be step 121
		{150, 120, "holds"},
		{30_000, 20_000, "holds"},
	} {
		visits, steps := fmt.Sprint("tools: look, max_visits: ", c.visits), fmt.Sprint("max_steps: ", c.steps)
		many := strings.NewReplacer("KEYS", visits, "max_steps: 60", steps).Replace(graph)
		if got := proved(t, many, "every path to lost passes fix"); got != c.want {
			t.Errorf("%d visits in %d steps: %.60s, want %.60s", c.visits, c.steps, got, c.want)
		}
	}
}

// pooled is a graph with a pool of nodes, of which none runs twice.
func pooled(size int) string {
	var pool, nodes strings.Builder
	for i := range size {
		fmt.Fprintf(&pool, ", p%d", i)
		fmt.Fprintf(&nodes, "  p%d: {reads: n}\n", i)
	}
	return "graph: g\nentry: work\nlimits: {max_steps: 200}\nstate: {n: int}\ninput: [n]\nnodes:\n" +
		"  work: {kind: autonomous, instructions: x, pool: [" + pool.String()[2:] + "], allow_repeat: false, max_steps: 100, next: done}\n" +
		nodes.String() + "  done: {reads: n}\n"
}

// TestPoolsWithoutRepeats proves assertions of pools in which no node runs twice, of many nodes as of a few.
func TestPoolsWithoutRepeats(t *testing.T) {
	for says, want := range map[string]string{
		"every path to done passes work":     "holds",
		"every path to done passes p1":       "fails: work done",
		"every path to p2 passes p1":         "fails: work p2",
		"no path from p1 to p1 without done": "nothing",
		"no path from p1 to p2 without done": "fails: work p1 p2",
	} {
		for _, size := range []int{3, 12} {
			if got := proved(t, pooled(size), says); got != want {
				t.Errorf("%s, of %d nodes: %s, want %s", says, size, got, want)
			}
		}
	}
}

// TestPoolSize counts allocations for pools of two sizes. Which of their nodes have run does not matter, unless the assertion names them.
func TestPoolSize(t *testing.T) {
	work := func(size int) float64 {
		p := assertion.NewProver(build(t, pooled(size)))
		a, _ := assertion.Parse(spec.String{V: "no path from p1 to p2 without p3"})
		return testing.AllocsPerRun(1, func() { p.Prove(a) })
	}
	if few, many := work(10), work(15); many > 5*few {
		t.Errorf("%g allocations for 10 nodes, %g for 15", few, many)
	}
}
