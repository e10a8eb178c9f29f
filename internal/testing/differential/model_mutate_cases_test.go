package differential

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
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
	change := func(action, name, from, to string, most int) scriptdriver.Change {
		c := scriptdriver.Change{Action: action, Name: name, From: from, To: to, Most: most}
		if action == "add_node" {
			c.Template = "t"
		}
		return c
	}
	for _, c := range []struct {
		name     string
		by       string // the node that asks
		asks     []scriptdriver.Change
		path     string
		verdicts string // of its first visit
	}{
		{"edges leave no node that the run no longer comes to", "d", []scriptdriver.Change{change("add_edge", "", "a", "d", 1)}, "a/1 b/1 c/1 d/1", "was"},
		{"nothing is asked for", "a", nil, "a/1 b/1 c/1 d/1", ""},
		{"a run skips nodes", "a", []scriptdriver.Change{change("skip_to", "c", "", "", 0)}, "a/1 c/1 d/1", "made"},
		{"a run skips to the end", "a", []scriptdriver.Change{change("skip_to", "end", "", "", 0)}, "a/1", "made"},
		{"no run goes to a template", "a", []scriptdriver.Change{change("skip_to", "t", "", "", 0)}, "a/1 b/1 c/1 d/1", "was"},
		{"an added edge comes before the ways of the spec", "a", []scriptdriver.Change{change("add_edge", "", "b", "d", 0)}, "a/1 b/1 d/1", "made"},
		{"an added edge is followed as often as it may be", "b", []scriptdriver.Change{change("add_edge", "", "c", "c", 2)}, "a/1 b/1 c/1 c/2 c/3 d/1", "made"},
		{"a cycle without a bound is refused", "a", []scriptdriver.Change{change("add_edge", "", "c", "b", 0)}, "a/1 b/1 c/1 d/1", "was"},
		{"an edge may lead back, and none leaves what is not there", "b",
			[]scriptdriver.Change{change("add_edge", "", "d", "a", 1), change("add_edge", "", "ghost", "a", 1)}, "a/1 b/1 c/1 d/1 a/2 b/2 c/2 d/2", "made was"},
		{"an added node goes on where the one before it does", "a", []scriptdriver.Change{change("add_node", "x", "b", "", 0)}, "a/1 b/1 x/1 c/1 d/1", "made"},
		{"an added node leads where it is said to", "a", []scriptdriver.Change{change("add_node", "x", "b", "d", 0)}, "a/1 b/1 x/1 d/1", "made"},
		{"the name of a node is its own", "a", []scriptdriver.Change{change("add_node", "c", "b", "", 0), change("add_node", "t", "b", "", 0)},
			"a/1 b/1 c/1 d/1", "was was"},
		{"what leads to a removed node goes on where it leads", "a", []scriptdriver.Change{change("remove_node", "b", "", "", 0),
			change("remove_node", "c", "", "", 0)}, "a/1 d/1", "made made"},
		{"neither the node that runs nor one without a way on is removed", "a",
			[]scriptdriver.Change{change("remove_node", "a", "", "", 0), change("remove_node", "d", "", "", 0)}, "a/1 b/1 c/1 d/1", "was was"},
		{"the last way on stays", "a", []scriptdriver.Change{change("remove_edge", "", "b", "c", 0)}, "a/1 b/1 c/1 d/1", "was"},
		{"no more is made than the spec allows, and what is refused does not count", "a", []scriptdriver.Change{
			change("skip_to", "ghost", "", "", 0), change("add_edge", "", "b", "d", 1), change("add_edge", "", "b", "d", 1),
			change("add_edge", "", "b", "d", 1), change("skip_to", "d", "", "", 0),
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
