// Package graphgen_test holds what is true of the repository as a whole: which package may
// import which, and what programs that link generated code must never contain.
package repo_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

const module = "github.com/graphgen/graphgen"

type layer struct {
	folder  string
	imports []string
}

// kernel are the packages that programs with machines link: package graphgen, what people import beside it, what generated code calls,
// and what these share.
var kernel = []string{".", "chat", "hooks", "mutation", "prelude", "runtime", "thread", "internal"}

// linked are the same, as patterns of the go command; what they share is linked with them.
var linked = []string{".", "./chat/...", "./hooks", "./mutation", "./prelude", "./runtime/...", "./thread/..."}

// layers lists what the packages of a folder may import of this module, besides their own
// folder. The first row that fits a package applies. The kernel imports nothing, and
// generation names it by its import path only.
var layers = []layer{
	{"spec", nil},
	// Programs draw the same tables, give the same versions, and serve by the same routes.
	{"gen", []string{"spec", "internal/flowchart", "internal/prompttext", "internal/api", "internal/runview"}},
	{"graph", nil}, // the markers of graphs that are written in Go
	{"scenario", with("spec", "gen")},
	{"cmd/threads", with("cmd/internal", "spec")}, // which reads stores as programs do
	{"cmd", []string{"spec", "gen", "scenario", "thread", "internal/api", "internal/runevents", "internal/studio"}}, // check -store reads threads
	{"golden/mcptagged", with("graph")},
	{"golden/skillgroupstagged", with("graph", "golden/skillgroups")}, // whose types it shares
	{"golden/humantagged", with("graph")},
	{"golden", kernel},
	{"internal/testing/faultinject", kernel}, // linked with generated machines
	{"internal/testing/mortal", kernel},
	{"internal/testing/transacts", with("golden", "internal/testing/mortal")}, // linked with the tests of stores
	{"internal/testing/foreignstore", with("golden")},                         // likewise
	{"internal/testing/dynamictools", with("golden")},
	{"internal/testing/scriptdriver", with("internal/testing/mortal")},
	{"internal/testing/optiontable", kernel}, // a generated machine
	{"internal/testing/kill9", with("golden", "internal/testing/transacts")},
	{"internal/testing/killserve", with("contrib/serve", "golden", "internal/testing/tier")},
	{"internal/testing/marker", kernel},
	{"internal/testing/taping", kernel},
	{"internal/testing/committed", []string{"gen/plan", "spec"}},
	{"internal/testing/standard", with("internal/testing/tier")},
	{"internal/testing/suite", []string{"internal/testing/tempmodule", "scenario", "spec"}},
	{"internal/cmd", []string{"spec", "internal/testing"}}, // what the Makefile calls
	{"internal/testing", []string{"spec"}},                 // shared by tests
	{"internal", kernel},
	{"chat", kernel}, {"hooks", kernel}, {"mutation", kernel}, {"prelude", kernel}, {"runtime", kernel}, {"thread", kernel},
	{"contrib/otel/oteltest", with("contrib/bounded", "contrib/otel", "contrib/slog")},              // for tests, which look into logs too
	{"contrib/threads", with("cmd/threads", "contrib/postgres", "contrib/redis", "contrib/sqlite")}, // a command
	{"contrib/river", with("contrib/postgres")},                                                     // a queue over the store
	{"contrib", kernel}, // modules of their own, and what they share; nothing else imports them
	{".", kernel},
}

// with returns the kernel and other folders.
func with(folders ...string) []string { return slices.Concat(kernel, folders) }

// dependencies says which packages may import the libraries outside of the standard one.
// What only tests use is no dependency of anybody's program.
var dependencies = []struct {
	library  string
	packages []string
	oneFile  bool // in each of them
}{
	{library: "github.com/dave/jennifer", packages: []string{"gen/golang"}},
	{library: "go.yaml.in/yaml/v3", packages: []string{"spec/yamlread"}, oneFile: true},
	{library: "golang.org/x/mod", packages: []string{"cmd/graphgen", "internal/cmd/release"}},
	{library: "github.com/alecthomas/kong", packages: []string{"cmd/graphgen", "cmd/threads"}},
	{library: "github.com/fsnotify/fsnotify", packages: []string{"cmd/graphgen"}, oneFile: true},
	{library: "github.com/go-json-experiment/json", packages: with("scenario", "golden", "internal/testing/standard")},
	{library: "github.com/rogpeppe/go-internal", packages: []string{"internal/cmd/compare"}, oneFile: true},
}

// reflective are the packages that are reflection, or bring it in.
var reflective = []string{
	"reflect", "fmt", "encoding/json", "encoding/hex", "log", "log/slog", "text/template", "html/template",
	"net/http", "runtime/debug",
}

type listed struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

// short returns the package's path inside the module.
func (p *listed) short() string { return short(p.ImportPath) }

// short returns the path of a package inside the module, . of package graphgen.
func short(path string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), ".")
}

// list runs go list -json. It walks the module first: go test takes a result from its
// cache while the folders that a test opened are unchanged, and does not see what go list
// opens.
func list(t *testing.T, args ...string) []listed {
	t.Helper()
	if err := filepath.WalkDir(".", func(string, fs.DirEntry, error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Imports"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go list %v: %v\n%s", args, err, &stderr)
	}
	var packages []listed
	for dec := json.NewDecoder(&stdout); ; {
		var p listed
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// within reports whether a package is in one of the folders. The folder internal is what the kernel shares: it does not stand for the commands
// and the tests that are in it too.
func within(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return path == f || strings.HasPrefix(path, f+"/") && (f != "internal" || !within(path, "internal/cmd", "internal/repo", "internal/testing"))
	})
}

// contrib are the packages of the modules under contrib, which go.work joins to this one.
const contrib = module + "/contrib/..."

func TestImportsPointOneWay(t *testing.T) {
	packages := list(t, "./...", contrib)
	for _, l := range layers {
		if !slices.ContainsFunc(packages, func(p listed) bool { return within(p.short(), l.folder) }) {
			t.Errorf("there is no package of the layer %s", l.folder)
		}
	}
	for _, p := range packages {
		if len(p.GoFiles) == 0 { // tests alone
			continue
		}
		at := slices.IndexFunc(layers, func(l layer) bool { return within(p.short(), l.folder) })
		if at < 0 {
			t.Errorf("%s has no row in layers", p.ImportPath)
			continue
		}
		own := layers[at].folder
		imports := layers[at].imports
		if own == "contrib" { // each of them by itself, but for what is shared
			first, _, _ := strings.Cut(strings.TrimPrefix(p.short(), "contrib/"), "/")
			own += "/" + first
			imports = append([]string{"contrib/bounded"}, imports...)
		}
		for _, path := range p.Imports {
			if imported := short(path); within(path, module) && !within(imported, append([]string{own}, imports...)...) {
				t.Errorf("%s imports %s", p.short(), imported)
			}
		}
	}
}

func TestDependencies(t *testing.T) {
	for _, p := range list(t, "./...") {
		for _, path := range p.Imports {
			first, _, _ := strings.Cut(path, "/")
			if !strings.Contains(first, ".") || within(path, module) {
				continue
			}
			allowed := false
			for _, d := range dependencies {
				if within(path, d.library) && within(p.short(), d.packages...) {
					allowed = true
				}
			}
			if !allowed {
				t.Errorf("%s imports %s", p.short(), path)
			}
		}
		for _, d := range dependencies {
			if files := filesImporting(t, &p, d.library); d.oneFile && within(p.short(), d.packages...) && len(files) > 1 {
				t.Errorf("%s: %s belongs into one file, and is imported by %v", p.short(), d.library, files)
			}
		}
	}
}

// filesImporting returns the files of a package that import a library.
func filesImporting(t *testing.T, p *listed, library string) (files []string) {
	t.Helper()
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if within(strings.Trim(i.Path.Value, `"`), library) {
				files = append(files, name)
			}
		}
	}
	return files
}

// Generated code and all it links against is free of reflection: the kernel in all its
// packages, and machines, among which some ask models.
func TestProgramsWithoutReflection(t *testing.T) {
	for _, row := range []struct{ roots, among []string }{
		{linked, []string{".", "runtime/codec", "runtime/pipeline", "chat", "internal/extract", "chat/record", "chat/scripted", "thread"}},
		{[]string{"./golden/..."}, []string{".", "runtime/codec", "runtime/pipeline", "chat"}},
	} {
		args := []string{"-deps"}
		for _, p := range list(t, row.roots...) {
			args = append(args, p.ImportPath)
		}
		packages := list(t, args...)
		for _, path := range row.among {
			if !slices.ContainsFunc(packages, func(p listed) bool { return p.short() == path }) {
				t.Errorf("%s: %s is not among what is linked", row.roots, path)
			}
		}
		for _, p := range packages {
			if !slices.Contains(reflective, p.ImportPath) {
				continue
			}
			var by []string
			for _, other := range packages {
				if slices.Contains(other.Imports, p.ImportPath) {
					by = append(by, other.ImportPath)
				}
			}
			t.Errorf("%s: %s is linked, by %s", row.roots, p.ImportPath, strings.Join(by, ", "))
		}
	}
}

// TestWebAssembly builds the kernel for both systems, the tier short for one. The tier full builds the golden machines for one: generated
// code has no files for a system.
func TestWebAssembly(t *testing.T) {
	const machines = "./golden/..."
	for system, packages := range tier.Pick(
		map[string][]string{"wasip1": linked},
		map[string][]string{"wasip1": linked, "js": linked},
		map[string][]string{"wasip1": append([]string{machines}, linked...), "js": linked},
	) {
		cmd := exec.Command("go", append([]string{"build"}, packages...)...)
		cmd.Env = append(cmd.Environ(), "GOOS="+system, "GOARCH=wasm")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("GOOS=%s: %v\n%s", system, err, out)
		}
	}
}

// TestKernelModules holds that a machine adds no module to its program but the one that generated codecs need.
func TestKernelModules(t *testing.T) {
	for _, p := range list(t, "-deps", ".", "./runtime/engine") {
		first, _, _ := strings.Cut(p.ImportPath, "/")
		if strings.Contains(first, ".") && !within(p.ImportPath, module, "github.com/go-json-experiment/json") {
			t.Errorf("package graphgen needs %s", p.ImportPath)
		}
	}
}

// TestTheKernelNeeds64Bits holds that a target whose ints have 32 bits is refused, and in words:
// an int of a spec has 64 bits.
func TestTheKernelNeeds64Bits(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other processors")
	}
	list(t, ".", "./runtime/codec")
	run := func(arch string, args ...string) (string, error) {
		cmd := exec.Command("go", args...)
		cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH="+arch)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for arch, narrow := range map[string]bool{"386": true, "arm": true, "mips": true, "mipsle": true, "amd64": false,
		"arm64": false, "riscv64": false, "mips64": false} {
		files, err := run(arch, "list", "-f", "{{.GoFiles}}", ".", "./runtime/codec")
		if refused := strings.Count(files, "wordsize.go") == 2; err != nil || refused != narrow {
			t.Errorf("GOARCH=%s: %v, the kernel and its codecs are made of\n%s", arch, err, files)
		}
	}
	const message = "undefined: graphgen_needs_a_GOARCH_of_64_bits"
	for _, pkg := range []string{".", "./runtime/codec"} {
		out, err := run("386", "build", pkg)
		if err == nil || strings.Count(out, "\n") != 2 || !strings.Contains(out, message) {
			t.Errorf("GOARCH=386, %s: %v\n%s\nwant one error, %s", pkg, err, out, message)
		}
	}
}

// emptyBlock matches a branch of generated code without a statement.
var emptyBlock = regexp.MustCompile(`(?m)(?:else|if .*) \{\n\s*\}$`)

// TestNoEmptyBlocks holds that no generated code has a branch that does nothing.
func TestNoEmptyBlocks(t *testing.T) {
	files, err := filepath.Glob("golden/*/*_graph.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if block := emptyBlock.FindString(read(t, file)); block != "" {
			t.Errorf("%s: %s", file, block)
		}
	}
}
