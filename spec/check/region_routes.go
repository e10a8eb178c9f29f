package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// childRoutes judges the routes of routers in regions.
func childRoutes(c *context) {
	for _, n := range c.graph.All() {
		if r := n.Region; r == nil || r.Graph || !n.Kind.Chooses || n.Parent.Kind.Picks() || r.Last() == n || n.Spec.Unread {
			continue // GG221 has the others
		}
		if f, skips := n.Spec.Flag(spec.SkipOnError); skips && followsSoft(n) {
			c.report(f.Name.Pos, "router "+quote(n.Spec.Name.V)+" in "+c.regionOf(n.Region)+" is skip_on_error: skipped, it chooses nothing",
				diag.Remove("remove the flag")+", or set it on the nodes after it")
		}
		for _, name := range n.Spec.Routes {
			if written(name) && !n.Ahead(name.V).Known() {
				c.wrongRoute(n, name)
			}
		}
		if n.OnlyEnds() {
			c.report(n.Spec.Routes[0].Pos, "router "+quote(n.Spec.Name.V)+" has nothing to choose: its one route is the end of "+c.regionOf(n.Region),
				"name nodes after it, as in "+diag.Set("routes", "["+n.Region.Last().Spec.Name.V+", end]")+", or remove it and what is after it")
		}
	}
}

// skippedInRegions reports nodes of regions that every router before them skips.
func (c *context) skippedInRegions() {
	for _, parent := range c.cfg.Nodes {
		for _, r := range parent.Regions {
			if r.Spec.Graph || len(r.Nodes) < len(r.Spec.Written) || slices.ContainsFunc(r.Spec.Nodes, (*resolve.Node).Misrouted) {
				continue
			}
			var router *cfg.Node
			led := map[int]bool{0: true}
			for i, n := range r.Nodes {
				if !led[i] {
					name := n.Spec.Spec.Name
					c.report(name.Pos,
						"nothing leads to node "+quote(name.V)+" in "+c.regionOf(r.Spec)+": router "+quote(router.Name())+" always skips it",
						"add it to the routes of "+quote(router.Name())+", or "+diag.Remove("remove it"),
						diag.Related{Pos: router.Spec.Spec.Name.Pos, Message: "the router is here"})
					led[i] = true // nodes after it have no mistake of their own
				}
				for _, o := range [...]cfg.Outcome{cfg.Succeeded, cfg.SoftFailed, cfg.Skipped} {
					for _, to := range n.Onward(o) {
						led[to] = true
					}
				}
				if n.Spec.Kind.Chooses {
					router = n
					led[i+1] = led[i+1] || n.Spec.OnlyEnds()
				}
			}
		}
	}
}

// leadsIntoUnread reports whether a route leads to a node of a region that could not be read as a whole: the router may be
// meant by a name there.
func (c *context) leadsIntoUnread(n *resolve.Node) bool {
	return slices.ContainsFunc(n.Spec.Routes, func(route spec.String) bool {
		to := c.graph.Node(route.V)
		return to != nil && to.Parent != nil && to.Parent.Bodiless()
	})
}

// followsSoft reports whether a node before one in its region may fail softly, and all between them are skipped then. Without one a
// node is never skipped, which has a code of its own.
func followsSoft(n *resolve.Node) bool {
	for _, before := range slices.Backward(n.Region.Nodes[:slices.Index(n.Region.Nodes, n)]) {
		if before.Spec.FailSoft.V || !before.Has(spec.SkipOnError) {
			return before.Spec.FailSoft.V
		}
	}
	return false
}

// skipper returns the first router that may skip a node of its region; nil: none does.
func skipper(n *resolve.Node) *resolve.Node {
	if n.Region.Graph {
		return nil
	}
	i := slices.Index(n.Region.Nodes, n)
	for _, router := range n.Region.Nodes[:i] {
		past := func(route spec.String) bool {
			to := router.Ahead(route.V)
			return to.End || to.Node != nil && slices.Index(n.Region.Nodes, to.Node) > i
		}
		if router.Kind.Chooses && slices.ContainsFunc(router.Spec.Routes, past) {
			return router
		}
	}
	return nil
}

// wrongRoute reports a route of a router in a region to what is not after it there.
func (c *context) wrongRoute(n *resolve.Node, name spec.String) {
	router, region := "router "+quote(n.Spec.Name.V), c.regionOf(n.Region)
	var ahead []string
	for _, to := range n.Region.Nodes[slices.Index(n.Region.Nodes, n)+1:] {
		ahead = append(ahead, to.Spec.Name.V)
	}
	remedy := "name a node after it, " + alternatives(ahead) + ", or end, which ends " + region
	switch to := c.graph.Node(name.V); {
	case to == n:
		c.report(name.Pos, router+" leads to itself: in "+region+" it leads on", remedy)
	case to == nil:
		c.reportUnknown(name, router+" leads to no node: "+quote(name.V), (&suggester{names: append(ahead, spec.End)}).suggest(name.V, true, remedy))
	case to.Region == n.Region:
		c.report(name.Pos, router+" leads back to "+quote(name.V)+", which is before it in "+region, remedy+"; a loop repeats its body",
			diag.Related{Pos: namedAt(to), Message: "it is named here"})
	default:
		c.report(name.Pos, router+" leads to "+quote(name.V)+", which is not in "+region, remedy+"; or name it there, after "+quote(n.Spec.Name.V))
	}
}
