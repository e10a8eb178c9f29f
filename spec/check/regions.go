package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// regionPasses look at which nodes are run by others.
var regionPasses = []Pass{
	{run: children, Rule: diag.Rule{
		Code: "GG220", Name: "child",
		Doc:  "A body, a branch or a pool names nodes of the graph. A node is run by one other and named there once, is not where runs start or failures go, and does not run itself.",
		Bad:  "graph: g\nentry: both\nnodes:\n  both: {kind: parallel, branches: {left: fetch, right: fetch}}\n  fetch: {reads: []}\n",
		Good: "graph: g\nentry: both\nnodes:\n  both: {kind: parallel, branches: {left: fetch, right: search}}\n  fetch: {reads: []}\n  search: {reads: []}\n",
	}},
	{run: childKinds, Rule: diag.Rule{
		Code: "GG221", Name: "child-kind",
		Doc:  "What a node runs has no ways of its own, so it is none that exists to choose one: a router, a guard, a person to ask, a prompt that leaves its tool calls to others (tool_loop: false), a tool that runs such calls. A retry does not run transforms alone: a pure function fails again.",
		Bad:  "graph: g\nentry: again\nstate: {text: string}\ninput: [text]\nnodes:\n  again: {kind: retry, body: judge}\n  judge: {kind: guard, reads: text}\n",
		Good: "graph: g\nentry: again\nstate: {text: string}\ninput: [text]\nnodes:\n  again: {kind: retry, body: judge}\n  judge: {reads: text}\n",
	}},
	{run: waysToChildren, Rule: diag.Rule{
		Code: "GG222", Name: "way-to-a-child",
		Doc:  "A way leads to a node, or leaves one, that another node runs, or of which mutations make more: on such a node there are no ways.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {next: fetch}\n  again: {kind: retry, body: fetch}\n  fetch: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {next: again}\n  again: {kind: retry, body: fetch}\n  fetch: {}\n",
	}},
}

// regionOf says what a region is, as a message names it.
func (c *context) regionOf(r *resolve.Region) string {
	host := r.Host.Kind.Name + " " + quote(r.Host.Spec.Name.V)
	switch {
	case r.Host == c.graph.Pool:
		return "the pool of the graph"
	case r.Host.Kind.Branches():
		return "branch " + quote(r.Name.V) + " of " + host
	case r.Host.Kind.Picks():
		return "the pool of " + host
	}
	return "the body of " + host
}

func children(c *context) {
	advisor := &advisor{names: append(c.workers(), spec.End)}
	named := map[*resolve.Node]spec.Pos{} // where a node is named that is in a region
	for _, host := range c.graph.All() {
		for _, r := range host.Regions {
			for _, name := range r.Written {
				n := c.graph.Node(name.V)
				was, again := named[n]
				switch {
				case !written(name) || c.spec.Unread && len(c.spec.Nodes) == 0:
				case spec.IsEnd(name.V):
					c.report(name.Pos, c.regionOf(r)+" names "+name.V+", which is no node", "leave it out: what "+quote(host.Spec.Name.V)+" runs comes to its own end")
				case n == nil:
					c.reportUnknown(name, c.regionOf(r)+" names no node: "+quote(name.V), advisor.advise(name.V, false, "name one of the nodes, or add it under nodes"))
				case n.Region == r && !again:
					named[n] = name.Pos
				case n.Region == r:
					c.report(name.Pos, c.regionOf(r)+" names node "+quote(name.V)+" twice", "remove one, or add another node that does the same", diag.Related{Pos: was, Message: "the first one is here"})
				default:
					c.notChild(r, n, name.Pos)
				}
			}
		}
	}
}

// notChild says why a node cannot be in a region.
func (c *context) notChild(r *resolve.Region, n *resolve.Node, pos spec.Pos) {
	name, host := quote(n.Spec.Name.V), quote(r.Host.Spec.Name.V)
	switch {
	case n == r.Host:
		c.report(pos, "node "+name+" runs itself", "name the node that does the work")
	case r.Host.Within(n):
		c.report(pos, "node "+name+" runs "+host+", and would run itself", "name the node that does the work")
	case n == c.graph.Entry:
		c.report(pos, "node "+name+" is run by "+host+", and is the entry", "let runs start at "+host)
	case n == c.graph.OnError:
		c.report(pos, "node "+name+" is run by "+host+", and is on_error", "let failures go to "+host)
	default:
		c.report(pos, "node "+name+" is run by "+quote(n.Host.Spec.Name.V)+" already: one node runs it, in one place", "give each a node of its own",
			diag.Related{Pos: namedAt(n), Message: "it is named here"})
	}
}

// namedAt is the place where a region names one of its nodes.
func namedAt(n *resolve.Node) spec.Pos {
	for _, name := range n.Region.Written {
		if name.V == n.Spec.Name.V {
			return name.Pos
		}
	}
	return n.Host.Spec.Name.Pos
}

// workers lists the names of the nodes that others could run.
func (c *context) workers() []string {
	var names []string
	for _, n := range c.graph.All() {
		if n != c.graph.Pool {
			names = append(names, n.Spec.Name.V)
		}
	}
	return names
}

// choosers say why a node of a kind cannot be run by another, and what to write instead.
var choosers = map[string][2]string{
	"router": {"which chooses a way on", "let a func or a prompt set a field, and look at it behind the node"},
	"guard":  {"which chooses a way on", "give the node before it guards, or let the guard stand behind"},
	"human":  {"and a run can pause at its own nodes alone", "let the person answer before it, or behind it"},
}

func childKinds(c *context) {
	for _, n := range c.graph.All() {
		if n.Host != nil && n.Kind.Known() {
			c.childKind(n)
		}
		if !n.Kind.OnFailure || n.Bodiless() {
			continue
		}
		pure := func(n *resolve.Node) bool { return n.Kind.Pure }
		if body := n.Regions[0].Nodes; !slices.ContainsFunc(body, func(n *resolve.Node) bool { return !pure(n) }) {
			c.report(n.Spec.Body[0].Pos, c.regionOf(n.Regions[0])+" is "+article(body[0].Kind.Name)+": a pure function fails again", "run a func, or leave out the retry")
		}
	}
}

func (c *context) childKind(n *resolve.Node) {
	title := c.regionOf(n.Region) + " has "
	why, chooses := choosers[n.Kind.Name]
	pos := namedAt(n)
	if n.Host == c.graph.Pool {
		pos = n.Spec.Kind.Pos
	}
	switch {
	case chooses:
		c.report(pos, title+article(n.Kind.Name)+", "+why[0], why[1])
	case n.Defers:
		c.report(n.Spec.Prompt.ToolLoop.Pos, title+"prompt "+quote(n.Spec.Name.V)+", which leaves its tool calls to others: nothing comes behind it that could run them", "remove tool_loop: false")
	case n.Pending:
		c.report(pos, title+"a tool that runs the calls of a prompt: these are run by the prompt itself", "name its tool, as in tool: search")
	}
}

func waysToChildren(c *context) {
	if c.graph.Pool != nil {
		return // every edge is a mistake there
	}
	c.eachLost(func(name spec.String, what string, _ bool) {
		n := c.graph.Node(name.V)
		switch {
		case n == nil:
		case n.Host != nil:
			host := n.Host.Spec.Name
			c.report(name.Pos, what+" names "+quote(name.V)+", which node "+quote(host.V)+" runs", "name "+quote(host.V)+": ways lead to it and from it",
				diag.Related{Pos: namedAt(n), Message: "it is named there"})
		case n.Template:
			c.report(name.Pos, what+" names "+quote(name.V)+", which is a template: mutations make more of it", "add a node of its own, or take it out of the templates")
		}
	})
}
