package expr

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A Subject is a value that conditions look at.
type Subject struct {
	Text    string // as it is written
	counted bool   // has a least value of its own: a length
	loose   bool   // an element of a list or map, which may not be there

	Enum      *resolve.Type // of an enum
	first     int           // of an enum: which of its values the first case is, 0 if none
	float     bool          // may be NaN, for which no comparison but != holds
	low, high constant.Value
	Constants []constant.Value

	Cases []constant.Value // nil is NaN
}

type formulaKind uint8

const (
	isConstant formulaKind = iota
	isTest                 // subject op value; without a value the subject itself
	isNot
	isAnd
	isOr
	isSame
)

// A Formula is a condition reduced to its subjects.
type Formula struct {
	kind    formulaKind
	x, y    *Formula
	subject int
	op      token.Token
	value   constant.Value // of a test, or of a constant
}

// subject returns the number of the subject of that text.
func (w *Cases) subject(text string) int {
	if i, ok := w.index[text]; ok {
		return i
	}
	w.index[text] = len(w.Subjects)
	w.Subjects = append(w.Subjects, &Subject{Text: text})
	return len(w.Subjects) - 1
}

// Holds is whether a text holds: a condition that is not reduced further.
func (w *Cases) Holds(text string) *Formula {
	return &Formula{kind: isTest, subject: w.subject(text)}
}

// Compared is the comparison of a value of a type of the spec with a constant.
func (w *Cases) Compared(text string, t *resolve.Type, op token.Token, value constant.Value) *Formula {
	return w.compared(text, w.pkg.typeOf(t), op, value)
}

// compared is the comparison of a subject with a constant.
func (w *Cases) compared(text string, t types.Type, op token.Token, value constant.Value) *Formula {
	i := w.subject(text)
	s := w.Subjects[i]
	b := t.Underlying().(*types.Basic)
	switch {
	case b.Info()&types.IsFloat != 0:
		s.float = true
	case b.Info()&types.IsInteger != 0:
		s.low, s.high = leastAndMost(b)
	}
	s.Enum = w.pkg.origin[t]
	s.Constants = append(s.Constants, value)
	return &Formula{kind: isTest, subject: i, op: op, value: value}
}

// Not, And and Or join conditions.
func Not(f *Formula) *Formula    { return &Formula{kind: isNot, x: f} }
func And(x, y *Formula) *Formula { return &Formula{kind: isAnd, x: x, y: y} }
func Or(x, y *Formula) *Formula  { return &Formula{kind: isOr, x: x, y: y} }
func fixed(value bool) *Formula  { return &Formula{value: constant.MakeBool(value)} }

// leastAndMost are the least and the greatest value of an integer type.
func leastAndMost(b *types.Basic) (low, high constant.Value) {
	bits := uint(8 * sizes.Sizeof(b))
	one := constant.MakeInt64(1)
	if b.Info()&types.IsUnsigned != 0 {
		return constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, bits), token.SUB, one)
	}
	top := constant.Shift(one, token.SHL, bits-1)
	return constant.UnaryOp(token.SUB, top, 0), constant.BinaryOp(top, token.SUB, one)
}

// Of reduces a condition that has been typed without a mistake.
func (w *Cases) Of(t *Typed) *Formula {
	w.info = &t.info
	return w.formula(t.Expr.Tree)
}

// formula reduces an expression that has been typed.
func (w *Cases) formula(e ast.Expr) *Formula {
	e = ast.Unparen(e)
	if v := w.info.Types[e].Value; v != nil && v.Kind() == constant.Bool {
		return fixed(constant.BoolVal(v))
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return Not(w.formula(e.X))
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return And(w.formula(e.X), w.formula(e.Y))
		case token.LOR:
			return Or(w.formula(e.X), w.formula(e.Y))
		}
		return w.comparison(e)
	}
	return w.Holds(Key(e))
}

// mirrored are the comparisons as they read from right to left.
var mirrored = map[token.Token]token.Token{
	token.EQL: token.EQL, token.NEQ: token.NEQ,
	token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
}

func (w *Cases) comparison(e *ast.BinaryExpr) *Formula {
	x, y, op := ast.Unparen(e.X), ast.Unparen(e.Y), e.Op
	if w.info.Types[x].Value != nil {
		x, y, op = y, x, mirrored[op]
	}
	t := w.info.Types[x].Type
	if value := w.info.Types[y].Value; value != nil && basic(t, types.IsOrdered) && !basic(t, types.IsUntyped) {
		return w.measured(x, t, op, value)
	}
	if basic(t, types.IsBoolean) {
		f := &Formula{kind: isSame, x: w.formula(x), y: w.formula(y)}
		if op == token.NEQ {
			return Not(f)
		}
		return f
	}
	return w.related(Key(x), Key(y), op, basic(t, types.IsFloat) || basic(w.info.Types[y].Type, types.IsFloat))
}

// measured compares a value with a constant. What is counted is not negative.
func (w *Cases) measured(x ast.Expr, t types.Type, op token.Token, value constant.Value) *Formula {
	f := w.compared(Key(x), t, op, value)
	s := w.Subjects[f.subject]
	if call, ok := x.(*ast.CallExpr); ok {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
			s.low, s.counted = constant.MakeInt64(0), true
		}
	}
	switch s.Text {
	case "res.Step", "res.Visit":
		s.low, s.counted = constant.MakeInt64(1), true
	case "res.Attempts":
		s.low, s.counted = constant.MakeInt64(0), true
	}
	if s.Enum != nil && !steady(x) {
		s.loose = true
	}
	return f
}

// steady reports whether an expression is a field: an element of a list or map may not be there.
func steady(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return true
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return false
		}
	}
}

// related compares two values. A >= B is !(A < B), unless one may be NaN.
func (w *Cases) related(x, y string, op token.Token, float bool) *Formula {
	switch op {
	case token.EQL, token.NEQ:
		if y == "nil" || x != "nil" && y < x {
			x, y = y, x
		}
		f := w.Holds(x + " == " + y)
		if op == token.NEQ {
			return Not(f)
		}
		return f
	case token.GTR, token.GEQ:
		x, y, op = y, x, mirrored[op]
	}
	if op == token.LEQ && !float {
		return Not(w.Holds(y + " < " + x))
	}
	return w.Holds(x + " " + op.String() + " " + y)
}

// IsNil is the text of the condition that a value is nil.
func IsNil(text string) string { return "nil == " + text }

// IsPath reports whether a text is a field, of a field.
func IsPath(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c != '.' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// Value returns the name of the value that an enum has in a case, empty if none.
func (s *Subject) Value(at int) string {
	if i := s.first + at; i > 0 {
		return s.Enum.Values[i-1].Name
	}
	return ""
}

// Describe returns the words for a subject in a case.
func (s *Subject) Describe(at int) string {
	text, v := s.Text, s.Cases[at]
	switch {
	case v == nil:
		return text + " is NaN"
	case s.Constants == nil:
		if value, ok := strings.CutPrefix(text, IsNil("")); ok {
			if constant.BoolVal(v) {
				return value + " is absent"
			}
			return value + " is there"
		}
		return text + " is " + v.String()
	case s.Enum != nil:
		if name := s.Value(at); name != "" {
			return text + " is " + name
		}
		return text + " is not set"
	case v.Kind() == constant.String && !slices.ContainsFunc(s.Constants, func(c constant.Value) bool { return constant.Compare(c, token.EQL, v) }):
		return text + " is another text"
	}
	return text + " is " + v.String()
}
