package draft

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Schema makes types of a draft of one JSON Schema.
type Schema struct {
	file *File
	d    *Draft
	root *Tree
	busy []string // names of the types that are being made

	named string          // the type of the root
	refs  map[string]Type // of what references lead to, by reference
}

// NewSchema returns the maker of the types of a schema.
func NewSchema(f *File, d *Draft, root *Tree) *Schema { return &Schema{file: f, d: d, root: root} }

// A Type is what a schema becomes.
type Type struct {
	Text   string // of the type: "[]Finding"
	Keys   Table  // limits and the doc of a field
	Sample Tree   // a value that fits
}

// Root returns the type of a model's answer, "" for one that is a text: the schema has no properties.
func (s *Schema) Root(name string) Type {
	schema := s.follow(s.root)
	if schema.Kind == yamlread.Map && schema.Get("properties") != nil && len(schema.Get("properties").Items) > 0 {
		t := s.object(schema, name)
		s.named = t.Text
		return t
	}
	if kind := typeWord(schema); kind == "" || kind == "object" {
		s.file.Warn("GG358", s.root.Pos, "the schema of the output has no properties: the answer is a text", "write the fields of the answer under types")
		return Type{Sample: Text("an answer", s.root.Pos)}
	}
	t := s.typeOf(schema, name+"Value")
	s.file.Warn("GG358", s.root.Pos, "the schema of the output is not an object: the answer is an object with the field value", "")
	fields := Map(s.root.Pos, "value", s.field(t, s.root.Pos))
	return Type{Text: s.d.Declare(name, s.root.Pos, fields), Sample: Map(s.root.Pos, "value", t.Sample)}
}

// object declares the struct of an object.
func (s *Schema) object(schema *Tree, name string) Type {
	properties, required := schema.Get("properties"), schema.Get("required")
	fields, sample := yamlread.MapTree(schema.Pos), yamlread.MapTree(schema.Pos)
	if properties.Kind != yamlread.Map {
		s.file.Error("GG355", properties.Pos, "the properties of a schema are a mapping, not "+properties.Found(), "")
		return Type{Text: "any", Sample: Text("", schema.Pos)}
	}
	for i := range len(properties.Items) / 2 {
		key, value := properties.Key(i)
		if !goname.Valid(key.V) {
			s.file.Warn("GG357", key.Pos, "the property "+yamlread.Quote(key.V)+" is left out: it becomes a Go name", "rename it, here and in the instructions")
			continue
		}
		t := s.typeOf(value, TypeName(key.V))
		needed := required != nil && slices.ContainsFunc(required.Items, func(t Tree) bool { return t.Text == key.V })
		switch {
		case needed:
			sample.Items = append(sample.Items, Text(key.V, key.Pos), t.Sample)
		case t.Keys.Get("default") == nil && !strings.HasPrefix(t.Text, "?"):
			t.Text = "?" + t.Text
		}
		fields.Items = append(fields.Items, Text(key.V, key.Pos), s.field(t, key.Pos))
	}
	return Type{Text: s.d.Declare(name, schema.Pos, s.described(schema, "struct", fields)), Sample: sample}
}

// described returns a declaration, with the description of its schema.
func (s *Schema) described(schema *Tree, key string, value Tree) Tree {
	doc := schema.Get("description")
	if doc == nil || doc.Kind != yamlread.Text || oneLine(doc.Text) == "" {
		for _, word := range []string{"struct", "enum", "union", "go"} {
			if value.Get(word) != nil { // a field of that name
				return Map(schema.Pos, key, value)
			}
		}
		return value
	}
	return Map(schema.Pos, "doc", Text(oneLine(doc.Text), doc.Pos), key, value)
}

// field returns a type as a field has it: its text, or its keys.
func (s *Schema) field(t Type, pos Pos) Tree {
	f := Field{Pos: pos, Type: t.Text, Keys: t.Keys}
	return f.tree()
}

// oneLine returns a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// follow returns the schema that a reference leads to, and other schemas as they are.
func (s *Schema) follow(schema *Tree) *Tree {
	for range 20 {
		ref := schema.Get("$ref")
		if ref == nil {
			return schema
		}
		path, local := strings.CutPrefix(ref.Text, "#/")
		at := s.root
		for part := range strings.SplitSeq(path, "/") {
			if at = at.Get(part); at == nil {
				break
			}
		}
		if !local || at == nil {
			s.file.Warn("GG358", ref.Pos, "the reference "+yamlread.Quote(ref.Text)+" leads to nothing: the value is any", "")
			return &Tree{Kind: yamlread.Map, Pos: schema.Pos}
		}
		schema = at
	}
	return &Tree{Kind: yamlread.Map, Pos: schema.Pos}
}

// typeWord returns the type that a schema names, "" for none or several.
func typeWord(schema *Tree) string {
	t := schema.Get("type")
	switch {
	case t == nil:
		return ""
	case t.Kind == yamlread.Text:
		return t.Text
	case t.Kind == yamlread.List:
		words := slices.DeleteFunc(slices.Clone(t.Items), func(t Tree) bool { return t.Text == "null" })
		if len(words) == 1 {
			return words[0].Text
		}
	}
	return ""
}

// nullable reports whether a schema allows null.
func nullable(schema *Tree) bool {
	if n := schema.Get("nullable"); n != nil && n.Text == "true" {
		return true
	}
	t := schema.Get("type")
	return t != nil && t.Kind == yamlread.List && slices.ContainsFunc(t.Items, func(t Tree) bool { return t.Text == "null" })
}

// most is how deep types are nested in one another; deeper ones are any.
const most = 20

// typeOf returns the type of a schema, or of what it refers to. name is for a type that it declares.
func (s *Schema) typeOf(schema *Tree, name string) Type {
	ref := schema.Get("$ref")
	if ref == nil {
		return s.direct(schema, name)
	}
	if t, ok := s.refs[ref.Text]; ok {
		return t
	}
	if s.refs == nil {
		s.refs = map[string]Type{}
	}
	s.refs[ref.Text] = Type{Text: "any", Sample: Text("a value", ref.Pos)} // within itself
	if last := ref.Text[strings.LastIndexByte(ref.Text, '/')+1:]; goname.Exported(Identifier(last, "type")) != "" {
		name = TypeName(last)
	}
	t := s.direct(s.follow(schema), name)
	s.refs[ref.Text] = t
	return t
}

// direct returns the type of a schema that is not a reference.
func (s *Schema) direct(schema *Tree, name string) Type {
	s.busy = append(s.busy, name)
	defer func() { s.busy = s.busy[:len(s.busy)-1] }()
	if schema.Kind != yamlread.Map || len(s.busy) > most {
		return Type{Text: "any", Sample: Text("a value", schema.Pos)}
	}
	t := s.plainType(schema, name)
	if doc := schema.Get("description"); doc != nil && doc.Kind == yamlread.Text && t.Keys.Get("doc") == nil && oneLine(doc.Text) != "" {
		t.Keys.Put(String{V: "doc", Pos: doc.Pos}, Text(oneLine(doc.Text), doc.Pos))
	}
	s.limits(schema, &t)
	if nullable(schema) && !strings.HasPrefix(t.Text, "?") {
		t.Text = "?" + t.Text
	}
	return t
}

// plainType returns the type of a schema without its limits.
func (s *Schema) plainType(schema *Tree, name string) Type {
	if enum := schema.Get("enum"); enum != nil {
		return s.enum(schema, enum, name)
	}
	if c := schema.Get("const"); c != nil && c.Kind == yamlread.Text {
		list := yamlread.ListTree(c.Pos, *c)
		return s.enum(schema, &list, name)
	}
	switch typeWord(schema) {
	case "string":
		return s.text(schema)
	case "integer":
		return Type{Text: "int", Sample: s.number(schema)}
	case "number":
		return Type{Text: "float", Sample: s.number(schema)}
	case "boolean":
		return Type{Text: "bool", Sample: Plain("true", schema.Pos)}
	case "array":
		return s.list(schema, name)
	case "object":
		if p := schema.Get("properties"); p != nil && len(p.Items) > 0 {
			return s.object(schema, name)
		}
		return s.table(schema, name)
	}
	if p := schema.Get("properties"); p != nil && len(p.Items) > 0 {
		return s.object(schema, name)
	}
	if schema.Get("items") != nil {
		return s.list(schema, name)
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		if of := schema.Get(key); of != nil {
			s.file.Warn("GG358", of.Pos, "types have no "+key+": the value is any", "declare a union with a discriminator, or write the fields into one struct")
		}
	}
	return Type{Text: "any", Sample: Text("a value", schema.Pos)}
}

// text returns the type of a string.
func (s *Schema) text(schema *Tree) Type {
	sample := "a text"
	if n := schema.Get("minLength"); n != nil {
		if least, err := strconv.Atoi(n.Text); err == nil && least > len(sample) && least < 10000 {
			sample = strings.Repeat("x", least)
		}
	}
	if n := schema.Get("maxLength"); n != nil {
		if greatest, err := strconv.Atoi(n.Text); err == nil && greatest >= 0 && greatest < len(sample) {
			sample = sample[:greatest]
		}
	}
	return Type{Text: "string", Sample: Text(sample, schema.Pos)}
}

// number returns a number that fits a schema.
func (s *Schema) number(schema *Tree) Tree {
	for _, key := range []string{"minimum", "maximum", "exclusiveMinimum"} {
		n := schema.Get(key)
		if n == nil || n.Kind != yamlread.Int && n.Kind != yamlread.Float {
			continue
		}
		if i, err := strconv.Atoi(n.Text); err == nil && key == "exclusiveMinimum" {
			return Plain(strconv.Itoa(i+1), schema.Pos)
		}
		return *n
	}
	return Plain("1", schema.Pos)
}

// list returns the type of an array.
func (s *Schema) list(schema *Tree, name string) Type {
	items := schema.Get("items")
	t := Type{Text: "any", Sample: Text("a value", schema.Pos)}
	if items != nil && items.Kind == yamlread.Map {
		t = s.typeOf(items, singular(name))
		for _, k := range t.Keys {
			if k.Key.V != "doc" {
				s.file.Warn("GG357", k.Key.Pos, "a limit of the elements of a list is left out: "+k.Key.V, "declare a struct with a field of that limit")
			}
		}
	}
	sample := yamlread.ListTree(schema.Pos)
	if n := schema.Get("minItems"); n != nil {
		if least, err := strconv.Atoi(n.Text); err == nil {
			for range min(least, 100) {
				sample.Items = append(sample.Items, t.Sample)
			}
		}
	}
	return Type{Text: "[]" + t.Text, Sample: sample}
}

// singular returns the name of an element: Findings gives Finding.
func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case len(name) > 4 && (strings.HasSuffix(name, "ses") || strings.HasSuffix(name, "xes") || strings.HasSuffix(name, "ches") ||
		strings.HasSuffix(name, "shes")):
		return name[:len(name)-2]
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && len(name) > 2:
		return name[:len(name)-1]
	}
	return name + "Item"
}

// table returns the type of an object whose names are not known.
func (s *Schema) table(schema *Tree, name string) Type {
	t := Type{Text: "any"}
	if more := schema.Get("additionalProperties"); more != nil && more.Kind == yamlread.Map {
		t = s.typeOf(more, name+"Value")
	}
	return Type{Text: "map[string]" + t.Text, Sample: yamlread.MapTree(schema.Pos)}
}

// enum declares an enum.
func (s *Schema) enum(schema, values *Tree, name string) Type {
	list := yamlread.ListTree(values.Pos)
	optional := false
	for _, v := range values.Items {
		switch {
		case v.Kind == yamlread.Null:
			optional = true
		case v.Kind != yamlread.Text || goname.Exported(v.Text) == "":
			s.file.Warn("GG358", v.Pos, "the values of an enum are names: the value is any", "")
			return Type{Text: "any", Sample: v}
		default:
			list.Items = append(list.Items, v)
		}
	}
	if len(list.Items) == 0 {
		return Type{Text: "any", Sample: Text("a value", values.Pos)}
	}
	text := s.d.Declare(name, values.Pos, Map(values.Pos, "enum", list))
	if optional {
		text = "?" + text
	}
	return Type{Text: text, Sample: list.Items[0]}
}

// schemaLimits are the keywords of JSON Schema that limits of a field express, by the type they are for.
var schemaLimits = []struct{ keyword, key, of string }{
	{"minimum", "min", "number"}, {"maximum", "max", "number"},
	{"minLength", "min_length", "string"}, {"maxLength", "max_length", "string"},
	{"minItems", "min_length", "list"}, {"maxItems", "max_length", "list"},
	{"minProperties", "min_length", "map"}, {"maxProperties", "max_length", "map"},
	{"pattern", "pattern", "string"}, {"format", "format", "string"}, {"default", "default", "scalar"},
}

// formats are the formats of JSON Schema that fields check.
var formats = []string{"date-time", "date", "time", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"}

// samples are texts of many forms, samples of the formats among them.
var samples = []string{
	"a text", "https://example.com/a", "2026-01-31T12:00:00Z", "2026-01-31", "12:00:00Z", "a@example.com", "example.com", "192.0.2.1",
	"2001:db8::1", "123e4567-e89b-12d3-a456-426614174000", "a", "A", "1", "ABC-123", "abc-123", "abc_123", "v1.2.3", "1.2.3", "#1", "main", "feature/a",
}

// formatSamples are the indexes in samples of values of the formats.
var formatSamples = map[string]int{
	"date-time": 2, "date": 3, "time": 4, "email": 5, "hostname": 6, "ipv4": 7, "ipv6": 8, "uri": 1, "uuid": 9,
}

// fitting returns a text that fits a pattern or a format, an empty one if no sample fits.
func fitting(limit Tree, key string) Tree {
	if key == "format" {
		return Text(samples[formatSamples[limit.Text]], limit.Pos)
	}
	pattern := regexp.MustCompile(limit.Text)
	for _, s := range samples {
		if pattern.MatchString(s) {
			return Text(s, limit.Pos)
		}
	}
	return Text("", limit.Pos)
}

// kindOf returns the word of schemaLimits for the text of a type.
func kindOf(text string) string {
	switch {
	case strings.HasPrefix(text, "[]"):
		return "list"
	case strings.HasPrefix(text, "map["):
		return "map"
	case text == "int" || text == "float":
		return "number"
	}
	return text
}

// limits adds the limits of a schema to its type, and reports what fields cannot express.
func (s *Schema) limits(schema *Tree, t *Type) {
	kind := kindOf(t.Text)
	for _, l := range schemaLimits {
		value := schema.Get(l.keyword)
		if value == nil || value.Kind == yamlread.Null {
			continue
		}
		scalar := l.of == "scalar" && (kind == "number" || kind == "string" || kind == "bool") && value.IsScalar()
		_, err := regexp.Compile(value.Text)
		switch {
		case l.of != kind && !scalar,
			l.key == "format" && !slices.Contains(formats, value.Text),
			l.key == "pattern" && err != nil:
			s.file.Warn("GG357", value.Pos, "the limit "+l.keyword+" is left out: a "+strings.TrimPrefix(t.Text, "?")+" has none like it",
				"check it in a guard of the node")
			continue
		}
		t.Keys.Put(String{V: l.key, Pos: value.Pos}, *value)
		if l.key == "pattern" || l.key == "format" {
			t.Sample = fitting(*value, l.key)
		}
	}
	for _, keyword := range []string{"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "not", "if", "patternProperties", "contains"} {
		if value := schema.Get(keyword); value != nil {
			s.file.Warn("GG357", value.Pos, "the limit "+keyword+" is left out: types have none like it", "check it in a guard of the node")
		}
	}
}
