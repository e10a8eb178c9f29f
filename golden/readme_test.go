package golden_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/link"
)

const aboutReadme = `# Golden machines

Graphs that the tests compile, run and compare, one folder for each subject. The generated files are committed, so that a change
of the compiler shows in a diff. A graph is played by its scenarios (` + "`NAME.scenarios.yaml`" + `); the test files of this
folder, named for their subjects, and those in the folders do what a scenario cannot: pauses, threads, branches that end at a certain moment.
What the scenarios say is in [what a graph does](../docs/reference/behaviour.md).

To add one: make a folder with a spec and its scenarios, then run ` + "`go test ./gen/golang -run 'TestGolden|TestCodecs' -update`" + ` and
` + "`go test ./golden -run 'TestReadme|TestGoldenMachines|Behaviour' -update`" + `, which writes this page, too.

| folder | subject | kinds but func | flags |
|---|---|---|---|
`

// TestReadme holds that the page of the golden machines lists every folder, what it is about, and the kinds and flags of its nodes.
func TestReadme(t *testing.T) {
	folders, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	page := bytes.NewBufferString(aboutReadme)
	for _, folder := range folders {
		graphs := graphsOf(t, folder.Name())
		if len(graphs) == 0 {
			continue
		}
		kinds, flags := map[string]bool{}, map[string]bool{}
		for _, g := range graphs {
			if g.Durable.V {
				flags["durable"] = true
			}
			for _, n := range g.Nodes {
				if n.Kind.V != "" && n.Kind.V != "func" {
					kinds[n.Kind.V] = true
				}
				for _, f := range n.Flags {
					flags[f.Name.V] = true
				}
			}
		}
		list := func(names map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(names)), ", ") }
		fmt.Fprintf(page, "| [%[1]s](%[1]s/) | %s | %s | %s |\n", folder.Name(), subject(t, folder.Name(), graphs), list(kinds), list(flags))
	}
	if *update {
		if err := os.WriteFile("README.md", page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have := read(t, "README.md"); !bytes.Equal(have, page.Bytes()) {
		t.Error("README.md does not list the golden machines as they are; go test ./golden -run TestReadme -update writes it")
	}
}

// graphsOf returns the graphs of the specs of a folder, of YAML and of Go.
func graphsOf(t *testing.T, folder string) []*spec.Graph {
	t.Helper()
	var graphs []*spec.Graph
	files, err := filepath.Glob(folder + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		switch {
		case link.IsSpec(file):
			if g, _ := spec.Load(filepath.Base(file), read(t, file)); g != nil {
				graphs = append(graphs, g)
			}
		case filepath.Ext(file) == ".go":
			if text := read(t, file); gotag.Holds(text) {
				tagged, _ := gotag.LoadSource(filepath.Base(file), text)
				graphs = append(graphs, tagged...)
			}
		}
	}
	for _, g := range graphs {
		link.New(folder, os.ReadFile, nil).Link(g)
	}
	return graphs
}

// subject returns what a folder is about: the doc of the graph that has its name, or else of its first graph.
func subject(t *testing.T, folder string, graphs []*spec.Graph) string {
	t.Helper()
	of := graphs[0]
	for _, g := range graphs {
		if strings.ReplaceAll(g.Name.V, "_", "") == folder {
			of = g
		}
	}
	if of.Doc.V == "" {
		t.Fatalf("graph %s of %s has no doc", of.Name.V, folder)
	}
	doc := strings.TrimSuffix(strings.ReplaceAll(strings.Join(strings.Fields(of.Doc.V), " "), "|", `\|`), ".")
	return strings.ToUpper(doc[:1]) + doc[1:]
}
