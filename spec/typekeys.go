package spec

import (
	"maps"
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// fieldParts is a field that is being read. Its type is the value of one of several keys.
type fieldParts struct {
	*Field
	text, enum, fields, union, goType *TypeExpr
	discriminator                     String // of the union
}

// typeKeys lists the keys of which a field has exactly one.
const typeKeys = "type, enum, struct, union and go"

var fieldTable = table[fieldParts]{
	Name: "field", Noun: "a field", Exactly: fieldTypeKeys,
	Doc:  "A field of a struct, where its type alone does not say enough. Exactly one of `type`, `enum`, `struct`, `union` and `go` gives the type.",
	Rows: yamlread.Rows(fieldRows),

	Unread: func(p *fieldParts) *bool { return &p.Unread },
}

var stateTable = table[fieldParts]{
	Name: "state field", Noun: "a state field", Exactly: fieldTypeKeys,
	Doc: "A field of the state, where its type alone does not say enough. Exactly one of `type`, `enum`, `struct`, `union` and `go` gives the type.",
	Rows: yamlread.Rows(append(fieldRows[:len(fieldRows):len(fieldRows)],
		row[fieldParts]{Key{Name: "merge", Form: FormWord, Words: Merges, Default: "last",
			Doc: "How a written value is combined with the earlier one."}, func(p *fieldParts) any { return &p.Merge }},
		row[fieldParts]{Key{Name: "keep", Form: FormInt, Default: "all",
			Doc: "How many elements a list with `merge: append` keeps: a write that makes it longer drops the oldest."},
			func(p *fieldParts) any { return &p.Keep }},
		row[fieldParts]{Key{Name: "private", Form: FormBool, Default: "false",
			Doc: "Only the caller and handlers write the field, and only tools, guards, handlers and conditions read it. No model or person sees it, " +
				"and no event, report or output has it."}, func(p *fieldParts) any { return &p.Private }},
		row[fieldParts]{Key{Name: "secret", Form: FormBool, Default: "false",
			Doc: "Threads of a durable graph store the field encrypted, with a key that the program provides. In a graph with such a " +
				"field, what may repeat its value is sealed, too: conversations, results of models and tools, requests to people, " +
				"and texts of failures."}, func(p *fieldParts) any { return &p.Secret }},
		row[fieldParts]{Key{Name: "carry", Form: FormBool, Default: "false",
			Doc: "Each run of a thread of a durable graph begins with the value that the last run of the thread saved. " +
				"The first run, and runs outside of threads, begin with the default."}, func(p *fieldParts) any { return &p.Carry }})),

	Unread: func(p *fieldParts) *bool { return &p.Unread },
}

// fieldTypeKeys are the keys of a field that give its type.
var fieldTypeKeys = []string{"type", "enum", "struct", "union", "go"}

var fieldRows = []row[fieldParts]{
	{Key{Name: "type", Form: FormTypeText, Doc: "The type."}, func(p *fieldParts) any { return &p.text }},
	{Key{Name: "enum", Form: FormEnum, Doc: "The values, of a type that is a choice of them."}, func(p *fieldParts) any { return &p.enum }},
	{Key{Name: "struct", Form: FormStruct, Of: "field", Doc: "The fields, of a type that is a struct."}, func(p *fieldParts) any { return &p.fields }},
	{Key{Name: "union", Form: FormUnion, Doc: "The variants, of a type that is one of several structs."}, func(p *fieldParts) any { return &p.union }},
	{Key{Name: "discriminator", Form: FormName, Default: DefaultDiscriminator,
		Doc: "The member of the JSON object that holds the label of a union's variant."}, func(p *fieldParts) any { return &p.discriminator }},
	{Key{Name: "go", Form: FormGoType, Doc: "An existing Go type."}, func(p *fieldParts) any { return &p.goType }},
	{Key{Name: "doc", Form: FormText, Doc: "What the field holds; its doc comment, and its description in JSON Schema."},
		func(p *fieldParts) any { return &p.Doc }},
	{Key{Name: "min", Form: FormNumber, Doc: "The least value of a number."}, func(p *fieldParts) any { return &p.Min }},
	{Key{Name: "max", Form: FormNumber, Doc: "The greatest value of a number."}, func(p *fieldParts) any { return &p.Max }},
	{Key{Name: "min_length", Form: FormInt, Doc: "The least length: of a string in characters, of bytes, of a list or map in elements."},
		func(p *fieldParts) any { return &p.MinLength }},
	{Key{Name: "max_length", Form: FormInt, Doc: "The greatest length, counted as for `min_length`."}, func(p *fieldParts) any { return &p.MaxLength }},
	{Key{Name: "max_bytes", Form: FormInt,
		Doc: "The most bytes of an image, a pdf or audio, or of each element of a list or map. The size of what is at a URL is not checked."},
		func(p *fieldParts) any { return &p.MaxBytes }},
	{Key{Name: "types", Form: FormWords, Words: MediaTypes, Doc: "The MIME types that an image or audio may have. Without it, all of its kind."},
		func(p *fieldParts) any { return &p.Media }},
	{Key{Name: "pattern", Form: FormPattern,
		Doc: "A regular expression of Go's package regexp that a string matches, at any place unless it has ^ and $."},
		func(p *fieldParts) any { return &p.Pattern }},
	{Key{Name: "format", Form: FormWord, Words: Formats, Doc: "What a string looks like; see the table of formats."},
		func(p *fieldParts) any { return &p.Format }},
	{Key{Name: "renamed_from", Form: FormName,
		Doc: "The name that the field had in a released version of the graph. Threads of that version keep its value."},
		func(p *fieldParts) any { return &p.RenamedFrom }},
	{Key{Name: "default", Form: FormScalar,
		Doc: "The value of a field that JSON leaves out; of a state field, what a run starts with unless its caller gives the field. Of a list " +
			"it is a list, of a map a mapping, as in `[a, b]` and `{a: 1}`; each run has its own."},
		func(p *fieldParts) any { return &p.Default }},
}

var enumTable = table[TypeExpr]{
	Name: "enum", Noun: "an enum", Instead: "type",
	Doc: "An entry of `types`, or a node's `output`: a choice of values.",
	Rows: yamlread.Rows([]row[TypeExpr]{
		{Key{Name: "enum", Form: FormNameList, Required: true, Doc: "The values."}, func(t *TypeExpr) any { return &t.Values }},
		{Key{Name: "renamed_from", Form: FormNameTable, Example: "{urgent: high}",
			Doc: "For renamed values, the name that each had in a released version of the graph."}, func(t *TypeExpr) any { return &t.Renamed }},
		{Key{Name: "doc", Form: FormText, Doc: "What the type is; its doc comment."}, func(t *TypeExpr) any { return &t.Doc }},
	}),
}

var structTable = table[TypeExpr]{
	Name: "struct", Noun: "a struct", Instead: "type",
	Doc: "An entry of `types`, or a node's `output`: fields by name. `{struct: {score: int}}` may be written `{score: int}` where it needs no doc.",
	Rows: yamlread.Rows([]row[TypeExpr]{
		{Key{Name: "struct", Form: FormStruct, Of: "field", Required: true, Doc: "The fields."}, func(t *TypeExpr) any { return &t.Fields }},
		{Key{Name: "doc", Form: FormText, Doc: "What the type is; its doc comment."}, func(t *TypeExpr) any { return &t.Doc }},
	}),
}

var unionTable = table[TypeExpr]{
	Name: "union", Noun: "a union", Instead: "type",
	Doc: "An entry of `types`, or a node's `output`: one of several structs. In Go an interface that they implement; in JSON an " +
		"object of the variant's fields, and the discriminator with its label.",
	Rows: yamlread.Rows([]row[TypeExpr]{
		{Key{Name: "union", Form: FormUnion, Required: true, Doc: "The variants by their labels: names of structs, or structs."},
			func(t *TypeExpr) any { return &t.Variants }},
		{Key{Name: "discriminator", Form: FormName, Default: DefaultDiscriminator, Doc: "The member of the JSON object that holds the label."},
			func(t *TypeExpr) any { return &t.Discriminator }},
		{Key{Name: "doc", Form: FormText, Doc: "What the type is; its doc comment."}, func(t *TypeExpr) any { return &t.Doc }},
	}),
	Unread: func(t *TypeExpr) *bool { return &t.Unread },
}

var goTable = table[TypeExpr]{
	Name: "Go type", Noun: "a Go type", Instead: "type",
	Doc: "An entry of `types`, or a node's `output`: a Go type that is there already. Its codec methods, MarshalJSONTo and " +
		"UnmarshalJSONFrom of encoding/json/v2, have to be there too where it is written or read as JSON, without reflection.",
	Rows: yamlread.Rows([]row[TypeExpr]{
		{Key{Name: "go", Form: FormGoType, Required: true, Doc: "The type."}, func(t *TypeExpr) any { return &t.Go }},
		{Key{Name: "doc", Form: FormText, Doc: "What the type is."}, func(t *TypeExpr) any { return &t.Doc }},
	}),
}

// DefaultDiscriminator is the member of a union's JSON object that holds the label.
const DefaultDiscriminator = "type"

// typeMappings are the mappings that say what a type is.
var typeMappings = []string{"enum", "struct", "union", "Go type", "field", "state field"}

// SchemaKeywords lists the keywords of JSON Schema that types do not have, and what to
// write in their place.
func SchemaKeywords() []Word {
	words := make([]Word, 0, len(schemaKeys))
	for _, name := range slices.Sorted(maps.Keys(schemaKeys)) {
		words = append(words, Word{Name: name, Doc: diag.Help(schemaKeys[name]).String()})
	}
	return words
}

// schemaKeys are the keywords of JSON Schema that types do not have, and what there is
// instead. Those that the language has by the same name, such as enum, are not among them.
var schemaKeys = map[string]string{
	"minimum":           "write min",
	"maximum":           "write max",
	"exclusiveMinimum":  "min is inclusive: for an int write the next whole number; for a float check it in a guard",
	"exclusiveMaximum":  "max is inclusive: for an int write the whole number before; for a float check it in a guard",
	"multipleOf":        "check it in a guard of the node that writes the field",
	"minLength":         "write min_length",
	"maxLength":         "write max_length",
	"minItems":          "write min_length",
	"maxItems":          "write max_length",
	"minProperties":     "write min_length, of a map",
	"maxProperties":     "write max_length, of a map",
	"uniqueItems":       "use a state field with " + diag.Set("merge", "union") + ", or check it in a guard",
	"items":             "write the type of a list as " + diag.Either(`a text: "[]string"`, "[]string"),
	"prefixItems":       "declare a struct with a field for each place",
	"contains":          "check it in a guard of the node that writes the field",
	"properties":        "write the fields themselves: " + diag.Item("{score: int, note: \"?string\"}"),
	"patternProperties": "use a map, map[string]T, and check its keys in a guard",
	"propertyNames":     "use a map, map[string]T, and check its keys in a guard",

	"additionalProperties":  "a struct has its own fields and no others; for names that are not known use a map, map[string]T",
	"unevaluatedProperties": "a struct has its own fields and no others; for names that are not known use a map, map[string]T",
	"required":              "every field is required unless its type is optional, ?T, or it has a default",
	"dependentRequired":     "declare a union: a variant for each set of fields that go together",
	"dependentSchemas":      "declare a union: a variant for each set of fields that go together",
	"allOf":                 "write all the fields into one struct",
	"anyOf":                 "declare a union with a discriminator, or an enum; for T or nothing write ?T",
	"oneOf":                 "declare a union with a discriminator: " + diag.Item("{union: {circle: Circle, square: Square}}"),
	"not":                   "check it in a guard of the node that writes the field",
	"if":                    "declare a union: a variant for each case",
	"then":                  "declare a union: a variant for each case",
	"else":                  "declare a union: a variant for each case",
	"const":                 "declare an enum of one value: " + diag.Item("{enum: [a]}"),
	"$ref":                  "name a type that is declared under types, or one of a used file as use.Type",
	"$defs":                 "declare the types under types",
	"definitions":           "declare the types under types",
	"title":                 "the title is the name of the type",
	"description":           "write doc",
	"examples":              "write them into doc",
	"nullable":              "write the type as " + diag.OfType("?T"),
	"contentEncoding":       "use the type bytes, which is base64 in JSON, or image, pdf or audio",
	"contentMediaType":      "use the type any for JSON, image, pdf or audio with types, or bytes for the rest",
	"readOnly":              "a node writes what its writes name, and nothing else",
	"writeOnly":             "a node reads what its reads name, and nothing else",
	"deprecated":            "write it into doc",
}
