package expr

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Panics reports whether the evaluation of the expression may panic: it divides, indexes, calls a method, a function of a
// package or one of the author, or looks into an optional value that may be nil. One that it has compared with nil before, as in
// x != nil && x.Rank > 1, is not.
func (e *Expr) Panics() bool {
	if e.panics == nil {
		may := e.Tree != nil && e.mayPanic(e.Tree, nil)
		e.panics = &may
	}
	return *e.panics
}

// divides are the operators that panic on some operands.
var divides = map[token.Token]bool{token.QUO: true, token.REM: true, token.SHL: true, token.SHR: true}

// mayPanic is Panics for a part of the expression. The keys of optional values that are not nil there are present.
func (e *Expr) mayPanic(part ast.Expr, present []string) (may bool) {
	ast.Inspect(part, func(n ast.Node) bool {
		if may {
			return false
		}
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.SliceExpr:
			may = true
		case *ast.StarExpr:
			may = !slices.Contains(present, Key(n.X))
		case *ast.SelectorExpr:
			may = e.optional(n.X) && !slices.Contains(present, Key(n.X))
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				may = e.operandPanics(n, present)
				return false
			}
			may = divides[n.Op]
		case *ast.CallExpr:
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.SelectorExpr:
				may = true
			case *ast.Ident:
				may = e.Scope != nil && f.Name == e.Scope.Call
			}
		}
		return true
	})
	return may
}

// operandPanics reports whether an operand of && or || may panic. Each is evaluated where the comparisons before it are true for &&, and
// false for ||.
func (e *Expr) operandPanics(n *ast.BinaryExpr, present []string) bool {
	compared := token.NEQ
	if n.Op == token.LOR {
		compared = token.EQL
	}
	for _, operand := range operands(n, n.Op, map[ast.Expr]bool{}) {
		if e.mayPanic(operand, present) {
			return true
		}
		if b, ok := operand.(*ast.BinaryExpr); ok && b.Op == compared {
			for x, y := range map[ast.Expr]ast.Expr{b.X: b.Y, b.Y: b.X} {
				if isNil(y) {
					present = append(slices.Clip(present), Key(x))
				}
			}
		}
	}
	return false
}

func isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

// optional reports whether a part is a pointer that may be nil. The state is one that never is.
func (e *Expr) optional(part ast.Expr) bool {
	if id, ok := ast.Unparen(part).(*ast.Ident); e.Scope == nil || ok && id.Name == "state" {
		return false
	}
	of := e.Typed().info.Types[part].Type
	if of == nil {
		return false
	}
	_, pointer := of.Underlying().(*types.Pointer)
	return pointer
}
