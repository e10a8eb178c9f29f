package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
)

// lostType returns the placeholder of a type that could not be read, which is not missing.
func lostType(pos Pos) *TypeExpr { return &TypeExpr{Kind: TypeNamed, Pos: pos} }

// typeDecls reads the types section.
func (r *reader) typeDecls(v *tree) []*TypeDecl {
	if v.shape != mapping {
		r.mismatch(v, FormTypes)
		r.torn = true
		return nil
	}
	r.torn = r.torn || v.dropped > 0
	decls := make([]*TypeDecl, 0, len(v.items)/2)
	for i := 0; i < len(v.items); i += 2 {
		key, value := &v.items[i], &v.items[i+1]
		decl := &TypeDecl{Name: String{V: key.text, Pos: key.pos}}
		switch {
		case value.isNull():
			r.missing(key, value, &Key{Form: FormType})
			decl.Type = lostType(key.pos)
		case value.shape == scalar:
			r.report("GG018", value.pos, fmt.Sprintf("%s is another name for a type, not an enum, a struct, a union or a Go type", quote(key.text)),
				"write "+short(value.text)+" where the type is used")
			decl.Type = lostType(value.pos)
		default:
			decl.Type = r.typeExpr(value, FormType)
		}
		decls = append(decls, decl)
	}
	return decls
}

// typeExpr reads a type in one of its forms.
func (r *reader) typeExpr(v *tree, want Form) *TypeExpr {
	switch {
	case v.shape == unreadable:
	case want == FormEnum:
		return &TypeExpr{Kind: TypeEnum, Pos: v.pos, Values: r.names(v, FormNameList)}
	case want == FormUnion:
		return &TypeExpr{Kind: TypeUnion, Pos: v.pos, Variants: r.variants(v)}
	case want == FormGoType:
		return &TypeExpr{Kind: TypeGo, Pos: v.pos, Go: r.text(v, &Key{Form: FormGoType})}
	case want == FormStruct:
		return &TypeExpr{Kind: TypeStruct, Pos: v.pos, Fields: r.structFields(v)}
	case v.shape == mapping && want == FormType:
		return r.composite(v)
	case v.shape == scalar && v.scalar == ScalarString && v.text != "":
		return r.typeText(v)
	case v.shape == list:
		r.report("GG018", v.pos, "expected a type, found a list", "write a list type as a text in quotes: \"[]string\"")
	case v.isNull(), v.shape == scalar && v.text == "":
		r.report("GG015", v.pos, "expected a type, found nothing", "write the type, as in string")
	case v.shape == mapping:
		r.report("GG018", v.pos, "expected the text of a type, found a mapping", "write enum: or struct: in place of type:, or declare the type under types")
	default:
		r.report("GG018", v.pos, "expected a type, found "+v.found(), "write the type, as in string")
	}
	return lostType(v.pos)
}

// composite reads {enum: [..]}, {struct: {..}}, {union: {..}}, {go: ..} or, where no key has
// such a value, the fields of a struct. A struct may thus have a field called enum.
func (r *reader) composite(v *tree) *TypeExpr {
	t := &TypeExpr{Pos: v.pos}
	if v.listAt("enum") {
		t.Kind = TypeEnum
		readKeys(r, v, &enumTable, t)
		return t
	}
	t.Kind = TypeStruct
	if fields := v.get("struct"); fields != nil && fields.shape == mapping {
		readKeys(r, v, &structTable, t)
		return t
	}
	if v.isUnion() {
		t.Kind = TypeUnion
		if readKeys(r, v, &unionTable, t); t.Unread && len(t.Variants) == 0 {
			return lostType(v.pos)
		}
		return t
	}
	if name := v.get("go"); name != nil && name.shape == scalar && v.within(&goTable) && !isTypeText(name.text) {
		t.Kind = TypeGo
		readKeys(r, v, &goTable, t)
		return t
	}
	if kind := v.get("type"); kind != nil && slices.Contains(schemaTypes, kind.text) {
		r.report("GG018", kind.pos, "this is JSON Schema, which types are not written in", schemaHelp)
		return lostType(v.pos)
	}
	lists, docs := v.lists(), 0
	if v.get("doc") != nil {
		docs = 1
	}
	if len(lists) > 0 && len(lists)+docs == len(v.items)/2 { // an enum, by whatever name
		for _, values := range lists {
			r.typeExpr(values, FormTypeText)
		}
		return lostType(v.pos)
	}
	t.Fields = r.structFields(v)
	return t
}

// lists returns the values of a mapping that are lists.
func (t *tree) lists() (lists []*tree) {
	for i := 1; i < len(t.items); i += 2 {
		if t.items[i].shape == list {
			lists = append(lists, &t.items[i])
		}
	}
	return lists
}

// listAt reports whether a mapping has a list under a key, or under one that is a
// misspelling of it.
func (t *tree) listAt(key string) bool {
	for i := 0; i+1 < len(t.items); i += 2 {
		written := t.items[i].text
		_, near := diag.Suggest(written, []string{key})
		if t.items[i+1].shape == list && (near || written == key) {
			return true
		}
	}
	return false
}

// schemaTypes are the types of JSON Schema that have fields or elements.
var schemaTypes = []string{"object", "array"}

const schemaHelp = "write the fields themselves, as in {score: int, note: \"?string\"}, and a list type as a text, \"[]string\""

// isUnion reports whether a mapping is a union: it has variants under the key union, or
// under a misspelling of it, or a discriminator beside one mapping.
func (t *tree) isUnion() bool {
	mappings, fields := 0, false
	for i := 0; i+1 < len(t.items); i += 2 {
		key, value := t.items[i].text, &t.items[i+1]
		if value.shape != mapping {
			continue
		}
		mappings++
		if _, near := diag.Suggest(key, []string{"union"}); near || key == "union" {
			return !value.isField()
		}
		fields = fields || value.isField()
	}
	return mappings == 1 && !fields && t.get("discriminator") != nil
}

// isField reports whether a mapping has the keys of a field and no others.
func (t *tree) isField() bool {
	for i := 0; i < len(t.items); i += 2 {
		if !slices.ContainsFunc(fieldTable.rows, func(row row[fieldParts]) bool { return row.Name == t.items[i].text }) {
			return false
		}
	}
	return len(t.items) > 0
}

// within reports whether a mapping has the table's keys, or misspellings of them, and no
// others.
func (t *tree) within(keys *table[TypeExpr]) bool {
	var names []string
	for i := range keys.rows {
		names = append(names, keys.rows[i].Name)
	}
	for i := 0; i < len(t.items); i += 2 {
		written := t.items[i].text
		if _, near := diag.Suggest(written, names); !near && !slices.Contains(names, written) {
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
func (r *reader) variants(v *tree) []Variant {
	if v.shape != mapping {
		r.mismatch(v, FormUnion)
		return nil
	}
	variants := make([]Variant, 0, len(v.items)/2)
	for i := 0; i < len(v.items); i += 2 {
		key, value := &v.items[i], &v.items[i+1]
		one := Variant{Label: String{V: key.text, Pos: key.pos}, Type: lostType(key.pos)}
		if value.isNull() {
			r.missing(key, value, &Key{Form: FormType})
		} else {
			one.Type = r.typeExpr(value, FormType)
		}
		variants = append(variants, one)
	}
	return variants
}

func (r *reader) structFields(v *tree) []*Field {
	return readFields(r, v, FormStruct, &fieldTable)
}

// stateFields reads the state section.
func (r *reader) stateFields(v *tree) []*Field {
	r.torn = r.torn || v.shape != mapping || v.dropped > 0
	return readFields(r, v, FormFields, &stateTable)
}

func readFields(r *reader, v *tree, want Form, keys *table[fieldParts]) []*Field {
	if v.shape != mapping {
		r.mismatch(v, want)
		return nil
	}
	fields := make([]*Field, 0, len(v.items)/2)
	for i := 0; i < len(v.items); i += 2 {
		fields = append(fields, readField(r, &v.items[i], &v.items[i+1], keys))
	}
	return fields
}

func readField(r *reader, key, value *tree, keys *table[fieldParts]) *Field {
	f := &Field{Name: String{V: key.text, Pos: key.pos}}
	switch {
	case value.isNull():
		r.missing(key, value, &Key{Form: FormTypeText})
		f.Type = lostType(key.pos)
		return f
	case value.shape == list, value.shape == scalar && value.scalar != ScalarString:
		if instead, foreign := schemaKeys[key.text]; foreign {
			r.report("GG018", key.pos, quote(key.text)+" is a keyword of JSON Schema, which types are not written in", instead)
			f.Type = lostType(key.pos)
			return f
		}
		fallthrough
	case value.shape != mapping:
		f.Type = r.typeExpr(value, FormTypeText)
		return f
	}
	parts := fieldParts{Field: f}
	before := len(r.found) + r.dropped
	readKeys(r, value, keys, &parts)
	for _, t := range [...]*TypeExpr{parts.text, parts.enum, parts.fields, parts.union, parts.goType} {
		switch {
		case t == nil:
		case f.Type == nil:
			f.Type = t
		default:
			r.reportRelated("GG018", t.Pos, fmt.Sprintf("the field %s has two types", quote(key.text)),
				"keep one of "+typeKeys, f.Type.Pos, "the other one is here")
		}
	}
	if parts.discriminator.IsSet() {
		if f.Type != nil && f.Type.Kind == TypeUnion {
			f.Type.Discriminator = parts.discriminator
		} else if f.Type != nil || len(r.found)+r.dropped == before { // the key union may be the one that is not read
			r.report("GG019", parts.discriminator.Pos, fmt.Sprintf("the field %s has a discriminator and is no union", quote(key.text)), "leave it out, or give the field the key union")
		}
	}
	if f.Type == nil {
		f.Type = lostType(value.pos)
		if len(r.found)+r.dropped == before {
			r.report("GG018", value.pos, fmt.Sprintf("the field %s has no type", quote(key.text)), "add one of "+typeKeys)
		}
	}
	return f
}
