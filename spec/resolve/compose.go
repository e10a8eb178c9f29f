package resolve

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Region is what a composite node runs as one: a branch of a parallel, the body of a loop, retry or map, or a node of
// a pool. Its nodes run one after the other, or are a graph.
type Region struct {
	Parent  *Node
	Graph   bool         // transitions lead from node to node
	Name    spec.String  // of a branch or of a pool node; not set: a body
	Branch  *spec.Branch // of a parallel; nil: it is no branch of one
	Written []spec.String
	Nodes   []*Node // existing nodes of the region; no other region has them. Those of a graph are in the order in which runs visit them
	Cycle   []*Node // of a graph whose transitions make a cycle: the first one; nil: there is none
	early   bool    // a graph may end before its last node has run, or without an output of it
	torn    bool    // a transition of a graph leads to a name that no node has: which node is the last is not known
}

// Last returns the last node of the region, or nil.
func (r *Region) Last() *Node {
	if len(r.Nodes) == 0 {
		return nil
	}
	return r.Nodes[len(r.Nodes)-1]
}

// Ahead returns the target of a name at a node in a region: a node after it there, or the end of the region. In a graph any node of
// it is one.
func (n *Node) Ahead(name string) Target {
	if spec.IsEnd(name) {
		return Target{End: true}
	}
	nodes := n.Region.Nodes
	if n.Region.Graph {
		if i := slices.IndexFunc(nodes, func(to *Node) bool { return to.Spec.Name.V == name }); i >= 0 {
			return Target{Node: nodes[i]}
		}
		return Target{}
	}
	for _, to := range nodes[slices.Index(nodes, n)+1:] {
		if to.Spec.Name.V == name {
			return Target{Node: to}
		}
	}
	return Target{}
}

// Misrouted reports whether a router in a region has no routes, or one to what is not after it there.
func (n *Node) Misrouted() bool {
	return n.Region != nil && !n.Region.Graph && n.Kind.Chooses && (len(n.Spec.Routes) == 0 || slices.ContainsFunc(n.Spec.Routes,
		func(to spec.String) bool { return !n.Ahead(to.V).Known() }))
}

// OnlyEnds reports whether all routes of a router are end.
func (n *Node) OnlyEnds() bool {
	return len(n.Spec.Routes) > 0 && !slices.ContainsFunc(n.Spec.Routes, func(to spec.String) bool { return !spec.IsEnd(to.V) })
}

// EndsEarly reports whether the region may end before its last node has run: by a router, or by any transition of a graph.
func (r *Region) EndsEarly() bool {
	if r.Graph {
		return r.early || len(r.Nodes) > 0 && slices.ContainsFunc(r.Nodes[:len(r.Nodes)-1], (*Node).mayNameEnd)
	}
	return slices.ContainsFunc(r.Nodes, func(n *Node) bool {
		return n.Kind.Chooses && slices.ContainsFunc(n.Spec.Routes, func(to spec.String) bool { return spec.IsEnd(to.V) })
	})
}

// May reports whether the region is started by a condition: it may not run where its parent does.
func (r *Region) May() bool { return r.Branch != nil && r.Branch.If.IsSet() }

// ChildOf reports whether another node runs the node, at any depth.
func (n *Node) ChildOf(parent *Node) bool {
	for at := n.Parent; at != nil; at = at.Parent {
		if at == parent {
			return true
		}
	}
	return false
}

// Children returns all nodes that a composite node runs, at any depth, each after its parent.
func (n *Node) Children() []*Node { return n.addChildren(nil) }

func (n *Node) addChildren(out []*Node) []*Node {
	for _, r := range n.Regions {
		for _, child := range r.Nodes {
			out = child.addChildren(append(out, child))
		}
	}
	return out
}

// bindPool makes the nodes of an autonomous graph the pool of one node, where runs start.
func (g *Graph) bindPool() {
	if g.Spec.Mode.V != "autonomous" || len(g.Nodes) == 0 {
		return
	}
	s := &spec.Node{
		Name: spec.String{V: g.Spec.Name.V, Pos: g.Spec.Mode.Pos}, Kind: spec.String{V: "autonomous", Pos: g.Spec.Mode.Pos},
		Doc: g.Spec.Doc, PoolPos: g.Spec.Mode.Pos, Unread: g.Spec.Unread,
	}
	named := func(n *Node) bool { return n.GoName == goname.Exported(s.Name.V) }
	for slices.ContainsFunc(g.Nodes, named) {
		s.Name.V += "_pool"
	}
	hosted := map[string]bool{g.Spec.OnError.V: true}
	if m := g.Spec.Mutations; m != nil {
		for _, name := range m.Templates {
			hosted[name.V] = true
		}
	}
	for _, n := range g.Spec.Nodes {
		for _, names := range append([][]spec.String{n.Body, n.Pool}, branchNames(n)...) {
			for _, name := range names {
				hosted[name.V] = true
			}
		}
	}
	for _, n := range g.Nodes {
		if hosted[n.Spec.Name.V] {
			continue
		}
		s.Pool = append(s.Pool, n.Spec.Name)
		if n.Has(spec.Terminal) {
			s.Terminal = append(s.Terminal, n.Spec.Name)
		}
	}
	if g.Entry != nil {
		s.PoolEntry = g.Entry.Spec.Name
	}
	s.MaxSteps = g.Spec.Limits.MaxSteps
	if doc := g.Spec.Doc; doc.IsSet() { // the doc of the graph is the instruction for picking
		s.Prompt.Instructions = spec.Text{String: spec.String{V: strings.ReplaceAll(doc.V, "{{", "{{{{"), Pos: doc.Pos}}
	}
	pool := g.newNode(s)
	g.Nodes = append(g.Nodes, pool)
	g.nodes[s.Name.V] = pool
	g.Entry, g.Pool = pool, pool
}

func branchNames(n *spec.Node) [][]spec.String {
	var out [][]spec.String
	for _, b := range n.Branches {
		out = append(out, b.Nodes)
	}
	return out
}

// bindRegions moves the nodes that composite nodes run into regions. A node belongs to the region
// of the first composite node that names it, and no node runs itself.
func (g *Graph) bindRegions() {
	for _, n := range g.Nodes {
		switch {
		case n.Kind.HasBody():
			n.Regions = []*Region{{Parent: n, Written: n.Spec.Body, Graph: n.Spec.BodyGraph}}
		case n.Kind.Branches():
			for i := range n.Spec.Branches {
				b := &n.Spec.Branches[i]
				n.Regions = append(n.Regions, &Region{Parent: n, Name: b.Name, Branch: b, Written: b.Nodes, Graph: b.Graph})
			}
		case n.Kind.Picks():
			for _, name := range n.Spec.Pool {
				n.Regions = append(n.Regions, &Region{Parent: n, Name: name, Written: []spec.String{name}})
			}
		}
		for _, r := range n.Regions {
			g.bindRegion(r)
		}
	}
	g.bindGraphs()
	g.cutDeep()
	for _, n := range g.Nodes {
		if n.Kind.Repeats() {
			if r := n.Regions[0]; r.Graph && !r.torn || !r.Graph && len(r.Nodes) == len(r.Written) {
				n.Body = r.Last() // else the last node of the spec may be unknown
			}
		}
		n.bindPicks()
	}
	if m := g.Spec.Mutations; m != nil {
		for _, name := range m.Templates {
			if n := g.nodes[name.V]; n != nil && n.Parent == nil && n != g.Entry && n != g.OnError && !n.Template {
				n.Template = true
				g.Templates = append(g.Templates, n)
			}
		}
	}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *Node) bool {
		if n.Parent != nil || n.Template {
			g.Bodies = append(g.Bodies, n)
		}
		return n.Parent != nil || n.Template
	})
}

// bindPicks binds the first node and the terminal nodes of a pool.
func (n *Node) bindPicks() {
	if !n.Kind.Picks() {
		return
	}
	n.First = n.pooled(n.Spec.PoolEntry)
	for _, name := range n.Spec.Terminal {
		if last := n.pooled(name); last != nil && !slices.Contains(n.Finals, last) {
			n.Finals = append(n.Finals, last)
		}
	}
}

// pooled returns the pool node with the given name, or nil.
func (n *Node) pooled(name spec.String) *Node {
	for _, r := range n.Regions {
		if last := r.Last(); last != nil && last.Spec.Name.V == name.V {
			return last
		}
	}
	return nil
}

func (g *Graph) bindRegion(r *Region) {
	for _, name := range r.Written {
		n := g.nodes[name.V]
		if n == nil || n.Parent != nil || n == g.Entry || n == g.OnError || n == r.Parent.outermost() {
			continue
		}
		n.Parent, n.Region, n.around = r.Parent, r, r.Parent
		r.Nodes = append(r.Nodes, n)
	}
}

// outermost returns the outermost composite node around a node, as far as regions are bound, or the
// node itself. It shortens the path, so that deep nesting costs no more than shallow nesting.
func (n *Node) outermost() *Node {
	top := n
	for top.around != nil {
		top = top.around
	}
	for n != top && n.around != top {
		n, n.around = n.around, top
	}
	return top
}

// MaxNesting is how deep nodes may be nested. The checks refuse deeper nesting.
const MaxNesting = 100

// cutDeep empties the regions that are nested too deep, which bounds the work for any spec.
func (g *Graph) cutDeep() {
	depth := make(map[*Node]int, len(g.Nodes))
	for _, n := range g.Nodes {
		var chain []*Node // nodes of unknown depth, from the inside out
		for at := n; at != nil; at = at.Parent {
			if _, known := depth[at]; known {
				break
			}
			chain = append(chain, at)
		}
		for _, at := range slices.Backward(chain) {
			if at.Parent != nil {
				depth[at] = depth[at.Parent] + 1
			} else {
				depth[at] = 0
			}
		}
	}
	for _, n := range g.Nodes {
		if depth[n] == MaxNesting+1 {
			g.TooDeep = append(g.TooDeep, n)
		}
	}
	for _, n := range g.Nodes {
		if depth[n]%(MaxNesting+1) != MaxNesting {
			continue
		}
		for _, r := range n.Regions {
			for _, child := range r.Nodes {
				child.Parent, child.Region = nil, nil
			}
			r.Nodes = nil
		}
	}
}
