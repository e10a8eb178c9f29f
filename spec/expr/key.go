package expr

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strconv"
)

// Key returns a text that is equal for expressions of the same parts, whatever their spaces, their
// parentheses and the spelling of their literals.
func Key(e ast.Expr) string { return Text(plain(e)) }

// plain returns an expression without the parentheses that it does not need, and with each
// literal in one spelling. It shares no node that it changes.
func plain(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return plain(e.X)
	case *ast.BasicLit:
		return &ast.BasicLit{Kind: e.Kind, Value: spelling(e)}
	case *ast.BinaryExpr:
		prec := e.Op.Precedence()
		return &ast.BinaryExpr{X: tighter(plain(e.X), prec), Op: e.Op, Y: tighter(plain(e.Y), prec+1)}
	case *ast.UnaryExpr:
		return &ast.UnaryExpr{Op: e.Op, X: tighter(plain(e.X), token.UnaryPrec)}
	case *ast.StarExpr:
		return &ast.StarExpr{X: tighter(plain(e.X), token.UnaryPrec)}
	case *ast.SelectorExpr:
		return &ast.SelectorExpr{X: operand(e.X), Sel: e.Sel}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: operand(e.X), Index: plain(e.Index)}
	case *ast.SliceExpr:
		return &ast.SliceExpr{X: operand(e.X), Low: plainOrNil(e.Low), High: plainOrNil(e.High), Max: plainOrNil(e.Max), Slice3: e.Slice3}
	case *ast.TypeAssertExpr:
		return &ast.TypeAssertExpr{X: operand(e.X), Type: plainOrNil(e.Type)}
	case *ast.CallExpr:
		return &ast.CallExpr{Fun: operand(e.Fun), Args: plainAll(e.Args), Ellipsis: e.Ellipsis}
	case *ast.CompositeLit:
		return &ast.CompositeLit{Type: e.Type, Elts: plainAll(e.Elts)}
	case *ast.KeyValueExpr:
		return &ast.KeyValueExpr{Key: plain(e.Key), Value: plain(e.Value)}
	}
	return e
}

func plainOrNil(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	return plain(e)
}

func plainAll(list []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(list))
	for i, e := range list {
		out[i] = plain(e)
	}
	return out
}

// operand returns what is before a selector, an index or arguments.
func operand(e ast.Expr) ast.Expr { return tighter(plain(e), token.HighestPrec) }

// tighter puts an operand into parentheses that binds less than the expression around it.
func tighter(e ast.Expr, than int) ast.Expr {
	prec := token.HighestPrec
	switch e := e.(type) {
	case *ast.BinaryExpr:
		prec = e.Op.Precedence()
	case *ast.UnaryExpr, *ast.StarExpr:
		prec = token.UnaryPrec
	case *ast.FuncType, *ast.ChanType:
		prec = token.LowestPrec
	}
	if prec < than {
		return &ast.ParenExpr{X: e}
	}
	return e
}

// spelling is how a literal of that value is written, in one of the ways that there are.
func spelling(lit *ast.BasicLit) string {
	switch lit.Kind {
	case token.STRING:
		if text, err := strconv.Unquote(lit.Value); err == nil {
			return strconv.Quote(text)
		}
	case token.CHAR:
		if c, _, _, err := strconv.UnquoteChar(lit.Value[1:len(lit.Value)-1], '\''); err == nil {
			return strconv.QuoteRune(c)
		}
	case token.INT:
		if v := constant.MakeFromLiteral(lit.Value, lit.Kind, 0); v.Kind() == constant.Int {
			return v.ExactString()
		}
	case token.FLOAT:
		if v := constant.MakeFromLiteral(lit.Value, lit.Kind, 0); v.Kind() == constant.Float {
			return "float " + v.ExactString() // not what an int of the same value is
		}
	}
	return lit.Value
}
