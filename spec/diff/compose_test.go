package diff_test

import (
	"strings"
	"testing"
)

// composed is what the tests of nodes that run others change one thing of.
const composed = `graph: g
doc: Answers.
entry: both
state: {topics: "[]string", topic: string, notes: {type: "[]string", merge: append}}
input: [topics]
output: [notes]
mutations: {allow: [add_node, skip_to], templates: [spare], max: 3}
nodes:
  both: {kind: parallel, branches: {left: fetch, right: [ask, tell]}, join: settled, next: each}
  each: {kind: map, over: topics, item: topic, body: [look, note], next: roam}
  roam: {kind: autonomous, pool: [dig, rest], instructions: Answer., entry: dig, next: inner}
  inner: {kind: subgraph, graph: g, in: {topics: topics}, out: {notes: notes}, max_depth: 2}
  fetch: {reads: topics, mutates: true}
  ask: {reads: topics}
  tell: {reads: topics}
  look: {reads: topic}
  note: {reads: topic, writes: notes, output: string}
  dig: {reads: topics}
  rest: {reads: topics}
  spare: {reads: topics}
`

func TestCompositeNodes(t *testing.T) {
	tests := []struct {
		name     string
		old, new string // text that is replaced, and what by
		want     string
	}{
		{"defaults that are written out mean nothing", "max: 3}\n", "max: 3}\nmode: static\n", ""},
		{"the order of a pool means nothing", "pool: [dig, rest]", "pool: [rest, dig]", ""},
		{"the order of what is allowed means nothing", "[add_node, skip_to]", "[skip_to, add_node]", ""},
		{"a doc means nothing while edges lead", "doc: Answers.", "doc: Answers well.", ""},
		{"a body is a chain", "body: [look, note]", "body: [note, look]", "nodes\n  ~ each: body: look, note → note, look\n"},
		{"a branch is a chain", "right: [ask, tell]", "right: [tell, ask]", "nodes\n  ~ both branch right: ask, tell → tell, ask\n"},
		{"a branch less", "left: fetch, ", "", "nodes\n  - both branch left\nedges\n  + fetch: to end\n"},
		{"a branch more", "left: fetch, ", "left: fetch, up: fetch, ", "nodes\n  + both branch up: fetch\n"},
		{"the order of branches is that of their writes", "{left: fetch, right: [ask, tell]}", "{right: [ask, tell], left: fetch}",
			"nodes\n  ~ both: order of the branches: left, right → right, left\n"},
		{"a join", "join: settled", "join: first, count: 2", "nodes\n  ~ both: join: settled → first\n  ~ both: count: 1 → 2\n"},
		{"an element has another field", "item: topic", "item: other", "nodes\n  ~ each: item: topic → other\n"},
		{"what a graph is given", "in: {topics: topics}", "in: {topics: notes}", "nodes\n  ~ inner: in: topics from topics → topics from notes\n"},
		{"what becomes of what it gives", "out: {notes: notes}, ", "", "nodes\n  ~ inner: out: notes from notes → none\n"},
		{"a mutation more", "skip_to]", "skip_to, add_edge]", "mutations\n  ~ allow: + add_edge\n"},
		{"what an added prompt may read and call", "templates: [spare], max", "templates: [spare], kinds: prompt, reads: [n], tools: [search, post], max",
			"mutations\n  ~ kinds: + prompt\n  ~ reads: + n\n  ~ tools: + search, + post\n"},
		{"mutations that go", "mutations: {allow: [add_node, skip_to], templates: [spare], max: 3}\n", "",
			"mutations\n  ~ allow: - add_node, - skip_to\n  ~ templates: - spare\n  ~ max: 3 → 10\nedges\n  + spare: to end\n"},
		{"a new node that runs others", "  spare: {", "  more: {kind: parallel, branches: {a: spare}}\n  spare: {",
			"nodes\n  + more: parallel; branch a spare\nedges\n  + more: to end\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after := strings.Replace(composed, tt.old, tt.new, 1)
			if after == composed {
				t.Fatal("nothing is replaced")
			}
			if got := between(t, composed, after); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestGoalOfAutonomousGraph(t *testing.T) {
	const graph = "graph: g\ndoc: Answer.\nmode: autonomous\nnodes: {a: {}, b: {}}\n"
	if got := between(t, graph, strings.Replace(graph, "Answer.", "Answer well.", 1)); got != "graph\n  ~ doc: Answer. → Answer well.\n" {
		t.Errorf("got\n%s", got)
	}
	if got := between(t, strings.Replace(graph, "mode: autonomous\n", "", 1), graph); !strings.HasPrefix(got,
		"graph\n  ~ mode: static → autonomous\n") || strings.Contains(got, "+ g") {
		t.Errorf("got\n%s", got)
	}
}
