package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// placed prints how a field of the state reaches a prompt whose text the spec does not have.
func placed(g *jen.Group, f *resolve.Field) {
	to := func() *jen.Statement { return jen.Id("to") }
	writeThere(g, f, to, func(value *jen.Statement, t *resolve.Type) *jen.Statement {
		return to().Dot("JSON").Call(marshaler(value, t))
	})
}

// lacking is when a field holds nothing.
func lacking(f *resolve.Field) *jen.Statement {
	value := jen.Id("r").Dot("state").Dot(f.GoName)
	switch f.Type.Kind {
	case resolve.Optional:
		return value.Op("==").Nil()
	case resolve.String:
		return value.Op("==").Lit("")
	}
	return jen.Len(value).Op("==").Lit(0)
}

// textMethods are the methods of pipeline.Text that write values of basic types.
var textMethods = map[resolve.Kind]string{resolve.String: "String", resolve.Int: "Int", resolve.Float: "Float", resolve.Bool: "Bool"}

// inJSON prints the writing of a value as JSON.
type inJSON = func(value *jen.Statement, t *resolve.Type) *jen.Statement

// written prints the writing of a text. Values of basic types are written as they are, the rest as JSON; what is
// absent is not written.
func written(g *jen.Group, pieces []plan.Piece, to func() *jen.Statement, json inJSON) {
	var chain *jen.Statement
	flush := func() {
		if chain != nil {
			g.Add(chain)
		}
		chain = nil
	}
	for _, piece := range pieces {
		switch method, value := writing(piece); {
		case method != "":
			if chain == nil {
				chain = to()
			}
			chain = chain.Dot(method).Call(value)
		case piece.Field != nil:
			flush()
			writeThere(g, piece.Field, to, json)
		}
	}
	flush()
}

// writeThere prints the writing of a field of the state, if it is not absent.
func writeThere(g *jen.Group, f *resolve.Field, to func() *jen.Statement, json inJSON) {
	ifThere(g, "state", f, func(value *jen.Statement, t *resolve.Type) *jen.Statement {
		if method, text := asText(value, t); method != "" {
			return to().Dot(method).Call(text)
		}
		return json(value, t)
	})
}

// writing is the method of pipeline.Text that writes a piece, and its argument; none if
// the piece is empty, may be absent, or is JSON.
func writing(piece plan.Piece) (method string, value *jen.Statement) {
	if piece.Field == nil {
		if piece.Text == "" {
			return "", nil
		}
		return "String", prose(piece.Text)
	}
	value = jen.Id("r").Dot("state").Dot(piece.Field.GoName)
	if piece.Field.Type.Kind == resolve.Enum {
		return "String", enumText(value, piece.Field.Type)
	}
	return textMethods[piece.Field.Type.Kind], value
}

// enumText is the name of an enum's value.
func enumText(value *jen.Statement, t *resolve.Type) *jen.Statement {
	if t.Text() {
		return jen.String().Call(value)
	}
	return value.Dot("String").Call()
}

// show prints that a prompt, or a question, shows a field of a state under its name.
func (e *emitter) show(g *jen.Group, to, state string, f *resolve.Field) {
	ifThere(g, state, f, func(value *jen.Statement, t *resolve.Type) *jen.Statement {
		if method, text := asText(value, t); method == "String" {
			return jen.Id(to).Dot("Show").Call(jen.Lit(f.Name), text)
		}
		return jen.Id(to).Dot("ShowJSON").Call(jen.Lit(f.Name), marshaler(value, t))
	})
}
