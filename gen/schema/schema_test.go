package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func scalar(k resolve.Kind) *resolve.Type { return &resolve.Type{Kind: k} }

func of(k resolve.Kind, elem *resolve.Type) *resolve.Type {
	return &resolve.Type{Kind: k, Elem: elem}
}

func field(name string, t *resolve.Type, set ...func(*spec.Field)) *resolve.Field {
	f := &resolve.Field{Name: name, Type: t, Spec: &spec.Field{}}
	for _, s := range set {
		s(f.Spec)
	}
	return f
}

func atLeast(n float64) func(*spec.Field) {
	return func(f *spec.Field) { f.Min = spec.Value[float64]{V: n, Pos: diag.Pos{Line: 1}} }
}

func atMost(n float64) func(*spec.Field) {
	return func(f *spec.Field) { f.Max = spec.Value[float64]{V: n, Pos: diag.Pos{Line: 1}} }
}

func doc(text string) func(*spec.Field) { return func(f *spec.Field) { f.Doc.V = text } }

var level = &resolve.Type{Kind: resolve.Enum, Name: "Level", GoName: "Level", Doc: "How loud.",
	Values: []resolve.EnumValue{{Name: "low"}, {Name: "high"}}}

func TestEachTypeHasItsKeywords(t *testing.T) {
	for name, c := range map[string]struct {
		field *resolve.Field
		want  string
	}{
		"a string":               {field("f", scalar(resolve.String)), `{"type":"string"}`},
		"an integer with bounds": {field("f", scalar(resolve.Int), atLeast(1), atMost(5)), `{"type":"integer","minimum":1,"maximum":5}`},
		"a number from zero":     {field("f", scalar(resolve.Float), atLeast(0)), `{"type":"number","minimum":0}`},
		"a number up to a share": {field("f", scalar(resolve.Float), atMost(0.25)), `{"type":"number","maximum":0.25}`},
		"a bool with a doc":      {field("f", scalar(resolve.Bool), doc(" Done?\n")), `{"description":"Done?","type":"boolean"}`},
		"a list":                 {field("f", of(resolve.List, scalar(resolve.Int))), `{"type":"array","items":{"type":"integer"}}`},
		"a map":                  {field("f", of(resolve.Map, scalar(resolve.Bool))), `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		"an optional":            {field("f", of(resolve.Optional, scalar(resolve.Int)), atMost(9)), `{"type":["integer","null"],"maximum":9}`},
		"an enum":                {field("f", level), `{"$ref":"#/$defs/Level"}`},
		"an enum with a doc":     {field("f", level, doc("Here.")), `{"description":"Here.","$ref":"#/$defs/Level"}`},
		"an optional enum":       {field("f", of(resolve.Optional, level)), `{"anyOf":[{"$ref":"#/$defs/Level"},{"type":"null"}]}`},
		"a list of optional lists": {field("f", of(resolve.List, of(resolve.Optional, of(resolve.List, level)))),
			`{"type":"array","items":{"type":["array","null"],"items":{"$ref":"#/$defs/Level"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			text := schema.Of(&resolve.Type{Kind: resolve.Struct, GoName: "T", Fields: []*resolve.Field{c.field}})
			var got struct {
				Properties map[string]json.RawMessage
				Required   []string
				Defs       map[string]json.RawMessage `json:"$defs"`
			}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if compact(got.Properties["f"]) != c.want {
				t.Errorf("schema of the field:\n%s\nwant:\n%s", compact(got.Properties["f"]), c.want)
			}
			if optional := c.field.Type.Kind == resolve.Optional; optional != (len(got.Required) == 0) {
				t.Errorf("required: %v", got.Required)
			}
			if uses := strings.Contains(c.want, "Level"); uses != (len(got.Defs) == 1) {
				t.Errorf("$defs: %v", got.Defs)
			}
			compile(t, text)
		})
	}
}

func compact(text json.RawMessage) string {
	var b strings.Builder
	quoted := false
	for _, r := range string(text) {
		if r == '"' {
			quoted = !quoted
		}
		if quoted || !unicode.IsSpace(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestEnumSchema(t *testing.T) {
	want := `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Level", "description": "How loud.", "type": "string",
  "enum": ["low", "high"]
}`
	if got := string(schema.Of(level)); got != want {
		t.Errorf("schema:\n%s\nwant:\n%s", got, want)
	}
}

func TestListSchema(t *testing.T) {
	s := compile(t, schema.Of(of(resolve.List, level)))
	if err := s.Validate([]any{"low", "high"}); err != nil {
		t.Error(err)
	}
	if s.Validate([]any{"mid"}) == nil {
		t.Error("a value the enum lacks is accepted")
	}
}

func TestRawStrings(t *testing.T) {
	text := "quote \" back \\ tick ` tab \t line \n\r sep \u2028\u2029 bidi \u202e bom \ufeff nul \x00 del \x7f smile 😀 tag \U000e0041 ü"
	got := schema.Of(&resolve.Type{Kind: resolve.Enum, GoName: "T", Doc: text, Values: []resolve.EnumValue{{Name: text}}})
	for _, r := range string(got) {
		if r == '`' || r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("it holds the character %U", r)
		}
	}
	var back struct {
		Description string
		Enum        []string
	}
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if back.Description != text || back.Enum[0] != text {
		t.Errorf("read back %q and %q, want %q", back.Description, back.Enum[0], text)
	}
}

func compile(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("mem:schema", value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJSONTypeKeywords(t *testing.T) {
	length := func(low, high int) func(*spec.Field) {
		return func(f *spec.Field) {
			f.MinLength = spec.Value[int]{V: low, Pos: diag.Pos{Line: 1}}
			f.MaxLength = spec.Value[int]{V: high, Pos: diag.Pos{Line: 1}}
		}
	}
	initial := func(kind spec.ScalarKind, text string) func(*spec.Field) {
		return func(f *spec.Field) { f.Default = &spec.Scalar{Kind: kind, Text: text} }
	}
	pattern := func(p string) func(*spec.Field) { return func(f *spec.Field) { f.Pattern.V = p } }
	format := func(p string) func(*spec.Field) { return func(f *spec.Field) { f.Format.V = p } }
	for name, c := range map[string]struct {
		field *resolve.Field
		want  string
	}{
		"a time": {field("f", scalar(resolve.Time)), `{"type":"string","format":"date-time"}`},
		"bytes with a length": {field("f", scalar(resolve.Bytes), length(1, 4)),
			`{"type":"string","contentEncoding":"base64","minLength":4,"maxLength":8}`},
		"any":       {field("f", scalar(resolve.Any), doc("What it is.")), `{"description":"What it is."}`},
		"a Go type": {field("f", scalar(resolve.External)), `{}`},
		"a text with limits": {field("f", scalar(resolve.String), length(2, 9), pattern(`^\d+$`), format("uuid")),
			`{"type":"string","minLength":2,"maxLength":9,"pattern":"^\\d+$","format":"uuid"}`},
		"a pattern that JSON has not": {field("f", scalar(resolve.String), pattern(`(?i)^a`)), `{"type":"string"}`},
		"a group of a pattern":        {field("f", scalar(resolve.String), pattern(`^(?:a|b)$`)), `{"type":"string","pattern":"^(?:a|b)$"}`},
		"a list with a length": {field("f", of(resolve.List, scalar(resolve.Int)), length(1, 3)),
			`{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3}`},
		"a map with a length": {field("f", of(resolve.Map, scalar(resolve.Int)), length(1, 3)),
			`{"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":3}`},
		"an optional text with a length": {field("f", of(resolve.Optional, scalar(resolve.String)), length(1, 3)),
			`{"type":["string","null"],"minLength":1,"maxLength":3}`},
		"a number with a default": {field("f", scalar(resolve.Int), initial(spec.ScalarInt, "+5")), `{"type":"integer","default":5}`},
		"a text with a default":   {field("f", scalar(resolve.String), initial(spec.ScalarString, "a")), `{"type":"string","default":"a"}`},
		"a bool with a default":   {field("f", scalar(resolve.Bool), initial(spec.ScalarBool, "True")), `{"type":"boolean","default":true}`},
		"an enum with a default":  {field("f", level, initial(spec.ScalarString, "low")), `{"$ref":"#/$defs/Level","default":"low"}`},
		"a duration, which is no ISO 8601": {field("f", scalar(resolve.Duration)),
			`{"type":"string","pattern":"^[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"}`},
	} {
		t.Run(name, func(t *testing.T) {
			text := schema.Of(&resolve.Type{Kind: resolve.Struct, GoName: "T", Fields: []*resolve.Field{c.field}})
			var got struct {
				Properties map[string]json.RawMessage
				Required   []string
			}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if compact(got.Properties["f"]) != c.want {
				t.Errorf("schema of the field:\n%s\nwant:\n%s", compact(got.Properties["f"]), c.want)
			}
			optional := c.field.Type.Kind == resolve.Optional || c.field.Spec.Default != nil
			if optional != (len(got.Required) == 0) {
				t.Errorf("required: %v", got.Required)
			}
			compile(t, text)
		})
	}
}

const shapes = `graph: g
entry: a
types:
  Shape:
    union: {circle: {radius: {type: float, min: 0}}, group: Group}
    discriminator: form
    doc: What can be drawn.
  Group: {members: {type: "[]Shape", min_length: 1}, name: "?string"}
  Tree: {value: int, left: "?Tree", forest: "map[string]Tree"}
  Plan: {shape: Shape, spare: "?Shape", wait: {type: duration, default: 1m}, at: time, note: {type: string, max_length: 3}, data: bytes, extra: any}
state: {plan: Plan, tree: Tree}
nodes:
  a: {writes: [plan, tree]}
`

func declared(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	g, found := spec.Load("g.graph.yaml", []byte(shapes))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return compile(t, schema.Of(resolve.Resolve(g).Type(name)))
}

func TestSchemas(t *testing.T) {
	for name, c := range map[string]struct {
		of, in string
		ok     bool
	}{
		"a variant":                           {"Shape", `{"form": "circle", "radius": 1}`, true},
		"a variant whose label stands last":   {"Shape", `{"radius": 1, "form": "circle"}`, true},
		"a variant within one":                {"Shape", `{"form": "group", "members": [{"form": "circle", "radius": 0}]}`, true},
		"a variant without its label":         {"Shape", `{"radius": 1}`, false},
		"a label that there is not":           {"Shape", `{"form": "square", "radius": 1}`, false},
		"the fields of another variant":       {"Shape", `{"form": "group", "radius": 1}`, false},
		"a variant with a field out of range": {"Shape", `{"form": "circle", "radius": -1}`, false},
		"a list of variants that is empty":    {"Shape", `{"form": "group", "members": []}`, false},
		"the struct of a variant alone":       {"Group", `{"members": [{"form": "circle", "radius": 0}], "name": null}`, true},
		"a struct within itself":              {"Tree", `{"value": 1, "left": {"value": 2, "forest": {}}, "forest": {"x": {"value": 3, "forest": {}}}}`, true},
		"a struct within itself, incomplete":  {"Tree", `{"value": 1, "left": {"value": 2}, "forest": {}}`, false},
		"everything": {"Plan",
			`{"shape": {"form": "circle", "radius": 1}, "spare": null, "wait": "1h30m", "at": "2026-01-31T12:00:00Z", "note": ` +
				`"äöü", "data": "aGVsbG8=", "extra": [null]}`, true},
		"what has a default left out": {"Plan",
			`{"shape": {"form": "circle", "radius": 1}, "at": "2026-01-31T12:00:00Z", "note": "", "data": "", "extra": 1}`, true},
		"a duration without a unit": {"Plan",
			`{"shape": {"form": "circle", "radius": 1}, "wait": "1", "at": "2026-01-31T12:00:00Z", "note": "", "data": "", "extra": 1}`, false},
		"a time that is none": {"Plan", `{"shape": {"form": "circle", "radius": 1}, "at": "soon", "note": "", "data": "", "extra": 1}`, false},
		"a text that is too long": {"Plan",
			`{"shape": {"form": "circle", "radius": 1}, "at": "2026-01-31T12:00:00Z", "note": "long", "data": "", "extra": 1}`, false},
		"bytes that are no base64": {"Plan",
			`{"shape": {"form": "circle", "radius": 1}, "at": "2026-01-31T12:00:00Z", "note": "", "data": "?", "extra": 1}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if err := declared(t, c.of).Validate(value); (err == nil) != c.ok {
				t.Errorf("accepted: %v, want %v: %v", err == nil, c.ok, err)
			}
		})
	}
}
