package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// basicCodecs are the ends of the names of the codec functions of the basic types.
var basicCodecs = map[resolve.Kind]string{
	resolve.String: "String", resolve.Int: "Int", resolve.Float: "Float", resolve.Bool: "Bool",
	resolve.Time: "Time", resolve.Duration: "Duration", resolve.Bytes: "Bytes", resolve.Any: "Any",
}

// containerCodecs are the codecs of types that are made of another.
var containerCodecs = map[resolve.Kind]string{
	resolve.List: "List", resolve.Map: "Map", resolve.Optional: "Optional",
}

// hasMethods reports whether the type has the methods EncodeJSON and DecodeJSON.
func hasMethods(t *resolve.Type) bool { return t.Kind == resolve.Enum || t.Kind == resolve.Struct }

// readInto reads a value of the type into what the pointer points to.
func readInto(pointer *jen.Statement, t *resolve.Type, l limits) *jen.Statement {
	if c, ok := containerCodecs[t.Kind]; ok {
		return jen.Qual(codecPath, "Read"+c).Call(pointer, jen.Id("d"), reader(t.Elem, l.of(t.Elem)))
	}
	if hasMethods(t) {
		return pointer.Clone().Dot("DecodeJSON").Call(jen.Id("d"))
	}
	return function("Read", t, l).Call(pointer, jen.Id("d"))
}

// reader is the function that reads a value of the type.
func reader(t *resolve.Type, l limits) *jen.Statement {
	switch {
	case hasMethods(t):
		return jen.Parens(jen.Op("*").Add(goType(t))).Dot("DecodeJSON")
	case t.Kind == resolve.External:
		return function("Read", t, l).Types(goType(t))
	case containerCodecs[t.Kind] == "" && !(l.hasLength() && hasElements(t)):
		return function("Read", t, l)
	}
	return jen.Func().Params(jen.Id("v").Op("*").Add(goType(t)), decoder()).BlockFunc(func(g *jen.Group) {
		g.Add(readInto(jen.Id("v"), t, l))
		if l.hasLength() && hasElements(t) {
			g.Add(l.length().Dot("Read").Call(jen.Len(jen.Op("*").Id("v")), jen.Id("d")))
		}
	})
}

func writeValue(value *jen.Statement, t *resolve.Type, l limits, to *jen.Statement) []jen.Code {
	if hasMethods(t) {
		return []jen.Code{value.Clone().Dot("EncodeJSON").Call(to)}
	}
	var code []jen.Code
	if l.hasLength() && hasElements(t) {
		code = append(code, l.length().Dot("Write").Call(jen.Len(value.Clone()), to))
		to = jen.Id("e")
	}
	if c, ok := containerCodecs[t.Kind]; ok {
		return append(code, jen.Qual(codecPath, "Write"+c).Call(value, to, writer(t.Elem, l.of(t.Elem))))
	}
	return append(code, function("Write", t, l).Call(value, to))
}

// writer is the function that writes a value of the type.
func writer(t *resolve.Type, l limits) *jen.Statement {
	switch {
	case hasMethods(t):
		return goType(t).Dot("EncodeJSON")
	case t.Kind == resolve.External:
		return function("Write", t, l).Types(goType(t))
	case containerCodecs[t.Kind] == "" && !(l.hasLength() && hasElements(t)):
		return function("Write", t, l)
	}
	return jen.Func().Params(jen.Id("v").Add(goType(t)), encoder()).Block(writeValue(jen.Id("v"), t, l, jen.Id("e"))...)
}

// function is the function or method that reads or writes a type without elements, within
// its limits.
func function(verb string, t *resolve.Type, l limits) *jen.Statement {
	switch {
	case t.Kind == resolve.Union && verb == "Read":
		return jen.Qual(t.Import, plan.NamesOf(t).Decode)
	case t.Kind == resolve.Union:
		return jen.Qual(t.Import, plan.NamesOf(t).Encode)
	case t.Kind == resolve.Message && verb == "Read":
		return jen.Qual(chatJSONPath, "DecodeMessage")
	case t.Kind == resolve.Message:
		return jen.Qual(chatJSONPath, "EncodeMessage")
	case t.Kind == resolve.Media && l.media != "":
		return jen.Id(l.media).Dot(verb)
	case t.Kind == resolve.Media:
		return jen.Qual(mediaPath, verb).Types(goType(t))
	case t.Kind == resolve.External && verb == "Read":
		return jen.Qual(codecPath, "ReadFrom")
	case t.Kind == resolve.External:
		return jen.Qual(codecPath, "WriteTo")
	case t.Kind == resolve.String && l.text != "":
		return jen.Id(l.text).Dot(verb + "String")
	case !l.bounds.none():
		return l.bounds.emit().Dot(verb + basicCodecs[t.Kind])
	}
	return jen.Qual(codecPath, verb+basicCodecs[t.Kind])
}
