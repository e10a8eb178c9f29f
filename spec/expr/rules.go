package expr

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
)

// sizes are the sizes of the machines that Go programs mostly run on.
var sizes = types.SizesFor("gc", "amd64")

// calls looks at conversions and at functions that are not called.
func (t *typing) calls() {
	functions := map[ast.Expr]bool{}
	t.find(func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return false
		}
		switch e := e.(type) {
		case *ast.CallExpr:
			functions[e.Fun], functions[ast.Unparen(e.Fun)] = true, true
			t.conversion(e)
		case *ast.ParenExpr:
			functions[e.X] = functions[e]
		case *ast.SelectorExpr:
			functions[e.Sel] = true
		}
		_, function := t.typeOf(e).(*types.Signature)
		if (function || t.info.Types[e].IsBuiltin()) && !functions[e] {
			t.mistake(Forbidden, e, t.cannot("hold a function"), "call it")
		}
		return true
	})
}

// conversion refuses the one that makes a character of a number, which is never meant.
func (t *typing) conversion(call *ast.CallExpr) {
	if !t.info.Types[call.Fun].IsType() || len(call.Args) != 1 {
		return
	}
	from, to := t.typeOf(call.Args[0]), t.typeOf(call.Fun)
	if !basic(to, types.IsString) || !basic(from, types.IsInteger) {
		return
	}
	help := "compare the number itself"
	if !t.scope.Role.Decides {
		help = "a handler can write a number as a text"
	}
	switch from := from.(type) {
	case *types.Named:
		help = "write " + t.text(call.Args[0]) + ".String()"
	case *types.Basic:
		if k := from.Kind(); k == types.Byte || k == types.Rune || k == types.UntypedRune {
			return
		}
	}
	t.mistake(Mismatch, call, quoted(t.text(call))+" makes a character of a number", help)
}

// comparisons refuses comparisons of values that Go may find incomparable when they run.
func (t *typing) comparisons() {
	unions := func(at ast.Expr) {
		t.mistake(Mismatch, at, quoted(t.text(at))+" compares unions, whose variants may be such that Go cannot",
			"see whether a union is nil, or "+t.scope.Role.Instead)
	}
	t.find(func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && comparesElements(call) {
			of := t.typeOf(call.Args[0]) // nil: unknown, as the output of an unknown node
			if of == nil {
				return true
			}
			if list, ok := of.Underlying().(*types.Slice); ok && t.pkg.holdsUnion(list.Elem()) {
				unions(call)
			}
		}
		b, ok := n.(*ast.BinaryExpr)
		if !ok || mirrored[b.Op] == token.ILLEGAL {
			return true
		}
		if of := t.typeOf(b.X); of != nil && of == t.typeOf(b.Y) && t.pkg.holdsUnion(of) {
			unions(b)
		}
		return true
	})
}

// durations refuses a duration that is compared with a bare number, added to one, or passed beside one, which is never meant.
func (t *typing) durations() {
	t.find(func(n ast.Node) bool {
		var beside []ast.Expr
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if sums := n.Op == token.ADD || n.Op == token.SUB; (mirrored[n.Op] != token.ILLEGAL || sums) && t.number(n.X) != t.number(n.Y) {
				beside = []ast.Expr{n.X, n.Y}
			}
		case *ast.CallExpr:
			counts := func(e ast.Expr) bool { return t.info.Types[e].Value == nil && t.number(e) }
			if !t.info.Types[n.Fun].IsType() && !slices.ContainsFunc(n.Args, counts) {
				beside = n.Args
			}
		}
		for _, e := range beside {
			if t.typeOf(e) == stubType("time", "Duration") && t.bareDuration(e) {
				return false
			}
		}
		return true
	})
}

// number reports whether a duration has no unit: a constant, and what a quotient of durations makes, which Go takes for a duration, too.
func (t *typing) number(of ast.Expr) bool {
	switch e := ast.Unparen(of).(type) {
	case *ast.UnaryExpr:
		return t.number(e.X)
	case *ast.BinaryExpr:
		x, y := t.number(e.X), t.number(e.Y)
		return x && y || x == y && e.Op == token.QUO
	case *ast.CallExpr:
		if t.info.Types[e.Fun].IsBuiltin() { // max or min
			return !slices.ContainsFunc(e.Args, func(e ast.Expr) bool { return !t.number(e) })
		}
	}
	return t.info.Types[of].Value != nil && !mentionsTime(of)
}

// mentionsTime reports whether an expression has a name of the package time, as units are.
func mentionsTime(e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok && id.Name == "time" {
			return true
		}
	}
	return false
}

// comparesElements reports whether a call compares the elements of its first argument with ==.
func comparesElements(call *ast.CallExpr) bool {
	f, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || !slices.Contains([]string{"Contains", "Equal", "Index"}, f.Sel.Name) {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && of.Name == "slices"
}

// holdsUnion reports whether a value of a type is a union, or a struct that holds one. It examines each struct once.
func (p *Package) holdsUnion(of types.Type) bool {
	if origin := p.origin[of]; origin != nil && origin.Kind == resolve.Union {
		return true
	}
	body, ok := of.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	holds, known := p.unions[of]
	if known {
		return holds
	}
	if p.unions == nil {
		p.unions = map[types.Type]bool{}
	}
	p.unions[of] = false // a struct that contains itself is a mistake
	for f := range body.Fields() {
		holds = holds || p.holdsUnion(f.Type())
	}
	p.unions[of] = holds
	return holds
}

// bareDuration refuses a number without a unit for a duration.
func (t *typing) bareDuration(e ast.Expr) bool {
	v := t.info.Types[e].Value
	if v == nil || v.Kind() != constant.Int && v.Kind() != constant.Float || constant.Sign(v) == 0 || mentionsTime(e) {
		return false
	}
	of := ast.Unparen(e)
	unit := t.text(of)
	if of != tighter(of, token.UnaryPrec) {
		unit = "(" + unit + ")"
	}
	t.mistake(Mismatch, e, "a duration is counted in nanoseconds: "+t.text(of)+" of them", "write the unit, as in "+unit+"*time.Second")
	return true
}

// constants finds what is true or false whatever the values are: of what &&, || and ! join, and of
// an expression that decides. A constant elsewhere, as in out.Done == true, is a value to compare
// with.
func (t *typing) constants() {
	decides := t.scope.Role.Decides
	if v := t.info.Types[t.tree].Value; v != nil {
		if decides {
			t.always(v.String())
		}
		return
	}
	look := func(e ast.Expr) {
		if tv := t.info.Types[e]; tv.Value != nil && basic(tv.Type, types.IsBoolean) {
			t.mistake(Constant, e, "this part of "+t.the()+" is always "+tv.Value.String(), "leave it out")
		}
	}
	t.find(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				look(n.X)
				look(n.Y)
			}
		case *ast.UnaryExpr:
			look(n.X)
		}
		return true
	})
	if t.Mistake == nil && decides {
		t.always(alwaysSame(t.pkg, t.Typed))
	}
}

// always notes that the expression has the same value in every case. Empty: it has not.
func (t *typing) always(value string) {
	if value != "" {
		t.Always = value
		t.whole(Constant, t.the()+" is always "+value, "")
	}
}

// repeats finds operands of && and || that are there twice.
func (t *typing) repeats() {
	inside := map[ast.Expr]bool{}
	t.find(func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || inside[b] || b.Op != token.LAND && b.Op != token.LOR {
			return true
		}
		seen := map[string]bool{}
		for _, operand := range operands(b, b.Op, inside) {
			key := Key(operand)
			if seen[key] {
				t.mistake(Constant, operand, quoted(t.text(operand))+" occurs twice", "remove one of them, or mend it")
			}
			seen[key] = true
		}
		return true
	})
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
func (t *typing) shifts() {
	t.find(func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || b.Op != token.SHL && b.Op != token.SHR {
			return true
		}
		x, by := t.info.Types[b.X], t.info.Types[b.Y].Value
		if by == nil || x.Value != nil || !basic(x.Type, types.IsInteger) || basic(x.Type, types.IsUntyped) {
			return true
		}
		if n, ok := constant.Int64Val(constant.ToInt(by)); !ok || n >= 8*sizes.Sizeof(x.Type) {
			t.mistake(Mismatch, b, quoted(t.text(b))+" shifts every bit out", "shift by less")
		}
		return true
	})
}

// layouts finds layouts of times that go vet takes for a mistake: no country writes 2006-02-01.
func (t *typing) layouts() {
	const wrong, right = "2006-02-01", "2006-01-02"
	t.find(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || f.Sel.Name != "Format" || t.typeOf(f.X) != stubType("time", "Time") || len(call.Args) != 1 {
			return true
		}
		if layout := t.info.Types[call.Args[0]].Value; layout != nil && strings.Contains(constant.StringVal(layout), wrong) {
			t.mistake(Unvetted, call.Args[0], "the layout "+wrong+" has the day before the month", "write "+right)
		}
		return true
	})
}

// unkeyed finds structs of other packages whose fields are not named: go vet asks for the names.
func (t *typing) unkeyed() {
	t.find(func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return true
		}
		if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); keyed {
			return true
		}
		if of := t.pkg.origin[t.typeOf(lit)]; of != nil && of.Kind == resolve.Struct && of.Import != "" {
			t.mistake(Unvetted, lit, quoted(t.text(lit))+" does not name the fields of "+of.String()+", a struct of another package",
				"name them, as in "+of.Go()+"{"+of.Fields[0].GoName+": …}")
		}
		return true
	})
}

// basic reports whether a type's underlying one is a basic type of that property.
func basic(t types.Type, property types.BasicInfo) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&property != 0
}
