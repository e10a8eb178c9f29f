package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

func (e *emitter) nodeConstants() []string {
	var names []string
	for _, n := range e.m.Flow.Nodes {
		names = append(names, n.Const)
	}
	return names
}

// nodeID is a node as the kernel knows it.
func (e *emitter) nodeID(node *jen.Statement) *jen.Statement {
	if e.m.Mutations == nil {
		return node
	}
	return eng("NodeID").Call(node)
}

// choiceNames are the names of the values of a choice.
func choiceNames(c *plan.ChoiceType) []string {
	var names []string
	for _, v := range c.Values {
		names = append(names, v.Name)
	}
	return names
}

func choiceConstants(c *plan.ChoiceType) []string {
	var names []string
	for _, v := range c.Values {
		names = append(names, v.Const)
	}
	return names
}

// choices prints the enums of goto targets, routes and branch labels.
func (e *emitter) choices() {
	for _, n := range e.m.Flow.Nodes {
		for _, c := range []*plan.ChoiceType{n.Choices.Goto, n.Choices.Branch} {
			if c != nil {
				e.print("choice", c)
			}
		}
	}
}
