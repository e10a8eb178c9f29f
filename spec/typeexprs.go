package spec

import "strings"

// TypeExprs visits every type that is written in the file, and those within it.
func (g *Graph) TypeExprs(f func(*TypeExpr)) {
	var walk func(*TypeExpr)
	walk = func(t *TypeExpr) {
		if t == nil {
			return
		}
		f(t)
		walk(t.Elem)
		for _, field := range t.Fields {
			walk(field.Type)
		}
		for _, v := range t.Variants {
			walk(v.Type)
		}
	}
	for _, d := range g.Types {
		walk(d.Type)
	}
	for _, field := range g.State {
		walk(field.Type)
	}
	for _, t := range g.Tools {
		for _, field := range t.Args {
			walk(field.Type)
		}
		walk(t.Returns)
	}
	for _, n := range g.Nodes {
		walk(n.Output)
	}
}

// UsesLost reports whether the section use may be what could not be read: types of files are
// named, but no file.
func (g *Graph) UsesLost() bool {
	dotted := false
	if g.Unread && len(g.Use) == 0 {
		g.TypeExprs(func(t *TypeExpr) { dotted = dotted || strings.Contains(t.Name, ".") })
	}
	return dotted
}
