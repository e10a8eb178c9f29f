package bounds

import (
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// A searchedNode is a node as the breadth-first search first reaches it.
type searchedNode struct {
	before     Path // the segments before transition
	parent     *searchedNode
	transition *cfg.Transition
	failed     explore.Failed
	steps      int
}

// path returns the walk to the node.
func (s *searchedNode) path() Path {
	return Path{{Repeated: s.before, Times: 1}, {Transition: s.transition}}
}

// visited reports whether the walk visits a node.
func (s *searchedNode) visited(n *cfg.Node) bool {
	for at := s; at != nil; at = at.parent {
		if at.transition.To == n {
			return true
		}
	}
	return false
}

// arrive records that a walk takes the transition of s, and reaches its target.
func (t *tracer) arrive(s *searchedNode) {
	t.walked++
	if have := &t.bounds.Follows[s.transition.Index]; have.Reached == 0 {
		have.Reached, have.Path = 1, s.path()
	}
	if to := s.transition.To; to != nil {
		if have := &t.bounds.Visits[to.Index]; have.Reached == 0 {
			have.Reached, have.Path = 1, s.path()
		}
	}
}

// explore searches the graph breadth-first over walks that visit no node twice. It records for most
// nodes and transitions that some walk reaches them. The exits of a node do not depend on the walk
// before it.
func (t *tracer) explore() {
	b, graph := t.bounds, t.bounds.Graph
	least := explore.StepCostModel(graph)
	seen := make([]bool, len(graph.Nodes))
	var todo []*searchedNode
	arrive := func(s *searchedNode) {
		t.arrive(s)
		if to := s.transition.To; to != nil && !seen[to.Index] {
			seen[to.Index] = true
			todo = append(todo, s)
		}
	}
	if to := graph.Entry.To; to == nil || graph.MaxSteps() > 0 && to.MaxVisits > 0 {
		arrive(&searchedNode{transition: graph.Entry, failed: explore.No, steps: 1})
	}
	state := explore.Start(graph)
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		n := s.transition.To
		var within explore.OutcomeCosts
		if n.Composite() {
			within = least.Regions(n)
		}
		state.Current, state.Failed = n, s.failed
		for _, m := range state.Exits() {
			w := m.Transition
			if m.Doubtful || w == nil || b.Follows[w.Index].Reached > 0 && (w.To == nil || seen[w.To.Index]) {
				continue
			}
			next := &searchedNode{transition: w, parent: s, failed: m.After, steps: s.steps}
			last := Segment{Transition: s.transition}
			if n.Composite() {
				c := (&guide{known: map[*cfg.Node]explore.OutcomeCosts{n: within}}).rangeOf(n, m.Outcome).Min
				if c == nil {
					continue
				}
				last.Regions = c
				next.steps += c.Length
			}
			if w.To != nil {
				next.steps++
				if w.To.MaxVisits == 0 || w.To.MaxVisits == 1 && s.visited(w.To) {
					continue
				}
			}
			if next.steps > graph.MaxSteps() {
				continue
			}
			next.before = Path{{Repeated: s.before, Times: 1}, last}
			arrive(next)
		}
	}
}
