package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

func pools(c *context) {
	for _, n := range c.graph.All() {
		if n.Kind.Picks() && !n.Spec.Unread && n != c.graph.Pool {
			c.pool(n)
			c.goal(n)
		}
	}
}

func (c *context) goal(n *resolve.Node) {
	text, title := n.Spec.Prompt.Instructions, "autonomous "+quote(n.Spec.Name.V)
	switch {
	case !text.IsSet():
		c.report(n.Spec.Name.Pos, title+" has no instructions: the model needs a goal to pick by",
			"state the goal, as in "+diag.Set("instructions", "Answer the question."))
	case strings.TrimSpace(text.V) == "" && !text.Lost:
		c.report(text.Pos, "the instructions of "+title+" are empty", "state the goal")
	}
}

func (c *context) pool(n *resolve.Node) {
	s, title := n.Spec, "autonomous "+quote(n.Spec.Name.V)
	if len(s.Pool) == 0 {
		pos := s.PoolPos
		if !pos.IsSet() {
			pos = s.Name.Pos
		}
		c.report(pos, title+" has no pool", "name the nodes to pick from, as in "+diag.Set("pool", "[search, answer]"))
		return
	}
	names := make([]string, len(s.Pool))
	for i, name := range s.Pool {
		names[i] = name.V
	}
	member := func(name spec.String, key string) {
		if written(name) && !lost(s.Pool) && !slices.Contains(names, name.V) {
			c.report(name.Pos, key+" of "+title+" names "+quote(name.V)+", which is not in its pool",
				didYouMean(name.V, names, "name one of the pool, or add it there"))
		}
	}
	member(s.PoolEntry, "entry")
	for _, name := range s.Terminal {
		member(name, "terminal")
	}
	c.repeated(n, "terminal node", s.Terminal)
	if !n.Bodiless() && len(n.Finals) == len(s.Terminal) && (n.First != nil || !s.PoolEntry.IsSet()) {
		c.picks(n, title)
	}
}

// picks reports a pool of which the model has nothing to pick, and bounds that do not fit it.
func (c *context) picks(n *resolve.Node, title string) {
	s, size := n.Spec, len(n.Regions)
	once := s.AllowRepeat.IsSet() && !s.AllowRepeat.Lost && !s.AllowRepeat.V
	final := func(node *resolve.Node) bool { return node != nil && slices.Contains(n.Finals, node) }
	steps, most := s.MaxSteps, spec.DefaultPoolSteps
	if steps.IsSet() {
		most = steps.V
	}
	pos := s.PoolPos
	switch {
	case final(n.First):
		c.report(s.PoolEntry.Pos, "the entry of "+title+" is terminal: nothing else of its pool ever runs",
			"name another, or leave entry out: then the model picks the first")
	case size == 1 && len(n.Finals) == 1:
		c.report(pos, title+" has nothing to pick: its one node runs, and it is over", "add nodes to its pool, or run the node itself")
	case size == 1 && once:
		c.report(s.AllowRepeat.Pos, title+" has nothing to pick: its one node runs once, and it is over", "add nodes to its pool, or remove allow_repeat")
	case len(n.Finals) > 0 && n.First != nil && most == 1:
		c.report(steps.Pos, "max_steps of "+title+" leaves no step for a terminal node: the entry takes the only one", "use 2 or more")
	case len(n.Finals) == 0 && n.First != nil && most == 1:
		c.report(steps.Pos, "max_steps of "+title+" leaves the model nothing to pick: the entry takes the only step", "use 2 or more")
	case once && steps.IsSet() && !steps.Lost && steps.V > size:
		c.report(steps.Pos, "max_steps of "+title+" has no effect: each of the "+plural(size, "node", "nodes")+" of its pool runs once at most",
			"make it smaller, or "+diag.Remove("remove it"),
			diag.Related{Pos: s.AllowRepeat.Pos, Message: "allow_repeat is here"})
	}
}

// modes reports keys of a graph that have no meaning for a pool.
func modes(c *context) {
	n := c.graph.Pool
	if n == nil {
		return
	}
	idle := func(pos spec.Pos, what, help string) {
		if pos.IsSet() {
			c.report(pos, what, help, diag.Related{Pos: c.spec.Mode.Pos, Message: "the mode is here"})
		}
	}
	if len(c.spec.Edges) > 0 {
		idle(c.spec.Edges[0].Pos, "the graph is autonomous, and has edges: its model picks what comes next", "remove the edges, or the mode")
	}
	idle(c.spec.NoMatch.Pos, "no_match has no effect in an autonomous graph: its nodes have no transitions", diag.Remove("remove it"))
	if m := c.spec.Mutations; m != nil {
		idle(m.Pos, "an autonomous graph has no transitions that mutations could change", "remove mutations, or the mode")
	}
	doc := c.spec.Doc
	switch {
	case c.spec.Unread:
	case !doc.IsSet():
		c.report(c.spec.Mode.Pos, "the graph is autonomous, and has no doc: the model needs a goal to pick by",
			"state the goal, as in "+diag.Set("doc", "Answer the question."))
	case strings.TrimSpace(doc.V) == "" && !doc.Lost:
		c.report(doc.Pos, "the doc of an autonomous graph is its goal, and this one is empty", "state the goal")
	}
	if first := n.Spec.PoolEntry; first.IsSet() && n.First == nil {
		switch at := c.graph.Node(first.V); {
		case at == nil:
		case at.Parent != nil:
			c.report(c.entryPlace(), "runs start at "+quote(first.V)+", which is not in the pool: "+c.runBy(at),
				"name "+quote(at.Parent.Spec.Name.V)+", which runs it")
		case at == c.graph.OnError:
			c.report(c.entryPlace(), "runs start at "+quote(first.V)+", which is not in the pool: it is on_error", "name a node of the pool")
		default:
			c.report(c.entryPlace(), "runs start at "+quote(first.V)+", which is not in the pool: it is a template", "name a node of the pool")
		}
		return
	}
	if len(n.Regions) > 0 && !n.Bodiless() {
		c.picksOfMode(n)
	}
}

// entryPlace returns the place of the entry of the graph.
func (c *context) entryPlace() spec.Pos {
	if c.spec.Entry.IsSet() {
		return c.spec.Entry.Pos
	}
	for _, n := range c.spec.Nodes {
		if f, ok := n.Flag(spec.Entry); ok {
			return f.Name.Pos
		}
	}
	return c.spec.Name.Pos
}

// picksOfMode reports a graph of which the model has nothing to pick.
func (c *context) picksOfMode(n *resolve.Node) {
	switch size := len(n.Regions); {
	case n.First != nil && slices.Contains(n.Finals, n.First):
		f, _ := n.First.Spec.Flag(spec.Terminal)
		c.report(f.Name.Pos, "runs start at "+quote(n.First.Spec.Name.V)+", which is terminal: nothing else of the pool ever runs",
			diag.Remove("remove the flag")+", or let runs start elsewhere")
	case size == 1 && len(n.Finals) == 1:
		c.report(c.spec.Mode.Pos, "the model has nothing to pick: the one node of the graph is terminal", "add nodes, or remove the mode")
	}
}
