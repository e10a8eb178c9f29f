package assertion

import (
	"slices"

	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/explore"
)

// An Exhaustion is a path to a node at which the bounds of all edges are used up.
type Exhaustion struct {
	Node *explore.Node
	Path []Step // nil: the bounds allow a path, but the search was not completed
}

// Exhaustions returns the given nodes whose edges a run can use up. All edges of the nodes
// have bounds. A node that is not returned never ends a run in this manner.
func Exhaustions(g *explore.Graph, nodes []*explore.Node) []Exhaustion {
	visits := bounds.MostVisits(g)
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *explore.Node) bool { return visits[n.Index] <= bound(g, n) })
	if len(nodes) == 0 {
		return nil
	}
	p := NewProver(g)
	q := &query{to: new(explore.Node), exhausted: map[*explore.Node][]Step{}, maxSteps: g.MaxSteps,
		regions: map[regionVisit]regionPaths{}, chains: map[regionVisit]regionPaths{}}
	for _, n := range nodes {
		q.exhausted[n] = nil
	}
	_, complete := p.searchCounted(q)
	var out []Exhaustion
	for _, n := range nodes {
		if path := q.exhausted[n]; path != nil || !complete {
			out = append(out, Exhaustion{n, path})
		}
	}
	return out
}

// bound returns how often the edges of a node are followed until all are used up.
func bound(g *explore.Graph, n *explore.Node) int {
	sum, seen := 0, map[int]bool{}
	for _, t := range n.Tests {
		if pair := t.Transition.Counter; pair >= 0 && !seen[pair] {
			seen[pair] = true
			sum += g.CounterMax[pair]
		}
	}
	return sum
}

// addExhausted records the first path to a node of the query whose edges are used up. It reports
// whether all have a path.
func (q *query) addExhausted(at *position) bool {
	if path, asked := q.exhausted[at.node]; asked && path == nil && at.state.Exhausted() {
		q.exhausted[at.node] = at.path(Step{Node: at.node})
	}
	for _, path := range q.exhausted {
		if path == nil {
			return false
		}
	}
	return true
}
