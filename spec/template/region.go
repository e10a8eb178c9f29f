package template

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// findRegions finds the nodes that others run, which have no edges: the run continues where they are run. The nodes of a region that is a
// graph have edges.
func (e *expansion) findRegions() {
	e.regions = map[string]bool{}
	for _, at := range e.items {
		if at.tree != nil {
			e.runs(at.tree)
		}
		if at.node == nil {
			continue
		}
		if !at.node.BodyGraph {
			e.run(at.node.Body)
		}
		e.run(at.node.Pool)
		for _, b := range at.node.Branches {
			if !b.Graph {
				e.run(b.Nodes)
			}
		}
		if e.graph.Mode.V == "autonomous" {
			e.regions[at.name.V] = true
		}
	}
	for name := range e.regions {
		if _, known := e.taken[name]; !known {
			e.mayBeRun()
			return
		}
	}
}

// mayBeRun takes the nodes that no edge names for nodes that others run: an unknown name of such a node may be theirs,
// and is reported by package check.
func (e *expansion) mayBeRun() {
	named := map[string]bool{}
	for _, edge := range e.graph.Edges {
		for _, name := range append([]spec.String{edge.From, edge.To}, edge.Sequential...) {
			named[name.V] = true
		}
	}
	for _, at := range e.items {
		if !named[at.name.V] {
			e.regions[at.name.V] = true
		}
	}
}

func (e *expansion) run(names []spec.String) {
	for _, n := range names {
		e.regions[n.V] = true
	}
}

// runs notes the nodes that a node runs which has not been read yet.
func (e *expansion) runs(node *spec.Tree) {
	for _, key := range []string{"body", "pool"} {
		e.named(node.Get(key))
	}
	if branches := node.Get("branches"); branches != nil && branches.Kind == yamlread.Map {
		for i := 1; i < len(branches.Items); i += 2 {
			e.named(&branches.Items[i])
		}
	}
}

// named notes the nodes of a region: a name, a list, or a mapping with them under run. One with an entry is a graph.
func (e *expansion) named(region *spec.Tree) {
	switch {
	case region == nil:
	case region.IsScalar():
		e.regions[region.Text] = true
	case region.Kind == yamlread.Map:
		e.named(region.Get("run"))
	default:
		for i := range region.Items {
			e.named(&region.Items[i])
		}
	}
}

// withoutEdges reports parameters of the use that only the edges of the template name, which are left out.
func (b *binding) withoutEdges() {
	edges, others := map[string]bool{}, map[string]bool{}
	namesIn(&b.template.Edges, edges)
	for _, part := range []*spec.Tree{&b.template.Node, &b.template.Nodes, &b.template.State} {
		namesIn(part, others)
	}
	for _, p := range b.template.Params {
		if value := b.given[p.Name.V]; value != nil && edges[p.Name.V] && !others[p.Name.V] {
			b.report("GG351", value.Pos, "the parameter \""+p.Name.V+"\" has no effect: node \""+b.name.V+"\" is run by another, so it has no edges",
				diag.Remove("remove it")+"; the run continues where the node is run")
		}
	}
}

// namesIn notes the parameters that a value names.
func namesIn(t *spec.Tree, names map[string]bool) {
	for _, match := range parameter.FindAllString(t.Text, -1) {
		names[nameOf(match)] = true
	}
	for i := range t.Items {
		namesIn(&t.Items[i], names)
	}
}
