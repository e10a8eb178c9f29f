package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// someNode writes a node with ways on of several kinds, and the edges from it.
func someNode(r *rand.Rand) (node, edges string) {
	one := func(in int) bool { return r.IntN(in) == 0 }
	var keys []string
	kind := []string{"func", "func", "func", "router", "guard"}[r.IntN(5)]
	keys = append(keys, "kind: "+kind)
	switch kind {
	case "func":
		route := []string{"", "", "", ", route: Step", ", route: \"?Step\"", ", route: string", ", route: string, goto: Step",
			", _next: \"?Step\", goto: string"}[r.IntN(8)]
		kind := []string{"Step", "\"?Step\""}[r.IntN(2)]
		keys = append(keys, "output: {done: bool, kind: "+kind+route+"}")
		if one(4) {
			keys = append(keys, "goto: [b]")
		}
		if one(4) {
			keys = append(keys, "transitions: {done: b}")
		}
		bound := []string{"", ", max_iterations: 2"}[r.IntN(2)]
		switch r.IntN(6) {
		case 0, 1:
			edges += "  - {from: a, branch: {left: b, right: end}" + bound + "}\n"
		case 2, 3:
			edges += "  - {from: a, by: kind, branch: {" + []string{"b: end, end: b", "b: end, end: b", "end: b"}[r.IntN(3)] + "}" + bound + "}\n"
		}
	case "router":
		keys = append(keys, "routes: [b]")
	case "guard":
		if one(2) {
			keys = append(keys, "on_pass: b")
		}
	}
	if kind != "guard" && one(4) {
		keys = append(keys, "next: b")
	}
	if one(4) {
		keys = append(keys, "fail_soft: true")
	}
	if one(4) {
		keys = append(keys, "flags: [skip_on_error]")
	}
	if one(3) {
		edges += "  - {from: a, to: b, if: state.N > 1, max_iterations: 2}\n"
	}
	if one(3) {
		edges += "  - {from: a, to: b, if: state.N > 2}\n"
	}
	if one(3) {
		edges += "  - {from: a, to: end, max_iterations: 2}\n"
	}
	if one(5) {
		edges += "  - {from: a, to: end}\n"
	}
	return "  a: {" + strings.Join(keys, ", ") + "}\n", edges
}

// What is generated falls back on no_match where none of the ways on is sure to be taken;
// the check must ask for it there, and nowhere else.
func TestDefaultsOfGenerated(t *testing.T) {
	asked := 0
	tries := tier.Pick(120, 1000, 5000)
	for d := range tier.Draws(t, tries) {
		node, edges := someNode(d.Rand())
		text := "graph: g\nentry: a\ntypes: {Step: {enum: [b, end]}}\nstate: {n: int}\ninput: [n]\nnodes:\n" + node + "  b: {}\nedges:\n" + edges
		g, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatal(found)
		}
		bound := resolve.Resolve(g)
		c := newContext(cfg.Build(bound))
		lowered := plan.Lower(cfg.Of(g), "g").Flow.Nodes[0]
		falls := lowered.Routes.Default.Kind == plan.Error || lowered.Failure.Skip && lowered.Routes.SkipDefault.Kind == plan.Error
		gap := c.gap(bound.Nodes[0])
		if (gap != nil) != falls {
			t.Fatalf("the check finds %v, what is generated falls back: %v\n%s", fmt.Sprintf("%+v", gap), falls, text)
		}
		if falls {
			asked++
		}
	}
	if !tier.Alone() && (asked < tries/6 || asked > tries*29/30) {
		t.Errorf("%d of %d nodes fall back", asked, tries)
	}
}
