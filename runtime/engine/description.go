package engine

import "github.com/graphgen/graphgen"

// A description is what events and reports have of the transitions of a spec, by TransitionID.
type description struct {
	routes []graphgen.Route
	counts []graphgen.TransitionCount // all 0
}

// described returns the description of the transitions, which is made when a run is observed or reports for the first time.
func (g *Graph) described() *description {
	if g.description.Load() == nil {
		d := &description{make([]graphgen.Route, len(g.Transitions)), make([]graphgen.TransitionCount, len(g.Transitions))}
		for i := range g.Transitions {
			d.routes[i], d.counts[i] = g.describeRoute(TransitionID(i)), g.uncounted(&g.Transitions[i])
		}
		g.description.Store(d) // runs that begin at once may make it twice: they are equal
	}
	return g.description.Load()
}

// route returns the route of a transition. Those of the spec are shared by all events of them.
func (g *Graph) route(transition TransitionID) *graphgen.Route {
	if int(transition) < len(g.Transitions) {
		return &g.described().routes[transition]
	}
	route := g.describeRoute(transition)
	return &route
}

// describeRoute describes a transition for events.
func (g *Graph) describeRoute(transition TransitionID) graphgen.Route {
	switch transition {
	case Terminal:
		return graphgen.Route{To: g.NodeName(End), Rule: graphgen.RuleTerminal, Reason: "no transition"}
	case Exhausted:
		return graphgen.Route{To: g.NodeName(End), Rule: graphgen.RuleTerminal, Reason: "every edge is used up"}
	case NoRoute:
		return graphgen.Route{To: g.NodeName(End), Rule: graphgen.RuleNoMatch, Reason: "no transition matched"}
	case Aborted:
		return graphgen.Route{To: g.NodeName(End), Rule: graphgen.RuleError, Reason: "no failure route"}
	}
	w := g.transition(transition)
	route := graphgen.Route{To: g.NodeName(w.To), Rule: w.Rule, Reason: w.Text, Label: w.Label}
	if int(transition) < len(g.Transitions) {
		route.Transition = int(transition) + 1
	}
	return route
}

// uncounted describes a transition for reports.
func (g *Graph) uncounted(w *TransitionInfo) graphgen.TransitionCount {
	return graphgen.TransitionCount{From: g.leaving(w.From), To: g.NodeName(w.To), Rule: w.Rule, Text: w.Text, Label: w.Label, Pos: g.transitionPosition(w)}
}
