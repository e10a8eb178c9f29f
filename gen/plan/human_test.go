package plan_test

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// TestNestedPeople holds which people of other graphs a machine has functions for: also those in a graph that a node runs whose run a person approves.
func TestNestedPeople(t *testing.T) {
	const head = "entry: a\nstate: {y: {type: string, default: none}}\noutput: y\n"
	files := []diag.File{
		{Name: "inner.graph.yaml", Text: "graph: inner\n" + head + "nodes:\n  a: {kind: human, instructions: \"Well?\"}\n"},
		{Name: "middle.graph.yaml", Text: "graph: middle\nuse: {inner: inner.graph.yaml}\n" + head +
			"nodes:\n  a: {kind: subgraph, graph: inner, flags: [requires_human]}\n"},
	}
	g, found := spec.Load("g.graph.yaml", []byte("graph: g\nuse: {middle: middle.graph.yaml}\n"+head+"nodes:\n  a: {kind: subgraph, graph: middle}\n"))
	link.Among(files, func(*spec.Graph) []diag.Diagnostic { return nil }).Link(g)
	graph := cfg.Of(g)
	for _, d := range append(found, check.Run(graph)...) {
		if d.Severity == diag.Error {
			t.Fatal(d)
		}
	}
	var paths []string
	for _, h := range plan.Lower(graph, "p").Humans.NestedHumans {
		paths = append(paths, h.Path)
	}
	if want := []string{"a/a", "a/a/a"}; !slices.Equal(paths, want) {
		t.Errorf("the people are %q, want %q", paths, want)
	}
}
