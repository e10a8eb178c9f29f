package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/graphgen/graphgen/chat"
)

// The bounds of a server's description of one tool.
const (
	longestName = 256 // bytes
	deepest     = 100 // values within values of a schema
)

// describe returns a tool as models are given it. It returns a *DescriptionError for a tool that
// providers would refuse, and with it the whole request.
func (c *config) describe(t *sdk.Tool) (described, error) {
	wrong := func(message string) error {
		return &DescriptionError{Server: c.name, Tool: short(t.Name), Message: c.redact(message)}
	}
	if message := checkName(t.Name); message != "" {
		return described{}, wrong(message)
	}
	schema := t.InputSchema
	switch s := schema.(type) {
	case nil:
		schema = map[string]any{"type": "object"}
	case map[string]any:
		if _, typed := s["type"]; !typed { // arguments are always an object
			s["type"] = "object"
		}
	}
	if message := checkSchema(schema); message != "" {
		return described{}, wrong(message)
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return described{}, wrong("its schema is not JSON: " + err.Error())
	}
	doc := t.Description
	doc = cmp.Or(doc, t.Title)
	return described{t.Name, chat.ToolSpec{Name: adapt(t.Name), Doc: doc, Schema: string(text)}}, nil
}

// checkName returns what is wrong with the name of a tool; empty is nothing. Characters that providers
// do not take are adapted, as long as a name is left.
func checkName(name string) string {
	usable := func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	switch {
	case strings.TrimSpace(name) == "":
		return "it has no name"
	case len(name) > longestName:
		return fmt.Sprintf("its name has %d bytes, and may have %d", len(name), longestName)
	case strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }):
		return "its name has characters that cannot be printed"
	case !strings.ContainsFunc(name, usable):
		return "its name has no letter from a to z and no digit, and models take no others"
	}
	return ""
}

// checkSchema returns what is wrong with the schema of a tool's arguments; empty is nothing.
func checkSchema(schema any) string {
	root, ok := schema.(map[string]any)
	if !ok {
		return "its schema is not an object"
	}
	if root["type"] != "object" {
		return "its schema is not one of an object"
	}
	c := &schemaCheck{root: root, forms: keywords, names: map[string]bool{}}
	if message := c.schema(root, "", 0); message != "" {
		return message
	}
	for _, r := range c.refs {
		if !c.names[r.to] && !c.leads(r.to) {
			return c.at(r.path+"/$ref", strconv.Quote(short(r.to))+" is not in it")
		}
	}
	return ""
}

// A schemaCheck looks at a schema as far as its form goes: whether its keywords have values of the right
// kinds, and whether its references lead anywhere. Unknown keywords may have any value.
type schemaCheck struct {
	root  map[string]any
	forms map[string]form // of the keywords
	names map[string]bool // of schemas: their $id, and # with their $anchor
	refs  []reference
}

type reference struct{ path, to string }

func (c *schemaCheck) at(path, message string) string {
	return "its schema is broken at " + strconv.Quote("#"+short(path)) + ": " + message
}

// A form checks the value of a keyword.
type form func(c *schemaCheck, value any, path string, depth int) string

var keywords = map[string]form{
	"type": typeForm,

	"properties": schemasByName, "patternProperties": schemasByName, "dependentSchemas": schemasByName,
	"$defs": schemasByName, "definitions": schemasByName,

	"items": schemaOrList, "additionalProperties": oneSchema, "propertyNames": oneSchema, "unevaluatedProperties": oneSchema,
	"additionalItems": oneSchema, "unevaluatedItems": oneSchema, "contains": oneSchema, "not": oneSchema,
	"if": oneSchema, "then": oneSchema, "else": oneSchema,

	"anyOf": schemaList, "oneOf": schemaList, "allOf": schemaList, "prefixItems": schemaList,

	"required": textList, "enum": valueList,

	"minLength": count, "maxLength": count, "minItems": count, "maxItems": count,
	"minProperties": count, "maxProperties": count,
	"minimum": number, "maximum": number, "multipleOf": number,

	"pattern": text, "format": text, "title": text, "description": text, "contentEncoding": text,
	"$schema": text, "$comment": text, "$id": named(""), "$anchor": named("#"), "$dynamicAnchor": named("#"), "$ref": ref,
}

// schema checks a schema, which is an object or a boolean.
func (c *schemaCheck) schema(value any, path string, depth int) string {
	if depth > deepest {
		return c.at(path, fmt.Sprintf("it is nested deeper than %d", deepest))
	}
	object, ok := value.(map[string]any)
	if !ok {
		if _, ok := value.(bool); ok {
			return ""
		}
		return c.at(path, "a schema has to be an object or a boolean")
	}
	for _, name := range sortedKeys(object) {
		if form, known := c.forms[name]; known {
			if message := form(c, object[name], path+"/"+name, depth); message != "" {
				return message
			}
		}
	}
	return ""
}

func sortedKeys(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}

func oneSchema(c *schemaCheck, value any, path string, depth int) string {
	return c.schema(value, path, depth+1)
}

func schemasByName(c *schemaCheck, value any, path string, depth int) string {
	object, ok := value.(map[string]any)
	if !ok {
		return c.at(path, "it has to be an object of schemas")
	}
	for _, name := range sortedKeys(object) {
		if message := c.schema(object[name], path+"/"+escaper.Replace(name), depth+1); message != "" {
			return message
		}
	}
	return ""
}

func schemaList(c *schemaCheck, value any, path string, depth int) string {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return c.at(path, "it has to be a list of schemas")
	}
	for i, s := range list {
		if message := c.schema(s, path+"/"+strconv.Itoa(i), depth+1); message != "" {
			return message
		}
	}
	return ""
}

// schemaOrList is the form of items, which was a list of schemas too before prefixItems.
func schemaOrList(c *schemaCheck, value any, path string, depth int) string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		return schemaList(c, value, path, depth)
	}
	return c.schema(value, path, depth+1)
}

var types = []any{"object", "array", "string", "number", "integer", "boolean", "null"}

func typeForm(c *schemaCheck, value any, path string, _ int) string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, name := range list {
		if !isIn(name, types) {
			return c.at(path, "it has to be a type of JSON, or a list of them")
		}
	}
	if len(list) == 0 {
		return c.at(path, "there is no type in it")
	}
	return ""
}

// isIn reports whether a value is a string among others. (A list cannot be compared.)
func isIn(value any, list []any) bool {
	text, ok := value.(string)
	return ok && slices.Contains(list, any(text))
}

func textList(c *schemaCheck, value any, path string, _ int) string {
	list, ok := value.([]any)
	if !ok || slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok }) {
		return c.at(path, "it has to be a list of strings")
	}
	return ""
}

func valueList(c *schemaCheck, value any, path string, _ int) string {
	if list, ok := value.([]any); !ok || len(list) == 0 {
		return c.at(path, "it has to be a list of values")
	}
	return ""
}

func count(c *schemaCheck, value any, path string, _ int) string {
	if n, ok := value.(float64); !ok || n < 0 {
		return c.at(path, "it has to be a number that is not negative")
	}
	return ""
}

func number(c *schemaCheck, value any, path string, _ int) string {
	if _, ok := value.(float64); !ok {
		return c.at(path, "it has to be a number")
	}
	return ""
}

func text(c *schemaCheck, value any, path string, _ int) string {
	if _, ok := value.(string); !ok {
		return c.at(path, "it has to be a string")
	}
	return ""
}

// named is the form of a keyword that names its schema.
func named(before string) form {
	return func(c *schemaCheck, value any, path string, depth int) string {
		name, _ := value.(string)
		c.names[before+name] = true
		return text(c, value, path, depth)
	}
}

func ref(c *schemaCheck, value any, path string, depth int) string {
	to, _ := value.(string)
	c.refs = append(c.refs, reference{strings.TrimSuffix(path, "/$ref"), to})
	return text(c, value, path, depth)
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// leads reports whether a reference is a pointer to something within the schema.
func (c *schemaCheck) leads(to string) bool {
	pointer, within := strings.CutPrefix(to, "#")
	pointer, err := url.PathUnescape(pointer)
	if !within || err != nil || pointer != "" && pointer[0] != '/' {
		return false
	}
	var at any = c.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		switch value := at.(type) {
		case map[string]any:
			found := false
			if at, found = value[unescaper.Replace(step)]; !found {
				return false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(value) {
				return false
			}
			at = value[i]
		default:
			return false
		}
	}
	return true
}

// short returns the beginning of a server's text, for an error.
func short(text string) string {
	const most = 80 // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
