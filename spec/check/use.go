package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// sizes are those of the machines that Go programs mostly run on.
var sizes = types.SizesFor("gc", "amd64")

// calls looks at conversions and at functions that are not called.
func (r *reading) calls() *flaw {
	functions := map[ast.Expr]bool{}
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || r.found != nil {
			return false
		}
		if call, ok := e.(*ast.CallExpr); ok {
			for f := call.Fun; ; f = f.(*ast.ParenExpr).X {
				functions[f] = true
				if _, ok := f.(*ast.ParenExpr); !ok {
					break
				}
			}
			r.conversion(call)
		}
		if sel, ok := e.(*ast.SelectorExpr); ok {
			functions[sel.Sel] = true
		}
		_, function := r.typeOf(e).(*types.Signature)
		if (function || r.cond.info.Types[e].IsBuiltin()) && !functions[e] {
			r.found = span("GG071", e, "a condition cannot hold a function", "call it")
		}
		return true
	})
	return r.found
}

// conversion refuses the one that makes a character of a number, which nobody means.
func (r *reading) conversion(call *ast.CallExpr) {
	if !r.cond.info.Types[call.Fun].IsType() || len(call.Args) != 1 {
		return
	}
	from, to := r.typeOf(call.Args[0]), r.typeOf(call.Fun)
	if !basic(to, types.IsString) || !basic(from, types.IsInteger) {
		return
	}
	help := "compare the number itself"
	switch t := from.(type) {
	case *types.Named:
		help = "write " + r.text(call.Args[0]) + ".String()"
	case *types.Basic:
		if k := t.Kind(); k == types.Byte || k == types.Rune || k == types.UntypedRune {
			return
		}
	}
	r.found = span("GG074", call, quoted(r.text(call))+" makes a character of a number", help)
}

// comparisons refuses those of which Go may find out only when they run that the values
// cannot be compared, and those of a duration with a bare number, which nobody means.
func (r *reading) comparisons() *flaw {
	var found *flaw
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || found != nil || mirrored[b.Op] == token.ILLEGAL {
			return found == nil
		}
		for _, e := range []ast.Expr{b.X, b.Y} {
			if lit, ok := ast.Unparen(e).(*ast.BasicLit); ok && r.typeOf(e) == stubType("time", "Duration") && lit.Value != "0" {
				found = span("GG074", e, "a duration is counted in nanoseconds: "+lit.Value+" of them", "write the unit, as in "+lit.Value+"*time.Second")
				return false
			}
			t := r.scope.origin[r.typeOf(e)]
			if t != nil && t.Kind == resolve.Union && r.typeOf(b.X) == r.typeOf(b.Y) {
				found = span("GG074", b, quoted(r.text(b))+" compares unions, whose variants may be such that Go cannot", "see whether it is nil, or "+decideInHandler)
			}
		}
		return found == nil
	})
	return found
}

// truth wants a value that is true or false, and not always the same.
func (r *reading) truth() *flaw {
	tree := r.cond.tree
	tv := r.cond.info.Types[tree]
	if tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
		r.cond.unsure = true
		return nil
	}
	if !tv.IsValue() || !basic(tv.Type, types.IsBoolean) {
		if !tv.IsValue() {
			return &flaw{code: "GG075", message: "the condition is no value", help: "write something that is true or false"}
		}
		return &flaw{code: "GG075", message: "the condition is " + article(r.word(tv.Type)) + ", not a bool", help: r.truthHelp(tv.Type)}
	}
	return r.constants(tree)
}

func (r *reading) truthHelp(t types.Type) string {
	text := r.text(r.cond.tree)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if basic(u.Elem(), types.IsBoolean) {
			return "it may be absent: write " + text + " != nil && *" + text
		}
		return "compare it, as in " + text + " != nil"
	case *types.Slice, *types.Map:
		return "compare its length, as in len(" + text + ") > 0"
	case *types.Interface:
		return "compare it, as in " + text + " != nil"
	case *types.Basic:
		if origin := r.scope.origin[t]; origin != nil && len(origin.Values) > 0 {
			return "compare it, as in " + text + " == " + origin.Constant(origin.Values[0])
		}
		if u.Info()&types.IsString != 0 {
			return "compare it, as in " + text + ` != ""`
		}
		if u.Info()&types.IsNumeric != 0 {
			return "compare it, as in " + text + " > 0"
		}
	}
	return "compare it with something"
}

// constants finds what is true or false whatever the values are: of the condition and of
// what &&, || and ! join. A constant elsewhere, as in out.Done == true, is a value to
// compare with.
func (r *reading) constants(tree ast.Expr) *flaw {
	parts := []ast.Expr{tree}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				parts = append(parts, n.X, n.Y)
			}
		case *ast.UnaryExpr:
			parts = append(parts, n.X)
		}
		return true
	})
	for _, e := range parts {
		tv := r.cond.info.Types[e]
		if tv.Value == nil || !basic(tv.Type, types.IsBoolean) {
			continue
		}
		if e == tree {
			return r.always(tv.Value.String())
		}
		return span("GG076", e, "this part of the condition is always "+tv.Value.String(), "leave it out")
	}
	if value := alwaysSame(r.scope, r.cond); value != "" {
		return r.always(value)
	}
	return nil
}

func (r *reading) always(value string) *flaw {
	help := "an edge without if: is always taken"
	switch {
	case r.cond.eval:
		help = "mend it, or remove the eval"
	case r.cond.ends() && value == "true":
		help = "the body runs once: mend it, or do without the loop"
	case r.cond.ends():
		help = "no value makes it true: to run the body a number of times, count them, as in until: res.Iterations >= 3"
	case value == "false":
		help = "no value makes it true: mend it, or remove the edge"
	}
	return &flaw{code: "GG076", message: "the condition is always " + value, help: help}
}

// repeats finds operands of && and || that stand there twice.
func (r *reading) repeats() *flaw {
	var found *flaw
	inside := map[ast.Expr]bool{}
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || found != nil || inside[b] || b.Op != token.LAND && b.Op != token.LOR {
			return found == nil
		}
		seen := map[string]bool{}
		for _, operand := range operands(b, b.Op, inside) {
			text := expr.Key(operand)
			if seen[text] {
				found = span("GG076", operand, quoted(r.text(operand))+" stands here twice", "remove one of them, or mend it")
				return false
			}
			seen[text] = true
		}
		return true
	})
	return found
}

// operands are the parts that one operator joins, in written order. It notes the
// expressions it took apart.
func operands(e ast.Expr, op token.Token, apart map[ast.Expr]bool) []ast.Expr {
	var out []ast.Expr
	todo := []ast.Expr{e}
	for len(todo) > 0 {
		e := ast.Unparen(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if b, ok := e.(*ast.BinaryExpr); ok && b.Op == op {
			apart[b] = true
			todo = append(todo, b.Y, b.X)
			continue
		}
		out = append(out, e)
	}
	return out
}

// shifts finds those that shift every bit out.
func (r *reading) shifts() *flaw {
	var found *flaw
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || found != nil || b.Op != token.SHL && b.Op != token.SHR {
			return found == nil
		}
		x, by := r.cond.info.Types[b.X], r.cond.info.Types[b.Y].Value
		if by == nil || x.Value != nil || !basic(x.Type, types.IsInteger) || basic(x.Type, types.IsUntyped) {
			return true
		}
		if n, ok := constant.Int64Val(constant.ToInt(by)); !ok || n >= 8*sizes.Sizeof(x.Type) {
			found = span("GG074", b, quoted(r.text(b))+" shifts every bit out", "shift by less")
		}
		return true
	})
	return found
}

// layouts finds those of times that go vet takes for a mistake: 2006-02-01 is of no country.
func (r *reading) layouts() *flaw {
	const wrong, right = "2006-02-01", "2006-01-02"
	var found *flaw
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found != nil {
			return found == nil
		}
		f, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || f.Sel.Name != "Format" || r.typeOf(f.X) != stubType("time", "Time") || len(call.Args) != 1 {
			return true
		}
		if layout := r.cond.info.Types[call.Args[0]].Value; layout != nil && strings.Contains(constant.StringVal(layout), wrong) {
			found = span("GG300", call.Args[0], "the layout "+wrong+" has the day before the month", "write "+right)
		}
		return found == nil
	})
	return found
}

// unkeyed finds structs of other packages whose fields are not named: go vet asks for the names.
func (r *reading) unkeyed() *flaw {
	var found *flaw
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || found != nil || len(lit.Elts) == 0 {
			return found == nil
		}
		if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); keyed {
			return true
		}
		if t := r.scope.origin[r.typeOf(lit)]; t != nil && t.Kind == resolve.Struct && t.Import != "" {
			found = span("GG300", lit, quoted(r.text(lit))+" does not name the fields of "+t.String()+", a struct of another package",
				"name them, as in "+t.Go()+"{"+t.Fields[0].GoName+": …}")
		}
		return found == nil
	})
	return found
}

func (r *reading) typeOf(e ast.Expr) types.Type { return r.cond.info.Types[e].Type }

// text is the expression as the author wrote it.
func (r *reading) text(e ast.Node) string { return r.cond.text()[e.Pos()-1 : e.End()-1] }

// basic reports whether a type's underlying one is a basic type of that property.
func basic(t types.Type, property types.BasicInfo) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&property != 0
}
