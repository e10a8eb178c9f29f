package plan

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Sub is the graph that a node runs as a child run.
type Sub struct {
	Spec    *spec.Graph   // the graph
	Graph   string        // its name
	Method  string        // of the machine: runs the graph once
	Machine *Other        // nil: the machine itself
	Depth   int           // of the machine itself: how deep such runs may be nested
	Input   *resolve.Type // of the other machine's Run
	Given   []Given
	Pauses  bool // its runs may pause
	Apart   bool // a driver makes its runs, where there is one that does: as workflows of their own
}

// A Given is an input of a graph and the state field that it is taken from.
type Given struct {
	To, From *resolve.Field
	Some     bool // the input is an optional of the field
}

// An Other is the machine of another graph, which the constructor takes.
type Other struct {
	Spec         *spec.Graph   // the graph
	Graph        string        // its name
	Type         *resolve.Type // of the machine
	Workflow     *resolve.Type // of the machine as a workflow of Temporal, where this one is
	Field, Param string

	WorkflowParam string // of the constructor of the workflow: no package has its name
}

// lowerSub plans a node that runs a graph. What the graph gives is the node's output here:
// only its writes use it.
func (l *lowering) lowerSub(node *Node, n *resolve.Node) *Sub {
	in := l.g.Package(n)
	of := func(suffix string) *resolve.Type {
		return &resolve.Type{Kind: resolve.Struct, GoName: n.Sub.GoName + suffix, Import: in.Path, Qualifier: in.Name}
	}
	sub := &Sub{Pauses: n.Sub.Pauses(), Spec: n.Sub.Spec, Graph: n.Sub.Spec.Name.V, Method: l.machine.free("sub"+n.GoName, "Node"),
		Input: of("Input"), Depth: n.Spec.MaxDepth.V, Apart: l.m.Temporal && n.Spec.ChildWorkflow.V}
	for _, p := range n.Inputs {
		sub.Given = append(sub.Given, Given{To: p.Child, From: p.Field, Some: !resolve.Same(p.Child.Type, p.Field.Type)})
	}
	if !n.Itself() {
		sub.Machine = l.other(n, of(""))
	}
	node.Out = of("Output")
	_, node.Out.Fields = l.g.Ends(n)
	same := slices.IndexFunc(l.m.Flow.Nodes, func(o *Node) bool {
		_, is := o.Work.(*Sub)
		return is && o.Out.Import == node.Out.Import && o.Out.GoName == node.Out.GoName
	})
	if same >= 0 {
		node.Out = l.m.Flow.Nodes[same].Out // one type, which is clipped by one function
	}
	return sub
}

// other returns the machine that a node runs: each is one, however many nodes run it, and by
// whatever names.
func (l *lowering) other(n *resolve.Node, machine *resolve.Type) *Other {
	for _, o := range l.m.Children.Others {
		if o.Type.Import == machine.Import && o.Type.GoName == machine.GoName {
			return o
		}
	}
	name := l.machine.free(n.SubUse.Name.V, "Graph")
	o := &Other{Spec: n.Sub.Spec, Graph: n.Sub.Spec.Name.V, Type: machine, Field: name, Param: name}
	if l.m.Temporal {
		workflow := *machine
		workflow.GoName = workflowOf(workflow.GoName)
		o.Workflow, o.WorkflowParam = &workflow, name+"Graph"
	}
	l.m.Children.Others = append(l.m.Children.Others, o)
	return o
}
