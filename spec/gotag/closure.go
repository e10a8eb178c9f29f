package gotag

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// closure is what of the package the generated code of its graphs needs in order to build
// elsewhere: the declarations of the user's types and of the functions of conditions, with
// their methods, and all that these name.
func (p *pkg) closure(graphs []*spec.Graph) []spec.GoSource {
	c := &closer{p: p, taken: map[ast.Decl]bool{}}
	for _, g := range graphs {
		if g.Go.State != nil {
			c.name(g.Go.State.Name)
		}
		for _, d := range g.Types {
			if d.Go != nil {
				c.name(d.Go.Name)
			}
		}
		for _, e := range g.Expand() {
			c.name(e.IfFunc)
		}
		for _, n := range g.Nodes {
			for _, e := range n.Evals {
				c.name(e.IfFunc)
			}
		}
	}
	var list []spec.GoSource
	for _, f := range p.files {
		if text := c.text(f); text != "" {
			list = append(list, spec.GoSource{Name: base(f.src.path), Text: []byte(text)})
		}
	}
	return list
}

// A closer follows names from declaration to declaration.
type closer struct {
	p     *pkg
	taken map[ast.Decl]bool
}

// name takes what declares a name of the package, and its methods if it is a type.
func (c *closer) name(name string) {
	if name == "" || c.p.names[name] == nil {
		return
	}
	for _, f := range c.p.files {
		for _, d := range f.tree.Decls {
			if slices.Contains(declared(d), name) {
				c.take(d)
			}
		}
	}
	for _, m := range c.p.methods[name] {
		c.take(m.tree)
	}
}

func (c *closer) take(d ast.Decl) {
	if c.taken[d] {
		return
	}
	c.taken[d] = true
	for _, name := range declared(d) { // others of its group
		for _, m := range c.p.methods[name] {
			c.take(m.tree)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			c.name(id.Name)
		}
		return true
	})
	// The constants of an enum name it, and nothing that names the enum names them.
	for _, f := range c.p.files {
		for _, other := range f.tree.Decls {
			if g, ok := other.(*ast.GenDecl); ok && g.Tok == token.CONST && !c.taken[g] && mentions(g, declared(d)) {
				c.take(g)
			}
		}
	}
}

// mentions reports whether a group of constants has one of a type of these names.
func mentions(g *ast.GenDecl, names []string) bool {
	return slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
		v, ok := s.(*ast.ValueSpec)
		id, isName := v.Type.(*ast.Ident)
		return ok && isName && slices.Contains(names, id.Name)
	})
}

// declared lists the names that a declaration gives to what is not a method.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// text is a file with the declarations that were taken, and the imports that they use, from
// behind the package clause on.
func (c *closer) text(f *goFile) string {
	var body strings.Builder
	used := map[string]bool{}
	for _, d := range f.tree.Decls {
		if !c.taken[d] {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && f.imports[x.Name] != "" {
					used[x.Name] = true
				}
			}
			return true
		})
		body.WriteString("\n" + f.src.text[c.p.offset(d.Pos()):c.p.offset(d.End())] + "\n")
	}
	if body.Len() == 0 {
		return ""
	}
	var head strings.Builder
	for _, i := range f.tree.Imports {
		for name := range used {
			if fmt.Sprintf("%q", f.imports[name]) == i.Path.Value {
				fmt.Fprintf(&head, "import %s %s\n", name, i.Path.Value)
			}
		}
	}
	return "\n" + head.String() + body.String()
}
