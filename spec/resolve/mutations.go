package resolve

// bindUpdate builds the struct of the state fields that retry_with may set. All are optional.
func (g *Graph) bindUpdate() {
	m := g.Mutations
	if !m.Allows("retry_with") || len(m.Update) == 0 {
		return
	}
	t := &Type{
		Kind: Struct, GoName: g.GoName + "Update", Pos: m.Spec.Pos,
		Doc: g.GoName + "Update has the state fields that retry_with may set. A nil field stays as it is.",
	}
	for _, f := range m.Update {
		set := f.Type
		if set.Kind != Optional {
			set = &Type{Kind: Optional, Elem: set, Pos: m.Spec.Pos}
		}
		own := *f.Spec
		own.Default = nil
		t.Fields = append(t.Fields, &Field{Spec: &own, Name: f.Name, GoName: f.GoName, Type: set})
	}
	g.Update = t
	g.own.types = append(g.own.types, t)
	g.Types = g.own.types
}
