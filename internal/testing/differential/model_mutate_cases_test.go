package differential

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/spec"
)

// mutatedGraph is the chain a, b, c, d with a template t. The condition of its edge back to a never holds.
const mutatedGraph = `graph: g
entry: a
state: {n: {type: int, merge: sum}}
input: [n]
output: [n]
mutations: {allow: [add_node, add_edge, skip_to, retry_with, remove_edge, remove_node], templates: [t], update: [n], max: 3}
nodes:
  a: {reads: [n], writes: [n], mutates: true, next: b}
  b: {reads: [n], writes: [n], mutates: true, next: c}
  c: {reads: [n], writes: [n], next: d}
  d: {reads: [n], writes: [n], mutates: true}
  t: {reads: [n], writes: [n]}
edges:
  - {from: c, to: a, if: state.N > 100, max_iterations: 1}
`

// TestTheModelChangesGraphs holds the model against changes whose outcome can be seen by reading.
func TestTheModelChangesGraphs(t *testing.T) {
	add := func(name, after, next string) mutation.Change {
		return mutation.AddNode(mutation.Node{Name: name, Template: "t", After: after, Next: next})
	}
	for _, c := range []struct {
		name     string
		by       string // the node that asks
		asks     []mutation.Change
		path     string
		verdicts string // of its first visit
	}{
		{"edges leave no node that the run no longer comes to", "d", []mutation.Change{mutation.AddEdge("a", "d").AtMost(1)}, "a/1 b/1 c/1 d/1", "was"},
		{"nothing is asked for", "a", nil, "a/1 b/1 c/1 d/1", ""},
		{"a run skips nodes", "a", []mutation.Change{mutation.SkipTo("c")}, "a/1 c/1 d/1", "made"},
		{"a run skips to the end", "a", []mutation.Change{mutation.SkipTo("end")}, "a/1", "made"},
		{"no run goes to a template", "a", []mutation.Change{mutation.SkipTo("t")}, "a/1 b/1 c/1 d/1", "was"},
		{"an added edge comes before the ways of the spec", "a", []mutation.Change{mutation.AddEdge("b", "d")}, "a/1 b/1 d/1", "made"},
		{"an added edge is followed as often as it may be", "b", []mutation.Change{mutation.AddEdge("c", "c").AtMost(2)}, "a/1 b/1 c/1 c/2 c/3 d/1", "made"},
		{"a cycle without a bound is refused", "a", []mutation.Change{mutation.AddEdge("c", "b")}, "a/1 b/1 c/1 d/1", "was"},
		{"an edge may lead back, and none leaves what is not there", "b",
			[]mutation.Change{mutation.AddEdge("d", "a").AtMost(1), mutation.AddEdge("ghost", "a").AtMost(1)}, "a/1 b/1 c/1 d/1 a/2 b/2 c/2 d/2", "made was"},
		{"an added node goes on where the one before it does", "a", []mutation.Change{add("x", "b", "")}, "a/1 b/1 x/1 c/1 d/1", "made"},
		{"an added node leads where it is said to", "a", []mutation.Change{add("x", "b", "d")}, "a/1 b/1 x/1 d/1", "made"},
		{"the name of a node is its own", "a", []mutation.Change{add("c", "b", ""), add("t", "b", "")},
			"a/1 b/1 c/1 d/1", "was was"},
		{"what leads to a removed node goes on where it leads", "a", []mutation.Change{mutation.RemoveNode("b"),
			mutation.RemoveNode("c")}, "a/1 d/1", "made made"},
		{"neither the node that runs nor one without a way on is removed", "a",
			[]mutation.Change{mutation.RemoveNode("a"), mutation.RemoveNode("d")}, "a/1 b/1 c/1 d/1", "was was"},
		{"the last way on stays", "a", []mutation.Change{mutation.RemoveEdge("b", "c")}, "a/1 b/1 c/1 d/1", "was"},
		{"no more is made than the spec allows, and what is refused does not count", "a", []mutation.Change{
			mutation.SkipTo("ghost"), mutation.AddEdge("b", "d").AtMost(1), mutation.AddEdge("b", "d").AtMost(1),
			mutation.AddEdge("b", "d").AtMost(1), mutation.SkipTo("d"),
		}, "a/1 b/1 d/1", "was made made made was"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, found := spec.Load("g.graph.yaml", []byte(mutatedGraph))
			if len(found) > 0 {
				t.Fatal(found)
			}
			script := &scriptdriver.Script{Input: map[string]any{"n": 0}, Nodes: map[string][]scriptdriver.Entry{}}
			for _, name := range []string{"a", "b", "c", "d", "t"} {
				plain := scriptdriver.Entry{Out: map[string]any{"n": 1}}
				first := plain
				if name == c.by {
					first.Mutate = c.asks
				}
				script.Nodes[name] = append([]scriptdriver.Entry{first}, slices.Repeat([]scriptdriver.Entry{plain}, 9)...)
			}
			got := expect(shapesOf(g), script, scriptdriver.Modes[0])
			if path := strings.Join(got.Path, " "); path != c.path {
				t.Errorf("path %s\nwant %s", path, c.path)
			}
			var verdicts []string
			for _, v := range got.Mutations {
				verdicts = append(verdicts, strings.Fields(v)[1])
			}
			if v := strings.Join(verdicts, " "); v != c.verdicts {
				t.Errorf("verdicts %s, want %s", v, c.verdicts)
			}
		})
	}
}
