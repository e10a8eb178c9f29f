package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// structurePasses judge how the nodes of a graph hang together.
var structurePasses = []Pass{
	{Code: "GG050", run: noNodes},
	{Code: "GG051", run: entry},
	{Code: "GG052", run: unknownNodes},
	{Code: "GG053", run: edgesOutOfEnd},
	{Code: "GG054", run: routeValues},
	{Code: "GG055", run: unreachable},
	{Code: "GG056", run: noEnd},
	{Code: "GG057", run: unboundedCycles},
	{Code: "GG058", run: terminalWithTransitions},
	{Code: "GG059", run: shortSequences},
	{Code: "GG405", run: namedEnds},
}

func noNodes(c *context) {
	if len(c.graph.Nodes) > 0 || c.spec.Unread {
		return
	}
	first := c.spec.Entry.V
	if first == "" || spec.IsEnd(first) {
		first = "start"
	}
	c.report(c.spec.Name.Pos, "the graph has no nodes", "add one "+diag.Either("under nodes", "to the struct")+", as in "+diag.Set("nodes", "{"+first+": {}}"))
}

// entry checks the key entry and the flags of that name.
func entry(c *context) {
	e := c.spec.Entry
	if len(c.graph.Nodes) == 0 || e.IsSet() && e.V == "" {
		return
	}
	flags, flagged := c.entries()
	switch first := c.graph.Node(e.V); {
	case e.IsSet() && first != nil:
		for i, n := range flagged {
			if n != first {
				c.report(flags[i].Pos, "node "+quote(n.Spec.Name.V)+" has the flag entry, but entry names "+quote(e.V),
					"keep one of the two", diag.Related{Pos: e.Pos, Message: "the entry is named here"})
			}
		}
	case spec.IsEnd(e.V):
		c.report(e.Pos, "the entry is "+e.V+", so no node would run", "name the node that runs first")
	case e.IsSet():
		c.reportUnknown(e, "the entry names no node: "+quote(e.V), didYouMean(e.V, c.names(), addNode))
	case len(flagged) == 0 && !c.mayHaveEntry():
		c.report(c.spec.Name.Pos, "the graph has no entry", "name the node that runs first, as in "+diag.Set("entry", c.graph.Nodes[0].Spec.Name.V))
	}
	for i := 1; i < len(flagged) && !e.IsSet(); i++ {
		c.report(flags[i].Pos, "a second node has the flag entry: "+quote(flagged[i].Spec.Name.V), "a run starts at one node: keep one of the flags",
			diag.Related{Pos: flags[0].Pos, Message: "the first one is here"})
	}
}

// entries lists the nodes that have the flag entry, and their flags.
func (c *context) entries() (flags []spec.String, flagged []*resolve.Node) {
	for _, n := range c.graph.All() {
		outside := n.Parent == nil && !n.Template || n.Parent != nil && n.Parent == c.graph.Pool
		if f, ok := n.Spec.Flag(spec.Entry); ok && outside && c.graph.Node(n.Spec.Name.V) == n {
			flags, flagged = append(flags, f.Name), append(flagged, n)
		}
	}
	return flags, flagged
}

// severalEntries reports whether the key entry and the flags name more than one node: at which of
// them runs start is then unknown.
func (c *context) severalEntries() bool {
	_, flagged := c.entries()
	return slices.ContainsFunc(flagged, func(n *resolve.Node) bool { return n != c.graph.Entry })
}

// mayHaveEntry reports whether an entry that is not there may be what could not be read, or
// is not needed.
func (c *context) mayHaveEntry() bool {
	pool := c.spec.Mode.IsSet() && c.spec.Mode.V != "static" // then the model may pick the first
	return c.spec.Unread || pool || slices.ContainsFunc(c.spec.Nodes, func(n *spec.Node) bool {
		return n.Unread || slices.ContainsFunc(n.Flags, func(f spec.Flag) bool { return f.Name.Lost })
	})
}

// names lists the nodes.
func (c *context) names() []string {
	all := c.nodeNames()
	return all[:len(all)-1]
}

// unknownNodes reports every name that should be a node's and is not.
func unknownNodes(c *context) {
	suggester := &suggester{names: append(c.nodeNames(), c.endNames()...)}
	c.eachUnknown(func(_ *resolve.Node, name spec.String, what string, orEnd bool) {
		switch {
		case c.spec.NamesEnd(name.V) && !orEnd:
			c.report(name.Pos, what+" names the end "+quote(name.V)+", which is no node", "name a node")
		case c.spec.NamesEnd(name.V):
			c.report(name.Pos,
				what+" names the end "+quote(name.V)+" of the graph, but in a region a transition leads to a node of the region or to its own end",
				"write end, which ends the region, and let the node that runs it lead to "+quote(name.V))
		case c.graph.Node(name.V) == nil && !(orEnd && c.mayBeEnd(name.V)):
			c.reportUnknown(name, what+" names no node: "+quote(name.V), suggester.suggest(name.V, orEnd, addNode))
		}
	})
	if on := c.spec.OnError; c.graph.OnError == nil && spec.IsEnd(on.V) {
		c.report(on.Pos, "on_error is "+on.V+", which is not a node that could take over", "name a node, or leave on_error out: then the run fails")
	}
}

// eachUnknown visits every name of a transition that cannot be a target where it is written: the node that it leaves, nil where that is
// unknown, what names it, and whether it could be end. A shorthand makes several edges, but has each name once.
func (c *context) eachUnknown(visit func(from *resolve.Node, name spec.String, what string, orEnd bool)) {
	reported := map[spec.Pos]bool{}
	var from *resolve.Node
	report := func(name spec.String, what string, orEnd bool) {
		if written(name) && !reported[name.Pos] && !(c.spec.Unread && len(c.graph.Nodes) == 0) {
			reported[name.Pos] = true
			visit(from, name, what, orEnd)
		}
	}
	for _, e := range c.spec.Edges {
		if e.Loop != nil {
			if from = c.graph.Leaves(e.Loop.Node.V); from == nil && !spec.IsEnd(e.Loop.Node.V) {
				report(e.Loop.Node, "loop_until", false)
			}
			if !c.graph.TargetFrom(from, e.Loop.Exit.V).Known() {
				report(e.Loop.Exit, "the exit of loop_until", true)
			}
		}
		from = nil
		for i, name := range e.Sequential {
			next := c.graph.Leaves(name.V)
			if to := c.graph.TargetFrom(from, name.V); !to.Known() && (from != nil || next == nil) {
				report(name, "sequential", i == len(e.Sequential)-1)
			}
			from = next
		}
	}
	for _, e := range c.graph.Edges {
		if from = e.From; from == nil && !spec.IsEnd(e.Spec.From.V) && !c.spec.NamesEnd(e.Spec.From.V) {
			report(e.Spec.From, "from", false)
		}
		for i, t := range e.Targets() {
			switch {
			case t.Known():
			case e.Table() && c.isMeantBy(e, i): // a mistake of its own
			case e.Table():
				report(e.Spec.Branch[i].To, "label "+quote(e.Spec.Branch[i].Name.V), true)
			default:
				report(e.Spec.To, "the edge", true)
			}
		}
	}
	for _, n := range c.graph.Routed() {
		from = n
		for _, t := range c.leaving(n) {
			if t.Edge == nil && !t.Known && t.Rule != cfg.ByRoute {
				report(t.Name, keyOf(t), true)
			}
		}
	}
	from = nil
	if on := c.spec.OnError; c.graph.OnError == nil && !spec.IsEnd(on.V) {
		report(on, "on_error", false)
	}
}

// keyOf returns the key that a transition is written under, in a message.
func keyOf(t *cfg.Transition) string {
	switch {
	case t.Key == "transition error":
		return "error transition"
	case t.Key != "":
		return t.Key
	case t.Rule == cfg.ByTransition:
		return "transition"
	case t.Choice.Required:
		return "routes"
	}
	return "goto"
}

// mayBeEnd reports whether a name that nothing has may name an end that could not be read.
func (c *context) mayBeEnd(name string) bool {
	return c.spec.Stray[name] || lost(c.spec.Ends)
}

// endNames lists the ends of the graph that have names.
func (c *context) endNames() []string {
	names := make([]string, len(c.spec.Ends))
	for i, e := range c.spec.Ends {
		names[i] = e.V
	}
	return names
}

func namedEnds(c *context) {
	led := map[string]bool{}
	for _, t := range c.cfg.Transitions {
		led[t.End] = true
	}
	_, certain := c.reachable()
	for i, e := range c.spec.Ends {
		first := slices.IndexFunc(c.spec.Ends, func(other spec.String) bool { return other.V == e.V })
		n := c.graph.Node(e.V)
		switch {
		case !written(e):
		case spec.IsEnd(e.V):
			c.report(e.Pos, "every graph has an end called "+e.V, diag.Remove("remove it")+", or give the end another name")
		case first < i:
			c.report(e.Pos, "a second end is called "+quote(e.V), diag.Remove("remove it"),
				diag.Related{Pos: c.spec.Ends[first].Pos, Message: "the first one is here"})
		case n != nil:
			c.report(e.Pos, "an end and a node are called "+quote(e.V), "rename one of them", diag.Related{Pos: n.Spec.Name.Pos, Message: "the node is here"})
		case !led[e.V] && certain && !c.spec.Flawed:
			c.report(e.Pos, "nothing leads to the end "+quote(e.V),
				"lead an edge to it, as in "+diag.Item("{from: NODE, to: "+e.V+"}")+", or "+diag.Remove("remove it"))
		}
	}
}

func edgesOutOfEnd(c *context) {
	reported := map[spec.Pos]bool{}
	for _, e := range c.graph.Edges {
		from := e.Spec.From
		if e.From != nil || !spec.IsEnd(from.V) && !c.spec.NamesEnd(from.V) || reported[from.Pos] {
			continue
		}
		reported[from.Pos] = true
		c.report(from.Pos, "an edge leaves "+from.V+", where the run is over", diag.Remove("remove the edge")+", or name the node it leaves")
	}
}

func routeValues(c *context) {
	reported := map[spec.Pos]bool{}
	suggester := &suggester{names: append(c.nodeNames(), c.endNames()...)}
	for _, n := range c.graph.Routed() {
		for _, t := range c.leaving(n) {
			name := t.Name
			if !enumValue(t) || t.Known || n.Spec.Unread || reported[name.Pos] || !written(name) {
				continue
			}
			reported[name.Pos] = true
			if slices.ContainsFunc(n.Spec.Transitions, func(t spec.Transition) bool { return t.Key.V == name.V }) {
				continue // the transition names no node
			}
			message := "route value " + quote(name.V) + " of node " + quote(n.Spec.Name.V) + " is neither a node nor a key of its transitions"
			c.reportUnknown(name, message, suggester.suggest(name.V, true, "name a node, or state in the node's transitions where the value leads"))
		}
	}
}

func terminalWithTransitions(c *context) {
	for _, n := range c.graph.Nodes {
		f, ok := n.Spec.Flag(spec.Terminal)
		if !ok {
			continue
		}
		for _, t := range c.leaving(n) {
			if !ofFailure(t) && !t.Target().End {
				c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" is terminal, but has a transition", diag.Remove("remove the flag")+", or the transition",
					diag.Related{Pos: t.Name.Pos, Message: "the transition is here"})
				break
			}
		}
	}
}

func shortSequences(c *context) {
	for _, e := range c.spec.Edges {
		if e.SequentialPos.IsSet() && len(e.Sequential) < 2 && !lost(e.Sequential) {
			c.report(e.SequentialPos, "a sequence needs at least two nodes", "name the nodes in order, as in "+diag.Set("sequential", "[a, b]"))
		}
	}
}

// lost reports whether a list has a name that could not be read.
func lost(names []spec.String) bool {
	return slices.ContainsFunc(names, func(n spec.String) bool { return n.Lost })
}

// mostNotes is how many notes a finding has at most.
const mostNotes = 8

// next lists where a run can go from a node, by the transitions of every rule, and by on_error when
// the node fails.
func (c *context) next(n *resolve.Node) []*resolve.Node {
	at := c.cfg.Node(n)
	out := make([]*resolve.Node, 0, len(at.Leaving)+1)
	for _, t := range at.Leaving {
		if t.To != nil {
			out = append(out, t.To.Spec)
		}
	}
	if c.recovered(at) {
		out = append(out, c.graph.OnError)
	}
	return out
}

// recovered reports whether on_error of the graph is tried when a node fails that has no soft failures.
func (c *context) recovered(n *cfg.Node) bool { return !n.Soft && c.cfg.Recovers(n, cfg.Failed) }

// modeless reports whether the graph has no known mode: its nodes may belong to a pool.
func (c *context) modeless() bool { return c.spec.Mode.IsSet() && !isWord(c.spec.Mode.V, spec.Modes) }

// reachable returns the nodes that a run can reach, and whether these are known to be all: a
// transition to an unknown name may lead anywhere.
func (c *context) reachable() (seen map[*resolve.Node]bool, certain bool) {
	seen = make(map[*resolve.Node]bool, len(c.graph.Nodes))
	if c.graph.Entry == nil || c.spec.Unread || c.modeless() || c.spec.OnError.IsSet() && c.graph.OnError == nil || c.strayEdges() || c.severalEntries() {
		return seen, false
	}
	if !c.visit(c.graph.Entry, seen) {
		return seen, false
	}
	if onError := c.graph.OnError; onError != nil && !seen[onError] && c.usesUpVisits(seen) {
		return seen, c.visit(onError, seen)
	}
	return seen, true
}

// visit adds the nodes that a run can reach from a node. It reports whether these are known to be all.
func (c *context) visit(n *resolve.Node, seen map[*resolve.Node]bool) bool {
	seen[n] = true
	todo := []*resolve.Node{n}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.blurred(n) || slices.ContainsFunc(n.Children(), c.blurred) { // what a region names may be a node outside of it
			return false
		}
		for _, to := range c.next(n) {
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return true
}

// usesUpVisits reports whether a node whose failures do not lead to on_error leads there when its
// visits are used up.
func (c *context) usesUpVisits(seen map[*resolve.Node]bool) bool {
	arcs := make([][]arc, len(c.graph.Nodes))
	number := c.numbers()
	for i, n := range c.graph.Nodes {
		for _, to := range c.next(n) {
			if seen[n] && c.cfg.Recovers(c.cfg.Node(n), cfg.OutOfVisits) {
				arcs[i] = append(arcs[i], arc{to: number[to]})
			}
		}
	}
	return len(cycles(arcs)) > 0
}

// strayEdges reports whether an edge leaves a node that does not exist, or could not be read as a
// whole, so that it may leave any node.
func (c *context) strayEdges() bool {
	if c.stray == nil {
		is := slices.ContainsFunc(c.graph.Edges, func(e *resolve.Edge) bool { return e.From == nil || e.Spec.Unread })
		c.stray = &is
	}
	return *c.stray
}

// unreachable reports the first nodes of the parts to which no transition leads.
func unreachable(c *context) {
	c.skippedInRegions()
	seen, certain := c.reachable()
	if !certain || c.mutationsLead(seen) || slices.ContainsFunc(c.graph.All(), (*resolve.Node).Bodiless) {
		return
	}
	var lost []*resolve.Node
	for _, n := range c.graph.Nodes {
		if !seen[n] && !spec.IsEnd(n.Spec.Name.V) && c.graph.Node(n.Spec.Name.V) == n {
			lost = append(lost, n)
		}
	}
	follows := map[*resolve.Node]bool{}
	for _, n := range lost {
		for _, to := range c.next(n) {
			follows[to] = follows[to] || to != n
		}
	}
	reported := map[*resolve.Node]bool{}
	for _, ring := range [...]bool{false, true} {
		for _, n := range lost {
			if !reported[n] && follows[n] == ring {
				c.reportLost(n, seen, reported)
			}
		}
	}
}

// mutationsLead reports whether a node that runs reach may jump to any node, or add edges to it.
func (c *context) mutationsLead(seen map[*resolve.Node]bool) bool {
	m := c.graph.Mutations
	if m != nil && (m.Spec.Unread || slices.ContainsFunc(m.Spec.Allow, func(a spec.String) bool { return !isWord(a.V, spec.Actions) })) {
		return true // it may be what they allow
	}
	if !m.Allows("skip_to") && !m.Allows("add_edge") && !m.Allows("add_node") {
		return false
	}
	for n := range seen {
		if c.graph.Mutates(n) {
			return true
		}
	}
	return false
}

// reportLost reports a node that nothing leads to, with the nodes that only it leads to.
func (c *context) reportLost(n *resolve.Node, seen, reported map[*resolve.Node]bool) {
	var notes []diag.Related
	reported[n] = true
	todo := []*resolve.Node{n}
	for len(todo) > 0 {
		from := todo[0]
		todo = todo[1:]
		for _, to := range c.next(from) {
			if seen[to] || reported[to] {
				continue
			}
			reported[to] = true
			todo = append(todo, to)
			if len(notes) < mostNotes {
				notes = append(notes, diag.Related{Pos: to.Spec.Name.Pos, Message: "so nothing leads to node " + quote(to.Spec.Name.V) + " either"})
			}
		}
	}
	name := n.Spec.Name
	if n == c.graph.OnError {
		c.report(c.spec.OnError.Pos, "on_error is never used: no failure leads to node "+quote(name.V),
			"remove on_error, or the error transitions of nodes", notes...)
		return
	}
	help := "add a transition to it, or remove it"
	if use := c.usedInRegion(n); use != nil {
		parent := use.Parent.Spec.Name.V
		help = "node " + quote(use.Spec.Name.V) + " is run by node " + quote(parent) + ", where a template has no edges: name " + quote(name.V) + " there too"
	}
	c.report(name.Pos, "no transition leads to node "+quote(name.V)+" from the entry "+quote(c.graph.Entry.Spec.Name.V), help, notes...)
}

// noEnd skips graphs with an unbounded cycle: a bound makes an end.
func noEnd(c *context) {
	seen, certain := c.reachable()
	if !certain {
		return
	}
	for n := range seen {
		if c.mayEnd(n) {
			return
		}
	}
	if _, cycles := c.openArcs(); len(cycles) > 0 {
		return
	}
	pos := c.spec.Entry.Pos
	if f, ok := c.graph.Entry.Spec.Flag(spec.Entry); ok && !pos.IsSet() {
		pos = f.Name.Pos
	}
	c.report(pos, "a run can never end: no node that it reaches leads to end or has no transition",
		"add an edge to end from where the work is done")
}

// mayEnd reports whether a run can end at the node without a failure.
func (c *context) mayEnd(n *resolve.Node) bool {
	at := c.cfg.Node(n)
	if at.Terminal() || at.Exhaustible() || (at.NoMatch == "end" || at.MayDecline()) && !c.decided(at) {
		return true
	}
	return slices.ContainsFunc(at.Leaving, func(t *cfg.Transition) bool { return t.Target().End })
}

// decided reports whether a transition of the node is always taken, so that no_match never applies.
func (c *context) decided(n *cfg.Node) bool {
	if slices.ContainsFunc(n.Success(), (*cfg.Transition).Certain) {
		return true
	}
	return (n.Chooses() && !n.Soft || slices.ContainsFunc(n.By(cfg.ByEdge), (*cfg.Transition).CertainAfterRun)) && !n.Skip
}

// usedInRegion returns the node that uses the template of several nodes which made a node, where another node runs it; else nil.
func (c *context) usedInRegion(n *resolve.Node) *resolve.Node {
	if n.Spec.Name.Pos.In == nil { // written in the spec, and not in a template
		return nil
	}
	for _, use := range c.graph.All() {
		if use.Parent != nil && use.Spec.Name.V != n.Spec.Name.V && strings.Contains(n.Spec.Name.V, use.Spec.Name.V) {
			return use
		}
	}
	return nil
}
