package differential

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/spec"
)

// A composedCase is a graph whose run the model has to get right: what SEMANTICS says of it
// can be seen by reading.
type composedCase struct {
	name     string
	graph    string // nodes and edges, where runs start at a
	state    string // fields besides n, l and t
	input    map[string]any
	nodes    map[string][]scriptdriver.Entry // nodes that are left out write 1, and succeed
	path     string
	want     []string // values of the state, as they are dumped
	failures []string
	reason   string // completed where it is empty
}

var composedCases = []composedCase{
	{
		name:  "a loop runs until its condition holds, and no more often than it may",
		graph: "nodes:\n  a: {kind: loop, body: w, until: state.N >= 7, max_iterations: 3}\n  w: {reads: [n], writes: [n]}\n",
		path:  "a/1 w/1 w/2 w/3", want: []string{"n=3 "},
	},
	{
		name: "a loop whose condition holds at once runs once",
		graph: "nodes:\n  a: {kind: loop, body: [w, v], until: state.N >= 2, max_iterations: 3}\n  w: {reads: [n], writes: [n]}\n" +
			"  v: {reads: [n], writes: [n]}\n",
		path: "a/1 w/1 v/1", want: []string{"n=2 "},
	},
	{
		name: "what a failing iteration and those before it have written stays",
		graph: "nodes:\n  a: {kind: loop, body: [w, v], until: state.N > 10, fail_soft: true}\n  w: {reads: [n], writes: [n]}\n  " +
			"v: {reads: [n], writes: [n]}\n",
		nodes: map[string][]scriptdriver.Entry{"v": {{}, {Kind: scriptdriver.Fails}}},
		path:  "a/1 w/1 v/1 w/2 v/2", want: []string{"n=3 "},
		failures: []string{"node(a visit 1) node(v visit 2) error(v#2) soft=true cleared=false"},
	},
	{
		name:  "a retry undoes what a failed attempt has written",
		graph: "nodes:\n  a: {kind: retry, body: [w, v], retry_on: any}\n  w: {reads: [n], writes: [n]}\n  v: {reads: [n], writes: [n]}\n",
		nodes: map[string][]scriptdriver.Entry{"v": {{Kind: scriptdriver.Fails}, {}}},
		path:  "a/1 w/1 v/1 w/2 v/2", want: []string{"n=2 "},
	},
	{
		name: "branches write in their written order, whichever is first",
		graph: "nodes:\n  a: {kind: parallel, branches: {x: [w, v], y: u}}\n  w: {reads: [n], writes: [l]}\n  v: {reads: [l], " +
			"writes: [l]}\n  u: {reads: [n], writes: [l]}\n",
		nodes: map[string][]scriptdriver.Entry{"w": {writes("l", []int{1})}, "v": {writes("l", []int{2})}, "u": {writes("l", []int{3})}},
		path:  "a/1 w/1 v/1 u/1", want: []string{"l=[1 2 3] "},
	},
	{
		name:  "a map's elements come in the order of the list, and what has no merge rule is their own",
		graph: "nodes:\n  a: {kind: map, over: t, item: i, body: [w, v]}\n  w: {reads: [i], writes: [own, l]}\n  v: {reads: [own, i], writes: [l]}\n",
		state: "  i: int\n  own: int\n", input: map[string]any{"t": []int{5, 3, 4}},
		nodes: map[string][]scriptdriver.Entry{"w": {{Out: map[string]any{"own": 1, "l": []int{7}}}}, "v": {writes("l", []int{8})}},
		path:  "a/1 w/1 v/1 w/2 v/2 w/3 v/3", want: []string{"l=[7 8 7 8 7 8] ", "i=0 ", "own=0 "},
	},
	{
		name:  "a map of an empty list runs nothing and succeeds",
		graph: "nodes:\n  a: {kind: map, over: t, item: i, body: w}\n  w: {reads: [i], writes: [n]}\n",
		state: "  i: int\n", input: map[string]any{"t": []int{}},
		path: "a/1", want: []string{"n=0 "},
	},
	{
		name: "of a branch that fails nothing is merged, though it has written before",
		graph: "nodes:\n  a: {kind: parallel, join: settled, branches: {x: [w, v], y: u}}\n  w: {reads: [n], writes: [n]}\n  v: " +
			"{reads: [n], writes: [n]}\n  u: {reads: [n], writes: [n]}\n",
		nodes: map[string][]scriptdriver.Entry{"v": {{Kind: scriptdriver.Fails}}},
		path:  "a/1 w/1 v/1 u/1", want: []string{"n=1 "},
		failures: []string{"node(v visit 1) error(v#1) soft=true cleared=false"},
	},
	{
		name: "branches of which all have to succeed come to their ends, and one that fails fails the node",
		graph: "nodes:\n  a: {kind: parallel, join: all, branches: {x: w, y: [u, v]}, fail_soft: true}\n  w: {reads: [n], writes: " +
			"[n]}\n  v: {reads: [n], writes: [n]}\n  u: {reads: [n], writes: [n]}\n",
		nodes: map[string][]scriptdriver.Entry{"w": {{Kind: scriptdriver.Fails}}},
		path:  "a/1 w/1 u/1 v/1", want: []string{"n=0 "},
		failures: []string{"node(a visit 1) node(w visit 1) error(w#1) soft=true cleared=false"},
	},
	{
		name: "a join that settles with too few fails",
		graph: "nodes:\n  a: {kind: parallel, join: settled, count: 2, branches: {x: w, y: u}, fail_soft: true}\n  w: {reads: " +
			"[n], writes: [n]}\n  u: {reads: [n], writes: [n]}\n",
		nodes: map[string][]scriptdriver.Entry{"w": {{Kind: scriptdriver.Fails}}},
		path:  "a/1 w/1 u/1", want: []string{"n=0 "},
		failures: []string{`node(a visit 1) branches(1 of 2)["node(w visit 1) error(w#1)"] soft=true cleared=false`},
	},
	{
		name: "the first that succeeds is enough, and those that failed before are told",
		graph: "nodes:\n  a: {kind: parallel, join: first, branches: {x: w, y: u}, max_parallel: 1}\n  w: {reads: [n], writes: " +
			"[n]}\n  u: {reads: [n], writes: [n]}\n",
		nodes: map[string][]scriptdriver.Entry{"w": {{Kind: scriptdriver.Fails}}},
		path:  "a/1 w/1 u/1", want: []string{"n=1 "},
		failures: []string{"node(w visit 1) error(w#1) soft=true cleared=false"},
	},
	{
		name: "a branch that waits does not begin when the join is decided",
		graph: "nodes:\n  a: {kind: parallel, join: first, branches: {x: w, y: u}, max_parallel: 1}\n  w: {reads: [n], writes: " +
			"[n]}\n  u: {reads: [n], writes: [n]}\n",
		path: "a/1 w/1", want: []string{"n=1 "},
	},
	{
		name: "a branch that fails fast cancels what waits",
		graph: "nodes:\n  a: {kind: parallel, branches: {x: w, y: u}, max_parallel: 1, fail_soft: true}\n  w: {reads: [n], writes: " +
			"[n]}\n  u: {reads: [n], writes: [n]}\n",
		nodes: map[string][]scriptdriver.Entry{"w": {{Kind: scriptdriver.Fails}}},
		path:  "a/1 w/1", want: []string{"n=0 "},
		failures: []string{"node(a visit 1) node(w visit 1) error(w#1) soft=true cleared=false"},
	},
	{
		name: "steps of branches count for the run",
		graph: "limits: {max_steps: 3, on_max_steps: last}\nnodes:\n  a: {kind: parallel, branches: {x: w, y: u, z: v}}\n  w: " +
			"{reads: [n], writes: [n]}\n  u: {reads: [n], writes: [n]}\n  v: {reads: [n], writes: [n]}\n",
		path: "", reason: "max_steps",
	},
}

func writes(field string, value any) scriptdriver.Entry {
	return scriptdriver.Entry{Out: map[string]any{field: value}}
}

func TestNestedModel(t *testing.T) {
	for _, c := range composedCases {
		t.Run(c.name, func(t *testing.T) {
			for schedule := 1; schedule <= 3; schedule++ {
				c.run(t, schedule)
			}
		})
	}
}

func (c *composedCase) run(t *testing.T, schedule int) {
	t.Helper()
	text := "graph: g\nentry: a\nstate:\n  n: {type: int, merge: sum}\n  l: {type: \"[]int\", merge: append}\n  t: \"[]int\"\n" +
		c.state + "input: [t]\noutput: [n]\n" + c.graph
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	s := shapesOf(g)
	script := &scriptdriver.Script{Input: c.input, Nodes: map[string][]scriptdriver.Entry{}, Schedule: schedule}
	for _, n := range s.nodes {
		if script.Nodes[n.Name.V] = c.nodes[n.Name.V]; script.Nodes[n.Name.V] == nil {
			script.Nodes[n.Name.V] = []scriptdriver.Entry{{}}
		}
		for i := range script.Nodes[n.Name.V] {
			if e := &script.Nodes[n.Name.V][i]; e.Out == nil {
				e.Out = map[string]any{"n": 1}
			}
		}
	}
	got, vague, ok := predict(s, script, scriptdriver.Timed[0], nil)
	if !ok {
		t.Fatal("the model cannot say what happens")
	}
	got = essence(got, vague)
	if reason := c.reason; got.Reason != reason && (reason != "" || got.Reason != "completed") {
		t.Errorf("ends %s %s, want %s", got.Reason, got.Err, reason)
	}
	if path := strings.Join(got.Path, " "); path != c.path {
		t.Errorf("path %s\nwant %s", path, c.path)
	}
	for _, want := range c.want {
		if !strings.Contains(" "+got.State, " "+want) {
			t.Errorf("state %s\nwant %s", got.State, want)
		}
	}
	if !slices.Equal(got.Failures, c.failures) {
		t.Errorf("failures %q\nwant %q", got.Failures, c.failures)
	}
}
