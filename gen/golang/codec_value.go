package golang

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// basicCodecs are the ends of the names of the codec functions of the basic types.
var basicCodecs = map[resolve.Kind]string{
	resolve.String: "String", resolve.Int: "Int", resolve.Float: "Float", resolve.Bool: "Bool",
}

// containerCodecs are those of the types made of another.
var containerCodecs = map[resolve.Kind]string{
	resolve.List: "List", resolve.Map: "Map", resolve.Optional: "Optional",
}

// read is the call that reads from the decoder d into a variable of the type, and
// returns an error.
func read(variable *jen.Statement, t *resolve.Type, b bounds) *jen.Statement {
	switch t.Kind {
	case resolve.Enum, resolve.Struct:
		return variable.Clone().Dot("UnmarshalJSONFrom").Call(jen.Id("d"))
	}
	return readInto(jen.Op("&").Add(variable), t, b)
}

// readInto reads a basic type or a container into what the pointer points to.
func readInto(pointer *jen.Statement, t *resolve.Type, b bounds) *jen.Statement {
	if c, ok := containerCodecs[t.Kind]; ok {
		return jen.Qual(codecPath, "Read"+c).Call(pointer, jen.Id("d"), reader(t.Elem, b))
	}
	return basic("Read", t, b).Call(pointer, jen.Id("d"))
}

// reader is the function that reads a value of the type.
func reader(t *resolve.Type, b bounds) *jen.Statement {
	if t.Kind == resolve.Enum || t.Kind == resolve.Struct {
		return jen.Parens(jen.Op("*").Add(goType(t))).Dot("UnmarshalJSONFrom")
	}
	if _, ok := containerCodecs[t.Kind]; !ok {
		return basic("Read", t, b)
	}
	return jen.Func().
		Params(jen.Id("v").Op("*").Add(goType(t)), jen.Id("d").Op("*").Qual(jsontextPath, "Decoder")).Error().
		Block(jen.Return(readInto(jen.Id("v"), t, b)))
}

// write is the call that writes a value of the type to the encoder e, and returns an
// error. The value may be a pointer to what is written.
func write(value *jen.Statement, t *resolve.Type, pointer bool, b bounds) *jen.Statement {
	switch t.Kind {
	case resolve.Enum, resolve.Struct:
		return value.Clone().Dot("MarshalJSONTo").Call(jen.Id("e"))
	}
	if pointer {
		value = jen.Op("*").Add(value)
	}
	if c, ok := containerCodecs[t.Kind]; ok {
		return jen.Qual(codecPath, "Write"+c).Call(value, jen.Id("e"), writer(t.Elem, b))
	}
	return basic("Write", t, b).Call(value, jen.Id("e"))
}

// writer is the function that writes a value of the type.
func writer(t *resolve.Type, b bounds) *jen.Statement {
	if t.Kind == resolve.Enum || t.Kind == resolve.Struct {
		return goType(t).Dot("MarshalJSONTo")
	}
	if _, ok := containerCodecs[t.Kind]; !ok {
		return basic("Write", t, b)
	}
	return jen.Func().
		Params(jen.Id("v").Add(goType(t)), jen.Id("e").Op("*").Qual(jsontextPath, "Encoder")).Error().
		Block(jen.Return(write(jen.Id("v"), t, false, b)))
}

// basic is the function for a basic type, of a range if the number has bounds.
func basic(verb string, t *resolve.Type, b bounds) *jen.Statement {
	name := verb + basicCodecs[t.Kind]
	if b.none() {
		return jen.Qual(codecPath, name)
	}
	return b.emit().Dot(name)
}

// emit is the range of the bounds.
func (b bounds) emit() *jen.Statement {
	switch {
	case b.hasLow && b.hasHigh:
		return jen.Qual(codecPath, "Between").Call(number(b.low), number(b.high))
	case b.hasLow:
		return jen.Qual(codecPath, "AtLeast").Call(number(b.low))
	}
	return jen.Qual(codecPath, "AtMost").Call(number(b.high))
}

// zeroable returns the structs whose zero value is left out of the state or a part of
// it, and the structs these are made of.
func zeroable(m *plan.Machine) []*resolve.Type {
	wanted := map[*resolve.Type]bool{}
	var want func(fields []*resolve.Field)
	want = func(fields []*resolve.Field) {
		for _, f := range fields {
			if f.Type.Kind == resolve.Struct && !wanted[f.Type] {
				wanted[f.Type] = true
				if !hasEquality(f.Type) {
					want(f.Type.Fields)
				}
			}
		}
	}
	want(m.State.Fields)
	return slices.DeleteFunc(slices.Clone(m.Types), func(t *resolve.Type) bool { return !wanted[t] })
}

// hasEquality reports whether Go's == compares values of the type.
func hasEquality(t *resolve.Type) bool {
	switch t.Kind {
	case resolve.List, resolve.Map:
		return false
	}
	return !slices.ContainsFunc(t.Fields, func(f *resolve.Field) bool { return !hasEquality(f.Type) })
}

// zeroesOnLine is how many fields a line of IsZero compares.
const zeroesOnLine = 4

func emitIsZero(f *jen.File, t *resolve.Type) {
	f.Add(comment("IsZero reports whether nothing of the " + t.GoName + " is set."))
	zero := jen.Id("v").Op("==").Id(t.GoName).Values()
	if !hasEquality(t) {
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
	f.Func().Params(jen.Id("v").Id(t.GoName)).Id("IsZero").Params().Bool().Block(jen.Return(zero))
	f.Line()
}

func isZero(value *jen.Statement, t *resolve.Type) *jen.Statement {
	switch t.Kind {
	case resolve.String:
		return value.Op("==").Lit("")
	case resolve.Bool:
		return jen.Op("!").Add(value)
	case resolve.Int, resolve.Float, resolve.Enum:
		return value.Op("==").Lit(0)
	case resolve.Struct:
		return value.Dot("IsZero").Call()
	}
	return value.Op("==").Nil()
}

// number is a bound as a Go constant.
func number(f float64) *jen.Statement { return jen.Id(strconv.FormatFloat(f, 'g', -1, 64)) }
