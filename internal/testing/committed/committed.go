// Package committed loads the graphs of the repository, for tests of what is made of plans.
package committed

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// A Graph is one of the repository.
type Graph struct {
	File    string
	Machine *plan.Machine
}

// Graphs returns the graphs of the repository that pass the checks, for a test whose folder is two below the root.
func Graphs(t *testing.T) []Graph {
	t.Helper()
	graphs, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	if len(graphs) < 350 {
		t.Fatalf("there are %d graphs", len(graphs))
	}
	return graphs
}

var loaded = sync.OnceValues(func() (graphs []Graph, err error) {
	folders := []string{
		"golden", "examples", "testdata/diagram", "testdata/tagged", "testdata/specs/valid", "spec/prelude", "bench", "cmd/graphgen/starts/first",
	}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".graph.yaml") {
				return err
			}
			text, err := os.ReadFile(path)
			if m := Load(path, text, os.ReadFile); m != nil {
				graphs = append(graphs, Graph{path, m})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return graphs, nil
})

// Load returns the machine of a spec, with a function that reads the files that it uses; nil for one that does not pass the checks, or has types
// alone.
func Load(file string, text []byte, read func(path string) ([]byte, error)) *plan.Machine {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil
	}
	g, found := spec.Load(filepath.Base(file), text)
	if g == nil || diag.HasErrors(found) {
		return nil
	}
	link.New(dir, read, nil).Link(g)
	c := cfg.Of(g)
	if g.TypesOnly() || diag.HasErrors(check.Run(c)) {
		return nil
	}
	return plan.Lower(c, "main")
}
