// Package schema writes the JSON Schema (draft 2020-12) of a resolved type: what the
// type's generated decoder accepts, as a model or another program is told it.
//
// A decoder is stricter in what JSON Schema cannot say: it refuses a key that is given
// twice, and numbers that do not fit into the Go type.
package schema

import (
	"math"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
)

// Draft is the dialect of the schemas.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Of returns the schema of a type as indented JSON without a line break at its end.
// Equal types give equal bytes. The text holds no backtick and no character that changes
// how others are shown, so that it can stand in a raw string of Go.
func Of(t *resolve.Type) []byte {
	w := &writer{root: t}
	w.open('{')
	w.key("$schema").string(Draft)
	if named(t) {
		w.declared(t)
	} else {
		w.describe(t, nil)
	}
	if len(w.defs) > 0 {
		w.key("$defs").open('{')
		for i := 0; i < len(w.defs); i++ { // writing one may find more
			w.key(w.defs[i].GoName).open('{')
			w.declared(w.defs[i])
			w.close('}')
		}
		w.close('}')
	}
	w.close('}')
	return []byte(w.b.String())
}

// named reports whether the type stands under $defs where others refer to it.
func named(t *resolve.Type) bool { return t.Kind == resolve.Struct || t.Kind == resolve.Enum }

// basics are the types of JSON Schema for those of the language.
var basics = map[resolve.Kind]string{
	resolve.String: "string", resolve.Int: "integer", resolve.Float: "number", resolve.Bool: "boolean",
}

// declared writes the keywords of a struct or an enum.
func (w *writer) declared(t *resolve.Type) {
	w.key("title").string(t.GoName)
	w.doc(t.Doc)
	if t.Kind == resolve.Enum {
		w.enum(t)
		return
	}
	w.key("type").string("object")
	w.key("properties").open('{')
	var required []string
	for _, f := range t.Fields {
		if f.Type.Kind != resolve.Optional {
			required = append(required, f.Name)
		}
		w.key(f.Name).open('{')
		if f.Spec != nil {
			w.doc(f.Spec.Doc.V)
		}
		w.describe(f.Type, f)
		w.close('}')
	}
	w.close('}')
	if len(required) > 0 {
		w.key("required").strings(required)
	}
	w.key("additionalProperties").raw("false")
}

// describe writes the keywords of any type. f is the field of that type whose bounds
// hold, or nil.
func (w *writer) describe(t *resolve.Type, f *resolve.Field) {
	null := t.Kind == resolve.Optional
	if null {
		t = t.Elem
	}
	switch {
	case named(t) && null:
		w.key("anyOf").open('[')
		w.item().open('{')
		w.ref(t)
		w.close('}')
		w.item().open('{')
		w.key("type").string("null")
		w.close('}')
		w.close(']')
		return
	case named(t):
		w.ref(t)
		return
	}
	switch t.Kind {
	case resolve.List:
		w.typ("array", null)
		w.key("items")
		w.nested(t.Elem)
	case resolve.Map:
		w.typ("object", null)
		w.key("additionalProperties")
		w.nested(t.Elem)
	case resolve.Int, resolve.Float:
		w.typ(basics[t.Kind], null)
		w.bounds(f)
	case resolve.String, resolve.Bool:
		w.typ(basics[t.Kind], null)
	}
}

// nested writes the schema of an element.
func (w *writer) nested(t *resolve.Type) {
	w.open('{')
	w.describe(t, nil)
	w.close('}')
}

func (w *writer) ref(t *resolve.Type) {
	if t == w.root {
		w.key("$ref").string("#")
		return
	}
	if !w.seen[t] {
		if w.seen == nil {
			w.seen = map[*resolve.Type]bool{}
		}
		w.seen[t] = true
		w.defs = append(w.defs, t)
	}
	w.key("$ref").string("#/$defs/" + t.GoName)
}

func (w *writer) typ(name string, null bool) {
	if null {
		w.key("type").strings([]string{name, "null"})
		return
	}
	w.key("type").string(name)
}

func (w *writer) enum(t *resolve.Type) {
	w.key("type").string("string")
	names := make([]string, len(t.Values))
	for i, v := range t.Values {
		names[i] = v.Name
	}
	w.key("enum").strings(names)
}

func (w *writer) bounds(f *resolve.Field) {
	if f == nil || f.Spec == nil {
		return
	}
	if f.Spec.Min.IsSet() {
		w.key("minimum").raw(number(f.Spec.Min.V))
	}
	if f.Spec.Max.IsSet() {
		w.key("maximum").raw(number(f.Spec.Max.V))
	}
}

// number writes a bound as JSON has it.
func number(f float64) string {
	if math.Trunc(f) == f && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func (w *writer) doc(text string) {
	if text = strings.TrimSpace(text); text != "" {
		w.key("description").string(text)
	}
}
