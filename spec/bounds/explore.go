package bounds

import "github.com/graphgen/graphgen/spec/explore"

// A spot is a node as the first walk comes to it that explores the graph.
type spot struct {
	before Path // the legs before the one that leads here
	parent *spot
	way    *explore.Way
	failed explore.Failed
	steps  int
}

// path is the walk to here.
func (s *spot) path() Path { return Path{{Again: s.before, Times: 1}, {Way: s.way}} }

// passes reports whether the walk to here visits a node.
func (s *spot) passes(n *explore.Node) bool {
	for at := s; at != nil; at = at.parent {
		if at.way.To == n {
			return true
		}
	}
	return false
}

// explore goes every way that a walk can go which visits no node twice before, nearest first, so
// that it is known of most nodes and ways that something reaches them. What can be done at a
// node does not depend on where such a walk has been.
func (t *tracer) explore() {
	b, graph := t.bounds, t.bounds.Graph
	least := graph.StepMeasure()
	seen := make([]bool, len(graph.Nodes))
	var todo []*spot
	arrive := func(s *spot) {
		t.spent++
		to := s.way.To
		if have := &b.Follows[s.way.Index]; have.Reached == 0 {
			have.Reached, have.Path = 1, s.path()
		}
		if to == nil {
			return
		}
		if have := &b.Visits[to.Index]; have.Reached == 0 {
			have.Reached, have.Path = 1, s.path()
		}
		if !seen[to.Index] {
			seen[to.Index] = true
			todo = append(todo, s)
		}
	}
	if to := graph.Entry().To; to == nil || graph.MaxSteps > 0 && to.MaxVisits > 0 {
		arrive(&spot{way: graph.Entry(), failed: explore.No, steps: 1})
	}
	state := graph.Start()
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		n := s.way.To
		var within explore.Outcomes
		if n.Inside != nil {
			within = least.Within(n)
		}
		state.At, state.Failed = n, s.failed
		for _, m := range state.Moves() {
			w := m.Way
			if m.Doubtful || w == nil || b.Follows[w.Index].Reached > 0 && (w.To == nil || seen[w.To.Index]) {
				continue
			}
			next := &spot{way: w, parent: s, failed: m.After, steps: s.steps}
			last := Leg{Way: s.way}
			if n.Inside != nil {
				c := (&guide{known: map[*explore.Node]explore.Outcomes{n: within}}).courses(n, m.How).Least
				if c == nil {
					continue
				}
				last.Inside = c
				next.steps += c.Length
			}
			if w.To != nil {
				next.steps++
				if w.To.MaxVisits == 0 || w.To.MaxVisits == 1 && s.passes(w.To) {
					continue
				}
			}
			if next.steps > graph.MaxSteps {
				continue
			}
			next.before = Path{{Again: s.before, Times: 1}, last}
			arrive(next)
		}
	}
}
