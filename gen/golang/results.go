package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// A result is a value that an execution of a node gives besides its error.
type result struct {
	Name string
	Type *jen.Statement
	None *jen.Statement // its zero value
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
		out = append(out, jen.Id(r.Name))
	}
	return out
}

// usedNames are the results by name; _ is what no code uses.
func (list results) usedNames() (out []jen.Code) {
	for _, r := range list {
		out = append(out, jen.Id(used(r.Name, r.used)))
	}
	return out
}

func used(name string, is bool) string {
	if is {
		return name
	}
	return "_"
}

// gives are the results by name, with their types, and an error.
func gives(n *plan.Node) (out []jen.Code) {
	for _, r := range resultsOf(n) {
		out = append(out, jen.Id(r.Name).Add(r.Type))
	}
	return append(out, jen.Err().Error())
}

// resultTypes are the types of what a node gives, and of an error.
func resultTypes(n *plan.Node) (out []jen.Code) {
	for _, r := range resultsOf(n) {
		out = append(out, r.Type)
	}
	return append(out, jen.Error())
}
