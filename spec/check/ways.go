package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A way is one written way on from a node, of whatever rule.
type way struct {
	from    *resolve.Node
	name    spec.String // the target as written
	to      resolve.Target
	edge    *resolve.Edge // nil: not an edge
	what    string        // edge, branch, goto, route, transition, next, on_pass, on_fail, error transition, route value
	failure bool          // taken by a failed node, or one with failed guards
}

// ways lists every written way on from a node, unknown targets too.
func (c *context) ways(n *resolve.Node) []way {
	if list, ok := c.listed[n]; ok {
		return list
	}
	list := waysOf(n, c.routings[n])
	c.listed[n] = list
	return list
}

func waysOf(n *resolve.Node, r *resolve.Routing) []way {
	var out []way
	for _, rf := range r.Route {
		for _, choice := range rf.Choices {
			if rf.Field.Type.Base().Kind == resolve.Enum {
				out = append(out, way{from: n, name: spec.String{V: choice.Value, Pos: choice.Pos}, to: choice.To, what: "route value"})
			}
		}
	}
	named := func(what string, failure bool, names ...resolve.Named) {
		for _, x := range names {
			out = append(out, way{from: n, name: x.Name, to: x.To, what: what, failure: failure})
		}
	}
	if n.Kind == "router" {
		named("route", false, r.Goto...)
	} else {
		named("goto", false, r.Goto...)
	}
	edges := func(what string, failure bool, list []*resolve.Edge) {
		for _, e := range list {
			for i, t := range e.Targets() {
				name := e.Spec.To
				if e.Spec.BranchPos.IsSet() {
					name, what = e.Spec.Branch[i].To, "branch"
				}
				out = append(out, way{from: n, name: name, to: t, edge: e, what: what, failure: failure})
			}
		}
	}
	edges("edge", false, r.Edges)
	for _, t := range r.Transitions {
		named("transition", false, t.To)
	}
	if r.Next != nil {
		named("next", false, *r.Next)
	}
	edges("edge", true, r.GuardFail)
	if r.OnFail != nil {
		named("on_fail", true, *r.OnFail)
	}
	edges("edge", true, r.Failed)
	if r.ErrorTo != nil {
		named("error transition", true, *r.ErrorTo)
	}
	return out
}

// blurred reports whether a way on from the node leads to nothing known: then the shape
// of the graph behind it cannot be judged.
func (c *context) blurred(n *resolve.Node) bool {
	s := n.Spec
	if n.Kind != "guard" && (s.OnPass.IsSet() || s.OnFail.IsSet()) || n.Kind != "router" && len(s.Routes) > 0 || n.Kind == "router" && len(s.Routes) == 0 {
		return true // meant for another kind of node
	}
	for _, w := range c.ways(n) {
		if !w.to.Known() {
			return true
		}
	}
	return false
}
