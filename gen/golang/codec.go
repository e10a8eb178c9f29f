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

// emitCodec gives the types of a graph's data their JSON: the methods EncodeJSON and
// DecodeJSON for package codec, MarshalJSONTo and UnmarshalJSONFrom, by which
// encoding/json/v2 finds them, and JSONSchema.
//
// Most types are complete: every field that is not optional is there. The state fills up
// during a run, so the state and what is cut out of it, a run's output and the key of a
// cacheable node, leave out what is not set.
func emitCodec(m *plan.Machine) *jen.File {
	c := &codecs{File: newFile(m), texts: map[*spec.Field]string{}, media: &m.Media}
	for _, codec := range m.Codecs {
		for _, t := range codec.Texts {
			c.texts[t.Field.Spec] = t.Var
		}
	}
	for _, codec := range m.Codecs {
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
	for _, codec := range m.Codecs {
		c.emitIsZero(codec)
	}
	return c.File
}

// codecs is the file of a machine's codecs.
type codecs struct {
	*jen.File
	texts map[*spec.Field]string // the variables that hold the limits of strings
	media *plan.Media
}

// A structCodec is the codec of a struct.
type structCodec struct{ *plan.Codec }

// flagJSON is the name of plan.FlagName in JSON.
const flagJSON = "max_steps_reached"

// names are the members of the JSON object, and those of them that may be absent.
func (c structCodec) names() (all, optional []string) {
	for _, f := range c.Type.Fields {
		all = append(all, f.Name)
		if f.Type.Kind == resolve.Optional || c.defaultOf(f) != nil {
			optional = append(optional, f.Name)
		}
	}
	if c.Flag {
		all = append(all, flagJSON)
	}
	return all, optional
}

// emitTable declares the variable with what the codec needs of its type.
func (c *codecs) emitTable(codec *plan.Codec, kind string, entries ...jen.Code) {
	if codec.Table == "" {
		return
	}
	entries = append([]jen.Code{entry("Type", jen.Lit(codec.Type.String()))}, entries...)
	c.table(codec.Table, kind, entries)
}

// tableWidth is the width of the declaration of a table that is on one line.
const tableWidth = 90

// table declares a variable of package codec: on one line if it fits.
func (c *codecs) table(name, kind string, entries []jen.Code) {
	value := jen.Qual(codecPath, kind).Values(entries...)
	if text := fmt.Sprintf("%#v", jen.Var().Id(name).Op("=").Add(value)); len(text) > tableWidth || strings.Contains(text, "\n") {
		value = jen.Qual(codecPath, kind).Custom(lines, entries...)
	}
	c.Var().Id(name).Op("=").Add(value)
	c.Line()
}

// lines are the entries of a composite literal, each on its own line.
var lines = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

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
	all, optional := s.names()
	entries := []jen.Code{entry("Names", list(all))}
	switch {
	case s.Partial:
		entries = append(entries, entry("Partial", jen.True()))
	case len(optional) > 0:
		entries = append(entries, entry("Optional", list(optional)))
	}
	c.emitTable(s.Codec, "Members", entries...)
	for _, t := range s.Texts {
		c.emitText(t)
	}
	c.emitBoth(s.Codec, func() { c.emitEncode(s) }, func() { c.emitDecode(s) })
	c.emitMethods(s.Codec)
}

// The methods of codecs: those of package codec, and those of encoding/json/v2.
const (
	encodeJSON = "EncodeJSON"
	decodeJSON = "DecodeJSON"
	marshal    = "MarshalJSONTo"
	unmarshal  = "UnmarshalJSONFrom"
)

// emitBoth gives a type the methods of package codec. Where a type of the user's has those
// of encoding/json/v2, they are called.
func (c *codecs) emitBoth(codec *plan.Codec, encode, decode func()) {
	switch codec.Encode {
	case plan.Adapter:
		c.Add(comment("EncodeJSON is MarshalJSONTo for package codec."))
		c.encodeMethod(codec.Type).Block(jen.Qual(codecPath, "WriteTo").Call(jen.Id("v"), jen.Id("e")))
		c.Line()
	case plan.Generated:
		encode()
	}
	switch codec.Decode {
	case plan.Adapter:
		c.Add(comment("DecodeJSON is UnmarshalJSONFrom for package codec."))
		c.decodeMethod(codec.Type).Block(jen.Qual(codecPath, "ReadFrom").Call(jen.Id("v"), jen.Id("d")))
		c.Line()
	case plan.Generated:
		decode()
	}
}

func (c *codecs) encodeMethod(t *resolve.Type) *jen.Statement {
	return c.Func().Params(jen.Id("v").Id(t.GoName)).Id(encodeJSON).Params(encoder())
}

func (c *codecs) decodeMethod(t *resolve.Type) *jen.Statement {
	return c.Func().Params(jen.Id("v").Op("*").Id(t.GoName)).Id(decodeJSON).Params(decoder())
}

func encoder() *jen.Statement { return jen.Id("e").Op("*").Qual(codecPath, "Encoder") }
func decoder() *jen.Statement { return jen.Id("d").Op("*").Qual(codecPath, "Decoder") }

// emitMethods gives a type the methods of encoding/json/v2.
func (c *codecs) emitMethods(codec *plan.Codec) {
	t := codec.Type
	if codec.Marshal {
		c.Add(comment("MarshalJSONTo is EncodeJSON for encoding/json/v2."))
		c.Func().Params(jen.Id("v").Id(t.GoName)).Id(marshal).
			Params(jen.Id("e").Op("*").Qual(jsontextPath, "Encoder")).Error().
			Block(jen.Return(jen.Qual(codecPath, "MarshalTo").Call(jen.Id("v"), jen.Id("e"))))
		c.Line()
	}
	if codec.Unmarshal {
		c.Add(comment("UnmarshalJSONFrom is DecodeJSON for encoding/json/v2."))
		c.Func().Params(jen.Id("v").Op("*").Id(t.GoName)).Id(unmarshal).
			Params(jen.Id("d").Op("*").Qual(jsontextPath, "Decoder")).Error().
			Block(jen.Return(jen.Qual(codecPath, "UnmarshalFrom").Call(jen.Id("v"), jen.Id("d"))))
		c.Line()
	}
}

func (c *codecs) emitEncode(s structCodec) {
	if s.Partial {
		c.Add(comment("EncodeJSON writes what is set of the " + s.Type.GoName + " as a JSON object."))
	} else {
		c.Add(comment("EncodeJSON writes the " + s.Type.GoName + " as a JSON object."))
	}
	c.encodeMethod(s.Type).BlockFunc(func(g *jen.Group) {
		g.If(jen.Op("!").Id("e").Dot("Begin").Call()).Block(jen.Return())
		for _, field := range s.Type.Fields {
			value := jen.Id("v").Dot(field.GoName)
			member := c.write(value, field, memberName(field.Name))
			if condition := c.given(s, field, value); condition != nil {
				g.If(condition).Block(member...)
				continue
			}
			for _, code := range member {
				g.Add(code)
			}
		}
		if s.Flag {
			flag := jen.Id("v").Dot(plan.FlagName)
			g.If(flag).Block(jen.Qual(codecPath, "WriteBool").Call(jen.True(), memberName(flagJSON)))
		}
		g.Id("e").Dot("End").Call()
	})
	c.Line()
}

// memberName is the encoder behind the name of a member.
func memberName(name string) *jen.Statement { return jen.Id("e").Dot("Name").Call(jen.Lit(name)) }

func (c *codecs) emitDecode(s structCodec) {
	if s.Partial {
		c.Add(comment("DecodeJSON reads a JSON object into the " + s.Type.GoName +
			".\nWhat the object does not have is left as it is."))
	} else {
		c.Add(comment("DecodeJSON reads the " + s.Type.GoName + " from a JSON object."))
	}
	c.decodeMethod(s.Type).BlockFunc(func(g *jen.Group) {
		if !s.Partial && len(s.Type.Fields) > 0 {
			initial := jen.Id(s.Type.GoName).Values()
			if defaults := s.initial(); len(defaults) > 0 {
				initial = jen.Id(s.Type.GoName).Custom(lines, defaults...)
			}
			g.Op("*").Id("v").Op("=").Add(initial)
		}
		g.Id("o").Op(":=").Qual(codecPath, "ReadObject").Call(jen.Id("d"), jen.Op("&").Id(s.Table))
		if len(s.Type.Fields) == 0 && !s.Flag {
			g.Id("o").Dot("Next").Call()
			return
		}
		g.For(jen.Id("o").Dot("Next").Call()).Block(jen.Switch(jen.Id("o").Dot("Name")).BlockFunc(func(g *jen.Group) {
			for _, field := range s.Type.Fields {
				g.Case(jen.Lit(field.Name)).Block(c.read(jen.Id("v").Dot(field.GoName), field)...)
			}
			if s.Flag {
				g.Case(jen.Lit(flagJSON)).Block(
					jen.Qual(codecPath, "ReadBool").Call(jen.Op("&").Id("v").Dot(plan.FlagName), jen.Id("d")))
			}
		}))
	})
	c.Line()
}

func (c *codecs) emitEnum(codec *plan.Codec) {
	t := codec.Type
	var values []string
	for _, v := range t.Values {
		values = append(values, v.Name)
	}
	c.emitTable(codec, "Enum", entry("Names", list(values)))
	c.emitBoth(codec, func() {
		c.Add(comment("EncodeJSON writes the " + t.GoName + " by its name. One that is not set is an error."))
		number := enumNumber(jen.Id("v"), t)
		if t.Declared {
			number = jen.Uint16().Call(number)
		}
		c.encodeMethod(t).Block(jen.Qual(codecPath, "WriteEnum").Call(number, jen.Id("e"), jen.Op("&").Id(codec.Table)))
		c.Line()
	}, func() {
		c.Add(comment("DecodeJSON reads the " + t.GoName + " by its name."))
		c.decodeMethod(t).Block(readEnum(codec)...)
		c.Line()
	})
	c.emitMethods(codec)
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
		c.Add(comment("JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads."))
		c.Func().Params(jen.Id(t.GoName)).Id("JSONSchema").Params().String().Block(text)
	}
	c.Line()
}
