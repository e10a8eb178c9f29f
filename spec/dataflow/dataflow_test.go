package dataflow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// free takes every condition for one that may hold or not.
type free struct{}

func (free) MayHold(*cfg.Transition, bool) bool { return true }
func (free) MayMiss(*cfg.Node) bool             { return true }

func flowOf(t *testing.T, text string) *Flow {
	t.Helper()
	s, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return New(cfg.Of(s), free{})
}

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

func TestWork(t *testing.T) {
	for _, kind := range []string{"loop", "retry", "parallel", "map", "autonomous", "mixed"} {
		t.Run("nested "+kind, func(t *testing.T) {
			work := func(depth int) int {
				f := flowOf(t, nestedIn(kind, depth))
				f.work = 0
				f.LiveAfter(func(*resolve.Node, Set) {})
				return f.work
			}
			if few, many := work(10), work(90); few == 0 || many > 10*few {
				t.Errorf("%d nodes are analysed where nodes are nested 10 deep, %d where they are 90 deep", few, many)
			}
		})
	}
	for _, settings := range []string{"entry: p1", "allow_repeat: false", "allow_repeat: false, terminal: p2", "terminal: [p2, p3, p9]"} {
		t.Run("pool "+settings, func(t *testing.T) {
			few, many := flowOf(t, pooled(100, settings)).work, flowOf(t, pooled(1000, settings)).work
			if few == 0 || many > 12*few {
				t.Errorf("%d nodes are analysed in a pool of 100, %d in one of 1,000", few, many)
			}
		})
	}
}

// A demand is found by asking a composite node three times. It has to say what following each
// question through all that the node runs says.
func TestDemand(t *testing.T) {
	compared := 0
	tries := tier.Pick(18, 60, 300)
	for d := range tier.Draws(t, tries) {
		r := d.Rand()
		text := randomgraph.Inside(r, "g")
		if d.Number%2 == 0 {
			text = randomgraph.Make(r, "g", randomgraph.Options{Composes: true})
		}
		f := flowOf(t, text)
		for _, n := range f.Graph.Spec.All() {
			if !n.Kind.Composite() {
				continue
			}
			succeeded, failed := someFields(r, f), someFields(r, f)
			follow := &liveness{f, func(*resolve.Node, Set) {}}
			want := follow.composite(n, succeeded, failed)
			if got := f.demand(n).before(succeeded, failed); !slices.Equal(got, want) {
				t.Fatalf("%s\nnode %s, %b live after a success and %b after a failure: %b, want %b", text, n.Spec.Name.V, succeeded, failed, got, want)
			}
			compared++
		}
	}
	if compared < tries*2/3 && !tier.Alone() {
		t.Errorf("%d nodes compared", compared)
	}
}

func someFields(r *rand.Rand, f *Flow) Set {
	s := f.NewSet()
	for i := range f.Fields {
		if r.IntN(2) == 0 {
			s.Add(i)
		}
	}
	return s
}

func TestString(t *testing.T) {
	const head = "graph: g\nentry: a\nstate: {x: string, y: string, l: {type: \"[]int\", max_length: 3}, i: {type: int, default: 0}, " +
		"m: {type: int, merge: custom}}\ninput: l\noutput: y\nnodes:\n"
	for name, row := range map[string]struct{ text, want string }{
		"a chain that writes before it reads": {
			"  a: {reads: [], writes: x, next: b}\n  b: {reads: x, writes: y}\n",
			"a: unwritten x y; live x\nb: unwritten y; live y\n",
		},
		"a failure that leads past the write": {
			"  a: {reads: [], writes: x, next: b}\n  b: {reads: x, writes: y}\nedges: [{from: a, to: b, on: error}]\n",
			"a: unwritten x y; live x\nb: unwritten x y; live y\nnode b reads x: a failed, b succeeded\n",
		},
		"a write that is overwritten": {
			"  a: {reads: [], writes: y, next: b}\n  b: {reads: [], writes: y}\n",
			"a: unwritten x y; live nothing\nb: unwritten x; live y\n",
		},
		"an end without the output": {
			"  a: {reads: [], output: {ok: bool}, next: b}\n  b: {reads: [], writes: y}\nedges: [{from: a, to: end, if: out.Ok}]\n",
			"a: unwritten x y; live y\nb: unwritten x y; live y\nthe output reads y: a succeeded, end\n",
		},
		"a pool that the model ends before it begins": {
			"  a: {kind: autonomous, pool: [c, d], instructions: x, max_steps: 3, next: b}\n  c: {reads: [], writes: x}\n  d: {reads: [], writes: x}\n" +
				"  b: {reads: x, writes: y}\n",
			"a: unwritten x y\nb: unwritten x y; live y\nnode b reads x: a succeeded, b succeeded\n",
		},
		"a pool that may keep what was written before it": {
			"  a: {reads: [], writes: x, next: c}\n  c: {kind: autonomous, pool: [d], instructions: x, max_steps: 3, next: b}\n  d: {reads: [], writes: x}\n" +
				"  b: {reads: x, writes: y}\n",
			"a: unwritten x y; live x\nc: unwritten y\nb: unwritten y; live y\n",
		},
		"a pool that the model cannot end before it begins": {
			"  a: {reads: [], writes: x, next: c}\n  c: {kind: autonomous, pool: [d, e], terminal: e, instructions: x, max_steps: 3, next: b}\n" +
				"  d: {reads: [], writes: x}\n  e: {reads: [], writes: x}\n  b: {reads: x, writes: y}\n",
			"a: unwritten x y; live nothing\nc: unwritten y\nb: unwritten y; live y\n",
		},
		"a pool whose model is shown a field": {
			"  a: {reads: [], writes: x, next: c}\n  c: {kind: autonomous, pool: [d, e], terminal: e, reads: x, instructions: x, max_steps: 3, next: b}\n" +
				"  d: {reads: [], writes: x}\n  e: {reads: [], writes: x}\n  b: {reads: x, writes: y}\n",
			"a: unwritten x y; live x\nc: unwritten y\nb: unwritten y; live y\n",
		},
		"used-up visits, which are no soft failure": {
			"  a: {kind: retry, body: c, attempts: 2, next: e, transitions: {error: b}}\n  c: {kind: prompt, instructions: x, tools: look, fail_soft: true}\n" +
				"  e: {reads: [], writes: y}\n  b: {reads: x, writes: y}\ntools: {look: }\n",
			"a: unwritten x y\ne: unwritten x y; live y\nb: unwritten x y; live y\nnode b reads x: a failed, b succeeded\n",
		},
		"a list that is too long": {
			"  a: {kind: map, over: l, item: i, body: c, next: e, transitions: {error: b}}\n  c: {reads: i, fail_soft: true}\n" +
				"  e: {reads: [], writes: y}\n  b: {reads: x, writes: y}\n",
			"a: unwritten x y\ne: unwritten x y; live y\nb: unwritten x y; live y\nnode b reads x: a failed, b succeeded\n",
		},
		"a merge that panics": {
			"  a: {kind: parallel, branches: {l: c, r: d}, next: e, transitions: {error: b}}\n  c: {reads: [], writes: m, fail_soft: true}\n" +
				"  d: {reads: [], fail_soft: true}\n  e: {reads: [], writes: y}\n  b: {reads: x, writes: y}\n",
			"a: unwritten x y\ne: unwritten x y; live y\nb: unwritten x y; live y\nnode b reads x: a failed, b succeeded\n",
		},
		"a no to a node that runs others": {
			"  a: {reads: [], writes: x, next: c}\n  c: {kind: loop, body: d, max_iterations: 2, flags: [requires_human], on_deny: b, next: e}\n" +
				"  d: {reads: [], writes: x, fail_soft: true}\n  b: {reads: x, writes: y}\n  e: {reads: [], writes: y}\n",
			"a: unwritten x y; live x\nc: unwritten y\nb: unwritten y; live y\ne: unwritten y; live y\n",
		},
		"a no before what writes": {
			"  a: {kind: loop, body: d, max_iterations: 2, flags: [requires_human], on_deny: b, next: c}\n  d: {reads: [], writes: x, fail_soft: true}\n" +
				"  b: {reads: x, writes: y}\n  c: {reads: [], writes: y}\n",
			"a: unwritten x y\nb: unwritten x y; live y\nc: unwritten x y; live y\nnode b reads x: a denied, b succeeded\n",
		},
		"branches that join": {
			"  a: {kind: parallel, branches: {l: c, r: d}, next: b}\n  c: {reads: [], writes: x}\n  d: {reads: []}\n  b: {reads: x, writes: y}\n",
			"a: unwritten x y\nb: unwritten y; live y\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := flowOf(t, head+row.text).String(); got != row.want {
				t.Errorf("got\n%swant\n%s", got, row.want)
			}
		})
	}
}
