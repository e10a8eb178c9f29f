package engine

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
)

// An Overlay is what is saved of how a run has changed its graph.
type Overlay struct {
	Nodes       []DynamicNode       // numbered after the nodes of the spec
	Transitions []DynamicTransition // likewise
	Closed      []Pair
	Removed     []Pair // each node with its successor
	Accepted    int
	Changes     []mutation.Entry
}

// An DynamicNode is a dynamic node.
type DynamicNode struct {
	mutation.Node
	Template  NodeID // End: it is of a kind
	Line, Col int
}

// An DynamicTransition is a dynamic transition.
type DynamicTransition struct {
	TransitionInfo
	Edge     bool // it is tried as an edge of its node
	Followed uint32
}

// A Pair is two nodes.
type Pair struct{ From, To NodeID }

// Saved returns how the run has changed its graph, nil if it has not. It shares the lists.
func (o *Changes) Saved() *Overlay {
	if o == nil || o.own == nil && len(o.log) == 0 {
		return nil
	}
	v := &Overlay{Accepted: o.accepted, Changes: o.log}
	if o.own == nil {
		return v
	}
	for i := range o.own.dynamicNodes {
		info := &o.own.dynamicNodes[i]
		n := o.nodes[NodeID(len(o.own.Nodes)+i)]
		v.Nodes = append(v.Nodes, DynamicNode{n.Node, n.template, info.Line, info.Col})
	}
	for i := range o.own.dynamicTransitions {
		w, transition := &o.own.dynamicTransitions[i], TransitionID(len(o.own.Transitions)+i)
		v.Transitions = append(v.Transitions, DynamicTransition{*w, slices.Contains(o.edges[w.From], transition), o.counts[transition]})
	}
	for p, closed := range o.closed {
		if closed {
			v.Closed = append(v.Closed, Pair{p.from, p.to})
		}
	}
	for n, to := range o.moved {
		v.Removed = append(v.Removed, Pair{n, to})
	}
	order := func(a, b Pair) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) }
	slices.SortFunc(v.Closed, order)
	slices.SortFunc(v.Removed, order)
	return v
}

// Load makes the changes of a saved run, which it reports as refused where the graph has no room for them.
func (o *Changes) Load(v *Overlay) (refused string) {
	o.accepted, o.log, o.reported = v.Accepted, v.Changes, len(v.Changes)
	if len(v.Nodes)+len(v.Transitions)+len(v.Closed)+len(v.Removed) == 0 {
		return ""
	}
	o.begin()
	for i := range v.Nodes {
		n := &v.Nodes[i]
		at := graphgen.Position{File: o.run.Graph().File, Line: n.Line, Col: n.Col}
		if _, refused = o.addNode(&n.Node, n.Template, at); refused != "" {
			return refused
		}
	}
	for i := range v.Transitions {
		w := &v.Transitions[i]
		transition := o.newTransition(w.TransitionInfo)
		if w.Edge {
			if o.edges == nil {
				o.edges = map[NodeID][]TransitionID{}
			}
			o.edges[w.From] = append(o.edges[w.From], transition)
		}
		if w.Followed > 0 {
			if o.counts == nil {
				o.counts = map[TransitionID]uint32{}
			}
			o.counts[transition] = w.Followed
		}
	}
	o.closed, o.moved = map[pair]bool{}, map[NodeID]NodeID{}
	for _, p := range v.Closed {
		o.closed[pair{p.From, p.To}] = true
	}
	for _, p := range v.Removed {
		o.moved[p.From] = p.To
	}
	return ""
}

// Changed returns the nodes and the transitions of the graph, also the ones after the tables of the spec.
func (g *Graph) Changed() (nodes []NodeInfo, transitions []TransitionInfo) {
	return slices.Concat(g.Nodes, g.dynamicNodes), slices.Concat(g.Transitions, g.dynamicTransitions)
}

// IsChanged reports whether the graph belongs to one run, which has added to it.
func (g *Graph) IsChanged() bool { return len(g.dynamicNodes)+len(g.dynamicTransitions) > 0 }
