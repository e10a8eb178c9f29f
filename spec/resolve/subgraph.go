package resolve

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Passed is a value passed to or from a child run of another graph.
type Passed struct {
	Spec  spec.Assignment
	Child *Field // the input or output of that graph, with this graph's name of its type; nil: unknown
	Field *Field // the state field; nil: unknown
}

// bindSub binds the graph of a subgraph node, before its data is bound. Shared types are one type.
func (g *Graph) bindSub(n *Node) {
	if n.Kind.By != spec.ByGraph {
		return
	}
	var inputs, outputs []*Field
	n.SubUse = g.usedAs(n.Spec.Graph.V)
	switch {
	case n.SubUse != nil && n.SubUse.Graph != nil && !n.SubUse.Graph.TypesOnly():
		n.Sub = g.subOf(n.SubUse.Graph)
		inputs, outputs = g.files[n.SubUse.Graph].ends()
	case n.SubUse == nil && n.Spec.Graph.V != "" && n.Spec.Graph.V == g.Spec.Name.V:
		n.Sub, inputs, outputs = g, g.Input.Fields, g.Output.Fields
	}
	for _, a := range n.Spec.In {
		n.Inputs = append(n.Inputs, Passed{Spec: a, Child: fieldNamed(inputs, a.Name.V), Field: g.State.Field(a.Field.V)})
	}
	for _, a := range n.Spec.Out {
		n.Outputs = append(n.Outputs, Passed{Spec: a, Child: fieldNamed(outputs, a.Field.V), Field: g.State.Field(a.Name.V)})
	}
}

// bindSubData binds the reads and writes of a subgraph node.
func (g *Graph) bindSubData(n *Node) {
	seen := map[*Field]bool{}
	for _, p := range n.Inputs {
		if p.Field != nil && !seen[p.Field] {
			seen[p.Field] = true
			n.Reads = append(n.Reads, p.Field)
		}
	}
	for _, p := range n.Outputs {
		if p.Field != nil && p.Child != nil {
			n.Writes = append(n.Writes, Write{To: p.Field, From: p.Child, Name: p.Spec.Name})
		}
	}
}

// Itself reports whether a subgraph node runs the graph that it belongs to.
func (n *Node) Itself() bool { return n.Sub != nil && n.SubUse == nil }

// usedAs returns the use with the given name or file, or nil.
func (g *Graph) usedAs(name string) *spec.Use {
	for _, u := range g.Spec.Use {
		if u.Names(name) {
			return u
		}
	}
	return nil
}

// subOf resolves a used graph, once for all nodes that run it.
func (g *Graph) subOf(s *spec.Graph) *Graph {
	if g.subs[s] == nil {
		if g.subs == nil {
			g.subs = map[*spec.Graph]*Graph{}
		}
		g.subs[s] = Resolve(s)
	}
	return g.subs[s]
}

// ends returns the inputs and outputs of the file's graph, with the type names of the graph that
// uses it.
func (f *file) ends() (inputs, outputs []*Field) {
	if f.state == nil {
		f.state = &Type{Kind: Struct, Fields: f.fields(f.spec.State, goname.Exported(f.spec.Name.V))}
		for _, field := range f.state.Fields {
			field.Merge = mergeOf(field.Spec)
		}
	}
	for _, field := range picked(f.state, f.spec.Input) {
		inputs = append(inputs, offered(field))
	}
	return inputs, picked(f.state, f.spec.Output)
}

func fieldNamed(fields []*Field, name string) *Field {
	for _, f := range fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Required reports whether a caller has to pass an input: it is not optional and has no default.
func Required(input *Field) bool { return input.Type.Kind != Optional && input.Spec.Default == nil }

// Fits reports whether a state value can be passed to an input: the types are equal, apart from an
// optional input.
func Fits(input *Field, value *Type) bool {
	return Same(input.Type, value) || input.Type.Kind == Optional && Same(input.Type.Elem, value)
}

// Ends returns the inputs and outputs of the graph of a subgraph node, with this graph's type
// names.
func (g *Graph) Ends(n *Node) (inputs, outputs []*Field) {
	switch {
	case n.Sub == g:
		return g.Input.Fields, g.Output.Fields
	case n.Sub != nil:
		return g.files[n.Sub.Spec].ends()
	}
	return nil, nil
}

// Package returns the import of the package of the machine that a subgraph node runs; zero for the
// graph's own package.
func (g *Graph) Package(n *Node) Import {
	if n.SubUse == nil || n.Sub == nil {
		return Import{}
	}
	return g.files[n.Sub.Spec].in
}
