package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// calledTools reports edges that name tools, and edges that such ones leave nothing for.
func calledTools(c *context) {
	for _, n := range c.graph.Routed() {
		for _, e := range n.Leaving {
			c.edgeTools(n, e)
		}
		called := c.cfg.Node(n).By(cfg.ByToolCall)
		for i, t := range called {
			if t.Cond.Kind != cfg.Calls || t.Edge.Vague() || !written(t.Name) {
				continue
			}
			before := slices.IndexFunc(called[:i], func(was *cfg.Transition) bool {
				return !was.Bounded && was.Cond.Kind == cfg.Calls && !was.Edge.Vague() && t.Cond.Key().Implies(was.Cond.Key())
			})
			if before >= 0 && !slices.ContainsFunc(called[:i], (*cfg.Transition).Certain) { // which GG065 reports
				c.report(t.Name.Pos, c.edgeSubject(t.Edge)+" is never taken", "name other tools, or remove the edge",
					diag.Related{Pos: called[before].Edge.Spec.Pos, Message: c.edgeTitle(called[before].Edge) + " is for these tools too, and comes before it"})
			}
		}
	}
}

// edgeTools reports mistakes in the tools of an edge.
func (c *context) edgeTools(n *resolve.Node, e *resolve.Edge) {
	s := e.Spec
	if !s.ToolsPos.IsSet() || s.Unread {
		return
	}
	switch {
	case s.On.V != "tool_call":
		c.report(s.ToolsPos, c.edgeSubject(e)+" names tools, but is not for turns that call tools",
			"add "+diag.Add("on", "tool_call")+", or "+diag.Remove("remove tools"))
		return
	case len(s.Tools) == 0:
		c.report(s.ToolsPos, "tools of "+c.edgeSubject(e)+" is empty", "name tools, or "+diag.Remove("remove it")+": then the edge is for all tools")
	}
	c.repeatedIn(" in one edge", n, "tool", s.Tools)
	for _, name := range s.Tools {
		tool := c.graph.Tool(name.V)
		if !n.Spec.Unread && n.Defers && written(name) && !n.Injects(name.V) && (tool == nil || !slices.Contains(n.Tools, tool)) {
			names := make([]string, len(n.Tools))
			for i, t := range n.Tools {
				names[i] = t.Spec.Name.V
			}
			c.reportUnknown(name, c.edgeSubject(e)+" names "+quote(name.V)+", which is not a tool of node "+quote(n.Spec.Name.V),
				didYouMean(name.V, names, "name one of its tools"))
		}
	}
}
