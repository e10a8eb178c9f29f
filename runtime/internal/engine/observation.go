package engine

import (
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/internal/incomparable"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// An observation is what a watched run keeps for its events.
type observation struct {
	_ incomparable.Struct

	info  graphrt.RunInfo
	scope *scope    // the innermost that a hook has opened; nil: none has
	clock time.Time // when the wall clock was last read
	end   ending    // of the run that does not pause
}

// observed returns what the run keeps for its events. It is made once.
func (r *Run) observed() *observation {
	if x := r.more; x != nil && x.seen != nil {
		return x.seen
	}
	return r.observation()
}

func (r *Run) observation() *observation {
	o := besides[observation](r)
	o.clock = time.Now()
	o.info = graphrt.RunInfo{Graph: r.graph.Name, File: r.graph.File, Within: r.location(), Branch: r.relations().branch}
	r.outermost().setName(&o.info.ID)
	if t := r.settings.thread; t != nil {
		o.info.Thread = t.Name()
	}
	r.more.seen = o
	return o
}

// wallClock is how long the wall clock is not read again, for its reading costs more than that of the
// monotonic clock. The times of events follow an adjustment of the wall clock after that time.
const wallClock = time.Second

// now returns the time for an event.
func (r *Run) now() time.Time {
	o := r.observed()
	if past := time.Since(o.clock); past < wallClock {
		return o.clock.Add(past)
	}
	o.clock = time.Now()
	return o.clock
}

// route returns the route of a transition. Those of the spec are shared by all events of them.
func (r *Run) route(transition TransitionID) *graphrt.Route {
	if int(transition) < len(r.graph.Transitions) {
		return &r.graph.described().routes[transition]
	}
	route := r.graph.route(transition)
	return &route
}

// A description is what events and reports have of the transitions of a spec, by TransitionID.
type description struct {
	routes []graphrt.Route
	counts []graphrt.TransitionCount // all 0
}

// described returns the description of the transitions, which is made when a run is observed or reports for the first time.
func (g *Graph) described() *description {
	if g.description.Load() == nil {
		d := &description{make([]graphrt.Route, len(g.Transitions)), make([]graphrt.TransitionCount, len(g.Transitions))}
		for i := range g.Transitions {
			d.routes[i], d.counts[i] = g.route(TransitionID(i)), g.uncounted(&g.Transitions[i])
		}
		g.description.Store(d) // runs that begin at once may make it twice: they are equal
	}
	return g.description.Load()
}

// uncounted describes a transition for reports.
func (g *Graph) uncounted(w *TransitionInfo) graphrt.TransitionCount {
	return graphrt.TransitionCount{From: g.leaving(w.From), To: g.NodeName(w.To), Rule: w.Rule, Text: w.Text, Label: w.Label, Pos: g.transitionPosition(w)}
}

// route describes a transition for events.
func (g *Graph) route(transition TransitionID) graphrt.Route {
	switch transition {
	case Terminal:
		return graphrt.Route{To: g.NodeName(End), Rule: graphrt.RuleTerminal, Reason: "no transition"}
	case Exhausted:
		return graphrt.Route{To: g.NodeName(End), Rule: graphrt.RuleTerminal, Reason: "every edge is used up"}
	case NoRoute:
		return graphrt.Route{To: g.NodeName(End), Rule: graphrt.RuleNoMatch, Reason: "no transition matched"}
	case Aborted:
		return graphrt.Route{To: g.NodeName(End), Rule: graphrt.RuleError, Reason: "no failure route"}
	}
	w := g.transition(transition)
	return graphrt.Route{To: g.NodeName(w.To), Rule: w.Rule, Reason: w.Text, Label: w.Label}
}

// describe sets what events have in common.
func (r *Run) describe(e *graphrt.Event) {
	e.Run, e.Origin = &r.observed().info, origin.To(source{r})
	if e.Time.IsZero() {
		e.Time = r.now()
	}
	if e.Node == "" {
		return
	}
	n := r.graph.named(e.Node, r.here())
	if e.Step == 0 {
		e.Step, e.Visit = r.step(), r.visit(n)
	}
	if e.Line == 0 {
		place(e, r.graph.node(n))
	}
}

// stepEvent returns an event of a step of a node. Its caller has it on the stack, where it is written
// without write barriers: so all of it is set here, and the function has to be inlined.
func (r *Run) stepEvent(kind graphrt.EventKind, now time.Time, n *NodeInfo, step, visit int) graphrt.Event {
	return graphrt.Event{
		Kind: kind, Time: now, Run: &r.more.seen.info, Origin: origin.To(source{r}),
		Node: n.Name, NodeKind: n.Kind, Dynamic: n.Dynamic, Line: int32(n.Line), Col: int32(n.Col), Step: step, Visit: visit,
	}
}

// place sets what the event has of the node besides its name.
func place(e *graphrt.Event, n *NodeInfo) {
	e.NodeKind, e.Dynamic, e.Line, e.Col = n.Kind, n.Dynamic, int32(n.Line), int32(n.Col)
}
