package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// A RegionTransition is a transition between nodes of a region: into the region, from a node to the
// next, a route of a router, or back to a node whose model has called tools. It has no edge.
type RegionTransition struct {
	Composite *cfg.Node // the node that runs the region
	From, To  *cfg.Node // From is the composite node for a transition into the region; To is nil for the end of the region
	Rule      spec.Rule
	Text      string // body, pool, the name of a branch, or a route
	Pos       spec.Pos
	Follows   Bound
}

// regionTransitions bounds the transitions of regions by the visits of their targets.
func (b *Bounds) regionTransitions() []RegionTransition {
	var out []RegionTransition
	for _, composite := range b.Graph.Running {
		for _, r := range composite.Regions {
			first := r.Nodes[0]
			out = append(out, RegionTransition{composite, composite, first, spec.RuleBranch, r.Enter.Key, first.Pos(), b.executions(first)})
			for i := range len(r.Nodes) + 1 {
				for _, from := range r.Nodes[:i] {
					out = append(out, b.within(composite, r, from, i)...)
				}
				if i < len(r.Nodes) {
					out = append(out, b.again(composite, r.Nodes[i])...)
				}
			}
		}
	}
	return out
}

// within bounds the transitions from a node of a region to a place in it.
func (b *Bounds) within(composite *cfg.Node, r *cfg.Region, from *cfg.Node, place int) []RegionTransition {
	var out []RegionTransition
	leads := from.Leads()
	for _, lead := range leads {
		if lead.PlaceTo() != place {
			continue
		}
		t := RegionTransition{Composite: composite, From: from, Rule: lead.Rule.Reported(), Text: lead.Text(), Pos: lead.Pos}
		most := b.executions(from).Most
		if place < len(r.Nodes) {
			t.To = r.Nodes[place]
			t.Pos, t.Follows = t.To.Pos(), b.executions(t.To)
			most = min(most, t.Follows.Most)
		}
		if t.To == nil || leading(r, place) > 1 || len(leads) > 1 {
			t.Follows = b.onWalks(r, from, place, most)
		}
		out = append(out, t)
	}
	return out
}

// again bounds the transition by which a node is visited again after a turn that calls tools.
func (b *Bounds) again(composite, n *cfg.Node) []RegionTransition {
	if !n.Spec.Loops || n.Composite() {
		return nil
	}
	visits := b.Visits[n.Index]
	again := Bound{Most: visits.Most - ceil(visits.Most, n.MaxVisits), Reached: max(0, visits.Reached-b.executions(n).Most), Path: visits.Path}
	again.ByAnswers = visits.ByAnswers && n.MaxVisits > 1
	return []RegionTransition{{composite, n, n, spec.RuleToolLoop, "tool calls", n.Pos(), again}}
}

// leading returns how many transitions lead to a place of a region from others there.
func leading(r *cfg.Region, place int) (count int) {
	for _, from := range r.Nodes {
		for _, lead := range from.Leads() {
			if lead.PlaceTo() == place {
				count++
			}
		}
	}
	return count
}

// onWalks returns the bound of a transition of a region where several lead on from a node, or to one. The walk that
// visits the node most often, and one that follows the transition as often as the node around it lets it within one
// visit, show how often it is followed.
func (b *Bounds) onWalks(r *cfg.Region, from *cfg.Node, place, most int) Bound {
	root := from.Root()
	if b.sought += len(b.Graph.Running); b.sought > maxSought {
		return Bound{Most: most, ByAnswers: b.Visits[from.Index].ByAnswers}
	}
	costs := b.seek(root, from, place, 1)
	once := explore.Any(costs)
	if !once.Possible() || b.Visits[root.Index].Most == 0 {
		return Bound{}
	}
	bound := Bound{Most: min(most, times(b.Visits[root.Index].Most, once.Max.Amount)), ByAnswers: b.rounds.within(root, costs)}
	reaches := func(n int, walk Path) {
		if n = min(n, bound.Most); n > bound.Reached && walk != nil {
			bound.Reached, bound.Path = n, walk
		}
	}
	begun := b.Visits[from.Index].Path
	for _, worth := range [...]int{1, 1000} {
		within := explore.Any(b.seek(root, from, place, worth)).Max
		n := within.Amount
		if worth > 1 {
			n = (n + within.Length) / worth
		}
		reaches(n, b.replaced(begun, root, within))
	}
	if place < len(r.Nodes) {
		reaches(followed(begun, r.Nodes, from, place), begun)
		into := b.Visits[r.Nodes[place].Index].Path
		reaches(followed(into, r.Nodes, from, place), into)
	}
	return bound
}

// maxSought bounds the work for the transitions of routers in regions, in nodes.
const maxSought = 1_000_000

// seek returns what one visit of a composite node costs where a transition within it is worth some steps. With a
// worth of 1 steps cost nothing.
func (b *Bounds) seek(root, from *cfg.Node, place, worth int) explore.OutcomeCosts {
	m := explore.NewCostModel(b.Graph)
	for i := range m.Visit {
		if worth > 1 {
			m.Visit[i], m.Pass[i] = -1, -1
		}
	}
	m.Onward = func(n *cfg.Node, to int) int {
		if n == from && to == place {
			return worth
		}
		return 0
	}
	return m.Regions(root)
}

// replaced returns a walk up to the first visit of a composite node, with other visits within it; nil: there are not enough
// steps for it.
func (b *Bounds) replaced(walk Path, root *cfg.Node, within *explore.PathCost) Path {
	var out Path
	steps := within.Length
	for s := range walk.Segments() {
		if steps++; steps > b.Graph.MaxSteps() {
			return nil
		}
		if s.Transition.To == root {
			return append(out, Segment{Transition: s.Transition, Regions: within})
		}
		if s.Regions != nil {
			steps += s.Regions.Length
		}
		out = append(out, s)
	}
	return nil
}

// maxCounted is how many visits of a walk are looked at for one transition.
const maxCounted = 20_000

// followed counts how often a walk goes from a node of a region to a later place in it. A visit of a node that is not
// later than the one before it begins the region again.
func followed(walk Path, nodes []*cfg.Node, from *cfg.Node, place int) (count int) {
	last, left := len(nodes), maxCounted
	for s := range walk.Segments() {
		if s.Regions == nil {
			continue
		}
		for n := range s.Regions.Visits() {
			if left--; left < 0 {
				return count
			}
			at := slices.Index(nodes, n)
			if at < 0 {
				continue
			}
			if at == place && last < at && nodes[last] == from {
				count++
			}
			last = at
		}
	}
	return count
}

// executions bounds the executions of a child. An execution is one visit, and one more for each
// turn that calls tools.
func (b *Bounds) executions(n *cfg.Node) Bound {
	visits := b.Visits[n.Index]
	if !n.Spec.Loops || n.Composite() || n.MaxVisits < 2 {
		return visits
	}
	most := times(b.Visits[n.Root().Index].Most, repeats(n)/n.MaxVisits)
	return Bound{Most: min(visits.Most, most), Reached: ceil(visits.Reached, n.MaxVisits), Path: visits.Path, ByAnswers: visits.ByAnswers}
}

// ceil returns a/b, rounded up.
func ceil(a, b int) int { return (a + b - 1) / max(1, b) }
