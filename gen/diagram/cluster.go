package diagram

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
)

// A cluster is a box of a diagram: a composite node with its children, or the nodes that a run may
// add copies of. The diagram itself is one, too, without an identifier.
type cluster struct {
	id, title string
	items     []item
}

// An item of a cluster is a node, or the cluster of a composite node.
type item struct {
	node *plan.Node // nil: see in
	in   *cluster
}

const templatesID = "templates"

// clusters returns the nodes of a machine, each within its parent.
func clusters(m *plan.Machine) *cluster {
	all, templates := &cluster{}, &cluster{id: templatesID, title: "what a run may add"}
	for _, n := range m.Nodes {
		switch {
		case n.Host != nil:
		case n.Template:
			templates.add(n)
		default:
			all.add(n)
		}
	}
	if len(templates.items) > 0 {
		all.items = append(all.items, item{in: templates})
	}
	return all
}

func (c *cluster) add(n *plan.Node) {
	if n.Composite == nil {
		c.items = append(c.items, item{node: n})
		return
	}
	in := &cluster{id: "in" + strconv.Itoa(n.ID), title: n.Name, items: []item{{node: n}}}
	for _, r := range n.Composite.Regions {
		for _, inner := range r.Nodes {
			in.add(inner)
		}
	}
	c.items = append(c.items, item{in: in})
}

// title returns the label of a node: its name, and what it runs. The title of a composite node is
// that of its cluster.
func title(n *plan.Node) string {
	c := n.Composite
	switch {
	case n.Kind.Loops():
		return "loop until " + c.Until.Expr
	case n.Kind.OnFailure:
		return "retry up to " + strconv.Itoa(n.Policy.Attempts) + " times"
	case n.Kind.Branches():
		return "parallel, " + join(c)
	case n.Kind.Each:
		return "map over " + c.Over.Name + ", " + join(c)
	case n.Kind.Picks():
		return "pool, " + strconv.Itoa(c.Most) + " steps"
	case n.Kind.By == spec.ByGraph:
		return n.Name + " runs graph " + n.Sub.Graph
	}
	return n.Name
}

// join describes which branches a join waits for.
func join(c *plan.Composite) string {
	word := strings.ReplaceAll(c.Join, "_", " ")
	if c.Need > 1 {
		word += " " + strconv.Itoa(c.Need)
	}
	return word
}

// regionLinks returns the lines from a composite node to its children and, for a loop, the line back.
func regionLinks(n *plan.Node) (list []link) {
	c := n.Composite
	if c == nil {
		return nil
	}
	for _, r := range c.Regions {
		l := link{from: id(n), to: id(r.Way.To), style: unconditional}
		switch {
		case n.Kind.Branches():
			l.label = named(r.Way, r.Name)
		case n.Kind.Each:
			l.label = named(r.Way, "each "+c.Item.Name)
		case n.Kind.Picks() && r != c.Entry:
			l.style = conditional
		}
		list = append(list, l)
	}
	if n.Kind.Loops() {
		list = append(list, link{from: id(c.Regions[0].Last()), to: id(n), label: []string{"≤" + strconv.Itoa(c.Most)}})
	}
	return list
}
