package golang

import (
	"slices"

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
	if !s.partial {
		return nil
	}
	empty := c.limits(f).excludeEmpty()
	switch {
	case k == resolve.Enum:
		return value.Op("!=").Add(unset(f.Type))
	case empty && (k == resolve.Int || k == resolve.Float):
		return value.Op("!=").Lit(0)
	case k == resolve.Struct && f.Type.Import == "", k == resolve.Time:
		return jen.Op("!").Add(value).Dot("IsZero").Call()
	case k == resolve.Struct, k == resolve.External:
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

// zeroable returns the structs whose zero value is left out of the state or a part of
// it, and the structs these are made of. Where there is no state others have one: all.
func zeroable(m *plan.Machine) []*resolve.Type {
	wanted, equal := map[*resolve.Type]bool{}, equality{}
	var want func(fields []*resolve.Field)
	want = func(fields []*resolve.Field) {
		for _, f := range fields {
			if f.Type.Kind == resolve.Struct && !wanted[f.Type] {
				wanted[f.Type] = true
				if !equal.of(f.Type) {
					want(f.Type.Fields)
				}
			}
		}
	}
	if !m.TypesOnly() {
		want(m.State.Fields)
	}
	for _, t := range m.Types { // other graphs may have them in their states
		wanted[t] = wanted[t] || t.Own != nil && t.Kind == resolve.Struct
	}
	return slices.DeleteFunc(slices.Clone(m.Types), func(t *resolve.Type) bool {
		return !wanted[t] && (!m.TypesOnly() || t.Kind != resolve.Struct)
	})
}

// An equality finds out of which types Go's == compares values, as far as it is known. It
// looks at each struct once, however often others hold it.
type equality map[*resolve.Type]bool

func (e equality) of(t *resolve.Type) bool {
	switch t.Kind {
	case resolve.List, resolve.Map, resolve.Bytes, resolve.Any, resolve.Time, resolve.Union, resolve.External:
		return false
	}
	if t.Own != nil && t.Own.Hidden {
		return false
	}
	known, ok := e[t]
	if ok || len(t.Fields) == 0 {
		return known || !ok
	}
	e[t] = !slices.ContainsFunc(t.Fields, func(f *resolve.Field) bool { return !e.of(f.Type) })
	return e[t]
}

// zeroesOnLine is how many fields a line of IsZero compares.
const zeroesOnLine = 4

func (c *codecs) emitIsZero(t *resolve.Type) {
	if !t.Lacks("IsZero") {
		return
	}
	if t.Own != nil && t.Own.Hidden && len(t.Fields) == 0 {
		c.Add(comment("IsZero reports false: what the " + t.GoName + " holds is not exported."))
		c.Func().Params(jen.Id(t.GoName)).Id("IsZero").Params().Bool().Block(jen.Return(jen.False()))
		c.Line()
		return
	}
	c.Add(comment("IsZero reports whether nothing of the " + t.GoName + " is set."))
	zero := jen.Id("v").Op("==").Id(t.GoName).Values()
	if !c.equal.of(t) {
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
	c.Func().Params(jen.Id("v").Id(t.GoName)).Id("IsZero").Params().Bool().Block(jen.Return(zero))
	c.Line()
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
	case resolve.Time:
		return value.Dot("IsZero").Call()
	}
	return value.Op("==").Nil()
}
