package bounds

import (
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/scc"
)

// rounds are the cycles of a network that a walk takes as often as people answer: all their arcs are free, that is without a capacity that the spec
// states. What an arc of them counts has no other bound.
type rounds struct {
	*model
	free []bool // by the arc
	part []int  // the component of every port, where only free arcs connect
	met  []bool // by the component: walks reach it
	work effort // for children of composite nodes
}

// rounds returns the rounds of a model, given the most visits of its nodes; nil: something else bounds the steps of a run.
func (m *model) rounds(visits func(*cfg.Node) int) *rounds {
	if !m.graph.AnswersBound() {
		return nil
	}
	r := &rounds{model: m, free: make([]bool, len(m.net.arcs)), work: effort{maxCostModelWork}}
	for i, a := range m.net.arcs {
		r.free[i] = a.capacity >= unbounded
	}
	for _, n := range m.graph.Running {
		r.free[m.visit[n.Index]] = n.AnswersBound
	}
	for _, g := range m.gates {
		r.free[g.arc] = m.graph.Nodes[g.node].AnswersBound
	}
	next := make([][]int, len(m.net.arcsFrom))
	for i, a := range m.net.arcs {
		if r.free[i] {
			next[a.from] = append(next[a.from], a.to)
		}
	}
	r.part = scc.Components(next, nil)
	r.met = make([]bool, len(r.part))
	for _, n := range m.graph.Running {
		if n.AnswersBound && visits(n) > 0 {
			r.met[r.part[m.begin[n.Index]]] = true
		}
	}
	return r
}

// has reports whether walks take an arc in rounds.
func (r *rounds) has(arc int) bool {
	if r == nil || arc < 0 {
		return false
	}
	a := &r.net.arcs[arc]
	return r.free[arc] && r.part[a.from] == r.part[a.to] && r.met[r.part[a.from]]
}

// visits reports whether walks visit a node in rounds. If a child would take too much work, its composite node decides.
func (r *rounds) visits(n *cfg.Node) bool {
	if r == nil {
		return false
	}
	root := n.Root()
	if n == root || !r.work.spend(r.size(root)) {
		return r.has(r.visit[root.Index])
	}
	return r.within(root, r.once(n, root))
}

// follows reports whether walks follow a transition to a visit in rounds.
func (r *rounds) follows(t *cfg.Transition) bool {
	return r != nil && t.To != nil && r.has(r.arcOf[t.Index]) && r.visits(t.To)
}

// within reports whether one of the visits of a composite node in rounds has a cost.
func (r *rounds) within(n *cfg.Node, o explore.OutcomeCosts) bool {
	if r == nil {
		return false
	}
	if n.Soft {
		o.Success = explore.Any(o)
	}
	costs := func(arc int, c explore.CostRange) bool { return r.has(arc) && c.Possible() && c.Max.Amount > 0 }
	return costs(r.finish[n.Index], o.Success) || costs(r.failing[n.Index], o.Failure) || costs(r.spending[n.Index], o.Spent)
}

// costs reports whether rounds have a cost, by the costs that the arcs of the network have.
func (r *rounds) costs() bool {
	if r == nil {
		return false
	}
	for i, a := range r.net.arcs {
		if a.steps > 0 && r.has(i) {
			return true
		}
	}
	return false
}
