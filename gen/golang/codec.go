package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
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
	*jen.File
	of    map[*resolve.Type]*plan.Codec
	texts map[*spec.Field]string // the variables that hold the limits of strings
	media *plan.Media
}

func newCodecs(f *jen.File, m *plan.Machine) *codecs {
	c := &codecs{File: f, of: map[*resolve.Type]*plan.Codec{}, texts: map[*spec.Field]string{}, media: &m.Types.Media}
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
	c.Line()
}

// input declares the input of a run, with its codec beside it. Where it has no fields, and no value of another type
// holds one, package codec has the methods.
func (c *codecs) input(t *resolve.Type) {
	if codec := c.of[t]; codec != nil && codec.Alone() && codec.Standard && len(t.Fields) == 0 {
		c.Type().Id(t.GoName).Add(structOf(jen.Qual(codecPath, "Empty")))
		c.Line()
		return
	}
	emitStruct(c.File, t, "", documented)
	c.beside(t)
}

func (c *codecs) emit(codec *plan.Codec) {
	switch codec.Type.Kind {
	case resolve.Enum:
		c.emitEnum(codec)
	case resolve.Union:
		c.emitUnion(codec)
	default:
		c.emitStruct(structCodec{codec})
	}
	c.emitSchema(codec)
}

// A structCodec is the codec of a struct.
type structCodec struct{ *plan.Codec }

// flagJSON is the name of plan.FlagName in JSON.
const flagJSON = "max_steps_reached"

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
	c.Var().Id(name).Op("=").Add(value)
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
	c.emitBoth(s.Codec, func() {
		if !s.Alone() {
			c.encodeMethod(s.Type).Add(body(jen.Qual(codecPath, "WriteStruct").Call(jen.Op("&").Id("v"), jen.Id("e"))))
		}
	}, func() {
		if !s.Alone() {
			c.decodeMethod(s.Type).Add(body(jen.Qual(codecPath, s.readStruct()).Call(jen.Id("v"), jen.Id("d"), jen.Lit(s.Type.String()))))
		}
	})
	c.emitStandard(s)
	c.emitSecond(s.Codec)
}

// The methods of codecs for package codec.
const (
	encodeJSON = "EncodeJSON"
	decodeJSON = "DecodeJSON"
)

// emitBoth gives a type the methods of package codec. Where a type of the user's has those
// of encoding/json/v2, they are called.
func (c *codecs) emitBoth(codec *plan.Codec, encode, decode func()) {
	switch codec.Encode {
	case plan.Adapter:
		c.Add(comment("EncodeJSON is MarshalJSONTo for package codec."))
		c.encodeMethod(codec.Type).Add(body(jen.Qual(codecPath, "WriteTo").Call(jen.Id("v"), jen.Id("e"))))
	case plan.Generated:
		encode()
	}
	switch codec.Decode {
	case plan.Adapter:
		c.Add(comment("DecodeJSON is UnmarshalJSONFrom for package codec."))
		c.decodeMethod(codec.Type).Add(body(jen.Qual(codecPath, "ReadFrom").Call(jen.Id("v"), jen.Id("d"))))
	case plan.Generated:
		decode()
	}
}

// method is the head of a method of the value, or of a pointer to it.
func (c *codecs) method(t *resolve.Type, pointer bool, name string) *jen.Statement {
	receiver := jen.Id("v").Id(t.GoName)
	if pointer {
		receiver = jen.Id("v").Op("*").Id(t.GoName)
	}
	return c.Func().Params(receiver).Id(name)
}

func (c *codecs) encodeMethod(t *resolve.Type) *jen.Statement {
	return c.method(t, false, encodeJSON).Params(encoder())
}

func (c *codecs) decodeMethod(t *resolve.Type) *jen.Statement {
	return c.method(t, true, decodeJSON).Params(decoder())
}

func encoder() *jen.Statement { return jen.Id("e").Op("*").Qual(codecPath, "Encoder") }
func decoder() *jen.Statement { return jen.Id("d").Op("*").Qual(codecPath, "Decoder") }

// emitSecond gives a type the methods of encoding/json/v2.
func (c *codecs) emitSecond(codec *plan.Codec) {
	t := codec.Type
	if codec.Marshal {
		c.method(t, false, "MarshalJSONTo").Params(jen.Id("e").Op("*").Qual(jsontextPath, "Encoder")).Error().
			Add(body(jen.Return(jen.Qual(codecPath, "MarshalTo").Call(jen.Id("v"), jen.Id("e")))))
	}
	if codec.Unmarshal {
		c.method(t, true, "UnmarshalJSONFrom").Params(jen.Id("d").Op("*").Qual(jsontextPath, "Decoder")).Error().
			Add(body(jen.Return(jen.Qual(codecPath, "UnmarshalFrom").Call(jen.Id("v"), jen.Id("d")))))
	}
}

// emitStandard gives a struct the methods of encoding/json, which call those of package codec.
func (c *codecs) emitStandard(s structCodec) {
	if !s.Standard {
		return
	}
	v, data := jen.Id("v"), jen.Id("b")
	write, read := jen.Qual(codecPath, "Marshal").Call(v), jen.Qual(codecPath, "Unmarshal").Call(data, v)
	if s.Alone() {
		unmarshal := "UnmarshalInput"
		if s.Partial {
			unmarshal = "UnmarshalOutput"
		}
		write, read = jen.Qual(codecPath, "MarshalStruct").Call(jen.Op("&").Add(v)), jen.Qual(codecPath, unmarshal).Call(data, v)
	}
	c.standard(s.Type, "MarshalJSON", "UnmarshalJSON", write, read)
}

// standard prints the two methods by which encoding/json finds the JSON or the text of a type.
func (c *codecs) standard(t *resolve.Type, marshal, unmarshal string, write, read jen.Code) {
	c.method(t, false, marshal).Params().Params(jen.Index().Byte(), jen.Error()).Add(body(jen.Return(write)))
	c.method(t, true, unmarshal).Params(jen.Id("b").Index().Byte()).Error().Add(body(jen.Return(read)))
}

// emitEnumTable declares what the codec of an enum needs of it, if it has a codec.
func (c *codecs) emitEnumTable(t *resolve.Type) {
	codec := c.of[t]
	if codec == nil {
		return
	}
	var values []string
	for _, v := range t.Values {
		values = append(values, v.Name)
	}
	c.emitTable(codec, "Enum", entry("Names", list(values)))
	c.Line()
}

func (c *codecs) emitEnum(codec *plan.Codec) {
	t := codec.Type
	c.emitBoth(codec, func() {
		number := enumNumber(jen.Id("v"), t)
		if t.Declared {
			number = jen.Uint16().Call(number)
		}
		c.encodeMethod(t).Add(body(jen.Qual(codecPath, "WriteEnum").Call(number, jen.Id("e"), jen.Op("&").Id(codec.Table))))
	}, func() {
		if read := readEnum(codec); len(read) == 1 {
			c.decodeMethod(t).Add(body(read[0]))
		} else {
			c.decodeMethod(t).Block(read...)
		}
	})
	if table := jen.Op("&").Id(codec.Table); codec.Standard {
		c.standard(t, "MarshalText", "UnmarshalText", jen.Qual(codecPath, "EnumText").Call(jen.Id("v"), table),
			jen.Qual(codecPath, "ReadEnumText").Call(jen.Id("v"), jen.Id("b"), table))
	}
	c.emitSecond(codec)
}

// readEnum reads an enum's number, and makes it the constant of a type of the user's.
func readEnum(codec *plan.Codec) []jen.Code {
	t := codec.Type
	read := func(v *jen.Statement) *jen.Statement {
		return jen.Qual(codecPath, "ReadEnum").Call(v, jen.Id("d"), jen.Op("&").Id(codec.Table))
	}
	if !t.Declared {
		return []jen.Code{read(jen.Id("v"))}
	}
	return []jen.Code{
		jen.Var().Id("number").Uint16(),
		read(jen.Op("&").Id("number")),
		jen.If(jen.Id("number").Op(">").Lit(0)).Block(
			jen.Op("*").Id("v").Op("=").Add(constants(t)).Index(jen.Id("number").Op("-").Lit(1)),
		),
	}
}

// emitSchema makes the JSON Schema of a type available to the program.
func (c *codecs) emitSchema(codec *plan.Codec) {
	if !codec.Schema {
		return
	}
	t := codec.Type
	text := jen.Return(jen.Op("`" + string(schema.Of(t)) + "`"))
	if t.Kind == resolve.Union { // an interface, which has no methods of its own
		names := plan.NamesOf(t)
		c.Add(comment(names.Schema + " returns the JSON Schema, draft 2020-12, of what " + names.Decode + " reads."))
		c.Func().Id(names.Schema).Params().String().Block(text)
	} else {
		c.Func().Params(jen.Id(t.GoName)).Id("JSONSchema").Params().String().Block(text)
	}
}
