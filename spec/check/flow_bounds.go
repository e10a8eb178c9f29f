package check

import (
	"container/heap"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// cutShortPasses find limits that another limit, often a default, makes idle.
var cutShortPasses = []Pass{
	{Code: "GG290", run: loopsOfOne},
	{Code: "GG069", run: loopsEnteredAgain},
	{Code: "GG292", run: boundsCutShort},
	{Code: "GG091", run: stepsCutShort},
}

// loopsOfOne looks for loops that never repeat.
func loopsOfOne(c *context) {
	for _, e := range c.spec.Edges {
		if l := e.Loop; l != nil && l.MaxIterations.IsSet() && !l.MaxIterations.Lost && l.MaxIterations.V == 1 {
			c.report(l.MaxIterations.Pos,
				"the loop_until of node "+quote(l.Node.V)+" never repeats: max_iterations counts executions of the node, and 1 is the first",
				"use 2 or more, or an edge to "+quote(l.Exit.V))
		}
	}
	for _, n := range c.graph.All() {
		if most := n.Spec.MaxIterations; n.Kind.Loops() && most.IsSet() && !most.Lost && most.V == 1 {
			c.report(most.Pos, "loop "+quote(n.Spec.Name.V)+" never repeats: max_iterations counts executions of its body, and 1 is the first",
				"use 2 or more, or let transitions lead to the nodes of its body")
		}
	}
}

// loopsEnteredAgain looks for nodes of loop_until that runs can come back to without the loop, which its bound does not count.
func loopsEnteredAgain(c *context) {
	var loops []*spec.Edge
	for _, e := range c.spec.Edges {
		if e.Loop != nil && !e.Unread && !e.Loop.Unread && e.Loop.Executions().V > 1 && c.graph.Node(e.Loop.Node.V) != nil {
			loops = append(loops, e)
		}
	}
	if len(loops) == 0 || c.spec.Unread {
		return
	}
	arcs, part := c.arcsWithoutLoops()
	number := c.numbers()
	for _, e := range loops {
		n := c.graph.Node(e.Loop.Node.V)
		at, listed := number[n]
		again := -1
		if listed && part[at] != 0 {
			again = slices.IndexFunc(arcs[at], func(a arc) bool { return part[a.to] == part[at] })
		}
		if again < 0 || n.Spec.MaxVisits.IsSet() || n.Spec.Unread {
			continue
		}
		way := "by another transition to itself"
		if to := arcs[at][again].to; to != at {
			way = "through node " + quote(c.graph.Nodes[to].Spec.Name.V)
		}
		c.warn(e.Loop.Pos, "node "+quote(n.Spec.Name.V)+" can run more than "+strconv.Itoa(e.Loop.Executions().V)+
			" times: max_iterations of its loop_until counts the repetitions by the loop in the whole run, and runs also come back to the node "+way,
			"give the node max_visits, or let the loop be the only way back to it",
			diag.Related{Pos: arcs[at][again].via.Name.Pos, Message: "this is the way back without the loop"})
	}
}

// arcsWithoutLoops returns the transitions that are not the way back of a loop_until, by the number of their node, and the part
// of the graph with a cycle of them that each node is in, 0 for none.
func (c *context) arcsWithoutLoops() (arcs [][]arc, part []int) {
	number := c.numbers()
	arcs, part = make([][]arc, len(c.graph.Nodes)), make([]int, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		dead := deadNames(c.deadEdges(n))
		for _, t := range c.leaving(n) {
			to := t.Target().Node
			back := to == n && t.Edge != nil && c.isLoop(t.Edge)
			if at, listed := number[to]; listed && !back && !dead[t.Name.Pos] {
				arcs[i] = append(arcs[i], arc{at, t})
			}
		}
		if c.recovered(c.cfg.Node(n)) && c.graph.OnError != nil {
			arcs[i] = append(arcs[i], arc{number[c.graph.OnError], c.cfg.OnError})
		}
	}
	for i, members := range cycles(arcs) {
		for _, at := range members {
			part[at] = i + 1
		}
	}
	return arcs, part
}

// A boundUse is what a run needs to use up a bound.
type boundUse struct {
	bound   spec.Value[int]
	subject string             // the bound, in a message
	from    *resolve.Node      // the node whose edges it bounds
	visits  int                // of from
	to      *resolve.Node      // where the bounded edge leads
	arrives int                // visits of to
	steps   int                // at least
	lower   func(most int) int // the largest bound that visits of from can use up
}

// boundsCutShort looks for bounds of edges, loops and nodes that no run reaches, because the
// visits of a node or the steps of the run are used up before.
func boundsCutShort(c *context) {
	seen, certain := c.reachable()
	if !certain || c.spec.Limits.Unread || c.spec.Unread {
		return
	}
	part, d := c.parts(), c.distances()
	before := func(n *resolve.Node) int { return d.entry[d.number[n]] }
	size := map[int]int{}
	for n, of := range part {
		size[of] += d.step(n)
	}
	room := orDefault(c.spec.Limits.MaxSteps, c.cfg.MaxSteps())
	for _, e := range c.graph.Edges {
		most := e.Spec.MaxIterations
		if e.From == nil || !seen[e.From] || !most.IsSet() || e.Vague() || c.isLoop(e) || most.V < 1 || most.V > maxCount/2 {
			continue
		}
		for _, t := range e.Targets() {
			if t.Node == nil || part[t.Node] != part[e.From] {
				continue // it is followed once at most
			}
			round := 1
			if before(e.From)+size[part[t.Node]]*most.V > room { // else even the longest path back is short enough
				round = d.between(t.Node, e.From, max(0, room-before(e.From))/most.V)
			}
			if c.cutShort(boundUse{
				bound: most, subject: "max_iterations of " + c.edgeSubject(e),
				from: e.From, visits: most.V + 1, to: t.Node, arrives: most.V,
				steps: before(e.From) + round*most.V,
				lower: func(visits int) int { return visits - 1 },
			}, false) {
				break
			}
		}
	}
	for _, e := range c.spec.Edges {
		if e.Loop == nil || e.Unread || e.Loop.Unread {
			continue
		}
		n, most := c.graph.Node(e.Loop.Node.V), e.Loop.Executions()
		if n == nil || !seen[n] || most.Lost || most.V < 2 || most.V > maxCount/2 {
			continue
		}
		steps := before(n) + (most.V-1)*d.step(n)
		if c.graph.Node(e.Loop.Exit.V) != nil {
			steps++
		}
		c.cutShort(boundUse{
			bound: most, subject: "max_iterations of the loop_until of node " + quote(e.Loop.Node.V),
			from: n, visits: most.V, to: n, arrives: most.V, steps: steps,
			lower: func(visits int) int { return visits },
		}, true)
	}
	c.visitsCutShort(seen, d)
}

// cutShort reports a bound that is not reached, and whether it is one. Where the spec states the
// limit that cuts it short, it is a warning, unless a loop promises an exit after its bound.
func (c *context) cutShort(s boundUse, promised bool) bool {
	for _, at := range []struct {
		node   *resolve.Node
		visits int
	}{{s.from, s.visits}, {s.to, s.arrives}} {
		said := c.maxVisits(at.node)
		most := orDefault(said, c.cfg.Node(at.node).MaxVisits)
		if said.Lost || at.visits <= most {
			continue
		}
		message := s.subject + " is never reached: it takes " + strconv.Itoa(at.visits) + " visits of node " + quote(at.node.Spec.Name.V)
		if !said.IsSet() {
			help := "set " + diag.Set("max_visits", strconv.Itoa(at.visits)) + " at the node, or for all nodes in limits"
			if low := s.lower(most); low > 1 {
				help += "; or use " + strconv.Itoa(low) + " at most"
			}
			c.report(s.bound.Pos, message+", and max_visits is "+strconv.Itoa(most)+" by default", help)
			return true
		}
		c.stated(promised)(s.bound.Pos, message+", and max_visits is "+strconv.Itoa(most), "lower it, or raise max_visits",
			diag.Related{Pos: said.Pos, Message: "max_visits is here"})
		return true
	}
	return c.tooFewSteps(s.bound, s.subject, s.steps, promised)
}

// stated reports what a limit of the spec cuts short.
func (c *context) stated(promised bool) func(spec.Pos, string, string, ...diag.Related) {
	if promised {
		return c.report
	}
	return c.warn
}

// tooFewSteps reports a bound that the steps of a run do not suffice for.
func (c *context) tooFewSteps(bound spec.Value[int], subject string, need int, promised bool) bool {
	steps := c.spec.Limits.MaxSteps
	most := orDefault(steps, c.cfg.MaxSteps())
	if steps.Lost || need <= most || c.endsOnSteps() {
		return false
	}
	message := subject + " is never reached: it takes " + strconv.Itoa(need) + " steps at least"
	if !steps.IsSet() {
		c.report(bound.Pos, message+", and max_steps is "+strconv.Itoa(most)+" by default",
			"lower it, or set more, as in "+diag.Set("limits", "{max_steps: "+strconv.Itoa(2*need)+"}"))
		return true
	}
	c.stated(promised)(bound.Pos, message+", and max_steps is "+strconv.Itoa(most), "lower it, or raise max_steps",
		diag.Related{Pos: steps.Pos, Message: "max_steps is here"})
	return true
}

// endsOnSteps reports whether the spec sets the most steps of a run, and states what happens when they are used up.
func (c *context) endsOnSteps() bool {
	limits := &c.spec.Limits
	return limits.MaxSteps.IsSet() && (limits.OnMaxSteps.Lost || limits.OnMaxSteps.IsSet() && limits.OnMaxSteps.V != "error")
}

// visitsCutShort looks for max_visits above the default of max_steps.
func (c *context) visitsCutShort(seen map[*resolve.Node]bool, d *distances) {
	if c.spec.Limits.MaxSteps.IsSet() {
		return
	}
	again, all := c.onCycles(), c.spec.Limits.MaxVisits
	least := 0 // steps of a visit of a node that all bounds
	for i, n := range c.graph.Nodes {
		switch own := n.Spec.MaxVisits; {
		case !again[i] || !seen[n]:
		case own.IsSet() && !own.Lost && own.V > 0 && own.V <= maxCount/2:
			c.tooFewSteps(own, "max_visits of node "+quote(n.Spec.Name.V), d.entry[i]+(own.V-1)*d.steps[i], true)
		case !own.IsSet() && all.IsSet() && !all.Lost && all.V > 0 && all.V <= maxCount/2:
			if least == 0 || d.steps[i] < least {
				least = d.steps[i]
			}
		}
	}
	if least > 0 {
		c.tooFewSteps(all, "max_visits of limits", all.V*least, true)
	}
}

// distances has the lengths of paths through the graph, in steps.
type distances struct {
	number map[*resolve.Node]int
	next   [][]int
	steps  []int // of a visit of each node, at least: its own, and the steps of the nodes that it runs
	entry  []int // steps from the entry to each node, with the steps of both; 0: none leads there
	seen   []int // the last search that reached a node
	search int
	queue  reached
	budget int // how many nodes searches may still visit
}

// mostVisited bounds the work of all searches together. When it is used up, a path counts as short.
const mostVisited = 2_000_000

func (c *context) distances() *distances {
	d := &distances{number: c.numbers(), next: make([][]int, len(c.graph.Nodes)), steps: c.leastSteps(),
		entry: make([]int, len(c.graph.Nodes)), seen: make([]int, len(c.graph.Nodes)), budget: mostVisited}
	all := 0
	for i, n := range c.graph.Nodes {
		for _, to := range c.next(n) {
			d.next[i] = append(d.next[i], d.number[to])
		}
		all += d.steps[i]
	}
	d.visit(d.number[c.graph.Entry], all, func(n, steps int) bool {
		d.entry[n] = steps
		return false
	})
	return d
}

// step returns how many steps a visit of a node makes at least.
func (d *distances) step(n *resolve.Node) int { return d.steps[d.number[n]] }

// leastSteps returns how many steps a visit of each node makes at least, if the run continues.
func (c *context) leastSteps() []int {
	least := slices.Repeat([]int{1}, len(c.graph.Nodes))
	if c.spec.Flawed || !slices.ContainsFunc(c.graph.Nodes, func(n *resolve.Node) bool { return len(n.Children()) > 0 }) {
		return least
	}
	if c.cfg.Entry == nil {
		return least
	}
	measure, number := c.stepCosts(), c.numbers()
	for _, n := range c.cfg.Running {
		cached := n.Spec.Has(spec.Cacheable)
		if i, ok := number[n.Spec]; ok && n.Region == nil && n.Composite() && !n.Skip && !cached {
			o := measure.Regions(n)
			within := o.Success
			switch {
			case len(n.On[cfg.Denied])+len(n.On[cfg.Late]) > 0:
				within = explore.NoCost
			case n.Soft || len(n.On[cfg.Failed]) > 0 || n.LastResort() != nil || c.cfg.OnError != nil: // else a failure ends the run
				within = explore.Any(o)
			}
			if len(n.On[cfg.Spent]) > 0 {
				within = explore.Any(explore.OutcomeCosts{Success: within, Failure: o.Spent})
			}
			if within.Possible() {
				least[i] += min(within.Min.Amount, maxCount/4)
			}
		}
	}
	return least
}

// A distance is a node that a search reached, and how many steps lead there.
type distance struct{ node, steps int }

// A reached is a queue of nodes by their distance.
type reached []distance

func (q reached) Len() int           { return len(q) }
func (q reached) Less(i, j int) bool { return q[i].steps < q[j].steps }
func (q reached) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *reached) Push(x any)        { *q = append(*q, x.(distance)) }
func (q *reached) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// visit visits nodes in the order of their distance from one, up to most steps, until found returns
// true. It reports false where the budget is used up.
func (d *distances) visit(from, most int, found func(n, steps int) bool) bool {
	d.search++
	d.queue = append(d.queue[:0], distance{from, d.steps[from]})
	for len(d.queue) > 0 {
		at := heap.Pop(&d.queue).(distance)
		if d.seen[at.node] == d.search {
			continue
		}
		if at.steps > most {
			return true
		}
		d.seen[at.node] = d.search
		if d.budget--; d.budget < 0 {
			return false
		}
		if found(at.node, at.steps) {
			return true
		}
		for _, to := range d.next[at.node] {
			if d.seen[to] != d.search {
				heap.Push(&d.queue, distance{to, at.steps + d.steps[to]})
			}
		}
	}
	return true
}

// between returns how many steps the shortest path between two nodes makes, with the steps of both. It
// is most+1 where the path makes more than most.
func (d *distances) between(from, to *resolve.Node, most int) int {
	least, goal := most+1, d.number[to]
	if !d.visit(d.number[from], most, func(n, steps int) bool {
		if n == goal {
			least = steps
		}
		return n == goal
	}) {
		return 1
	}
	return least
}

// stepsCutShort adds up how often every node can be visited at most: a run makes no more
// steps than that.
func stepsCutShort(c *context) {
	steps := c.spec.Limits.MaxSteps
	if !steps.IsSet() || steps.Lost || c.spec.Limits.Unread {
		return
	}
	seen, certain := c.reachable()
	if !certain {
		return
	}
	arcs, parts := c.unboundedArcs(true)
	if len(parts) == 0 {
		return
	}
	again, measure := c.onCycles(), c.stepCosts()
	most := 0
	for i, n := range c.graph.Nodes {
		visits := spec.Value[int]{V: 1}
		if again[i] {
			visits = c.maxVisits(n)
		}
		if !visits.IsSet() && again[i] {
			visits.V = c.cfg.Node(n).MaxVisits
		}
		switch {
		case !seen[n]:
			continue
		case visits.Lost || visits.V < 1 || visits.V >= steps.V:
			return
		}
		if most += visits.V * mostSteps(measure, c.cfg.Node(n), steps.V); most >= steps.V {
			return
		}
	}
	cycle := c.cycleText(parts[0][0], shortestCycle(arcs, parts[0]))
	c.warn(steps.Pos, "no run makes "+strconv.Itoa(steps.V)+" steps: each node of the cycle "+cycle+
		" is visited "+strconv.Itoa(spec.DefaultMaxVisits)+" times at most, as it has no max_visits",
		"give the nodes of the cycle max_visits, or all nodes by limits, or lower max_steps to "+strconv.Itoa(most))
}

// mostSteps returns how many steps a visit of a node makes at most, with the steps of the nodes that it
// runs, or bound if that is less.
func mostSteps(measure *explore.CostModel, n *cfg.Node, bound int) int {
	in := explore.NoCost
	if n.Composite() {
		in = explore.Any(measure.Regions(n))
	}
	if !in.Possible() {
		return bound
	}
	return min(1+in.Max.Amount, bound)
}

// orDefault returns a number as it is written, or its default.
func orDefault(v spec.Value[int], otherwise int) int {
	if v.IsSet() && !v.Lost && v.V > 0 {
		return min(v.V, maxCount)
	}
	return otherwise
}

// onCycles reports, for each node, whether a run can visit it twice, by transitions of every rule.
// A node that has used up its visits leads to the on_error node of the graph.
func (c *context) onCycles() []bool {
	number := c.numbers()
	arcs := make([][]arc, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		for _, to := range c.next(n) {
			arcs[i] = append(arcs[i], arc{to: number[to]})
		}
		if c.cfg.Recovers(c.cfg.Node(n), cfg.OutOfVisits) {
			arcs[i] = append(arcs[i], arc{to: number[c.graph.OnError]})
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
