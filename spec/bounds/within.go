package bounds

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/explore"
)

// A Within is a way between nodes that a composite node runs: into a region, from a node to the
// next, or back to a node whose model has called tools. No edge is written for it.
type Within struct {
	Host     *explore.Node // that runs the nodes
	From, To *explore.Node // From is the host where the way leads into a region
	Rule     spec.Rule
	Text     string // body, pool, or the name of a branch
	Follows  Bound
}

// within bounds the ways within composite nodes by the visits that they lead to.
func (b *Bounds) within() []Within {
	var out []Within
	for _, host := range b.Graph.Nodes {
		if host.Inside == nil {
			continue
		}
		for _, r := range host.Inside.Regions {
			from, rule, text := host, spec.RuleBranch, "body"
			switch {
			case host.Inside.Kind.Picks():
				text = "pool"
			case r.Name != "":
				text = "branch " + r.Name
			}
			for _, n := range r.Nodes {
				begun := b.executions(n)
				out = append(out, Within{host, from, n, rule, text, begun})
				if visits := b.Visits[n.Index]; n.Loops && n.Inside == nil {
					again := Bound{Most: visits.Most - ceil(visits.Most, n.MaxVisits), Reached: max(0, visits.Reached-begun.Most), Path: visits.Path}
					out = append(out, Within{host, n, n, spec.RuleToolLoop, "tool calls", again})
				}
				from, rule, text = n, spec.RuleNext, ""
			}
		}
	}
	return out
}

// executions bounds how often a node within others is begun: each time it is visited once, or
// once more for each turn that calls tools.
func (b *Bounds) executions(n *explore.Node) Bound {
	visits := b.Visits[n.Index]
	if !n.Loops || n.Inside != nil || n.MaxVisits < 2 {
		return visits
	}
	most := times(b.Visits[n.Outermost().Index].Most, repeats(n)/n.MaxVisits)
	return Bound{Most: min(visits.Most, most), Reached: ceil(visits.Reached, n.MaxVisits), Path: visits.Path}
}

// ceil divides, and rounds up.
func ceil(a, b int) int { return (a + b - 1) / max(1, b) }
