package golang

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// TestGolden holds the generated files of every folder under golden to what is
// committed. -update writes them.
func TestGolden(t *testing.T) {
	folders := map[string][]string{}
	for _, pattern := range []string{"../../golden/*/*.graph.yaml", "../../golden/*/*.types.yaml", "../../golden/*/*/*.types.yaml",
		"../../golden/*/*/*.graph.yaml"} {
		specs, err := filepath.Glob(pattern)
		if err != nil || len(specs) == 0 {
			t.Fatal(pattern, "no golden specs", err)
		}
		for _, file := range specs {
			folders[filepath.Dir(file)] = append(folders[filepath.Dir(file)], file)
		}
	}
	for dir, specs := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) { golden(t, dir, specs) })
	}
}

func golden(t *testing.T, dir string, specs []string) {
	var names []string
	var files []File
	for _, file := range specs {
		files = append(files, compile(t, file)...)
	}
	for _, f := range files {
		names = append(names, f.Name)
		path := filepath.Join(dir, f.Name)
		if *update {
			if err := os.WriteFile(path, f.Content, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Content, want) {
			t.Errorf("%s is not what the compiler emits; -update writes it", f.Name)
		}
	}
	have, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ours := bytes.HasPrefix(text, []byte(strings.TrimSuffix(Header(""), "; DO NOT EDIT.")))
		if ours && !slices.Contains(names, name) {
			t.Errorf("%s is not emitted any more", name)
		}
	}
}

// compile takes a spec the whole way to Go.
func compile(t *testing.T, file string) []File {
	t.Helper()
	files, err := Emit(planned(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// planned takes a spec to the plan of its machine.
func planned(t *testing.T, file string) *plan.Machine {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	g, found := spec.Load(filepath.Base(file), source)
	if g != nil {
		link.New(dir, os.ReadFile, nil).Link(g)
		found = append(found, check.Run(cfg.Of(g))...)
	}
	for _, d := range found {
		if d.Severity != diag.Note {
			t.Fatalf("%d:%d: %s", d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	return plan.Lower(cfg.Of(g), filepath.Base(filepath.Dir(file)))
}

// TestOrigins holds that the comment of each type without a name tells where the spec has it, or what it is.
func TestOrigins(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	file := filepath.Join(dir, "g.graph.yaml")
	const text = `graph: g
entry: a
state: {s: string, how: {enum: [fast, slow]}}
input: [s, how]
output: s
types:
  Shape: {union: {circle: {radius: float}, square: {kind: {enum: [thin, thick]}}}}
tools:
  find: {doc: Finds., args: {q: string, near: {enum: [here, there]}}, returns: {url: string, kind: {enum: [web, book]}}}
  grade: {doc: Grades., args: {q: string}, returns: {enum: [good, bad]}}
nodes:
  a: {kind: prompt, instructions: Hi., reads: [s, how], output: {s: string, shape: Shape, mood: {enum: [glad, sad]}}, writes: s, tools: [find, grade], next: b}
  b: {kind: func, reads: s, output: {verdict: string, more: {enum: [few, many]}}, next: end}
`
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, f := range compile(t, file) {
		for line := range strings.Lines(string(f.Content)) {
			if strings.Contains(line, "the type  of") {
				t.Errorf("%s: %s", f.Name, line)
			}
		}
	}
}
