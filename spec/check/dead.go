package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// wayPasses find ways that can never be taken, and ways that contradict one another.
var wayPasses = []Pass{
	{run: shadowedEdges, Rule: diag.Rule{
		Code: "GG060", Name: "shadowed-edge",
		Doc:  "An edge stands behind one that is always taken: edges are tried by priority, then in the order written.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {output: {ok: bool}}\n  b: {}\n  c: {}\nedges:\n  - {from: a, to: b, priority: 1}\n  - {from: a, to: c, if: out.Ok}\n  - {from: b, to: c}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {output: {ok: bool}}\n  b: {}\n  c: {}\nedges:\n  - {from: a, to: b}\n  - {from: a, to: c, if: out.Ok, priority: 1}\n  - {from: b, to: c}\n",
	}},
	{run: ambiguousEdges, Rule: diag.Rule{
		Code: "GG061", Name: "ambiguous-edges",
		Doc:  "Two edges of one priority leave a node without a condition. All but the last need max_iterations: otherwise the first is always taken.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {}\n  b: {}\n  c: {next: b}\nedges:\n  - {from: a, to: c}\n  - {from: a, to: b}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {}\n  b: {}\n  c: {next: b}\nedges:\n  - {from: a, to: c, max_iterations: 2}\n  - {from: a, to: b}\n",
	}},
	{run: deadWays, Rule: diag.Rule{
		Code: "GG062", Name: "dead-way",
		Doc:  "A way on stands behind a rule that always decides: a required enum that routes, the choice of a router, a branch table, an edge that is always taken.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {next: b}\n  b: {}\nedges:\n  - {from: a, to: b}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {}\n  b: {}\nedges:\n  - {from: a, to: b}\n",
	}},
	{run: failureWays, Rule: diag.Rule{
		Code: "GG063", Name: "dead-failure-way",
		Doc:  "An on: error edge leaves a node whose failure never comes to it (critical, fail_soft, an earlier edge without a bound), or an on: guard_fail edge one without guards.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {next: end}\n  b: {}\nedges:\n  - {from: a, to: b, on: guard_fail}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {next: end}\n  b: {}\nedges:\n  - {from: a, to: b, on: error}\n",
	}},
	{run: severalConditions, Rule: diag.Rule{
		Code: "GG064", Name: "several-conditions",
		Doc:  "An edge has at most one of if, on, on_output and on_confidence.",
		Bad:  "graph: g\nentry: a\nno_match: end\nnodes:\n  a: {output: {ok: bool}}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Ok, on_output: {ok: true}}\n",
		Good: "graph: g\nentry: a\nno_match: end\nnodes:\n  a: {output: {ok: bool}}\n  b: {}\nedges:\n  - {from: a, to: b, if: out.Ok}\n",
	}},
	{run: branchTables, Rule: diag.Rule{
		Code: "GG065", Name: "branch-table",
		Doc:  "A branch table is the labels that a handler may return and where each leads: none without the other, and one table a node.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {}\n  b: {}\nedges:\n  - {from: a, branch: {yes: b, no: end}}\n  - {from: a, branch: {maybe: b}}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {}\n  b: {}\nedges:\n  - {from: a, branch: {yes: b, no: end, maybe: b}}\n",
	}},
	{run: repeatedConditions, Rule: diag.Rule{
		Code: "GG066", Name: "repeated-condition",
		Doc:  "Two edges leave a node under the same condition: the second is never taken.",
		Bad:  "graph: g\nentry: a\nno_match: end\nnodes:\n  a: {output: {ok: bool}}\n  b: {}\n  c: {next: b}\nedges:\n  - {from: a, to: b, if: out.Ok}\n  - {from: a, to: c, if: out.Ok}\n  - {from: a, to: c, on: error}\n",
		Good: "graph: g\nentry: a\nno_match: end\nnodes:\n  a: {output: {ok: bool}}\n  b: {}\n  c: {next: b}\nedges:\n  - {from: a, to: b, if: out.Ok}\n  - {from: a, to: c, if: \"!out.Ok\"}\n",
	}},
	{run: idleSkips, Rule: diag.Rule{
		Code: "GG067", Name: "idle-skip",
		Doc:  "A node with skip_on_error is skipped when the node before it failed, but no failure leads to it: neither a way of failed nodes, nor a node that is fail_soft.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {next: b}\n  b: {flags: [skip_on_error]}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {fail_soft: true, next: b}\n  b: {flags: [skip_on_error]}\n",
	}},
}

// shadowedEdges leaves unconditional edges of one priority to ambiguousEdges.
func shadowedEdges(c *context) {
	for _, n := range c.graph.Nodes {
		var certain *resolve.Edge
		for _, e := range c.routings[n].Edges {
			switch {
			case certain == nil:
				if e.Always() {
					certain = e
				}
			case !e.Conditional() && e.Spec.Priority.V == certain.Spec.Priority.V:
			case sameShorthand(e, certain):
			default:
				c.reportDead(e, "is never taken: an edge before it has no condition", certain.Spec.Pos,
					"give it a higher priority than the other, or the other a condition")
			}
		}
	}
}

// sameShorthand reports whether two edges stand for one loop_until.
func sameShorthand(a, b *resolve.Edge) bool { return a.Spec.Pos == b.Spec.Pos }

// reportDead reports an edge with the place of what stands before it.
func (c *context) reportDead(e *resolve.Edge, what string, because spec.Pos, help string) {
	name := e.Spec.To
	if e.Spec.BranchPos.IsSet() {
		c.report(e.Spec.BranchPos, "the branch table of node "+quote(e.From.Spec.Name.V)+" "+what, help,
			diag.Related{Pos: because, Message: "the way before it is here"})
		return
	}
	c.report(name.Pos, "the edge from "+quote(e.From.Spec.Name.V)+" to "+quote(name.V)+" "+what, help,
		diag.Related{Pos: because, Message: "the way before it is here"})
}

func ambiguousEdges(c *context) {
	for _, n := range c.graph.Nodes {
		var first *resolve.Edge
		for _, e := range c.routings[n].Edges {
			if e.Conditional() {
				continue
			}
			if first != nil && first.Spec.Priority.V == e.Spec.Priority.V && !sameShorthand(first, e) {
				c.reportDead(e, "is ambiguous: another edge of the same priority has no condition either", first.Spec.Pos,
					"give one of them a condition, or the first max_iterations")
				continue
			}
			if e.Always() {
				first = e
			}
		}
	}
}

// deadWays follows the rules in order until one of them always decides.
func deadWays(c *context) {
	for _, n := range c.graph.Nodes {
		r := c.routings[n]
		d := decision{c: c, node: n}
		if r.RouteDecides() && !n.Spec.FailSoft.V {
			for _, f := range r.Route {
				if f.Field.Type.Kind == resolve.Enum {
					d.by(f.Field.Spec.Name.Pos, "the output's field "+quote(f.Field.Name)+" always names the next node")
					break
				}
			}
		}
		for _, g := range r.Goto {
			d.dead(g.Name, "goto")
		}
		if n.Kind == "router" && len(r.Goto) > 0 && !n.Spec.FailSoft.V {
			d.by(n.Spec.Routes[0].Pos, "a router always chooses one of its routes")
		}
		for _, e := range r.Edges {
			d.deadEdge(e)
			if e.Spec.BranchPos.IsSet() && !e.Bounded() && !n.Spec.FailSoft.V {
				d.branch = true
				d.by(e.Spec.BranchPos, "the handler always returns a label of the branch table")
			}
		}
		for _, e := range r.Edges {
			if e.Always() {
				d.by(e.Spec.Pos, "an edge without a condition is always taken")
				break
			}
		}
		for _, t := range r.Transitions {
			if t.Field != nil && !valueOfRoute(r, t.Key.V) {
				d.dead(t.To.Name, "transition")
			}
		}
		if r.Next != nil {
			d.dead(r.Next.Name, "next")
		}
	}
}

// valueOfRoute reports whether a transition's key also says where a route value leads.
func valueOfRoute(r *resolve.Routing, key string) bool {
	for _, f := range r.Route {
		for _, choice := range f.Choices {
			if choice.Value == key {
				return true
			}
		}
	}
	return false
}

// A decision is what always decides at a node, once something does.
type decision struct {
	c    *context
	node *resolve.Node
	pos  spec.Pos
	why  string

	branch bool // a branch table decides
}

func (d *decision) by(pos spec.Pos, why string) {
	if d.why == "" {
		d.pos, d.why = pos, why
	}
}

func (d *decision) dead(name spec.String, what string) {
	if d.why == "" || !written(name) || skips(d.node) {
		return
	}
	d.c.report(name.Pos, what+" of node "+quote(d.node.Spec.Name.V)+" is never taken: "+d.why,
		"remove it, or what decides before it", diag.Related{Pos: d.pos, Message: "this decides"})
}

func (d *decision) deadEdge(e *resolve.Edge) {
	if e.Spec.BranchPos.IsSet() && d.branch {
		return // a second table is a mistake of its own
	}
	if d.why != "" && !(skips(d.node) && !e.Conditional()) {
		d.c.reportDead(e, "is never taken: "+d.why, d.pos, "remove it, or what decides before it")
	}
}

// skips reports whether the node may be skipped: then it goes a way without a condition,
// whatever would have decided.
func skips(n *resolve.Node) bool {
	_, ok := n.Spec.Flag("skip_on_error")
	return ok
}

func failureWays(c *context) {
	for _, n := range c.graph.Nodes {
		r := c.routings[n]
		_, critical := n.Spec.Flag("critical")
		for i, e := range r.Failed {
			switch {
			case critical:
				c.report(e.Spec.On.Pos, "node "+quote(n.Spec.Name.V)+" is critical, so its failure ends the run before this edge", "remove the edge, or the flag")
			case n.Spec.FailSoft.V:
				c.report(e.Spec.On.Pos, "node "+quote(n.Spec.Name.V)+" is fail_soft, so its failure goes on as a success", "remove the edge, or fail_soft")
			case i > 0 && !r.Failed[i-1].Bounded():
				c.reportDead(e, "is never taken: the error edge before it has no bound", r.Failed[i-1].Spec.Pos, "give the first one max_iterations, or remove one")
			}
		}
		guarded := len(n.Spec.Guards) > 0 || n.Kind == "guard"
		for i, e := range r.GuardFail {
			switch {
			case !guarded:
				c.report(e.Spec.On.Pos, "node "+quote(n.Spec.Name.V)+" has no guards that could fail", "give the node guards, or remove the edge")
			case i > 0 && !r.GuardFail[i-1].Bounded():
				c.reportDead(e, "is never taken: the guard_fail edge before it has no bound", r.GuardFail[i-1].Spec.Pos, "give the first one max_iterations, or remove one")
			}
		}
		if last := len(r.GuardFail) - 1; r.OnFail != nil && last >= 0 && !r.GuardFail[last].Bounded() {
			c.report(r.OnFail.Name.Pos, "on_fail of node "+quote(n.Spec.Name.V)+" is never taken: a guard_fail edge has no bound", "give the edge max_iterations, or remove one of the two",
				diag.Related{Pos: r.GuardFail[last].Spec.Pos, Message: "the edge is here"})
		}
	}
}

func severalConditions(c *context) {
	for _, e := range c.spec.Edges {
		var first, second spec.Pos
		for _, pos := range []spec.Pos{e.If.Pos, e.On.Pos, onOutputPos(e), e.OnConfidence.Pos} {
			switch {
			case !pos.IsSet():
			case !first.IsSet():
				first = pos
			case pos.Line > first.Line || pos.Line == first.Line && pos.Col > first.Col:
				second = pos
			default:
				first, second = pos, first
			}
		}
		if second.IsSet() {
			c.report(second, "the edge has more than one condition", "keep one, or join them in an if with &&", diag.Related{Pos: first, Message: "the first one is here"})
		}
	}
}

func onOutputPos(e *spec.Edge) spec.Pos {
	if e.OnOutput == nil {
		return spec.Pos{}
	}
	return e.OnOutput.Pos
}

func branchTables(c *context) {
	for _, n := range c.graph.Nodes {
		var first *resolve.Edge
		for _, e := range n.Leaving {
			if !e.Spec.BranchPos.IsSet() {
				continue
			}
			if first != nil {
				c.report(e.Spec.BranchPos, "a second branch table leaves node "+quote(n.Spec.Name.V), "put all labels into one table",
					diag.Related{Pos: first.Spec.BranchPos, Message: "the first one is here"})
			} else {
				first = e
			}
		}
	}
	for _, e := range c.spec.Edges {
		if e.BranchPos.IsSet() && len(e.Branch) == 0 {
			c.report(e.BranchPos, "the branch table has no labels", "add labels and where they lead, as in branch: {again: "+orA(e.From.V)+", done: end}")
		}
	}
}

func repeatedConditions(c *context) {
	for _, n := range c.graph.Nodes {
		seen := map[string]*resolve.Edge{}
		for _, e := range c.routings[n].Edges {
			text := e.Spec.If.V
			if m := e.Spec.OnOutput; m != nil && text == "" {
				text = "on_output " + m.Key.V + ": " + m.Value.Text
			}
			if text == "" {
				continue
			}
			if was := seen[text]; was != nil && !was.Bounded() {
				c.reportDead(e, "is never taken: an edge before it has the same condition", was.Spec.Pos, "change one of the conditions, or remove the edge")
			} else if was == nil {
				seen[text] = e
			}
		}
	}
}

func idleSkips(c *context) {
	if _, certain := c.reachable(); !certain {
		return
	}
	failed := map[*resolve.Node]bool{}
	if c.graph.OnError != nil {
		failed[c.graph.OnError] = true
	}
	for _, n := range c.graph.Nodes {
		for _, w := range c.ways(n) {
			guard := w.edge != nil && w.edge.Spec.On.V == "guard_fail" || w.what == "on_fail"
			if w.to.Node != nil && (w.failure && !guard || n.Spec.FailSoft.V || skips(n)) {
				failed[w.to.Node] = true
			}
		}
	}
	for _, n := range c.graph.Nodes {
		f, ok := n.Spec.Flag("skip_on_error")
		if ok && !failed[n] {
			c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" is never skipped: no failure leads to it", "remove the flag, or let a failure lead here: an on: error edge, or fail_soft on the node before")
		}
	}
}
