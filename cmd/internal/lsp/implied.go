package lsp

import (
	"context"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// occurrences returns what a file declares or names, with what only its graph shows: what the parameters of templates name.
func (s *Server) occurrences(ctx context.Context, f *file) []occurrence {
	list := f.occurrences()
	if f.read == nil {
		return list
	}
	for _, o := range s.arguments(ctx, f) {
		if !slices.ContainsFunc(list, func(other occurrence) bool { return other.at == o.at }) {
			list = append(list, o)
		}
	}
	return list
}

// parameters are the types of parameters of templates whose values are names.
var parameters = map[string]string{"node": ofNode, "nodes": ofNode, "field": ofField, "fields": ofField, "tools": ofTool}

// arguments returns what the parameters of templates name in a spec.
func (s *Server) arguments(ctx context.Context, f *file) (list []occurrence) {
	r := f.read
	templates := map[int]string{} // by the entries that have the values
	for _, n := range r.namesIn(sections[ofNode]) {
		if kind := r.nameAt(r.child(n, "kind")); kind != "" && !spec.KindOf(kind).Known() {
			templates[n] = kind
		}
	}
	with := r.child(-1, "with")
	if with >= 0 {
		templates[with] = r.nameAt(r.child(-1, "pattern"))
	}
	if len(templates) == 0 {
		return nil
	}
	g := s.lastGraph(ctx, f.abs)
	if g == nil {
		return nil
	}
	for _, at := range slices.Sorted(maps.Keys(templates)) {
		for _, p := range paramsOf(g.Spec, templates[at], at == with) {
			i := r.child(at, p.Name.V)
			of := parameters[p.Type.V]
			if i < 0 || of == "" {
				continue
			}
			for _, value := range append(r.children(i), i) {
				text, places := r.entries[value].scalar(r.text).decode()
				if r.entries[value].style.isScalar() && text != "" && !(of == ofNode && spec.IsEnd(text)) {
					list = append(list, occurrence{symbol: r.meant(symbol{of, text}), at: places[0], end: places[len(text)], entry: value})
				}
			}
		}
	}
	return list
}

// paramsOf returns the parameters of a template or a pattern that a spec names, and of those that it is made of in turn.
func paramsOf(g *spec.Graph, name string, pattern bool) (list []*spec.Param) {
	var seen []*spec.Template
	for {
		t, home := templateOf(g, name, pattern)
		if t == nil || slices.Contains(seen, t) {
			return list
		}
		seen, list = append(seen, t), append(list, t.Params...)
		node := &t.Node
		if t.Nodes.Pos.IsSet() {
			node = t.Nodes.Get("$node")
		}
		if pattern || node == nil || node.Get("kind") == nil {
			return list
		}
		g, name = home, node.Get("kind").Text
	}
}

// constants returns where expressions of a spec name constants of an enum that a file declares. These names begin with the name of the type.
func (s *Server) constants(f, own *file, t target) (list []found) {
	at := -1
	if t.of == ofType && f.read != nil {
		at = own.read.child(own.read.declaration(t.symbol), "enum")
	}
	if at < 0 {
		return nil
	}
	goName := goname.Exported(t.name)
	names := map[string]bool{}
	for _, i := range own.read.children(at) {
		names[goName+goname.Exported(own.read.nameAt(i))] = true
	}
	var uses []string
	for use, paths := range s.uses(f) {
		if slices.Contains(paths, own.abs) {
			uses = append(uses, use)
		}
	}
	alone := f.abs == own.abs || len(uses) > 0 && filepath.Dir(f.abs) == filepath.Dir(own.abs)
	for i := range f.read.entries {
		if !f.read.slots[i].code || !f.read.entries[i].style.isScalar() {
			continue
		}
		text, places := f.read.entries[i].scalar(f.read.text).decode()
		lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		tree := expr.Read(spec.String{V: strings.TrimSpace(text)}).Tree
		if tree == nil {
			continue
		}
		add := func(id *ast.Ident) {
			from := lead + int(id.Pos()) - 1
			list = append(list, found{f, occurrence{symbol: t.symbol, at: places[from], end: places[from+len(goName)], entry: i, goName: true}})
		}
		var visit func(ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, is := n.X.(*ast.Ident); is && slices.Contains(uses, x.Name) && names[n.Sel.Name] {
					add(n.Sel)
				} else {
					ast.Inspect(n.X, visit)
				}
				return false
			case *ast.Ident:
				if alone && names[n.Name] {
					add(n)
				}
			}
			return true
		}
		ast.Inspect(tree, visit)
	}
	return list
}

// routeValues returns where enums have a node as one of their values, because an output names the next node by a field of that type.
func routeValues(g *resolve.Graph, own *file, t target) (list []found) {
	if g == nil {
		return nil
	}
	r := own.read
	for _, n := range g.All() {
		for _, f := range n.RoutedBy() {
			base := f.Type.Base()
			if !isRoute(g, n.Spec.Name.V, f.Name, t.name) || base.Qualifier != "" || base.Value(t.name) == nil {
				continue
			}
			from, _ := own.text.at(base.Value(t.name).Pos)
			for i := range r.entries {
				e := &r.entries[i]
				if !e.item || e.at < from || from+1 < e.at || r.entries[e.parent].key != "enum" || r.nameAt(i) != t.name {
					continue
				}
				w := e.scalar(r.text)
				list = append(list, found{own, occurrence{symbol: t.symbol, at: w.at, end: w.at + len(w.raw), entry: i}})
			}
		}
	}
	return list
}

// isRoute reports whether a value of a field of the output of a node is the name of the next node, which a key of its transitions is not.
func isRoute(g *resolve.Graph, node, field, value string) bool {
	if g == nil || g.Node(node) == nil {
		return false
	}
	n := g.Node(node)
	return slices.ContainsFunc(n.RoutedBy(), func(f *resolve.Field) bool { return f.Name == field }) &&
		!slices.ContainsFunc(n.Spec.Transitions, func(t spec.Transition) bool { return t.Key.V == value })
}
