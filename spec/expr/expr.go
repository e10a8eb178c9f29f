// Package expr reads the Go expressions of a spec: the conditions of edges, loops and evals.
package expr

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// Longest is how many bytes of an expression are handed to the Go parser, which descends as
// deep as an expression is nested.
const Longest = 16 << 10

// An Expr is a Go expression of a spec. It is parsed once.
type Expr struct {
	Written spec.String // as the author wrote it, with its place
	Tree    ast.Expr    // its positions count from 1 in the text; nil: it is no expression
	Err     error       // of the Go parser

	key string
}

// Read parses an expression. One that is too long, or has a line break, has no tree.
func Read(written spec.String) *Expr {
	e := &Expr{Written: written}
	if len(written.V) <= Longest && !strings.ContainsAny(written.V, "\n\r") {
		e.Tree, e.Err = parser.ParseExprFrom(token.NewFileSet(), "", written.V, parser.SkipObjectResolution)
		if e.Err != nil {
			e.Tree = nil
		}
	}
	return e
}

// Key returns the same text for equivalent expressions. The key of an invalid expression is
// derived from its text.
func (e *Expr) Key() string {
	if e.key == "" {
		e.key = "? " + e.Written.V
		if e.Tree != nil {
			e.key = Key(e.Tree)
		}
	}
	return e.key
}

// String returns the expression as gofmt writes it; what is no expression as it is written.
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

// Same reports whether two texts are expressions that say the same.
func Same(a, b string) bool { return a == b || TextKey(a) == TextKey(b) }
