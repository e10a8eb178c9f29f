package differential

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// An environment is what a condition can see.
type environment struct {
	out   any // the output: map[string]any by Go name, or a plain value
	state map[string]any
	res   map[string]any
	enums map[string]int
}

// An enumValue is an enum's value with the names of all values, for String.
type enumValue struct {
	number int
	names  []string
}

// condition evaluates a condition of the spec: a Go expression. It panics where Go would.
func (v *environment) condition(text string) bool { return v.value(text).(bool) }

// value evaluates a Go expression of the spec. It panics where Go would.
func (v *environment) value(text string) any {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(badCondition(text))
	}
	return v.eval(e)
}

// badCondition is an expression this evaluator does not know; it is never taken for the
// panic of an expression.
type badCondition string

func (v *environment) eval(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return v.eval(e.X)
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident:
		return v.ident(e.Name)
	case *ast.SelectorExpr:
		return v.eval(e.X).(map[string]any)[e.Sel.Name]
	case *ast.StarExpr:
		p := v.eval(e.X)
		if p == nil {
			panic("nil pointer")
		}
		return p
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return -v.eval(e.X).(int)
		}
		return !v.eval(e.X).(bool)
	case *ast.CompositeLit:
		return v.composite(e)
	case *ast.SliceExpr:
		return v.slice(e)
	case *ast.IndexExpr:
		return index(v.eval(e.X), v.eval(e.Index))
	case *ast.CallExpr:
		return v.call(e)
	case *ast.BinaryExpr:
		return v.binary(e)
	}
	panic(badCondition(fmt.Sprintf("%T", e)))
}

func literal(e *ast.BasicLit) any {
	switch e.Kind {
	case token.FLOAT:
		f, _ := strconv.ParseFloat(e.Value, 64)
		return f
	case token.INT:
		n, _ := strconv.Atoi(e.Value)
		return n
	case token.STRING:
		s, _ := strconv.Unquote(e.Value)
		return s
	}
	panic(badCondition(e.Value))
}

func (v *environment) ident(name string) any {
	switch name {
	case "out":
		return v.out
	case "state":
		return v.state
	case "res":
		return v.res
	case "nil":
		return nil
	}
	n, ok := v.enums[name]
	if !ok {
		panic(badCondition(name))
	}
	return enumValue{number: n}
}

func index(of, at any) any {
	switch of := of.(type) {
	case []int:
		return of[at.(int)]
	case []string:
		return of[at.(int)]
	case map[string]int:
		return of[at.(string)]
	}
	panic(badCondition("index"))
}

// composite evaluates a list or a map.
func (v *environment) composite(e *ast.CompositeLit) any {
	if _, is := e.Type.(*ast.MapType); is {
		out := map[string]int{}
		for _, x := range e.Elts {
			pair := x.(*ast.KeyValueExpr)
			out[v.eval(pair.Key).(string)] = v.eval(pair.Value).(int)
		}
		return out
	}
	if e.Type.(*ast.ArrayType).Elt.(*ast.Ident).Name == "int" {
		return elements[int](v, e)
	}
	return elements[string](v, e)
}

func elements[T any](v *environment, e *ast.CompositeLit) []T {
	var out []T
	for _, x := range e.Elts {
		out = append(out, v.eval(x).(T))
	}
	return out
}

// slice evaluates a part of a list, from an index on, or of a text.
func (v *environment) slice(e *ast.SliceExpr) any {
	of, low := v.eval(e.X), 0
	if e.Low != nil {
		low = v.eval(e.Low).(int)
	}
	if text, ok := of.(string); ok {
		if e.High != nil {
			return text[low:v.eval(e.High).(int)]
		}
		return text[low:]
	}
	switch of := of.(type) {
	case []int:
		return of[low:]
	case []string:
		return of[low:]
	}
	panic(badCondition("slice"))
}

func (v *environment) call(e *ast.CallExpr) any {
	sel, _ := e.Fun.(*ast.SelectorExpr)
	if sel != nil && sel.Sel.Name == "String" {
		x := v.eval(sel.X).(enumValue)
		if x.number == 0 || x.number > len(x.names) {
			return ""
		}
		return x.names[x.number-1]
	}
	var args []any
	for _, a := range e.Args {
		args = append(args, v.eval(a))
	}
	if sel == nil {
		switch e.Fun.(*ast.Ident).Name {
		case "len":
			return length(args[0])
		case "float64":
			return float64(args[0].(int))
		case "min":
			return min(args[0].(int), args[1].(int))
		}
	} else {
		switch sel.Sel.Name {
		case "HasPrefix":
			return strings.HasPrefix(args[0].(string), args[1].(string))
		case "Contains":
			switch x := args[0].(type) {
			case string:
				return strings.Contains(x, args[1].(string))
			case []int:
				return slices.Contains(x, args[1].(int))
			case []string:
				return slices.Contains(x, args[1].(string))
			}
		}
	}
	panic(badCondition("call"))
}

func length(x any) int {
	switch x := x.(type) {
	case string:
		return len(x)
	case []int:
		return len(x)
	case []string:
		return len(x)
	}
	panic(badCondition("len"))
}

func (v *environment) binary(e *ast.BinaryExpr) any {
	switch e.Op {
	case token.LAND:
		return v.eval(e.X).(bool) && v.eval(e.Y).(bool)
	case token.LOR:
		return v.eval(e.X).(bool) || v.eval(e.Y).(bool)
	}
	x, y := v.eval(e.X), v.eval(e.Y)
	if e.Op == token.EQL || e.Op == token.NEQ {
		return equal(x, y) == (e.Op == token.EQL)
	}
	if f, ok := x.(float64); ok {
		if e.Op == token.QUO {
			return f / float64(y.(int))
		}
		return compare(e.Op, cmp.Compare(f, float64(y.(int))))
	}
	if s, ok := x.(string); ok {
		return s + y.(string)
	}
	a, b := x.(int), y.(int)
	switch e.Op {
	case token.ADD:
		return a + b
	case token.MUL:
		return a * b
	case token.QUO:
		return a / b
	case token.REM:
		return a % b
	}
	return compare(e.Op, cmp.Compare(a, b))
}

func equal(x, y any) bool {
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	if a, ok := x.(enumValue); ok {
		return a.number == y.(enumValue).number
	}
	return x == y
}

func compare(op token.Token, c int) bool {
	switch op {
	case token.GTR:
		return c > 0
	case token.GEQ:
		return c >= 0
	}
	panic(badCondition(op.String()))
}
