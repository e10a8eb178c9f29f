package diff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/diff"
	"github.com/graphgen/graphgen/spec/link"
	"go.yaml.in/yaml/v3"
)

// before is what the tests change one thing of.
const before = `# a graph
graph: review
doc: Drafts.
entry: draft
limits: {max_steps: 20}
types:
  Grade: {enum: [low, mid, high]}
  Verdict:
    score: {type: int, min: 1, max: 5}
    grade: Grade
state:
  topic: string
  article: string
  verdicts: {type: "[]Verdict", merge: append}
input: [topic]
output: [article]
nodes:
  draft: {doc: Writes., reads: [topic, verdicts], writes: article, flags: [{retryable: {attempts: 4}}]}
  critic: {reads: [article], output: Verdict, writes: verdicts, timeout: 1m}
  publish: {reads: [article], flags: [critical]}
edges:
  - {from: draft, to: critic}
  - {from: critic, to: publish, if: "out.Score >= 4", priority: 10}
  - {from: critic, to: draft, if: out.Grade == GradeLow, max_iterations: 3}
  - {from: critic, to: publish, label: good enough}
  - {from: publish, to: end}
`

// load reads a spec and links it, as the commands do: the templates that it uses are expanded.
func load(t *testing.T, file string, text []byte) (*spec.Graph, []diag.Diagnostic) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	g, found := spec.Load(file, text)
	if g == nil {
		return nil, found
	}
	link.New(dir, os.ReadFile, nil).Link(g)
	return g, append(found, g.Expanding...)
}

func between(t *testing.T, old, new string) string {
	t.Helper()
	var graphs []*spec.Graph
	for _, text := range []string{old, new} {
		g, found := load(t, "review.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatalf("%v\n%s", found, text)
		}
		graphs = append(graphs, g)
	}
	return diff.Text(diff.Between(cfg.Of(graphs[0]), cfg.Of(graphs[1])))
}

func TestWhatAChangedLineMeans(t *testing.T) {
	tests := []struct {
		name     string
		old, new string // text that is replaced, and what by
		want     string
	}{
		{"a comment means nothing", "# a graph", "# the graph", ""},
		{"a doc means nothing", "Writes.", "Writes well.", ""},
		{"a label means nothing", "good enough", "enough", ""},
		{"parentheses around a condition mean nothing", "out.Score >= 4", "(out.Score>=4)", ""},
		{"blanks in a condition mean nothing", "out.Score >= 4", "out.Score>=4", ""},
		{"a priority that orders nothing anew means nothing", "priority: 10", "priority: 7", ""},
		{"a default that is written out means nothing", "{reads: [article], flags", "{kind: func, max_visits: 25, reads: article, flags", ""},
		{"no entry", "entry: draft\nlimits: {max_steps: 20}\n", "limits: {max_steps: 20}\n", "graph\n  ~ entry: draft → none\n"},
		{"the order of fields means nothing", "  topic: string\n  article: string\n", "  article: string\n  topic: string\n", ""},
		{"an edge to the end is the same as no way on", "  - {from: publish, to: end}\n", "", ""},
		{"a shorthand means its edges", "  - {from: draft, to: critic}\n", "  - {sequential: [draft, critic]}\n", ""},
		{"the end has three names", "{from: publish, to: end}", "{from: publish, to: END}", ""},

		{"another entry", "entry: draft", "entry: critic", "graph\n  ~ entry: draft → critic\n"},
		{"a name of the graph names the generated types", "graph: review", "graph: vetting", "graph\n  ~ graph: review → vetting\n"},
		{"the visits of all nodes", "max_steps: 20", "max_steps: 20, max_visits: 40", "limits\n  ~ max_visits: 25 → 40\n"},
		{"a limit", "max_steps: 20", "max_steps: 30, timeout: 1m", "limits\n  ~ max_steps: 20 → 30\n  ~ timeout: none → 1m0s\n"},
		{"a limit that goes has its default", "{max_steps: 20}", "", "limits\n  ~ max_steps: 20 → 50\n"},
		{"input of the graph", "input: [topic]", "input: [topic, article]", "graph\n  ~ input: + article\n"},
		{"a bound of a field", "max: 5", "max: 10", "types\n  ~ Verdict.score: max: 5 → 10\n"},
		{"a default of a field", "  topic: string\n", "  topic: {type: string, default: otters, max_length: 9}\n",
			"state\n  ~ topic: max_length: none → 9\n  ~ topic: default: none → otters\n"},
		{"a default that is the word none", "  topic: string\n", "  topic: {type: string, default: none}\n", "state\n  ~ topic: default: none → \"none\"\n"},
		{"a file whose types are used", "types:\n", "use: {common: c.types.yaml}\ntypes:\n", "graph\n  ~ use: none → common: c.types.yaml\n"},
		{"a field more", "    grade: Grade\n", "    grade: Grade\n    remarks: {type: \"[]string\", doc: What is wrong.}\n",
			"types\n  + Verdict.remarks: []string\n"},
		{"a value more", "[low, mid, high]", "[low, mid, high, top]", "types\n  ~ Grade: values: + top\n"},
		{"a value's earlier name", "[low, mid, high]", "[low, mid, high], renamed_from: {high: top}", "types\n  ~ Grade: renamed_from: none → high was top\n"},
		{"a field's earlier name", "  topic: string\n", "  topic: {type: string, renamed_from: theme}\n", "state\n  ~ topic: renamed_from: none → theme\n"},
		{"a node's earlier name", "publish: {reads: [article], ", "publish: {reads: [article], renamed_from: send, ",
			"nodes\n  ~ publish: renamed_from: none → send\n"},
		{"the order of values is that of constants", "[low, mid, high]", "[mid, low, high]",
			"types\n  ~ Grade: order of the values: low, mid, high → mid, low, high\n"},
		{"a merge rule", "merge: append", "merge: union", "state\n  ~ verdicts: merge: append → union\n"},
		{"a type of the state", "topic: string", "topic: ?string", "state\n  ~ topic: type: string → ?string\n"},
		{"what a node reads", "reads: [topic, verdicts]", "reads: topic", "nodes\n  ~ draft: reads: - verdicts\n"},
		{"a handler that takes the state", "publish: {reads: [article], ", "publish: {",
			"nodes\n  ~ publish: its handler takes: what it reads → the state\n  ~ publish: reads: - article\n"},
		{"an output written out", "output: Verdict, ", "output: {score: int}, ", "nodes\n  ~ critic output: type: Verdict → {score: int}\n"},
		{"a flag", "flags: [critical]", "flags: [readonly]", "nodes\n  ~ publish: flags: + readonly, - critical\n"},
		{"a setting of a flag", "attempts: 4", "wait: 1s", "nodes\n  ~ draft retryable: wait: 500ms → 1s\n  ~ draft retryable: attempts: 4 → 3\n"},
		{"a timeout written another way", "timeout: 1m", "timeout: 60s", ""},
		{"a bound of an edge", "max_iterations: 3", "max_iterations: 4", "edges\n  ~ critic: to draft if out.Grade == GradeLow: max_iterations: 3 → 4\n"},
		{"a condition", "out.Score >= 4", "out.Score >= 3",
			"edges\n  + critic: to publish if out.Score >= 3; tried before: to draft if out.Grade == GradeLow, at most 3 times\n " +
				" - critic: to publish if out.Score >= 4\n"},
		{"a priority that changes the order", "if: out.Grade == GradeLow,", "if: out.Grade == GradeLow, priority: 20,",
			"edges\n  ~ critic: order: to publish if out.Score >= 4 | to draft if out.Grade == GradeLow, at most 3 times → to " +
				"draft if out.Grade == GradeLow, at most 3 times | to publish if out.Score >= 4\n"},
		{"a new node and its edges", "  - {from: publish, to: end}\n", "  - {from: publish, to: tell}\n", "edges\n  + publish: to tell\n  - publish: to end\n"},
		{"an assertion more", "entry: draft", "entry: draft\nassert: [every path to publish passes critic]",
			"assertions\n  + every path to publish passes critic\n"},
		{"what happens when nothing matches, of the nodes where that can be", "entry: draft", "entry: draft\nno_match: end", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after := strings.Replace(before, tt.old, tt.new, 1)
			if after == before {
				t.Fatal("nothing is replaced")
			}
			if got := between(t, before, after); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestWaysOfEveryKind(t *testing.T) {
	const graph = "graph: g\nentry: a\nstate: {x: string}\nnodes:\n  a: %s\n  b:\n  c:\nedges: %s\n"
	tests := []struct {
		name           string
		nodeA, nodeB   string
		edgesA, edgesB string
		want           string
	}{
		{"next is an edge that is tried last", "{}", "{next: b}", "[{from: a, to: b}]", "", ""},
		{"on_pass is one too", "{kind: guard, on_pass: b, on_fail: c}", "{kind: guard}", "", "[{from: a, to: b}, {from: a, to: c, on: guard_fail}]", ""},
		{"a loop is its edges", "{}", "{}", "[{loop_until: {node: a, exit: b, if: done, max_iterations: 2}}]",
			"[{from: a, to: a, max_iterations: 1}, {from: a, to: b, if: done, priority: 10}, {from: a, to: b}]", ""},
		{"another spelling of a condition means nothing", "{}", "{}", `[{from: a, to: b, if: 'state.Name == "x" && (state.N > 0x10)'}]`,
			"[{from: a, to: b, if: '(state.Name==`x`) && state.N > 16'}]", ""},
		{"a blank in a text means something", "{}", "{}", `[{from: a, to: b, if: 'state.Name == "x  y"'}]`, `[{from: a, to: b, if: 'state.Name == "x y"'}]`,
			"edges\n  + a: to b if state.Name == \"x y\"\n  - a: to b if state.Name == \"x  y\"\n"},
		{"a table by an output means its edges", "{output: {class: {enum: [x, y]}}}", "{output: {class: {enum: [x, y]}}}",
			"[{from: a, by: class, branch: {x: b, y: c}}]",
			"[{from: a, to: b, on_output: {class: x}}, {from: a, to: c, on_output: {class: y}}]", ""},
		{"another target of a value", "{output: {class: {enum: [x, y]}}}", "{output: {class: {enum: [x, y]}}}",
			"[{from: a, by: class, branch: {x: b, y: c}}]", "[{from: a, by: class, branch: {x: c, y: c}}]",
			"edges\n  + a: to c if class is \"x\"\n  - a: to b if class is \"x\"\n"},
		{"a label of the handler is no value of the output",
			"{output: {class: {enum: [x, y]}, note: string}}", "{output: {class: {enum: [x, y]}, note: string}}",
			"[{from: a, branch: {x: b, y: c}}]", "[{from: a, by: class, branch: {x: b, y: c}}]",
			"edges\n  + a: to b if class is \"x\"\n  + a: to c if class is \"y\"\n  - a: to b by label x\n  - a: to c by label y\n"},
		{"the only enum of an output needs no name", "{output: {class: {enum: [x, y]}}}", "{output: {class: {enum: [x, y]}}}",
			"[{from: a, branch: {x: b, y: c}}]", "[{from: a, by: class, branch: {x: b, y: c}}]", ""},
		{"another list in a condition", "{}", "{}", `[{from: a, to: b, if: 'slices.Contains([]string{"a"}, state.Name)'}]`,
			`[{from: a, to: b, if: 'slices.Contains([]string{"b"}, state.Name)'}]`,
			"edges\n  + a: to b if slices.Contains([]string{\"b\"}, state.Name)\n  - a: to b if slices.Contains([]string{\"a\"}, state.Name)\n"},
		{"another bound of a loop", "{}", "{}", "[{loop_until: {node: a, exit: b, if: done}}]",
			"[{loop_until: {node: a, exit: b, if: done, max_iterations: 2}}]",
			"edges\n  ~ a: to a: max_iterations: 4 → 1\n"},
		{"the order of labels means nothing", "{}", "{}", "[{from: a, branch: {x: b, y: c}}]", "[{from: a, branch: {y: c, x: b}}]", ""},
		{"where a label leads", "{}", "{}", "[{from: a, branch: {x: b, y: c}}]", "[{from: a, branch: {x: b, y: b}}]",
			"edges\n  + a: to b by label y\n  - a: to c by label y\n"},
		{"values that exclude one another have no order", "{}", "{}", "[{from: a, to: b, on_output: {x: p}}, {from: a, to: c, on_output: {x: q}}]",
			"[{from: a, to: c, on_output: {x: q}}, {from: a, to: b, on_output: {x: p}}]", ""},
		{"values of two fields do", "{}", "{}", "[{from: a, to: b, on_output: {x: p}}, {from: a, to: c, on_output: {y: q}}]",
			"[{from: a, to: c, on_output: {y: q}}, {from: a, to: b, on_output: {x: p}}]",
			"edges\n  ~ a: order: to b if x is \"p\" | to c if y is \"q\" → to c if y is \"q\" | to b if x is \"p\"\n"},
		{"the order of edges to one node means nothing", "{}", "{}", "[{from: a, to: b, if: p}, {from: a, to: b, if: q}]",
			"[{from: a, to: b, if: q}, {from: a, to: b, if: p}]", ""},
		{"goto", "{goto: [b, c]}", "{goto: [c]}", "", "", "edges\n  - a: to b when the handler selects it\n"},
		{"an edge of failures has no order among the others", "{}", "{}", "[{from: a, to: b, on: error}, {from: a, to: c}]",
			"[{from: a, to: c}, {from: a, to: b, on: error}]", ""},
		{"the error transition is another way than an edge on error: it is taken without visits left too", "{transitions: {error: b}}",
			"{}", "", "[{from: a, to: b, on: error}]",
			"edges\n  + a: to b on error\n  - a: to b by transition error\n"},
		{"what happens when nothing matches", "{no_match: end}", "{no_match: error}", "[{from: a, to: b, if: p}]",
			"[{from: a, to: b, if: p}]", "edges\n  ~ a: no_match: end → error\n"},
		{"which means nothing where a way is always open", "{no_match: end}", "{no_match: error}", "[{from: a, to: b}]", "[{from: a, to: b}]", ""},
		{"confidence", "{}", "{}", "[{from: a, to: b, on_confidence: 0.5}]", "[{from: a, to: b, on_confidence: 0.7}]",
			"edges\n  + a: to b if confidence is at least 0.7\n  - a: to b if confidence is at least 0.5\n"},
		{"what the model judges, in other words", "{}", "{}", "[{from: a, to: b, when: it is  thin}]", "[{from: a, to: b, when: it is bad}]",
			"edges\n  + a: to b when it is bad\n  - a: to b when it is thin\n"},
		{"the order in which the model is shown edges means nothing", "{}", "{}", "[{from: a, to: b, when: p}, {from: a, to: c, when: q}]",
			"[{from: a, to: c, when: q}, {from: a, to: b, when: p}]", ""},
		{"nor does a priority that puts them before other conditions", "{}", "{}", "[{from: a, to: b, if: p}, {from: a, to: c, when: q}]",
			"[{from: a, to: b, if: p}, {from: a, to: c, when: q, priority: 9}]", ""},
		{"tools are a way back to the node", "{kind: prompt, instructions: x}", "{kind: prompt, instructions: x, tools: look}", "", "",
			"nodes\n  ~ a: tools: + look\nedges\n  + a: to a when it calls tools\n"},
		{"unless its calls are left to others", "{kind: prompt, instructions: x, tools: look, tool_loop: false}",
			"{kind: prompt, instructions: x, tools: look}", "[{from: a, to: b, on: tool_call}, {from: a, to: c, on: no_tool_call}]", "[{from: a, to: c}]",
			"nodes\n  ~ a: tool_loop: false → true\nedges\n  + a: to a when it calls tools\n  + a: to c\n  - a: to b on tool_call\n" +
				"  - a: to c on no_tool_call\n"},
		{"an inline type", "{output: {x: {enum: [p, q]}}}", "{output: {x: {enum: [p]}, n: int}}", "", "",
			"nodes\n  ~ a output.x: values: - q\n  + a output.n: int\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := between(t, fmt.Sprintf(graph, tt.nodeA, tt.edgesA), fmt.Sprintf(graph, tt.nodeB, tt.edgesB)); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestAnEntryMayBeSaidByAFlag(t *testing.T) {
	after := strings.Replace(before, "entry: draft\n", "", 1)
	after = strings.Replace(after, "writes: article, flags: [", "writes: article, flags: [entry, ", 1)
	if got := between(t, before, after); got != "" {
		t.Errorf("got\n%s", got)
	}
}

func TestAddedNode(t *testing.T) {
	after := strings.Replace(before, "  publish:", "  edit: {kind: transform, reads: article, writes: article}\n  publish:", 1)
	after = strings.Replace(after, "  - {from: draft, to: critic}\n", "  - {sequential: [draft, edit, critic]}\n", 1)
	want := "nodes\n  + edit: transform; reads article; writes article\nedges\n  + draft: to edit\n  - draft: to critic\n  + edit: to critic\n"
	if got := between(t, before, after); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	want = "nodes\n  - edit\nedges\n  + draft: to critic\n  - draft: to edit\n  - edit: to critic\n"
	if got := between(t, after, before); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestMarkdownSetsNamesInCode(t *testing.T) {
	changes := []diff.Change{
		{Section: diff.Limits, What: "max_steps: 20 → 30"},
		{Kind: diff.Removed, Section: diff.Nodes, Of: "edit"},
		{Kind: diff.Added, Section: diff.Edges, Of: "a", What: "to b if x == `y`"},
	}
	want := "### Limits\n\n- **changed** `max_steps: 20 → 30`\n\n### Nodes\n\n- **removed** `edit`\n\n### Edges\n\n- **added** `a`: `` to b if x == `y` ``\n"
	if got := diff.Markdown(changes); got != want {
		t.Errorf("got\n%s", got)
	}
}

// silent are the keys that may go without a change in meaning: of texts for people, and of
// what may be written out where it would hold anyway, as edges that all lead to the end.
var silent = []string{"doc", "label", "priority", "kind", "attempts", "on", "flags", "entry", "no_match", "next: end", "on_pass: end", "edges", "writes: []",
	"by",                                           // of the only enum of an output
	"doc of a parameter", "default of a parameter", // that the use gives
}

// declared reports whether a key is a field of the state that a graph without it has all the same, from a template.
func declared(g *spec.Graph, key string) bool {
	name, of := strings.CutSuffix(key, ofState)
	return of && slices.ContainsFunc(g.State, func(f *spec.Field) bool { return f.Name.V == name })
}

const ofState = " of the state"

// A spec has not changed against itself; and whatever key goes from one, the change is told,
// unless the key has no meaning.
func TestEveryKeyThatGoesIsTold(t *testing.T) {
	files, err := filepath.Glob("../../golden/*/*.graph.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	has, untold, tried := 0, map[string]int{}, map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		old, found := load(t, file, text)
		if len(found) > 0 {
			t.Fatal(file, found)
		}
		if got := diff.Text(diff.Between(cfg.Of(old), cfg.Of(old))); got != "" {
			t.Errorf("%s against itself: %s", file, got)
		}
		wanted := func(key string) bool {
			tried[key]++
			return tried[key] <= tier.Pick(3, 6, tried[key])
		}
		without(t, text, wanted, func(key string, text []byte) {
			g, found := load(t, file, text)
			if len(found) > 0 {
				return // the key is needed
			}
			if len(diff.Between(cfg.Of(old), cfg.Of(g))) > 0 {
				has++
				return
			}
			untold[key]++
			if !slices.Contains(silent, key) && !declared(g, key) {
				t.Errorf("%s: nothing is told of the key %s that goes:\n%s", file, key, text)
			}
		})
	}
	if has < 300 || untold["doc"] == 0 {
		t.Errorf("%d changes were told, %v not", has, untold)
	}
}

// without calls f for each key of a YAML text that is wanted, with the text that lacks it.
func without(t *testing.T, text []byte, wanted func(key string) bool, f func(key string, text []byte)) {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(n *yaml.Node, path []string)
	walk = func(n *yaml.Node, path []string) {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			all := n.Content
			key := all[i].Value
			switch value := all[i+1]; {
			case (key == "next" || key == "on_pass") && value.Value == spec.End:
				key += ": " + value.Value
			case value.Kind == yaml.SequenceNode && len(value.Content) == 0:
				key += ": []"
			case len(path) == 1 && path[0] == "state":
				key += ofState
			case len(path) > 1 && path[len(path)-2] == "params":
				key += " of a parameter"
			}
			if !wanted(key) {
				continue
			}
			n.Content = slices.Concat(all[:i], all[i+2:])
			without, err := yaml.Marshal(&doc)
			if err != nil {
				t.Fatal(err)
			}
			f(key, without)
			n.Content = all
		}
		for i, c := range n.Content {
			below := path
			if n.Kind == yaml.MappingNode && i%2 == 1 {
				below = append(slices.Clip(path), n.Content[i-1].Value)
			}
			walk(c, below)
		}
	}
	walk(&doc, nil)
}

func TestAssertions(t *testing.T) {
	const graph = "graph: g\nentry: a\nnodes: {a: {next: b}, b: {}}\nassert: %s\n"
	for name, tt := range map[string]struct{ old, new, want string }{
		"their order means nothing": {"[a is reachable, b is reachable]", "[b is reachable, a is reachable]", ""},
		"a reason means nothing":    {"[a is reachable]", "{that: a  is reachable, doc: it is the first}", ""},
		"one that goes":             {"[a is reachable, b is reachable]", "[b is reachable]", "assertions\n  - a is reachable\n"},
		"a number is another, and a promise": {"a runs at most 2 times", "a runs at most 3 times",
			"assertions\n  + a runs at most 3 times\n  - a runs at most 2 times\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := between(t, fmt.Sprintf(graph, tt.old), fmt.Sprintf(graph, tt.new)); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// TestDefaults holds that each change of a default is reported, also within lists and maps, and no other way to write one.
func TestDefaults(t *testing.T) {
	for _, row := range []struct{ typ, old, new, want string }{
		{"[]string", "[a, b]", `["a", 'b']`, ""},
		{"[]string", "[a, b]", `["a, b"]`, `default: [a, b] → ["a, b"]`},
		{"[]string", `[""]`, "[]", `default: [""] → []`},
		{"[][]int", "[[1, 2], []]", "[[7], [8, 9]]", "default: [[1, 2], []] → [[7], [8, 9]]"},
		{"map[string][]int", "{a: [1]}", "{a: [2]}", "default: {a: [1]} → {a: [2]}"},
	} {
		of := func(value string) *cfg.Graph {
			g, found := load(t, "g.graph.yaml", []byte("graph: g\nentry: a\nstate: {l: {type: \""+row.typ+"\", default: "+value+
				"}}\noutput: l\nnodes: {a: {reads: l}}\n"))
			if len(found) > 0 {
				t.Fatal(found)
			}
			return cfg.Of(g)
		}
		if got := diff.Text(diff.Between(of(row.old), of(row.new))); row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s to %s: got\n%s", row.old, row.new, got)
		}
	}
}
