package bounds

import (
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// weights are the costs of arcs: a cost model of visits, and the costs of regions.
type weights struct {
	*explore.CostModel
	success, failure []int // of composite nodes that are no children, by the node's index
	spent            []int // of those, up to where a budget is spent
}

// newWeights returns the weights of a cost model with the minimum or maximum of the regions.
func newWeights(g *cfg.Graph, m *explore.CostModel, of func(explore.CostRange) *explore.PathCost) *weights {
	w := &weights{m, make([]int, len(g.Nodes)), make([]int, len(g.Nodes)), make([]int, len(g.Nodes))}
	for _, n := range g.Running {
		i := n.Index
		if !n.Composite() || n.Region != nil {
			continue
		}
		o := m.Regions(n)
		if o.Spent.Possible() {
			w.spent[i] = of(o.Spent).Amount
		}
		if n.Soft {
			o.Success = explore.Any(o)
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

// fewestSteps returns the weights that count the fewest steps.
func fewestSteps(g *cfg.Graph) *weights {
	return newWeights(g, explore.StepCostModel(g), minOf)
}

// setCosts sets the costs of all arcs.
func (m *model) setCosts(w *weights) {
	m.known = nil
	for _, n := range m.graph.Running {
		i := n.Index
		m.net.cost(m.visit[i], w.Visit[i])
		switch {
		case n.Composite():
			if m.finish[i] >= 0 {
				m.net.cost(m.finish[i], w.Finish[i]+w.success[i])
			}
			if m.failing[i] >= 0 {
				m.net.cost(m.failing[i], w.failure[i])
			}
			if m.spending[i] >= 0 {
				m.net.cost(m.spending[i], w.spent[i])
			}
		case m.finish[i] < 0:
			m.net.cost(m.visit[i], w.Visit[i]+w.Finish[i])
		default:
			m.net.cost(m.finish[i], w.Finish[i])
			for _, transition := range n.On[cfg.CalledTools] {
				if m.arcOf[transition.Index] >= 0 {
					m.net.cost(m.arcOf[transition.Index], w.Called[i])
				}
			}
		}
	}
}

// limitVisits sets the capacity of the visits of every node.
func (m *model) limitVisits(visits func(n int) int) {
	for _, n := range m.graph.Running {
		m.limit(m.visit[n.Index], visits(n.Index))
	}
}

// resetVisits sets the capacity of the visits of every node to its max_visits.
func (m *model) resetVisits() { m.limitVisits(func(n int) int { return m.graph.Nodes[n].MaxVisits }) }

// cost sets the cost of one unit of flow along an arc.
func (n *network) cost(i, steps int) { n.arcs[i].steps, n.arcs[i^1].steps = steps, -steps }
