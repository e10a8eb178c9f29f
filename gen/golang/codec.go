package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// codecs prints the codecs of a machine into a file, each beside its type: the methods EncodeJSON and DecodeJSON for package codec,
// MarshalJSON and UnmarshalJSON, by which encoding/json finds them, MarshalJSONTo and UnmarshalJSONFrom for encoding/json/v2, and
// JSONSchema.
//
// Most types are complete: every field that is not optional is there. The state fills up during a run, so the state and what is cut out
// of it, a run's output and the key of a cacheable node, leave out what is not set.
type codecs struct {
	*emitter
	of    map[*resolve.Type]*plan.Codec
	texts map[*spec.Field]string // the variables that hold the limits of strings
	media *plan.Media
}

func newCodecs(e *emitter) *codecs {
	m := e.m
	c := &codecs{emitter: e, of: map[*resolve.Type]*plan.Codec{}, texts: map[*spec.Field]string{}, media: &m.Types.Media}
	for _, codec := range m.Types.Codecs {
		c.of[codec.Type] = codec
		for _, t := range codec.Texts {
			c.texts[t.Field.Spec] = t.Var
		}
	}
	return c
}

// beside prints the codec of a type, if it has one, below its declaration.
func (c *codecs) beside(t *resolve.Type) {
	if codec := c.of[t]; codec != nil {
		c.emit(codec)
		c.emitIsZero(codec)
	}
	c.f.Line()
}

// input declares the input of a run, with its codec beside it. Where it has no fields, and no value of another type
// holds one, package codec has the methods.
func (c *codecs) input(t *resolve.Type) {
	if codec := c.of[t]; codec != nil && codec.Alone() && codec.Standard && len(t.Fields) == 0 {
		c.f.Type().Id(t.GoName).Add(structOf(jen.Qual(codecPath, "Empty")))
		c.f.Line()
		return
	}
	emitStruct(c.f, t, "", documented)
	c.beside(t)
}

func (c *codecs) emit(codec *plan.Codec) {
	switch codec.Type.Kind {
	case resolve.Enum:
		c.print("enum codec", codec)
	case resolve.Union:
		c.emitUnion(codec)
	default:
		c.emitStruct(structCodec{codec})
	}
	if codec.Schema {
		c.print("schema", codec)
	}
}

// A structCodec is the codec of a struct.
type structCodec struct{ *plan.Codec }

// emitTable declares the variable with what the codec needs of its type.
func (c *codecs) emitTable(codec *plan.Codec, kind string, entries ...jen.Code) {
	if codec.Table == "" {
		return
	}
	entries = append([]jen.Code{entry("Type", jen.Lit(codec.Type.String()))}, entries...)
	c.table(codec.Table, kind, entries)
}

// tableWidth is the width of the declaration of a table that is on one line.
const tableWidth = 130

// table declares a variable of package codec: on one line if it fits.
func (c *codecs) table(name, kind string, entries []jen.Code) {
	value := jen.Qual(codecPath, kind).Values(entries...)
	if text := fmt.Sprintf("%#v", jen.Var().Id(name).Op("=").Add(value)); len(text) > tableWidth || strings.Contains(text, "\n") {
		value = jen.Qual(codecPath, kind).Custom(lines, entries...)
	}
	c.f.Var().Id(name).Op("=").Add(value)
}

// lines are the entries of a composite literal, each on its own line.
var lines = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

// literalWidth is the width of a composite literal that is on one line.
const literalWidth = 100

// fitting is a composite literal: on one line if it fits, else with a line for each entry.
func fitting(of *jen.Statement, entries []jen.Code) *jen.Statement {
	one := of.Clone().Values(entries...)
	if text := fmt.Sprintf("%#v", one); len(text) <= literalWidth && !strings.Contains(text, "\n") {
		return one
	}
	return of.Custom(lines, entries...)
}

func entry(key string, value *jen.Statement) *jen.Statement {
	return jen.Id(key).Op(":").Add(value)
}

// lineWidth is the width of a line of names beyond which the next one begins.
const lineWidth = 90

// list is a list of names.
func list(names []string) *jen.Statement { return jen.Index().String().Values(filled(0, names)...) }

// filled are names on as many lines as they need, of which the first is used up to a width.
func filled(width int, names []string) []jen.Code {
	var items []jen.Code
	for _, name := range names {
		item := jen.Lit(name)
		if width += len(name) + len(`"", `); width > lineWidth {
			width = len(name)
			item = jen.Line().Add(item)
		}
		items = append(items, item)
	}
	return items
}

func (c *codecs) emitStruct(s structCodec) {
	for _, t := range s.Texts {
		c.emitText(t)
	}
	if s.Limits() {
		c.emitMembers(s)
	}
	c.print("struct codec", s.Codec)
}

func encoder() *jen.Statement { return jen.Id("e").Op("*").Qual(codecPath, "Encoder") }
func decoder() *jen.Statement { return jen.Id("d").Op("*").Qual(codecPath, "Decoder") }

// emitEnumTable declares what the codec of an enum needs of it, if it has a codec.
func (c *codecs) emitEnumTable(t *resolve.Type) {
	codec := c.of[t]
	if codec == nil {
		return
	}
	c.emitTable(codec, "Enum", entry("Names", list(valueNames(t))))
	c.f.Line()
}
