package golden_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/scenario/wire"
)

// TestBrokenErrors plays the scenarios of golden machines whose handlers, tools, models, judges or hooks return errors, with
// errors of which a method panics. What the scenarios expect does not hold of these runs, but each has a result: none ends
// the process, and none hangs.
func TestBrokenErrors(t *testing.T) {
	files, err := filepath.Glob("*/*.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	scenarios := map[string]int{}
	files = slices.DeleteFunc(files, func(file string) bool {
		text, err := os.ReadFile(strings.TrimSuffix(file, ".graph.yaml") + ".scenarios.yaml")
		scenarios[file] = strings.Count(string(text), "\n  - name: ")
		return err != nil || !strings.Contains(string(text), "error: ")
	})
	if len(files) < 50 {
		t.Fatalf("%d golden specs have scripted errors", len(files))
	}
	folders := map[string]int{}
	for _, file := range files {
		if _, ok := folders[filepath.Dir(file)]; !ok {
			folders[filepath.Dir(file)] = len(folders)
		}
	}
	broken, every := 0, tier.Pick(200, 30, 1)
	for i, method := range tier.Some(t, 1, 2, []string{"nil", "Error", "Is", "As", "Unwrap"}) {
		t.Run(method, func(t *testing.T) {
			t.Setenv(wire.BrokenVariable, method)
			played := slices.DeleteFunc(slices.Clone(files), func(file string) bool { return (folders[filepath.Dir(file)]+i)%every > 0 })
			broken += playBroken(t, played, scenarios)
		})
	}
	if broken == 0 {
		t.Error("no run ended with an error whose method panics")
	}
}

// playBroken plays the scenarios of files, and returns how many runs ended with the error of a method that panics.
func playBroken(t *testing.T, files []string, scenarios map[string]int) (broken int) {
	summary, err := scenario.Test(t.Context(), scenario.Config{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range summary.Graphs {
		if g.Problem != "" || len(g.Results) != scenarios[g.Spec] {
			t.Errorf("%s: %d of %d scenarios have a result: %s", g.Spec, len(g.Results), scenarios[g.Spec], g.Problem)
		}
		for _, r := range g.Results {
			if strings.Contains(r.Error, "an error whose method") {
				broken++
			}
		}
	}
	t.Logf("%d graphs, %d runs that ended with a broken error", len(summary.Graphs), broken)
	return broken
}
