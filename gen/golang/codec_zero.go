package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// given is the condition under which a field is written, nil if it always is: one that may
// be absent is there, and where any may be absent, one is set that would not be read back
// as it is.
func (c *codecs) given(s structCodec, f *resolve.Field, value *jen.Statement) *jen.Statement {
	value = value.Clone()
	k := f.Type.Kind
	if k == resolve.Optional {
		return value.Op("!=").Nil()
	}
	if !s.Partial {
		return nil
	}
	empty := c.limits(f).excludeEmpty()
	switch {
	case k == resolve.Enum:
		return value.Op("!=").Add(unset(f.Type))
	case empty && (k == resolve.Int || k == resolve.Float):
		return value.Op("!=").Lit(0)
	case k == resolve.Struct:
		return c.notZero(value, f.Type)
	case k == resolve.Time, k == resolve.Message, k == resolve.Media:
		return jen.Op("!").Add(value).Dot("IsZero").Call()
	case k == resolve.External:
		return jen.Op("!").Qual(codecPath, "IsZero").Call(jen.Op("&").Add(value))
	case k == resolve.Union, k == resolve.Any:
		return value.Op("!=").Nil()
	case empty && k == resolve.String:
		return value.Op("!=").Lit("")
	case empty:
		return jen.Len(value).Op(">").Lit(0)
	}
	return nil
}

// notZero is the condition under which a struct is not zero, for an encoder that asks no other file for an IsZero.
func (c *codecs) notZero(value *jen.Statement, t *resolve.Type) *jen.Statement {
	codec := c.of[t]
	switch {
	case codec != nil && codec.IsZero:
		return jen.Op("!").Add(value).Dot("IsZero").Call()
	case resolve.Comparable{}.Of(t):
		return value.Op("!=").Parens(goType(t).Values())
	}
	return jen.Op("!").Qual(codecPath, "IsZero").Call(jen.Op("&").Add(value))
}

// zeroesOnLine is how many fields a line of IsZero compares.
const zeroesOnLine = 4

func (c *codecs) emitIsZero(codec *plan.Codec) {
	if !codec.IsZero {
		return
	}
	t := codec.Type
	if t.Own != nil && t.Own.Hidden && len(t.Fields) == 0 {
		c.f.Add(comment("IsZero reports false: what the " + t.GoName + " holds is not exported."))
		c.f.Func().Params(jen.Id(t.GoName)).Id("IsZero").Params().Bool().Add(body(jen.Return(jen.False())))
		c.f.Line()
		return
	}
	zero := jen.Id("v").Op("==").Id(t.GoName).Values()
	if !codec.Comparable {
		zero = jen.Null()
		for i, field := range t.Fields {
			if i > 0 {
				zero.Op("&&")
			}
			if i > 0 && i%zeroesOnLine == 0 {
				zero.Line()
			}
			zero.Add(isZero(jen.Id("v").Dot(field.GoName), field.Type))
		}
	}
	c.f.Func().Params(jen.Id("v").Id(t.GoName)).Id("IsZero").Params().Bool().Add(body(jen.Return(zero)))
}

func isZero(value *jen.Statement, t *resolve.Type) *jen.Statement {
	switch t.Kind {
	case resolve.String:
		return value.Op("==").Lit("")
	case resolve.Bool:
		return jen.Op("!").Add(value)
	case resolve.Int, resolve.Float, resolve.Duration:
		return value.Op("==").Lit(0)
	case resolve.Enum:
		return value.Op("==").Add(unset(t))
	case resolve.Struct, resolve.External:
		if t.Import != "" || t.Kind == resolve.External {
			return jen.Qual(codecPath, "IsZero").Call(jen.Op("&").Add(value))
		}
		return value.Dot("IsZero").Call()
	case resolve.Time, resolve.Message, resolve.Media:
		return value.Dot("IsZero").Call()
	}
	return value.Op("==").Nil()
}
