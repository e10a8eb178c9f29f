// Package golden_test executes the golden machines: the scenarios in their folders.
package golden_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/diag"
)

// TestGoldenMachines plays the scenarios of every machine. A short test plays those of every
// sixteenth folder.
func TestGoldenMachines(t *testing.T) {
	files, err := filepath.Glob("*/*.graph.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden specs", err)
	}
	if testing.Short() {
		folders := map[string]int{}
		files = slices.DeleteFunc(files, func(file string) bool {
			folder := filepath.Dir(file)
			if _, ok := folders[folder]; !ok {
				folders[folder] = len(folders)
			}
			return folders[folder]%16 != 0
		})
	}
	tempmodule.Watch(t, "../runtime", "../scenario/harness")
	var out bytes.Buffer
	summary, err := scenario.Test(t.Context(), scenario.Config{Files: files, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d graphs, %d scenarios", len(summary.Graphs), summary.Passed+summary.Failed)
	for _, d := range summary.Diagnostics {
		if d.Severity == diag.Error {
			t.Errorf("%s:%d:%d: %s", d.File, d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	if !summary.OK() || len(summary.Graphs) != len(files) {
		t.Errorf("%d of %d graphs were run:\n%s", len(summary.Graphs), len(files), out.String())
	}
}
