package check

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// subgraphPasses judge nodes that run a graph: which, what it is given, and what becomes of
// what it gives.
var subgraphPasses = []Pass{
	{Code: "GG250", run: unknownGraphs},
	{Code: "GG251", run: unmappedInputs},
	{Code: "GG252", run: unknownPassed},
	{Code: "GG253", run: passedTypes},
	{Code: "GG254", run: recursions},
	{Code: "GG256", run: subgraphSettings},
	{Code: "GG366", run: durableGraphs},
	{Code: "GG367", run: drivenGraphs},
	{Code: "GG369", run: childWorkflows},
}

// subgraphs lists the nodes that run a graph.
func (c *context) subgraphs() []*resolve.Node {
	var list []*resolve.Node
	for _, n := range c.graph.All() {
		if n.Kind.By == spec.ByGraph {
			list = append(list, n)
		}
	}
	return list
}

func durableGraphs(c *context) {
	if !c.spec.Durable.V {
		return
	}
	for _, n := range c.subgraphs() {
		if n.Sub != nil && !n.Sub.Spec.Durable.V {
			c.report(n.Spec.Graph.Pos, "graph "+quote(n.Sub.Spec.Name.V)+" is not durable, and this one is", "set "+diag.Set("durable", "true")+" there")
		}
	}
}

func drivenGraphs(c *context) {
	for _, d := range c.spec.Drivers {
		for _, n := range c.subgraphs() {
			if d.Lost || n.Sub == nil || n.Sub.Spec.Drives(d.V) || n.Sub.Spec.Unread {
				continue
			}
			c.report(n.Spec.Graph.Pos, "graph "+quote(n.Sub.Spec.Name.V)+" has no driver "+quote(d.V)+", and this one has",
				"set "+diag.Set("drivers", "["+d.V+"]")+" there")
		}
	}
}

func childWorkflows(c *context) {
	for _, n := range c.subgraphs() {
		child := n.Spec.ChildWorkflow
		switch {
		case child.Lost || !child.V:
		case !c.spec.Drives(spec.Temporal) && !c.spec.Unread:
			c.report(child.Pos, "child_workflow has no effect: no driver of graph "+quote(c.spec.Name.V)+" has workflows",
				"add "+diag.Set("drivers", "[temporal]")+", or "+diag.Remove("remove it"))
		case n.Sub != nil && n.Sub.HoldsAnyCall():
			c.report(child.Pos, "calls of tools wait for answers in graph "+quote(n.Sub.Spec.Name.V)+", and a child workflow cannot wait for these",
				"remove child_workflow, or call the tools in the nodes of this graph")
		}
	}
}

func unknownGraphs(c *context) {
	for _, n := range c.subgraphs() {
		name, node := n.Spec.Graph, quote(n.Spec.Name.V)
		switch {
		case !name.IsSet() && !n.Spec.Unread:
			c.report(n.Spec.Name.Pos, "subgraph "+node+" has no graph",
				"add it, as in "+diag.Set("graph", "NAME.graph.yaml")+", or "+diag.Set("graph", "NAME")+", where NAME is under use, or is this graph's")
		case !written(name) || n.Sub != nil:
		case n.SubUse == nil && !c.spec.Name.Lost && (!c.spec.Unread || len(c.spec.Use) > 0 && c.spec.Name.IsSet()):
			names := []string{c.spec.Name.V}
			for _, u := range c.spec.Use {
				names = append(names, u.Name.V)
			}
			file := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(name.V), ".yml"), ".yaml")
			help := "write its file, as in " + diag.Set("graph", file+".graph.yaml")
			if spec.NamesFile(name.V) {
				help = "compile the graph from its folder, with graphgen" // it was not linked
			}
			c.report(name.Pos, "there is no graph "+quote(name.V)+" here", didYouMean(name.V, names, help))
		case n.SubUse != nil && n.SubUse.Graph != nil:
			c.report(name.Pos, "the file "+quote(n.SubUse.File.V)+" holds types and no graph", "name a file that holds one, NAME.graph.yaml",
				diag.Related{Pos: n.SubUse.File.Pos, Message: "it is used here"})
		}
	}
}

func unmappedInputs(c *context) {
	for _, n := range c.subgraphs() {
		given := map[string]bool{}
		for _, p := range n.Inputs {
			given[p.Spec.Name.V] = true
		}
		inputs, _ := c.graph.Ends(n)
		for _, f := range inputs {
			if resolve.Required(f) && !given[f.Name] && !n.Spec.Unread && !given[""] {
				c.report(n.Spec.Name.Pos, "subgraph "+quote(n.Spec.Name.V)+" does not give the input "+quote(f.Name)+" of graph "+quote(n.Spec.Graph.V),
					"add the state field that it is taken from, as in "+diag.Set("in", "{"+f.Name+": FIELD}"))
			}
		}
	}
}

func unknownPassed(c *context) {
	for _, n := range c.subgraphs() {
		inputs, outputs := c.graph.Ends(n)
		for _, p := range n.Inputs {
			c.passed(n, "input", p.Spec.Name, p.Child, inputs)
			c.passedField(p.Spec.Field, p.Field)
		}
		for _, p := range n.Outputs {
			c.passed(n, "output", p.Spec.Field, p.Child, outputs)
			c.passedField(p.Spec.Name, p.Field)
		}
	}
}

// passed reports a name that is not an input or output of the graph that a node runs.
func (c *context) passed(n *resolve.Node, what string, name spec.String, found *resolve.Field, all []*resolve.Field) {
	if n.Sub == nil || found != nil || !written(name) || n.Sub.Spec.Unread {
		return
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
	}
	help := listed("its "+what+"s are", names)
	if len(names) == 0 {
		help = "it has no " + what + "s"
	}
	c.report(name.Pos, "graph "+quote(n.Spec.Graph.V)+" has no "+what+" "+quote(name.V), didYouMean(name.V, names, help))
}

// passedField reports a name that is not a field of the state.
func (c *context) passedField(name spec.String, found *resolve.Field) {
	if found != nil || !written(name) || c.spec.Unread && len(c.spec.State) == 0 {
		return
	}
	c.report(name.Pos, "the state has no field "+quote(name.V), didYouMean(name.V, fieldNames(c.graph.State, nil), addField))
}

func passedTypes(c *context) {
	for _, n := range c.subgraphs() {
		for _, p := range n.Inputs {
			if p.Child != nil && p.Field != nil && !unclear(p) && !resolve.Fits(p.Child, p.Field.Type) {
				c.report(p.Spec.Field.Pos,
					"the state's "+quote(p.Field.Name)+" is "+article(p.Field.Type.String())+", and the input "+quote(p.Child.Name)+
						" of graph "+quote(n.Spec.Graph.V)+" "+article(p.Child.Type.String()), sameTypeHelp(p))
			}
		}
		for _, p := range n.Outputs {
			if p.Child != nil && p.Field != nil && !unclear(p) && !p.Field.Spec.Unread && isWord(p.Field.Merge, spec.Merges) &&
				!resolve.Accepts(p.Field, p.Child.Type) {
				c.report(p.Spec.Field.Pos,
					"the output "+quote(p.Child.Name)+" of graph "+quote(n.Spec.Graph.V)+" is "+article(p.Child.Type.String())+
						", and the state's "+quote(p.Field.Name)+" "+article(p.Field.Type.String()), sameTypeHelp(p))
			}
		}
	}
}

// unclear reports whether a type of a value that is passed could not be read.
func unclear(p resolve.Passed) bool { return unknown(p.Child.Type) || unknown(p.Field.Type) }

// sameTypeHelp returns how two fields can have one type: equal names of two files are two types.
func sameTypeHelp(p resolve.Passed) string {
	t := p.Child.Type
	for t.Elem != nil {
		t = t.Elem
	}
	switch t.Kind {
	case resolve.Struct, resolve.Enum, resolve.Union:
		if t.Name == "" {
			return "the type has no name: declare it under types, in a file that both use"
		}
		return "use the type of one file in both, as in USE." + t.Name
	}
	return "pass a field of type " + p.Child.Type.String()
}

func recursions(c *context) {
	for _, n := range c.subgraphs() {
		depth, name := n.Spec.MaxDepth, quote(n.Spec.Name.V)
		switch {
		case n.Itself() && !depth.IsSet() && !n.Spec.Unread:
			c.report(n.Spec.Graph.Pos, "graph "+quote(c.spec.Name.V)+" runs itself, and has no bound", "add a bound, as in "+diag.Set("max_depth", "3"))
		case depth.IsSet() && !depth.Lost && n.Sub != nil && !n.Itself():
			c.report(depth.Pos, "max_depth of subgraph "+name+" has no effect: graph "+quote(n.Spec.Graph.V)+" does not run itself by it",
				diag.Remove("remove it"))
		case depth.IsSet() && !depth.Lost && (depth.V < 1 || depth.V > mostDepth):
			c.report(depth.Pos, "max_depth is out of range: "+strconv.Itoa(depth.V), "use 1 to "+strconv.Itoa(mostDepth))
		}
	}
}

// mostDepth bounds max_depth: each run within a run has a stack and a state of its own.
const mostDepth = 1000

// subgraphSettings reports flags that belong to the nodes of the graph that a subgraph runs. Those of
// models are judged with the others that have no effect.
func subgraphSettings(c *context) {
	for _, n := range c.subgraphs() {
		name := quote(n.Spec.Name.V)
		for _, flag := range workFlags {
			if f, ok := n.Spec.Flag(flag); ok {
				c.report(f.Name.Pos, "subgraph "+name+" cannot be "+flag.String()+": its graph does the work",
					"give the flag to the nodes of the graph, or "+diag.Remove("remove it"))
			}
		}
	}
}
