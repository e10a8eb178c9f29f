package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/nodename"
	"github.com/graphgen/graphgen/mutation"
)

// An Action is what a change does to the graph of its run.
type Action = mutation.Action

// A Mutable describes how runs may change a graph.
type Mutable struct {
	Allow     []mutation.Action
	Max       int    // mutations of a run
	Bounded   bool   // the limits of the spec say max_steps or max_visits, which bound every cycle
	Visits    uint32 // the max_visits of a node that sets none; 0: 25
	Templates []NodeID
	Kinds     []string
	Reads     []string // state fields that an added node may be shown
	Writes    []string // state fields that it may write
	Tools     []string // that it may call
	Outputs   []string // that hold nothing before a node writes them
	Asserts   []Assertion
}

// Leads reports whether a run may make a transition to a node that has none.
func (m *Mutable) Leads() bool {
	return slices.Contains(m.Allow, mutation.ActionAddEdge) || slices.Contains(m.Allow, mutation.ActionSkipTo)
}

// An AssertionForm is a form of what a spec asserts of every run.
type AssertionForm uint8

const (
	EveryPathPasses AssertionForm = iota // every path to A passes B
	NoPathWithout                        // no path from A to B without C
	IsReachable                          // A is reachable
	RunsAtMost                           // A runs at most Most times
)

// An Assertion is what a spec asserts of every run.
type Assertion struct {
	Form    AssertionForm
	A, B, C NodeID
	Most    int
	Text    string
}

// Misread returns a mutation that could not be read. It is refused.
func Misread(action, why string) mutation.Change {
	return mutation.Change{Action: mutation.Action(nodename.Named(action)), Misread: nodename.Excerpt(why)}
}

// Apply applies the changes that the current node requests, one by one. It reports whether one
// of them chose the next node, which replaces the node's own choice. set sets the fields of an
// update, and reports whether it is one of the graph.
func (o *Changes) Apply(changes []mutation.Change, set func(update any) bool) bool {
	r := o.run
	r.path.requireSlowStep()
	c := changing{r: r, changes: o, at: r.here(), set: set, pos: r.here()}
	for i := range changes {
		m := changes[i] // a copy, which is completed: several runs may be given the same changes
		refused := c.make(&m)
		if refused == "" {
			o.accepted++
		}
		o.log = append(o.log, mutation.Entry{
			Node: r.Graph().NodeName(c.at), Step: r.path.steps(), Action: m.Action, Text: m.String(), Refused: refused,
		})
	}
	if !c.jumps {
		return false
	}
	r.SlowStep(c.jump, c.pos)
	return true
}

// changing applies the changes that a node requests.
type changing struct {
	r       *Run
	changes *Changes
	at      NodeID // the node
	pos     NodeID // where the run goes on from: the node, or where a change has led it
	jumps   bool
	jump    TransitionID
	set     func(any) bool
	links   *links // made when a search needs them
}

// overlay returns the changes, of which there is one from now on.
func (c *changing) overlay() *Changes {
	c.changes.begin()
	return c.changes
}

// make makes a change, or returns the reason why it is refused.
func (c *changing) make(m *mutation.Change) string {
	may := c.r.Graph().Mutable
	switch {
	case m.Misread != "":
		return m.Misread
	case may == nil || !slices.Contains(may.Allow, m.Action):
		return "the spec does not allow " + string(m.Action)
	case c.changes.accepted >= may.Max:
		return "the run has made " + strconv.Itoa(may.Max) + " mutations, its max"
	}
	c.links = nil
	return c.perform(m)
}

// perform makes a change.
func (c *changing) perform(m *mutation.Change) string {
	switch m.Action {
	case mutation.ActionAddNode:
		return c.addNode(m)
	case mutation.ActionAddEdge:
		return c.addEdge(m)
	case mutation.ActionSkipTo:
		return c.skipTo(m)
	case mutation.ActionRetryWith:
		return c.retryWith(m)
	case mutation.ActionRemoveEdge:
		return c.removeEdge(m)
	}
	return c.removeNode(m)
}

// skipTo makes a node the next one, before any rule is tried.
func (c *changing) skipTo(m *mutation.Change) string {
	to, refused := c.target(m.To)
	if refused != "" {
		return refused
	}
	if refused := c.mayGo(to); refused != "" {
		return refused
	}
	if missing := c.changes.unwritten(); to == End && len(missing) > 0 {
		return "the run has not written its output " + strings.Join(missing, ", ")
	}
	c.goTo(to, m.Action)
	return ""
}

// retryWith sets fields of the state, and runs the node again.
func (c *changing) retryWith(m *mutation.Change) string {
	if refused := c.mayGo(c.at); refused != "" {
		return refused
	}
	if c.set == nil || !c.set(m.Update) {
		return "the update is none of the graph " + c.r.Graph().Name
	}
	c.goTo(c.at, m.Action)
	return ""
}

func (c *changing) goTo(to NodeID, action mutation.Action) {
	c.jump = c.overlay().transitionOf(TransitionInfo{From: c.at, To: to, Rule: graphgen.RuleMutation, Text: string(action)})
	c.jumps, c.pos = true, to
}

// mayGo returns the reason why the run must not jump to a node, empty if it may.
func (c *changing) mayGo(to NodeID) string {
	if c.jumps {
		return "the run is already led to " + c.r.Graph().NodeName(c.pos)
	}
	return c.breaks(c.at, to, true)
}

// addEdge adds an edge, which is tried after the dynamic edges that exist.
func (c *changing) addEdge(m *mutation.Change) string {
	from, refused := c.source(m.From)
	if refused != "" {
		return refused
	}
	to, refused := c.target(m.To)
	switch {
	case refused != "":
		return refused
	case m.Most < 0:
		return "an edge is followed at most a positive number of times"
	case m.Most == 0 && c.unbounded(from, to):
		return "the cycle that it closes has no bound: say how often it is followed at most"
	}
	if refused := c.breaks(from, to, false); refused != "" {
		return refused
	}
	c.overlay().addEdge(from, to, m.Most)
	return ""
}

// addNode adds a node with the edges that lead to it and from it.
func (c *changing) addNode(m *mutation.Change) string {
	n := &m.Node
	template, refused := c.fits(n)
	if refused != "" {
		return refused
	}
	next, after := End, End
	if n.After != "" {
		if after, refused = c.source(n.After); refused != "" {
			return refused
		}
	}
	switch {
	case n.Next != "":
		next, refused = c.target(n.Next)
	case n.After != "":
		next, refused = c.onwards(after)
	}
	if refused != "" {
		return refused
	}
	if n.After != "" {
		if refused := c.breaks(after, next, false); refused != "" {
			return refused
		}
	}
	o := c.overlay()
	from := template
	if from == End {
		from = c.at // a dynamic prompt has the position of the node that requested it
	}
	added, refused := o.addNode(n, template, c.r.Graph().nodePosition(from))
	if refused != "" {
		return refused
	}
	if n.After != "" {
		o.addEdge(after, added, max(1, n.Times))
	}
	o.addEdge(added, next, 0)
	return ""
}

// removeEdge closes the transitions from one node to another.
func (c *changing) removeEdge(m *mutation.Change) string {
	from, refused := c.source(m.From)
	if refused != "" {
		return refused
	}
	to, refused := c.target(m.To)
	if refused != "" {
		return refused
	}
	if refused := c.mayClose(from, to); refused != "" {
		return refused
	}
	o := c.overlay()
	undo := o.close(from, to)
	if refused := c.stillEnds(from); refused != "" {
		undo()
		return refused
	}
	return ""
}

// removeNode removes a node: transitions to it go to its successor.
func (c *changing) removeNode(m *mutation.Change) string {
	n, refused := c.target(m.To)
	switch {
	case refused != "":
		return refused
	case n == End:
		return "end cannot be removed"
	case n == c.at || n == c.pos:
		return "node " + m.To + " runs, or is to run next"
	}
	to, refused := c.onwards(n)
	switch {
	case refused != "":
		return refused
	case to == End && !c.certain(n), to == n:
		return "node " + m.To + " has no transition without condition, which could replace it"
	case c.r.Graph().boundOf(n) > 0 && c.loops(n, to):
		return "node " + m.To + " bounds the cycle that it is in"
	}
	for i := range c.r.Graph().Mutable.Asserts {
		if a := &c.r.Graph().Mutable.Asserts[i]; a.needs(n) {
			return "it would break what the spec asserts: " + a.Text
		}
	}
	if refused := c.breaks(n, to, false); refused != "" {
		return refused
	}
	o := c.overlay()
	undo := o.remove(n, to)
	if refused := c.stillEnds(to); refused != "" {
		undo()
		return refused
	}
	return ""
}
