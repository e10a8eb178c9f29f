package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// definitionsPath is where a JSON Schema has its definitions.
const definitionsPath = "#/$defs/"

// Definitions returns the definitions of a JSON Schema by their names, each as a text: what it is, with those that it refers to. Types of two
// packages may have one name in two schemas of a graph; their texts differ.
func Definitions(schema json.RawMessage) (map[string]string, error) {
	var root object
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, err
	}
	own, _ := root["$defs"].(object)
	delete(root, "$defs")
	delete(root, "$schema")
	title, _ := root["title"].(string)
	if own[title] != nil {
		title = ""
	}
	all := maps.Clone(own)
	if all == nil {
		all = object{}
	}
	all[title] = root // another schema may have it as a definition
	uses, texts := map[string][]string{}, map[string]string{}
	for name, of := range all {
		text, err := json.Marshal(referring(of, func(to string) string {
			if to == "#" {
				to = definitionsPath + title
			}
			uses[name] = append(uses[name], strings.TrimPrefix(to, definitionsPath))
			return to
		}))
		if err != nil {
			return nil, err
		}
		texts[name] = strconv.Quote(name) + ": " + string(text)
	}
	list := make(map[string]string, len(own))
	for name := range own {
		list[name] = closure(name, uses, texts)
	}
	return list, nil
}

// closure returns the texts of a definition and of all that it uses.
func closure(name string, uses map[string][]string, texts map[string]string) string {
	queue, seen := []string{name}, map[string]bool{name: true}
	for i := 0; i < len(queue); i++ {
		for _, used := range uses[queue[i]] {
			if !seen[used] {
				seen[used] = true
				queue = append(queue, used)
			}
		}
	}
	slices.Sort(queue[1:])
	parts := make([]string, len(queue))
	for i, used := range queue {
		parts[i] = texts[used]
	}
	return strings.Join(parts, ", ")
}

// referring returns a schema whose references lead elsewhere.
func referring(v any, to func(string) string) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for key, of := range v {
			if text, ok := of.(string); ok && key == "$ref" {
				out[key] = to(text)
			} else {
				out[key] = referring(of, to)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for k, of := range v {
			out[k] = referring(of, to)
		}
		return out
	}
	return v
}

// A Namer gives types names: equal ones get one, and others of the same name a number.
type Namer map[string]string // the texts of types, by their names

// Name returns a name for a type of a text, which is the wanted one unless another type has it, and reports whether it is new.
func (n Namer) Name(want, text string) (name string, added bool) {
	name = want
	for i := 2; ; i++ {
		has, taken := n[name]
		if !taken {
			n[name] = text
		}
		if !taken || has == text {
			return name, !taken
		}
		name = want + strconv.Itoa(i)
	}
}
