package temporal_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/diag"
)

// goldenEngine is the package that runs the scenarios in workflows.
const goldenEngine = "github.com/graphgen/graphgen/contrib/temporal/temporaltest/engine"

// unset is why a scenario is another one in a workflow: the page of the guide has it.
const unset = "a value without JSON, or out of the limits of its type, is not sent to an activity, nor by one"

// stands is another reason, of the test environment alone: its clock stands still while an activity is executed, unless a timer fires.
const stands = ""

// different are the scenarios that differ in a workflow, with the reason.
var different = map[string]string{
	"branch_by_cache/a missing class is an error that is not retried":                               unset,
	"branch_by_code/code that gives no class fails":                                                 unset,
	"covered/an enum that a handler leaves unset fails the node instead of ending the run":          unset,
	"route/a node fails when its handler leaves a required enum unset":                              unset,
	"order/a field with a default starts with it":                                                   unset,
	"order/input overrides a default, with zero values too":                                         unset,
	"order/variants, nested ones too, are written and compared by their labels":                     unset,
	"order/durations are summed and the longest is kept, and the cache key of an input is its JSON": unset,
	"order/a condition on a sum of durations holds":                                                 unset,
	"order/an enum of another file decides, and a node gives a union":                               unset,
	"order/conditions see a constant of a used file's package":                                      unset,
	"order/a soft failure with a Go type gives no value":                                            unset,
	"rounds/the time of an attempt does not run while it waits":                                     stands,
	"policy/the timeout of the run is a typed error":                                                stands,
	"human/the time of nodes before and after a pause counts as time of the run":                    stands,
}

// TestGolden holds that the scenarios of golden machines are in a workflow what they are locally: the same path, end, error, state, output, requests,
// transitions, prompts and calls. Activities play the handlers, the tools and the models.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("builds machines with the SDK of Temporal")
	}
	folders, err := filepath.Glob("../../golden/*/*.scenarios.yaml")
	if err != nil || len(folders) == 0 {
		t.Fatal("no golden scenarios", err)
	}
	for i, f := range folders {
		folders[i] = filepath.Base(filepath.Dir(f))
	}
	folders = slices.Compact(folders)
	if only := os.Getenv("GOLDEN"); only != "" {
		folders = strings.Split(only, ",")
	} else {
		every := tier.Pick(0, 60, 1)
		folders = slices.DeleteFunc(folders, func(f string) bool { return slices.Index(folders, f)%every != 0 })
	}
	tempmodule.WatchRuntime(t, "../..")
	tempmodule.Watch(t, "../../scenario/harness", "../../golden")
	const dir = "testdata/golden" // the same each time, for the build cache
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var files []string
	for _, f := range folders {
		files = append(files, drivenCopy(t, filepath.Join("../../golden", f), filepath.Join(dir, f))...)
	}
	var out bytes.Buffer
	summary, err := scenario.Test(t.Context(), scenario.Config{Files: files, Stdout: &out, Stderr: &out, Driver: goldenEngine})
	if err != nil {
		t.Fatal(err)
	}
	wrong := len(summary.Graphs) != len(files) || diag.HasErrors(summary.Diagnostics)
	for _, d := range summary.Diagnostics {
		if d.Severity == diag.Error {
			t.Errorf("%s:%d:%d: %s", d.File, d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	for _, g := range summary.Graphs {
		wrong = wrong || g.Problem != ""
		for _, r := range g.Results {
			name := r.Graph + "/" + r.Name
			if reason, ok := different[name]; ok != (len(r.Failures) > 0) {
				t.Errorf("%s: it differs %t, and the reason is %q", name, !ok, reason)
				wrong = true
			}
		}
	}
	if wrong {
		t.Errorf("%d of %d graphs, %d scenarios passed, %d failed\n%s", len(summary.Graphs), len(files), summary.Passed, summary.Failed, out.String())
	}
	page, err := os.ReadFile("../../docs/guides/run-on-temporal.md")
	if err != nil || !strings.Contains(string(page), unset) {
		t.Errorf("the guide does not say that %s: %v", unset, err)
	}
	t.Logf("%d graphs, %d scenarios", len(summary.Graphs), summary.Passed)
}

// drivenCopy copies a folder of golden machines, whose specs get the driver, and returns the specs.
func drivenCopy(t *testing.T, from, to string) (specs []string) {
	t.Helper()
	var imported []string
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(name, 0o755)
		}
		data, err := os.ReadFile(path)
		generated := strings.Contains(string(data[:min(len(data), 60)]), "Code generated by graphgen") && !strings.Contains(rel, "types.go")
		if err != nil || strings.HasSuffix(path, "_test.go") || generated || rel == "shared_types.go" {
			return err
		}
		if strings.HasSuffix(path, ".graph.yaml") {
			data = append(data, "\ndrivers: [temporal]\n"...)
			if inner := filepath.Dir(rel); inner == "." {
				specs = append(specs, name)
			} else {
				imported = append(imported, filepath.Join(to, inner))
			}
		}
		return os.WriteFile(name, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range imported { // whose machines are imported, as they are generated
		cmd := exec.CommandContext(t.Context(), "go", "run", "github.com/graphgen/graphgen/cmd/graphgen", "generate", folder)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	return specs
}
