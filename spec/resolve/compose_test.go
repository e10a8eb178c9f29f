package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/resolve"
)

// tree writes what a graph's nodes run, indented below each.
func tree(g *resolve.Graph) string {
	var b strings.Builder
	var node func(indent string, n *resolve.Node)
	node = func(indent string, n *resolve.Node) {
		b.WriteString(indent + n.Spec.Name.V + "\n")
		for _, r := range n.Regions {
			if r.Name.IsSet() && n.Kind.Branches() {
				b.WriteString(indent + "  " + r.Name.V + ":\n")
			}
			for _, inner := range r.Nodes {
				node(indent+"  ", inner)
			}
		}
	}
	for _, n := range g.Nodes {
		node("", n)
	}
	return b.String()
}

func TestFirstRegion(t *testing.T) {
	for name, test := range map[string]struct{ nodes, want string }{
		"chains and branches nest": {
			"a: {kind: loop, body: [b, c], until: 'true'}\n  b: {kind: parallel, branches: {left: d, right: [e, f]}}\n  c:\n  d:\n" +
				"  e: {kind: retry, body: x}\n  f:\n  x:\n",
			"a b left: d right: e x f c",
		},
		"a node is in one region":        {"a: {kind: retry, body: [b]}\n  c: {kind: map, body: [b, d]}\n  b:\n  d:\n", "a b c d"},
		"none runs itself":               {"a: {kind: retry, body: a}\n", "a"},
		"nor what runs it":               {"z:\n  a: {kind: retry, body: b}\n  b: {kind: loop, body: [a, c]}\n  c:\n", "z a b c"},
		"the entry is run by none":       {"a:\n  b: {kind: retry, body: a}\n", "a b"},
		"nor is on_error":                {"a:\n  b: {kind: retry, body: rescue}\n  rescue:\n", "a b rescue"},
		"a node of a pool is a region":   {"a: {kind: autonomous, pool: [b, c]}\n  b:\n  c:\n", "a b c"},
		"a template is on no way":        {"a:\n  t:\n", "a"},
		"a template that is run is none": {"a: {kind: retry, body: t}\n  t:\n", "a t"},
	} {
		text := "graph: g\nentry: a\non_error: rescue\nmutations: {allow: add_node, templates: [t]}\nnodes:\n  " + test.nodes
		if strings.Contains(test.nodes, "z:") {
			text = strings.Replace(text, "entry: a", "entry: z", 1)
		}
		g := bind(t, text)
		if got := strings.Join(strings.Fields(tree(g)), " "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		if all := len(g.All()); all != len(g.Spec.Nodes) {
			t.Errorf("%s: %d of %d nodes", name, all, len(g.Spec.Nodes))
		}
	}
}

func TestCompositeNames(t *testing.T) {
	g := bind(t, `graph: g
entry: each
state: {topics: "[]string", topic: string, note: string}
mutations: {allow: [skip_to, add_node, fly, add_node], kinds: [prompt, func], templates: spare, update: [note, gone], reads: [topics, note, gone, note], writes: note, tools: [search, gone, search]}
tools: {search: {}, post: {}}
nodes:
  each: {kind: map, over: topics, item: topic, body: roam}
  roam: {kind: autonomous, pool: [a, b, gone], entry: a, terminal: [b, spare, b], instructions: "About {{topic}}.", reads: [topic, note]}
  a: {mutates: true}
  b:
  spare: {kind: prompt, instructions: Say more., mutates: true}
`)
	each, roam := g.Node("each"), g.Node("roam")
	if each.Over != g.State.Field("topics") || each.Item != g.State.Field("topic") {
		t.Errorf("over %v, item %v", each.Over, each.Item)
	}
	if roam.First != g.Node("a") || !slices.Equal(roam.Finals, []*resolve.Node{g.Node("b")}) {
		t.Errorf("first %v, finals %v", roam.First, roam.Finals)
	}
	if shown := roam.Shown(); len(roam.Reads) != 2 || len(shown) != 1 || shown[0].Name != "note" {
		t.Errorf("reads %v, shown %v", roam.Reads, shown)
	}
	m := g.Mutations
	if got := fmt.Sprint(m.Allow, m.Kinds, len(m.Update), len(m.Reads), len(m.Writes), len(m.Tools), m.Max); got != "[add_node skip_to] [prompt] 1 2 1 1 10" {
		t.Errorf("mutations %s", got)
	}
	if !m.Allows("skip_to") || m.Allows("add_edge") || (*resolve.Mutations)(nil).Allows("skip_to") {
		t.Error("what is allowed is another thing")
	}
	if g.Mutates(g.Node("a")) || !g.Mutates(g.Node("spare")) {
		t.Error("what others run changes nothing, a template does")
	}
	if !roam.Bodiless() || each.Bodiless() {
		t.Error("it is not told which nodes are not known")
	}
}

func TestAutonomousPool(t *testing.T) {
	g := bind(t, `graph: help
doc: Answer {{topic}}.
mode: autonomous
entry: ask
on_error: rescue
limits: {max_steps: 7}
state: {topic: string}
mutations: {allow: add_node, templates: spare}
nodes:
  ask: {kind: retry, body: fetch}
  fetch:
  help: {flags: [terminal]}
  rescue:
  spare:
`)
	if got := strings.Join(strings.Fields(tree(g)), " "); got != "rescue help_pool ask fetch help" {
		t.Errorf("the nodes are %s", got)
	}
	pool := g.Pool
	if g.Entry != pool || pool.First != g.Node("ask") || len(pool.Finals) != 1 || pool.Spec.MaxSteps.V != 7 {
		t.Errorf("entry %v, first %v, finals %v, max_steps %v", g.Entry, pool.First, pool.Finals, pool.Spec.MaxSteps)
	}
	if len(pool.Instructions) != 1 || pool.Instructions[0].Text != "Answer {{topic}}." {
		t.Errorf("it is told to %v", pool.Instructions)
	}
}
