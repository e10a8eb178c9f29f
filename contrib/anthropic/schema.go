package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A member is one of an object of JSON, in the order it is written in: the model answers in
// the order of the schema.
type member struct {
	name  string
	value json.RawMessage
}

// A treatment is what adapt does with a keyword of a schema.
type treatment uint8

const (
	refuse   treatment = iota // the API accepts no form of it
	retain                    // as it is
	forget                    // nothing is lost
	describe                  // goes into the description
	within                    // its value is a schema
	list                      // its value is a list of schemas
	table                     // its value is an object of schemas
)

// keywords has the treatment of each keyword. A keyword that is not listed is refused.
var keywords = map[string]treatment{
	"type": retain, "title": retain, "enum": retain, "const": retain, "required": retain, "default": retain,
	"properties": table, "$defs": table, "items": within, "anyOf": list, "oneOf": list, "allOf": list,
	"$schema": forget, "$id": forget, "$comment": forget, "examples": forget, "deprecated": forget,
	"readOnly": forget, "writeOnly": forget,
	"minimum": describe, "maximum": describe, "exclusiveMinimum": describe, "exclusiveMaximum": describe,
	"multipleOf": describe, "minLength": describe, "maxLength": describe, "pattern": describe,
	"maxItems": describe, "uniqueItems": describe, "minProperties": describe, "maxProperties": describe,
	"contentEncoding": describe, "contentMediaType": describe,
}

// formats are those that the API supports.
var formats = []string{
	`"date-time"`, `"time"`, `"date"`, `"duration"`, `"email"`, `"hostname"`, `"uri"`, `"ipv4"`, `"ipv6"`, `"uuid"`,
}

// adapt returns a schema as the API's structured output accepts it, and false if
// it has no such form. The schema is valid JSON.
func adapt(schema string) (string, bool) {
	a := adapter{refs: map[string][]string{}}
	text, ok := a.schema(json.RawMessage(schema), "")
	if !ok || a.recursive() {
		return "", false
	}
	return string(text), true
}

// An adapter goes through a schema once.
type adapter struct {
	refs map[string][]string // which definitions the definitions of a name refer to; the root's are at ""
}

// schema adapts a schema that is part of the definition of that name.
func (a *adapter) schema(raw json.RawMessage, of string) (json.RawMessage, bool) {
	given, ok := members(raw)
	if !ok || len(given) == 0 { // true, false and {} are about any value
		return nil, false
	}
	if ref := find(given, "$ref"); ref != nil {
		return a.ref(ref, find(given, "$defs"), of)
	}
	var out []member
	var notes []string
	description := ""
	for _, m := range given {
		switch m.name {
		case "description":
			if json.Unmarshal(m.value, &description) != nil {
				return nil, false
			}
			continue
		case "additionalProperties": // objects are closed below
			if string(m.value) != "false" {
				return nil, false
			}
			continue
		}
		value, ok := m.value, true
		switch treat(m) {
		case refuse:
			return nil, false
		case forget:
			continue
		case describe:
			notes = append(notes, m.name+": "+string(m.value))
			continue
		case within:
			value, ok = a.schema(m.value, of)
		case list:
			value, ok = a.list(m.value, of)
		case table:
			value, ok = a.table(m.value, of, m.name == "$defs")
		}
		if !ok {
			return nil, false
		}
		if m.name == "oneOf" {
			m.name = "anyOf"
		}
		if find(out, m.name) != nil { // anyOf and oneOf both
			return nil, false
		}
		out = append(out, member{m.name, value})
	}
	return finish(out, description, notes)
}

// treat returns the treatment of a member, which may depend on its value.
func treat(m member) treatment {
	switch m.name {
	case "minItems":
		if v := string(m.value); v == "0" || v == "1" {
			return retain
		}
		return describe
	case "format":
		if slices.Contains(formats, string(m.value)) {
			return retain
		}
		return describe
	case "enum":
		if hasNested(m.value) {
			return refuse
		}
	}
	return keywords[m.name]
}

// hasNested reports whether a list has objects or lists in it.
func hasNested(list json.RawMessage) bool {
	var values []json.RawMessage
	if json.Unmarshal(list, &values) != nil {
		return true
	}
	return slices.ContainsFunc(values, func(v json.RawMessage) bool { return v[0] == '{' || v[0] == '[' })
}

// finish writes the members, objects closed and the notes in the description.
func finish(out []member, description string, notes []string) (json.RawMessage, bool) {
	typ, properties := find(out, "type"), find(out, "properties")
	object := bytes.Contains(typ, []byte(`"object"`))
	if object && properties == nil {
		return nil, false // with any members
	}
	if typ == nil && !slices.ContainsFunc(out, func(m member) bool {
		return m.name == "anyOf" || m.name == "allOf" || m.name == "enum" || m.name == "const"
	}) {
		return nil, false // any value
	}
	if bytes.Contains(typ, []byte(`"array"`)) && find(out, "items") == nil {
		return nil, false // of any values
	}
	if object {
		out = append(out, member{"additionalProperties", json.RawMessage("false")})
	}
	if len(notes) > 0 {
		description = strings.TrimSpace(description + " (" + strings.Join(notes, ", ") + ")")
	}
	if description != "" {
		quoted, _ := json.Marshal(description) // of a string: it cannot fail
		out = append([]member{{"description", quoted}}, out...)
	}
	return write(out), true
}

// ref adapts a reference, next to which the API accepts nothing but definitions.
func (a *adapter) ref(raw, defs json.RawMessage, of string) (json.RawMessage, bool) {
	var to string
	if json.Unmarshal(raw, &to) != nil {
		return nil, false
	}
	name, ok := strings.CutPrefix(to, "#/$defs/")
	if !ok || name == "" || strings.Contains(name, "/") {
		return nil, false // the root, which is recursion, or what is elsewhere
	}
	a.refs[of] = append(a.refs[of], name)
	out := []member{{"$ref", raw}}
	if defs != nil {
		if defs, ok = a.table(defs, of, true); !ok {
			return nil, false
		}
		out = append(out, member{"$defs", defs})
	}
	return write(out), true
}

func (a *adapter) list(raw json.RawMessage, of string) (json.RawMessage, bool) {
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil || len(values) == 0 {
		return nil, false
	}
	for i, v := range values {
		adapted, ok := a.schema(v, of)
		if !ok {
			return nil, false
		}
		values[i] = adapted
	}
	return slices.Concat([]byte("["), bytes.Join(raws(values), []byte(",")), []byte("]")), true
}

func raws(values []json.RawMessage) [][]byte {
	list := make([][]byte, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

// table adapts the schemas of an object. Definitions are each on their own.
func (a *adapter) table(raw json.RawMessage, of string, definitions bool) (json.RawMessage, bool) {
	given, ok := members(raw)
	if !ok {
		return nil, false
	}
	for i, m := range given {
		if definitions {
			of = m.name
		}
		if given[i].value, ok = a.schema(m.value, of); !ok {
			return nil, false
		}
	}
	return write(given), true
}

// recursive reports whether a definition refers to itself, be it by others.
func (a *adapter) recursive() bool {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(name string) bool
	visit = func(name string) bool {
		switch state[name] {
		case open:
			return true
		case done:
			return false
		}
		state[name] = open
		if slices.ContainsFunc(a.refs[name], visit) {
			return true
		}
		state[name] = done
		return false
	}
	for name := range a.refs {
		if visit(name) {
			return true
		}
	}
	return false
}

// members reads an object of JSON in order. It is false for what is not an object.
func members(raw json.RawMessage) ([]member, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	list := []member{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: name.(string)} // valid JSON has a string here
		if dec.Decode(&m.value) != nil || slices.ContainsFunc(list, func(o member) bool { return o.name == m.name }) {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

func find(list []member, name string) json.RawMessage {
	for _, m := range list {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func write(list []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // of a string: it cannot fail
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
