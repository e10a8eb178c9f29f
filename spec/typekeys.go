package spec

// fieldParts is a field while it is read: its type may stand under one of three keys.
type fieldParts struct {
	*Field
	text, enum, fields *TypeExpr
}

var fieldTable = table[fieldParts]{
	name: "field", says: "a field", exactly: fieldTypeKeys,
	doc:  "A field of a struct, where its type alone does not say enough. Exactly one of `type`, `enum` and `struct` gives the type.",
	rows: fieldRows,

	unread: func(p *fieldParts) *bool { return &p.Unread },
}

var stateTable = table[fieldParts]{
	name: "state field", says: "a state field", exactly: fieldTypeKeys,
	doc: "A field of the state, where its type alone does not say enough. Exactly one of `type`, `enum` and `struct` gives the type.",
	rows: append(fieldRows[:len(fieldRows):len(fieldRows)],
		row[fieldParts]{Key{Name: "merge", Form: FormWord, Words: Merges, Default: "last", Doc: "How a written value and the one before it become one."}, func(p *fieldParts) any { return &p.Merge }}),

	unread: func(p *fieldParts) *bool { return &p.Unread },
}

// fieldTypeKeys are the keys of a field that give its type.
var fieldTypeKeys = []string{"type", "enum", "struct"}

var fieldRows = []row[fieldParts]{
	{Key{Name: "type", Form: FormTypeText, Doc: "The type."}, func(p *fieldParts) any { return &p.text }},
	{Key{Name: "enum", Form: FormEnum, Doc: "The values, of a type that is a choice of them."}, func(p *fieldParts) any { return &p.enum }},
	{Key{Name: "struct", Form: FormStruct, Of: "field", Doc: "The fields, of a type that is a struct."}, func(p *fieldParts) any { return &p.fields }},
	{Key{Name: "doc", Form: FormText, Doc: "What the field holds; its doc comment, and its description in JSON Schema."}, func(p *fieldParts) any { return &p.Doc }},
	{Key{Name: "min", Form: FormNumber, Doc: "The least value of a number."}, func(p *fieldParts) any { return &p.Min }},
	{Key{Name: "max", Form: FormNumber, Doc: "The greatest value of a number."}, func(p *fieldParts) any { return &p.Max }},
}

var enumTable = table[TypeExpr]{
	name: "enum", says: "an enum", instead: "type",
	doc: "An entry of `types`, or a node's `output`: a choice of values.",
	rows: []row[TypeExpr]{
		{Key{Name: "enum", Form: FormNameList, Required: true, Doc: "The values."}, func(t *TypeExpr) any { return &t.Values }},
		{Key{Name: "doc", Form: FormText, Doc: "What the type is; its doc comment."}, func(t *TypeExpr) any { return &t.Doc }},
	},
}

var structTable = table[TypeExpr]{
	name: "struct", says: "a struct", instead: "type",
	doc: "An entry of `types`, or a node's `output`: fields by name. `{struct: {score: int}}` may be written `{score: int}` where it needs no doc.",
	rows: []row[TypeExpr]{
		{Key{Name: "struct", Form: FormStruct, Of: "field", Required: true, Doc: "The fields."}, func(t *TypeExpr) any { return &t.Fields }},
		{Key{Name: "doc", Form: FormText, Doc: "What the type is; its doc comment."}, func(t *TypeExpr) any { return &t.Doc }},
	},
}
