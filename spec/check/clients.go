package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// clientPasses judge tools that the caller of the machine runs.
var clientPasses = []Pass{
	{run: clientTools, Rule: diag.Rule{
		Code: "GG325", Name: "client-tool",
		Doc: "The caller of the machine runs a tool with client: true. So the tool reads nothing of the state, its result has a type whose JSON is known, " +
			"and no call of it needs an approval besides: the caller makes the call, or returns an error.",
		Bad:  "graph: g\nentry: a\nstate: {user: string}\ninput: user\ntools:\n  locate: {doc: Returns where the user is., client: true, reads: user}\nnodes:\n  a: {kind: prompt, message: \"Where is {{user}}?\", tools: locate}\n",
		Good: "graph: g\nentry: a\nstate: {user: string}\ninput: user\ntools:\n  locate: {doc: Returns where the user is., client: true, args: {user: string}}\nnodes:\n  a: {kind: prompt, message: \"Where is {{user}}?\", tools: locate}\n",
	}},
}

func clientTools(c *context) {
	for _, t := range c.graph.Clients() {
		s, title := t.Spec, "tool "+quote(t.Spec.Name.V)
		here := diag.Related{Pos: s.Client.Pos, Message: "client is here"}
		if len(s.Reads) > 0 {
			c.report(s.Reads[0].Pos, title+" reads the state, but the caller of the machine runs it", "remove reads, and give it arguments", here)
		}
		if s.Approve.V {
			c.report(s.Approve.Pos, title+" needs an approval, but the caller of the machine runs it, or does not", "remove approve", here)
		}
		if s.Returns != nil && !unknown(t.Returns) {
			if found := c.schemaless(t.Returns); found != nil {
				c.report(s.Returns.Pos, "the result of "+title+within(found, t.Returns), "declare a type with the fields that the caller returns", here)
			}
		}
		for _, n := range c.graph.All() {
			approved := slices.IndexFunc(n.Spec.Prompt.Approve, func(name spec.String) bool { return name.V == s.Name.V })
			if approved >= 0 && slices.Contains(n.Tools, t) {
				c.report(n.Spec.Prompt.Approve[approved].Pos, "node "+quote(n.Spec.Name.V)+" approves calls of the "+title+", which the caller of the machine runs, or does not", "remove it", here)
			}
		}
	}
}
