package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An arc is a way between two nodes of the part of the graph that nothing bounds.
type arc struct {
	to  int
	way way
}

func unboundedCycles(c *context) {
	arcs, parts := c.openArcs()
	for _, members := range parts {
		c.reportCycle(arcs, members)
	}
}

// openArcs returns the ways that nothing bounds, by the number of their node, and the parts
// of the graph that hold a cycle of them. What no run comes to, and ways that are
// never taken, are mistakes of their own.
func (c *context) openArcs() (arcs [][]arc, parts [][]int) {
	limits := c.spec.Limits
	if limits.MaxSteps.IsSet() || limits.Unread || c.spec.Unread && !limits.Pos.IsSet() {
		return nil, nil
	}
	seen, certain := c.reachable()
	number := c.numbers()
	arcs = make([][]arc, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		if n.Spec.MaxVisits.IsSet() || n.Spec.Unread || certain && !seen[n] {
			continue
		}
		add := func(w way) {
			if w.to.Node != nil && !w.to.Node.Spec.MaxVisits.IsSet() {
				arcs[i] = append(arcs[i], arc{number[w.to.Node], w})
			}
		}
		dead := deadNames(c.fates(n))
		for _, w := range c.ways(n) {
			if (w.edge == nil || !w.edge.Bounded()) && !dead[w.name.Pos] {
				add(w)
			}
		}
		for _, w := range c.textWays(n) {
			add(w)
		}
		if c.rescued(n) {
			add(way{from: n, name: c.spec.OnError, to: resolve.Target{Node: c.graph.OnError}, what: "on_error"})
		}
	}
	return arcs, cycles(arcs)
}

// textWays lists where a route field of type string may lead: to targets of the node's
// other ways, but not bounded as those may be.
func (c *context) textWays(n *resolve.Node) (out []way) {
	for _, f := range c.routings[n].Route {
		switch {
		case f.Field.Type.Kind == resolve.Enum:
			return out
		case f.Field.Type.Base().Kind != resolve.String:
			continue
		}
		for _, choice := range f.Choices {
			name := spec.String{V: choice.Value, Pos: f.Field.Spec.Name.Pos}
			out = append(out, way{from: n, name: name, to: choice.To, what: "route value"})
		}
	}
	return out
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
		if i < len(path)-1 && i < mostNotes {
			related = append(related, diag.Related{Pos: a.way.name.Pos, Message: "from " + quote(names[i]) + " to " + quote(names[i+1])})
		}
	}
	if len(names) > 10 {
		names = append(append(names[:6:6], "…"), names[len(names)-3:]...)
	}
	closing := path[len(path)-1].way
	c.report(closing.name.Pos, "nothing bounds the cycle "+strings.Join(names, " → "),
		"give one of its edges max_iterations, one of its nodes max_visits, or the graph limits: {max_steps: 50}", related...)
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
