package scenario

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
)

// A scenario also runs the machines of subgraphs, with handlers, models and tools of its script.
// The names of their nodes and tools are prefixed with the names of the subgraph nodes, as in
// details/search.

// child returns the binder of the graph that a subgraph node runs, or nil.
func (b *binder) child(n *plan.Node) *binder {
	if n == nil {
		return nil
	}
	sub, is := n.Work.(*plan.Sub)
	if !is {
		return nil
	}
	in := b
	if sub.Machine != nil {
		if in = b.graphs[sub.Spec]; in == nil {
			in = newBinder(b.file, lower(sub.Spec), b.graphs)
			b.graphs[sub.Spec] = in
		}
	}
	at := *in
	at.parent, at.around, at.current, at.path = b, b.around+maps(n), b.current, wire.Join(b.path, n.Name)
	return &at
}

// byPath returns the binder for a prefixed name, and the name without the prefix. It reports an
// unknown prefix and returns nil.
func (b *binder) byPath(name spec.String) (in *binder, own spec.String) {
	in, own = b, name
	for {
		node, rest, nested := strings.Cut(own.V, "/")
		if !nested {
			return in, own
		}
		child := in.child(in.nodes[node])
		if child == nil {
			names := in.subs()
			if len(names) == 0 {
				b.report("GG206", name.Pos, fmt.Sprintf("the name %s is that of a node within a subgraph, and there is none", quote(name.V)),
					"write the name of the node alone")
				return nil, own
			}
			b.unknown("GG206", node, name.Pos, "subgraph", "", names)
			return nil, own
		}
		in, own.V = child, rest
	}
}

// subs returns the subgraph nodes.
func (b *binder) subs() []string {
	var names []string
	for n := range plan.Works[*plan.Sub](b.m) {
		names = append(names, n.Name)
	}
	return names
}

// nodeByPath returns a node of any graph, or reports that it does not exist.
func (b *binder) nodeByPath(name spec.String) *plan.Node {
	in, own := b.byPath(name)
	if in == nil {
		return nil
	}
	return in.node(own)
}

// workerByPath returns a node of any graph whose handler is called, with its binder, or reports
// that it does not exist.
func (b *binder) workerByPath(name spec.String) (*binder, *plan.Node) {
	in, own := b.byPath(name)
	if in == nil {
		return nil, nil
	}
	return in, in.worker(own)
}

// bindNested describes child graphs for the harness, with substitutes for their custom merge
// functions.
func (b *binder) bindNested() {
	b.nested = map[string]wire.Graph{}
	inside := map[string]*binder{}
	b.describe(inside)
	for _, p := range b.file.Merges {
		if !strings.Contains(p.Name.V, "/") {
			continue
		}
		if in, own := b.byPath(p.Name); in != nil && in.m != b.m {
			in.merge(Pair{own, p.To}, b.nested[in.m.Name].Merges)
		}
	}
	for name, in := range inside {
		in.unmerged(b.nested[name].Merges, in.path+"/")
	}
}

// describe adds the graphs of subgraph nodes, recursively.
func (b *binder) describe(inside map[string]*binder) {
	for _, n := range b.m.Flow.Nodes {
		in := b.child(n)
		if in == nil || in.m == b.m || inside[in.m.Name] != nil {
			continue
		}
		inside[in.m.Name] = in
		g := wire.Graph{Subs: subsOf(in.m), Places: places(in.m), Agents: in.agents(), Merges: map[string]string{}}
		for _, t := range in.m.Models.Tools {
			if t.Pure {
				g.Pure = append(g.Pure, t.Name)
			}
		}
		in.nested = b.nested
		b.nested[in.m.Name] = g
		in.describe(inside)
	}
}

func subsOf(m *plan.Machine) map[string]string {
	var subs map[string]string
	for n, sub := range plan.Works[*plan.Sub](m) {
		if subs == nil {
			subs = map[string]string{}
		}
		subs[n.Name] = sub.Graph
	}
	return subs
}

// placed checks that the position of a scripted transform is known. Its function has no context to
// identify it.
func (b *binder) placed(n *plan.Node, name spec.String, w *wire.Scenario) {
	within, _ := wire.Split(name.V)
	if !n.Kind.Pure || within == "" {
		return
	}
	graph, _ := w.GraphAt(within)
	if path, only := w.PathTo(graph); !only || path != within {
		b.report("GG210", name.Pos,
			fmt.Sprintf("the node %s is a transform of a graph that several nodes run: it has no context that identifies the node", quote(name.V)),
			"make it a node of kind func")
	}
}
