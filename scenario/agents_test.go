package scenario_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/diag"
)

func TestFailingAgentScenarios(t *testing.T) {
	sum, out := run(t, scenario.Config{Dir: module(t, "agents"), Files: []string{"agents/desk.scenarios.yaml"}})
	if sum.OK() || sum.Passed != 1 || sum.Failed != 11 {
		t.Errorf("OK is %t with %d passed and %d failed", sum.OK(), sum.Passed, sum.Failed)
	}
	golden(t, "testdata/agents/desk.txt", out)
}

func TestModelMistakes(t *testing.T) {
	mistakes(t, "testdata/agents", "desk.graph.yaml")
}

// mistakes compares what is wrong with the mistaken scenarios of a folder with the text there.
func mistakes(t *testing.T, folder, graph string) {
	t.Helper()
	dir := t.TempDir()
	const name = "mistakes.scenarios.yaml"
	for _, file := range []string{name, graph} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), string(text))
	}
	sum, err := scenario.Test(t.Context(), scenario.Config{Dir: dir, Files: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	options := diag.Options{Source: func(file string) []byte { return sum.Sources[file] }}
	if err := diag.Render(&got, sum.Diagnostics, options); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join(folder, "mistakes.txt"), got.String())
}
