package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
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

// workOn is how many composite nodes the checks of a spec go through to follow what is needed.
func workOn(t *testing.T, text string) int {
	t.Helper()
	s, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	c := newContext(cfg.Of(s))
	f := c.dataFlow()
	if f == nil {
		t.Fatal("the data flow is not judged")
	}
	f.c.work = 0
	needed := f.needed()
	for i := range f.points {
		f.before(&f.points[i], needed, func(*resolve.Node, bits) {})
	}
	return c.work
}

func TestWorkGrowsWithDepthNotExponentially(t *testing.T) {
	for _, kind := range []string{"loop", "retry", "parallel", "map", "autonomous", "mixed"} {
		t.Run(kind, func(t *testing.T) {
			few, many := workOn(t, nestedIn(kind, 10)), workOn(t, nestedIn(kind, 90))
			if few == 0 || many > 10*few {
				t.Errorf("%d nodes are gone through where nodes are nested 10 deep, %d where they are 90 deep", few, many)
			}
		})
	}
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

// A demand is found by asking a composite node three times. It says the same as following each
// question through all that the node runs.
func TestADemandSaysWhatFollowingEveryNodeSays(t *testing.T) {
	compared := 0
	tries := sample(150)
	for seed := range uint64(tries) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := randomgraph.Inside(r, "g")
		if seed%2 == 0 {
			text = randomgraph.Composed(r, "g")
		}
		s, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatal(found)
		}
		f := newContext(cfg.Of(s)).dataFlow()
		if f == nil {
			continue
		}
		for _, n := range f.c.graph.All() {
			if !n.Kind.Composite() {
				continue
			}
			well, badly := someBits(r, len(f.fields)), someBits(r, len(f.fields))
			follow := &need{f: f, tell: func(*resolve.Node, bits) {}}
			want := follow.composite(n, well, badly)
			if got := f.demand(n).before(well, badly); !slices.Equal(got, want) {
				t.Fatalf("%s\nnode %s, needed %b after a success and %b after a failure: %b, want %b", text, n.Spec.Name.V, well, badly, got, want)
			}
			compared++
		}
	}
	if compared < tries*2/3 {
		t.Errorf("%d nodes compared", compared)
	}
}

func someBits(r *rand.Rand, n int) bits {
	b := newBits(n)
	for i := range n {
		if r.IntN(2) == 0 {
			b.add(i)
		}
	}
	return b
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
	read, bound, judged := allocs(1000)
	more, most, same := allocs(10_000)
	if judged > 1000 || same > judged+100 {
		t.Errorf("%.0f allocations to judge 1,000 nodes one in another, and %.0f for 10,000", judged, same)
	}
	if more > 11*read || most > 11*bound {
		t.Errorf("%.0f and %.0f allocations to read and bind 1,000 nodes one in another, %.0f and %.0f for 10,000", read, bound, more, most)
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

// followed is how many nodes of pools are gone through to make the data flow of a spec.
func followed(t *testing.T, text string) int {
	t.Helper()
	s, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	c := newContext(cfg.Of(s))
	if c.dataFlow() == nil {
		t.Fatal("the data flow is not judged")
	}
	return c.work
}

func TestWorkGrowsWithAPool(t *testing.T) {
	for _, settings := range []string{"entry: p1", "allow_repeat: false", "allow_repeat: false, terminal: p2", "terminal: [p2, p3, p9]"} {
		t.Run(settings, func(t *testing.T) {
			few, many := followed(t, pooled(100, settings)), followed(t, pooled(1000, settings))
			if few == 0 || many > 12*few {
				t.Errorf("%d nodes are gone through in a pool of 100, %d in one of 1,000", few, many)
			}
		})
	}
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
