package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An audience is what the models of a graph are shown of it besides what their nodes read.
type audience struct {
	judges    bool                   // one judges an edge: it is shown the input and the results of the nodes before
	inherited map[*resolve.Node]bool // nodes whose output another is shown
	listeners []*resolve.Node        // nodes that are shown what others have said
}

func (c *context) audience() *audience {
	if c.hearing != nil {
		return c.hearing
	}
	c.hearing = &audience{judges: slices.ContainsFunc(c.graph.Edges, (*resolve.Edge).Judged), inherited: map[*resolve.Node]bool{}}
	for _, n := range c.graph.All() {
		for _, from := range n.Inherits {
			c.hearing.inherited[from] = true
		}
		if remembers(n) && n.Spec.Prompt.Context.V != "scoped" {
			c.hearing.listeners = append(c.hearing.listeners, n)
		}
	}
	return c.hearing
}

// shown reports whether a model is shown the output of a node: one that judges edges or the
// output itself, one whose node inherits it, or one that is shown the messages before.
func (c *context) shown(n *resolve.Node) bool {
	a := c.audience()
	switch {
	case n.Out == nil:
		return false
	case a.judges, a.inherited[n], slices.ContainsFunc(n.Evals, func(e *resolve.Eval) bool { return e.Spec.Judge.IsSet() }):
		return true
	}
	return remembers(n) && len(a.listeners) > 0 && (len(a.listeners) > 1 || a.listeners[0] != n)
}

// remembers reports whether a node takes part in the conversation of the run.
func remembers(n *resolve.Node) bool { return n.Asks && !n.Has(spec.NoHistory) }

// needsWrites reports whether a node has to write what it writes for a model to be shown it:
// its output is made of that.
func (c *context) needsWrites(n *resolve.Node) bool {
	return n.Worker().Spec.Output == nil && n.Out != nil && n.Out.Kind == resolve.Struct && c.shown(n)
}
