package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// strictKeywords are those that OpenAI's guide to structured outputs lists as supported, with
// those it does not look at.
var strictKeywords = []string{
	"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref", "$defs", "definitions",
	"description", "title", "pattern", "format", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
	"minItems", "maxItems",
}

// CheckStrict holds a schema to the rules of strict mode.
func CheckStrict(schema []byte) error {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return err
	}
	if root["type"] != "object" || root["anyOf"] != nil {
		return fmt.Errorf("the root is no object")
	}
	return checkStrict("#", root)
}

func checkStrict(at string, schema any) error {
	s, ok := schema.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is no schema", at)
	}
	for keyword := range s {
		if !slices.Contains(strictKeywords, keyword) {
			return fmt.Errorf("%s: %q is not permitted", at, keyword)
		}
	}
	if s["$ref"] != nil && len(s) > 1 {
		return fmt.Errorf("%s: $ref cannot have other keywords beside it", at)
	}
	if s["type"] == nil && s["anyOf"] == nil && s["$ref"] == nil {
		return fmt.Errorf("%s: a type is missing", at)
	}
	if err := checkValues(s); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		required, _ := s["required"].([]any)
		if s["additionalProperties"] != false || len(required) != len(properties) {
			return fmt.Errorf("%s: additionalProperties or required", at)
		}
		for _, name := range required {
			if properties[name.(string)] == nil {
				return fmt.Errorf("%s: %v is required, and no property", at, name)
			}
		}
	} else if s["type"] == "object" {
		return fmt.Errorf("%s: an object without properties", at)
	}
	for _, keyword := range []string{"properties", "$defs", "definitions"} {
		below, _ := s[keyword].(map[string]any)
		for name, b := range below {
			if err := checkStrict(at+"/"+keyword+"/"+name, b); err != nil {
				return err
			}
		}
	}
	alternatives, _ := s["anyOf"].([]any)
	for i, b := range alternatives {
		if err := checkStrict(fmt.Sprintf("%s/anyOf/%d", at, i), b); err != nil {
			return err
		}
	}
	if s["items"] != nil {
		return checkStrict(at+"/items", s["items"])
	}
	return nil
}

// checkValues holds that the values of an enum, and a const, are of the type beside them.
func checkValues(s map[string]any) error {
	types, ok := s["type"].([]any)
	if !ok && s["type"] != nil {
		types = []any{s["type"]}
	}
	values, _ := s["enum"].([]any)
	if value, ok := s["const"]; ok {
		values = append(values, value)
	}
	for _, value := range values {
		if s["type"] != nil && !slices.ContainsFunc(types, func(of any) bool { return isOfKind(value, of) }) {
			return fmt.Errorf("the value %v is not of type %v", value, s["type"])
		}
	}
	return nil
}

func isOfKind(value, of any) bool {
	switch value := value.(type) {
	case nil:
		return of == "null"
	case string:
		return of == "string"
	case bool:
		return of == "boolean"
	case float64:
		return of == "number" || of == "integer" && value == math.Trunc(value)
	case []any:
		return of == "array"
	}
	return of == "object"
}
