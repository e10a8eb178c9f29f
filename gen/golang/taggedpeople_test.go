package golang

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
)

// TestTaggedPeople holds that golden/humantagged, whose machine the tests of package golden run, is what its graph in
// Go gives.
func TestTaggedPeople(t *testing.T) {
	const dir = "../../golden/humantagged"
	generated := []string{"desk_graph.go"}
	graphs, found, err := gotag.Load(t.Context(), gotag.Config{Dir: dir, Files: []string{"desk.go"}, Generated: generated})
	if err != nil || len(found) > 0 || len(graphs) != 1 {
		t.Fatal(err, found)
	}
	flow := cfg.Of(graphs[0])
	if found := check.Run(flow); diag.HasErrors(found) {
		t.Fatal(found)
	}
	files, err := Emit(plan.Lower(flow, "humantagged"))
	if err != nil || len(files) != len(generated) {
		t.Fatalf("there are %d files, %v", len(files), err)
	}
	for _, f := range files {
		if have, err := os.ReadFile(filepath.Join(dir, f.Name)); err != nil || string(have) != string(f.Content) {
			t.Errorf("%s is not what its graph gives (%v); graphgen generate ./golden/humantagged writes it", f.Name, err)
		}
	}
}
