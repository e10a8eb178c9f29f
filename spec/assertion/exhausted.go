package assertion

import (
	"slices"

	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
)

// An Exhaustion is a path to a node at which the bounds of all edges are used up.
type Exhaustion struct {
	Node *cfg.Node
	Path []Step // nil: the bounds allow a path, but the search was not completed
}

// Exhaustions returns the given nodes whose edges a run can use up. All edges of the nodes
// have bounds. A node that is not returned never ends a run in this manner.
func Exhaustions(g *cfg.Graph, nodes []*cfg.Node) []Exhaustion {
	visits := bounds.MostVisits(g)
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *cfg.Node) bool { return visits[n.Index] <= bound(n) })
	if len(nodes) == 0 {
		return nil
	}
	p := NewProver(g)
	q := &query{to: new(cfg.Node), exhausted: map[*cfg.Node][]Step{}, maxSteps: g.MaxSteps()}
	q.fold = cfg.NewFold(q, true)
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
func bound(n *cfg.Node) int {
	sum, most := 0, map[*cfg.Counter]int{} // edges for failures may have a greater bound
	for _, t := range n.Tests {
		if more := t.Max - most[t.Counter]; t.Counter != nil && more > 0 {
			most[t.Counter] = t.Max
			sum += more
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
