package resolve

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// bindGraphs finds the nodes of the regions that are graphs: those that transitions lead to from the entry of the region, of
// whatever rule, and that neither the graph nor another region has. Nodes that other nodes lead to belong to the first that
// does: to the graph itself, then to regions in the order of the spec.
func (g *Graph) bindGraphs() {
	var regions []*Region
	for _, n := range g.Nodes {
		for _, r := range n.Regions {
			if r.Graph {
				regions = append(regions, r)
			}
		}
	}
	if len(regions) == 0 {
		return
	}
	b := &binder{graph: g, edges: map[string][]*spec.Edge{}, outside: map[*Node]bool{}}
	for _, e := range g.Spec.Expand() {
		b.edges[e.From.V] = append(b.edges[e.From.V], e)
	}
	b.reachOutside()
	for _, r := range regions {
		b.reach(r)
	}
	for _, r := range regions {
		b.sort(r)
	}
}

// A binder binds the nodes of regions that are graphs.
type binder struct {
	graph   *Graph
	edges   map[string][]*spec.Edge // by the name of the node that they leave
	outside map[*Node]bool          // nodes that the graph itself reaches
}

// reachOutside finds the nodes that the graph itself reaches.
func (b *binder) reachOutside() {
	var todo []*Node
	reach := func(n *Node) {
		if n != nil && n.Parent == nil && !b.outside[n] {
			b.outside[n] = true
			todo = append(todo, n)
		}
	}
	reach(b.graph.Entry)
	reach(b.graph.OnError)
	if m := b.graph.Spec.Mutations; m != nil {
		for _, name := range m.Templates {
			reach(b.graph.nodes[name.V])
		}
	}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		for _, name := range b.leads(n) {
			reach(b.graph.nodes[name])
		}
	}
}

// reach moves the nodes that a region reaches from its entry into it.
func (b *binder) reach(r *Region) {
	for i := 0; i < len(r.Nodes); i++ {
		for _, name := range b.leads(r.Nodes[i]) {
			n := b.graph.nodes[name]
			if n == nil || n.Parent != nil || b.outside[n] || n == r.Parent.outermost() {
				continue
			}
			n.Parent, n.Region, n.around = r.Parent, r, r.Parent
			r.Nodes = append(r.Nodes, n)
		}
	}
}

// sort puts the nodes of a region into an order in which transitions lead ahead, as far as there is one.
func (b *binder) sort(r *Region) {
	if len(r.Nodes) == 0 {
		return
	}
	const open, done = 1, 2
	state := map[*Node]int{}
	var sorted, path []*Node
	var visit func(n *Node)
	visit = func(n *Node) {
		state[n] = open
		path = append(path, n)
		for _, name := range slices.Backward(b.leads(n)) {
			to := b.graph.nodes[name]
			n.leadsOn = n.leadsOn || to != nil && to.Region == r
			r.torn = r.torn || to == nil && !spec.IsEnd(name) && !b.graph.Spec.NamesEnd(name)
			switch {
			case to == nil || to.Region != r:
			case state[to] == open && r.Cycle == nil:
				r.Cycle = slices.Clone(path[slices.Index(path, to):])
			case state[to] == 0:
				visit(to)
			}
		}
		path = path[:len(path)-1]
		state[n] = done
		sorted = append(sorted, n)
	}
	visit(r.Nodes[0])
	slices.Reverse(sorted)
	r.Nodes = sorted
	last := len(sorted) - 1
	r.early = slices.ContainsFunc(sorted[:last], b.mayEnd) || b.endsOtherwise(sorted[last])
}

// endsOtherwise reports whether a node may end its region after another outcome than a success, which gives no output.
func (b *binder) endsOtherwise(n *Node) bool {
	s := n.Spec
	return s.OnFail.IsSet() || s.OnDeny.IsSet() || s.OnTimeout.IsSet() ||
		slices.ContainsFunc(s.Transitions, func(t spec.Transition) bool { return t.Key.V == "error" }) ||
		slices.ContainsFunc(b.edges[s.Name.V], func(e *spec.Edge) bool { return e.On.V == "error" || e.On.V == "guard_fail" || e.On.V == "budget" })
}

// mayEnd reports whether a region may end at a node that is not its last one.
func (b *binder) mayEnd(n *Node) bool {
	leads := b.leads(n)
	open := func(e *spec.Edge) bool { return e.When.IsSet() || e.MaxIterations.IsSet() }
	return len(leads) == 0 || slices.ContainsFunc(leads, spec.IsEnd) || cmp.Or(n.Spec.NoMatch.V, b.graph.Spec.NoMatch.V) == "end" ||
		slices.ContainsFunc(b.edges[n.Spec.Name.V], open)
}

// Ends returns the nodes of a region that is a graph after which no other node of it can run.
func (r *Region) Ends() []*Node {
	var out []*Node
	for _, n := range r.Nodes {
		if !n.leadsOn {
			out = append(out, n)
		}
	}
	return out
}

// leads returns the names to which the transitions of a node lead, of every rule, in the order of the spec.
func (b *binder) leads(n *Node) []string {
	s := n.Spec
	var names []string
	add := func(list ...spec.String) {
		for _, name := range list {
			if name.V != "" {
				names = append(names, name.V)
			}
		}
	}
	for _, e := range b.edges[s.Name.V] {
		add(e.To)
		for _, l := range e.Branch {
			add(l.To)
		}
	}
	add(s.Goto...)
	add(s.Routes...)
	for _, t := range s.Transitions {
		add(t.To)
	}
	add(s.Next, s.OnPass, s.OnFail, s.OnDeny, s.OnTimeout)
	for _, name := range b.graph.routes(n) {
		add(name)
	}
	return names
}

// RouteFields are the output fields of rule 2, in order: by these a node names the next one.
var RouteFields = []string{"route", "_next", "next_step", "goto"}

// RoutedBy returns the fields of the output by which a node names the next one, in the order in which a run looks at them. A required enum
// always names a node, so that no field after it counts.
func (n *Node) RoutedBy() []*Field {
	if n.Out == nil || n.Out.Kind != Struct {
		return nil
	}
	var fields []*Field
	for _, name := range RouteFields {
		f := n.Out.Field(name)
		if f == nil {
			continue
		}
		switch f.Type.Base().Kind {
		case Enum, String:
			fields = append(fields, f)
		}
		if f.Type.Kind == Enum {
			break
		}
	}
	return fields
}

// mayNameEnd reports whether a node may end its region by a value of its output: a text may be end.
func (n *Node) mayNameEnd() bool {
	return slices.ContainsFunc(n.RoutedBy(), func(f *Field) bool {
		t := f.Type.Base()
		return t.Kind == String || slices.ContainsFunc(t.Values, func(v EnumValue) bool { return spec.IsEnd(v.Name) })
	})
}

// routes returns the values of enums by which the output of a node names the next node.
func (g *Graph) routes(n *Node) []spec.String {
	var names []spec.String
	values := func(t *Type) {
		if t == nil || t.Base().Kind != Enum {
			return
		}
		for _, v := range t.Base().Values {
			names = append(names, spec.String{V: v.Name, Pos: v.Pos})
		}
	}
	switch out := n.Spec.Output; {
	case out == nil:
		for _, w := range n.Spec.Writes {
			if f := g.State.Field(w.V); f != nil && slices.Contains(RouteFields, w.V) {
				values(f.Type)
			}
		}
	case out.Kind == spec.TypeNamed:
		if t := g.own.lookup(out.Name); t != nil && t.Kind == Struct {
			for _, name := range RouteFields {
				if f := t.Field(name); f != nil {
					values(f.Type)
				}
			}
		}
	default:
		for _, f := range out.Fields {
			if !slices.Contains(RouteFields, f.Name.V) || f.Type == nil {
				continue
			}
			names = append(names, f.Type.Values...)
			if f.Type.Kind == spec.TypeNamed {
				values(g.own.lookup(f.Type.Name))
			}
		}
	}
	return names
}

// Routed returns the nodes whose transitions the spec writes: nodes of the graph, and of regions that are graphs.
func (g *Graph) Routed() []*Node {
	if !slices.ContainsFunc(g.Bodies, (*Node).routed) {
		return g.Nodes
	}
	return slices.DeleteFunc(slices.Clone(g.All()), func(n *Node) bool { return n.Template || n.Parent != nil && !n.routed() })
}

// routed reports whether a node of a region has transitions of its own.
func (n *Node) routed() bool { return n.Region != nil && n.Region.Graph }

// Chained reports whether a node is in a region whose nodes run one after the other: it has no transitions of its own.
func (n *Node) Chained() bool { return n.Parent != nil && !n.routed() }
