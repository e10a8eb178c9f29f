package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitMembers prints the method that lists the members of a struct.
func (c *codecs) emitMembers(s structCodec) {
	var members []jen.Code
	for _, f := range s.Type.Fields {
		members = append(members, c.member(s, f))
	}
	if s.Flag {
		flag := jen.Id("v").Dot(plan.FlagName)
		members = append(members, listed("Given", plan.FlagMember, flag, jen.Op("&").Add(flag), function("Read", boolean, limits{}),
			function("Write", boolean, limits{})))
	}
	list := c.f.Func().Params(jen.Id("v").Op("*").Id(s.Type.GoName)).Id("JSONMembers").Params(jen.Id("o").Op("*").Qual(codecPath, "Object"))
	if len(members) == 1 {
		list.Add(body(members[0]))
	} else {
		list.Block(members...)
	}
}

var boolean = &resolve.Type{Kind: resolve.Bool}

// stringMembers are the methods that list strings of which there may be none.
var stringMembers = map[resolve.Kind]string{resolve.List: "Strings", resolve.Optional: "OptionalString"}

// member is the entry of a field in the list of the members. A direction that the struct lacks is nil.
func (c *codecs) member(s structCodec, f *resolve.Field) jen.Code {
	value := jen.Id("v").Dot(f.GoName)
	at, t, l := jen.Op("&").Add(value), f.Type, c.limits(f)
	given := c.given(s, f, value)
	absent := s.defaultOf(f)
	both := s.Encode == plan.Generated && s.Decode == plan.Generated
	kind, arguments := "", []jen.Code{at}
	var lengths []jen.Code
	switch plain := given == nil && absent == nil; {
	case plain && hasMethods(t) && both:
		return jen.Id("o").Dot("Value").Call(jen.Lit(f.Name), at)
	case plain && basicCodecs[t.Kind] != "" && t.Kind != resolve.Any && (l.none() || t.Kind == resolve.Bytes):
		return jen.Id("o").Dot(basicCodecs[t.Kind]).Call(append([]jen.Code{jen.Lit(f.Name), at}, l.lengths()...)...)
	case plain && both && l.none() && t.Elem != nil && t.Elem.Kind == resolve.String && stringMembers[t.Kind] != "":
		return jen.Id("o").Dot(stringMembers[t.Kind]).Call(jen.Lit(f.Name), at)
	case t.Kind == resolve.Optional:
		kind, t = "Optional", t.Elem
	case given != nil:
		kind, arguments = "Given", []jen.Code{given, at}
	case absent != nil && !s.Partial:
		kind, arguments = "Default", []jen.Code{at, absent}
	case t.Kind == resolve.List && hasMethods(t.Elem) && both:
		return jen.Qual(codecPath, "ListOf").Call(append([]jen.Code{jen.Id("o"), jen.Lit(f.Name), at}, l.lengths()...)...)
	case containerCodecs[t.Kind] != "":
		kind, t, lengths = containerCodecs[t.Kind], t.Elem, l.lengths()
	}
	read, write := jen.Nil(), jen.Nil()
	if s.Decode == plan.Generated {
		read = reader(t, l.of(t))
	}
	if s.Encode == plan.Generated {
		write = writer(t, l.of(t))
	}
	return listed(kind, f.Name, append(append(arguments, read, write), lengths...)...)
}

// lengths is the length within the limits, if there is one.
func (l limits) lengths() []jen.Code {
	if l.hasLength() {
		return []jen.Code{l.length()}
	}
	return nil
}

// listed is the entry of a member of that name.
func listed(kind, name string, arguments ...jen.Code) jen.Code {
	return jen.Qual(codecPath, kind+"Member").Call(append([]jen.Code{jen.Id("o"), jen.Lit(name)}, arguments...)...)
}
