package engine

import (
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/incomparable"
	"github.com/graphgen/graphgen/internal/origin"
)

// An observation is what a watched run keeps for its events.
type observation struct {
	_ incomparable.Struct

	info  graphgen.RunInfo
	scope *scope    // the innermost that a hook has opened; nil: none has
	clock time.Time // when the wall clock was last read

	events int          // of the outermost run: how many its observers got in this call
	calls  atomic.Int64 // of the outermost run: how many calls of models have begun
	end    ending       // of the run that does not pause
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
	o.info = graphgen.RunInfo{Graph: r.graph.Name, Shape: r.graph.Shape, File: r.graph.File, Within: r.settings.location(), Branch: r.relations().branch}
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

// restarts makes the next event the first one of a call that resumes the run.
func (o *observation) restarts() { o.clock, o.events = time.Time{}, 0 }

// NextCall returns the number of a call of a model that begins, or that another process has made. It is 0 where nothing observes the run, and it
// is in no thread.
func (a *Agent) NextCall() int {
	threaded := a.run.settings.thread != nil
	if !threaded && !a.run.Observed() {
		return 0
	}
	a.run = a.run.outermost()
	for n := a.run.settings.nesting; n != nil && (n.observed || threaded); n = a.run.settings.nesting {
		a.run = n.run.outermost()
	}
	return int(a.run.observed().calls.Add(1))
}

// route returns the route of a transition. Those of the spec are shared by all events of them.
func (r *Run) route(transition TransitionID) *graphgen.Route {
	if int(transition) < len(r.graph.Transitions) {
		return &r.graph.described().routes[transition]
	}
	route := r.graph.route(transition)
	return &route
}

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
			d.routes[i], d.counts[i] = g.route(TransitionID(i)), g.uncounted(&g.Transitions[i])
		}
		g.description.Store(d) // runs that begin at once may make it twice: they are equal
	}
	return g.description.Load()
}

// uncounted describes a transition for reports.
func (g *Graph) uncounted(w *TransitionInfo) graphgen.TransitionCount {
	return graphgen.TransitionCount{From: g.leaving(w.From), To: g.NodeName(w.To), Rule: w.Rule, Text: w.Text, Label: w.Label, Pos: g.transitionPosition(w)}
}

// route describes a transition for events.
func (g *Graph) route(transition TransitionID) graphgen.Route {
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

// describe sets what events have in common.
func (r *Run) describe(e *graphgen.Event) {
	e.Run = &r.observed().info
	if e.Details.Of == (origin.Ref{}) {
		e.Details.Of = origin.To(source{r})
	}
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
func (r *Run) stepEvent(kind graphgen.EventKind, now time.Time, n *NodeInfo, step, visit int) graphgen.Event {
	return graphgen.Event{
		Kind: kind, Time: now, Run: &r.more.seen.info, Details: origin.Details{Of: origin.To(source{r})},
		Node: n.Name, NodeKind: n.Kind, Dynamic: n.Dynamic, Line: int32(n.Line), Col: int32(n.Col), Step: step, Visit: visit,
	}
}

// place sets what the event has of the node besides its name.
func place(e *graphgen.Event, n *NodeInfo) {
	e.NodeKind, e.Dynamic, e.Line, e.Col = n.Kind, n.Dynamic, int32(n.Line), int32(n.Col)
}
