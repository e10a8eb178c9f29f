package check_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// judge reads and checks a spec.
func judge(file string, source []byte) []diag.Diagnostic {
	g, found := spec.Load(file, source)
	if g != nil {
		if here, err := filepath.Abs("."); err == nil && (strings.Contains(file, "/golden/") || strings.Contains(string(source),
			"{file:") || strings.Contains(string(source), "\nskills:")) { // others use no files
			link.New(here, os.ReadFile, nil).Link(g)
		}
		found = append(found, check.Run(cfg.Of(g))...)
	}
	return diag.Sort(found)
}

// judgeAll judges the specs of a folder, and all of them together.
func judgeAll(files []diag.File) (found []diag.Diagnostic) {
	var graphs []*cfg.Graph
	linker := link.Among(files, func(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) })
	for _, f := range files {
		if !link.IsSpec(f.Name) {
			continue // the text of a prompt
		}
		g, ds := spec.Load(f.Name, []byte(f.Text))
		found = append(found, ds...)
		if g != nil {
			linker.Link(g)
			flow := cfg.Of(g)
			found = append(found, check.Run(flow)...)
			graphs = append(graphs, flow)
		}
	}
	return append(found, check.Package(graphs)...)
}

// text prints diagnostics the way the golden files have them.
func text(found []diag.Diagnostic) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%d:%d: %s[%s]: %s\n", d.Pos.Line, d.Pos.Col, d.Severity, d.Code, d.Message)
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    note: %d:%d: %s\n", r.Pos.Line, r.Pos.Col, r.Message)
		}
		if d.Help != "" {
			fmt.Fprintf(&b, "    help: %s\n", d.Help)
		}
	}
	return b.String()
}

func TestCheckExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range check.Rules() {
		t.Run(r.Code, func(t *testing.T) {
			if seen[r.Code] || r.Name == "" || r.Doc == "" {
				t.Errorf("the code is used twice, or lacks a name or a doc")
			}
			seen[r.Code] = true
			bad := judgeAll(diag.Files("bad.graph.yaml", r.Bad))
			if len(bad) == 0 {
				t.Error("the bad example gives nothing")
			}
			for _, d := range bad {
				if d.Code != r.Code && d.Severity != diag.Note {
					t.Errorf("the bad example gives %s", text([]diag.Diagnostic{d}))
				}
			}
			for _, d := range judgeAll(diag.Files("good.graph.yaml", r.Good)) {
				if d.Code == r.Code || d.Severity != diag.Note {
					t.Errorf("the good example gives %s", text([]diag.Diagnostic{d}))
				}
			}
		})
	}
	for _, p := range check.Passes() {
		if !seen[p.Code] {
			t.Errorf("%s has no page", p.Code)
		}
	}
}

func TestInvalidSpecs(t *testing.T) {
	for _, file := range specs(t, "invalid") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".graph.yaml"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := text(judge(file, source))
			golden := strings.TrimSuffix(file, ".graph.yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) || got == "" {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestTwentyMistakes(t *testing.T) {
	file := "../../testdata/specs/invalid/twenty_mistakes.graph.yaml"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if found := judge(file, source); len(found) != 20 {
		t.Errorf("%d diagnostics:\n%s", len(found), text(found))
	}
}

func TestValidSpecsGiveNothing(t *testing.T) {
	for _, file := range append(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml")...) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := diag.WithoutNotes(judge(file, source))
		if len(found) > 0 {
			t.Errorf("%s:\n%s", file, text(found))
		}
	}
}

func specs(t *testing.T, kind string) []string {
	return glob(t, "../../testdata/specs/"+kind+"/*.graph.yaml")
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

func TestCollidingGraphs(t *testing.T) {
	load := func(file, source string) *spec.Graph {
		g, found := spec.Load(file, []byte(source))
		if len(found) > 0 {
			t.Fatal(text(found))
		}
		return g
	}
	graph := func(name, typeName string) string {
		return "graph: " + name + "\nentry: a\ntypes: {" + typeName + ": {note_text: {type: string, max_length: 9}}}\nstate: {s: " + typeName +
			"}\nnodes:\n  a: {reads: s}\n"
	}
	one := load("one.graph.yaml", graph("one", "Item"))
	for name, test := range map[string]struct {
		other *spec.Graph
		found int
	}{
		"other names":   {load("two.graph.yaml", graph("two", "Thing")), 0},
		"one type":      {load("two.graph.yaml", graph("two", "Item")), 1},
		"one graph":     {load("two.graph.yaml", graph("one", "Thing")), 1},
		"type and node": {load("two.graph.yaml", graph("two", "OneA")), 1},
		"limits":        {load("two.types.yaml", "types: {ItemNote: {text: {type: string, max_length: 9}}}\n"), 1},
		"other limits":  {load("two.types.yaml", "types: {ItemNotes: {text: {type: string, max_length: 9}}}\n"), 0},
	} {
		if found := check.Package([]*cfg.Graph{cfg.Of(one), cfg.Of(test.other)}); len(found) != test.found {
			t.Errorf("%s: %d diagnostics:\n%s", name, len(found), text(found))
		}
	}
}

func TestCollidingTransitionNames(t *testing.T) {
	load := func(file, name, from, to string) *spec.Graph {
		g, found := spec.Load(file, []byte("graph: "+name+"\nentry: "+from+"\nnodes:\n  "+from+": {next: "+to+"}\n  "+to+": {}\n"))
		if len(found) > 0 {
			t.Fatal(text(found))
		}
		return g
	}
	one := load("one.graph.yaml", "g", "h_a_to_b", "c")
	for name, test := range map[string]struct {
		other *spec.Graph
		found int
	}{
		"both have gHAToBToC":              {load("two.graph.yaml", "gH", "a", "b_to_c"), 1},
		"one has gHAToBToC, one gHAToBack": {load("two.graph.yaml", "gH", "a", "back"), 0},
		"names of another beginning":       {load("two.graph.yaml", "f", "a", "b_to_c"), 0},
	} {
		if found := check.Package([]*cfg.Graph{cfg.Of(one), cfg.Of(test.other)}); len(found) != test.found {
			t.Errorf("%s: %d diagnostics:\n%s", name, len(found), text(found))
		}
	}
}

// TestCollidingLimits has a file of types whose variables of limits may be called like the transitions of a graph.
func TestCollidingLimits(t *testing.T) {
	one, found := spec.Load("one.graph.yaml", []byte("graph: g\nentry: go_on\nnodes:\n  go_on: {next: to_text}\n  to_text: {next: end}\n"))
	if len(found) > 0 {
		t.Fatal(text(found))
	}
	for field, want := range map[string]int{"on_to_to": 1, "on_to": 0, "on_to_till": 0} {
		types, found := spec.Load("two.types.yaml", []byte("types: {GGo: {"+field+": {type: string, max_length: 9}}}\n"))
		if len(found) > 0 {
			t.Fatal(text(found))
		}
		if found := check.Package([]*cfg.Graph{cfg.Of(types), cfg.Of(one)}); len(found) != want {
			t.Errorf("%s: %d diagnostics:\n%s", field, len(found), text(found))
		}
	}
}
