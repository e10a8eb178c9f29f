package graphrt_test

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
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Error" {
				found = append(found, receiver(fn))
			}
		}
	}
	if !slices.Contains(found, "InterruptedError") || !slices.Contains(found, "BudgetError") {
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
