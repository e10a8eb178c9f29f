// Package expr reads and types the Go expressions of a spec: the conditions of edges, loops
// and evals, and the values of fields. A mistake is data; package check reports it.
package expr

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Longest is how many bytes of an expression are handed to the Go parser, which descends as
// deep as an expression is nested.
const Longest = 16 << 10

// An Expr is a Go expression of a spec. It is parsed once, and typed once.
type Expr struct {
	Written spec.String   // as the author wrote it, with its place
	Scope   *Scope        // what it may name; nil: it is compared, and never typed
	Want    *resolve.Type // the type of its value; nil: any
	Tree    ast.Expr      // its positions count from 1 in the text; nil: it is not an expression
	Err     error         // of the Go parser

	key    string
	uses   *Uses
	typed  *Typed
	panics *bool
}

// Read parses an expression. One that is too long, or has a line break or a comment, has no tree.
func Read(written spec.String) *Expr {
	e := &Expr{Written: written}
	if len(written.V) <= Longest && !strings.ContainsAny(written.V, "\n\r") && commentIn(written.V) < 0 {
		e.Tree, e.Err = parser.ParseExprFrom(token.NewFileSet(), "", written.V, parser.SkipObjectResolution)
		if e.Err != nil {
			e.Tree = nil
		}
	}
	return e
}

// In parses an expression of a scope, of which a type is wanted. Typed has its types.
func In(s *Scope, written spec.String, want *resolve.Type) *Expr {
	e := Read(written)
	e.Scope, e.Want = s, want
	return e
}

// Typed returns the expression with its types. The first call computes them.
func (e *Expr) Typed() *Typed {
	if e.typed == nil {
		e.typed = Type(e.Scope, e, e.Want)
	}
	return e.typed
}

// Uses returns what the expression uses. What is not an expression uses nothing.
func (e *Expr) Uses() *Uses {
	if e.uses == nil {
		e.uses = usesOf(e.Tree)
	}
	return e.uses
}

// Key returns a text that is equal for expressions of the same meaning. What is not an expression
// has the meaning of an equal text alone.
func (e *Expr) Key() string {
	if e.key == "" {
		e.key = "? " + e.Written.V
		if e.Tree != nil {
			e.key = Key(e.Tree)
		}
	}
	return e.key
}

// String returns the expression as gofmt writes it; what is not an expression as it is written.
func (e *Expr) String() string {
	if e.Tree == nil {
		return e.Written.V
	}
	return Text(ast.Unparen(e.Tree))
}

// Source returns the expression as gofmt writes it in a program.
func (e *Expr) Source() string { return source(e.Tree) }

// TextString is String of the expression that a text holds.
func TextString(text string) string { return Read(spec.String{V: text}).String() }

// TextKey is Key of the expression that a text holds.
func TextKey(text string) string { return Read(spec.String{V: text}).Key() }

// Same reports whether two texts are expressions of the same meaning.
func Same(a, b string) bool { return a == b || TextKey(a) == TextKey(b) }
