package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// turnPasses judge the ways of turns that call tools, and of what the model judges.
var turnPasses = []Pass{
	{run: toolTurns, Rule: diag.Rule{
		Code: "GG214", Name: "tool-turn",
		Doc: "A node with tool_loop: false leaves the tools that its model calls to others: a turn that calls tools follows an on: tool_call edge, and no other way. One of these edges must always be open, so have no max_iterations. " +
			"The model of any other node calls no tools, or is asked again when it has, so on: tool_call and on: no_tool_call edges say nothing there.",
		Bad:  toolExample("[{from: a, to: end, on: no_tool_call}, {from: a, to: b, on: tool_call, max_iterations: 3}]"),
		Good: toolExample("[{from: a, to: end, on: no_tool_call}, {from: a, to: b, on: tool_call}]"),
	}},
	{run: repeatedJudgements, Rule: diag.Rule{
		Code: "GG215", Name: "repeated-judgement",
		Doc:  "Two edges of a node ask the model the same, so that it cannot tell which of them to choose. It is shown all that are not used up at once: a bound of the first does not make room for the second.",
		Bad:  judgedExample("{from: a, to: b, when: it is thin, max_iterations: 2}", "{from: a, to: end, when: it is thin}"),
		Good: judgedExample("{from: a, to: b, when: it is thin, max_iterations: 2}", "{from: a, to: end, when: it is good}"),
	}},
}

// toolExample is a spec of a node that leaves its tool calls to another.
func toolExample(edges string) string {
	return "graph: g\nentry: a\nlimits: {max_steps: 20}\ntools: {search: {args: {query: string}}}\nnodes:\n" +
		"  a: {kind: prompt, instructions: Search., tools: search, tool_loop: false}\n  b: {kind: tool, next: a}\nedges: " + edges + "\n"
}

// judgedExample is a spec with edges that the model judges.
func judgedExample(edges ...string) string {
	return "graph: g\nentry: a\nno_match: end\nnodes:\n  a: {kind: prompt, instructions: Write.}\n  b: {next: a}\nedges: [" + strings.Join(edges, ", ") + "]\n"
}

func toolTurns(c *context) {
	for _, n := range c.graph.Nodes {
		if c.spec.Unread || n.Spec.Unread || n.Spec.Prompt.ToolLoop.Lost || !n.Kind.Known() {
			continue
		}
		if !n.Defers {
			c.idleTurns(n)
			continue
		}
		called := c.cfg.Node(n).By(cfg.ByToolCall)
		if slices.ContainsFunc(called, func(t *cfg.Transition) bool { return !t.Bounded || t.Edge.Vague() }) || slices.ContainsFunc(n.Leaving, (*resolve.Edge).Vague) || c.misspelt(n) || c.spec.Unread && len(called) == 0 {
			continue
		}
		pos, name := n.Spec.Prompt.ToolLoop.Pos, "node "+quote(n.Spec.Name.V)
		if len(called) == 0 {
			c.report(pos, name+" leaves the tools that its model calls to others, but no on: tool_call edge leads to any",
				"add an edge with on: tool_call to a node of kind tool, or leave tool_loop out: then the node runs them itself")
			continue
		}
		c.report(pos, name+" leaves the tools that its model calls to others, but every on: tool_call edge can be used up",
			"add one without max_iterations, or take the bound from one", diag.Related{Pos: called[0].Edge.Spec.MaxIterations.Pos, Message: "this edge is bounded"})
	}
}

// idleTurns reports edges that ask for tool calls that a node never leaves to them.
func (c *context) idleTurns(n *resolve.Node) {
	name := "node " + quote(n.Spec.Name.V)
	why, help := name+" asks no model that could call tools", "remove the edge, or what it asks for"
	switch {
	case n.Loops:
		why, help = name+" runs the tools that its model calls, and asks it again", "give the node tool_loop: false, or remove the edge"
	case n.Kind.By == spec.ByModel:
		why, help = name+" has no tools that its model could call", "give the node tools and tool_loop: false, or remove the edge"
	}
	for _, e := range n.Leaving {
		if on := e.Spec.On; on.V == "tool_call" || on.V == "no_tool_call" {
			c.report(on.Pos, "the edge asks for "+on.V+", but "+why, help)
		}
	}
}

func repeatedJudgements(c *context) {
	for _, n := range c.graph.Nodes {
		first := map[cfg.CondKey]*cfg.Transition{}
		for _, t := range c.cfg.Node(n).Judged() {
			key := t.Cond.Key()
			was := first[key]
			switch {
			case key.Text == "":
			case was == nil:
				first[key] = t
			default:
				c.report(t.Edge.Spec.When.Pos, "two edges from "+quote(n.Spec.Name.V)+" ask the model the same", "say what makes the difference, or remove one of the two",
					diag.Related{Pos: was.Edge.Spec.When.Pos, Message: "it is asked here too"})
			}
		}
	}
}
