package expr

import (
	"go/ast"
	"go/token"
	"slices"
)

// StateFields returns the Go names of the fields of the state that an expression reads, and
// whether these are all: it may use the state as a whole.
func StateFields(tree ast.Expr) (names []string, all bool) {
	all = true
	ast.Inspect(tree, func(x ast.Node) bool {
		if sel, ok := StateField(x); ok {
			if !slices.Contains(names, sel.Sel.Name) {
				names = append(names, sel.Sel.Name)
			}
			return false
		}
		if id, ok := x.(*ast.Ident); ok && id.Name == "state" {
			all = false
		}
		return true
	})
	return names, all
}

// StateField reports whether a part of an expression is a field of the state, and returns it.
func StateField(x ast.Node) (*ast.SelectorExpr, bool) {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	return sel, ok && id.Name == "state"
}

// Mentions reports whether an expression uses a name.
func Mentions(tree ast.Expr, name string) bool {
	found := false
	ast.Inspect(tree, func(x ast.Node) bool {
		id, ok := x.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// divides are the operators that panic on some operands.
var divides = map[token.Token]bool{token.QUO: true, token.REM: true, token.SHL: true, token.SHR: true}

// MayPanic reports whether an expression can panic.
func MayPanic(tree ast.Expr) bool {
	panics := false
	ast.Inspect(tree, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr:
			panics = true
		case *ast.BinaryExpr:
			panics = panics || divides[x.Op]
		case *ast.CallExpr:
			_, method := ast.Unparen(x.Fun).(*ast.SelectorExpr)
			panics = panics || method
		}
		return !panics
	})
	return panics
}
