package prelude_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/prelude"
	"github.com/graphgen/graphgen/spec/template"
)

// TestPatterns holds that the example of every pattern is a golden machine, with its scenarios: the golden tests run them.
func TestPatterns(t *testing.T) {
	patterns := 0
	for _, file := range prelude.Use().Graphs() {
		for _, p := range file.Templates {
			if !p.IsPattern() {
				continue
			}
			patterns++
			first, _, _ := strings.Cut(p.Example.V, "\n")
			golden := "../../golden/patterns/" + strings.TrimPrefix(first, "graph: ")
			for name, want := range map[string]string{
				golden + ".graph.yaml": p.Example.V + "\n", golden + ".scenarios.yaml": string(prelude.Scenarios(p.Name.V)),
				golden + ".jsonl": string(prelude.Recording(p.Name.V)),
			} {
				if got, err := os.ReadFile(name); err != nil || string(got) != want || want == "" {
					t.Errorf("%s is not what the pattern %s has (%v):\n%s", name, p.Name.V, err, want)
				}
			}
		}
	}
	if patterns < 7 {
		t.Errorf("the prelude has %d patterns", patterns)
	}
}

// TestPatternRecordings holds that the recording of each pattern is that of its first scenario. The golden tests play it.
func TestPatternRecordings(t *testing.T) {
	tempmodule.WatchRuntime(t, "../..")
	tempmodule.Watch(t, "../../scenario/harness")
	patterns := map[string]string{} // the golden graph of each
	var files []string
	for _, file := range prelude.Use().Graphs() {
		for _, p := range file.Templates {
			if p.IsPattern() {
				first, _, _ := strings.Cut(p.Example.V, "\n")
				golden := "../../golden/patterns/" + strings.TrimPrefix(first, "graph: ")
				patterns[filepath.Base(golden)+".graph.yaml"] = p.Name.V
				files = append(files, golden+".graph.yaml")
			}
		}
	}
	for _, g := range play(t, scenario.Config{Files: files, Probe: taping}) {
		pattern := patterns[filepath.Base(g.Spec)]
		compare(t, filepath.Join("scenarios", pattern+".jsonl"), g.Results[0].Seen)
		compare(t, strings.TrimSuffix(filepath.Join("../../golden/patterns", filepath.Base(g.Spec)), ".graph.yaml")+".jsonl", g.Results[0].Seen)
		if !slices.ContainsFunc(g.Results, func(r scenario.Result) bool { return r.Name == recorded && len(r.Failures) == 0 }) {
			t.Errorf("the recorded run of %s does not pass", pattern)
		}
	}
}

// TestPreludeForm holds that the files of the prelude are read without mistakes, and that no two have a template of one name.
func TestPreludeForm(t *testing.T) {
	names := map[string]bool{}
	for _, file := range prelude.Use().Graphs() {
		g, found := spec.Load(file.File, file.Source)
		if g == nil || len(found) > 0 {
			t.Fatalf("%s: %v", file.File, found)
		}
		if template.Expand(g, prelude.Use()); len(g.Expanding) > 0 {
			t.Errorf("%s: %v", file.File, g.Expanding)
		}
		for _, p := range file.Templates {
			if names[p.Name.V] {
				t.Errorf("there are two templates %s", p.Name.V)
			}
			names[p.Name.V] = true
		}
	}
}
