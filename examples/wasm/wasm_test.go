// Package wasm builds programs around generated machines for every system that is
// unlike the usual ones, runs them there, and weighs them.
package wasm

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// mutations are parts of the symbols of what changes the graph of a run.
var mutations = []string{"graphgen/runtime/engine.(*changing)", "graphgen/runtime/engine.(*links)", "pipeline.(*Change)"}

// outer are parts of the symbols of what runs have of threads.
var outer = []string{"engine.Threaded."}

// waiting are parts of the symbols of what holds calls of tools that wait for answers, and of what saves a transcript.
var waiting = []string{"pipeline.(*session).heldCall", "engine.(*Pauses).Hold", "runtime/chatjson", "pipeline.(*Transcript).reopen"}

// talking are parts of the symbols of ledgers of a conversation, and of WithPrompt.
var talking = []string{"pipeline.(*Conversation).facts", "pipeline.(*replacement)"}

// others are parts of the symbols of a decoder of package jsontext, and of what checks the texts of WithPrompt, and names in options.
var others = append([]string{"json/jsontext.(*decoderState)", "graphgen/graphgen.newPrompts", "graphgen/internal/option.givenNames"}, mutations...)

// programs are small ones around a machine each. Each promises a size of its stripped file, in
// bytes: one for systems that run machine code, and one for WASI, whose code is larger. A
// program that does nothing but write to its standard output has 2.2 million there. lacks are parts
// of the symbols of what it does not use.
var programs = []struct {
	name          string
	machine, wasm int64
	lacks         []string
	prints        string
}{
	{"greet", 2_100_000, 3_200_000, slices.Concat([]string{"context.(*cancelCtx)"}, outer, others), `greet greet greet polish
{"lines":["hello world","hello hello world","hello hello hello world"]}
`},
	{"agent", 2_400_000, 3_800_000, slices.Concat(waiting, talking, outer, others), `answer answer, 1 tool call
{"place":{"name":"harbour","legs":3}}
`},
}

// script is what the connection to JavaScript may add to a program, in bytes.
const script = 50_000

// build compiles a program, stripped, weighs it and returns its file.
func build(t *testing.T, name, system, arch string, most int64) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	tempmodule.WatchRuntime(t, "../..")
	tempmodule.Watch(t, name)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("GOOS=%s GOARCH=%s: %v\n%s", system, arch, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %s/%s: %d bytes", name, system, arch, info.Size())
	if info.Size() >= most {
		t.Errorf("%s, %s/%s: %d bytes, more than %d", name, system, arch, info.Size(), most)
	}
	return file
}

// node runs a program of WebAssembly with node, by the script that comes with Go.
func node(t *testing.T, file string) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "go_js_wasm_exec"), file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestMachinesRunUnderWASI(t *testing.T) {
	ctx := t.Context()
	for _, p := range programs {
		program, err := os.ReadFile(build(t, p.name, "wasip1", "wasm", p.wasm))
		if err != nil {
			t.Fatal(err)
		}
		r := wazero.NewRuntime(ctx)
		defer r.Close(ctx)
		wasi_snapshot_preview1.MustInstantiate(ctx, r)
		var out, trouble bytes.Buffer
		config := wazero.NewModuleConfig().WithStdout(&out).WithStderr(&trouble).WithArgs(p.name).
			WithSysNanotime().WithSysWalltime().WithRandSource(rand.Reader)
		if _, err := r.InstantiateWithConfig(ctx, program, config); err != nil {
			t.Fatalf("%v\n%s", err, trouble.String())
		}
		if out.String() != p.prints {
			t.Errorf("got\n%swant\n%s", out.String(), p.prints)
		}
	}
}

// TestMachinesRunUnderJavaScript needs node for the run. Without it, the programs
// are only built.
func TestMachinesRunUnderJavaScript(t *testing.T) {
	_, err := exec.LookPath("node")
	for _, p := range tier.Some(t, 1, 1, programs) {
		file := build(t, p.name, "js", "wasm", p.wasm+script)
		if err != nil {
			t.Log("there is no node on this machine: built, not run")
			continue
		}
		if out := node(t, file); out != p.prints {
			t.Errorf("got\n%swant\n%s", out, p.prints)
		}
	}
}

func TestMachinesRunHere(t *testing.T) {
	for _, p := range programs {
		out, err := exec.Command(build(t, p.name, runtime.GOOS, runtime.GOARCH, p.machine)).CombinedOutput()
		if err != nil || string(out) != p.prints {
			t.Errorf("got %v\n%swant\n%s", err, out, p.prints)
		}
	}
}

func TestProgramsLackWhatTheyDoNotUse(t *testing.T) {
	for _, p := range tier.Some(t, 1, 1, programs) {
		file := filepath.Join(t.TempDir(), p.name)
		tempmodule.WatchRuntime(t, "../..")
		tempmodule.Watch(t, p.name)
		if out, err := exec.Command("go", "build", "-o", file, "./"+p.name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		symbols, err := exec.Command("go", "tool", "nm", file).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(symbols, []byte("graphgen/runtime/engine.(*Run)")) {
			t.Fatalf("%s has no symbols", p.name)
		}
		for _, unused := range p.lacks {
			if bytes.Contains(symbols, []byte(unused)) {
				t.Errorf("%s links %s", p.name, unused)
			}
		}
	}
}

// lacking matches a part of a symbol of this project: a package, and a type, with a method or not.
var lacking = regexp.MustCompile(`^(?:graphgen/)?([\w/]+?)(?:\.\(?\*?(\w+)\)?(?:\.(\w*))?)?$`)

// TestListedSymbolsExist holds that the sources declare what programs must lack: a symbol that was renamed is in no program.
func TestListedSymbolsExist(t *testing.T) {
	for _, symbol := range slices.Concat(mutations, outer, waiting, talking, others[1:]) {
		name := lacking.FindStringSubmatch(symbol)
		if name == nil {
			t.Errorf("%s is not a symbol", symbol)
			continue
		}
		dir := filepath.Join("..", "..", map[string]string{"engine": "runtime/engine", "pipeline": "runtime/pipeline", "graphgen": "."}[name[1]])
		if strings.Contains(name[1], "/") {
			dir = filepath.Join("..", "..", name[1])
		}
		declaration := "type " + name[2]
		switch {
		case name[2] == "":
			declaration = "package"
		case name[3] != "":
			declaration = `func \(\w* ?\*?` + name[2] + `\) ` + name[3]
		}
		declared := regexp.MustCompile(`(?m)^` + declaration + `\b`)
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && !strings.HasSuffix(file, "_test.go") && declared.Match(text)
		}) {
			t.Errorf("no source declares %s", symbol)
		}
	}
}
