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
		"a string":                 {field("f", scalar(resolve.String)), `{"type":"string"}`},
		"an integer with bounds":   {field("f", scalar(resolve.Int), atLeast(1), atMost(5)), `{"type":"integer","minimum":1,"maximum":5}`},
		"a number from zero":       {field("f", scalar(resolve.Float), atLeast(0)), `{"type":"number","minimum":0}`},
		"a number up to a share":   {field("f", scalar(resolve.Float), atMost(0.25)), `{"type":"number","maximum":0.25}`},
		"a bool with a doc":        {field("f", scalar(resolve.Bool), doc(" Done?\n")), `{"description":"Done?","type":"boolean"}`},
		"a list":                   {field("f", of(resolve.List, scalar(resolve.Int))), `{"type":"array","items":{"type":"integer"}}`},
		"a map":                    {field("f", of(resolve.Map, scalar(resolve.Bool))), `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		"an optional":              {field("f", of(resolve.Optional, scalar(resolve.Int)), atMost(9)), `{"type":["integer","null"],"maximum":9}`},
		"an enum":                  {field("f", level), `{"$ref":"#/$defs/Level"}`},
		"an enum with a doc":       {field("f", level, doc("Here.")), `{"description":"Here.","$ref":"#/$defs/Level"}`},
		"an optional enum":         {field("f", of(resolve.Optional, level)), `{"anyOf":[{"$ref":"#/$defs/Level"},{"type":"null"}]}`},
		"a list of optional lists": {field("f", of(resolve.List, of(resolve.Optional, of(resolve.List, level)))), `{"type":"array","items":{"type":["array","null"],"items":{"$ref":"#/$defs/Level"}}}`},
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

func TestTheSchemaOfAnEnumStandsAlone(t *testing.T) {
	want := `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Level",
  "description": "How loud.",
  "type": "string",
  "enum": ["low", "high"]
}`
	if got := string(schema.Of(level)); got != want {
		t.Errorf("schema:\n%s\nwant:\n%s", got, want)
	}
}

func TestTheSchemaOfAListRefersToItsElements(t *testing.T) {
	s := compile(t, schema.Of(of(resolve.List, level)))
	if err := s.Validate([]any{"low", "high"}); err != nil {
		t.Error(err)
	}
	if s.Validate([]any{"mid"}) == nil {
		t.Error("a value the enum lacks is accepted")
	}
}

func TestAnyTextCanStandInARawStringAndReadsBack(t *testing.T) {
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
	if err := c.AddResource("mem:schema", value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
