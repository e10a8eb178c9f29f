package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
)

// An overlay holds the changes of a run to its graph. It is made at the first change, and grows
// with the changes: the tables of the graph stay unchanged, and all runs share them.
type overlay struct {
	own     *Graph                    // the graph, with what is added after its tables
	edges   map[NodeID][]TransitionID // the dynamic edges of a node, in the order in which they are tried
	closed  map[pair]bool             // pairs whose transitions of the spec are closed
	moved   map[NodeID]NodeID         // removed node → its successor
	counts  map[TransitionID]uint32   // how often dynamic edges were followed
	nodes   map[NodeID]*addition
	current NodeID // the dynamic node that is executed; End: none is

	// Runs and reports call an overlay through these, so that programs whose graphs do not change
	// do not link its code.
	divert      func(*Run, NodeID, TransitionID) (NodeID, TransitionID)
	execDynamic func(*Run)
	draw        func(*overlay, *drawing)
}

type pair struct{ from, to NodeID }

// An addition is a dynamic node.
type addition struct {
	mutation.Node
	template NodeID // End: it is of a kind
}

// overlaid returns the overlay of the run, and creates it if it is missing. From then on every
// step takes the slow path.
func (r *Run) overlaid() *overlay {
	if r.overlay != nil {
		return r.overlay
	}
	r.attentive()
	o := &overlay{own: r.graph.copied(), divert: (*Run).diverted, execDynamic: (*Run).execDynamic, draw: (*overlay).drawing}
	r.overlay, r.graph = o, o.own
	return o
}

// newTransition adds a transition, and returns its number. Its position is the position of the node it leaves.
func (o *overlay) newTransition(w TransitionInfo) TransitionID {
	g := o.own
	from := g.node(w.From)
	w.Line, w.Col = from.Line, from.Col
	g.dynamicTransitions = append(g.dynamicTransitions, w)
	return TransitionID(len(g.Transitions) + len(g.dynamicTransitions) - 1)
}

// transitionOf returns the number of a dynamic transition, which it adds at the first call only.
func (o *overlay) transitionOf(w TransitionInfo) TransitionID {
	for i := range o.own.dynamicTransitions {
		if have := &o.own.dynamicTransitions[i]; have.From == w.From && have.To == w.To && have.Rule == w.Rule && have.Text == w.Text {
			return TransitionID(len(o.own.Transitions) + i)
		}
	}
	return o.newTransition(w)
}

// addedText is the text of a dynamic edge.
const addedText = "added"

func (o *overlay) addEdge(from, to NodeID, most int) {
	transition := o.newTransition(TransitionInfo{From: from, To: to, Rule: graphgen.RuleEdge, Text: addedText, Max: uint32(most)})
	if o.edges == nil {
		o.edges = map[NodeID][]TransitionID{}
	}
	o.edges[from] = append(o.edges[from], transition)
}

// addNode adds a node, numbered after the nodes of the graph. Its failures are reported at a
// position of the spec.
func (o *overlay) addNode(n *mutation.Node, template NodeID, at graphgen.Position) (NodeID, string) {
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
func (o *overlay) close(from, to NodeID) (undo func()) {
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
func (o *overlay) remove(n, to NodeID) (undo func()) {
	if o.moved == nil {
		o.moved = map[NodeID]NodeID{}
	}
	o.moved[n] = to
	return func() { delete(o.moved, n) }
}

// instead returns the node that replaces n: its successor if it was removed, else n.
func (o *overlay) instead(n NodeID) NodeID {
	for {
		to, removed := o.moved[n]
		if !removed {
			return n
		}
		n = to
	}
}

// mayFollow reports whether a dynamic edge has follows left.
func (o *overlay) mayFollow(transition TransitionID) bool {
	most := o.own.transition(transition).Max
	return most == 0 || o.counts[transition] < most
}

// FollowDynamic follows a dynamic edge of the current node, and reports whether there is one. Dynamic
// edges are tried before the edges of the spec.
func (r *Run) FollowDynamic() bool { return r.overlay != nil && r.followDynamic() }

func (r *Run) followDynamic() bool {
	o := r.overlay
	for _, transition := range o.edges[r.here()] {
		if !o.mayFollow(transition) {
			continue
		}
		w := o.own.transition(transition)
		if w.Max > 0 {
			if o.counts == nil {
				o.counts = map[TransitionID]uint32{}
			}
			o.counts[transition]++
		}
		r.SlowStep(transition, w.To)
		return true
	}
	return false
}

// May reports whether a transition of the spec is open: no change of the run has closed it.
func (r *Run) May(transition TransitionID) bool {
	return r.overlay == nil || r.overlay.isOpen(transition)
}

func (o *overlay) isOpen(transition TransitionID) bool {
	w := &o.own.Transitions[transition]
	return !o.closed[pair{w.From, w.To}]
}

// diverted returns the node that a transition leads to in the changed graph, and the transition.
// That is one of the overlay where the node was removed, or a dynamic node takes a transition of
// its template.
func (r *Run) diverted(to NodeID, transition TransitionID) (NodeID, TransitionID) {
	o := r.overlay
	to = r.disembody(to)
	switch {
	case int(r.tail) >= len(o.own.Nodes) && int(transition) < len(o.own.Transitions) && o.own.Transitions[transition].From != End:
		w := &o.own.Transitions[transition]
		transition = o.transitionOf(TransitionInfo{From: r.tail, To: to, Rule: w.Rule, Text: w.Text, Label: w.Label})
	case o.moved == nil:
		return to, transition
	}
	instead := o.instead(to)
	if instead == to {
		return to, transition
	}
	w := r.graph.transition(transition)
	from := w.From // not always the node that ran last: it may have been gone past
	if from == End {
		from = r.tail
	}
	return instead, o.transitionOf(TransitionInfo{From: from, To: instead, Rule: w.Rule, Text: "in place of " + r.graph.NodeName(to)})
}

// mostVisits returns how often a node may run.
func (r *Run) mostVisits(n NodeID) uint32 {
	info := r.graph.node(n)
	switch {
	case info.MaxVisits > 0:
		return info.MaxVisits
	case info.Bound > 0:
		return info.Bound
	case r.graph.Mutable != nil && r.graph.Mutable.Visits > 0:
		return r.graph.Mutable.Visits
	}
	return defaultVisits
}

// defaultVisits is the max_visits of a node for which the spec sets none.
const defaultVisits = 25

// boundOf returns the bound on the visits of a node, 0 if none is set.
func (r *Run) boundOf(n NodeID) uint32 { return r.graph.node(n).Bound }

// grown returns a list that is long enough for the index n.
func grown[E any](list []E, n int) []E {
	if n < len(list) {
		return list
	}
	return append(list, make([]E, n+1-len(list))...)
}

// origin returns the node of the spec whose code executes a node: the template of a dynamic node,
// else the node itself.
func (r *Run) origin(n NodeID) NodeID {
	if int(n) < len(r.graph.Nodes) {
		return n
	}
	return r.overlay.nodes[n].template
}

// here returns the current node. A dynamic node is executed by the code of its template, or of
// its kind; At then holds the number of that.
func (r *Run) here() NodeID {
	if r.overlay != nil && r.overlay.current != End {
		return r.overlay.current
	}
	return r.At
}

// DynamicPrompt is the node number at which dynamic nodes of kind prompt are executed. No graph
// has a node of that number.
const DynamicPrompt = noNode - 1

// execDynamic makes the code of its template, or of its kind, execute a dynamic node.
func (r *Run) execDynamic() {
	o, at := r.overlay, r.At
	if o == nil || int(at) < len(o.own.Nodes) {
		return
	}
	o.current = at
	if r.At = o.nodes[at].template; r.At == End {
		r.At = DynamicPrompt
	}
}

// disembody makes the dynamic node itself the current node, and returns the next node. Where
// the code of a template leads back to the template, that is the dynamic node.
func (r *Run) disembody(to NodeID) NodeID {
	o := r.overlay
	if o == nil || o.current == End {
		return to
	}
	if n := o.current; to != End && (to == o.nodes[n].template || to == DynamicPrompt) {
		to = n
	}
	o.current = End
	return to
}

// DynamicNode returns the description of the current node, a dynamic node of kind prompt.
func (r *Run) DynamicNode() *mutation.Node { return &r.overlay.nodes[r.here()].Node }

// Changeable returns how the run may still change its graph, nil if not at all.
func (r *Run) Changeable() *Mutable {
	if m := r.graph.Mutable; m != nil && r.incidents().accepted < m.Max {
		return m
	}
	return nil
}

// LiveNodes returns the names of the nodes to which edges may lead.
func (r *Run) LiveNodes() []string {
	g := r.graph
	var names []string
	for n := 1; n < len(g.Nodes)+len(g.dynamicNodes); n++ {
		info := g.node(NodeID(n))
		if info.Parent == End && !r.isRemoved(NodeID(n)) && !slices.Contains(g.Mutable.Templates, NodeID(n)) {
			names = append(names, info.Name)
		}
	}
	return names
}

// TemplateNames returns the names of the templates of dynamic nodes.
func (r *Run) TemplateNames() []string {
	var names []string
	for _, n := range r.graph.Mutable.Templates {
		names = append(names, r.graph.NodeName(n))
	}
	return names
}

// Reenter makes a dynamic node of kind prompt run again, with the results of the tools that its
// model has called.
func (r *Run) Reenter() {
	n := r.here()
	r.SlowStep(r.overlay.transitionOf(TransitionInfo{From: n, To: n, Rule: graphgen.RuleToolLoop, Text: "tool calls"}), n)
}

// NodeName returns the name of the current node.
func (r *Run) NodeName() string { return r.graph.NodeName(r.here()) }
