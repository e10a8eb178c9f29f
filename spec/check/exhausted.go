package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	runs "github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/scc"
)

// exhaustedPasses find runs that end because a bound is used up, short of their work.
var exhaustedPasses = []Pass{
	{run: exhaustedEnds, Rule: diag.Rule{
		Code: "GG291", Name: "exhausted-end",
		Doc: "Every way on from a node is an edge with max_iterations, and nodes lie behind it that other runs come to. When the edges are used up, the run ends at the node with the reason exhausted, and what lies behind never runs, though the run counts as a success. " +
			"Say what happens then: by next or an edge without a bound, or by no_match at the node: end keeps the end, error makes it a failure (NoEdgeMatched). The no_match of the graph is not about edges that are used up. " +
			"Nothing is said of a node whose edges no run can use up.",
		Bad:  "graph: g\nentry: judge\nnodes:\n  judge: {output: {good: bool}}\n  refine: {}\n  publish: {}\nedges:\n  - {from: judge, to: publish, if: out.Good}\n  - {from: judge, to: refine, if: \"!out.Good\"}\n  - {from: refine, to: judge, max_iterations: 3}\n",
		Good: "graph: g\nentry: judge\nnodes:\n  judge: {output: {good: bool}}\n  refine: {next: publish}\n  publish: {}\nedges:\n  - {from: judge, to: publish, if: out.Good}\n  - {from: judge, to: refine, if: \"!out.Good\"}\n  - {from: refine, to: judge, max_iterations: 3}\n",
	}},
}

// An exhaustion is a node at which a run ends when its edges are used up, though others lie
// behind it.
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
				notes = append(notes, diag.Related{Pos: other.Spec.MaxIterations.Pos, Message: "so has this edge"})
			}
		}
		if e.Path != nil {
			notes = append(notes, diag.Related{Pos: n.Spec.Name.Pos, Message: "as in " + pathText(e.Path)})
		}
		c.report(edges[0].Spec.MaxIterations.Pos, "when its edges are used up, the run ends at node "+quote(n.Spec.Name.V)+" as a success, and "+quote(e.behind.Spec.Name.V)+" behind it never runs",
			"say what happens then: by next, an edge without max_iterations, or no_match at the node", notes...)
	}
}

// exhaustions finds the nodes that end runs when their edges are used up, those that say so
// themselves among them.
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
			if b := c.behind(n, part); b != nil {
				behind[n] = b
			}
		}
	}
	graph := runs.Of(c.cfg)
	if len(behind) == 0 || graph == nil {
		return nil
	}
	asked := slices.DeleteFunc(slices.Clone(graph.Nodes), func(n *runs.Node) bool { return behind[n.Spec] == nil })
	for _, e := range assertion.Exhaustions(graph, asked) {
		*c.exhausted = append(*c.exhausted, exhaustion{e, behind[e.Node.Spec]})
	}
	return *c.exhausted
}

// behind returns a node that runs come to by the edges of another, and from which they do not
// come back to it. It returns nil where there is none, and where the edges cannot be used up,
// as one of them leads to where no run comes back from.
func (c *context) behind(n *resolve.Node, part map[*resolve.Node]int) *resolve.Node {
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
// because no run uses them up or nothing lies behind.
func (c *context) idleAtEnd(n *resolve.Node) bool {
	_, certain := c.reachable()
	return certain && !c.spec.Flawed && !slices.ContainsFunc(c.exhaustions(), func(e exhaustion) bool { return e.Node.Spec == n })
}
