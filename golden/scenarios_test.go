// Package golden_test executes the golden machines: the scenarios in their folders.
package golden_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/diag"
)

// TestGoldenMachines plays the scenarios of every machine, and compares their spans. A short test plays those of every
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
	tempmodule.WatchRuntime(t, "..")
	tempmodule.Watch(t, "../scenario/harness", "../contrib/otel")
	in := map[string][]string{}
	for _, file := range files {
		in[filepath.Dir(file)] = append(in[filepath.Dir(file)], file)
	}
	var all scenario.Summary
	for folders := range slices.Chunk(slices.Sorted(maps.Keys(in)), len(in)/4+1) {
		t.Run(folders[0]+" to "+folders[len(folders)-1], func(t *testing.T) {
			var some []string
			for _, folder := range folders {
				some = append(some, in[folder]...)
			}
			playGolden(t, some, &all)
		})
	}
	t.Logf("%d graphs, %d scenarios", len(all.Graphs), all.Passed)
	if !testing.Short() && len(all.Graphs) == len(files) {
		provesRows(t, &all)
	}
}

// playGolden plays the scenarios of files, and adds what came of them to all.
func playGolden(t *testing.T, files []string, all *scenario.Summary) {
	const probe = "github.com/graphgen/graphgen/contrib/otel/oteltest"
	var out bytes.Buffer
	summary, err := scenario.Test(t.Context(), scenario.Config{Files: files, Stdout: &out, Stderr: &out, Probe: probe, Repeat: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range summary.Diagnostics {
		if d.Severity == diag.Error {
			t.Errorf("%s:%d:%d: %s", d.File, d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	if !summary.OK() || len(summary.Graphs) != len(files) {
		t.Errorf("%d of %d graphs were run:\n%s", len(summary.Graphs), len(files), out.String())
	}
	for i := range summary.Graphs {
		compareSpans(t, &summary.Graphs[i])
	}
	all.Graphs, all.Passed = append(all.Graphs, summary.Graphs...), all.Passed+summary.Passed
}

// TestExamplesLeakNothing plays the scenarios of the examples, and holds that no span, metric or log of them has content.
func TestExamplesLeakNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the golden machines are observed the same way")
	}
	files, err := filepath.Glob("../examples/*/*.graph.yaml")
	files = slices.DeleteFunc(files, func(file string) bool {
		_, err := os.Stat(strings.TrimSuffix(file, ".graph.yaml") + ".scenarios.yaml")
		return err != nil
	})
	if err != nil || len(files) < 10 {
		t.Fatal("no examples", err)
	}
	tempmodule.WatchRuntime(t, "..")
	tempmodule.Watch(t, "../scenario/harness", "../contrib/otel", "../examples")
	var out bytes.Buffer
	summary, err := scenario.Test(t.Context(),
		scenario.Config{Files: files, Stdout: &out, Stderr: &out, Probe: "github.com/graphgen/graphgen/contrib/otel/oteltest"})
	if err != nil || !summary.OK() || len(summary.Graphs) != len(files) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for i := range summary.Graphs {
		for _, r := range summary.Graphs[i].Results {
			if _, wrong, found := strings.Cut(r.Seen, "WRONG "); found || r.Seen == "" {
				t.Errorf("%s: %s: %s", summary.Graphs[i].Spec, r.Name, wrong)
			}
		}
	}
}

// compareSpans holds that the spans of the scenarios of a graph are those of its file.
func compareSpans(t *testing.T, g *scenario.Graph) {
	t.Helper()
	var text strings.Builder
	for _, r := range g.Results {
		fmt.Fprintf(&text, "# %s\n%s\n", r.Name, r.Seen)
		if wrong := strings.Index(r.Seen, "WRONG "); wrong >= 0 {
			t.Errorf("%s: %s: %s", g.Spec, r.Name, r.Seen[wrong:])
		}
	}
	name := strings.TrimSuffix(g.Spec, ".graph.yaml") + ".spans.txt"
	if *update {
		if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != text.String() {
		t.Errorf("%s: the spans are others; go test ./golden -run TestGoldenMachines -update writes\n%s", name, text.String())
	}
}
