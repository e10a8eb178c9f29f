// Package schema writes the JSON Schema (draft 2020-12) of a resolved type: the
// values that the generated decoder accepts, for models and other programs.
//
// A decoder is stricter where JSON Schema cannot express a rule: it refuses duplicate keys,
// and numbers that do not fit into the Go type.
package schema

import (
	"math"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Draft is the dialect of the schemas.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Of returns the schema of a type as indented JSON without a final line break. Equal types give
// equal bytes. The text has no backtick and no character that changes how others are displayed, so
// it fits in a raw string of Go.
func Of(t *resolve.Type) []byte {
	w := write(t)
	w.fold()
	return filled(w.b.Bytes())
}

// Partial is the schema of a struct of which no member need be there.
func Partial(t *resolve.Type) []byte {
	w := &writer{root: t, partial: true}
	w.whole()
	w.fold()
	return filled(w.b.Bytes())
}

func write(t *resolve.Type) *writer {
	w := &writer{root: t}
	w.whole()
	return w
}

// whole writes the schema of the root.
func (w *writer) whole() {
	t := w.root
	w.open('{')
	w.key("$schema").string(Draft)
	if named(t) {
		w.declared(t)
	} else {
		w.describe(t, nil)
	}
	w.end()
}

// end writes the definitions of the types that the schema refers to, and closes it.
func (w *writer) end() {
	if len(w.defs) > 0 {
		w.key("$defs").open('{')
		for i := 0; i < len(w.defs); i++ { // writing one may add more
			w.key(w.names[w.defs[i]]).open('{')
			w.declared(w.defs[i])
			w.close('}')
		}
		w.close('}')
	}
	w.close('}')
	w.fill()
}

// named reports whether the type is defined under $defs.
func named(t *resolve.Type) bool {
	return t.Kind == resolve.Struct || t.Kind == resolve.Enum || t.Kind == resolve.Union || t.Kind == resolve.Message
}

// basics are the types of JSON Schema for types of the language.
var basics = map[resolve.Kind]string{
	resolve.String: "string", resolve.Int: "integer", resolve.Float: "number", resolve.Bool: "boolean",
	resolve.Time: "string", resolve.Duration: "string", resolve.Bytes: "string",
}

// Returned returns the schema of the answer to a call of a tool that the caller of a machine runs: an object with the
// result, of a type, or with an error.
func Returned(t *resolve.Type) []byte {
	w := &writer{}
	w.open('{')
	w.key("$schema").string(Draft)
	w.key("oneOf").open('[')
	alternative := func(name string, value func()) {
		w.item().open('{')
		w.key("type").string("object")
		w.key("properties").open('{')
		w.key(name).open('{')
		value()
		w.close('}')
		w.close('}')
		w.key("required").strings([]string{name})
		w.key("additionalProperties").raw("false")
		w.close('}')
	}
	alternative("result", func() { w.describe(t, nil) })
	alternative("error", func() {
		w.key("type").string("string")
		w.key("minLength").raw("1")
	})
	w.close(']')
	w.end()
	return w.b.Bytes()
}

// durations is what time.ParseDuration reads. The format duration of JSON Schema is another.
const durations = `^[-+]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// declared writes the keywords of a struct, an enum or a union.
func (w *writer) declared(t *resolve.Type) {
	w.key("title").string(t.GoName)
	w.doc(t.Doc)
	switch t.Kind {
	case resolve.Enum:
		w.enum(t)
	case resolve.Union:
		w.union(t)
	case resolve.Message:
		w.message(t)
	default:
		w.object(t, "", "")
	}
}

// union writes the variants of a union: each an object with the label beside its fields.
func (w *writer) union(t *resolve.Type) {
	w.key("oneOf").open('[')
	for _, v := range t.Variants {
		w.item().open('{')
		w.key("title").string(v.Type.GoName)
		w.doc(v.Type.Doc)
		w.object(v.Type, t.Discriminator, v.Label)
		w.close('}')
	}
	w.close(']')
}

// object writes the keywords of a struct. A variant has its label beside its fields.
func (w *writer) object(t *resolve.Type, discriminator, label string) {
	w.key("type").string("object")
	w.key("properties").open('{')
	var required []string
	if discriminator != "" {
		required = append(required, discriminator)
		w.key(discriminator).open('{')
		w.key("const").string(label)
		w.close('}')
	}
	for _, f := range t.Fields {
		if f.Type.Kind != resolve.Optional && (f.Spec == nil || f.Spec.Default == nil) {
			required = append(required, f.Name)
		}
		w.key(f.Name).open('{')
		if f.Spec != nil {
			w.doc(f.Spec.Doc.V)
		}
		w.describe(f.Type, f)
		w.initial(f)
		w.close('}')
	}
	if t == w.root {
		w.gap = w.b.Len()
	}
	w.close('}')
	if len(required) > 0 && !(w.partial && t == w.root) {
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
		w.nested(t.Elem, f)
		w.lengths(f, "Items", one)
	case resolve.Map:
		w.typ("object", null)
		w.key("additionalProperties")
		w.nested(t.Elem, f)
		w.lengths(f, "Properties", one)
	case resolve.Int, resolve.Float:
		w.typ(basics[t.Kind], null)
		w.bounds(f)
	case resolve.Bool:
		w.typ(basics[t.Kind], null)
	case resolve.String:
		w.typ(basics[t.Kind], null)
		w.lengths(f, "Length", one)
		w.texts(f)
	case resolve.Time:
		w.typ(basics[t.Kind], null)
		w.key("format").string("date-time")
	case resolve.Duration:
		w.typ(basics[t.Kind], null)
		w.key("pattern").string(durations)
	case resolve.Media:
		w.media(t, f, null)
	case resolve.Bytes:
		w.typ(basics[t.Kind], null)
		w.key("contentEncoding").string("base64")
		w.lengths(f, "Length", inBase64)
	}
}

// nested writes the schema of an element of the field f. The limits of media are for each element.
func (w *writer) nested(t *resolve.Type, f *resolve.Field) {
	if t.AsMedia() == nil || f == nil || f.Spec == nil {
		f = nil
	} else {
		f = &resolve.Field{Spec: &spec.Field{MaxBytes: f.Spec.MaxBytes, Media: f.Spec.Media}}
	}
	w.open('{')
	w.describe(t, f)
	w.close('}')
}

func (w *writer) ref(t *resolve.Type) {
	if t == w.root {
		w.key("$ref").string("#")
		return
	}
	if w.names[t] == "" {
		if w.names == nil {
			w.names = map[*resolve.Type]string{}
		}
		name := t.GoName
		if t.Import == resolve.ChatPath {
			name = "chat." + name // no type of a spec has such a name
		}
		for _, other := range w.defs {
			if w.names[other] == name { // of another package
				name = t.Qualifier + "." + t.GoName
			}
		}
		w.names[t] = name
		w.defs = append(w.defs, t)
	}
	w.key("$ref").string("#/$defs/" + w.names[t])
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

// number formats a bound as JSON.
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
