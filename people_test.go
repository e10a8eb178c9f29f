package graphgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNamesOfErrors holds that the types of errors have names of one family.
func TestNamesOfErrors(t *testing.T) {
	var found []string
	for _, d := range declarations(t) {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Error" {
			found = append(found, receiver(fn))
		}
	}
	if !slices.Contains(found, "InterruptedError") || !slices.Contains(found, "LimitError") {
		t.Fatalf("the types with a method Error are %v", found)
	}
	for _, name := range found {
		if ast.IsExported(name) && !strings.HasSuffix(name, "Error") {
			t.Errorf("%s is an error, and has no name of one", name)
		}
	}
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	return t.(*ast.Ident).Name
}

// TestNamesOfOptions holds that the functions that return an option have names of one family.
func TestNamesOfOptions(t *testing.T) {
	options := 0
	for _, d := range declarations(t) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Type.Results == nil || !fn.Name.IsExported() {
			continue
		}
		if result, ok := fn.Type.Results.List[0].Type.(*ast.Ident); !ok || !strings.HasSuffix(result.Name, "Option") {
			continue
		}
		if options++; !strings.HasPrefix(fn.Name.Name, "With") && !strings.HasPrefix(fn.Name.Name, "Answer") &&
			fn.Name.Name != "Options" && fn.Name.Name != "Invalid" {
			t.Errorf("%s returns an option, and has no name of one", fn.Name.Name)
		}
	}
	if options < 10 {
		t.Errorf("there are %d options", options)
	}
}

// declarations are those of the package, without those of tests.
func declarations(t *testing.T) (list []ast.Decl) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f.Decls...)
	}
	return list
}
