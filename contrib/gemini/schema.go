package gemini

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A keyword is what becomes of a keyword of JSON Schema.
type keyword uint8

const (
	dropped keyword = iota // the API has no word for it
	kept
	told    // in the description, for the model
	schema  // its value is one
	list    // its values are
	members // the values of its members are
)

// keywords are those that the API supports, with the form of their values, and those that a
// model understands. Others are dropped.
var keywords = map[string]keyword{
	"$id": kept, "$anchor": kept, "type": kept, "title": kept, "minItems": kept, "maxItems": kept,
	"minimum": kept, "maximum": kept, "propertyOrdering": kept,
	"items": schema, "additionalProperties": schema,
	"anyOf": list, "oneOf": list, "prefixItems": list,
	"properties": members, "$defs": members,
	"minLength": told, "maxLength": told, "pattern": told, "multipleOf": told, "uniqueItems": told, "default": told,
	"exclusiveMinimum": told, "exclusiveMaximum": told, "minProperties": told, "maxProperties": told,
	"contentEncoding": told, "not": told,
}

// formats are those that the API takes.
var formats = map[string]bool{
	"date-time": true, "date": true, "time": true, "float": true, "double": true, "int32": true, "int64": true,
}

// adapt returns a JSON Schema in the form that the API takes, with its members in their order.
// It returns nil for one that constrains no member of an object.
func adapt(text string) (jsontext.Value, error) {
	v := jsontext.Value(text)
	if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(false)); err != nil {
		return nil, err
	}
	root := parse(v)
	a := &adapter{cyclic: cycles(root)}
	adapted := a.schema(root)
	properties := adapted.get("properties")
	open := (properties == nil || len(properties.members) == 0) && adapted.get("additionalProperties").kind() != '{'
	if open && adapted.get("type").text() == "object" || len(adapted.members) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	adapted.write(&out)
	return out.Bytes(), nil
}

// An adapter makes schemas that the API takes.
type adapter struct {
	cyclic map[string]bool // references that lead back to themselves
}

func (a *adapter) schema(n *node) *node {
	out := &node{raw: jsontext.Value("{}")} // as for true; false is beyond the API
	var notes []string
	for i, name := range n.names {
		value := n.members[i]
		switch keywords[current(name)] {
		case kept:
			out.set(name, value)
		case told:
			notes = append(notes, name+" "+value.String())
		case schema, list, members:
			a.take(out, current(name), n)
		case dropped:
			notes = append(notes, a.special(out, name, value, n)...)
		}
	}
	if len(notes) > 0 {
		description := out.get("description").text()
		if description != "" {
			description += " "
		}
		out.set("description", textNode(description+"("+strings.Join(notes, ", ")+")"))
	}
	return a.reference(out, n)
}

// reference adds a reference. Beside it the API wants nothing but definitions, so where
// there is a description of what refers, the reference is any of one.
func (a *adapter) reference(out, of *node) *node {
	ref := of.get("$ref")
	if ref == nil {
		return out
	}
	refers := &node{raw: jsontext.Value("{}")}
	refers.set("$ref", textNode(modern(ref.text())))
	if d := out.get("description"); d != nil {
		one := listNode(refers)
		refers = &node{raw: jsontext.Value("{}")}
		refers.set("description", d)
		refers.set("anyOf", one)
	}
	if defs := out.get("$defs"); defs != nil {
		refers.set("$defs", defs)
	}
	return refers
}

// special writes the keywords that need more than their treatment in the table.
func (a *adapter) special(out *node, name string, value, of *node) (notes []string) {
	switch name {
	case "description":
		out.set(name, value)
	case "format":
		if !formats[value.text()] {
			return []string{name + " " + value.String()}
		}
		out.set(name, value)
	case "enum":
		if values := nameable(value.members); len(values) > 0 {
			out.set(name, listNode(values...))
		} else {
			return []string{"one of " + value.String()}
		}
	case "const":
		if values := nameable([]*node{value}); len(values) > 0 {
			out.set("enum", listNode(values...))
		} else {
			return []string{"only " + value.String()}
		}
	case "required":
		out.set(name, a.required(value, of.get("properties")))
	case "allOf":
		// One is as good as any of one.
		if len(value.members) == 1 && of.get("anyOf") == nil {
			out.set("anyOf", listNode(a.schema(value.members[0])))
		}
	}
	return nil
}

// take adapts the schemas of a keyword.
func (a *adapter) take(out *node, name string, of *node) {
	value := of.get(name)
	value = cmp.Or(value, of.get("definitions"))
	if value == nil {
		return
	}
	switch k := keywords[name]; {
	case k == schema && value.kind() == '[': // a tuple, before prefixItems
		out.set("prefixItems", a.all(value))
	case k == schema && value.kind() != '{':
		out.set(name, value)
	case k == schema:
		out.set(name, a.schema(value))
	default:
		out.set(name, a.all(value))
	}
}

func (a *adapter) all(value *node) *node {
	out := &node{raw: value.raw, names: value.names}
	for _, m := range value.members {
		out.members = append(out.members, a.schema(m))
	}
	return out
}

// required leaves out the properties that lead back to their own schema: the API cannot
// require them.
func (a *adapter) required(names, properties *node) *node {
	out := listNode()
	for _, name := range names.members {
		leads := false
		properties.get(name.text()).walk(func(n *node) {
			leads = leads || a.cyclic[modern(n.get("$ref").text())]
		})
		if !leads {
			out.members = append(out.members, name)
		}
	}
	return out
}

// nameable returns the values that an enum of the API may have.
func nameable(values []*node) []*node {
	return slices.DeleteFunc(slices.Clone(values), func(n *node) bool { return n.kind() != '"' && n.kind() != '0' })
}

// current is the name of a keyword in the draft that the API reads.
func current(name string) string {
	if name == "definitions" {
		return "$defs"
	}
	return name
}

func modern(ref string) string {
	if rest, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return "#/$defs/" + rest
	}
	return ref
}

// cycles returns the references of a schema that lead back to themselves.
func cycles(root *node) map[string]bool {
	leads := map[string][]string{"#": references(root)}
	for _, key := range []string{"$defs", "definitions"} {
		if defs := root.get(key); defs != nil {
			for i, name := range defs.names {
				leads["#/$defs/"+name] = references(defs.members[i])
			}
		}
	}
	cyclic := map[string]bool{}
	for from := range leads {
		seen, open := map[string]bool{}, slices.Clone(leads[from])
		for len(open) > 0 {
			to := open[len(open)-1]
			open = open[:len(open)-1]
			if !seen[to] {
				seen[to] = true
				open = append(open, leads[to]...)
			}
		}
		cyclic[from] = seen[from]
	}
	return cyclic
}

func references(n *node) (refs []string) {
	n.walk(func(n *node) {
		if ref := n.get("$ref").text(); ref != "" {
			refs = append(refs, modern(ref))
		}
	})
	return refs
}
