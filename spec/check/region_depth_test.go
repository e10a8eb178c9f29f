package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// nestedIn is a graph of nodes within one another, each of a kind, with another node beside
// the one within.
func nestedIn(kind string, depth int) string {
	settings := map[string]string{
		"loop":       "body: [r%d, l%d], max_iterations: 2, until: state.N > 1",
		"retry":      "body: [r%d, l%d], attempts: 2",
		"parallel":   "branches: {x: r%d, y: l%d}",
		"map":        "over: list, item: item, body: [r%d, l%d]",
		"autonomous": "pool: [r%d, l%d], instructions: x, max_steps: 3",
	}
	var b strings.Builder
	b.WriteString("graph: g\nentry: l0\nstate: {n: int, list: \"[]int\", item: int}\ninput: [n, list]\noutput: n\nnodes:\n")
	for i := range depth {
		kind := kind
		if kind == "mixed" {
			kind = []string{"loop", "retry", "parallel", "autonomous"}[i%4]
		}
		fmt.Fprintf(&b, "  l%d: {kind: %s, "+settings[kind]+"}\n  r%d: {reads: n, writes: n}\n", i, kind, i, i+1, i)
	}
	fmt.Fprintf(&b, "  l%d: {reads: n, writes: n}\n", depth)
	return b.String()
}

func TestWhatIsTooDeepIsRefused(t *testing.T) {
	for _, depth := range []int{resolve.MaxNesting, resolve.MaxNesting + 1, 20_000} {
		s, found := spec.Load("g.graph.yaml", []byte(nestedIn("mixed", depth)))
		if len(found) > 0 {
			t.Fatal(found)
		}
		refused := false
		for _, d := range Run(cfg.Of(s)) {
			refused = refused || d.Code == "GG324"
		}
		if refused != (depth > resolve.MaxNesting) {
			t.Errorf("nodes nested %d deep: refused %v", depth, refused)
		}
	}
}

// What is too deep is refused when its names are bound: no pass but that of the depth looks at it, and
// with one graph in a package there is nothing to compare.
func TestDeepGraphsAreRefusedEarly(t *testing.T) {
	allocs := func(depth int) (read, bound, judged float64) {
		text := []byte(nestedIn("loop", depth))
		s, _ := spec.Load("g.graph.yaml", text)
		g := cfg.Of(s)
		read = testing.AllocsPerRun(1, func() { spec.Load("g.graph.yaml", text) })
		bound = testing.AllocsPerRun(1, func() { cfg.Of(s) })
		judged = testing.AllocsPerRun(1, func() {
			Run(g)
			Package([]*cfg.Graph{g})
		})
		return read, bound, judged
	}
	read, bound, judged := allocs(500)
	more, most, same := allocs(5000)
	if judged > 1000 || same > judged+100 {
		t.Errorf("%.0f allocations to judge 500 nodes one in another, and %.0f for 5,000", judged, same)
	}
	if more > 11*read || most > 11*bound {
		t.Errorf("%.0f and %.0f allocations to read and bind 500 nodes one in another, %.0f and %.0f for 5,000", read, bound, more, most)
	}
}

// pooled is a pool of nodes that write fields and look at one, some of them in vain.
func pooled(nodes int, settings string) string {
	var b, names strings.Builder
	for i := range nodes {
		fmt.Fprintf(&b, "  p%d: {reads: f%d, writes: f%d}\n", i, i%5, (i+1)%5)
		fmt.Fprintf(&names, "p%d, ", i)
	}
	return "graph: g\nentry: w\nstate: {f0: int, f1: int, f2: int, f3: int, f4: int}\ninput: f4\noutput: f0\nnodes:\n" +
		"  w: {kind: autonomous, instructions: x, max_steps: 9, pool: [" + strings.TrimSuffix(names.String(), ", ") + "], " + settings + "}\n" + b.String()
}

// What the kinds of a key are is asked for once, not for every node that another runs.
func TestSettingsOfChildren(t *testing.T) {
	allocs := func(nodes int) float64 {
		s, found := spec.Load("g.graph.yaml", []byte(pooled(nodes, "entry: p1")))
		if len(found) > 0 {
			t.Fatal(found)
		}
		c := newContext(cfg.Of(s))
		return testing.AllocsPerRun(1, func() { childSettings(c) })
	}
	if each := (allocs(1000) - allocs(100)) / 900; each > 50 {
		t.Errorf("%.0f allocations for each node of a pool", each)
	}
}
