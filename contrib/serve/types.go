package serve

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Types are the definitions of JSON Schemas that graphgen has written: fit knows the keywords of these, and no other ones.
type types map[string]any

// isText reports whether a schema describes texts.
func (t types) isText(schema json.RawMessage) bool {
	var of map[string]any
	return json.Unmarshal(schema, &of) == nil && t.of(of)["type"] == "string"
}

// fit reports whether a document fits a schema.
func (t types) fit(schema json.RawMessage, document []byte) bool {
	var of map[string]any
	var v any
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	return utf8.Valid(document) && json.Valid(document) && json.Unmarshal(schema, &of) == nil && d.Decode(&v) == nil && t.fits(of, v)
}

// of returns the schema that a reference leads to.
func (t types) of(schema map[string]any) map[string]any {
	ref, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	of, _ := t[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	return of
}

func (t types) fits(schema any, v any) bool {
	if schema == nil { // as of the elements of a list of any values
		return true
	}
	of, ok := schema.(map[string]any)
	if !ok {
		return false
	}
	of = t.of(of)
	fits := func(one any) bool { return t.fits(one, v) }
	if list, ok := of["anyOf"].([]any); ok {
		return slices.ContainsFunc(list, fits)
	}
	if list, ok := of["oneOf"].([]any); ok { // each has a label of its own: one at most is walked
		return slices.ContainsFunc(list, func(one any) bool { return t.labelFits(one, v) && fits(one) })
	}
	if list, ok := of["enum"].([]any); ok && !slices.Contains(list, v) {
		return false
	}
	if only, ok := of["const"]; ok && only != v {
		return false
	}
	is := func(kind string) bool {
		kinds, several := of["type"].([]any)
		return of["type"] == nil || of["type"] == kind || several && slices.Contains(kinds, any(kind))
	}
	switch v := v.(type) {
	case nil:
		return is("null")
	case bool:
		return is("boolean")
	case string:
		return is("string") && textFits(of, v)
	case json.Number:
		_, err := v.Int64()
		return (is("number") || is("integer") && err == nil) && numberFits(of, v)
	case []any:
		return is("array") && within(of, "Items", len(v)) && !slices.ContainsFunc(v, func(e any) bool { return !t.fits(of["items"], e) })
	case map[string]any:
		return is("object") && within(of, "Properties", len(v)) && t.membersFit(of, v)
	}
	return false
}

// labelFits reports whether a value has the label of a variant of a union.
func (t types) labelFits(variant any, v any) bool {
	of, _ := variant.(map[string]any)
	properties, _ := t.of(of)["properties"].(map[string]any)
	members, _ := v.(map[string]any)
	for name, property := range properties {
		schema, _ := property.(map[string]any)
		if label, ok := schema["const"]; ok && members[name] != label {
			return false
		}
	}
	return true
}

func (t types) membersFit(of, v map[string]any) bool {
	required, _ := of["required"].([]any)
	for _, name := range required {
		if _, has := v[name.(string)]; !has {
			return false
		}
	}
	properties, _ := of["properties"].(map[string]any)
	for name, member := range v {
		schema, known := properties[name]
		if !known {
			schema = of["additionalProperties"]
		}
		if !t.fits(schema, member) {
			return false
		}
	}
	return true
}

// patterns are the patterns of schemas, compiled. Specs have few.
var patterns sync.Map

// patternOf returns the compiled pattern of a schema, or nil for a text that does not compile.
func patternOf(text string) *regexp.Regexp {
	known, ok := patterns.Load(text)
	if !ok {
		compiled, _ := regexp.Compile(text)
		known, _ = patterns.LoadOrStore(text, compiled)
	}
	return known.(*regexp.Regexp)
}

func textFits(of map[string]any, v string) bool {
	n := utf8.RuneCountInString(v)
	if pattern, ok := of["pattern"].(string); ok {
		if compiled := patternOf(pattern); compiled == nil || !compiled.MatchString(v) {
			return false
		}
	}
	if of["format"] == "date-time" {
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			return false
		}
	}
	if of["contentEncoding"] == "base64" {
		if _, err := base64.StdEncoding.DecodeString(v); err != nil {
			return false
		}
	}
	return within(of, "Length", n)
}

func numberFits(of map[string]any, v json.Number) bool {
	f, err := v.Float64()
	if err != nil {
		return false
	}
	least, has := of["minimum"].(float64)
	most, bounded := of["maximum"].(float64)
	return (!has || f >= least) && (!bounded || f <= most)
}

// within reports whether a number is within the bounds of what is counted.
func within(of map[string]any, what string, n int) bool {
	least, has := of["min"+what].(float64)
	most, bounded := of["max"+what].(float64)
	return (!has || float64(n) >= least) && (!bounded || float64(n) <= most)
}
