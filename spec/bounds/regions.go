package bounds

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/explore"
)

// A RegionTransition is a transition between nodes of a region: into the region, from a node to the
// next, or back to a node whose model has called tools. There is no edge for it.
type RegionTransition struct {
	Composite *explore.Node // the node that runs the region
	From, To  *explore.Node // From is the composite node for a transition into the region
	Rule      spec.Rule
	Text      string // body, pool, or the name of a branch
	Follows   Bound
}

// regionTransitions bounds the transitions of regions by the visits of their targets.
func (b *Bounds) regionTransitions() []RegionTransition {
	var out []RegionTransition
	for _, composite := range b.Graph.Nodes {
		if composite.Composite == nil {
			continue
		}
		for _, r := range composite.Composite.Regions {
			from, rule, text := composite, spec.RuleBranch, "body"
			switch {
			case composite.Composite.Kind.Picks():
				text = "pool"
			case r.Name != "":
				text = "branch " + r.Name
			}
			for _, n := range r.Nodes {
				begun := b.executions(n)
				out = append(out, RegionTransition{composite, from, n, rule, text, begun})
				if visits := b.Visits[n.Index]; n.Loops && n.Composite == nil {
					again := Bound{Most: visits.Most - ceil(visits.Most, n.MaxVisits), Reached: max(0, visits.Reached-begun.Most), Path: visits.Path}
					out = append(out, RegionTransition{composite, n, n, spec.RuleToolLoop, "tool calls", again})
				}
				from, rule, text = n, spec.RuleNext, ""
			}
		}
	}
	return out
}

// executions bounds the executions of a child. An execution is one visit, and one more for each
// turn that calls tools.
func (b *Bounds) executions(n *explore.Node) Bound {
	visits := b.Visits[n.Index]
	if !n.Loops || n.Composite != nil || n.MaxVisits < 2 {
		return visits
	}
	most := times(b.Visits[n.Root().Index].Most, repeats(n)/n.MaxVisits)
	return Bound{Most: min(visits.Most, most), Reached: ceil(visits.Reached, n.MaxVisits), Path: visits.Path}
}

// ceil returns a/b, rounded up.
func ceil(a, b int) int { return (a + b - 1) / max(1, b) }
