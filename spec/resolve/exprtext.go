package resolve

import (
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"
)

// ExprText returns an expression as gofmt writes it, whatever spaces its author left. Two
// expressions of one text are the same.
func ExprText(e ast.Expr) string {
	text := types.ExprString(e) // much faster, but it shortens the elements of literals to …
	if !strings.Contains(text, "…") {
		return text
	}
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return text
	}
	return b.String()
}
