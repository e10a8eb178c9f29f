package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/randomgraph"
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
			if !resolve.IsComposite(n.Kind) {
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
