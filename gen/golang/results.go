package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// A result is a value that an execution of a node gives besides its error.
type result struct {
	name string
	typ  *jen.Statement
	none *jen.Statement // its zero value
	used bool           // by the case of the node
}

// resultsOf lists the results of a node, in the order of its method.
func resultsOf(n *plan.Node) (list results) {
	if n.Out != nil {
		list = append(list, result{"out", goType(n.Out), zero(n.Out), n.Shape.UsesOut})
	}
	if c := n.Choices.Goto; c != nil {
		list = append(list, result{"to", jen.Id(c.GoName), jen.Lit(0), n.Shape.UsesGoto})
	}
	if c := n.Choices.Branch; c != nil {
		list = append(list, result{"label", jen.Id(c.GoName), jen.Lit(0), n.Shape.UsesLabel})
	}
	if n.Mutates {
		list = append(list, result{"changes", jen.Index().Add(mut("Change")), jen.Nil(), true})
	}
	return list
}

type results []result

// names are the results by name.
func (list results) names() (out []jen.Code) {
	for _, r := range list {
		out = append(out, jen.Id(r.name))
	}
	return out
}

// usedNames are the results by name; _ is what no code uses.
func (list results) usedNames() (out []jen.Code) {
	for _, r := range list {
		out = append(out, jen.Id(used(r.name, r.used)))
	}
	return out
}

func used(name string, is bool) string {
	if is {
		return name
	}
	return "_"
}

// types are the types of the results.
func (list results) types() (out []jen.Code) {
	for _, r := range list {
		out = append(out, r.typ)
	}
	return out
}

// zeros are the zero values of the results.
func (list results) zeros() (out []jen.Code) {
	for _, r := range list {
		out = append(out, r.none)
	}
	return out
}

// fields prints the results as fields or parameters.
func (list results) fields(g *jen.Group) {
	for _, r := range list {
		g.Id(r.name).Add(r.typ)
	}
}
