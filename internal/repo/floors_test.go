package repo_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// risers are the calls that lead up nonetheless, with the reason.
var risers = map[string]string{
	"durable: end.go calls writer.go": "an append that fails ends its session, which ends the writer",
}

// TestFloors holds that the files of the kernel are in floors: a function calls none of a file that comes earlier in the table of its package,
// in ARCHITECTURE.md. A file with two subjects, or a method in the file of another owner, shows as a call that leads up.
func TestFloors(t *testing.T) {
	tables := floorTables(t)
	var patterns []string
	for folder := range tables {
		patterns = append(patterns, "./runtime/"+folder)
	}
	if len(tables) != 3 {
		t.Fatalf("ARCHITECTURE.md has tables of floors for %q, want engine, pipeline and durable", patterns)
	}
	exports := exportsOf(t, patterns)
	var found []string
	for folder, order := range tables {
		files, calls := callsOf(t, folder, exports)
		for _, file := range files {
			if !slices.Contains(order, file) {
				t.Errorf("the floors of %s in ARCHITECTURE.md lack %s", folder, file)
			}
		}
		for _, file := range order {
			if !slices.Contains(files, file) {
				t.Errorf("the floors of %s in ARCHITECTURE.md have %s, which does not exist", folder, file)
			}
		}
		for c, name := range calls {
			if slices.Index(order, c.from) <= slices.Index(order, c.to) {
				continue
			}
			call := folder + ": " + c.from + " calls " + c.to
			if found = append(found, call); risers[call] == "" {
				t.Errorf("%s, %s, which comes before it: move what calls, or what is called, to the file of its owner", call, name)
			}
		}
	}
	for call := range risers {
		if !slices.Contains(found, call) {
			t.Errorf("%s: it does not any more", call)
		}
	}
}

var (
	floorsHead = regexp.MustCompile(`^\| floor of (\w+) \|`)
	floorsRow  = regexp.MustCompile(`^\| [\w ]+ \| ([\w, ]+) \|`)
)

// floorTables reads the tables of floors: by the folder of a package its files, the ones that call others first.
func floorTables(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	tables, folder := map[string][]string{}, ""
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if head := floorsHead.FindStringSubmatch(line); head != nil {
			folder = head[1]
			continue
		}
		if !strings.HasPrefix(line, "|") {
			folder = ""
		}
		if row := floorsRow.FindStringSubmatch(line); row != nil && folder != "" {
			for name := range strings.SplitSeq(row[1], ", ") {
				tables[folder] = append(tables[folder], name+".go")
			}
		}
	}
	return tables
}

// exportsOf returns the files with the export data of packages and of all that they import, by import path.
func exportsOf(t *testing.T, patterns []string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
}

// A callBetween is that a function of one file calls one of another.
type callBetween struct{ from, to string }

// callsOf returns the files of a package of the kernel, and the calls between them, each with the name of a function that is called. A call of an
// interface is none: it does not say what is called.
func callsOf(t *testing.T, folder string, exports map[string]string) (names []string, calls map[callBetween]string) {
	t.Helper()
	paths, err := filepath.Glob("runtime/" + folder + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files, names = append(files, file), append(names, filepath.Base(path))
	}
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: imports}).Check(module+"/runtime/"+folder, set, files, &info)
	if err != nil {
		t.Fatal(err)
	}
	calls = map[callBetween]string{}
	for i, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := info.Uses[called(call.Fun)].(*types.Func)
			if !ok || f.Pkg() != pkg {
				return true
			}
			if r := f.Signature().Recv(); r != nil && types.IsInterface(r.Type()) {
				return true
			}
			if at := filepath.Base(set.Position(f.Origin().Pos()).Filename); at != names[i] {
				calls[callBetween{names[i], at}] = f.Name()
			}
			return true
		})
	}
	return names, calls
}

// called returns the name by which a call names its function, nil if it is of no name.
func called(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr: // with its type arguments
		return called(fun.X)
	case *ast.IndexListExpr:
		return called(fun.X)
	}
	return nil
}
