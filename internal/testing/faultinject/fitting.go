package faultinject

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// A schema is the part of JSON Schema that schemas of requests use.
type schema struct {
	Type       any // a name, or a list of names
	Enum       []string
	Const      *string
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
	AnyOf      []*schema
	OneOf      []*schema
	Properties map[string]*schema
	Required   []string
	Additional json.RawMessage `json:"additionalProperties"`
	Items      *schema
	MinItems   int
	MinLength  int
	MaxLength  *int
	Minimum    *float64
	Maximum    *float64
	Format     string
	Pattern    string
	Encoding   string `json:"contentEncoding"`
}

// fitting makes a JSON that fits a schema, as far as that is easy: patterns and rare formats
// are not kept. What is not a schema gives {}.
func (p *Player) fitting(text string) string {
	var root schema
	if json.Unmarshal([]byte(text), &root) != nil {
		return "{}"
	}
	out, err := json.Marshal(p.value(&root, &root, 4))
	if err != nil {
		return "{}"
	}
	return string(out)
}

// value makes a value that fits s. Where depth is used up it is as small as it can be.
func (p *Player) value(root, s *schema, depth int) any {
	switch choices := slices.Concat(s.AnyOf, s.OneOf); {
	case s.Ref == "#":
		return p.value(root, root, depth)
	case s.Ref != "":
		if to := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]; to != nil {
			return p.value(root, to, depth)
		}
		return nil
	case len(choices) > 0 && depth <= 0:
		return p.value(root, choices[len(choices)-1], depth-1)
	case len(choices) > 0:
		return p.value(root, choices[p.IntN(len(choices))], depth-1)
	case s.Const != nil:
		return *s.Const
	case len(s.Enum) > 0:
		return s.Enum[p.IntN(len(s.Enum))]
	}
	name, _ := s.Type.(string)
	if list, ok := s.Type.([]any); ok && len(list) > 0 {
		if depth <= 0 || p.IntN(3) == 0 {
			return nil
		}
		name, _ = list[0].(string)
	}
	return p.typed(root, s, name, depth)
}

func (p *Player) typed(root, s *schema, name string, depth int) any {
	switch name {
	case "boolean":
		return p.IntN(2) == 0
	case "integer":
		return int(math.Round(p.number(s)))
	case "number":
		return p.number(s)
	case "string":
		return p.text(s)
	case "array":
		list := []any{}
		for range max(s.MinItems, p.IntN(3)*min(1, max(0, depth))) {
			list = append(list, p.value(root, s.Items, depth-1))
		}
		return list
	}
	object := map[string]any{}
	var values schema
	if len(s.Properties) == 0 && depth > 0 && json.Unmarshal(s.Additional, &values) == nil {
		object[p.text(&schema{})] = p.value(root, &values, depth-1)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) { // so that runs can be repeated
		if slices.Contains(s.Required, key) || depth > 0 && p.IntN(2) == 0 {
			object[key] = p.value(root, s.Properties[key], depth-1)
		}
	}
	return object
}

// number is a number between the bounds of a schema.
func (p *Player) number(s *schema) float64 {
	low, high := -2.0, 6.0
	if s.Minimum != nil {
		low = *s.Minimum
		high = max(high, low)
	}
	if s.Maximum != nil {
		high = *s.Maximum
		low = min(low, high)
	}
	return low + float64(p.IntN(9))/8*(high-low)
}

// formats are texts of the formats of a schema.
var formats = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "date": "2026-01-02", "time": "03:04:05Z", "email": "a@example.com",
	"uri": "https://example.com/", "uuid": "123e4567-e89b-12d3-a456-426614174000", "ipv4": "192.0.2.1", "hostname": "example.com",
}

func (p *Player) text(s *schema) string {
	switch {
	case formats[s.Format] != "":
		return formats[s.Format]
	case s.Encoding != "":
		return strings.Repeat("QUJD", max(1, s.MinLength/4))
	case strings.Contains(s.Pattern, "(ns|us"):
		return "90s"
	}
	text := []rune(strings.ToValidUTF8(p.word(), ""))
	for len(text) < s.MinLength {
		text = append(text, 'x')
	}
	if s.MaxLength != nil && len(text) > *s.MaxLength {
		text = text[:*s.MaxLength]
	}
	return string(text)
}
