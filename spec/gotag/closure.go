package gotag

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// closure returns the declarations of the package that the generated code of its graphs needs in
// order to build elsewhere: types, functions of conditions, methods, and everything that these
// refer to.
func (p *pkg) closure(graphs []*spec.Graph) []spec.GoSource {
	c := newCloser(p)
	for _, g := range graphs {
		if g.Go.State != nil {
			c.name(g.Go.State.Name)
		}
		for _, d := range g.Types {
			if d.Go != nil {
				c.name(d.Go.Name)
				for _, k := range d.Go.Consts { // follow finds those that are declared with the type
					c.name(k)
				}
			}
		}
		for _, e := range g.Expand() {
			c.name(e.IfFunc)
		}
		for _, n := range g.Nodes {
			for _, e := range n.Evals {
				c.name(e.IfFunc)
			}
			for _, b := range n.Branches {
				c.name(b.IfFunc)
			}
		}
	}
	c.follow()
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
	p      *pkg
	named  map[string][]ast.Decl // declarations by name
	consts map[string][]ast.Decl // groups of constants by type
	taken  map[ast.Decl]bool
	open   []ast.Decl // taken but not examined yet
}

func newCloser(p *pkg) *closer {
	c := &closer{p: p, named: map[string][]ast.Decl{}, consts: map[string][]ast.Decl{}, taken: map[ast.Decl]bool{}}
	for _, f := range p.files {
		for _, d := range f.tree.Decls {
			for _, name := range declared(d) {
				c.named[name] = append(c.named[name], d)
			}
			for _, name := range constTypes(d) {
				c.consts[name] = append(c.consts[name], d)
			}
		}
	}
	return c
}

// name takes the declarations of a name.
func (c *closer) name(name string) {
	if name == "" || c.p.names[name] == nil {
		return
	}
	for _, d := range c.named[name] {
		c.take(d)
	}
}

func (c *closer) take(d ast.Decl) {
	if !c.taken[d] {
		c.taken[d] = true
		c.open = append(c.open, d)
	}
}

// follow takes the declarations that taken ones refer to, with the methods of types and the
// constants of enums.
func (c *closer) follow() {
	for len(c.open) > 0 {
		d := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		for _, name := range declared(d) { // a declaration may declare several names
			for _, m := range c.p.methods[name] {
				c.take(m.tree)
			}
			for _, g := range c.consts[name] {
				c.take(g)
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				c.p.steps++
				c.name(id.Name)
			}
			return true
		})
	}
}

// constTypes returns the types of a group of constants.
func constTypes(d ast.Decl) (names []string) {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.CONST {
		return nil
	}
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if id, ok := v.Type.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return slices.Compact(names)
}

// declared returns the names that a declaration declares, other than methods.
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

// text returns the taken declarations of a file with their imports, after the package clause.
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
