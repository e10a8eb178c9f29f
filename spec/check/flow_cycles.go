package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/scc"
)

// An arc is a transition between two nodes of the part of the graph that nothing bounds.
type arc struct {
	to  int
	via *cfg.Transition
}

func unboundedCycles(c *context) {
	arcs, parts := c.openArcs()
	for _, members := range parts {
		c.reportCycle(arcs, members)
	}
}

// maxVisits returns max_visits of a node, or else max_visits of limits. It is not set where neither is.
func (c *context) maxVisits(n *resolve.Node) spec.Value[int] {
	if n.Spec.MaxVisits.IsSet() {
		return n.Spec.MaxVisits
	}
	return c.spec.Limits.MaxVisits
}

// openArcs returns the transitions that nothing bounds, by the number of their node, and the parts
// of the graph with a cycle of them. Nodes that no run reaches and transitions that are never
// taken are left out: they are mistakes of their own.
func (c *context) openArcs() (arcs [][]arc, parts [][]int) {
	limits := c.spec.Limits
	if limits.MaxSteps.IsSet() || limits.MaxVisits.IsSet() || limits.Unread || c.spec.Unread && !limits.Pos.IsSet() {
		return nil, nil
	}
	return c.unboundedArcs(false)
}

// unboundedArcs is openArcs for a graph without max_steps. The answer of a person is a bound, unless
// answered includes the transitions that are taken after answers.
func (c *context) unboundedArcs(answered bool) (arcs [][]arc, parts [][]int) {
	seen, certain := c.reachable()
	number := c.numbers()
	arcs = make([][]arc, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		if c.maxVisits(n).IsSet() || n.Spec.Unread || certain && !seen[n] {
			continue
		}
		add := func(to *resolve.Node, t *cfg.Transition) {
			if to != nil && !c.maxVisits(to).IsSet() {
				arcs[i] = append(arcs[i], arc{number[to], t})
			}
		}
		dead := deadNames(c.deadEdges(n))
		for _, t := range c.leaving(n) {
			if !t.Bounded && !dead[t.Name.Pos] && (answered || !c.cfg.Waits(c.cfg.Node(n), t)) {
				add(t.Target().Node, t)
			}
		}
		if c.recovered(c.cfg.Node(n)) && (answered || !c.cfg.Waits(c.cfg.Node(n), c.cfg.OnError)) {
			add(c.graph.OnError, c.cfg.OnError)
		}
	}
	return arcs, cycles(arcs)
}

func (c *context) numbers() map[*resolve.Node]int {
	number := make(map[*resolve.Node]int, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		number[n] = i
	}
	return number
}

// reportCycle names a shortest cycle of a strongly connected part.
func (c *context) reportCycle(arcs [][]arc, members []int) {
	path := shortestCycle(arcs, members)
	from := c.graph.Nodes[members[0]].Spec.Name.V
	var related []diag.Related
	for _, a := range path[:min(len(path)-1, mostNotes)] {
		to := c.graph.Nodes[a.to].Spec.Name.V
		related = append(related, diag.Related{Pos: a.via.Name.Pos, Message: "from " + quote(from) + " to " + quote(to)})
		from = to
	}
	closing := path[len(path)-1].via
	c.report(closing.Name.Pos, "nothing bounds the cycle "+c.cycleText(members[0], path),
		"give one of its edges max_iterations, one of its nodes max_visits, or the graph "+diag.Set("limits", "{max_steps: 50}")+" or "+
			diag.Item("{max_visits: 25}"), related...)
}

// cycleText writes a cycle out as a → b → a; of a long one the middle is left out.
func (c *context) cycleText(first int, path []arc) string {
	names := []string{c.graph.Nodes[first].Spec.Name.V}
	for _, a := range path {
		names = append(names, c.graph.Nodes[a.to].Spec.Name.V)
	}
	if len(names) > 10 {
		names = append(append(names[:6:6], "…"), names[len(names)-3:]...)
	}
	return strings.Join(names, " → ")
}

// shortestCycle returns the arcs of a shortest cycle through the first node of a strongly
// connected part.
func shortestCycle(arcs [][]arc, members []int) []arc {
	start, inside := members[0], make(map[int]bool, len(members))
	for _, m := range members {
		inside[m] = true
	}
	type visit struct {
		node int
		by   arc
		from *visit
	}
	seen := map[int]bool{}
	queue := []*visit{{node: start}}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, a := range arcs[v.node] {
			if !inside[a.to] || seen[a.to] {
				continue
			}
			seen[a.to] = true
			next := &visit{a.to, a, v}
			if a.to != start {
				queue = append(queue, next)
				continue
			}
			var path []arc
			for w := next; w.from != nil; w = w.from {
				path = append(path, w.by)
			}
			slices.Reverse(path)
			return path
		}
	}
	return nil
}

// cycles returns the strongly connected parts that hold a cycle, in the order of their
// first nodes.
func cycles(arcs [][]arc) [][]int {
	next := make([][]int, len(arcs))
	for i := range arcs {
		for _, a := range arcs[i] {
			next[i] = append(next[i], a.to)
		}
	}
	return scc.Cycles(next)
}

// exhaustedPasses find runs that end because a bound is used up, short of their work.
var exhaustedPasses = []Pass{
	{Code: "GG291", run: exhaustedEnds},
}

// An exhaustion is a node at which a run ends when its edges are used up, although they lead out of
// its cycle.
type exhaustion struct {
	assertion.Exhaustion
	behind *resolve.Node
}

func exhaustedEnds(c *context) {
	for _, e := range c.exhaustions() {
		n := e.Node.Spec
		if n.Spec.NoMatch.IsSet() {
			continue
		}
		edges := c.cfg.Node(n).Edges()
		var notes []diag.Related
		for _, other := range edges[1:] {
			if len(notes) < mostNotes {
				notes = append(notes, diag.Related{Pos: other.Spec.MaxIterations.Pos, Message: "this edge is bounded, too"})
			}
		}
		if e.Path != nil {
			notes = append(notes, diag.Related{Pos: n.Spec.Name.Pos, Message: "such a run is " + pathText(e.Path)})
		}
		c.report(edges[0].Spec.MaxIterations.Pos,
			"when the edges of node "+quote(n.Spec.Name.V)+" are used up, the run ends there as a success, without reaching "+quote(e.behind.Spec.Name.V),
			"state what happens then: by next, an edge without max_iterations, or no_match at the node", notes...)
	}
}

// exhaustions finds the nodes that end runs when their edges are used up, also those with no_match.
func (c *context) exhaustions() []exhaustion {
	if c.exhausted != nil {
		return *c.exhausted
	}
	c.exhausted = &[]exhaustion{}
	seen, certain := c.reachable()
	if !certain || c.spec.Flawed {
		return nil
	}
	behind, part := map[*resolve.Node]*resolve.Node{}, c.parts()
	for n := range seen {
		if c.cfg.Node(n).Exhaustible() && !slices.ContainsFunc(n.Leaving, (*resolve.Edge).Vague) {
			if b := c.following(n, part); b != nil {
				behind[n] = b
			}
		}
	}
	if len(behind) == 0 || c.cfg.Entry == nil {
		return nil
	}
	asked := slices.DeleteFunc(slices.Clone(c.cfg.Running), func(n *cfg.Node) bool { return behind[n.Spec] == nil })
	for _, e := range assertion.Exhaustions(c.cfg, asked) {
		*c.exhausted = append(*c.exhausted, exhaustion{e, behind[e.Node.Spec]})
	}
	return *c.exhausted
}

// following returns a node outside the strongly connected part of a node to which transitions lead
// from the part. It is nil without such a node, and where an edge of the node leaves the part, so
// that its edges are not used up.
func (c *context) following(n *resolve.Node, part map[*resolve.Node]int) *resolve.Node {
	for _, t := range c.cfg.Node(n).By(cfg.ByEdge) {
		if t.To == nil || part[t.To.Spec] != part[n] {
			return nil
		}
	}
	seen, todo := map[*resolve.Node]bool{n: true}, []*resolve.Node{n}
	for len(todo) > 0 {
		from := todo[0]
		todo = todo[1:]
		for _, t := range c.leaving(from) {
			switch to := t.Target().Node; {
			case to == nil || ofFailure(t) || seen[to]:
			case part[to] != part[n]:
				return to
			default:
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return nil
}

// parts numbers the strongly connected parts of the graph.
func (c *context) parts() map[*resolve.Node]int {
	number := c.numbers()
	next := make([][]int, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		for _, to := range c.next(n) {
			next[i] = append(next[i], number[to])
		}
	}
	part := make(map[*resolve.Node]int, len(next))
	for i, of := range scc.Components(next, nil) {
		part[c.graph.Nodes[i]] = of
	}
	return part
}

// idleAtEnd reports whether no_match of a node whose edges are all bounded has no effect,
// because no run uses them up, or no node follows the cycle.
func (c *context) idleAtEnd(n *resolve.Node) bool {
	_, certain := c.reachable()
	return certain && !c.spec.Flawed && !slices.ContainsFunc(c.exhaustions(), func(e exhaustion) bool { return e.Node.Spec == n })
}
