package check

import (
	"errors"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// commentIn returns where the first comment of an expression begins, -1 if it has none.
func commentIn(text string) int {
	if !strings.Contains(text, "//") && !strings.Contains(text, "/*") {
		return -1
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		switch pos, tok, _ := s.Scan(); tok {
		case token.EOF:
			return -1
		case token.COMMENT:
			return file.Offset(pos)
		}
	}
}

// slips are what people write who think in another language.
var slips = []struct{ written, help string }{
	{"and", "Go writes && for and"},
	{"or", "Go writes || for or"},
	{"not", "Go writes ! for not"},
	{"in", "Go writes slices.Contains(list, value)"},
	{"is", "Go writes == for is"},
	{"=", "compare with =="},
	{"===", "compare with =="},
	{"<>", "Go writes != for <>"},
	{"?", "a condition is true or false as it is"},
}

// syntaxFlaw tells what the Go parser stumbled over.
func syntaxFlaw(text string, err error) *flaw {
	f := &flaw{code: "GG070", message: "the condition is not a Go expression", help: "write it as in out.Score > 0.8 && !out.Done"}
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return f
	}
	first := list[0]
	f.offset = min(max(first.Pos.Offset, 0), len(text))
	message := first.Msg
	if i := strings.Index(message, " (and "); i > 0 {
		message = message[:i]
	}
	message = strings.NewReplacer("'EOF'", "the end", "newline", "the end").Replace(message)
	f.message += ": " + message
	word := text[f.offset:]
	if end := strings.IndexAny(word, " \t()"); end >= 0 {
		word = word[:end]
	}
	f.width = max(1, len(word))
	if f.offset == len(text) {
		f.offset, f.width = max(0, len(text)-1), 1
		return f
	}
	before := text[:f.offset]
	for _, s := range slips {
		if word == s.written || strings.HasSuffix(strings.TrimSpace(before), " "+s.written) {
			f.help = s.help
			return f
		}
	}
	if strings.HasPrefix(text, "not ") {
		f.help = "Go writes ! for not"
	}
	if strings.Contains(message, "rune literal") {
		f.help = "a text stands in double quotes or backquotes"
	}
	return f
}

// reword says in the author's words what the Go type checker found.
func (r *reading) reword(err error) *flaw {
	var e types.Error
	if !errors.As(err, &e) {
		return &flaw{code: "GG074", message: err.Error()}
	}
	for _, told := range []string{"invalid type", "invalid operand", "invalid recursive type"} {
		if strings.Contains(e.Msg, told) {
			r.cond.unsure = true // the type is unknown or impossible, which is told elsewhere
			return nil
		}
	}
	var selector *ast.SelectorExpr
	var binary *ast.BinaryExpr
	var call *ast.CallExpr
	var part ast.Expr // the widest that the message names
	ast.Inspect(r.cond.tree, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || x.Pos() > e.Pos || x.End() <= e.Pos {
			return false
		}
		switch x := x.(type) {
		case *ast.SelectorExpr:
			if x.Sel.Pos() == e.Pos {
				selector = x
			}
		case *ast.BinaryExpr:
			if x.Pos() == e.Pos || x.Y.Pos() == e.Pos {
				binary = x
			}
		case *ast.CallExpr:
			call = x
		}
		if x.Pos() == e.Pos && (part == nil || !strings.Contains(e.Msg, types.ExprString(part))) {
			part = x
		}
		return true
	})
	if selector != nil && strings.Contains(e.Msg, " undefined (type ") {
		if f := r.noField(selector); f != nil {
			return f
		}
	}
	if binary != nil {
		if f := r.mismatch(binary); f != nil {
			return f
		}
	}
	f := &flaw{code: "GG074", message: plainWords(e.Msg), help: r.optionalHelp(part)}
	if part != nil {
		f.offset, f.width = int(part.Pos())-1, int(part.End()-part.Pos())
	} else if e.Pos.IsValid() {
		f.offset, f.width = int(e.Pos)-1, 1
	}
	for _, known := range remedies {
		if f.help == "" && strings.Contains(e.Msg, known.says) {
			f.help = known.help
		}
	}
	if f.help == "" {
		f.help = r.callHelp(call)
	}
	return f
}

// remedies are for what the Go type checker says of values, not of types.
var remedies = []struct{ says, help string }{
	{"division by zero", "divide by a value that is not 0"},
	{"overflows", "write a number that the type can hold"},
	{"out of bounds", "use an index that there is"},
	{"must not be negative", "use an index from 0"},
	{"for built-in len", "a text, a list and a map have a length"},
	{"for built-in cap", "a list has a capacity"},
}

// callHelp shows what a function takes.
func (r *reading) callHelp(call *ast.CallExpr) string {
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

// plainWords drops what the Go type checker says for those who know its terms.
func plainWords(message string) string {
	for _, prefix := range []string{"invalid operation: ", "invalid argument: "} {
		message = strings.TrimPrefix(message, prefix)
	}
	message, _, _ = strings.Cut(message, "\n")
	return strings.NewReplacer("untyped ", "", "float64", "float").Replace(message)
}

// noField tells that a value has no field or method of that name.
func (r *reading) noField(n *ast.SelectorExpr) *flaw {
	t := r.check(n.X)
	if t == nil {
		return nil
	}
	var named types.Type = t
	if p, ok := t.Underlying().(*types.Pointer); ok {
		named = p.Elem()
	}
	name := n.Sel.Name
	x := r.text(n.X)
	if x == "res" {
		help := "it has " + strings.Join(resultFields, ", ")
		if near, ok := diag.Suggest(name, resultFields); ok {
			help = meant("res." + near)
		}
		return span("GG072", n.Sel, "res has no "+quoted(name), help)
	}
	origin := r.scope.origin[named]
	if origin == nil || origin.Kind != resolve.Struct {
		message := quoted(x) + " is " + article(r.word(t)) + ": it has no " + quoted(name)
		help := "only structs have fields"
		if known := methodsOf(named); len(known) > 0 {
			help = listed("it has", known)
			if near, ok := diag.Suggest(name, known); ok {
				help = meant(x + "." + near)
			}
		} else if origin != nil && (origin.Kind == resolve.External || origin.Kind == resolve.Union) {
			help = decideInHandler
		}
		if origin != nil && len(origin.Values) > 0 {
			help = "an enum has the method String, and its constants stand alone: " + origin.Constant(origin.Values[0])
		}
		return span("GG072", n.Sel, message, help)
	}
	owner, part := "type "+quoted(origin.String()), "field"
	switch {
	case x == "evals":
		owner, part = "node "+quoted(r.from().Spec.Name.V), "eval"
	case x == "out":
		owner = "the output of node " + quoted(r.from().Spec.Name.V)
	case x == "state":
		owner = "the state"
	}
	var goNames []string
	for _, f := range origin.Fields {
		goNames = append(goNames, f.GoName)
	}
	help := listed("its "+part+"s are", goNames)
	if like := fieldLike(origin, name); like != "" {
		help = meant(x + "." + like)
	} else if near, ok := diag.Suggest(name, goNames); ok {
		help = meant(x + "." + near)
	}
	return span("GG072", n.Sel, owner+" has no "+part+" "+quoted(name), help)
}

// methodsOf lists the methods that conditions may call on a type of the library.
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

// mismatch tells that an operator joins what does not go together, nil if it does.
func (r *reading) mismatch(b *ast.BinaryExpr) *flaw {
	x, y := r.check(b.X), r.check(b.Y)
	if x == nil || y == nil {
		return nil
	}
	if r.word(x) == r.word(y) {
		return r.incomparable(b, x)
	}
	message := quoted(r.text(b)) + " mixes " + article(r.word(x)) + " and " + article(r.word(y))
	help := r.mismatchHelp(b.X, b.Y, x, y)
	if help == "" {
		help = r.mismatchHelp(b.Y, b.X, y, x)
	}
	if help == "" {
		help = "compare values of one type"
	}
	return span("GG074", b, message, help)
}

// incomparable tells of values of one type that an operator cannot compare, nil of others.
func (r *reading) incomparable(b *ast.BinaryExpr, t types.Type) *flaw {
	x, y := r.text(b.X), r.text(b.Y)
	origin := r.scope.origin[t]
	switch {
	case t == stubType("time", "Time"):
		help := "write " + x + ".Equal(" + y + "), or Before, After or Sub"
		return span("GG074", b, quoted(r.text(b))+" compares times, which operators do not", help)
	case origin != nil && origin.Kind == resolve.External:
		return span("GG074", b, quoted(r.text(b))+" compares Go types, of which nothing is known here", decideInHandler)
	}
	return nil
}

// mismatchHelp advises on one order of the operands.
func (r *reading) mismatchHelp(x, y ast.Expr, of, other types.Type) string {
	if _, ok := of.(*types.Pointer); ok {
		return r.optionalHelp(x)
	}
	if t := r.scope.origin[of]; t != nil && t.Kind == resolve.Enum {
		if lit, ok := ast.Unparen(y).(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value := strings.Trim(lit.Value, "\"`")
			if c := valueLike(t, value); c != "" {
				return "write the constant, " + c
			}
			if near, ok := diag.Suggest(value, valueNames(t)); ok {
				return meant(t.Constant(*t.Value(near)))
			}
			return listed("its constants are", constants(t))
		}
		if basic(other, types.IsString) {
			return "compare " + r.text(x) + ".String()"
		}
	}
	switch {
	case basic(of, types.IsString) && types.Identical(other, types.Typ[types.UntypedRune]):
		return "a text stands in double quotes or backquotes"
	case basic(of, types.IsBoolean):
		return "write " + r.text(x) + " or !" + r.text(x) + ", or compare it with a bool"
	case basic(of, types.IsInteger) && basic(other, types.IsFloat):
		return "write float64(" + r.text(x) + ")"
	case types.Identical(of, types.Universe.Lookup("error").Type()):
		return "compare " + r.text(x) + ".Error(), or see whether it is nil"
	}
	return ""
}

func valueNames(t *resolve.Type) []string {
	names := make([]string, len(t.Values))
	for i := range t.Values {
		names[i] = t.Values[i].Name
	}
	return names
}

// optionalHelp tells how to use a value that may be absent, empty for one that may not.
func (r *reading) optionalHelp(x ast.Expr) string {
	if x == nil {
		return ""
	}
	if _, ok := r.check(x).(*types.Pointer); !ok || r.text(x) == "state" {
		return ""
	}
	return r.text(x) + " may be absent: ask for " + r.text(x) + " != nil && *" + r.text(x)
}

// check returns the type of a part of the expression, nil where it has none.
func (r *reading) check(e ast.Expr) types.Type {
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if types.CheckExpr(token.NewFileSet(), r.names, token.NoPos, e, &info) != nil {
		return nil
	}
	return info.Types[e].Type
}

// word is a Go type as the spec writes it.
func (r *reading) word(t types.Type) string {
	if t == nil {
		return "value"
	}
	if origin := r.scope.origin[t]; origin != nil {
		if origin.Kind == resolve.Struct && origin.Name == "" {
			return "struct"
		}
		return origin.String()
	}
	switch t {
	case stubType("time", "Time"):
		return "time"
	case stubType("time", "Duration"):
		return "duration"
	case stubType("jsontext", "Value"), stubType("json", "RawMessage"):
		return "value of any kind"
	}
	switch t := t.(type) {
	case *types.Pointer:
		return "?" + r.word(t.Elem())
	case *types.Slice:
		if types.Identical(t.Elem(), types.Typ[types.Byte]) {
			return "bytes"
		}
		return "[]" + r.word(t.Elem())
	case *types.Map:
		return "map[" + r.word(t.Key()) + "]" + r.word(t.Elem())
	case *types.Signature:
		return "function"
	}
	return plainWords(t.String())
}

// within returns the place of a flaw in the file. An expression that is not written there
// letter by letter is marked as a whole: it goes on over several lines.
func (c *context) within(expr spec.String, f *flaw) spec.Pos {
	if f.width == 0 || !expr.Pos.IsSet() {
		return expr.Pos
	}
	source := c.lineFrom(expr.Pos)
	if end := f.offset + f.width; strings.HasPrefix(source, expr.V[:end]) {
		pos := expr.Pos
		pos.Col += utf8.RuneCountInString(expr.V[:f.offset])
		pos.Width = utf8.RuneCountInString(expr.V[f.offset:end])
		return pos
	}
	begin, ok := follow(source, expr.V[:f.offset])
	if !ok {
		return expr.Pos
	}
	end, ok := follow(source[begin:], expr.V[f.offset:f.offset+f.width])
	if !ok {
		return expr.Pos
	}
	pos := expr.Pos
	pos.Col += utf8.RuneCountInString(source[:begin])
	pos.Width = utf8.RuneCountInString(source[begin : begin+end])
	return pos
}

// follow returns how far a text goes in the source that spells it, escapes counted.
func follow(source, text string) (int, bool) {
	at := 0
	for _, c := range text {
		got, size := utf8.DecodeRuneInString(source[at:])
		switch {
		case size == 0:
			return 0, false
		case got == '\\' && c == '"': // in a literal inside of a literal, several
			size = 1 + len(source[at:]) - len(strings.TrimLeft(source[at:], `\`))
			if !strings.HasPrefix(source[at+size-1:], `"`) {
				return 0, false
			}
		case got == '\\' && c == '\\' && strings.HasPrefix(source[at+1:], `\`),
			got == '\'' && c == '\'' && strings.HasPrefix(source[at+1:], "'"):
			size = 2
		case got != c:
			return 0, false
		}
		at += size
	}
	return at, true
}

// lineFrom returns what stands at a place and after it on its line.
func (c *context) lineFrom(pos spec.Pos) string {
	if c.judged.lines == nil {
		c.judged.lines = strings.Split(string(c.spec.Source), "\n")
	}
	if pos.Line > len(c.judged.lines) {
		return ""
	}
	line := strings.TrimSuffix(c.judged.lines[pos.Line-1], "\r")
	for range pos.Col - 1 {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}
