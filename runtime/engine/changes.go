package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/mutation"
)

// Changes are how a run changes its graph, and what it may still change. A run of a graph that its spec lets runs change has them; a
// nil Changes has nothing. The first change copies the graph of the run: the tables stay unchanged, and all runs share them.
type Changes struct {
	run     *Run
	own     *Graph                    // the graph, with what is added after its tables; nil: nothing is changed
	edges   map[NodeID][]TransitionID // the dynamic edges of a node, in the order in which they are tried
	closed  map[pair]bool             // pairs whose transitions of the spec are closed
	moved   map[NodeID]NodeID         // removed node → its successor
	counts  map[TransitionID]uint32   // how often dynamic edges were followed
	nodes   map[NodeID]*addition
	current NodeID // the dynamic node that is executed; End: none is

	written  []bool // the outputs, by Mutable.Outputs
	log      []mutation.Entry
	accepted int // of the log
	reported int // of the log
}

type pair struct{ from, to NodeID }

// An addition is a dynamic node.
type addition struct {
	mutation.Node
	template NodeID // End: it is of a kind
}

// Changes returns how the run changes its graph, nil if the spec does not let it.
func (r *Run) Changes() *Changes { return r.more.get().changes }

func newChanges(r *Run, written []bool) {
	o := besides[Changes](&r.more)
	o.run, o.written, r.more.changes = r, written, o
}

// exist reports whether the run has changed its graph.
func (o *Changes) exist() bool { return o != nil && o.own != nil }

// begin copies the graph, unless that was done. From then on every step takes the slow path.
func (o *Changes) begin() {
	if o.own == nil {
		o.run.path.requireSlowStep()
		o.own = o.run.path.graph.copied()
		o.run.path.graph = o.own
	}
}

// newTransition adds a transition, and returns its number. Its position is the position of the node it leaves.
func (o *Changes) newTransition(w TransitionInfo) TransitionID {
	g := o.own
	from := g.node(w.From)
	w.Line, w.Col = from.Line, from.Col
	g.dynamicTransitions = append(g.dynamicTransitions, w)
	return TransitionID(len(g.Transitions) + len(g.dynamicTransitions) - 1)
}

// transitionOf returns the number of a dynamic transition, which it adds at the first call only.
func (o *Changes) transitionOf(w TransitionInfo) TransitionID {
	for i := range o.own.dynamicTransitions {
		if have := &o.own.dynamicTransitions[i]; have.From == w.From && have.To == w.To && have.Rule == w.Rule && have.Text == w.Text {
			return TransitionID(len(o.own.Transitions) + i)
		}
	}
	return o.newTransition(w)
}

// addedText is the text of a dynamic edge.
const addedText = "added"

func (o *Changes) addEdge(from, to NodeID, most int) {
	transition := o.newTransition(TransitionInfo{From: from, To: to, Rule: graphgen.RuleEdge, Text: addedText, Max: uint32(most)})
	if o.edges == nil {
		o.edges = map[NodeID][]TransitionID{}
	}
	o.edges[from] = append(o.edges[from], transition)
}

// addNode adds a node, numbered after the nodes of the graph. Its failures are reported at a
// position of the spec.
func (o *Changes) addNode(n *mutation.Node, template NodeID, at graphgen.Position) (NodeID, string) {
	g := o.own
	number := len(g.Nodes) + len(g.dynamicNodes)
	if number >= int(DynamicPrompt) {
		return End, "the graph has no room for another node"
	}
	info := NodeInfo{Kind: n.Kind}
	if template != End {
		info = g.Nodes[template]
	}
	info.Name, info.MaxVisits, info.Ends, info.Dynamic = n.Name, 0, false, true
	info.Line, info.Col = at.Line, at.Col
	if n.MaxVisits > 0 {
		info.Bound = uint32(n.MaxVisits)
	}
	g.dynamicNodes = append(g.dynamicNodes, info)
	if o.nodes == nil {
		o.nodes = map[NodeID]*addition{}
	}
	o.nodes[NodeID(number)] = &addition{*n, template}
	return NodeID(number), ""
}

// close closes the transitions from one node to another, the dynamic ones too. It returns a
// function that opens them again.
func (o *Changes) close(from, to NodeID) (undo func()) {
	if o.closed == nil {
		o.closed = map[pair]bool{}
	}
	had, was := o.edges[from], o.closed[pair{from, to}]
	o.closed[pair{from, to}] = true
	if len(had) > 0 {
		o.edges[from] = slices.DeleteFunc(slices.Clone(had), func(w TransitionID) bool { return o.own.to(w) == to })
	}
	return func() {
		o.closed[pair{from, to}] = was
		if len(had) > 0 {
			o.edges[from] = had
		}
	}
}

// remove redirects the transitions to n to another node.
func (o *Changes) remove(n, to NodeID) (undo func()) {
	if o.moved == nil {
		o.moved = map[NodeID]NodeID{}
	}
	o.moved[n] = to
	return func() { delete(o.moved, n) }
}

// instead returns the node that replaces n: its successor if it was removed, else n.
func (o *Changes) instead(n NodeID) NodeID {
	for {
		to, removed := o.moved[n]
		if !removed {
			return n
		}
		n = to
	}
}

// mayFollow reports whether a dynamic edge has follows left.
func (o *Changes) mayFollow(transition TransitionID) bool {
	most := o.own.transition(transition).Max
	return most == 0 || o.counts[transition] < most
}

// May reports whether a transition of the spec is open: no change of the run has closed it.
func (o *Changes) May(transition TransitionID) bool { return !o.exist() || o.isOpen(transition) }

// isOpen is May of a graph that the run has changed.
func (o *Changes) isOpen(transition TransitionID) bool {
	w := &o.own.Transitions[transition]
	return !o.closed[pair{w.From, w.To}]
}

// divert returns the node that a transition leads to in the changed graph, and the transition.
// That is one of the overlay where the node was removed, or a dynamic node takes a transition of
// its template.
func (o *Changes) divert(to NodeID, transition TransitionID) (NodeID, TransitionID) {
	to = o.leaveDynamic(to)
	switch {
	case int(o.run.path.tail) >= len(o.own.Nodes) && int(transition) < len(o.own.Transitions) && o.own.Transitions[transition].From != End:
		w := &o.own.Transitions[transition]
		transition = o.transitionOf(TransitionInfo{From: o.run.path.tail, To: to, Rule: w.Rule, Text: w.Text, Label: w.Label})
	case o.moved == nil:
		return to, transition
	}
	instead := o.instead(to)
	if instead == to {
		return to, transition
	}
	w := o.run.Graph().transition(transition)
	from := w.From // not always the node that ran last: it may have been gone past
	if from == End {
		from = o.run.path.tail
	}
	return instead, o.transitionOf(TransitionInfo{From: from, To: instead, Rule: w.Rule, Text: "in place of " + o.run.Graph().NodeName(to)})
}

// origin returns the node of the spec whose code executes a node: the template of a dynamic node,
// else the node itself.
func (o *Changes) origin(n NodeID) NodeID {
	if int(n) < len(o.run.Graph().Nodes) {
		return n
	}
	return o.nodes[n].template
}

// DynamicPrompt is the node number at which dynamic nodes of kind prompt are executed. No graph
// has a node of that number.
const DynamicPrompt = noNode - 1

// enterDynamic makes the code of its template, or of its kind, execute a dynamic node.
func (o *Changes) enterDynamic() {
	at := o.run.At
	if !o.exist() || int(at) < len(o.own.Nodes) {
		return
	}
	o.current = at
	if o.run.At = o.nodes[at].template; o.run.At == End {
		o.run.At = DynamicPrompt
	}
}

// leaveDynamic makes the dynamic node itself the current node, and returns the next node. Where
// the code of a template leads back to the template, that is the dynamic node.
func (o *Changes) leaveDynamic(to NodeID) NodeID {
	if o.current == End {
		return to
	}
	if n := o.current; to != End && (to == o.nodes[n].template || to == DynamicPrompt) {
		to = n
	}
	o.current = End
	return to
}

// Allowed returns how the run may still change its graph, nil if not at all.
func (o *Changes) Allowed() *Mutable {
	if o == nil || o.run.Graph().Mutable == nil || o.accepted >= o.run.Graph().Mutable.Max {
		return nil
	}
	return o.run.Graph().Mutable
}

// LiveNodes returns the names of the nodes to which edges may lead.
func (o *Changes) LiveNodes() []string {
	g := o.run.Graph()
	var names []string
	for n := 1; n < len(g.Nodes)+len(g.dynamicNodes); n++ {
		info := g.node(NodeID(n))
		if info.Parent == End && !o.isRemoved(NodeID(n)) && !slices.Contains(g.Mutable.Templates, NodeID(n)) {
			names = append(names, info.Name)
		}
	}
	return names
}

// TemplateNames returns the names of the templates of dynamic nodes.
func (g *Graph) TemplateNames() []string {
	var names []string
	for _, n := range g.Mutable.Templates {
		names = append(names, g.NodeName(n))
	}
	return names
}

// unwritten lists the outputs that the run has not written yet.
func (o *Changes) unwritten() []string {
	var missing []string
	for i, written := range o.written {
		if !written {
			missing = append(missing, o.run.Graph().Mutable.Outputs[i])
		}
	}
	return missing
}

// emit reports the mutations that a node requested in the step that ends.
func (o *Changes) emit(at NodeID) {
	for _, m := range o.log[o.reported:] {
		o.run.notify(&graphgen.Event{
			Kind: graphgen.Mutated, Node: m.Node, Step: m.Step, Visit: o.run.path.visit(at), Details: origin.Details{Text: m.Text, More: m.Refused},
		})
	}
	o.reported = len(o.log)
}

func (o *Changes) isRemoved(n NodeID) bool {
	if !o.exist() {
		return false
	}
	_, removed := o.moved[n]
	return removed
}
