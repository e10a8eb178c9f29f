package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestTypes holds that documents fit schemas as a validator of JSON Schema finds, for the keywords that graphgen writes.
func TestTypes(t *testing.T) {
	const defs = `{
		"Tone": {"type": "string", "enum": ["kind", "stern"]},
		"Place": {"type": "object", "properties": {"city": {"type": "string"}, "in": {"$ref": "#/$defs/Place"},
				"n": {"type": ["integer", "null"], "minimum": 2}},
			"required": ["city"], "additionalProperties": false},
		"Shape": {"oneOf": [{"type": "object", "properties": {"kind": {"const": "dot"}}, "required": ["kind"], "additionalProperties": false},
			{"type": "object", "properties": {"kind": {"const": "line"}, "to": {"type": "number"}}, "required": ["kind", "to"],
				"additionalProperties": false}]},
		"Sum": {"oneOf": [{"$ref": "#/$defs/Add"}, {"$ref": "#/$defs/Take"}]},
		"Add": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Sum"}, "op": {"const": "add"}}, "required": ["op"], "additionalProperties": false},
		"Take": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Sum"}, "op": {"const": "take"}}, "required": ["op"],
			"additionalProperties": false}}`
	schemas := []string{
		`{"type": "string", "minLength": 2, "maxLength": 3}`, `{"type": "string", "pattern": "^a+$"}`, `{"$ref": "#/$defs/Tone"}`,
		`{"type": "integer", "minimum": 1, "maximum": 9}`, `{"type": "number", "maximum": 2.5}`, `{"type": ["number", "null"]}`, `{"type": "boolean"}`,
		`{"type": "array", "items": {"$ref": "#/$defs/Tone"}, "minItems": 1, "maxItems": 2}`, `{"$ref": "#/$defs/Place"}`, `{"$ref": "#/$defs/Shape"}`,
		`{"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 1}`, `{"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]}`,
		`{"type": "object", "properties": {}, "additionalProperties": false}`, `{"$ref": "#/$defs/Sum"}`, `{}`,
		`{"type": "array"}`, `{"type": "array", "items": {}}`, `{"type": "object", "additionalProperties": {}}`,
	}
	documents := []string{
		`null`, `true`, `""`, `"a"`, `"aa"`, `"aaa"`, `"aaaa"`, `"ééé"`, `"kind"`, `"kin"`, `0`, `1`, `9`, `10`, `-1`, `2.5`, `2.6`, `1e2`, `1e400`,
		`[]`, `["kind"]`,
		`["kind", "stern"]`, `["kind", "kind", "kind"]`, `[1]`, `{}`, `{"city": "Bonn"}`, `{"city": 1}`, `{"city": "a", "in": {"city": "b", "n": null}}`,
		`{"city": "a", "in": {"n": 1}}`, `{"city": "a", "n": 1}`, `{"city": "a", "n": 2}`, `{"city": "a", "more": 1}`, `{"kind": "dot"}`, `{"kind": "line"}`,
		`{"kind": "line", "to": 2}`, `{"kind": "dot", "to": 2}`, `{"kind": "other"}`, `{"a": 1}`, `{"a": 1, "b": 2}`, `{"a": "1"}`,
		`{"op": "take"}`, `{"of": {"of": {"op": "add"}, "op": "take"}, "op": "take"}`, `{"of": {"op": "other"}, "op": "take"}`, `{"of": {"op": "add"}}`,
		`{"op": 1}`, `{"op": {}}`,
	}
	deep := strings.Repeat(`{"of": `, 40) + `{"op": "take"}` // the validator would need too long for it
	sum := json.RawMessage(`{"$ref": "#/$defs/Sum"}`)
	var known types
	if err := json.Unmarshal([]byte(defs), &known); err != nil {
		t.Fatal(err)
	}
	fitting := 0
	for _, schema := range schemas {
		of, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"$defs": ` + defs + `, "allOf": [` + schema + "]}"))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("types.json", of); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile("types.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
			if err != nil {
				t.Fatal(err)
			}
			want := compiled.Validate(v) == nil && !strings.Contains(document, "e400") // which no field holds
			if known.fit(json.RawMessage(schema), []byte(document)) != want {
				t.Errorf("%s of %s: want %v", document, schema, want)
			}
			if want {
				fitting++
			}
		}
	}
	if fitting < 2*len(schemas) {
		t.Errorf("%d documents fit", fitting)
	}
	for label, want := range map[string]bool{"take": true, "other": false} { // a union whose label comes last
		if document := deep + strings.Repeat(`, "op": "`+label+`"}`, 40); known.fit(sum, []byte(document)) != want {
			t.Errorf("%s: want %v", document, want)
		}
	}
	for _, wrong := range []string{"", " ", "{", "1 2", "\"\xff\"", "[[", "nul"} {
		if known.fit(json.RawMessage(`{"type": ["integer", "null"]}`), []byte(wrong)) {
			t.Errorf("%q fits", wrong)
		}
	}
}

// TestPatterns holds that a pattern is not compiled for each element of a list.
func TestPatterns(t *testing.T) {
	const elements, most = 100, 4
	schema, list := map[string]any{"type": "array", "items": map[string]any{"pattern": "^(a+b?)+$"}}, make([]any, elements)
	for i := range list {
		list[i] = "aab"
	}
	fit := true
	if n := testing.AllocsPerRun(10, func() { fit = types(nil).fits(schema, list) && fit }); !fit || n > most*elements {
		t.Errorf("the list fits: %v, with %v allocations", fit, n)
	}
}
