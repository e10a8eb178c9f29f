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
		if r := n.Region; r == nil || !n.Kind.Chooses || n.Parent.Kind.Picks() || r.Last() == n || n.Spec.Unread {
			continue // GG221 has the others
		}
		if f, skips := n.Spec.Flag(spec.SkipOnError); skips {
			c.report(f.Name.Pos, "router "+quote(n.Spec.Name.V)+" in "+c.regionOf(n.Region)+" is skip_on_error: skipped, it chooses nothing", "remove the flag, or set it on the nodes behind it")
		}
		ends, leads := false, false
		for _, name := range n.Spec.Routes {
			switch to := n.Ahead(name.V); {
			case !written(name):
				leads = true // it may be meant
			case !to.Known():
				leads = true
				c.wrongRoute(n, name)
			case to.End:
				ends = true
			default:
				leads = true
			}
		}
		if ends && !leads {
			c.report(n.Spec.Routes[0].Pos, "router "+quote(n.Spec.Name.V)+" has nothing to choose: its one route is the end of "+c.regionOf(n.Region), "name nodes behind it, as in routes: ["+n.Region.Last().Spec.Name.V+", end], or remove it and what is behind it")
		}
	}
}

// skippedInRegions reports nodes of regions that every router before them skips.
func (c *context) skippedInRegions() {
	for _, parent := range c.cfg.Nodes {
		for _, r := range parent.Regions {
			if len(r.Nodes) < len(r.Spec.Written) || slices.ContainsFunc(r.Spec.Nodes, (*resolve.Node).Misrouted) {
				continue
			}
			var router *cfg.Node
			led := map[int]bool{0: true}
			for i, n := range r.Nodes {
				if !led[i] {
					name := n.Spec.Spec.Name
					c.report(name.Pos, "nothing leads to node "+quote(name.V)+" in "+c.regionOf(r.Spec)+": router "+quote(router.Name())+" always skips it", "add it to the routes of "+quote(router.Name())+", or remove it",
						diag.Related{Pos: router.Spec.Spec.Name.Pos, Message: "the router is here"})
					led[i] = true // nodes behind it have no mistake of their own
				}
				for _, o := range [...]cfg.Outcome{cfg.Succeeded, cfg.SoftFailed, cfg.Skipped} {
					for _, to := range n.Onward(o) {
						led[to] = true
					}
				}
				if n.Spec.Kind.Chooses {
					router = n
				}
			}
		}
	}
}

// wrongRoute reports a route of a router in a region to what is not behind it there.
func (c *context) wrongRoute(n *resolve.Node, name spec.String) {
	router, region := "router "+quote(n.Spec.Name.V), c.regionOf(n.Region)
	var ahead []string
	for _, to := range n.Region.Nodes[slices.Index(n.Region.Nodes, n)+1:] {
		ahead = append(ahead, to.Spec.Name.V)
	}
	remedy := "name a node behind it, " + alternatives(ahead) + ", or end, which ends " + region
	switch to := c.graph.Node(name.V); {
	case to == n:
		c.report(name.Pos, router+" leads to itself: in "+region+" it leads on", remedy)
	case to == nil:
		c.reportUnknown(name, router+" leads to no node: "+quote(name.V), (&suggester{names: append(ahead, spec.End)}).suggest(name.V, true, remedy))
	case to.Region == n.Region:
		c.report(name.Pos, router+" leads back to "+quote(name.V)+", which is before it in "+region, remedy+"; a loop repeats its body", diag.Related{Pos: namedAt(to), Message: "it is named here"})
	default:
		c.report(name.Pos, router+" leads to "+quote(name.V)+", which is not in "+region, remedy+"; or name it there, behind "+quote(n.Spec.Name.V))
	}
}
