package openai

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// The bounds of strict mode.
const (
	maxNesting    = 10 // objects and lists in one another
	maxLevel      = 64 // ours, for schemas that are made to cost
	maxProperties = 5000
	maxEnums      = 1000 // values of all enums
)

// isObject reports whether a schema is the schema of an object, which OpenAI requires at the root.
func isObject(schema string) bool { return gjson.Get(schema, "type").String() == "object" }

// isOfArguments reports whether a schema may be of the arguments of a tool, which are an object.
func isOfArguments(schema string) bool {
	root := gjson.Parse(schema)
	of := root.Get("type")
	return root.IsObject() && (!of.Exists() || of.String() == "object")
}

// strict returns a schema in the form that strict mode takes. What is valid by it is valid by the
// given schema, except for the constraints that move to its descriptions. ok is false if it has no
// such form. Members keep their order, in which models write them.
func strict(schema string) (adapted string, ok bool) {
	if !json.Valid([]byte(schema)) || !isObject(schema) {
		return "", false
	}
	a := &adapter{places: map[string]bool{"#": true}}
	root := gjson.Parse(schema)
	for _, defs := range []string{"$defs", "definitions"} {
		root.Get(defs).ForEach(func(key, _ gjson.Result) bool {
			a.places["#/"+defs+"/"+key.String()] = true
			return true
		})
	}
	adapted = a.schema(root, 0)
	return adapted, !a.impossible && a.properties <= maxProperties && a.enums <= maxEnums
}

// An adapter rewrites a schema.
type adapter struct {
	places            map[string]bool // what a reference may name
	level             int             // schemas in one another
	properties, enums int
	impossible        bool // strict mode cannot say it
}

// handling is what becomes of a keyword. One that is not in the table makes a schema
// impossible.
type handling uint8

const (
	keep      handling = iota + 1
	drop               // nothing is lost
	describe           // its place is the description
	elsewhere          // written with what else belongs to it
	below              // a schema
	eachOf             // a list of schemas
	named              // schemas by name
	props              // properties
	closed             // additionalProperties
	format
	pattern
)

var keywords = map[string]handling{
	"type": keep, "enum": keep, "const": keep, "title": keep,
	"minimum": keep, "maximum": keep, "exclusiveMinimum": keep, "exclusiveMaximum": keep, "multipleOf": keep,
	"minItems": keep, "maxItems": keep,
	"$schema": drop, "$comment": drop, "examples": drop, "deprecated": drop, "readOnly": drop, "writeOnly": drop,
	"minLength": describe, "maxLength": describe, "minProperties": describe, "maxProperties": describe,
	"uniqueItems": describe, "contentEncoding": describe, "contentMediaType": describe, "default": describe,
	"required": elsewhere, "description": elsewhere, "$ref": elsewhere,
	"items": below, "anyOf": eachOf, "oneOf": eachOf, "$defs": named, "definitions": named,
	"properties": props, "additionalProperties": closed, "format": format, "pattern": pattern,
}

// formats are those that strict mode supports.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// schema returns a schema, rewritten. depth is the number of objects and lists around it.
func (a *adapter) schema(s gjson.Result, depth int) string {
	a.level++
	defer func() { a.level-- }()
	if a.impossible = a.impossible || !s.IsObject() || depth > maxNesting || a.level > maxLevel; a.impossible {
		return "null"
	}
	w := &objectWriter{}
	var told []string // additions to the description
	s.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		switch h := keywords[name]; {
		case h == keep, h == format && slices.Contains(formats, value.String()), h == pattern && isPlain(value.String()):
			w.member(name, value.Raw)
		case h == describe, h == format, h == pattern:
			told = append(told, name+": "+value.Raw)
		case h == below:
			w.member(name, a.schema(value, depth+1))
		case h == eachOf:
			w.member("anyOf", a.list(value, depth))
		case h == named:
			w.member(name, a.byName(value))
		case h == props:
			a.object(w, s, value, depth)
		case h == closed:
			a.impossible = a.impossible || value.IsObject()
		case h == 0:
			a.impossible = true
		}
		return !a.impossible
	})
	a.enums += len(s.Get("enum").Array())
	a.typed(w, s)
	describeBy(w, s, told)
	if ref := s.Get("$ref"); ref.Exists() && !a.places[ref.String()] || w.twice {
		a.impossible = true
	}
	return w.object()
}

// describeBy writes the description with the constraints, and the reference, beside which strict
// mode takes nothing else.
func describeBy(w *objectWriter, s gjson.Result, constraints []string) {
	description := s.Get("description").String()
	if len(constraints) > 0 {
		description = strings.TrimSpace(description + " (" + strings.Join(constraints, ", ") + ")")
	}
	if description != "" {
		w.member("description", string(quoted(description)))
	}
	ref := s.Get("$ref")
	switch {
	case !ref.Exists():
	case w.b.Len() == 0:
		w.member("$ref", ref.Raw)
	default:
		w.member("anyOf", `[{"$ref":`+ref.Raw+`}]`)
	}
}

// typed writes the type of value if the schema lacks it: strict mode requires one, which each value of an enum has to be of.
func (a *adapter) typed(w *objectWriter, s gjson.Result) {
	has := func(name string) bool { return s.Get(name).Exists() }
	values := s.Get("enum").Array()
	if has("const") {
		values = append(values, s.Get("const"))
	}
	switch {
	case has("anyOf") && has("oneOf"), has("$ref") && (has("anyOf") || has("oneOf") || has("type")):
		a.impossible = true
	case strings.Contains(s.Get("type").Raw, `"object"`) && !has("properties"):
		a.impossible = true // an object of any keys
	case strings.Contains(s.Get("type").Raw, `"array"`) && !has("items"):
		a.impossible = true
	case has("type"):
		types := s.Get("type").Raw
		a.impossible = a.impossible || slices.ContainsFunc(values, func(v gjson.Result) bool { return !isOf(v, types) })
	case has("$ref") || has("anyOf") || has("oneOf"):
	default:
		a.byValues(w, values)
	}
}

// byValues writes the type of values, or the list of their types.
func (a *adapter) byValues(w *objectWriter, values []gjson.Result) {
	var types []string
	for _, v := range values {
		a.impossible = a.impossible || v.Type == gjson.JSON // an object has properties, and a list has items
		if t := typeOf(v); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	switch len(types) {
	case 0:
		a.impossible = true
	case 1:
		w.member("type", types[0])
	default:
		w.member("type", "["+strings.Join(types, ",")+"]")
	}
}

func typeOf(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return `"string"`
	case v.Type == gjson.Number:
		return `"number"`
	case v.IsBool():
		return `"boolean"`
	case v.IsArray():
		return `"array"`
	case v.IsObject():
		return `"object"`
	}
	return `"null"`
}

// isOf reports whether a value is of one of the types.
func isOf(v gjson.Result, types string) bool {
	of := typeOf(v)
	return strings.Contains(types, of) || of == `"number"` && strings.Contains(types, `"integer"`) && v.Num == math.Trunc(v.Num)
}

func (a *adapter) list(schemas gjson.Result, depth int) string {
	a.impossible = a.impossible || !schemas.IsArray()
	var all []string
	for _, s := range schemas.Array() {
		all = append(all, a.schema(s, depth))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func (a *adapter) byName(schemas gjson.Result) string {
	w := &objectWriter{}
	schemas.ForEach(func(key, s gjson.Result) bool {
		w.member(key.String(), a.schema(s, 0))
		return true
	})
	a.impossible = a.impossible || w.twice || !schemas.IsObject()
	return w.object()
}

// object writes the properties of an object, all of them required, and no others.
func (a *adapter) object(w *objectWriter, s, properties gjson.Result, depth int) {
	needed := map[string]bool{}
	for _, name := range s.Get("required").Array() {
		needed[name.String()] = true
	}
	members := &objectWriter{}
	var names []string
	properties.ForEach(func(key, p gjson.Result) bool {
		name := key.String()
		// A property that may be absent needs another value for absence: null, or the default.
		if !needed[name] && !a.takesNull(p) && !p.Get("default").Exists() {
			a.impossible = true
		}
		names = append(names, string(quoted(name)))
		members.member(name, a.schema(p, depth+1))
		return !a.impossible
	})
	a.impossible = a.impossible || members.twice || !properties.IsObject()
	a.properties += len(names)
	w.member("properties", members.object())
	w.member("required", "["+strings.Join(names, ",")+"]")
	w.member("additionalProperties", "false")
}

// takesNull reports whether null is valid by a schema.
func (a *adapter) takesNull(s gjson.Result) bool {
	if t := s.Get("type"); t.Exists() {
		return strings.Contains(t.Raw, `"null"`) && (!s.Get("enum").Exists() || hasNull(s.Get("enum")))
	}
	for _, one := range slices.Concat(s.Get("anyOf").Array(), s.Get("oneOf").Array()) {
		if a.takesNull(one) {
			return true
		}
	}
	return hasNull(s.Get("enum"))
}

func hasNull(values gjson.Result) bool {
	return slices.ContainsFunc(values.Array(), func(v gjson.Result) bool { return v.Type == gjson.Null })
}

// isPlain reports whether every engine reads a regular expression as Go does: no groups with a
// question mark except (?:, no classes and no escapes by letters except those for digits, words and space.
func isPlain(expression string) bool {
	rest := strings.ReplaceAll(expression, "(?:", "(")
	if strings.Contains(rest, "(?") || strings.Contains(rest, "[[:") {
		return false
	}
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] >= 0x80:
			return false
		case rest[i] != '\\':
			continue
		}
		if i++; i == len(rest) || !strings.ContainsRune(`dDwWsS\.+*?()|[]{}^$/-`, rune(rest[i])) {
			return false
		}
	}
	return true
}

// An objectWriter writes the members of an object of JSON.
type objectWriter struct {
	b     strings.Builder
	names map[string]bool
	twice bool // a name was repeated
}

func (w *objectWriter) member(name, value string) {
	if w.names == nil {
		w.names = map[string]bool{}
	}
	w.twice = w.twice || w.names[name]
	w.names[name] = true
	if w.b.Len() > 0 {
		w.b.WriteByte(',')
	}
	w.b.Write(quoted(name))
	w.b.WriteString(":" + value)
}

func (w *objectWriter) object() string { return "{" + w.b.String() + "}" }
