package openai

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	golden "github.com/graphgen/graphgen/golden/codec"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A described type is a generated one: it reads JSON, and says which.
type described interface {
	codec.Unmarshaler
	JSONSchema() string
}

// What a model may write by an adapted schema, the generated decoder reads: null for
// what may be absent, and every default written out.
func TestStrictSchemaDecoders(t *testing.T) {
	for name, c := range map[string]struct {
		into   described
		strict bool
	}{
		"a field that may be absent":    {new(golden.Nothing), true},
		"bounds":                        {new(golden.Place), true},
		"a type that contains itself":   {new(golden.Node), true},
		"an enum and a text":            {new(golden.SurveyWrapUpOut), true},
		"a union in a struct":           {new(golden.Group), true},
		"patterns, formats and lengths": {new(golden.Texts), true},
		"defaults":                      {new(golden.Defaults), true},
		"a map has no strict form":      {new(golden.Finding), false},
		"a value of any type has none":  {new(golden.Values), false},
	} {
		t.Run(name, func(t *testing.T) {
			adapted, ok := strict(c.into.JSONSchema())
			if ok != c.strict {
				t.Fatalf("strict: %t of\n%s", ok, c.into.JSONSchema())
			}
			if !ok {
				return
			}
			if err := CheckStrict([]byte(adapted)); err != nil {
				t.Errorf("%v in\n%s", err, adapted)
			}
			var root map[string]any
			if err := json.Unmarshal([]byte(adapted), &root); err != nil {
				t.Fatal(err)
			}
			for _, w := range []writer{{root: root, nulls: true}, {root: root}} {
				doc, err := json.Marshal(w.value(root, 0))
				if err != nil {
					t.Fatal(err)
				}
				if err := codec.Unmarshal(doc, c.into); err != nil {
					t.Errorf("%v in\n%s\nby\n%s", err, doc, adapted)
				}
			}
		})
	}
}

// A writer writes a value by a schema, as a model does.
type writer struct {
	root  map[string]any
	nulls bool // wherever they may be
}

func (w writer) value(schema map[string]any, depth int) any {
	if alternatives, ok := schema["anyOf"].([]any); ok {
		pick := alternatives[0]
		if last := alternatives[len(alternatives)-1].(map[string]any); last["type"] == "null" && (w.nulls || depth > 3) {
			pick = last
		}
		return w.value(pick.(map[string]any), depth)
	}
	if ref, ok := schema["$ref"].(string); ok {
		at := w.root
		for _, name := range strings.Split(ref, "/")[1:] {
			at = at[name].(map[string]any)
		}
		return w.value(at, depth+1)
	}
	if c, ok := schema["const"]; ok {
		return c
	}
	if values, ok := schema["enum"].([]any); ok {
		return values[0]
	}
	kind, _ := schema["type"].(string)
	if kinds, ok := schema["type"].([]any); ok {
		kind = kinds[0].(string)
		if w.nulls && slices.Contains(kinds, any("null")) {
			return nil
		}
	}
	switch kind {
	case "object":
		out := map[string]any{}
		for name, p := range schema["properties"].(map[string]any) {
			out[name] = w.value(p.(map[string]any), depth)
		}
		return out
	case "array":
		out := []any{}
		if n, _ := schema["minItems"].(float64); n > 0 || !w.nulls && depth < 2 {
			out = append(out, w.value(schema["items"].(map[string]any), depth+1))
		}
		return out
	case "integer", "number":
		n, _ := schema["minimum"].(float64)
		return n
	case "boolean":
		return true
	case "null":
		return nil
	}
	format, _ := schema["format"].(string)
	if text, ok := texts[format]; ok && format != "" {
		return text
	}
	description, _ := schema["description"].(string)
	for told, text := range texts {
		if told != "" && strings.Contains(description, told) {
			return text
		}
	}
	return texts[""]
}

// texts are texts of formats, and of what descriptions tell.
var texts = map[string]string{
	"": "AB-1", "date-time": "2026-11-21T12:00:00Z", "date": "2026-11-21", "time": "12:00:00Z", "email": "a@example.org",
	"hostname": "example.org", "ipv4": "127.0.0.1", "ipv6": "::1", "uuid": "123e4567-e89b-12d3-a456-426614174000",
	`format: "uri"`: "https://example.org", "μs": "1s", "base64": "QUI=",
}
