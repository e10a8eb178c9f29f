package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestSharedIsRead holds that no code writes what runs without an extra share.
func TestSharedIsRead(t *testing.T) {
	fset := token.NewFileSet()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var written []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				written = n.Lhs
			case *ast.IncDecStmt:
				written = []ast.Expr{n.X}
			case *ast.CallExpr:
				if shared(n) {
					reads++
				}
			}
			for _, x := range written {
				if shared(root(x)) {
					t.Errorf("%s: it writes a field of what runs share", fset.Position(x.Pos()))
				}
			}
			return true
		})
	}
	if reads < 50 {
		t.Errorf("there are %d reads, so that the test finds nothing", reads)
	}
}

// root returns what an expression selects a field of: of r.more.get().since.usage, that is r.more.get().
func root(x ast.Expr) ast.Expr {
	for {
		s, ok := x.(*ast.SelectorExpr)
		if !ok {
			return x
		}
		x = s.X
	}
}

// shared reports whether an expression is a call of the method get of extras.
func shared(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "get" {
		return false
	}
	of, ok := s.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "more"
}
