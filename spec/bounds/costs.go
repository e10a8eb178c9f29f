package bounds

import "github.com/graphgen/graphgen/spec/explore"

// Weights are what arcs stand for: a measure of visits, and what the visits of composite
// nodes take besides.
type weights struct {
	*explore.CostModel
	success, failure []int // by the node's index: of composite nodes that ways lead to
}

// newWeights says what the arcs stand for: of composite nodes, the least or the most.
func newWeights(g *explore.Graph, m *explore.CostModel, of func(explore.CostRange) *explore.PathCost) *weights {
	w := &weights{m, make([]int, len(g.Nodes)), make([]int, len(g.Nodes))}
	for i, n := range g.Nodes {
		if n.Composite == nil || n.Parent != nil {
			continue
		}
		o := m.Regions(n)
		if n.Soft {
			o.Success = o.Any()
		}
		if o.Success.Possible() {
			w.success[i] = of(o.Success).Amount
		}
		if o.Failure.Possible() {
			w.failure[i] = of(o.Failure).Amount
		}
	}
	return w
}

func minOf(c explore.CostRange) *explore.PathCost { return c.Min }
func maxOf(c explore.CostRange) *explore.PathCost { return c.Max }

// fewestSteps makes arcs count the fewest steps.
func fewestSteps(g *explore.Graph) *weights {
	m := g.StepCostModel()
	m.Skips = true
	return newWeights(g, m, minOf)
}

// setCosts makes the arcs cost what they stand for.
func (m *model) setCosts(w *weights) {
	m.known = nil
	for i, n := range m.graph.Nodes {
		m.net.cost(m.visit[i], w.Visit[i])
		switch {
		case n.Composite != nil:
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
			for _, transition := range n.Called {
				if m.arcOf[transition.Index] >= 0 {
					m.net.cost(m.arcOf[transition.Index], w.Called[i])
				}
			}
		}
	}
}

// limitVisits lets nodes be visited so often.
func (m *model) limitVisits(visits func(n int) int) {
	for i := range m.graph.Nodes {
		m.limit(m.visit[i], visits(i))
	}
}

// resetVisits lets nodes be visited as often as they may be.
func (m *model) resetVisits() { m.limitVisits(func(n int) int { return m.graph.Nodes[n].MaxVisits }) }

// cost sets what a unit of flow along an arc makes.
func (n *network) cost(i, steps int) { n.arcs[i].steps, n.arcs[i^1].steps = steps, -steps }
