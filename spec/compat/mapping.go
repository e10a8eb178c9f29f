package compat

import (
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// A Map is how the JSON of a value of an older version becomes the JSON of a newer one, where names have changed. A nil
// Map changes nothing, and none changes null.
type Map struct {
	Elem     *Map       // of a list or a map
	Fields   []FieldMap // of a struct: those that are renamed, or whose values change
	Values   []FieldMap // of an enum: those that are renamed
	Label    string     // of a union: the member that holds the label
	Variants []FieldMap // of a union: those whose fields change; From and To are the label
}

// A FieldMap is how a field becomes another.
type FieldMap struct {
	From, To string
	Value    *Map
}

// Maps are how what a thread has of an older version becomes what it has of a newer one.
type Maps struct {
	State   *Map
	Outputs []FieldMap // kept outputs that the newer version reads, by the older name of their node
	Nodes   []Rename   // of nodes
}

// MapsOf returns how threads of an older shape become threads of a newer one, as far as the spec declares it.
func MapsOf(old, new *shape.Shape) Maps {
	b := mapping{of: map[[2]*resolve.Type]*Map{}, changes: map[*Map]bool{}}
	all := Maps{State: b.typ(old.State, new.State)}
	name := func(n *shape.Node) string { return n.Name }
	both, _, _ := matched(old.Nodes, new.Nodes, name, func(n *shape.Node) string { return n.Was.V })
	for _, p := range both {
		if p.old.Name != p.new.Name {
			all.Nodes = append(all.Nodes, Rename{Of: Nodes, From: p.old.Name, To: p.new.Name})
		}
		switch {
		case !keeps(p.old) || !keeps(p.new) || !reads(old, new, p.old, p.new):
		case p.old.Output != nil:
			all.Outputs = append(all.Outputs, FieldMap{p.old.Name, p.new.Name, b.typ(p.old.Output, p.new.Output)})
		default:
			all.Outputs = append(all.Outputs, FieldMap{p.old.Name, p.new.Name, all.State})
		}
	}
	all.State = b.prune(all.State)
	for i := range all.Outputs {
		all.Outputs[i].Value = b.prune(all.Outputs[i].Value)
	}
	return all
}

// reads reports whether the newer version reads the kept output of a node.
func reads(old, new *shape.Shape, was, is *shape.Node) bool {
	c := &comparison{old: old, new: new, seen: map[[2]*resolve.Type]bool{}}
	if len(was.Writes) > 0 {
		c.fields(owner{state: true}, picked(old.State, was.Writes), picked(new.State, is.Writes))
	}
	c.output(was, is)
	return VerdictOf(c.changes) != Migration
}

// picked returns fields of a state.
func picked(state *resolve.Type, names []string) (fields []*resolve.Field) {
	for _, name := range names {
		fields = append(fields, state.Field(name))
	}
	return fields
}

// A mapping makes the maps of pairs of types, each once: types may be recursive.
type mapping struct {
	of      map[[2]*resolve.Type]*Map
	changes map[*Map]bool // whether a map changes something; while that is looked for, it does not
}

func (b *mapping) typ(old, new *resolve.Type) *Map {
	old, new = old.Base(), new.Base() // what is optional is there or null
	key := [2]*resolve.Type{old, new}
	if m, made := b.of[key]; made || old.Kind != new.Kind {
		return m
	}
	m := &Map{}
	b.of[key] = m
	switch new.Kind {
	case resolve.List, resolve.Map:
		m.Elem = b.typ(old.Elem, new.Elem)
	case resolve.Enum:
		both, _, _ := matched(old.Values, new.Values, func(v resolve.EnumValue) string { return v.Name }, func(v resolve.EnumValue) string { return v.Was })
		for _, p := range both {
			if p.old.Name != p.new.Name {
				m.Values = append(m.Values, FieldMap{From: p.old.Name, To: p.new.Name})
			}
		}
	case resolve.Struct:
		both, _, _ := matched(old.Fields, new.Fields, fieldName, fieldWas)
		for _, p := range both {
			m.Fields = append(m.Fields, FieldMap{p.old.Name, p.new.Name, b.typ(p.old.Type, p.new.Type)})
		}
	case resolve.Union:
		m.Label = new.Discriminator
		both, _, _ := matched(old.Variants, new.Variants, func(v resolve.Variant) string { return v.Label }, func(resolve.Variant) string { return "" })
		for _, p := range both {
			m.Variants = append(m.Variants, FieldMap{p.old.Label, p.new.Label, b.typ(p.old.Type, p.new.Type)})
		}
	}
	return m
}

// prune returns a map without the parts that change nothing.
func (b *mapping) prune(m *Map) *Map {
	if m == nil || !b.reaches(m, map[*Map]bool{}) {
		return nil
	}
	if b.changes[m] {
		return m
	}
	b.changes[m] = true
	m.Elem = b.prune(m.Elem)
	m.Fields, m.Variants = b.kept(m.Fields), b.kept(m.Variants)
	return m
}

func (b *mapping) kept(list []FieldMap) (kept []FieldMap) {
	for _, f := range list {
		if f.Value = b.prune(f.Value); f.Value != nil || f.From != f.To {
			kept = append(kept, f)
		}
	}
	return kept
}

// reaches reports whether a map, or one in it, changes a name.
func (b *mapping) reaches(m *Map, seen map[*Map]bool) bool {
	if m == nil || seen[m] {
		return false
	}
	seen[m] = true
	if len(m.Values) > 0 || b.reaches(m.Elem, seen) {
		return true
	}
	for _, list := range [][]FieldMap{m.Fields, m.Variants} {
		for _, f := range list {
			if f.From != f.To || b.reaches(f.Value, seen) {
				return true
			}
		}
	}
	return false
}
