package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// mostNotes is how many places a finding points at besides its own.
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

// reachable returns the nodes that a run can come to, and whether that is all there is to
// it: a way to nowhere known may lead anywhere.
func (c *context) reachable() (seen map[*resolve.Node]bool, certain bool) {
	seen = make(map[*resolve.Node]bool, len(c.graph.Nodes))
	if c.graph.Entry == nil || c.spec.Unread || c.spec.Mode.IsSet() && !isWord(c.spec.Mode.V, spec.Modes) || c.spec.OnError.IsSet() && c.graph.OnError == nil || c.strayEdges() || c.severalEntries() {
		return seen, false
	}
	if !c.visit(c.graph.Entry, seen) {
		return seen, false
	}
	if rescue := c.graph.OnError; rescue != nil && !seen[rescue] && c.usesUpVisits(seen) {
		return seen, c.visit(rescue, seen)
	}
	return seen, true
}

// visit adds all that a run can come to from a node. It reports whether that is certain.
func (c *context) visit(n *resolve.Node, seen map[*resolve.Node]bool) bool {
	seen[n] = true
	todo := []*resolve.Node{n}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.blurred(n) {
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

// usesUpVisits reports whether a node that fails in no way that on_error takes over can
// still come to it: because it has used up its visits.
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

// strayEdges reports whether an edge leaves a node that does not exist, or could not be read
// as a whole: where it was meant to lead nobody knows.
func (c *context) strayEdges() bool {
	return slices.ContainsFunc(c.graph.Edges, func(e *resolve.Edge) bool { return e.From == nil || e.Spec.Unread })
}

// unreachable reports the nodes at which a part begins that no way leads to.
func unreachable(c *context) {
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
	told := map[*resolve.Node]bool{}
	for _, ring := range [...]bool{false, true} {
		for _, n := range lost {
			if !told[n] && follows[n] == ring {
				c.reportLost(n, seen, told)
			}
		}
	}
}

// mutationsLead reports whether a node that runs come to may go wherever it likes, or lead
// others there.
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

// reportLost reports a node that nothing leads to, with what only it leads to.
func (c *context) reportLost(n *resolve.Node, seen, told map[*resolve.Node]bool) {
	var notes []diag.Related
	told[n] = true
	todo := []*resolve.Node{n}
	for len(todo) > 0 {
		from := todo[0]
		todo = todo[1:]
		for _, to := range c.next(from) {
			if seen[to] || told[to] {
				continue
			}
			told[to] = true
			todo = append(todo, to)
			if len(notes) < mostNotes {
				notes = append(notes, diag.Related{Pos: to.Spec.Name.Pos, Message: "so nothing leads to node " + quote(to.Spec.Name.V) + " either"})
			}
		}
	}
	name := n.Spec.Name
	if n == c.graph.OnError {
		c.report(c.spec.OnError.Pos, "on_error never takes over: no failure comes to node "+quote(name.V),
			"remove on_error, or the ways that nodes have for their own failures", notes...)
		return
	}
	c.report(name.Pos, "no way leads to node "+quote(name.V)+" from the entry "+quote(c.graph.Entry.Spec.Name.V),
		"add a way to it, or remove it", notes...)
}

// noEnd leaves graphs with a cycle that nothing bounds alone: a bound makes an end.
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
	c.report(pos, "a run can never end: no node that it comes to leads to end or is without a way on",
		"add an edge to end from where the work is done")
}

// mayEnd reports whether a run can end at the node other than by failing.
func (c *context) mayEnd(n *resolve.Node) bool {
	at := c.cfg.Node(n)
	if at.Terminal() || at.Exhaustible() || (at.NoMatch == "end" || at.MayDecline()) && !c.decided(at) {
		return true
	}
	return slices.ContainsFunc(at.Leaving, func(t *cfg.Transition) bool { return t.Target().End })
}

// decided reports whether a way on from the node is always open, so that no_match never
// applies to it.
func (c *context) decided(n *cfg.Node) bool {
	if slices.ContainsFunc(n.Success(), (*cfg.Transition).Certain) {
		return true
	}
	return (n.Chooses() && !n.Soft || slices.ContainsFunc(n.By(cfg.ByEdge), (*cfg.Transition).CertainAfterRun)) && !n.Skip
}
