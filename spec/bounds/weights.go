package bounds

import "github.com/graphgen/graphgen/spec/explore"

// Weights are what arcs stand for: a measure of visits, and what the visits of composite
// nodes take besides.
type weights struct {
	*explore.Measure
	success, failure []int // by the node's index: of composite nodes that ways lead to
}

// weigh says what the arcs stand for: of composite nodes, the least or the most.
func weigh(g *explore.Graph, m *explore.Measure, of func(explore.Courses) *explore.Course) *weights {
	w := &weights{m, make([]int, len(g.Nodes)), make([]int, len(g.Nodes))}
	for i, n := range g.Nodes {
		if n.Inside == nil || n.Host != nil {
			continue
		}
		o := m.Within(n)
		if n.Soft {
			o.Success = o.Any()
		}
		if o.Success.Can() {
			w.success[i] = of(o.Success).Amount
		}
		if o.Failure.Can() {
			w.failure[i] = of(o.Failure).Amount
		}
	}
	return w
}

func least(c explore.Courses) *explore.Course { return c.Least }
func most(c explore.Courses) *explore.Course  { return c.Most }

// shortest makes arcs count the fewest steps.
func shortest(g *explore.Graph) *weights {
	m := g.StepMeasure()
	m.Skips = true
	return weigh(g, m, least)
}

// price makes the arcs cost what they stand for.
func (m *model) price(w *weights) {
	m.seen = nil
	for i, n := range m.graph.Nodes {
		m.net.cost(m.visit[i], w.Visit[i])
		switch {
		case n.Inside != nil:
			if m.finish[i] >= 0 {
				m.net.cost(m.finish[i], w.Finish[i]+w.success[i])
			}
			if m.failing[i] >= 0 {
				m.net.cost(m.failing[i], w.failure[i])
			}
		case m.finish[i] < 0:
			m.net.cost(m.visit[i], w.Visit[i]+w.Finish[i])
		default:
			m.net.cost(m.finish[i], w.Finish[i])
			for _, way := range n.Called {
				if m.taken[way.Index] >= 0 {
					m.net.cost(m.taken[way.Index], w.Called[i])
				}
			}
		}
	}
}

// confine lets nodes be visited so often.
func (m *model) confine(visits func(n int) int) {
	for i := range m.graph.Nodes {
		m.limit(m.visit[i], visits(i))
	}
}

// free lets nodes be visited as often as they may be.
func (m *model) free() { m.confine(func(n int) int { return m.graph.Nodes[n].MaxVisits }) }

// cost sets what a unit of flow along an arc makes.
func (n *network) cost(i, steps int) { n.arcs[i].steps, n.arcs[i^1].steps = steps, -steps }
