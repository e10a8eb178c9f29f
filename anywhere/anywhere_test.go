// Package anywhere builds a program around a generated machine for every system that is
// unlike the usual ones, runs it there, and weighs it.
package anywhere

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	_ "github.com/graphgen/graphgen/runtime/codec" // so that a result is not kept when these change
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

const printed = `greet greet greet polish
{"lines":["hello world","hello hello world","hello hello hello world"]}
`

// maxSize is the promise: a stripped program with a machine in it is smaller.
const maxSize = 3_000_000

// build compiles the program, stripped, weighs it and returns its file.
func build(t *testing.T, system, arch string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "greet")
	if _, err := os.ReadFile("greet/main.go"); err != nil { // as above
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./greet")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("GOOS=%s GOARCH=%s: %v\n%s", system, arch, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s/%s: %d bytes", system, arch, info.Size())
	if info.Size() >= maxSize {
		t.Errorf("%s/%s: %d bytes, the promise is under %d", system, arch, info.Size(), maxSize)
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

func TestAMachineRunsUnderWASI(t *testing.T) {
	program, err := os.ReadFile(build(t, "wasip1", "wasm"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out, trouble bytes.Buffer
	config := wazero.NewModuleConfig().WithStdout(&out).WithStderr(&trouble).WithArgs("greet").
		WithSysNanotime().WithSysWalltime().WithRandSource(rand.Reader)
	if _, err := r.InstantiateWithConfig(ctx, program, config); err != nil {
		t.Fatalf("%v\n%s", err, trouble.String())
	}
	if out.String() != printed {
		t.Errorf("got\n%swant\n%s", out.String(), printed)
	}
}

// TestAMachineRunsUnderJavaScript needs node for the run. Where there is none, the
// program is only built.
func TestAMachineRunsUnderJavaScript(t *testing.T) {
	file := build(t, "js", "wasm")
	if _, err := exec.LookPath("node"); err != nil {
		t.Log("there is no node on this machine: built, not run")
		return
	}
	if out := node(t, file); out != printed {
		t.Errorf("got\n%swant\n%s", out, printed)
	}
}

func TestAMachineRunsHere(t *testing.T) {
	out, err := exec.Command(build(t, runtime.GOOS, runtime.GOARCH)).CombinedOutput()
	if err != nil || string(out) != printed {
		t.Errorf("got %v\n%swant\n%s", err, out, printed)
	}
}
