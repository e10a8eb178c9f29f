package expr

import (
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"
)

// Text returns an expression as Go code on one line, whatever spaces its author left. Two
// expressions of one text are the same.
func Text(e ast.Expr) string {
	text := types.ExprString(e) // much faster, but it shortens the elements of literals to …
	if strings.Contains(text, "…") {
		return source(e)
	}
	return text
}

func source(e ast.Expr) string {
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return types.ExprString(e)
	}
	return b.String()
}
