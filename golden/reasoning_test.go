package golden_test

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/prelude"
	"github.com/graphgen/graphgen/spec/yamlread"
)

const aboutReasoningGraph = `# The reasoning graph, name by name

This page lets you find what a name of the reasoning graph of Promptise is in graphgen: each node, edge, flag, pattern and skill that its
documentation lists, with a spec that uses it and the scenario or test that proves it. Where the two differ, the last column has the
reason. Written by ` + "`go test ./golden -run ReasoningGraph -update`" + `, which checks each row.

[How to import a graph](../guides/importing.md) has the files of that format.
`

// TestReasoningGraph writes the page of the names of the reasoning graph, and holds that each spec has what its row says, and
// each scenario or test is there. TestGoldenMachines runs the scenarios.
func TestReasoningGraph(t *testing.T) {
	b := bytes.NewBufferString(aboutReasoningGraph)
	for _, c := range reasoningGraph {
		if len(c.bricks) != c.count {
			t.Errorf("%s: %d names, and not %d", c.title, len(c.bricks), c.count)
		}
		fmt.Fprintf(b, "\n## %s\n\n| there | in graphgen | spec | proved by | difference |\n|---|---|---|---|---|\n", c.title)
		for _, row := range c.bricks {
			row.check(t)
			row.write(b)
		}
	}
	compareFile(t, "../docs/reference/reasoning-graph.md", b.Bytes())
}

// check holds that the spec of a row has its key, and that its proof is there.
func (row *brick) check(t *testing.T) {
	t.Helper()
	source := read(t, row.spec+".graph.yaml")
	g, found := spec.Load(row.spec, source)
	if g == nil || len(found) > 0 {
		t.Fatalf("%s: %v", row.spec, found)
	}
	tree, ok := yamlread.New(row.spec, "", &yamlread.Language{}).Parse(source)
	if key, value, _ := strings.Cut(row.has, ": "); !ok || !has(&tree, key, value) {
		t.Errorf("%s: %s has no %s", row.name, row.spec, row.has)
	}
	if row.test != "" {
		file, name, _ := strings.Cut(row.test, " ")
		if !bytes.Contains(read(t, "../"+file), []byte("\nfunc "+name+"(t *testing.T) {")) {
			t.Errorf("%s: %s has no test %s", row.name, file, name)
		}
		return
	}
	if kind, is := strings.CutPrefix(row.has, "kind: "); is {
		row.runs(t, g, kind)
	}
	tests, found := scenario.Load(row.spec, read(t, row.spec+".scenarios.yaml"))
	if len(found) > 0 || !slices.ContainsFunc(tests.Scenarios, func(s *scenario.Scenario) bool { return s.Name.V == row.scenario }) {
		t.Errorf("%s: %s has no scenario %q (%v)", row.name, row.spec, row.scenario, found)
	}
}

// runs holds that the scenario of a row names a node of its kind.
func (row *brick) runs(t *testing.T, g *spec.Graph, kind string) {
	t.Helper()
	_, text, _ := strings.Cut(string(read(t, row.spec+".scenarios.yaml")), row.scenario)
	text, _, _ = strings.Cut(text, "- name: ")
	words := strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' })
	if !slices.ContainsFunc(g.Nodes, func(n *spec.Node) bool { return n.Kind.V == kind && slices.Contains(words, n.Name.V) }) {
		t.Errorf("%s: the scenario %q names no node of kind %s", row.name, row.scenario, kind)
	}
}

// has reports whether a mapping of the tree has the key with the value, alone, in a list, or as a key of a mapping. Without
// a value the key is enough.
func has(tree *yamlread.Tree, key, value string) bool {
	for i := range tree.Items {
		if tree.Kind == yamlread.Map && i%2 == 0 && tree.Items[i].Text == key && (value == "" || named(&tree.Items[i+1], value)) {
			return true
		}
		if has(&tree.Items[i], key, value) {
			return true
		}
	}
	return false
}

func named(tree *yamlread.Tree, value string) bool {
	switch tree.Kind {
	case yamlread.List:
		return slices.ContainsFunc(tree.Items, func(item yamlread.Tree) bool { return named(&item, value) })
	case yamlread.Map:
		for i := 0; i < len(tree.Items); i += 2 {
			if tree.Items[i].Text == value {
				return true
			}
		}
		return false
	}
	return tree.Text == value
}

func (row *brick) write(b *bytes.Buffer) {
	proof := row.scenario
	if row.test != "" {
		file, name, _ := strings.Cut(row.test, " ")
		proof = fmt.Sprintf("[%s](../../%s)", name, file)
	}
	fmt.Fprintf(b, "| %s | %s | [%s](../../%s.graph.yaml) | %s | %s |\n", row.name, row.here, filepath.Base(row.spec),
		path.Join("golden", row.spec), proof, row.differs)
}

// TestReasoningGraphIsWhole holds that the rows of a chapter have all words of the tables of the language, so that one that is
// added or renamed is seen.
func TestReasoningGraphIsWhole(t *testing.T) {
	rows := map[string]string{}
	for _, c := range reasoningGraph {
		for _, row := range c.bricks {
			rows[c.title] += row.has + "\n"
		}
	}
	holds := func(title, what string) {
		if !strings.Contains(rows[title], what+"\n") {
			t.Errorf("%s: no row has %s", title, what)
		}
	}
	for _, flag := range spec.Flags {
		if flag.Name != spec.Quiet.String() { // a flag that the reasoning graph does not have
			holds("Flags", "flags: "+flag.Name)
		}
	}
	for _, word := range spec.Before {
		holds("Processors", "before: "+word.Name)
	}
	for _, word := range spec.After {
		holds("Processors", "after: "+word.Name)
	}
	for _, file := range prelude.Use().Graphs() {
		for _, p := range file.Templates {
			switch filepath.Base(file.File) {
			case "patterns.types.yaml":
				holds("Patterns", "pattern: "+p.Name.V)
			case "skills.types.yaml":
				holds("Skills", "kind: "+p.Name.V)
			case "reasoning.types.yaml":
				if p.Name.V != "select_tools" { // the part of a prompt that calls tools, there a flag
					holds("Nodes", "kind: "+p.Name.V)
				}
			}
		}
	}
}

// provesRows holds that the scenarios of the rows of the reasoning graph were run, and passed.
func provesRows(t *testing.T, summary *scenario.Summary) {
	t.Helper()
	var skills []string // of the prelude
	for _, c := range reasoningGraph {
		for _, row := range c.bricks {
			if file := filepath.FromSlash(row.spec) + ".graph.yaml"; row.test == "" && strings.HasPrefix(row.spec, "../") && !slices.Contains(skills, file) {
				skills = append(skills, file)
			}
		}
	}
	others, err := scenario.Test(t.Context(), scenario.Config{Files: skills, Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, g := range slices.Concat(summary.Graphs, others.Graphs) {
		for _, r := range g.Results {
			passed[g.Spec+r.Name] = len(r.Failures) == 0
		}
	}
	for _, c := range reasoningGraph {
		for _, row := range c.bricks {
			if row.test == "" && !passed[filepath.FromSlash(row.spec)+".graph.yaml"+row.scenario] {
				t.Errorf("%s: the scenario %q of %s has not passed", row.name, row.scenario, row.spec)
			}
		}
	}
}

// A sample is a graph that the documentation of the reasoning graph prints, with the lines that it has in Python: blank lines
// and comments do not count. A pattern has the lines of a whole call: an import, the call, its model, its servers, the
// pattern, and the end of the call.
type sample struct {
	spec   string
	python int
}

var pythonSamples = []sample{
	{"samples/my_agent", 13},
	{"samples/static_pipeline", 7},
	{"patterns/helper", 6},
	{"patterns/worker", 6},
	{"patterns/scholar", 6},
	{"patterns/advisor", 6},
	{"patterns/court", 6},
}

// TestSamplesAreShort holds that the samples have at most half as many lines again as in Python. Their tools count, which
// Python takes from a server.
func TestSamplesAreShort(t *testing.T) {
	for _, s := range pythonSamples {
		lines := 0
		for line := range strings.Lines(string(read(t, s.spec+".graph.yaml"))) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines++
			}
		}
		if 2*lines > 3*s.python {
			t.Errorf("%s has %d lines, more than one and a half times the %d of Python", s.spec, lines, s.python)
		}
		t.Logf("%s: %d lines, %d in Python", s.spec, lines, s.python)
	}
}
