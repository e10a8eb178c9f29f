// Package cfg is the control-flow graph of a spec: every transition that can lead a run from
// one node to the next, from whichever rule of SEMANTICS section 3 it comes, in the order in
// which a run tries them. It is the one place that knows these rules. The checks, the data
// flow, the bounds, the assertions, the differences of two specs and the lowering read it.
package cfg

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Graph is the control-flow graph of one spec.
type Graph struct {
	Spec        *resolve.Graph
	Nodes       []*Node       // in the order of the spec, with the nodes of regions and the templates
	Transitions []*Transition // Transitions[i].Index is i; generated tables have this order
	Counters    []*Counter    // of pairs of nodes with an edge that has max_iterations
	Entry       *Transition   // nil: the spec has no valid entry
	OnError     *Transition   // leads to the node that handles failures of others; nil: none

	Running []*Node       // nodes that runs may visit: those to which transitions lead, then those of regions, without templates
	Taken   []*Transition // transitions that may lead runs from node to node, apart from those in regions

	Exprs *expr.Package // the declarations that expressions see

	answersBound bool            // people bound every cycle that the spec does not bound, and there are such cycles
	asking       *Fold[answered] // nil until something asks where people answer

	nodes map[*resolve.Node]*Node
	ifs   map[*resolve.Edge]*expr.Expr

	values map[*resolve.Node][]*expr.Expr
}

// A Node is a node of the spec with the transitions that leave it.
type Node struct {
	Index int
	Spec  *resolve.Node

	Leaving []*Transition              // every transition of the spec that leaves it, in the order of the rules
	On      [NumOutcomes][]*Transition // transitions that are tried after an outcome, in order
	Else    [NumOutcomes]Else          // what happens after an outcome if no transition is taken
	Tests   []*Transition              // rules 2 to 6: the transitions that are tried after a success, a soft failure or a skip, in order
	UsedUp  []*Transition              // edges whose used-up bounds end the run at the node; nil: they do not
	NoMatch string                     // rule 7, as the node or the graph states it: error, end, or empty
	Choices []*Choice                  // among transitions of Leaving, in their order

	Until *expr.Expr   // of a loop: its condition; nil: it has none
	Evals []*expr.Expr // conditions of its evals; nil for one that cannot be parsed

	Regions []*Region // of a composite node
	Region  *Region   // the region that runs it; nil: none

	unasked map[*Transition]bool // those that a run may take although nobody has answered; nil: that is not known yet

	Place int         // in its region
	Chain *Transition // to the next node in its region; nil: a run does not go there without a choice

	Soft, Critical, Skip bool // fail_soft, critical, skip_on_error
	AnswersBound         bool // a run visits it as often as people answer, unless it has no steps left; MaxVisits is NoLimit
	MaxVisits            int  // of a region, for each of its executions
}

// Name returns the node's name in the spec.
func (n *Node) Name() string { return n.Spec.Spec.Name.V }

// IsChild reports whether a composite node runs the node. Only transitions of its region lead to it.
func (n *Node) IsChild() bool { return n.Spec.Parent != nil }

// A Region is what a composite node runs as one: nodes that run one after the other, of which routers may skip some, or a graph. From the
// place of a node a run goes to later places alone.
type Region struct {
	Parent *Node
	Spec   *resolve.Region
	Nodes  []*Node
	Enter  *Transition // from the composite node to the first node
	If     *expr.Expr  // of a branch: it is started where the condition holds; nil: it is started
}

// Starts returns the conditions by which a composite node starts its branches.
func (n *Node) Starts() []*expr.Expr {
	var list []*expr.Expr
	for _, r := range n.Regions {
		if r.If != nil {
			list = append(list, r.If)
		}
	}
	return list
}

// A Departure is how a run may leave a node of a region.
type Departure struct {
	Place int         // of the next node; that of the end of the region is the number of its nodes
	Via   *Transition // nil: no transition is taken, and the region ends
}

// Departures returns how a run may leave a node of a region after an outcome, in the order in which it is tried.
func (n *Node) Departures(o Outcome) []Departure {
	var list []Departure
	end := len(n.Region.Nodes)
	for _, t := range n.On[o] {
		switch {
		case (t.Cond.Kind == Named || t.Cond.Kind == Label) && o != Succeeded: // no choice was made
		case t.To == n: // a turn that calls tools
		case t.To == nil:
			list = append(list, Departure{end, t})
		default:
			list = append(list, Departure{t.To.Place, t})
		}
	}
	switch n.Else[o] {
	case Completes, Exhausts, Ends:
		return append(list, Departure{Place: end})
	}
	if (o == Succeeded || o == SoftFailed) && n.MayDecline() {
		list = append(list, Departure{Place: end})
	}
	return list
}

// Onward returns the places in its region to which a run may go from a node after an outcome. That of the end of
// the region is the number of its nodes.
func (n *Node) Onward(o Outcome) []int {
	var places []int
	for _, m := range n.Departures(o) {
		places = append(places, m.Place)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// Recovered are the outcomes by which a node of a region fails, unless a transition is taken after them.
var Recovered = [...]Outcome{Refused, Denied, Late, Spent, Failed, OutOfVisits}

// After returns the places to which a run may go from a node of a region that fails.
func (n *Node) After() []int {
	var places []int
	for _, o := range Recovered {
		if n.has(o) {
			places = append(places, n.Onward(o)...)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// has reports whether an execution of a node can have an outcome by which it fails.
func (n *Node) has(o Outcome) bool {
	switch o {
	case Failed:
		return true
	case OutOfVisits:
		return n.Spec.Loops
	}
	return n.occurs(o)
}

// Aborting reports whether a failure of a node may end its region: not every one has a transition.
func (n *Node) Aborting() bool {
	return n.Else[Failed] != Never || n.has(OutOfVisits) && n.Else[OutOfVisits] != Never
}

// FailsLeaving reports whether a node of a region may fail after its work has succeeded: a condition panics, or no transition is taken.
func (n *Node) FailsLeaving() bool {
	switch n.Else[Succeeded] {
	case Errors, Unstated:
		return true
	}
	return slices.ContainsFunc(n.On[Succeeded], func(t *Transition) bool { return t.Cond.Expr != nil && t.Cond.Expr.Panics() })
}

// Overspends reports whether an on: budget edge, of the node or of one around it, may be taken because a budget is spent at the node.
func (n *Node) Overspends() bool {
	for at := n; at != nil; at = at.Parent() {
		if len(at.On[Spent]) > 0 {
			return n.Spec.Draws()
		}
	}
	return false
}

// A Transition can lead a run from a node to the next.
type Transition struct {
	Index  int
	From   *Node  // nil: from any node (the entry, on_error)
	To     *Node  // nil: end, or an unknown node
	End    string // the name of the end to which it leads; empty: it leads to no end that has one
	Known  bool   // the target exists
	Rule   Rule
	Key    string // its key, if it is neither an edge with a condition nor a value
	Cond   Cond
	Choice *Choice // transitions that exclude one another

	Max     int      // max_iterations; 0: none
	Bounded bool     // it has max_iterations, even if that could not be read
	Counter *Counter // nil: it is not counted

	Label  string      // the author's label
	Name   spec.String // the target as written, with its position
	Pos    spec.Pos    // for reports
	Edge   *resolve.Edge
	Branch int         // index of the label in the branch table of Edge
	Alias  bool        // a value of rule 2 that a run accepts, but that is not offered because another value has the same target
	First  *Transition // an earlier value of rule 2 with the same target, which replaces this one; nil: none
}

// Text returns the condition of the transition, as reports show it.
func (t *Transition) Text() string {
	if t.Key != "" {
		return t.Key
	}
	return t.Cond.String()
}

// Conditional reports whether the transition has a condition. A bound is not a condition.
func (t *Transition) Conditional() bool { return t.Cond.Kind != Always }

// Certain reports whether the transition is taken whenever it is tried.
func (t *Transition) Certain() bool { return t.Cond.Kind == Always && !t.Bounded }

// CertainAfterRun reports whether the transition is taken whenever it is tried by a node that
// was executed: a turn that calls tools has other transitions.
func (t *Transition) CertainAfterRun() bool {
	return (t.Cond.Kind == Always || t.Cond.Kind == Uncalled) && !t.Bounded
}

// Target returns the target in terms of resolve.
func (t *Transition) Target() resolve.Target {
	if t.To != nil {
		return resolve.Target{Node: t.To.Spec}
	}
	return resolve.Target{End: t.Known, Name: t.End}
}

// A Choice is a set of transitions of which one is chosen once per visit: by a route field, by the
// handler, by a branch table, or by the model.
type Choice struct {
	Rule     Rule
	Members  []*Transition
	Required bool             // every success makes the choice
	Loose    bool             // a string in an earlier route field may override a required choice
	Field    *resolve.Field   // the output field of the choice; nil: none
	Absent   []*resolve.Field // route fields before Field, which must be empty
	Edge     *resolve.Edge    // of a branch table
}

// Decides reports whether one of the transitions is taken whenever the choice is tried after a
// success: it is required, nothing overrides it, and none of its bounds can be used up.
func (c *Choice) Decides() bool {
	return c.Required && !c.Loose && len(c.Members) > 0 && !slices.ContainsFunc(c.Members, func(t *Transition) bool { return t.Bounded })
}

// A Counter counts how often the edges between two nodes were followed.
type Counter struct {
	Index    int
	From, To *Node // To nil: end
	Max      int   // the greatest max_iterations of these edges
}

// A Rule is the rule that a transition comes from. The order is the order of SEMANTICS section 3.
// ByGuardFail and the rules after it do not apply to successes.
type Rule uint8

const (
	ByEntry      Rule = iota
	ByToolLoop        // rule 1: the node itself, after a turn that calls tools
	ByToolCall        // on: tool_call edges, of a node that defers its calls
	ByRoute           // rule 2: a value of the output
	ByGoto            // rule 3: what the handler returns; the routes of a router, also of one in a region
	ByEdge            // rule 4
	ByTransition      // rule 5
	ByNext            // rule 6; on_pass of a guard
	ByGuardFail       // on: guard_fail edges, then on_fail
	ByBudget          // on: budget edges
	ByError           // on: error edges, then the error transition, then on_error of the graph
	ByHuman           // on_deny and on_timeout
	ByRegion          // from a composite node to the first node of a region
	ByChain           // from a node of a region to the next one
)

// Reported returns the rule that events and reports name.
func (r Rule) Reported() spec.Rule {
	return [...]spec.Rule{
		ByEntry: spec.RuleEntry, ByToolLoop: spec.RuleToolLoop, ByToolCall: spec.RuleEdge, ByRoute: spec.RuleRoute, ByGoto: spec.RuleGoto,
		ByEdge: spec.RuleEdge, ByTransition: spec.RuleTransition, ByNext: spec.RuleNext, ByGuardFail: spec.RuleGuardFail,
		ByBudget: spec.RuleBudget, ByError: spec.RuleError, ByHuman: spec.RuleHuman, ByRegion: spec.RuleBranch, ByChain: spec.RuleNext,
	}[r]
}

// String returns the rule as events and reports name it.
func (r Rule) String() string { return r.Reported().String() }

// An Outcome is how a visit of a node ends.
type Outcome uint8

const (
	Succeeded Outcome = iota
	CalledTools
	SoftFailed // the failure of a node with fail_soft
	Refused    // its guards refused the output
	Failed
	Denied // a person denied
	Late   // the answer of a person was late
	Spent  // a budget of the run had less than the node needed
	OutOfVisits
	Skipped
	NumOutcomes
)

// String returns the outcome as a phrase.
func (o Outcome) String() string {
	return [...]string{"succeeded", "called tools", "soft failed", "refused", "failed", "denied", "late", "over budget", "out of visits", "skipped"}[o]
}

// Verb returns the outcome as what a node does.
func (o Outcome) Verb() string {
	return [...]string{"succeeds", "calls tools", "fails softly", "is refused by its guards", "fails", "is denied", "is answered too late",
		"finds a budget spent", "has no visits left", "is skipped"}[o]
}

// Else is what happens after an outcome if no transition is taken.
type Else uint8

const (
	Never     Else = iota // a transition is always taken, or the outcome does not occur
	Completes             // the node is terminal: the run is completed
	Exhausts              // bounds are used up: the run ends, exhausted
	Errors                // no_match: error
	Ends                  // no_match: end
	Unstated              // rule 7 applies, and the spec does not set no_match
	Fails                 // the visit fails: On[Failed] is tried
	Aborts                // the run fails; within a region the parent fails
)

// String returns the phrase for e.
func (e Else) String() string {
	return [...]string{"never", "completed", "exhausted", "no_match error", "no_match end", "no_match is not stated", "failed", "the run fails"}[e]
}

// If returns the condition of an edge, whether or not it is a transition; nil: it has no if.
func (g *Graph) If(e *resolve.Edge) *expr.Expr { return g.ifs[e] }

// Values returns the expressions of the values that a node writes, in the order of its Writes.
func (g *Graph) Values(n *resolve.Node) []*expr.Expr {
	if list, ok := g.values[n]; ok {
		return list
	}
	var list []*expr.Expr
	for _, a := range n.Spec.Set {
		if f := g.Spec.State.Field(a.Name.V); f != nil {
			list = append(list, expr.In(g.Exprs.Value(n, nil), a.Field, f.Type))
		}
	}
	if g.values == nil {
		g.values = map[*resolve.Node][]*expr.Expr{}
	}
	g.values[n] = list
	return list
}

// Merges reports whether custom code merges the writes of the branches of a node. That code may panic.
func (n *Node) Merges() bool {
	return n.Spec.Kind.Forks() && slices.ContainsFunc(n.Spec.Children(), func(c *resolve.Node) bool {
		return slices.ContainsFunc(c.Writes, func(w resolve.Write) bool { return w.To != nil && w.To.Merge == "custom" })
	})
}

// Node returns the node of a resolved node; nil for nil.
func (g *Graph) Node(n *resolve.Node) *Node { return g.nodes[n] }

// Recovers reports whether on_error of the graph is tried after an outcome of a node.
func (g *Graph) Recovers(n *Node, o Outcome) bool {
	return g.OnError != nil && slices.Contains(n.On[o], g.OnError)
}

// By returns the transitions of a rule that leave the node, in the order in which they are
// tried. They share the memory of Leaving.
func (n *Node) By(r Rule) []*Transition {
	from := slices.IndexFunc(n.Leaving, func(t *Transition) bool { return t.Rule == r })
	if from < 0 {
		return nil
	}
	to := from
	for to < len(n.Leaving) && n.Leaving[to].Rule == r {
		to++
	}
	return n.Leaving[from:to:to]
}

// Keyed returns the transition with the given key; nil without one.
func (n *Node) Keyed(key string) *Transition {
	for _, t := range n.Leaving {
		if t.Key == key {
			return t
		}
	}
	return nil
}

// Edges returns the edges of rule 4 in the order in which they are tried, each branch table once.
func (n *Node) Edges() []*resolve.Edge {
	var out []*resolve.Edge
	for _, t := range n.By(ByEdge) {
		if len(out) == 0 || out[len(out)-1] != t.Edge {
			out = append(out, t.Edge)
		}
	}
	return out
}

// JudgedEdges returns the edges that the model judges.
func (n *Node) JudgedEdges() []*Transition {
	for _, c := range n.Choices {
		if c.Members[0].Cond.Kind == Judged {
			return c.Members
		}
	}
	return nil
}

// Terminal reports whether the node has no transition for a success. The run is completed after it.
func (n *Node) Terminal() bool {
	return len(n.Leaving) == 0 || !slices.ContainsFunc(n.Leaving, func(t *Transition) bool {
		return t.Rule >= ByToolCall && t.Rule <= ByNext
	})
}

// Exhaustible reports whether the run ends at the node when its edges are used up: it has edges,
// every one bounded, and no other transition. A node that states no_match: error fails instead.
func (n *Node) Exhaustible() bool { return n.UsedUp != nil }

// Deciding returns the choice of rule 2 that names a node after every success: the choice of a required
// enum without a string field before it. Nil without one.
func (n *Node) Deciding() *Choice {
	for _, c := range n.Choices {
		if c.Rule == ByRoute && c.Required && !c.Loose {
			return c
		}
	}
	return nil
}

// MayDecline reports whether the model may be asked about a single edge, because the bounds of the
// others are used up. It can then answer no, which completes the run unless a later rule names a
// node.
func (n *Node) MayDecline() bool {
	judged, lasting := n.JudgedEdges(), 0
	for _, t := range judged {
		if !t.Bounded {
			lasting++
		}
	}
	return len(judged) > 0 && lasting <= 1
}

// Success returns the transitions of rules 2 to 6.
func (n *Node) Success() []*Transition {
	from := slices.IndexFunc(n.Leaving, func(t *Transition) bool { return t.Rule >= ByRoute })
	to := slices.IndexFunc(n.Leaving, func(t *Transition) bool { return t.Rule > ByNext })
	switch {
	case from < 0:
		return nil
	case to < 0:
		to = len(n.Leaving)
	}
	return n.Leaving[from:to:to]
}

// Chooses reports whether every success of the node chooses a transition: by a required route
// field, as a router, or by a branch table without bounds.
func (n *Node) Chooses() bool {
	return slices.ContainsFunc(n.Choices, (*Choice).Decides)
}

// Routes returns the choices of rule 2, one for each route field.
func (n *Node) Routes() []*Choice {
	i := 0
	for i < len(n.Choices) && n.Choices[i].Rule == ByRoute {
		i++
	}
	return n.Choices[:i]
}
