package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/scenario/wire"
)

// module makes a module of folders below testdata that uses this repository. Its paths are trimmed, so
// that the build cache has what the module of an earlier run built.
func module(t *testing.T, folders ...string) string {
	t.Helper()
	t.Setenv("GOFLAGS", "-buildvcs=false -trimpath")
	dir := t.TempDir()
	for _, folder := range folders {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("testdata", folder))); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"),
		"module example.com/agent\n\ngo 1.26\n\nrequire github.com/graphgen/graphgen v0.0.0\n\nreplace github.com/graphgen/graphgen => "+root+"\n")
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run tests files and returns what was written, without times.
func run(t *testing.T, cfg scenario.Config) (scenario.Summary, string) {
	t.Helper()
	tempmodule.WatchRuntime(t, "..")
	tempmodule.Watch(t, "harness")
	var out bytes.Buffer
	cfg.Stdout = &out
	sum, err := scenario.Test(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range sum.Diagnostics {
		t.Errorf("%s:%d:%d: %s", d.File, d.Pos.Line, d.Pos.Col, d.Message)
	}
	return sum, regexp.MustCompile(`\t\d+\.\d{3}s\n`).ReplaceAllString(out.String(), "\t0.000s\n")
}

func TestScenariosThatHold(t *testing.T) {
	dir := module(t, "features", "review")
	write(t, filepath.Join(dir, "features", "broken.go"), "package features\n\nfunc broken( {\n")
	write(t, filepath.Join(dir, "features", "broken_test.go"), "package other\n\nimport \"nowhere.example/nothing\"\n")
	before := names(t, dir)
	sum, out := run(t, scenario.Config{
		Dir:     dir,
		Files:   []string{"features/work.graph.yaml", "features/bounds.graph.yaml", "review/review.graph.yaml"},
		Verbose: true, Cover: true,
	})
	if !sum.OK() {
		t.Error("not OK")
	}
	golden(t, "testdata/holds.txt", out)
	if after := names(t, dir); !slices.Equal(before, after) {
		t.Errorf("files were\n%s\nand are\n%s", before, after)
	}
}

// names lists the files of a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		list = append(list, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestScenariosThatDoNotHold(t *testing.T) {
	files := []string{
		"failing/album.graph.yaml", "failing/desk.graph.yaml", "failing/letter.graph.yaml", "failing/poll.graph.yaml", "failing/review.graph.yaml",
	}
	sum, out := run(t, scenario.Config{Dir: module(t, "failing"), Files: files})
	if sum.OK() || sum.Passed != 2 || sum.Failed != 25 {
		t.Errorf("OK is %t with %d passed and %d failed", sum.OK(), sum.Passed, sum.Failed)
	}
	golden(t, "testdata/fails.txt", out)
}

func TestOnlySelectedScenariosRun(t *testing.T) {
	_, out := run(t, scenario.Config{
		Dir: module(t, "failing"), Files: []string{"failing/poll.scenarios.yaml"}, Run: "^poll/this one", Verbose: true,
	})
	const want = "--- PASS: poll/this one passes (failing/poll.scenarios.yaml:62)\n" +
		"    path: ask, count, tell (completed)\n" +
		"ok  \tfailing/poll.graph.yaml\t1 scenario\t0.000s\n"
	if out != want {
		t.Errorf("got\n%s", out)
	}
}

func TestUnselectedScenarios(t *testing.T) {
	sum, out := run(t, scenario.Config{Dir: module(t, "review"), Files: []string{"review/review.graph.yaml"}, Run: "^nothing$"})
	n := sum.Graphs[0].LeftOut
	if want := fmt.Sprintf("ok  \treview/review.graph.yaml\t[no scenarios to run: -run matches none of %d]\n", n); out != want || n == 0 || !sum.OK() {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestGraphWithoutScenarios(t *testing.T) {
	dir := module(t, "review")
	if err := os.Remove(filepath.Join(dir, "review/review.scenarios.yaml")); err != nil {
		t.Fatal(err)
	}
	sum, out := run(t, scenario.Config{Dir: dir, Files: []string{"review/review.graph.yaml"}})
	if out != "?   \treview/review.graph.yaml\t[no scenarios]\n" || !sum.OK() {
		t.Errorf("got %q", out)
	}
}

func TestJSONTellsEverything(t *testing.T) {
	_, out := run(t, scenario.Config{
		Dir: module(t, "failing"), Files: []string{"failing/poll.graph.yaml"}, Run: "this one|too short", JSON: true, Cover: true,
	})
	var got struct {
		Passed, Failed int
		Graphs         []struct {
			OK        bool
			Scenarios []struct {
				Name, End string
				Path      []string
				Failures  []struct{ What, Want, Got string }
			}
			Coverage struct {
				Nodes      int
				NeverEdges []struct{ Text string } `json:"never_edges"`
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	g := got.Graphs[0]
	if got.Passed != 1 || got.Failed != 1 || g.OK || len(g.Scenarios) != 2 || g.Coverage.Nodes != 3 ||
		g.Scenarios[0].Failures[0].Got != "ask, count, tell" || g.Coverage.NeverEdges[0].Text != "count → ask (if out.Share < 0.5)" {
		t.Errorf("got %+v", got)
	}
}

func TestWhatCannotBeBuiltSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(dir string)
		want  string
	}{
		"there is no module": {
			func(dir string) { os.Remove(filepath.Join(dir, "go.mod")) },
			"run go mod init",
		},
		"the module does not use graphgen": {
			func(dir string) { write(t, filepath.Join(dir, "go.mod"), "module example.com/agent\n\ngo 1.26\n") },
			"run go get github.com/graphgen/graphgen",
		},
		"a workspace does not let its modules be mended": {
			func(dir string) {
				write(t, filepath.Join(dir, "go.work"), "go 1.26\n\nuse .\n")
				os.Remove(filepath.Join(dir, "go.sum"))
				path := filepath.Join(dir, "review/review.graph.yaml")
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				write(t, path, string(text)+"codecs: all\n") // they import a package of another module
			},
			"run graphgen generate, and go mod tidy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOPROXY", "off")
			dir := module(t, "review")
			c.spoil(dir)
			sum, out := run(t, scenario.Config{Dir: dir, Files: []string{"review/review.graph.yaml"}})
			if sum.OK() || !strings.Contains(out, c.want) || !strings.HasSuffix(out, "\nFAIL\treview/review.graph.yaml\n") {
				t.Errorf("got\n%s", out)
			}
		})
	}
}

func TestAModuleInAWorkspaceWorks(t *testing.T) {
	dir := module(t, "review")
	mod := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	json := regexp.MustCompile(`github.com/go-json-experiment/json v\S+`).FindString(mod("../go.mod"))
	write(t, filepath.Join(dir, "go.mod"), mod(filepath.Join(dir, "go.mod"))+"\nrequire "+json+" // indirect\n")
	write(t, filepath.Join(dir, "go.work"), "go 1.26\n\nuse .\n")
	if sum, out := run(t, scenario.Config{Dir: dir, Files: []string{"review/review.graph.yaml"}}); !sum.OK() {
		t.Errorf("got\n%s", out)
	}
}

// TestFoldersAreBuiltTogether holds that one go command builds the folders of a module, and that one in another module, which
// does not build, does not keep the others from it.
func TestFoldersAreBuiltTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three modules")
	}
	tool, err := exec.LookPath("go")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the go command is a script here")
	}
	dir := module(t, "review", "failing")
	t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho \"$@\" >>"+bin+"/calls\nexec "+tool+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	builds := func(files ...string) (n int, out string) {
		_ = os.Remove(bin + "/calls")
		_, out = run(t, scenario.Config{Dir: dir, Run: "this one|^review/", Files: files})
		calls, err := os.ReadFile(bin + "/calls")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(calls, []byte("test -c ")), out
	}
	files := []string{"failing/poll.graph.yaml", "review/review.graph.yaml"}
	together, want := builds(files...)
	if together != 1 || strings.Count(want, "ok  \t") != 2 {
		t.Errorf("%d go commands build two folders:\n%s", together, want)
	}
	if err := os.CopyFS(filepath.Join(dir, "other"), os.DirFS("testdata/review")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "other/go.mod"), "module example.com/other\n\ngo 1.26\n")
	alone, out := builds(append(files, "other/review.graph.yaml")...)
	if rest, both := strings.CutPrefix(out, "ok  \tfailing/poll.graph.yaml"); alone != 3 || !both || !strings.Contains(rest,
		"\nok  \treview/review.graph.yaml") || !strings.Contains(rest, "the scenarios do not build") {
		t.Errorf("%d go commands build three folders, of which one does not build:\n%s", alone, out)
	}
}

func TestErrorsStopGraph(t *testing.T) {
	dir := module(t, "review", "failing")
	write(t, filepath.Join(dir, "review/more.scenarios.yaml"), "graph: review.graph.yaml\nscenarios:\n  - {name: x, expect: {pth: []}}\n")
	write(t, filepath.Join(dir, "failing/other.scenarios.yaml"), "graph: poll.graph.yml\nscenarios: []\n")
	var out bytes.Buffer
	sum, err := scenario.Test(t.Context(), scenario.Config{
		Dir: dir, Files: []string{"review/review.graph.yaml", "failing/poll.graph.yaml"}, Run: "this one", Stdout: &out,
	})
	if err != nil || sum.OK() {
		t.Errorf("OK is %t, the error %v", sum.OK(), err)
	}
	var codes []string
	for _, d := range sum.Diagnostics {
		codes = append(codes, fmt.Sprintf("%s:%d:%d %s", d.File, d.Pos.Line, d.Pos.Col, d.Code))
	}
	if want := []string{"failing/other.scenarios.yaml:1:8 GG205", "review/more.scenarios.yaml:3:24 GG201"}; !slices.Equal(codes, want) {
		t.Errorf("diagnostics are %q, want %q", codes, want)
	}
	if got := out.String(); !strings.HasPrefix(got, "ok  \tfailing/poll.graph.yaml\t1 scenario") ||
		!strings.HasSuffix(got, "not run: the spec or its scenarios have errors\nFAIL\treview/review.graph.yaml\n") {
		t.Errorf("got\n%s", got)
	}
}

// A graph whose scenario file is no YAML has scenarios that were not run, and nothing to cover.
func TestUnreadableScenarios(t *testing.T) {
	dir := module(t, "review")
	write(t, filepath.Join(dir, "review/review.scenarios.yaml"), "graph: review.graph.yaml\nscenarios: [{name: is it, input: {a: why?}\n")
	var out bytes.Buffer
	sum, err := scenario.Test(t.Context(), scenario.Config{Dir: dir, Files: []string{"review/review.graph.yaml"}, Cover: true, Stdout: &out})
	if err != nil || sum.OK() {
		t.Errorf("OK is %t, the error %v", sum.OK(), err)
	}
	if got, want := out.String(), "not run: the spec or its scenarios have errors\nFAIL\treview/review.graph.yaml\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestSpecsOfTwoPackages(t *testing.T) {
	dir := module(t, "review")
	text, err := os.ReadFile(filepath.Join(dir, "review/review.graph.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "review/second.graph.yaml"), string(text))
	sum, err := scenario.Test(t.Context(), scenario.Config{Dir: dir, Files: []string{"review/review.graph.yaml", "review/second.graph.yaml"}})
	if err != nil || len(sum.Diagnostics) == 0 || sum.OK() {
		t.Errorf("diagnostics are %v, the error %v", sum.Diagnostics, err)
	}
}

func TestARunWithoutEndIsStopped(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "spin.graph.yaml"),
		"graph: spin\nentry: turn\nlimits: {max_steps: 2000000000}\nstate: {done: bool}\ninput: [done]\nnodes:\n  turn: {reads: "+
			"[done], max_visits: 2000000000}\nedges:\n  - {from: turn, to: end, if: state.Done}\n  - {from: turn, to: turn}\n")
	write(t, filepath.Join(dir, "spin.scenarios.yaml"), "graph: spin.graph.yaml\nscenarios:\n  - {name: turns and turns, expect: {end: completed}}\n")
	sum, out := run(t, scenario.Config{Dir: dir, Files: []string{"spin.graph.yaml"}, Timeout: time.Second})
	if sum.OK() || out != "the machine did not end in the scenario \"turns and turns\": stopped after 1s\nFAIL\tspin.graph.yaml\n" {
		t.Errorf("got\n%s", out)
	}
}

// Test_ is what this test binary does in the place of one with scenarios, as the plan
// says: it begins the first one and exits.
func Test_(t *testing.T) {
	if results := os.Getenv(wire.ResultsVariable); results != "" {
		write(t, results, `{"begin":0}`+"\n")
		os.Stderr.WriteString("fatal error: out of cheese\n")
		os.Exit(3)
	}
}

func TestACrashNamesItsScenario(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got := scenario.Execute(t.Context(), t.TempDir(), binary, []wire.Scenario{{Name: "works"}})
	if want := "the machine crashed in the scenario \"works\": exit status 3\nfatal error: out of cheese"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrongUsageIsAnError(t *testing.T) {
	for name, cfg := range map[string]scenario.Config{
		"a pattern that is none":    {Files: []string{"a.graph.yaml"}, Run: "("},
		"a file that is not a spec": {Files: []string{"a.yaml"}},
		"a file that is not there":  {Files: []string{"nowhere/a.graph.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := scenario.Test(t.Context(), cfg); err == nil {
				t.Error("no error")
			}
		})
	}
}
