package draft

import (
	"slices"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// FanOut makes nodes of kind parallel of the nodes that several edges without a condition leave. Each branch is
// a chain of nodes, and all lead to one node, where they join. report is called with each node that becomes
// parallel, and with each that cannot: then made is nil. name gives the names of the new nodes.
func (d *Draft) FanOut(name func(string) string, report func(edges []*Edge, made *Node, problem string)) {
	failed := map[string]bool{}
	for {
		from, edges := d.nextFanOut(failed)
		if edges == nil {
			break
		}
		made := d.fanOut(from, edges, name)
		if made == nil {
			failed[from] = true
			continue
		}
		clear(failed) // what is around it may have become a chain
		report(edges, made, "")
	}
	for _, n := range d.Nodes {
		if !failed[n.Name.V] {
			continue
		}
		edges := d.always(n.Name.V)
		_, problem := d.chains(n.Name.V, edges)
		report(edges, nil, problem)
	}
}

// nextFanOut returns the next node that several edges without a condition leave, and these.
func (d *Draft) nextFanOut(failed map[string]bool) (string, []*Edge) {
	for i := len(d.Nodes) - 1; i >= 0; i-- { // inner ones are mostly further down
		name := d.Nodes[i].Name.V
		if edges := d.always(name); len(edges) > 1 && !failed[name] {
			return name, edges
		}
	}
	return "", nil
}

// always returns the edges of a node that have neither a condition nor a bound.
func (d *Draft) always(name string) []*Edge {
	return slices.DeleteFunc(d.Leaving(name), func(e *Edge) bool { return e.Conditional() || e.Bounded() })
}

// fanOut replaces the edges by a node of kind parallel, nil where they begin no branches.
func (d *Draft) fanOut(from string, edges []*Edge, name func(string) string) *Node {
	chains, problem := d.chains(from, edges)
	if problem != "" {
		return nil
	}
	pos := edges[0].From.Pos
	branches := yamlread.MapTree(pos)
	made := &Node{Name: String{V: name(from + "_branches"), Pos: pos}, Kind: "parallel"}
	join := chains[0].join
	for i, c := range chains {
		branch := Text(c.nodes[0], edges[i].To.Pos)
		if len(c.nodes) > 1 {
			branch = Names(edges[i].To.Pos, c.nodes...)
		}
		branches.Items = append(branches.Items, Text(c.nodes[0], edges[i].To.Pos), branch)
		region := &Region{Name: String{V: c.nodes[0], Pos: edges[i].To.Pos}}
		for _, n := range c.nodes {
			child := d.Node(n)
			child.Owner = made.Name.V
			region.Nodes = append(region.Nodes, child)
		}
		made.Regions = append(made.Regions, region)
		join = joined(join, c.join)
	}
	made.Keys.Set("branches", branches)
	at := slices.Index(d.Nodes, d.Node(from)) + 1
	d.Nodes = slices.Insert(d.Nodes, at, made)
	d.replace(edges, made, String{V: join, Pos: edges[0].To.Pos})
	return made
}

// joined returns the join of two chains, one of which may end the run.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// replace removes the edges of branches, and adds the edges of the node that runs them.
func (d *Draft) replace(edges []*Edge, made *Node, join String) {
	var kept []*Edge
	for _, e := range d.Edges {
		switch {
		case e == edges[0]:
			kept = append(kept, &Edge{From: e.From, To: made.Name})
			if join.V != "" {
				kept = append(kept, &Edge{From: made.Name, To: join})
			}
		case slices.Contains(edges, e), d.Node(e.From.V) != nil && d.Node(e.From.V).Owner == made.Name.V:
		default:
			kept = append(kept, e)
		}
	}
	d.Edges = kept
}

// A chain is the nodes of a branch, and the node that it leads to; "": none.
type chain struct {
	nodes []string
	join  string
}

// chains returns the branches that edges begin, or why they are none.
func (d *Draft) chains(from string, edges []*Edge) ([]chain, string) {
	if len(d.Leaving(from)) > len(edges) {
		return nil, "edges with and without a condition leave it"
	}
	if n := d.Node(from); n != nil && n.Owner != "" {
		return nil, "it is in a branch itself"
	}
	var chains []chain
	join := ""
	for _, e := range edges {
		c, problem := d.chain(from, e.To.V)
		if problem != "" {
			return nil, problem
		}
		if join != "" && c.join != "" && c.join != join {
			return nil, "the branches lead to " + join + " and to " + c.join
		}
		join = joined(join, c.join)
		chains = append(chains, c)
	}
	for _, c := range chains {
		if slices.Contains(c.nodes, join) {
			return nil, "the branches meet in " + join + ", which is one of them"
		}
	}
	return chains, ""
}

// chain follows edges from the first node of a branch to where branches join.
func (d *Draft) chain(from, first string) (chain, string) {
	var c chain
	for name := first; ; {
		n := d.Node(name)
		switch {
		case IsEnd(name), n == nil:
			if len(c.nodes) == 0 {
				return c, "a branch leads directly to the end"
			}
			return c, ""
		case len(d.entering(name)) > 1 && len(c.nodes) > 0, len(n.Leads) > 0 && len(c.nodes) > 0:
			c.join = name
			return c, ""
		case len(d.entering(name)) > 1:
			return c, name + " is reached from several nodes"
		case name == d.entry() || len(n.Leads) > 0:
			return c, name + " is not part of a chain"
		}
		c.nodes = append(c.nodes, name)
		leaving := d.Leaving(name)
		switch {
		case len(leaving) == 0:
			return c, ""
		case len(leaving) > 1 || leaving[0].Conditional() || leaving[0].Bounded():
			return c, "the branch of " + first + " decides at " + name + " where it leads"
		}
		name = leaving[0].To.V
		if slices.Contains(c.nodes, name) || name == from {
			return c, "the branch of " + first + " is a cycle"
		}
	}
}

// entering returns the edges that lead to a node.
func (d *Draft) entering(name string) []*Edge {
	var edges []*Edge
	for _, e := range d.Edges {
		if e.To.V == name {
			edges = append(edges, e)
		}
	}
	return edges
}
