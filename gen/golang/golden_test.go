package golang

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// TestGolden holds the generated files of every folder under golden to what is
// committed. -update writes them.
func TestGolden(t *testing.T) {
	specs, err := filepath.Glob("../../golden/*/*.graph.yaml")
	if err != nil || len(specs) == 0 {
		t.Fatal("no golden specs", err)
	}
	for _, file := range specs {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	dir := filepath.Dir(file)
	var names []string
	for _, f := range compile(t, file) {
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
		if !strings.HasSuffix(name, "_test.go") && !slices.Contains(names, name) {
			t.Errorf("%s is not emitted any more", name)
		}
	}
}

// compile takes a spec the whole way to Go.
func compile(t *testing.T, file string) []File {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, found := spec.Load(filepath.Base(file), source)
	if g != nil {
		found = append(found, check.Run(g)...)
	}
	for _, d := range found {
		if d.Severity != diag.Note {
			t.Fatalf("%d:%d: %s", d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	files, err := Emit(plan.Lower(g, filepath.Base(filepath.Dir(file))))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
