package expr

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A Mistake is why an expression cannot be used: what is wrong, where, and what to do.
type Mistake struct {
	Kind Kind
	Span
	Message, Help string
}

// A Kind is what a mistake is about.
type Kind uint8

const (
	Malformed Kind = iota // it is not a Go expression on one line
	Forbidden             // it does what expressions of a spec may not
	Unknown               // it names what does not exist
	NoOutput              // it looks at an output that does not exist
	Mismatch              // types in it do not fit
	Unwanted              // it is not a value of the type that is wanted
	Constant              // it is always true or always false, or a part of it is
	Unvetted              // go vet reports it in generated code
)

// A Typed is an expression with the types of its parts.
type Typed struct {
	Expr    *Expr
	Mistake *Mistake // the first; nil: it can be generated, unless Unsure
	Unsure  bool     // it depends on what could not be read, which is reported elsewhere
	Always  string   // the value of a condition that is always the same, true or false; Mistake is set
	Type    types.Type
	Elem    bool // an optional value is wanted, and it is one that is always there: generated code takes its address

	info types.Info
}

// OK reports whether the expression can be generated.
func (t *Typed) OK() bool { return t.Mistake == nil && !t.Unsure }

// Bool is the type that is wanted of a condition.
var Bool = &resolve.Type{Kind: resolve.Bool}

// Type types an expression of a scope, up to its first mistake. It wants a value that can be
// assigned to a variable of the type; nil: of any type.
func Type(s *Scope, e *Expr, want *resolve.Type) *Typed {
	t := &typing{Typed: &Typed{Expr: e}, scope: s, pkg: s.pkg.filled(), tree: e.Tree, want: want}
	t.run()
	if m := t.Mistake; m != nil && (m.Kind == Unknown || m.Kind == NoOutput || m.Kind == Mismatch) && t.pkg.namesLost {
		t.Mistake, t.Unsure = nil, true
	}
	return t.Typed
}

// A typing is the work on one expression: its form and its names first, then its types, then
// what is done with them.
type typing struct {
	*Typed
	scope *Scope
	pkg   *Package
	tree  ast.Expr
	want  *resolve.Type
	names *types.Package // holds what the expression names, and nothing else
	done  map[*ast.Ident]bool
}

func (t *typing) run() {
	t.names = types.NewPackage("expression", "expression")
	for _, step := range []func(){
		t.form, t.read, t.check, t.calls, t.durations, t.comparisons, t.result, t.repeats, t.shifts, t.layouts, t.unkeyed,
	} {
		if step(); t.Mistake != nil || t.Unsure {
			return
		}
	}
}

// mistake notes the first mistake.
func (t *typing) mistake(k Kind, at ast.Node, message, help string) {
	if t.Mistake == nil {
		t.Mistake = &Mistake{Kind: k, Span: spanOf(at), Message: message, Help: help}
	}
}

// whole notes a mistake of the expression as a whole.
func (t *typing) whole(k Kind, message, help string) {
	t.Mistake = &Mistake{Kind: k, Message: message, Help: help}
}

// form looks for a mistake in the form of the expression.
func (t *typing) form() {
	text := t.Expr.Written.V
	switch at := commentIn(text); {
	case len(text) > Longest:
		t.whole(Malformed, t.the()+" is too long", t.scope.Role.Instead)
	case strings.ContainsAny(text, "\n\r"):
		t.whole(Malformed, t.the()+" has a line break", "write it on one line, or decide in the handler")
	case at >= 0:
		t.whole(Malformed, t.cannot("hold a comment"), "write the comment in YAML, after #")
		t.Mistake.Span = Span{at, len(text) - at}
	case t.Expr.Err != nil:
		t.Mistake = t.syntax(text, t.Expr.Err)
	}
}

// check finds the types of all parts.
func (t *typing) check() {
	t.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(token.NewFileSet(), t.names, token.NoPos, t.tree, &t.info); err != nil {
		t.reword(err)
	}
}

// the returns the expression as the subject of a message.
func (t *typing) the() string { return "the " + t.scope.Role.Noun }

// cannot is the message that an expression of its role cannot do something.
func (t *typing) cannot(do string) string { return "a " + t.scope.Role.Noun + " cannot " + do }

func (t *typing) typeOf(e ast.Expr) types.Type { return t.info.Types[e].Type }

// text is a part of the expression as the author wrote it.
func (t *typing) text(e ast.Node) string { return t.Expr.Written.V[e.Pos()-1 : e.End()-1] }

// find visits the parts of the expression in written order until there is a mistake.
func (t *typing) find(visit func(ast.Node) bool) {
	ast.Inspect(t.tree, func(n ast.Node) bool {
		return n != nil && t.Mistake == nil && visit(n) && t.Mistake == nil
	})
}
