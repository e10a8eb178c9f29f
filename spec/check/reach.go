package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// mayFail reports whether a failure of the node can go to the graph's on_error node.
func (c *context) mayFail(n *resolve.Node) bool {
	_, critical := n.Spec.Flag("critical")
	return !critical && !n.Spec.FailSoft.V && n != c.graph.OnError
}

// next lists where a run can go from a node, over the ways of every rule.
func (c *context) next(n *resolve.Node) []*resolve.Node {
	var out []*resolve.Node
	for _, w := range c.ways(n) {
		if w.to.Node != nil {
			out = append(out, w.to.Node)
		}
	}
	if c.graph.OnError != nil && c.mayFail(n) {
		out = append(out, c.graph.OnError)
	}
	return out
}

// reachable returns the nodes that a run can come to, and whether that is all that is
// known: a way to nowhere known may lead anywhere.
func (c *context) reachable() (seen map[*resolve.Node]bool, certain bool) {
	seen = make(map[*resolve.Node]bool, len(c.graph.Nodes))
	if c.graph.Entry == nil {
		return seen, false
	}
	seen[c.graph.Entry] = true
	todo := []*resolve.Node{c.graph.Entry}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.blurred(n) {
			return seen, false
		}
		for _, to := range c.next(n) {
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen, true
}

// unresolvedEdges reports whether an edge leaves a node that does not exist: what it was
// meant to reach cannot be called unreachable.
func (c *context) unresolvedEdges() bool {
	for _, e := range c.graph.Edges {
		if e.From == nil {
			return true
		}
	}
	return false
}

func unreachable(c *context) {
	seen, certain := c.reachable()
	if !certain || c.unresolvedEdges() {
		return
	}
	for _, n := range c.graph.Nodes {
		if !seen[n] && !spec.IsEnd(n.Spec.Name.V) && c.graph.Node(n.Spec.Name.V) == n && !c.entered(n, seen) {
			c.report(n.Spec.Name.Pos, "no way leads to node "+quote(n.Spec.Name.V)+" from the entry "+quote(c.graph.Entry.Spec.Name.V),
				"add an edge to it, or remove it")
		}
	}
}

// entered reports whether another unreachable node leads to this one: the first of a
// chain is reported, unless the chain is a ring.
func (c *context) entered(n *resolve.Node, seen map[*resolve.Node]bool) bool {
	for _, e := range n.Entering {
		if e.From != n && !seen[e.From] && e.From != nil && before(e.From, n) {
			return true
		}
	}
	return false
}

func before(a, b *resolve.Node) bool {
	p, q := a.Spec.Name.Pos, b.Spec.Name.Pos
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

func noEnd(c *context) {
	seen, certain := c.reachable()
	if !certain || len(seen) == 0 {
		return
	}
	for n := range seen {
		r := c.routings[n]
		if r.Terminal() || r.Exhaustible() || r.NoMatch == "end" {
			return
		}
		for _, w := range c.ways(n) {
			if w.to.End {
				return
			}
		}
		for _, f := range r.Route {
			if f.Field.Type.Base().Kind == resolve.String {
				return // may name end
			}
		}
	}
	c.report(c.spec.Entry.Pos, "the run can never end: no node that it can reach leads to end or is without a way on",
		"add an edge to end where the work is done")
}

// An arc is a way between two nodes of the part of the graph that nothing bounds.
type arc struct {
	to  int
	way way
}

func unboundedCycles(c *context) {
	if c.spec.Limits.MaxSteps.IsSet() {
		return
	}
	number := make(map[*resolve.Node]int, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		number[n] = i
	}
	arcs := make([][]arc, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		if n.Spec.MaxVisits.IsSet() {
			continue
		}
		for _, w := range c.ways(n) {
			if w.to.Node == nil || w.to.Node.Spec.MaxVisits.IsSet() || w.edge != nil && w.edge.Bounded() {
				continue
			}
			arcs[i] = append(arcs[i], arc{number[w.to.Node], w})
		}
		if rescue := c.graph.OnError; rescue != nil && c.mayFail(n) && !rescue.Spec.MaxVisits.IsSet() {
			arcs[i] = append(arcs[i], arc{number[rescue], way{from: n, name: c.spec.OnError, what: "on_error"}})
		}
	}
	for _, members := range cycles(arcs) {
		c.reportCycle(arcs, members)
	}
}

// reportCycle names a shortest cycle of a strongly connected part.
func (c *context) reportCycle(arcs [][]arc, members []int) {
	inside := make(map[int]bool, len(members))
	first := members[0]
	for _, m := range members {
		inside[m] = true
		first = min(first, m)
	}
	path := shortestCycle(arcs, first, inside)
	names := []string{c.graph.Nodes[first].Spec.Name.V}
	var related []diag.Related
	for i, a := range path {
		names = append(names, c.graph.Nodes[a.to].Spec.Name.V)
		if i < len(path)-1 && i < 8 {
			related = append(related, diag.Related{Pos: a.way.name.Pos, Message: "from " + quote(names[i]) + " to " + quote(names[i+1])})
		}
	}
	if len(names) > 10 {
		names = append(append(names[:6:6], "…"), names[len(names)-3:]...)
	}
	closing := path[len(path)-1].way
	c.report(closing.name.Pos, "nothing bounds the cycle "+strings.Join(names, " → "),
		"give one of its edges max_iterations, one of its nodes max_visits, or the graph limits: {max_steps: …}", related...)
}

// shortestCycle returns the arcs of a shortest way from a node back to it.
func shortestCycle(arcs [][]arc, start int, inside map[int]bool) []arc {
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
// first nodes (Tarjan, without recursion).
func cycles(arcs [][]arc) [][]int {
	n := len(arcs)
	index, low := make([]int, n), make([]int, n)
	done := make([]bool, n)
	type frame struct{ node, arc int }
	var stack []int
	var out [][]int
	count := 0
	for root := range arcs {
		if index[root] != 0 {
			continue
		}
		calls := []frame{{root, 0}}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v := f.node
			if index[v] == 0 {
				count++
				index[v], low[v] = count, count
				stack = append(stack, v)
			}
			if f.arc < len(arcs[v]) {
				w := arcs[v][f.arc].to
				f.arc++
				if index[w] == 0 {
					calls = append(calls, frame{w, 0})
				} else if !done[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				p := calls[len(calls)-1].node
				low[p] = min(low[p], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			var part []int
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				done[w] = true
				part = append(part, w)
				if w == v {
					break
				}
			}
			if len(part) > 1 || loops(arcs[v], v) {
				out = append(out, part)
			}
		}
	}
	return out
}

func loops(arcs []arc, n int) bool {
	for _, a := range arcs {
		if a.to == n {
			return true
		}
	}
	return false
}
