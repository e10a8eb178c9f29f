package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// Mutates reports whether the node asks for changes of its run's graph.
func (n *Node) Mutates() bool { return n.Spec.Mutates.V }

// Allows reports whether runs of the graph may do what a word of spec.Actions says.
func (g *Graph) Allows(action string) bool {
	m := g.Spec.Mutations
	return m != nil && slices.ContainsFunc(m.Allow, func(a spec.String) bool { return a.V == action })
}

// bindUpdate makes the struct of the state fields that retry_with may set: each may be left out.
func (g *Graph) bindUpdate() {
	m := g.Spec.Mutations
	if m == nil || len(m.Update) == 0 || !g.Allows("retry_with") {
		return
	}
	t := &Type{
		Kind: Struct, GoName: g.GoName + "Update", Pos: m.Pos,
		Doc: g.GoName + "Update is what retry_with may set of the state; what is absent stays as it is.",
	}
	for _, name := range m.Update {
		f := g.State.Field(name.V)
		if f == nil || slices.ContainsFunc(g.Updates, func(have *Field) bool { return have == f }) {
			continue
		}
		set := f.Type
		if set.Kind != Optional {
			set = &Type{Kind: Optional, Elem: set, Pos: name.Pos}
		}
		own := *f.Spec
		own.Default = nil
		t.Fields = append(t.Fields, &Field{Spec: &own, Name: f.Name, GoName: f.GoName, Type: set})
		g.Updates = append(g.Updates, f)
	}
	g.Update = t
	g.own.types = append(g.own.types, t)
	g.Types = g.own.types
}
