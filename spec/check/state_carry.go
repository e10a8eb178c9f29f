package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// carryPasses judge the fields with which the next run of a thread begins.
var carryPasses = []Pass{
	{Code: "GG397", run: carriedFields},
}

func carriedFields(c *context) {
	if c.spec.Unread {
		return
	}
	for _, f := range c.graph.State.Fields {
		if !f.Carries() {
			continue
		}
		name, pos := quote(f.Name), f.Spec.Carry.Pos
		switch {
		case c.graph.Input.Field(f.Name) != nil:
			c.report(pos, "field "+name+" is carried to the next run of a thread, and is an input, which the caller gives",
				"leave it out of input, or leave out carry")
		case slices.ContainsFunc(c.graph.All(), func(n *resolve.Node) bool { return n.Item == f }):
			c.report(pos, "field "+name+" is carried to the next run of a thread, and a map sets it to each element", "leave out carry")
		case !c.spec.Durable.V && !c.spec.Durable.Lost:
			c.warn(pos, "field "+name+" is carried to the next run of a thread, and the graph is not durable: it has no threads",
				"set "+diag.Set("durable", "true")+", or "+diag.Remove("leave out carry"))
		}
	}
}
