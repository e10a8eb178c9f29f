package resolve

import (
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Name is a package-level Go name that is generated for a graph.
type Name struct {
	Go   string
	Pos  spec.Pos
	What string // what it is, in the author's words
}

// Generated lists the package-level names that are generated for a graph, but for those
// of ways and conditions, which give way to others.
func Generated(g *Graph) []Name {
	var names []Name
	graph := g.Spec.Name
	add := func(name string, pos spec.Pos, what string) { names = append(names, Name{name, pos, what}) }
	for _, suffix := range []string{"", "Node", "State", "Input", "Output", "Handlers", "End"} {
		add(g.GoName+suffix, graph.Pos, "the graph's own "+g.GoName+suffix)
	}
	add("New"+g.GoName, graph.Pos, "the graph's constructor")
	prefix := goname.Unexported(graph.V)
	add(prefix+"Run", graph.Pos, "the graph's run")
	add(prefix+"Graph", graph.Pos, "the graph's table")
	if g.Spec.Limits.Timeout.V > 0 {
		add(prefix+"Timeout", g.Spec.Limits.Timeout.Pos, "the graph's timeout")
	}
	for _, t := range g.Types {
		what := t.what()
		add(t.GoName, t.Pos, what)
		seen := make(map[string]bool, len(t.Values))
		for _, v := range t.Values {
			if seen[v.Name] {
				continue // a mistake of its own
			}
			seen[v.Name] = true
			add(v.Const, v.Pos, "value "+v.Name+" of "+what)
		}
	}
	for _, n := range g.Nodes {
		pos, what := n.Spec.Name.Pos, "node "+n.Spec.Name.V
		name := g.GoName + n.GoName
		add(name, pos, what)
		if n.In != nil {
			add(n.In.GoName, pos, "the input of "+what)
		}
		if n.FromWrites() {
			add(n.Out.GoName, pos, "the output of "+what)
		}
		g.addChoices(n, name, add)
	}
	return names
}

// what names a type in the author's words: by its name, or by where it stands.
func (t *Type) what() string {
	switch {
	case t.Name != "":
		return "type " + t.Name
	case t.Kind == Enum:
		return "the enum of line " + strconv.Itoa(t.Pos.Line)
	}
	return "the struct of line " + strconv.Itoa(t.Pos.Line)
}

// addChoices leaves out what is listed twice, which is a mistake of its own.
func (g *Graph) addChoices(n *Node, name string, add func(string, spec.Pos, string)) {
	chosen := n.Spec.Goto
	if n.Kind == "router" {
		chosen = n.Spec.Routes
	}
	if len(chosen) > 0 {
		add(name+"Goto", n.Spec.Name.Pos, "the choice of node "+n.Spec.Name.V)
	}
	listed := map[string]bool{}
	for _, c := range chosen {
		written, to := c.V, goname.Exported(c.V)
		if spec.IsEnd(written) {
			written, to = spec.End, "End"
		}
		if listed[written] {
			continue
		}
		listed[written] = true
		add(name+"Goto"+to, c.Pos, "choice "+c.V+" of node "+n.Spec.Name.V)
	}
	for _, e := range n.Leaving {
		if !e.Spec.BranchPos.IsSet() {
			continue
		}
		add(name+"Branch", n.Spec.Name.Pos, "the labels of node "+n.Spec.Name.V)
		for _, l := range e.Spec.Branch {
			add(name+"Branch"+goname.Exported(l.Name.V), l.Name.Pos, "label "+l.Name.V+" of node "+n.Spec.Name.V)
		}
		return // a second table is a mistake of its own
	}
}
