package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
	for _, want := range []string{"#/components/schemas/my_shop.Input", "#/components/schemas/my_shop.Place", "#/components/schemas/my_shop.Output"} {
		if !slices.Contains(refs, want) {
			t.Errorf("there is no reference to %s in %q", want, refs)
		}
	}
	if document.Components.Schemas["my_shop.Answer.a.b.locate"] == nil || document.Paths["/graphs/other/runs"] != nil {
		t.Errorf("the paths are %v, the schemas %v", document.Paths, document.Components.Schemas)
	}
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
