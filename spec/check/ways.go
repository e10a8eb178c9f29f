package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A way is one written way on from a node, of whatever rule.
type way struct {
	from    *resolve.Node
	name    spec.String // the target as written
	to      resolve.Target
	edge    *resolve.Edge // nil: not an edge
	what    string        // edge, branch, goto, route, transition, next, on_pass, on_fail, on_deny, on_timeout, error transition, route value
	failure bool          // taken by a failed node, one with failed guards, or one whose person has not said yes
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
				if e.Table() {
					name, what = e.Spec.Branch[i].To, "branch"
				}
				out = append(out, way{from: n, name: name, to: t, edge: e, what: what, failure: failure})
			}
		}
	}
	edges("edge", false, r.Called)
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
	if r.Denied != nil {
		named("on_deny", true, *r.Denied)
	}
	if r.Late != nil {
		named("on_timeout", true, *r.Late)
	}
	if r.ErrorTo != nil {
		named("error transition", true, *r.ErrorTo)
	}
	return out
}

// blurred reports whether what leaves the node cannot be judged: a way on leads to nothing
// known, or another mistake hides where ways on are.
func (c *context) blurred(n *resolve.Node) bool {
	s := n.Spec
	router, guard := n.Kind == "router", n.Kind == "guard"
	switch {
	case s.Unread || s.FailSoft.Lost:
		return true
	case router == (len(s.Routes) == 0), router && len(s.Goto) > 0, !guard && (s.OnPass.IsSet() || s.OnFail.IsSet()):
		return true // meant for another kind of node
	case n.Out != nil && n.Out.Kind == resolve.Unknown:
		return true
	}
	if routeLost(n) {
		return true
	}
	for _, w := range c.ways(n) {
		if !w.to.Known() {
			return true
		}
	}
	return slices.ContainsFunc(n.Leaving, mistaken)
}

// routeLost reports whether the output has a route field of a type that is not known.
func routeLost(n *resolve.Node) bool {
	return slices.ContainsFunc(resolve.RouteFields, func(name string) bool {
		f := n.Out.Field(name)
		return f != nil && f.Type.Base().Kind == resolve.Unknown
	})
}
