package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitUnion prints the codec of a union: two functions, as an interface has no methods of its own.
func (c *codecs) emitUnion(codec *plan.Codec) {
	t := codec.Type
	if codec.Table == "" {
		return
	}
	var labels []string
	for _, v := range t.Variants {
		labels = append(labels, v.Label)
	}
	c.emitTable(codec, "Union", entry("Discriminator", jen.Lit(t.Discriminator)), entry("Labels", list(labels)))
	known := jen.Op("&").Id(codec.Table)

	if codec.Encode == plan.Generated {
		c.emitUnionEncode(t, known)
	}
	if codec.Decode == plan.Generated {
		c.emitUnionDecode(t, known)
	}
}

// emitUnionEncode prints the function that writes a union.
func (c *codecs) emitUnionEncode(t *resolve.Type, known *jen.Statement) {
	c.Add(comment(plan.NamesOf(t).Encode + " writes the " + t.GoName + " as a JSON object, which begins with its label."))
	c.Func().Id(plan.NamesOf(t).Encode).Params(jen.Id("v").Id(t.GoName), encoder()).Block(
		jen.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
			for _, variant := range t.Variants {
				g.Case(goType(variant.Type)).Block(
					jen.Id("e").Dot("Variant").Call(known.Clone(), jen.Lit(variant.Label)),
					jen.Id("v").Dot("EncodeJSON").Call(jen.Id("e")),
				)
			}
			g.Default().Block(jen.Id("e").Dot("NoVariant").Call(known.Clone(), jen.Id("v").Op("==").Nil()))
		}),
	)
	c.Line()
}

// emitUnionDecode prints the function that reads a union.
func (c *codecs) emitUnionDecode(t *resolve.Type, known *jen.Statement) {
	c.Add(comment(plan.NamesOf(t).Decode + " reads the " + t.GoName + " from a JSON object. Its label may be anywhere in it."))
	c.Func().Id(plan.NamesOf(t).Decode).Params(jen.Id("v").Op("*").Id(t.GoName), decoder()).Block(
		jen.Switch(jen.Qual(codecPath, "ReadLabel").Call(jen.Id("d"), known.Clone())).BlockFunc(func(g *jen.Group) {
			for _, variant := range t.Variants {
				g.Case(jen.Lit(variant.Label)).Block(
					jen.Var().Id("x").Add(goType(variant.Type)),
					jen.Id("x").Dot("DecodeJSON").Call(jen.Id("d")),
					jen.Op("*").Id("v").Op("=").Id("x"),
				)
			}
		}),
	)
	c.Line()
}
