package api_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/graphgen/graphgen/internal/api"
)

// TestReferences holds that each reference of a document leads to a schema of it, also from types that refer to themselves.
func TestReferences(t *testing.T) {
	d, err := api.Describe(`{
		"input": {"$schema": "x", "type": "object", "properties": {"next": {"$ref": "#"}, "place": {"$ref": "#/$defs/Place"}},
			"$defs": {"Place": {"type": "object", "properties": {"in": {"$ref": "#/$defs/Place"}, "$ref": {"type": "string"}}}}},
		"output": {"type": "object"},
		"requests": [{"node": "a/b", "tool": "locate", "kind": "client", "answer": {"$ref": "#/$defs/Place", "$defs": {"Place": {"type": "string"}}},
			"arguments": {"type": "object"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := api.OpenAPI([]api.Graph{{Name: "my shop", Durable: true, Description: d}, {Name: "other"}})
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var refs []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, of := range v {
				if ref, ok := of.(string); ok && key == "$ref" {
					refs = append(refs, ref)
				}
				walk(of)
			}
		case []any:
			for _, of := range v {
				walk(of)
			}
		}
	}
	walk(document.Components.Schemas)
	walk(map[string]any{"paths": document.Paths["/graphs/my%20shop/threads"]})
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref, "#/components/schemas/"); !ok || document.Components.Schemas[name] == nil {
			t.Errorf("%s leads nowhere", ref)
		}
	}
	for _, want := range []string{"#/components/schemas/my_shop.Input", "#/components/schemas/my_shop.Type.Place", "#/components/schemas/my_shop.Output"} {
		if !slices.Contains(refs, want) {
			t.Errorf("there is no reference to %s in %q", want, refs)
		}
	}
	if document.Components.Schemas["my_shop.Answer.a.b.locate"] == nil || document.Paths["/graphs/other/runs"] != nil {
		t.Errorf("the paths are %v, the schemas %v", document.Paths, document.Components.Schemas)
	}
}

// TestTypesNamedAsSchemas holds that types of a spec may have the names of the schemas that the server has for a graph.
func TestTypesNamedAsSchemas(t *testing.T) {
	d, err := api.Describe(`{
		"input": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Input"}}, "required": ["x"], "$defs": {"Input": {"const": "in"}}},
		"output": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Output"}}, "required": ["x"], "$defs": {"Output": {"const": "out"}}},
		"state": {"type": "object", "properties": {"s": {"$ref": "#/$defs/State"}, "e": {"$ref": "#/$defs/Event"}, "l": {"$ref": "#/$defs/Event.live"}},
			"$defs": {"State": {"const": "state"}, "Event": {"const": "event"}, "Event.live": {"const": "live"}}},
		"nodes": [{"name": "a"}, {"name": "tell"}],
		"messages": [{"node": "tell", "payload": {"type": "object", "properties": {"p": {"$ref": "#/$defs/Event"}}, "required": ["p"],
			"$defs": {"Event": {"const": "event"}}}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	g := api.Graph{Name: "shop", Durable: true, Description: d}
	openAPI, err := api.OpenAPI([]api.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	events, err := api.Events(&g)
	if err != nil {
		t.Fatal(err)
	}
	live := func(field, value string) string {
		return `{"live": {"kind": "node_end", "node": "a", "written": [{"name": "` + field + `", "value": "` + value + `"}]}}`
	}
	for _, c := range []struct {
		document []byte
		at       string
		fits     bool
		value    string
	}{
		{openAPI, "#/components/schemas/shop.Input", true, `{"x": "in"}`},
		{openAPI, "#/components/schemas/shop.Input", false, `"in"`},
		{openAPI, "#/components/schemas/shop.Output", true, `{"x": "out"}`},
		{openAPI, "#/components/schemas/shop.Output", false, `{"x": "in"}`},
		{openAPI, "#/components/schemas/shop.Event", true, live("s", "state")},
		{openAPI, "#/components/schemas/shop.Event", false, `"event"`},
		{events, "", true, live("s", "state")},
		{events, "", true, live("e", "event")},
		{events, "", true, live("l", "live")},
		{events, "", false, live("e", "state")},
		{events, "", false, `{"live": {"kind": "node_end", "node": "b"}}`},
		{events, "", true, `{"live": {"kind": "say", "node": "tell", "payload": {"p": "event"}}}`},
		{events, "", false, `{"live": {"kind": "say", "node": "tell", "payload": {"p": "state"}}}`},
		{events, "", true, `{"step": {"seq": 1, "time": "2026-01-02T03:04:05Z", "changes": [{"node": "b", "written": {"e": "event"}}]}}`},
		{events, "", false, `{"step": {"seq": 1, "time": "2026-01-02T03:04:05Z", "changes": [{"node": "b", "written": {"e": "state"}}]}}`},
		{events, "", true, `{"end": {"status": "completed", "output": {"x": "out"}}}`},
		{events, "", false, `{"end": {"status": "completed", "output": "out"}}`},
		{events, "", false, `"event"`},
	} {
		if err := validate(t, c.document, c.at, c.value); (err == nil) != c.fits {
			t.Errorf("%s %s: %v", c.at, c.value, err)
		}
	}
}

// TestTypesOfOneName holds that types of one name, of two packages, are schemas of their own.
func TestTypesOfOneName(t *testing.T) {
	d, err := api.Describe(`{
		"input": {"type": "object", "properties": {"old": {"$ref": "#/$defs/Order"}}, "required": ["old"],
			"$defs": {"Order": {"$ref": "#/$defs/Item"}, "Item": {"const": "shop"}}},
		"output": {"type": "object", "properties": {"new": {"$ref": "#/$defs/Order"}}, "required": ["new"],
			"$defs": {"Order": {"$ref": "#/$defs/Item"}, "Item": {"const": "own"}}},
		"state": {"type": "object", "properties": {"new": {"$ref": "#/$defs/Order"}}, "required": ["new"],
			"$defs": {"Order": {"$ref": "#/$defs/Item"}, "Item": {"const": "own"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := api.OpenAPI([]api.Graph{{Name: "shop", Description: d}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at, value string
		fits      bool
	}{
		{"shop.Input", `{"old": "shop"}`, true}, {"shop.Input", `{"old": "own"}`, false},
		{"shop.Output", `{"new": "own"}`, true}, {"shop.Output", `{"new": "shop"}`, false},
	} {
		if err := validate(t, text, "#/components/schemas/"+c.at, c.value); (err == nil) != c.fits {
			t.Errorf("%s %s: %v", c.at, c.value, err)
		}
	}
	if strings.Contains(string(text), "Order3") || !strings.Contains(string(text), `"shop.Type.Order2"`) {
		t.Errorf("the types are not two of each name: %s", text)
	}
}

// validate validates a value by a schema of a document.
func validate(t *testing.T, text []byte, at, value string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("document.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("document.json" + at)
	if err != nil {
		t.Fatal(err)
	}
	of, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(of)
}

// TestRoutes holds that no two routes have the same place, and that the first member of a body is one.
func TestRoutes(t *testing.T) {
	seen := map[string]bool{}
	for _, rt := range api.Routes {
		if at := rt.Method + " " + rt.Path; seen[at] || rt.Doc == "" || rt.Body != nil && len(rt.Body) == 0 {
			t.Errorf("%s: %+v", at, rt)
		} else {
			seen[at] = true
		}
	}
}
