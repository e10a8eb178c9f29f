package repo_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"

	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// publicPackages are the packages whose exported names people use. Generated code, which is generated again with each version, uses others.
var publicPackages = []string{
	"", "chat", "chat/record", "chat/scripted", "graph", "hooks", "mutation", "prelude", "thread", "thread/filestore", "thread/seal",
	"contrib/bounded", "contrib/serve", "contrib/slog", "contrib/storetest",
}

const apiFolder = "internal/repo/testdata/api"

// TestAPI holds testdata/api/next.txt, which -update writes: what is exported of the public packages, so that a review sees what changes. Of
// what a release has, in a file of its name, nothing goes before a version that may break: another major one, or below 1.0 another minor one.
func TestAPI(t *testing.T) {
	next := strings.Join(exportedOf(t), "\n") + "\n"
	name := filepath.Join(apiFolder, "next.txt")
	if *update {
		if err := os.WriteFile(name, []byte(next), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(name); err != nil || string(old) != next {
		t.Errorf("%s is not what the packages export: write it with -update (%v)", name, err)
	}
	version, err := os.ReadFile("VERSION")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(apiFolder, "v*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range gone(strings.TrimSuffix(filepath.Base(file), ".txt"), strings.TrimSpace(string(version)), string(text), next) {
			t.Errorf("%s has %s", file, line)
		}
	}
}

// TestGone holds which changes of an API a version may have.
func TestGone(t *testing.T) {
	for _, row := range []struct {
		old, version string
		goes         bool
	}{{"v0.1.0", "v0.1.1", false}, {"v0.1.0", "v0.2.0", true}, {"v1.1.0", "v1.2.0", false}, {"v1.1.0", "v2.0.0", true}} {
		if lost := gone(row.old, row.version, "a\nb\n", "b\nc\n"); (len(lost) == 0) != row.goes {
			t.Errorf("%s after %s loses %v", row.version, row.old, lost)
		}
	}
}

// gone returns the lines of the API of an old version that a version may not be without.
func gone(old, version, before, after string) (lines []string) {
	if semver.Major(old) != semver.Major(version) || semver.Major(old) == "v0" && semver.MajorMinor(old) != semver.MajorMinor(version) {
		return nil
	}
	has := strings.Split(after, "\n")
	for line := range strings.SplitSeq(before, "\n") {
		if !slices.Contains(has, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// exportedOf returns what the public packages export, a line each.
func exportedOf(t *testing.T) (lines []string) {
	t.Helper()
	for _, dir := range publicPackages {
		pkg := cmp.Or(dir, "graphgen")
		fset := token.NewFileSet()
		var files []*ast.File
		names, err := fs.Glob(os.DirFS("."), strings.TrimPrefix(dir+"/*.go", "/"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no files: %v", dir, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		p, err := doc.NewFromFiles(fset, files, "github.com/graphgen/graphgen/"+dir)
		if err != nil {
			t.Fatal(err)
		}
		add := func(node ast.Node) {
			lines = append(lines, fmt.Sprintf("%s: %s", pkg, inOneLine(t, fset, node)))
		}
		values := func(list []*doc.Value) {
			for _, v := range list {
				for _, s := range v.Decl.Specs {
					for _, name := range s.(*ast.ValueSpec).Names {
						if name.IsExported() {
							lines = append(lines, fmt.Sprintf("%s: %s %s", pkg, v.Decl.Tok, name.Name))
						}
					}
				}
			}
		}
		functions := func(list []*doc.Func) {
			for _, f := range list {
				f.Decl.Doc, f.Decl.Body = nil, nil
				add(f.Decl)
			}
		}
		values(p.Consts)
		values(p.Vars)
		functions(p.Funcs)
		for _, typ := range p.Types {
			typ.Decl.Doc = nil
			lines = append(lines, typeLines(t, fset, pkg, typ.Decl.Specs[0].(*ast.TypeSpec))...)
			values(typ.Consts)
			values(typ.Vars)
			functions(typ.Funcs)
			functions(typ.Methods)
		}
	}
	slices.Sort(lines)
	return lines
}

// typeLines returns what a type is, with a line for each exported field of a struct and each method of an interface.
func typeLines(t *testing.T, fset *token.FileSet, pkg string, spec *ast.TypeSpec) (lines []string) {
	var members *ast.FieldList
	head := "type " + spec.Name.Name
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		head, members = head+" struct", typ.Fields
	case *ast.InterfaceType:
		head, members = head+" interface", typ.Methods
	default:
		return []string{pkg + ": type " + inOneLine(t, fset, spec)}
	}
	lines = []string{pkg + ": " + head}
	for _, m := range members.List {
		of := inOneLine(t, fset, m.Type)
		if len(m.Names) == 0 && ast.IsExported(strings.TrimLeft(of[strings.LastIndex(of, ".")+1:], "*")) {
			lines = append(lines, fmt.Sprintf("%s: %s, %s", pkg, head, of))
		}
		for _, name := range m.Names {
			if name.IsExported() {
				lines = append(lines, fmt.Sprintf("%s: %s, %s %s", pkg, head, name.Name, of))
			}
		}
	}
	return lines
}

var spaces = regexp.MustCompile(`\s+`)

// inOneLine prints a declaration without its comments.
func inOneLine(t *testing.T, fset *token.FileSet, node ast.Node) string {
	t.Helper()
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
	var b bytes.Buffer
	if err := printer.Fprint(&b, fset, node); err != nil {
		t.Fatal(err)
	}
	return spaces.ReplaceAllString(b.String(), " ")
}
