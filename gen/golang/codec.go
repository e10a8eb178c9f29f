package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec/resolve"
)

// jsontextPath is the package that codecs stand on; codecPath is what they are made of.
const jsontextPath = "github.com/go-json-experiment/json/jsontext"

// emitCodec gives the types of a graph's data their JSON: the methods MarshalJSONTo and
// UnmarshalJSONFrom, by which encoding/json/v2 finds them too, and JSONSchema.
//
// Most types are complete: every field that is not optional is there. The state fills up
// during a run, so the state and what is cut out of it, a run's output and the key of a
// cacheable node, leave out what is not set.
func emitCodec(m *plan.Machine) *jen.File {
	f := newFile(m)
	f.ImportName(codecPath, "codec")
	f.ImportName(jsontextPath, "jsontext")
	for _, t := range m.Types {
		if t.Kind == resolve.Enum {
			emitEnumCodec(f, t)
		} else {
			emitStructCodec(f, structCodec{t: t})
		}
		emitSchema(f, t)
	}
	if m.TypesOnly() {
		return f
	}
	emitStructCodec(f, structCodec{t: m.State, partial: true})
	emitStructCodec(f, structCodec{t: m.Input})
	emitStructCodec(f, structCodec{t: m.Output, partial: true, flag: m.OnMaxSteps == "flag"})
	for _, n := range m.Nodes {
		if n.Cache && n.In != nil {
			emitMarshal(f, structCodec{t: n.In, partial: true})
		}
		if n.FromWrites {
			emitStructCodec(f, structCodec{t: n.Out})
		}
	}
	for _, t := range zeroable(m) {
		emitIsZero(f, t)
	}
	return f
}

// A structCodec is the codec of a struct.
type structCodec struct {
	t       *resolve.Type
	partial bool // any field may be absent
	flag    bool // it has the field plan.FlagName
}

// flagJSON is the name of plan.FlagName in JSON.
const flagJSON = "max_steps_reached"

// required are the names that a JSON object must have.
func (c structCodec) required() []string {
	var list []string
	for _, f := range c.t.Fields {
		if !c.partial && f.Type.Kind != resolve.Optional {
			list = append(list, f.Name)
		}
	}
	return list
}

func emitStructCodec(f *jen.File, c structCodec) {
	emitMarshal(f, c)
	emitUnmarshal(f, c)
}

func emitMarshal(f *jen.File, c structCodec) {
	if c.partial {
		f.Add(comment("MarshalJSONTo writes what is set of the " + c.t.GoName + " as a JSON object."))
	} else {
		f.Add(comment("MarshalJSONTo writes the " + c.t.GoName + " as a JSON object."))
	}
	marshalMethod(f, c.t).BlockFunc(func(g *jen.Group) {
		g.Id("o").Op(":=").Qual(codecPath, "WriteObject").Call(jen.Id("e"))
		for _, field := range c.t.Fields {
			value := jen.Id("v").Dot(field.GoName)
			g.If(given(c, field, value).Id("o").Dot("Field").Call(jen.Lit(field.Name))).Block(
				jen.Id("o").Dot("Err").Op("=").Add(write(value, field.Type.Base(), field.Type.Kind == resolve.Optional, boundsOf(field))),
			)
		}
		if c.flag {
			flag := jen.Id("v").Dot(plan.FlagName)
			g.If(flag.Clone().Op("&&").Id("o").Dot("Field").Call(jen.Lit(flagJSON))).Block(
				jen.Id("o").Dot("Err").Op("=").Qual(codecPath, "WriteBool").Call(jen.True(), jen.Id("e")),
			)
		}
		g.Return(jen.Id("o").Dot("End").Call())
	})
	f.Line()
}

// given is the condition under which a field is written, with && behind it; nothing if
// it always is.
func given(c structCodec, f *resolve.Field, value *jen.Statement) *jen.Statement {
	set := value.Clone()
	switch k := f.Type.Kind; {
	case k == resolve.Optional:
		set.Op("!=").Nil()
	case c.partial && (k == resolve.Enum || boundsOf(f).excludeZero()):
		set.Op("!=").Lit(0)
	case c.partial && k == resolve.Struct:
		set = jen.Op("!").Add(set).Dot("IsZero").Call()
	default:
		return jen.Null()
	}
	return set.Op("&&")
}

func marshalMethod(f *jen.File, t *resolve.Type) *jen.Statement {
	return f.Func().Params(jen.Id("v").Id(t.GoName)).Id("MarshalJSONTo").
		Params(jen.Id("e").Op("*").Qual(jsontextPath, "Encoder")).Error()
}

func unmarshalMethod(f *jen.File, t *resolve.Type) *jen.Statement {
	return f.Func().Params(jen.Id("v").Op("*").Id(t.GoName)).Id("UnmarshalJSONFrom").
		Params(jen.Id("d").Op("*").Qual(jsontextPath, "Decoder")).Error()
}

func emitUnmarshal(f *jen.File, c structCodec) {
	if c.partial {
		f.Add(comment("UnmarshalJSONFrom reads a JSON object into the " + c.t.GoName +
			".\nWhat the object does not have is left as it is."))
	} else {
		f.Add(comment("UnmarshalJSONFrom reads the " + c.t.GoName + " from a JSON object."))
	}
	unmarshalMethod(f, c.t).BlockFunc(func(g *jen.Group) {
		if !c.partial && len(c.t.Fields) > 0 {
			g.Op("*").Id("v").Op("=").Id(c.t.GoName).Values()
		}
		args := names([]jen.Code{jen.Id("d"), jen.Lit(c.t.String())}, c.required())
		g.Id("o").Op(":=").Qual(codecPath, "ReadObject").Call(args...)
		g.For(jen.Id("o").Dot("Next").Call()).BlockFunc(func(g *jen.Group) {
			unknown := jen.Id("o").Dot("Unknown").Call()
			if len(c.t.Fields) == 0 && !c.flag {
				g.Add(unknown)
				return
			}
			g.Switch(jen.String().Call(jen.Id("o").Dot("Name"))).BlockFunc(func(g *jen.Group) {
				for _, field := range c.t.Fields {
					g.Case(jen.Lit(field.Name)).Block(jen.Id("o").Dot("Err").Op("=").
						Add(read(jen.Id("v").Dot(field.GoName), field.Type, boundsOf(field))))
				}
				if c.flag {
					g.Case(jen.Lit(flagJSON)).Block(jen.Id("o").Dot("Err").Op("=").
						Qual(codecPath, "ReadBool").Call(jen.Op("&").Id("v").Dot(plan.FlagName), jen.Id("d")))
				}
				g.Default().Block(unknown)
			})
		})
		g.Return(jen.Id("o").Dot("Err"))
	})
	f.Line()
}

// lineWidth is the width of a line of names beyond which the next one begins.
const lineWidth = 90

// names adds names to the arguments of a call, on as many lines as they need.
func names(args []jen.Code, list []string) []jen.Code {
	width := 0
	for _, name := range list {
		arg := jen.Lit(name)
		if width += len(name) + len(`"", `); width > lineWidth {
			width = len(name)
			arg = jen.Line().Add(arg)
		}
		args = append(args, arg)
	}
	return args
}

func emitEnumCodec(f *jen.File, t *resolve.Type) {
	name := jen.Lit(t.String())
	f.Add(comment("MarshalJSONTo writes the " + t.GoName + " by its name. One that is not set is an error."))
	marshalMethod(f, t).Block(
		jen.Return(jen.Qual(codecPath, "WriteEnum").Call(jen.Id("v").Dot("String").Call(), jen.Id("e"), name)),
	)
	f.Line()
	var values []string
	for _, v := range t.Values {
		values = append(values, v.Name)
	}
	args := names([]jen.Code{jen.Id("v"), jen.Id("d"), name}, values)
	f.Add(comment("UnmarshalJSONFrom reads the " + t.GoName + " by its name."))
	unmarshalMethod(f, t).Block(jen.Return(jen.Qual(codecPath, "ReadEnum").Call(args...)))
	f.Line()
}

// emitSchema makes the JSON Schema of a type available to the program.
func emitSchema(f *jen.File, t *resolve.Type) {
	f.Add(comment("JSONSchema returns the JSON Schema, draft 2020-12, of what UnmarshalJSONFrom reads."))
	f.Func().Params(jen.Id(t.GoName)).Id("JSONSchema").Params().String().Block(
		jen.Return(jen.Op("`" + string(schema.Of(t)) + "`")),
	)
	f.Line()
}
