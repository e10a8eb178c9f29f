package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// evalPasses judge the verdicts on what nodes did. Their conditions are judged with the conditions of
// edges.
var evalPasses = []Pass{
	{Code: "GG188", run: evalRules},
	{Code: "GG189", run: evalTools},
}

func evalRules(c *context) {
	for _, n := range c.graph.All() {
		first := map[string]spec.Pos{}
		once := func(title string, judge spec.String) {
			rule := strings.TrimSpace(judge.V)
			if pos, twice := first[rule]; twice {
				c.report(judge.Pos, title+" has a rule that another judge of the node has", "say in each what differs, or "+diag.Remove("remove it"),
					diag.Related{Pos: pos, Message: "the other is here"})
			} else if rule != "" && !judge.Lost {
				first[rule] = judge.Pos
			}
		}
		for _, g := range n.Spec.Guards {
			title := "guard " + quote(g.Name.V) + " of node " + quote(n.Spec.Name.V)
			if g.Judge.IsSet() && !g.Judge.Lost && strings.TrimSpace(g.Judge.V) == "" {
				c.report(g.Judge.Pos, title+" has an empty rule", "state what has to hold, as in "+diag.Set("judge", "The answer names its source."))
			}
			once(title, g.Judge)
		}
		for _, e := range n.Spec.Evals {
			rules := e.Rules()
			title := "eval " + quote(e.Name.V) + " of node " + quote(n.Spec.Name.V)
			once(title, e.Judge)
			switch {
			case e.Unread:
			case len(rules) == 0:
				c.report(e.Name.Pos, title+" has no rule", "add one of called, not_called, if and judge")
			case len(rules) > 1:
				slices.SortFunc(rules, func(a, b spec.String) int { return a.Pos.Compare(b.Pos) })
				c.report(rules[1].Pos, title+" has "+rules[0].V+" and "+rules[1].V+": it is one verdict", "keep one, and make an eval of its own of the other",
					diag.Related{Pos: rules[0].Pos, Message: "the first is here"})
			case e.Judge.IsSet() && n.Out == nil && n.Kind.Returns:
				c.report(e.Judge.Pos, title+" judges its output, but the node has none", "give the node an output, or compare the state with if")
			case e.Judge.IsSet() && !e.Judge.Lost && strings.TrimSpace(e.Judge.V) == "":
				c.report(e.Judge.Pos, title+" has an empty rule", "state what has to hold, as in "+diag.Set("judge", "The answer names its source."))
			}
		}
	}
}

func evalTools(c *context) {
	for _, n := range c.graph.All() {
		if n.Spec.Unread || !n.Kind.Known() {
			continue
		}
		inject := n.Has(spec.InjectTools)
		for _, e := range n.Spec.Evals {
			for _, name := range slices.Concat(e.Called, e.NotCalled) {
				tool := c.graph.Tool(name.V)
				switch {
				case tool == nil && !n.Injects(name.V):
				case n.Defers:
					c.report(name.Pos,
						"eval "+quote(e.Name.V)+" asks whether node "+quote(n.Spec.Name.V)+" called a tool: it leaves that to "+
							"others, and only turns that call none are judged", "remove "+diag.Set("tool_loop", "false")+", or compare the output with if")
				case inject || slices.Contains(n.Tools, tool) || lost(n.Spec.Prompt.Tools):
				case n.Kind.By != spec.ByModel:
					c.report(name.Pos,
						"eval "+quote(e.Name.V)+" asks whether node "+quote(n.Spec.Name.V)+" called a tool: a "+n.Kind.Name+" calls none",
						"compare the output with if, or "+diag.Remove("remove it"))
				default:
					c.report(name.Pos,
						"eval "+quote(e.Name.V)+" asks for the tool "+quote(name.V)+", which node "+quote(n.Spec.Name.V)+" does not have",
						"add it to the node's tools, or "+diag.Remove("remove it"))
				}
			}
		}
	}
}
