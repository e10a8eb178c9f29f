package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// shapePasses judge how the nodes of a graph hang together.
var shapePasses = []Pass{
	{run: noNodes, Rule: diag.Rule{
		Code: "GG050", Name: "no-nodes",
		Doc:  "A graph needs at least one node.",
		Bad:  "graph: g\nentry: a\nnodes: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {}\n",
	}},
	{run: entry, Rule: diag.Rule{
		Code: "GG051", Name: "entry",
		Doc:  "A run starts at one node: the one that `entry` names, or the one with the flag entry.",
		Bad:  "graph: g\nentry: strat\nnodes:\n  start: {}\n",
		Good: "graph: g\nentry: start\nnodes:\n  start: {}\n",
	}},
	{run: unknownNodes, Rule: diag.Rule{
		Code: "GG052", Name: "unknown-node",
		Doc:  "An edge, a branch, a transition, goto, routes, next, on_pass, on_fail or on_error names a node that the graph does not have.",
		Bad:  "graph: g\nentry: draft\nnodes:\n  draft: {next: publsh}\n  publish: {}\nedges:\n  - {from: draft, to: publish, on: error}\n",
		Good: "graph: g\nentry: draft\nnodes:\n  draft: {next: publish}\n  publish: {}\n",
	}},
	{run: edgesOutOfEnd, Rule: diag.Rule{
		Code: "GG053", Name: "edge-out-of-end",
		Doc:  "Nothing leaves end: the run is over there.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {next: end}\nedges:\n  - {from: end, to: a}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {next: end}\n",
	}},
	{run: routeValues, Rule: diag.Rule{
		Code: "GG054", Name: "unknown-route",
		Doc:  "A value of an enum that routes (an output field called route, _next, next_step or goto) is a key of the node's transitions, a node, or end.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {output: {route: {enum: [b, c]}}}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {output: {route: {enum: [b, end]}}}\n  b: {}\n",
	}},
	{run: unreachable, Rule: diag.Rule{
		Code: "GG055", Name: "unreachable-node",
		Doc:  "No way leads from the entry to a node, so it never runs.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {next: b}\n  b: {}\n",
	}},
	{run: noEnd, Rule: diag.Rule{
		Code: "GG056", Name: "no-end",
		Doc:  "A run can never end of itself: no node that can be reached leads to end, is without a way on, or can run out of bounded edges.",
		Bad:  "graph: g\nentry: a\nlimits: {max_steps: 9}\nnodes:\n  a: {next: b}\n  b: {next: a}\n",
		Good: "graph: g\nentry: a\nlimits: {max_steps: 9}\nnodes:\n  a: {next: b}\n  b: {kind: router, routes: [a, end]}\n",
	}},
	{run: unboundedCycles, Rule: diag.Rule{
		Code: "GG057", Name: "unbounded-cycle",
		Doc:  "A cycle (a node that leads to itself is one) can go on for ever. It needs a bound: max_iterations on one of its edges, max_visits on one of its nodes, or limits.max_steps.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {kind: router, routes: [b, end]}\n  b: {next: a}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {kind: router, routes: [b, end], max_visits: 5}\n  b: {next: a}\n",
	}},
	{run: terminalWithWays, Rule: diag.Rule{
		Code: "GG058", Name: "terminal-with-ways",
		Doc:  "A node with the flag terminal has a way on.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {flags: [terminal], next: b}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {next: b}\n  b: {flags: [terminal]}\n",
	}},
	{run: shortSequences, Rule: diag.Rule{
		Code: "GG059", Name: "short-sequence",
		Doc:  "sequential names at least two nodes: it is the edges between them.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {}\nedges:\n  - sequential: [a]\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {}\n  b: {}\nedges:\n  - sequential: [a, b]\n",
	}},
}

func noNodes(c *context) {
	if len(c.graph.Nodes) == 0 {
		pos := c.spec.Name.Pos
		c.report(pos, "the graph has no nodes", "add a node under nodes, as in nodes: {"+orA(c.spec.Entry.V)+": {}}")
	}
}

func orA(name string) string {
	if name == "" {
		return "start"
	}
	return name
}

// entry checks what `entry` and the flags of that name say.
func entry(c *context) {
	if len(c.graph.Nodes) == 0 {
		return
	}
	e := c.spec.Entry
	var flagged []*resolve.Node
	for _, n := range c.graph.Nodes {
		if _, ok := n.Spec.Flag("entry"); ok {
			flagged = append(flagged, n)
		}
	}
	switch {
	case e.IsSet() && e.V == "":
		return
	case spec.IsEnd(e.V):
		c.report(e.Pos, "the entry is end, so no node would run", "name the first node")
	case e.IsSet() && c.graph.Node(e.V) == nil:
		c.report(e.Pos, "the entry names no node: "+quote(e.V), didYouMean(e.V, c.names(), "name one of the nodes, or add it"))
	case !e.IsSet() && len(flagged) == 0:
		c.report(c.spec.Name.Pos, "the graph has no entry", "add entry: "+c.graph.Nodes[0].Spec.Name.V+", or the flag entry to the first node")
	}
	for i, n := range flagged {
		f, _ := n.Spec.Flag("entry")
		if first := c.graph.Node(e.V); e.IsSet() && first != nil && first != n {
			c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" has the flag entry, but entry names "+quote(e.V), "remove one of the two",
				diag.Related{Pos: e.Pos, Message: "the entry is named here"})
		}
		if i > 0 && !e.IsSet() {
			was, _ := flagged[0].Spec.Flag("entry")
			c.report(f.Name.Pos, "a second node has the flag entry: "+quote(n.Spec.Name.V), "a run starts at one node: keep one of the flags",
				diag.Related{Pos: was.Name.Pos, Message: "the first one is here"})
		}
	}
}

// names lists the nodes.
func (c *context) names() []string {
	all := c.nodeNames()
	return all[:len(all)-1]
}

func quote(s string) string { return `"` + s + `"` }

// unknownNodes reports every name that should be a node's and is not. An expanded
// shorthand names each place once.
func unknownNodes(c *context) {
	told := map[spec.Pos]bool{}
	report := func(name spec.String, what string, candidates []string) {
		if !written(name) || told[name.Pos] {
			return
		}
		told[name.Pos] = true
		c.report(name.Pos, what+" names no node: "+quote(name.V), didYouMean(name.V, candidates, "name one of the nodes, or add it under nodes"))
	}
	all := c.nodeNames()
	for _, e := range c.graph.Edges {
		if e.From == nil && !spec.IsEnd(e.Spec.From.V) {
			report(e.Spec.From, "the edge's from", c.names())
		}
		for i, t := range e.Targets() {
			switch {
			case t.Known():
			case e.Spec.BranchPos.IsSet():
				report(e.Spec.Branch[i].To, "label "+quote(e.Spec.Branch[i].Name.V), all)
			default:
				report(e.Spec.To, "the edge", all)
			}
		}
	}
	for _, n := range c.graph.Nodes {
		for _, w := range c.ways(n) {
			if w.edge == nil && !w.to.Known() && w.what != "route value" {
				report(w.name, w.what, all)
			}
		}
	}
	switch on := c.spec.OnError; {
	case spec.IsEnd(on.V):
		c.report(on.Pos, "on_error is end, which is no node that could take over", "name a node, or leave on_error out")
	case c.graph.OnError == nil:
		report(on, "on_error", c.names())
	}
}

func edgesOutOfEnd(c *context) {
	told := map[spec.Pos]bool{}
	for _, e := range c.graph.Edges {
		from := e.Spec.From
		if spec.IsEnd(from.V) && !told[from.Pos] {
			told[from.Pos] = true
			c.report(from.Pos, "an edge leaves end, where the run is over", "remove the edge, or name the node it leaves")
		}
	}
}

func routeValues(c *context) {
	told := map[spec.Pos]bool{}
	for _, n := range c.graph.Nodes {
		for _, w := range c.ways(n) {
			if w.what == "route value" && !w.to.Known() && !told[w.name.Pos] {
				told[w.name.Pos] = true
				c.report(w.name.Pos, "route value "+quote(w.name.V)+" of node "+quote(n.Spec.Name.V)+" is neither a node nor a key of its transitions",
					didYouMean(w.name.V, c.nodeNames(), "name a node, or add the value to the node's transitions"))
			}
		}
	}
}

func terminalWithWays(c *context) {
	for _, n := range c.graph.Nodes {
		f, ok := n.Spec.Flag("terminal")
		if !ok {
			continue
		}
		for _, w := range c.ways(n) {
			if !w.failure && !w.to.End {
				c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" is terminal, but has a way on", "remove the flag, or the way on",
					diag.Related{Pos: w.name.Pos, Message: "the way on is here"})
				break
			}
		}
	}
}

func shortSequences(c *context) {
	for _, e := range c.spec.Edges {
		if e.SequentialPos.IsSet() && len(e.Sequential) < 2 {
			c.report(e.SequentialPos, "a sequence needs at least two nodes", "name the nodes in order, as in sequential: [a, b]")
		}
	}
}
