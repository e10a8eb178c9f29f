// Package tempmodule writes modules that tests build and delete. They use this module as an
// importer would.
package tempmodule

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const self = "github.com/graphgen/graphgen"

// Internal is the name of a module that may import the internal packages of this project.
const Internal = self + "/temporary"

// A Module is a Go module in a folder that is gone after the test.
type Module struct {
	t   testing.TB
	Dir string
}

// New makes an empty module of a name. root is the folder of this project's go.mod: the
// module requires what that requires, and its packages from there.
func New(t testing.TB, name, root string) *Module {
	t.Helper()
	m := &Module{t: t, Dir: t.TempDir()}
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	WatchRuntime(t, root)
	text := strings.Replace(string(mod), "module "+self, "module "+name, 1)
	m.Write("go.mod", text+"\nrequire "+self+" v0.0.0\n\nreplace "+self+" => "+root+"\n")
	m.Write("go.sum", string(sum))
	return m
}

// Watch makes go test discard the cached result of a test when a file below one of the folders changes.
// It keeps results while the test's binary is the same, and the files and folders that
// the test has opened. It does not see what the go command builds for the test. To
// import what is built does not help, as the linker drops what the test itself does not call.
func Watch(t testing.TB, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Runtime returns the folders of the packages that generated code may link, without the package of the root itself. root is the
// folder of this project's go.mod.
func Runtime(t testing.TB, root string) []string {
	t.Helper()
	folders := []string{"chat", "hooks", "mutation", "prelude", "runtime", "thread"}
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{"cmd", "markdown", "repo", "testing"}, e.Name()) {
			folders = append(folders, "internal/"+e.Name())
		}
	}
	for i, folder := range folders {
		folders[i] = filepath.Join(root, folder)
	}
	return folders
}

// WatchRuntime is Watch for the packages that generated code may link.
func WatchRuntime(t testing.TB, root string) {
	t.Helper()
	Watch(t, Runtime(t, root)...)
	// The go command looks at all that is in a folder which a test reads, but not at folders outside of the module: so a change of
	// README.md keeps results.
	link := filepath.Join(t.TempDir(), "root")
	root, err := filepath.Abs(root)
	if err := errors.Join(err, os.Symlink(root, link)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(link, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		Watch(t, filepath.Join(root, filepath.Base(file)))
	}
}

// Write writes a file of the module.
func (m *Module) Write(name, content string) {
	m.t.Helper()
	path := filepath.Join(m.Dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		m.t.Fatal(err)
	}
}

// Go runs the go command in the module, without the network, and returns its output. As the paths of
// files are trimmed, the build cache has what another module of the same files built.
func (m *Module) Go(args ...string) (string, error) {
	cmd := exec.CommandContext(m.t.Context(), "go", args...)
	cmd.Dir = m.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
