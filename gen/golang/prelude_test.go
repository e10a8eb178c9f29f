package golang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/prelude"
)

// TestPrelude holds the Go types of the prelude, which generated code imports from package prelude. -update
// writes them.
func TestPrelude(t *testing.T) {
	const folder = "../../prelude"
	for _, g := range prelude.Use().Graphs() {
		flow := cfg.Of(g)
		if found := diag.WithoutNotes(check.Run(flow)); len(found) > 0 {
			t.Fatalf("%s: %v", g.File, found)
		}
		if len(g.Types) == 0 {
			continue
		}
		files, err := Emit(plan.Lower(flow, prelude.Name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			header := "// Code generated from spec/" + filepath.ToSlash(g.File) + " by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT."
			_, rest, _ := strings.Cut(string(f.Content), "\n")
			content := header + "\n" + rest
			path := filepath.Join(folder, f.Name)
			if *update {
				if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != content {
				t.Errorf("%s is not what the prelude gives: %v", path, err)
			}
		}
	}
}
