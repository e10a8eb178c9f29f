package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// lostType returns the placeholder of a type that could not be read, which is not missing.
func lostType(pos Pos) *TypeExpr { return &TypeExpr{Kind: TypeNamed, Pos: pos} }

// typeDecls reads the types section.
func typeDecls(r *reader, v *Tree, k *Key) []*TypeDecl {
	if v.Kind != yamlread.Map || v.Dropped > 0 {
		r.Tear()
	}
	decls := make([]*TypeDecl, 0, len(v.Items)/2)
	r.Each(v, k, func(name String, value *Tree) {
		decl := &TypeDecl{Name: name, Type: lostType(value.Pos)}
		switch {
		case value.Kind == yamlread.Null:
			r.ReportEmpty(name, value, typeKey)
			decl.Type = lostType(name.Pos)
		case value.IsScalar():
			r.Report("GG018", value.Pos, fmt.Sprintf("%s is another name for a type, not an enum, a struct, a union or a Go type", yamlread.Quote(name.V)),
				"write "+yamlread.Short(value.Text)+" where the type is used")
		default:
			decl.Type = typeExpr(r, value, FormType)
		}
		decls = append(decls, decl)
	})
	return decls
}

// Keys of types, and of what they are made of.
var (
	typeKey     = &Key{Form: FormType}
	textKey     = &Key{Form: FormTypeText}
	unionKey    = &Key{Form: FormUnion}
	structKey   = &Key{Form: FormStruct}
	nameListKey = &Key{Form: FormNameList}
	goTypeKey   = &Key{Form: FormGoType}
)

// typeExpr reads a type in one of its forms.
func typeExpr(r *reader, v *Tree, want *Form) *TypeExpr {
	switch {
	case v.Kind == yamlread.Unreadable:
	case want == FormEnum:
		return &TypeExpr{Kind: TypeEnum, Pos: v.Pos, Values: r.Names(v, nameListKey)}
	case want == FormUnion:
		return &TypeExpr{Kind: TypeUnion, Pos: v.Pos, Variants: variants(r, v, unionKey)}
	case want == FormGoType:
		return &TypeExpr{Kind: TypeGo, Pos: v.Pos, Go: r.Text(v, goTypeKey)}
	case want == FormStruct:
		return &TypeExpr{Kind: TypeStruct, Pos: v.Pos, Fields: readFields(r, v, structKey, &fieldTable)}
	case v.Kind == yamlread.Map && want == FormType:
		return composite(r, v)
	case v.Kind == yamlread.Text && v.Text != "":
		return typeText(r, v)
	case v.Kind == yamlread.List:
		r.Report("GG018", v.Pos, "expected a type, found a list", "write a list type as "+diag.Either(`a text in quotes: "[]string"`, "[]string"))
	case v.Kind == yamlread.Null, v.IsScalar() && v.Text == "":
		r.Report("GG015", v.Pos, "expected a type, found nothing", "write the type, as in string")
	case v.Kind == yamlread.Map:
		r.Report("GG018", v.Pos, "expected the text of a type, found a mapping",
			"write "+diag.Either("enum: or struct: instead of type:, or declare the type under types", "enum=a,b, or declare the type in Types"))
	default:
		r.Report("GG018", v.Pos, "expected a type, found "+v.Found(), "write the type, as in string")
	}
	return lostType(v.Pos)
}

// composite reads {enum: [..]}, {struct: {..}}, {union: {..}}, {go: ..} or, where no key has
// such a value, the fields of a struct. A struct may thus have a field called enum.
func composite(r *reader, v *Tree) *TypeExpr {
	t := &TypeExpr{Pos: v.Pos}
	if meant(v, "enum", yamlread.List) != nil {
		t.Kind = TypeEnum
		yamlread.Read(r, v, &enumTable, t)
		return t
	}
	t.Kind = TypeStruct
	if fields := meant(v, "struct", yamlread.Map); fields != nil && (v.Get("struct") == fields || !isField(fields) && hasOnly(v, &structTable)) {
		yamlread.Read(r, v, &structTable, t)
		return t
	}
	if isUnion(v) {
		t.Kind = TypeUnion
		if yamlread.Read(r, v, &unionTable, t); t.Unread && len(t.Variants) == 0 {
			return lostType(v.Pos)
		}
		return t
	}
	if name := v.Get("go"); name != nil && name.IsScalar() && hasOnly(v, &goTable) && !isTypeText(name.Text) {
		t.Kind = TypeGo
		yamlread.Read(r, v, &goTable, t)
		return t
	}
	if kind := v.Get("type"); kind != nil && slices.Contains(schemaTypes, kind.Text) {
		r.Report("GG018", kind.Pos, "this is JSON Schema, which types are not written in", schemaHelp)
		return lostType(v.Pos)
	}
	lists, others := lists(v), 0
	for _, key := range []string{"doc", "renamed_from"} {
		if v.Get(key) != nil {
			others++
		}
	}
	if len(lists) > 0 && len(lists)+others == len(v.Items)/2 { // an enum, by whatever name
		for _, values := range lists {
			typeExpr(r, values, FormTypeText)
		}
		return lostType(v.Pos)
	}
	t.Fields = readFields(r, v, structKey, &fieldTable)
	return t
}

// lists returns the values of a mapping that are lists.
func lists(t *Tree) (lists []*Tree) {
	for i := 1; i < len(t.Items); i += 2 {
		if t.Items[i].Kind == yamlread.List {
			lists = append(lists, &t.Items[i])
		}
	}
	return lists
}

// meant returns the value of a kind under a key of a mapping, or under a misspelling of it, nil
// without one.
func meant(t *Tree, key string, kind yamlread.Kind) *Tree {
	for i := range len(t.Items) / 2 {
		written, value := t.Key(i)
		if _, near := diag.Suggest(written.V, []string{key}); value.Kind == kind && (near || written.V == key) {
			return value
		}
	}
	return nil
}

// schemaTypes are the types of JSON Schema that have fields or elements.
var schemaTypes = []string{"object", "array"}

var schemaHelp = "write the fields themselves, as in " + diag.Item("{score: int, note: \"?string\"}") + ", and a list type as a text, \"[]string\""

// isUnion reports whether a mapping is a union: it has variants under the key union, or
// under a misspelling of it, or a discriminator beside one mapping.
func isUnion(t *Tree) bool {
	if variants := meant(t, "union", yamlread.Map); variants != nil {
		return !isField(variants)
	}
	var mappings []*Tree
	for i := range len(t.Items) / 2 {
		if _, value := t.Key(i); value.Kind == yamlread.Map {
			mappings = append(mappings, value)
		}
	}
	return len(mappings) == 1 && !isField(mappings[0]) && t.Get("discriminator") != nil
}

// isField reports whether a mapping has the keys of a field and no others.
func isField(t *Tree) bool {
	for i := 0; i < len(t.Items); i += 2 {
		if fieldTable.Index(t.Items[i].Text) < 0 {
			return false
		}
	}
	return len(t.Items) > 0
}

// hasOnly reports whether a mapping has the table's keys, or misspellings of them, and no
// others.
func hasOnly(t *Tree, keys *table[TypeExpr]) bool {
	names := keys.Mapping().Names()
	for i := 0; i < len(t.Items); i += 2 {
		if _, near := diag.Suggest(t.Items[i].Text, names); !near && keys.Index(t.Items[i].Text) < 0 {
			return false
		}
	}
	return true
}

// isTypeText reports whether a text is the type of a field and not the name of a Go type:
// one the language has by name, or made of another.
func isTypeText(text string) bool {
	return slices.Contains(Names(BasicTypes), text) || strings.HasPrefix(text, "?") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "map[")
}

// variants reads the members of a union.
func variants(r *reader, v *Tree, k *Key) []Variant {
	variants := make([]Variant, 0, len(v.Items)/2)
	r.Each(v, k, func(label String, value *Tree) {
		one := Variant{Label: label, Type: lostType(label.Pos)}
		if value.Kind == yamlread.Null {
			r.ReportEmpty(label, value, typeKey)
		} else {
			one.Type = typeExpr(r, value, FormType)
		}
		variants = append(variants, one)
	})
	return variants
}

// readFields reads the fields of a struct, or of the state.
func readFields(r *reader, v *Tree, k *Key, keys *table[fieldParts]) []*Field {
	fields := make([]*Field, 0, len(v.Items)/2)
	r.Each(v, k, func(name String, value *Tree) { fields = append(fields, readField(r, name, value, keys)) })
	return fields
}

func readField(r *reader, key String, value *Tree, keys *table[fieldParts]) *Field {
	f := &Field{Name: key}
	switch {
	case value.Kind == yamlread.Null:
		r.ReportEmpty(key, value, textKey)
		f.Type = lostType(key.Pos)
		return f
	case value.Kind == yamlread.List, value.IsScalar() && value.Kind != yamlread.Text:
		if instead, foreign := schemaKeys[key.V]; foreign {
			r.Report("GG018", key.Pos, yamlread.Quote(key.V)+" is a keyword of JSON Schema, which types are not written in", instead)
			f.Type = lostType(key.Pos)
			return f
		}
		fallthrough
	case value.Kind != yamlread.Map:
		f.Type = typeExpr(r, value, FormTypeText)
		return f
	}
	parts := fieldParts{Field: f}
	before := r.Count()
	yamlread.Read(r, value, keys, &parts)
	for _, t := range [...]*TypeExpr{parts.text, parts.enum, parts.fields, parts.union, parts.goType} {
		switch {
		case t == nil:
		case f.Type == nil:
			f.Type = t
		default:
			r.ReportRelated("GG018", t.Pos, fmt.Sprintf("the field %s has two types", yamlread.Quote(key.V)),
				"keep one of "+typeKeys, f.Type.Pos, "the other one is here")
		}
	}
	if parts.discriminator.IsSet() {
		if f.Type != nil && f.Type.Kind == TypeUnion {
			f.Type.Discriminator = parts.discriminator
		} else if f.Type != nil || r.Count() == before { // the key union may be the one that is not read
			r.Report("GG019", parts.discriminator.Pos, fmt.Sprintf("the field %s has a discriminator and is not a union", yamlread.Quote(key.V)),
				"leave it out, or give the field the key union")
		}
	}
	if f.Type == nil {
		f.Type = lostType(value.Pos)
		if r.Count() == before {
			r.Report("GG018", value.Pos, fmt.Sprintf("the field %s has no type", yamlread.Quote(key.V)), "add one of "+typeKeys)
		}
	}
	return f
}
