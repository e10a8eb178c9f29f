package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/scc"
)

// An arc is a transition between two nodes of the part of the graph that nothing bounds.
type arc struct {
	to  int
	way *cfg.Transition
}

func unboundedCycles(c *context) {
	arcs, parts := c.openArcs()
	for _, members := range parts {
		c.reportCycle(arcs, members)
	}
}

// maxVisits is what bounds the visits of a node, as the spec says it: at the node, or for all
// nodes under limits. It is not set where nothing is said.
func (c *context) maxVisits(n *resolve.Node) spec.Value[int] {
	if n.Spec.MaxVisits.IsSet() {
		return n.Spec.MaxVisits
	}
	return c.spec.Limits.MaxVisits
}

// openArcs returns the ways that nothing bounds, by the number of their node, and the parts
// of the graph that hold a cycle of them. What no run comes to, and ways that are
// never taken, are mistakes of their own.
func (c *context) openArcs() (arcs [][]arc, parts [][]int) {
	limits := c.spec.Limits
	if limits.MaxSteps.IsSet() || limits.MaxVisits.IsSet() || limits.Unread || c.spec.Unread && !limits.Pos.IsSet() {
		return nil, nil
	}
	return c.unboundedArcs(false)
}

// unboundedArcs is openArcs for a graph whose max_steps bounds nothing. What a person answers is
// a bound, unless the ways behind answers are asked for too.
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
		dead := deadNames(c.fates(n))
		for _, t := range c.leaving(n) {
			if !t.Bounded && !dead[t.Name.Pos] && (answered || !answers(n, t)) {
				add(t.Target().Node, t)
			}
		}
		if c.recovered(c.cfg.Node(n)) && (answered || n.Kind.By != spec.ByPerson || n.Spec.Timeout.IsSet()) {
			add(c.graph.OnError, c.cfg.OnError)
		}
	}
	return arcs, cycles(arcs)
}

// answers reports whether a transition is taken only when a person has answered: not where the time for
// the answer may have passed.
func answers(n *resolve.Node, t *cfg.Transition) bool {
	return n.Kind.By == spec.ByPerson && t.Key != "on_timeout" && !(ofFailure(t) && n.Spec.Timeout.IsSet() && t.Key != "on_deny")
}

// peopledCycles notes the cycles that only the answers of a person bound, besides defaults.
func peopledCycles(c *context) {
	if _, endless := c.openArcs(); len(endless) > 0 {
		return
	}
	limits := c.spec.Limits
	if limits.MaxSteps.IsSet() || limits.MaxVisits.IsSet() || limits.Unread || c.spec.Unread && !limits.Pos.IsSet() {
		return
	}
	arcs, parts := c.unboundedArcs(true)
	for _, members := range parts {
		at := slices.IndexFunc(members, func(i int) bool { return c.graph.Nodes[i].Kind.By == spec.ByPerson })
		if at < 0 {
			continue
		}
		members[0], members[at] = members[at], members[0]
		n := c.graph.Nodes[members[0]]
		c.note(n.Spec.Name.Pos, "a run goes round "+c.cycleText(members[0], shortestCycle(arcs, members))+" as long as the person answers so, "+strconv.Itoa(spec.DefaultMaxVisits)+" times at most by default",
			"say how many times at most, as in max_visits: 100 at the nodes or in limits, with max_steps to match")
	}
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
		related = append(related, diag.Related{Pos: a.way.Name.Pos, Message: "from " + quote(from) + " to " + quote(to)})
		from = to
	}
	closing := path[len(path)-1].way
	c.report(closing.Name.Pos, "nothing bounds the cycle "+c.cycleText(members[0], path),
		"give one of its edges max_iterations, one of its nodes max_visits, or the graph limits: {max_steps: 50} or {max_visits: 25}", related...)
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

// shortestCycle returns the arcs of a shortest way from the first node of a strongly
// connected part back to it.
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
