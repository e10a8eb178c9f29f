package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitListed prints the codec of a struct that is written or read by the list of its members, and its methods for
// encoding/json. A direction with code of its own does not use the list.
func (c *codecs) emitListed(s structCodec) {
	t := s.Type
	write, read := jen.Qual(codecPath, "Marshal").Call(jen.Id("v")), jen.Qual(codecPath, "Unmarshal").Call(jen.Id("data"), jen.Id("v"))
	encode, decode := s.Encode == plan.Listed && !s.Alone(), s.Decode == plan.Listed && !s.Alone()
	switch {
	case s.Alone() && s.Partial:
		write, read = jen.Qual(codecPath, "MarshalStruct").Call(jen.Op("&").Id("v")), jen.Qual(codecPath, "UnmarshalOutput").Call(jen.Id("data"), jen.Id("v"))
	case s.Alone():
		write, read = jen.Qual(codecPath, "MarshalStruct").Call(jen.Op("&").Id("v")), jen.Qual(codecPath, "UnmarshalInput").Call(jen.Id("data"), jen.Id("v"))
	}
	c.Add(comment("JSONMembers lists the members of the " + t.GoName + " for the methods that follow."))
	c.emitMembers(s)
	if encode {
		c.encodeMethod(t).Add(body(jen.Qual(codecPath, "WriteStruct").Call(jen.Op("&").Id("v"), jen.Id("e"))))
	}
	if decode {
		c.decodeMethod(t).Add(body(jen.Qual(codecPath, "ReadStruct").Call(jen.Id("v"), jen.Id("d"), jen.Lit(t.String()))))
	}
	if s.Standard {
		c.standard(t, "MarshalJSON", "UnmarshalJSON", write, read)
	}
	c.Line()
}

// emitMembers prints the method that lists the members of a struct.
func (c *codecs) emitMembers(s structCodec) {
	var members []jen.Code
	for _, f := range s.Type.Fields {
		members = append(members, c.member(s, f))
	}
	if s.Flag {
		flag := jen.Id("v").Dot(plan.FlagName)
		members = append(members, listed("Given", flagJSON, flag, jen.Op("&").Add(flag), function("Read", boolean, limits{}), function("Write", boolean, limits{})))
	}
	list := c.method(s.Type, true, "JSONMembers").Params(jen.Id("o").Op("*").Qual(codecPath, "Object"))
	if len(members) == 1 {
		list.Add(body(members[0]))
	} else {
		list.Block(members...)
	}
}

var boolean = &resolve.Type{Kind: resolve.Bool}

// member is the entry of a field in the list of the members.
func (c *codecs) member(s structCodec, f *resolve.Field) jen.Code {
	value := jen.Id("v").Dot(f.GoName)
	at, t, l := jen.Op("&").Add(value), f.Type, c.limits(f)
	given := c.given(s, f, value)
	absent := s.defaultOf(f)
	kind, arguments := "", []jen.Code{at}
	plain := given == nil && absent == nil
	switch {
	case plain && hasMethods(t):
		return jen.Id("o").Dot("Value").Call(jen.Lit(f.Name), at)
	case plain && basicCodecs[t.Kind] != "" && t.Kind != resolve.Any && l.none():
		return jen.Id("o").Dot(basicCodecs[t.Kind]).Call(jen.Lit(f.Name), at)
	case t.Kind == resolve.Optional:
		kind, t = "Optional", t.Elem
	case given != nil:
		kind, arguments = "Given", []jen.Code{given, at}
	case absent != nil && !s.Partial:
		kind, arguments = "Default", []jen.Code{at, absent}
	case containerCodecs[t.Kind] != "" && !l.hasLength():
		kind, t = containerCodecs[t.Kind], t.Elem
	}
	return listed(kind, f.Name, append(arguments, reader(t, l.of(t)), writer(t, l.of(t)))...)
}

// listed is the entry of a member of that name.
func listed(kind, name string, arguments ...jen.Code) jen.Code {
	return jen.Qual(codecPath, kind+"Member").Call(append([]jen.Code{jen.Id("o"), jen.Lit(name)}, arguments...)...)
}
