package expr

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// reword notes an error of the Go type checker, in the words of the spec.
func (t *typing) reword(err error) {
	var e types.Error
	if !errors.As(err, &e) {
		t.whole(Mismatch, err.Error(), "")
		return
	}
	says := func(text string) bool { return strings.Contains(e.Msg, text) }
	if says("invalid type") || says("invalid operand") || says("invalid recursive type") {
		t.Unsure = true // the type is unknown or impossible, which is reported elsewhere
		return
	}
	at := t.partsAt(e)
	if at.selector != nil && says(" undefined (type ") {
		t.noField(at.selector)
	}
	if at.binary != nil {
		t.mismatch(at.binary)
	}
	if t.Mistake != nil {
		return
	}
	t.whole(Mismatch, plainWords(e.Msg), t.optionalHelp(at.named))
	if at.named != nil {
		t.Mistake.Span = spanOf(at.named)
	} else if e.Pos.IsValid() {
		t.Mistake.Span = Span{int(e.Pos) - 1, 1}
	}
	known := slices.IndexFunc(remedies, func(r remedy) bool { return says(r.says) })
	switch {
	case t.Mistake.Help != "":
	case known >= 0:
		t.Mistake.Help = remedies[known].help
	default:
		t.Mistake.Help = callHelp(at.call)
	}
}

// A found is what of the expression is at the place of an error of the Go type checker.
type found struct {
	selector *ast.SelectorExpr // its field is there
	binary   *ast.BinaryExpr   // one of its operands begins there
	call     *ast.CallExpr     // the innermost that it is in
	named    ast.Expr          // the widest that begins there and that the message has
}

func (t *typing) partsAt(e types.Error) (at found) {
	ast.Inspect(t.tree, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || x.Pos() > e.Pos || x.End() <= e.Pos {
			return false
		}
		switch x := x.(type) {
		case *ast.SelectorExpr:
			if x.Sel.Pos() == e.Pos {
				at.selector = x
			}
		case *ast.BinaryExpr:
			if x.Pos() == e.Pos || x.Y.Pos() == e.Pos {
				at.binary = x
			}
		case *ast.CallExpr:
			at.call = x
		}
		if x.Pos() == e.Pos && (at.named == nil || !strings.Contains(e.Msg, types.ExprString(at.named))) {
			at.named = x
		}
		return true
	})
	return at
}

// A remedy is the help for an error of the Go type checker that is about values, not types.
type remedy struct{ says, help string }

var remedies = []remedy{
	{"division by zero", "divide by a value that is not 0"},
	{"overflows", "write a number that the type can hold"},
	{"out of bounds", "use an index that there is"},
	{"must not be negative", "use an index from 0"},
	{"for built-in len", "a text, a list and a map have a length"},
	{"for built-in cap", "a list has a capacity"},
}

// callHelp shows what a function takes.
func callHelp(call *ast.CallExpr) string {
	if call != nil {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && standardLibrary()[x.Name] != nil {
				f := standardLibrary()[x.Name].Scope().Lookup(sel.Sel.Name)
				return "write it as " + strings.TrimPrefix(types.ObjectString(f, (*types.Package).Name), "func ")
			}
		}
	}
	return "the types come from the spec: from types, state, and the output of the node"
}

// plainWords drops the terms of the Go type checker.
func plainWords(message string) string {
	for _, prefix := range []string{"invalid operation: ", "invalid argument: "} {
		message = strings.TrimPrefix(message, prefix)
	}
	message, _, _ = strings.Cut(message, "\n")
	return strings.NewReplacer("untyped ", "", "float64", "float").Replace(message)
}

// noField notes that a value has no field or method of that name.
func (t *typing) noField(n *ast.SelectorExpr) {
	of := t.partType(n.X)
	if of == nil {
		return
	}
	elem := of
	if p, ok := of.Underlying().(*types.Pointer); ok {
		elem = p.Elem()
	}
	x, name := t.text(n.X), quoted(n.Sel.Name)
	origin := t.pkg.origin[elem]
	switch {
	case x == "res":
		t.mistake(Unknown, n.Sel, "res has no "+name, t.memberHelp(n, "it has "+strings.Join(resultFields, ", "), resultFields))
	case origin != nil && origin.Kind == resolve.Struct:
		t.noStructField(n, origin)
	default:
		t.mistake(Unknown, n.Sel, quoted(x)+" is "+diag.Article(t.word(of))+": it has no "+name, t.noMemberHelp(n, elem))
	}
}

// noStructField notes that a struct has no field of that name.
func (t *typing) noStructField(n *ast.SelectorExpr, of *resolve.Type) {
	owner, part := "type "+quoted(of.String()), "field"
	switch t.text(n.X) {
	case "evals":
		owner, part = "node "+quoted(t.scope.Node.Spec.Name.V), "eval"
	case "out":
		owner = "the output of node " + quoted(t.scope.Node.Spec.Name.V)
	case "state":
		owner = "the state"
	}
	var goNames []string
	for _, f := range of.Fields {
		goNames = append(goNames, f.GoName)
	}
	help := t.memberHelp(n, diag.Listed("its "+part+"s are", goNames), goNames)
	if like := fieldLike(of, n.Sel.Name); like != "" {
		help = diag.DidYouMeanAfter(t.text(n.X)+".", like)
	}
	t.mistake(Unknown, n.Sel, owner+" has no "+part+" "+quoted(n.Sel.Name), help)
}

// noMemberHelp returns what a value has that is not a struct, instead of a field.
func (t *typing) noMemberHelp(n *ast.SelectorExpr, of types.Type) string {
	origin, methods := t.pkg.origin[of], methodsOf(of)
	switch {
	case origin != nil && len(origin.Values) > 0:
		return "an enum has the method String, and a constant is a name of its own: " + origin.Constant(origin.Values[0])
	case len(methods) > 0:
		return t.memberHelp(n, diag.Listed("it has", methods), methods)
	case origin != nil && (origin.Kind == resolve.External || origin.Kind == resolve.Union):
		return t.scope.Role.Instead
	}
	return "only structs have fields"
}

// memberHelp is the member of a list that was probably meant, or another help line.
func (t *typing) memberHelp(n *ast.SelectorExpr, otherwise string, members []string) string {
	if near, ok := diag.Suggest(n.Sel.Name, members); ok {
		return diag.DidYouMeanAfter(t.text(n.X)+".", near)
	}
	return otherwise
}

// methodsOf lists the methods that expressions may call on a type of the library.
func methodsOf(t types.Type) []string {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	var names []string
	for m := range named.Methods() {
		names = append(names, m.Name())
	}
	return names
}

// mismatch notes that an operator joins what does not go together.
func (t *typing) mismatch(b *ast.BinaryExpr) {
	x, y := t.partType(b.X), t.partType(b.Y)
	switch {
	case x == nil || y == nil:
	case t.word(x) == t.word(y):
		t.incomparable(b, x)
	default:
		help := t.mismatchHelp(b.X, b.Y, x, y)
		if help == "" {
			help = t.mismatchHelp(b.Y, b.X, y, x)
		}
		if help == "" {
			help = "compare values of one type"
		}
		t.mistake(Mismatch, b, quoted(t.text(b))+" mixes "+diag.Article(t.word(x))+" and "+diag.Article(t.word(y)), help)
	}
}

// incomparable notes values of one type that an operator cannot compare.
func (t *typing) incomparable(b *ast.BinaryExpr, of types.Type) {
	origin := t.pkg.origin[of]
	switch {
	case of == stubType("time", "Time"):
		t.mistake(Mismatch, b, quoted(t.text(b))+" compares times, which operators do not",
			"write "+t.text(b.X)+".Equal("+t.text(b.Y)+"), or Before, After or Sub")
	case origin != nil && origin.Kind == resolve.External:
		t.mistake(Mismatch, b, quoted(t.text(b))+" compares Go types, of which nothing is known here", t.scope.Role.Instead)
	}
}

// mismatchHelp advises on one order of the operands.
func (t *typing) mismatchHelp(x, y ast.Expr, of, other types.Type) string {
	if _, ok := of.(*types.Pointer); ok {
		return t.optionalHelp(x)
	}
	if enum := t.pkg.origin[of]; enum != nil && enum.Kind == resolve.Enum {
		if help := t.enumHelp(enum, y); help != "" {
			return help
		}
		if basic(other, types.IsString) {
			return "compare " + t.text(x) + ".String()"
		}
	}
	switch {
	case basic(of, types.IsString) && types.Identical(other, types.Typ[types.UntypedRune]):
		return "write a text in double quotes or backquotes"
	case basic(of, types.IsBoolean):
		not := "!" + t.text(x)
		if _, is := x.(*ast.BinaryExpr); is {
			not = "!(" + t.text(x) + ")"
		}
		return "write " + t.text(x) + " or " + not + ", or compare it with a bool"
	case basic(of, types.IsInteger) && basic(other, types.IsFloat):
		return "write float64(" + t.text(x) + ")"
	case types.Identical(of, types.Universe.Lookup("error").Type()):
		return "compare " + t.text(x) + ".Error(), or see whether it is nil"
	}
	return ""
}

// enumHelp names the constant of an enum that a text was written for; empty: it is not a literal.
func (t *typing) enumHelp(enum *resolve.Type, e ast.Expr) string {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	value := strings.Trim(lit.Value, "\"`")
	if c := valueLike(enum, value); c != "" {
		return "write the constant, " + c
	}
	if near, ok := diag.Suggest(value, enum.ValueNames()); ok {
		return meant(enum.Constant(*enum.Value(near)))
	}
	return diag.Listed("its constants are", constants(enum))
}

// optionalHelp returns how to use a value that may be absent, empty for any other.
func (t *typing) optionalHelp(x ast.Expr) string {
	if x == nil {
		return ""
	}
	if _, ok := t.partType(x).(*types.Pointer); !ok || t.text(x) == "state" {
		return ""
	}
	if t.want == nil || t.want.Base().Kind != resolve.Bool {
		return t.seenElsewhere(x)
	}
	return t.text(x) + " may be absent: write *" + t.text(x) + " after " + t.text(x) + " != nil &&"
}

// seenElsewhere returns how to use a value that may be absent in an expression that is not a bool.
func (t *typing) seenElsewhere(x ast.Expr) string {
	return t.text(x) + " may be absent: write *" + t.text(x) + " where an edge has seen that it is not nil"
}

// partType returns the type of a part of the expression, nil where it has none.
func (t *typing) partType(e ast.Expr) types.Type {
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if types.CheckExpr(token.NewFileSet(), t.names, token.NoPos, e, &info) != nil {
		return nil
	}
	return info.Types[e].Type
}

// word is a Go type as the spec writes it.
func (t *typing) word(of types.Type) string {
	if of == nil {
		return "value"
	}
	if origin := t.pkg.origin[of]; origin != nil {
		if origin.Kind == resolve.Struct && origin.Name == "" {
			return "struct"
		}
		return origin.String()
	}
	switch of {
	case stubType("time", "Time"):
		return "time"
	case stubType("time", "Duration"):
		return "duration"
	case stubType("jsontext", "Value"), stubType("json", "RawMessage"):
		return "value of any kind"
	}
	switch of := of.(type) {
	case *types.Pointer:
		return "?" + t.word(of.Elem())
	case *types.Slice:
		if types.Identical(of.Elem(), types.Typ[types.Byte]) {
			return "bytes"
		}
		return "[]" + t.word(of.Elem())
	case *types.Map:
		return "map[" + t.word(of.Key()) + "]" + t.word(of.Elem())
	case *types.Signature:
		return "function"
	}
	return plainWords(of.String())
}
