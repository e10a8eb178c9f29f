package gotag

import (
	"go/ast"
	"go/token"
)

// lengths bounds the lengths of texts that constants of a package have, from their expressions. To evaluate a constant that is made
// of others, which are made of others, may take all memory.
type lengths struct {
	exprs map[string]ast.Expr
	sizes map[string]int // of those that have been looked at

	whole    int // the bytes of the texts of all expressions that a type check evaluates
	reported bool
}

func (p *pkg) lengths() *lengths {
	if p.texts != nil {
		return p.texts
	}
	t := &lengths{exprs: map[string]ast.Expr{}, sizes: map[string]int{}}
	p.texts = t
	for _, f := range p.files {
		for _, d := range f.tree.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
				t.add(d)
			}
		}
	}
	for _, f := range p.files {
		ast.Inspect(f.tree, t.evaluated)
	}
	return t
}

// mostTexts is how many bytes the texts of the expressions of a package may have together, so that their values are computed.
const mostTexts = 16 << 20

// evaluated adds up the expressions of declarations that are more than a name or a literal.
func (t *lengths) evaluated(n ast.Node) bool {
	switch e := n.(type) {
	case *ast.BlockStmt: // bodies of functions are not checked
		return false
	case *ast.BinaryExpr, *ast.CallExpr:
		t.whole = min(t.whole+t.sizeOf(e.(ast.Expr)), most)
		_, call := e.(*ast.CallExpr)
		return call // the literal of a function may be an argument
	}
	return true
}

// add adds the constants of a declaration. One without an expression repeats the one above.
func (t *lengths) add(d *ast.GenDecl) {
	var values []ast.Expr
	for _, s := range d.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if len(spec.Values) > 0 {
			values = spec.Values
		}
		for i, name := range spec.Names {
			if i < len(values) {
				t.exprs[name.Name] = values[i]
			}
		}
	}
}

// most is the most that is added up.
const most = 1 << 30

// size returns a bound of the length of a constant.
func (t *lengths) size(name string) int {
	size, known := t.sizes[name]
	if !known {
		t.sizes[name] = 0 // a constant of itself has no value
		size = t.sizeOf(t.exprs[name])
		t.sizes[name] = size
	}
	return size
}

func (t *lengths) sizeOf(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.BasicLit:
		return len(e.Value)
	case *ast.Ident:
		return t.size(e.Name)
	case *ast.ParenExpr:
		return t.sizeOf(e.X)
	case *ast.CallExpr: // a conversion
		if len(e.Args) == 1 {
			return t.sizeOf(e.Args[0])
		}
	case *ast.BinaryExpr:
		return min(t.sizeOf(e.X)+t.sizeOf(e.Y), most)
	}
	return 0
}
