package plan_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPlans holds the plans of the graphs of golden and examples to the texts of testdata, and testdata to
// these graphs. -update writes them.
func TestPlans(t *testing.T) {
	want := map[string]bool{}
	for _, pattern := range []string{"golden/*/*.yaml", "golden/*/*/*.yaml", "examples/*/*.yaml"} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, ".graph.yaml") && !strings.HasSuffix(file, spec.TypesSuffix) {
				continue
			}
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "../../"), ".yaml")
			name = strings.ReplaceAll(strings.TrimSuffix(name, ".graph"), "/", "-") + ".txt"
			want[name] = true
			t.Run(strings.TrimSuffix(name, ".txt"), func(t *testing.T) { comparePlan(t, file, name) })
		}
	}
	have, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		if !want[filepath.Base(path)] {
			t.Errorf("%s is the plan of no graph", path)
		}
	}
}

func comparePlan(t *testing.T, file, name string) {
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
		if d.Severity == diag.Error {
			t.Fatalf("%d:%d: %s", d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	m := plan.Lower(cfg.Of(g), filepath.Base(dir))
	got := m.String()
	if again := plan.Lower(cfg.Of(g), filepath.Base(dir)).String(); again != got {
		t.Errorf("two plans of a graph differ:\n%s\n%s", got, again)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not the plan; -update writes it", path)
	}
}
