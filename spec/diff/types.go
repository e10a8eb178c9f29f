package diff

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

func (d *difference) types(old, new *spec.Graph) {
	pairs(old.Types, new.Types, func(t *spec.TypeDecl) string { return t.Name.V }, func(name string, was, is **spec.TypeDecl) {
		switch {
		case was == nil:
			d.add(Change{Kind: Added, Section: Types, Of: name, What: typeText((*is).Type), Pos: (*is).Name.Pos})
		case is == nil:
			d.add(Change{Kind: Removed, Section: Types, Of: name, Pos: (*was).Name.Pos})
		default:
			d.typ(Types, name, (*was).Type, (*is).Type)
		}
	})
}

func (d *difference) state(old, new []*spec.Field) { d.fields(State, "", old, new) }

// fields compares the fields of a struct or of the state. They have no order.
func (d *difference) fields(section Section, of string, old, new []*spec.Field) {
	pairs(old, new, func(f *spec.Field) string { return f.Name.V }, func(name string, was, is **spec.Field) {
		path := strings.TrimPrefix(of+"."+name, ".")
		switch {
		case was == nil:
			d.add(Change{Kind: Added, Section: section, Of: path, What: fieldText(*is), Pos: (*is).Name.Pos})
		case is == nil:
			d.add(Change{Kind: Removed, Section: section, Of: path, Pos: (*was).Name.Pos})
		default:
			d.typ(section, path, (*was).Type, (*is).Type)
			apart := fieldExcluded
			if section == Tools {
				apart = nil
			}
			d.settings(section, path, (*was).Settings(), (*is).Settings(), apart)
		}
	})
}

// typ compares two types, part by part if both have the same form.
func (d *difference) typ(section Section, of string, old, new *spec.TypeExpr) {
	switch {
	case old == nil || new == nil || old.Kind != new.Kind:
		if was, is := typeText(old), typeText(new); was != is {
			d.add(Change{Section: section, Of: of, What: "type: " + arrow(was, is), Pos: posOf(new)})
		}
		return
	case old.Elem != nil && new.Elem != nil:
		if inline(old) && inline(new) {
			d.typ(section, of, old.Elem, new.Elem)
			return
		}
	case old.Kind == spec.TypeStruct:
		d.fields(section, of, old.Fields, new.Fields)
		return
	case old.Kind == spec.TypeEnum:
		d.values(section, of, old, new)
		return
	}
	if was, is := typeText(old), typeText(new); was != is {
		d.add(Change{Section: section, Of: of, What: "type: " + arrow(was, is), Pos: new.Pos})
	}
}

func posOf(t *spec.TypeExpr) spec.Pos {
	if t == nil {
		return spec.Pos{}
	}
	return t.Pos
}

// inline reports whether a type contains an unnamed enum or struct.
func inline(t *spec.TypeExpr) bool {
	for t.Elem != nil {
		t = t.Elem
	}
	return t.Kind == spec.TypeEnum || t.Kind == spec.TypeStruct
}

// values compares the values of an enum. Their order is the order of its constants.
func (d *difference) values(section Section, of string, old, new *spec.TypeExpr) {
	was, is := plain(old.Values), plain(new.Values)
	if text := compareSets(was, is); text != "" {
		d.add(Change{Section: section, Of: of, What: "values: " + text, Pos: new.Pos})
	}
	if was, is := renamedText(old), renamedText(new); was != is {
		d.add(Change{Section: section, Of: of, What: "renamed_from: " + arrow(was, is), Pos: new.Pos})
	}
	kept := func(list, of []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(v string) bool { return !slices.Contains(of, v) })
	}
	if before, after := kept(was, is), kept(is, was); !slices.Equal(before, after) {
		d.add(Change{Section: section, Of: of, What: "order of the values: " + arrow(strings.Join(before, ", "), strings.Join(after, ", ")), Pos: new.Pos})
	}
}

// renamedText formats the earlier names of values on one line.
func renamedText(t *spec.TypeExpr) string {
	if len(t.Renamed) == 0 {
		return none
	}
	return joined(t.Renamed, func(a spec.Assignment) string { return a.Name.V + " was " + a.Field.V })
}

func plain(list []spec.String) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.V
	}
	return out
}

// prefixes are the prefixes of types with an element.
var prefixes = map[spec.TypeKind]string{spec.TypeList: "[]", spec.TypeMap: "map[string]", spec.TypeOptional: "?"}

// typeText formats a type on one line.
func typeText(t *spec.TypeExpr) string {
	switch {
	case t == nil:
		return none
	case t.Elem != nil:
		return prefixes[t.Kind] + typeText(t.Elem)
	}
	switch t.Kind {
	case spec.TypeEnum:
		return "enum of " + strings.Join(plain(t.Values), ", ")
	case spec.TypeStruct:
		return "{" + joined(t.Fields, func(f *spec.Field) string { return f.Name.V + ": " + fieldText(f) }) + "}"
	case spec.TypeUnion:
		text := "union of " + joined(t.Variants, func(v spec.Variant) string { return v.Label.V + ": " + typeText(v.Type) })
		if t.Discriminator.IsSet() {
			text += " by " + t.Discriminator.V
		}
		return text
	case spec.TypeGo:
		return "Go type " + t.Go.V
	}
	return t.Name
}

// fieldText formats a field with its settings on one line.
func fieldText(f *spec.Field) string {
	text := typeText(f.Type)
	for _, s := range f.Settings() {
		if !slices.Contains(fieldExcluded, s.Key.Name) && s.Text != s.Key.Default {
			text += ", " + s.Key.Name + " " + s.Text
		}
	}
	return text
}

func joined[T any](list []T, text func(T) string) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = text(x)
	}
	return strings.Join(parts, ", ")
}
