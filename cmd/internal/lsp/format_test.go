package lsp

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
)

func TestFormat(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"keys are in the order of the reference",
			"edges:\n  - {to: end, from: a}\nnodes:\n  a: {writes: x, reads: y}\ngraph: g\nentry: a\n",
			"graph: g\nentry: a\nnodes:\n  a: {reads: y, writes: x}\nedges:\n  - {from: a, to: end}\n"},
		{"keys of ends, models and budgets, too",
			"assert: [paid is reachable]\nends: [paid]\nedges:\n  - {on: budget, to: paid, from: a}\nnodes:\n" +
				"  a: {next: paid, child_workflow: true, graph: ./b.graph.yaml, kind: subgraph}\n" +
				"temperature: 0.2\nmodel: large\nno_match: end\nentry: a\ngraph: g\n",
			"graph: g\nentry: a\nno_match: end\nmodel: large\ntemperature: 0.2\nnodes:\n" +
				"  a: {kind: subgraph, next: paid, graph: ./b.graph.yaml, child_workflow: true}\n" +
				"edges:\n  - {from: a, to: paid, on: budget}\nends: [paid]\nassert: [paid is reachable]\n"},
		{"names are in the order of the author",
			"graph: g\nnodes:\n  z: {}\n  a: {}\nstate: {b: int, a: int}\n",
			"graph: g\nstate: {b: int, a: int}\nnodes:\n  z: {}\n  a: {}\n"},
		{"comments move with what is below them",
			"# The license.\n\n# The nodes.\nnodes:\n  # First.\n  a:  # here\n    writes: x # of it\n    # The input.\n    reads: y\n" +
				"  # b: {}\n# The name.\ngraph: g\n# The end.\n",
			"# The license.\n\n# The name.\ngraph: g\n# The end.\n# The nodes.\nnodes:\n  # First.\n  a: # here\n    # The input.\n" +
				"    reads: y\n    writes: x # of it\n  # b: {}\n"},
		{"levels have two spaces",
			"graph: g\nnodes:\n    a:\n        reads:\n        - x\n        -   y\n    # B.\n    b: {}\nedges:\n- from: a\n  to: b\n",
			"graph: g\nnodes:\n  a:\n    reads:\n      - x\n      - y\n  # B.\n  b: {}\nedges:\n  - from: a\n    to: b\n"},
		{"brackets have no blanks inside",
			"graph:   g\nnodes: { a: {reads: [ x,y ]},b: { } }\n",
			"graph: g\nnodes: {a: {reads: [x, y]}, b: {}}\n"},
		{"one blank line is left of several, none at the ends",
			"\n\ngraph: g\n\n\n\nnodes: {a: {}}\n\n\n",
			"graph: g\n\nnodes: {a: {}}\n"},
		{"texts stay as they are",
			"graph: g\nnodes:\n    a:\n        doc: |\n            One  \n\n              two\n\n        instructions: \"a\n" +
				"            b  c\"\n",
			"graph: g\nnodes:\n  a:\n    doc: |\n        One  \n\n          two\n\n    instructions: \"a\n        b  c\"\n"},
		{"the schema of an editor stays above",
			"# yaml-language-server: $schema=x\n# Nodes.\nnodes: {}\ngraph: g\n",
			"# yaml-language-server: $schema=x\ngraph: g\n# Nodes.\nnodes: {}\n"},
		{"CRLF becomes a line feed",
			"graph: g\r\nnodes: {}\r\n",
			"graph: g\nnodes: {}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Format("g.graph.yaml", []byte(tt.text))
			if err != nil || string(got) != tt.want {
				t.Errorf("%v: it is\n%s\nwant\n%s", err, got, tt.want)
			}
		})
	}
}

// meaning returns what the compiler makes of a spec: its plan, or what is wrong with it.
func meaning(t *testing.T, path string, text []byte) string {
	t.Helper()
	g, found := spec.Load(path, text)
	if g == nil {
		return fmt.Sprint(messages(found))
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) ([]byte, error) { return input.Start(path, spec.MaxFile+1) }
	link.New(here, read, nil).ReadFiles(input.Below).Link(g)
	flow := cfg.Of(g)
	found = append(found, check.Run(flow)...)
	if diag.HasErrors(found) || g.TypesOnly() {
		return fmt.Sprint(messages(found))
	}
	return fmt.Sprint(messages(found)) + places.ReplaceAllString(plan.Lower(flow, "p").String(), "PLACE")
}

// places matches the lines and columns in a plan.
var places = regexp.MustCompile(`\b\d+:\d+\b|\bLine=\d+\b`)

func messages(found []diag.Diagnostic) (list []string) {
	for _, d := range found {
		list = append(list, d.Code+" "+d.Message)
	}
	slices.Sort(list)
	return list
}

// comments returns the comments of a text, sorted.
func comments(text []byte) (list []string) {
	for line := range strings.Lines(string(text)) {
		if _, comment, has := strings.Cut(line, " #"); has || strings.HasPrefix(line, "#") {
			list = append(list, strings.TrimSpace(comment))
		}
	}
	slices.Sort(list)
	return list
}

// TestFormatKeepsMeaning formats the specs of the repository: each that is YAML has a canonical form, which means the same, has the same comments, and is
// its own canonical form.
func TestFormatKeepsMeaning(t *testing.T) {
	specs := repositorySpecs(t)
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(specs)) {
		if _, ok := spec.ParseTree(string(specs[path])); ok {
			paths = append(paths, path)
		}
	}
	if len(paths) < 400 {
		t.Fatalf("%d files", len(paths))
	}
	for _, path := range tier.Some(t, 50, 200, paths) {
		content := specs[path]
		got, err := Format(path, content)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again, err := Format(path, got)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s: %v: it is\n%s\nand then\n%s", path, err, got, again)
		}
		if a, b := comments(content), comments(got); !slices.Equal(a, b) {
			t.Errorf("%s: the comments are %q, were %q", path, b, a)
		}
		if a, b := meaning(t, path, content), meaning(t, path, got); a != b {
			t.Errorf("%s: it means\n%.1500s\nand meant\n%.1500s\n%s", path, b, a, got)
		}
	}
}

// TestFormatOfEdits formats specs after random edits: what is YAML keeps its meaning, or is refused.
func TestFormatOfEdits(t *testing.T) {
	specs := repositorySpecs(t)
	paths := slices.Sorted(maps.Keys(specs))
	pieces := []string{"", " ", "\n", "  ", ": ", "- ", "{", "}", "[", "]", "\"", "'", "|", "#", " #x", "\n  ", "a: ", ", ", "\n# c\n"}
	formatted, refused := 0, 0
	for d := range tier.Draws(t, tier.Pick(500, 5000, 200_000)) {
		r := d.Rand()
		path := paths[r.IntN(len(paths))]
		text := specs[path]
		if len(text) > 4<<10 {
			continue
		}
		for range 1 + r.IntN(3) {
			at := r.IntN(len(text) + 1)
			to := min(len(text), at+r.IntN(3))
			text = slices.Concat(text[:at], []byte(pieces[r.IntN(len(pieces))]), text[to:])
		}
		got, err := Format(path, text)
		switch {
		case errors.Is(err, errChanged):
			refused++
			continue
		case err != nil:
			continue
		}
		formatted++
		if again, err := Format(path, got); err != nil || string(again) != string(got) {
			t.Errorf("%v: of\n%s\nit makes\n%s\nand then\n%s", err, text, got, again)
		}
	}
	t.Logf("%d formatted, %d refused", formatted, refused)
}
