package check

import (
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// cutShortPasses find limits that another one, often a default, makes idle.
var cutShortPasses = []Pass{
	{run: loopsOfOne, Rule: diag.Rule{
		Code: "GG290", Name: "loop-of-one",
		Doc:  "A loop_until or a loop with max_iterations: 1 runs its node once, whatever its condition says: max_iterations counts executions, so a loop has 2 at least.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {output: {done: bool}}\n  b: {}\nedges:\n  - loop_until: {node: a, exit: b, if: out.Done, max_iterations: 1}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {output: {done: bool}}\n  b: {}\nedges:\n  - loop_until: {node: a, exit: b, if: out.Done, max_iterations: 2}\n",
	}},
	{run: stepsCutShort, Rule: diag.Rule{
		Code: "GG091", Name: "steps-cut-short",
		Doc:  "The graph counts on max_steps to bound a cycle, but no run makes that many steps: a node that does not say its max_visits is visited 25 times at most, and then the run fails with VisitsExhausted (a warning). Say max_visits on the nodes of the cycle, or lower max_steps.",
		Bad:  "graph: g\nentry: a\nlimits: {max_steps: 200}\nnodes:\n  a: {kind: router, routes: [a, end]}\n",
		Good: "graph: g\nentry: a\nlimits: {max_steps: 200}\nnodes:\n  a: {kind: router, routes: [a, end], max_visits: 200}\n",
	}},
}

// loopsOfOne looks for loops that never repeat.
func loopsOfOne(c *context) {
	for _, e := range c.spec.Edges {
		if l := e.Loop; l != nil && l.MaxIterations.IsSet() && !l.MaxIterations.Lost && l.MaxIterations.V == 1 {
			c.report(l.MaxIterations.Pos, "the loop_until of node "+quote(l.Node.V)+" never repeats: max_iterations counts executions of the node, and 1 is the first",
				"use 2 or more, or an edge to "+quote(l.Exit.V))
		}
	}
	for _, n := range c.graph.All() {
		if most := n.Spec.MaxIterations; n.Kind == "loop" && most.IsSet() && !most.Lost && most.V == 1 {
			c.report(most.Pos, "loop "+quote(n.Spec.Name.V)+" never repeats: max_iterations counts executions of its body, and 1 is the first",
				"use 2 or more, or let a way lead to the nodes of its body")
		}
	}
}

// stepsCutShort adds up how often every node can be visited at most: a run makes no more
// steps than that.
func stepsCutShort(c *context) {
	steps := c.spec.Limits.MaxSteps
	if !steps.IsSet() || steps.Lost {
		return
	}
	seen, certain := c.reachable()
	if !certain {
		return
	}
	arcs, parts := c.unboundedArcs()
	if len(parts) == 0 {
		return
	}
	again := c.onCycles()
	most := 0
	for i, n := range c.graph.Nodes {
		visits := spec.Value[int]{V: 1}
		if again[i] {
			visits = n.Spec.MaxVisits
		}
		if !visits.IsSet() && again[i] {
			visits.V = spec.DefaultMaxVisits
		}
		switch {
		case !seen[n]:
			continue
		case visits.Lost || visits.V < 1 || visits.V >= steps.V:
			return
		}
		if most += visits.V * mostSteps(n, steps.V); most >= steps.V {
			return
		}
	}
	cycle := c.cycleText(parts[0][0], shortestCycle(arcs, parts[0]))
	c.warn(steps.Pos, "no run makes "+strconv.Itoa(steps.V)+" steps: each node of the cycle "+cycle+
		" is visited "+strconv.Itoa(spec.DefaultMaxVisits)+" times at most, as it does not say max_visits",
		"give the nodes of the cycle max_visits, or lower max_steps to "+strconv.Itoa(most))
}

// mostSteps is how many steps a visit of a node takes at most, with those of the nodes that it
// runs, as far as a bound and no further.
func mostSteps(n *resolve.Node, bound int) int {
	sum, largest := 0, 0
	for _, child := range n.Inside() {
		if child.Host != n {
			continue
		}
		turns := 1
		if child.Loops {
			turns = orDefault(child.Spec.MaxVisits, spec.DefaultMaxVisits)
		}
		steps := turns * mostSteps(child, bound)
		sum, largest = min(sum+steps, bound), min(max(largest, steps), bound)
	}
	switch n.Kind {
	case "loop":
		sum *= orDefault(n.Spec.MaxIterations, spec.DefaultBodyIterations)
	case "retry":
		sum *= orDefault(n.Spec.Retry.Attempts, defaultAttempts)
	case "autonomous":
		sum = largest * orDefault(n.Spec.MaxSteps, spec.DefaultPoolSteps)
	case "map":
		return bound // as many as the list is long
	}
	if f, ok := n.Spec.Flag("retryable"); ok && sum > 0 {
		attempts := defaultAttempts
		if f.Retry != nil {
			attempts = orDefault(f.Retry.Attempts, defaultAttempts)
		}
		sum *= attempts
	}
	return min(1+sum, bound)
}

// defaultAttempts is how often a node is executed that tries again and does not say.
const defaultAttempts = 3

// orDefault is a number as it is written, or what stands for it.
func orDefault(v spec.Value[int], otherwise int) int {
	if v.IsSet() && !v.Lost && v.V > 0 {
		return min(v.V, maxCount)
	}
	return otherwise
}

// onCycles reports of each node whether a run can come to it twice, by whatever ways. A
// node that has used up its visits leads to the graph's on_error node.
func (c *context) onCycles() []bool {
	number := c.numbers()
	arcs := make([][]arc, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		next := c.next(n)
		if rescue := c.graph.OnError; rescue != nil && rescue != n {
			next = append(next, rescue)
		}
		for _, to := range next {
			arcs[i] = append(arcs[i], arc{to: number[to]})
		}
	}
	again := make([]bool, len(arcs))
	for _, part := range cycles(arcs) {
		for _, n := range part {
			again[n] = true
		}
	}
	return again
}
