package graphrt

import (
	"slices"
	"strconv"
	"strings"
)

// An Action is what a mutation does to the graph of its run.
type Action string

// The actions, as specs and models write them.
const (
	ActionAddNode    Action = "add_node"
	ActionAddEdge    Action = "add_edge"
	ActionSkipTo     Action = "skip_to"
	ActionRetryWith  Action = "retry_with"
	ActionRemoveEdge Action = "remove_edge"
	ActionRemoveNode Action = "remove_node"
)

// A Mutation is a change of the graph of one run, which a node requests beside its output. The
// graph that all runs share never changes. A mutation that the spec does not allow, or that would
// make the graph unsound, is refused. An event and the report have the reason, and the run goes on.
type Mutation struct {
	action   Action
	from, to string
	most     int
	update   any
	node     NewNode
	wrong    string // why it could not be read
}

// A NewNode describes a dynamic node: another one of a template, or one of a kind.
type NewNode struct {
	Name     string // letters, digits and _, a letter first, MaxNodeName at most
	Template string // a node that the spec names among its templates
	Kind     string // without a template: prompt

	// Of kind prompt:
	Instructions string   // with {{field}} placeholders
	Reads        []string // state fields that it is shown
	Writes       string   // the state field that its answer is written to; empty: none
	Tools        []string // of the graph's

	After     string // the node from which an edge leads to it; empty: none does yet
	Times     int    // how often that edge is followed at most; 0: once
	Next      string // where it leads; empty: where After goes on when no condition holds, without After to end
	MaxVisits int    // 0: as often as the spec's nodes by default
}

// AddNode requests a new node.
func AddNode(n NewNode) Mutation { return Mutation{action: ActionAddNode, node: n} }

// AddEdge requests an edge, which is tried before those of the spec.
func AddEdge(from, to string) Mutation {
	return Mutation{action: ActionAddEdge, from: from, to: to}
}

// AtMost bounds how often a dynamic edge is followed.
func (m Mutation) AtMost(times int) Mutation {
	m.most = times
	return m
}

// SkipTo requests to go to a node, or to end, in place of the next node.
func SkipTo(node string) Mutation { return Mutation{action: ActionSkipTo, to: node} }

// RetryWith requests to run the node again, once fields of the state are set: update is the struct
// generated for that, named Update behind the graph's name.
func RetryWith(update any) Mutation { return Mutation{action: ActionRetryWith, update: update} }

// RemoveEdge requests to close the transitions from one node to another.
func RemoveEdge(from, to string) Mutation {
	return Mutation{action: ActionRemoveEdge, from: from, to: to}
}

// RemoveNode requests to remove a node. Transitions to it go to its successor, the target of its
// only transition without condition.
func RemoveNode(node string) Mutation { return Mutation{action: ActionRemoveNode, to: node} }

// Misread is a mutation that cannot be read. It is refused.
func Misread(action, why string) Mutation {
	return Mutation{action: Action(named(action)), wrong: excerpt(why)}
}

// Action returns what the mutation does.
func (m *Mutation) Action() Action { return m.action }

// String describes the mutation. It quotes a name that no node has, and cuts it if it is long: it
// may be any text.
func (m *Mutation) String() string {
	text := string(m.action)
	switch {
	case m.from != "":
		text += " " + named(m.from) + " -> " + named(m.to)
	case m.to != "":
		text += " " + named(m.to)
	case m.node.Name != "":
		text += " " + named(m.node.Name)
	}
	switch {
	case m.most == 1:
		text += ", once at most"
	case m.most > 1:
		text += ", " + strconv.Itoa(m.most) + " times at most"
	}
	return text
}

// A Mutable describes how runs may change a graph.
type Mutable struct {
	Allow     []Action
	Max       int    // mutations of a run
	Bounded   bool   // the limits of the spec say max_steps or max_visits, which bound every cycle
	Visits    uint32 // the max_visits of a node that sets none; 0: 25
	Templates []Node
	Kinds     []string
	Reads     []string // state fields that an added node may be shown
	Writes    []string // state fields that it may write
	Tools     []string // that it may call
	Outputs   []string // that hold nothing before a node writes them
	ByName    []Node   // all nodes, in the order of their names
	Asserts   []Assertion
}

// Leads reports whether a run may make a transition to a node that has none.
func (m *Mutable) Leads() bool {
	return slices.Contains(m.Allow, ActionAddEdge) || slices.Contains(m.Allow, ActionSkipTo)
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
	A, B, C Node
	Most    int
	Text    string
}

// A Change is a mutation that a node requested.
type Change struct {
	Node    string // that asked
	Step    int
	Action  Action
	Text    string // what it asked for
	Refused string // why not; empty: it was made
}

// mutating is the state of a run's mutations.
type mutating struct {
	written   []bool // the outputs, by Mutable.Outputs
	mutations []Change
	accepted  int // of them
	told      int
	tellAll   func(*Run, Node) // reports those of the step that ends; nil: it has none
}

// Mutate applies the changes that the current node requests, one by one. It reports whether one
// of them chose the next node, which replaces the node's own choice. set sets the fields of an
// update, and reports whether it is one of the graph.
func (r *Run) Mutate(changes []Mutation, set func(update any) bool) bool {
	r.attentive()
	r.tellAll = (*Run).tellMutations
	c := changing{r: r, at: r.here(), set: set, pos: r.here()}
	for i := range changes {
		m := &changes[i]
		refused := c.make(m)
		if refused == "" {
			r.accepted++
		}
		r.mutations = append(r.mutations, Change{
			Node: r.graph.NodeName(c.at), Step: r.made(), Action: m.action, Text: m.String(), Refused: refused,
		})
	}
	if !c.jumps {
		return false
	}
	r.Attend(c.jump, c.pos)
	return true
}

// tellMutations reports the mutations that a node requested in the step that ends.
func (r *Run) tellMutations(at Node) {
	for _, m := range r.mutations[r.told:] {
		r.notify(&Event{
			Kind: Mutated, Node: m.Node, Step: m.Step, Visit: r.visit(at), Text: m.Text, Reason: m.Refused,
		})
	}
	r.told = len(r.mutations)
}

// changing applies the changes that a node requests.
type changing struct {
	r     *Run
	at    Node // the node
	pos   Node // where the run goes on from: the node, or where a change has led it
	jumps bool
	jump  Way
	set   func(any) bool
	links *links // made when a search needs them
}

// make makes a change, or returns the reason why it is refused.
func (c *changing) make(m *Mutation) string {
	may := c.r.graph.Mutable
	switch {
	case m.wrong != "":
		return m.wrong
	case may == nil || !slices.Contains(may.Allow, m.action):
		return "the spec does not allow " + string(m.action)
	case c.r.accepted >= may.Max:
		return "the run has made " + strconv.Itoa(may.Max) + " mutations, its max"
	}
	c.links = nil
	return c.perform(m)
}

// perform makes a change. It is a switch, not a table, so that only programs with mutable graphs
// link the changes.
func (c *changing) perform(m *Mutation) string {
	switch m.action {
	case ActionAddNode:
		return c.addNode(m)
	case ActionAddEdge:
		return c.addEdge(m)
	case ActionSkipTo:
		return c.skipTo(m)
	case ActionRetryWith:
		return c.retryWith(m)
	case ActionRemoveEdge:
		return c.removeEdge(m)
	}
	return c.removeNode(m)
}

// skipTo goes to a node at once.
func (c *changing) skipTo(m *Mutation) string {
	to, refused := c.target(m.to)
	if refused != "" {
		return refused
	}
	if refused := c.mayGo(to); refused != "" {
		return refused
	}
	if missing := c.r.unwritten(); to == End && len(missing) > 0 {
		return "the run has not written its output " + strings.Join(missing, ", ")
	}
	c.goTo(to, m.action)
	return ""
}

// unwritten lists the outputs that the run has not written yet.
func (r *Run) unwritten() []string {
	var missing []string
	for i, written := range r.written {
		if !written {
			missing = append(missing, r.graph.Mutable.Outputs[i])
		}
	}
	return missing
}

// retryWith sets fields of the state, and runs the node again.
func (c *changing) retryWith(m *Mutation) string {
	if refused := c.mayGo(c.at); refused != "" {
		return refused
	}
	if !c.set(m.update) {
		return "the update is none of the graph " + c.r.graph.Name
	}
	c.goTo(c.at, m.action)
	return ""
}

func (c *changing) goTo(to Node, action Action) {
	c.jump = c.r.overlaid().wayOf(WayInfo{From: c.at, To: to, Rule: RuleMutation, Text: string(action)})
	c.jumps, c.pos = true, to
}

// mayGo returns the reason why the run must not jump to a node, empty if it may.
func (c *changing) mayGo(to Node) string {
	if c.jumps {
		return "the run is already led to " + c.r.graph.NodeName(c.pos)
	}
	return c.breaks(c.at, to, true)
}

// addEdge adds an edge behind the dynamic edges.
func (c *changing) addEdge(m *Mutation) string {
	from, refused := c.source(m.from)
	if refused != "" {
		return refused
	}
	to, refused := c.target(m.to)
	switch {
	case refused != "":
		return refused
	case m.most < 0:
		return "an edge is followed at most a positive number of times"
	case m.most == 0 && c.unbounded(from, to):
		return "the cycle that it closes has no bound: say how often it is followed at most"
	}
	if refused := c.breaks(from, to, false); refused != "" {
		return refused
	}
	c.r.overlaid().addEdge(from, to, m.most)
	return ""
}

// addNode adds a node with the edges that lead to it and from it.
func (c *changing) addNode(m *Mutation) string {
	n := &m.node
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
	o := c.r.overlaid()
	from := template
	if from == End {
		from = c.at // a dynamic prompt has the position of the node that requested it
	}
	added, refused := o.addNode(n, template, c.r.graph.nodePosition(from))
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
func (c *changing) removeEdge(m *Mutation) string {
	from, refused := c.source(m.from)
	if refused != "" {
		return refused
	}
	to, refused := c.target(m.to)
	if refused != "" {
		return refused
	}
	if refused := c.mayClose(from, to); refused != "" {
		return refused
	}
	o := c.r.overlaid()
	undo := o.close(from, to)
	if refused := c.stillEnds(from); refused != "" {
		undo()
		return refused
	}
	return ""
}

// removeNode removes a node: transitions to it go to its successor.
func (c *changing) removeNode(m *Mutation) string {
	n, refused := c.target(m.to)
	switch {
	case refused != "":
		return refused
	case n == End:
		return "end cannot be removed"
	case n == c.at || n == c.pos:
		return "node " + m.to + " runs, or is to run next"
	}
	to, refused := c.onwards(n)
	switch {
	case refused != "":
		return refused
	case to == End && !c.certain(n), to == n:
		return "node " + m.to + " has no transition without condition, where what leads to it could go on"
	case c.r.boundOf(n) > 0 && c.loops(n, to):
		return "node " + m.to + " bounds the cycle that it is in"
	}
	for i := range c.r.graph.Mutable.Asserts {
		if a := &c.r.graph.Mutable.Asserts[i]; a.needs(n) {
			return "it would break what the spec asserts: " + a.Text
		}
	}
	if refused := c.breaks(n, to, false); refused != "" {
		return refused
	}
	o := c.r.overlaid()
	undo := o.remove(n, to)
	if refused := c.stillEnds(to); refused != "" {
		undo()
		return refused
	}
	return ""
}
