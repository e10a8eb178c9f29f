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
}

func (p *pkg) lengths() *lengths {
	t := &lengths{exprs: map[string]ast.Expr{}, sizes: map[string]int{}}
	for _, f := range p.files {
		for _, d := range f.tree.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
				t.add(d)
			}
		}
	}
	return t
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
