package expr

import (
	"go/ast"
	"slices"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A Span is a part of the text of an expression, in bytes. One without a width is all of it.
type Span struct{ Offset, Width int }

// spanOf is the text of a node. An expression is parsed alone, so its positions count from 1.
func spanOf(n ast.Node) Span { return Span{int(n.Pos()) - 1, int(n.End() - n.Pos())} }

// Uses are what an expression uses, as its names show it.
type Uses struct {
	State, Out          []Field  // fields in the order of the text, each as often as it occurs
	AllState, AllOutput bool     // it uses the state, or the output, other than by a field
	Names               []string // all except fields and methods, each once
}

// A Field is a field of the state or of the output that an expression uses.
type Field struct {
	GoName string
	Span
}

// Name reports whether the expression uses a name, such as res or a package.
func (u *Uses) Name(name string) bool { return slices.Contains(u.Names, name) }

// Imports lists the packages that the expression names: packages of the standard library, and of
// files that the graph uses.
func (u *Uses) Imports(g *resolve.Graph) []resolve.Import {
	var list []resolve.Import
	for _, name := range u.Names {
		if slices.Contains(callable, name) {
			list = append(list, resolve.Import{Path: standardLibrary()[name].Path(), Name: name})
		}
	}
	for _, use := range g.Spec.Use {
		if path := use.ImportPath(g.Spec); path != "" && u.Name(use.Name.V) {
			list = append(list, resolve.Import{Path: path, Name: use.Name.V})
		}
	}
	return list
}

func usesOf(tree ast.Expr) *Uses {
	u := &Uses{}
	if tree == nil {
		return u
	}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, _ := ast.Unparen(n.X).(*ast.Ident)
			switch {
			case id != nil && id.Name == "state":
				u.State = append(u.State, Field{n.Sel.Name, spanOf(n)})
			case id != nil && id.Name == "out":
				u.Out = append(u.Out, Field{n.Sel.Name, spanOf(n)})
			default:
				ast.Inspect(n.X, visit)
				return false
			}
			u.name(id.Name)
			return false
		case *ast.Ident:
			u.AllState = u.AllState || n.Name == "state"
			u.AllOutput = u.AllOutput || n.Name == "out"
			u.name(n.Name)
		}
		return true
	}
	ast.Inspect(tree, visit)
	return u
}

func (u *Uses) name(name string) {
	if !u.Name(name) {
		u.Names = append(u.Names, name)
	}
}
