package engine

import (
	"cmp"
	"slices"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/mutation"
)

// An Overlay is what is saved of how a run has changed its graph.
type Overlay struct {
	Nodes       []AddedNode       // numbered behind those of the spec
	Transitions []AddedTransition // likewise
	Closed      []Pair
	Removed     []Pair // each node with its successor
	Accepted    int
	Changes     []mutation.Entry
}

// An AddedNode is a dynamic node.
type AddedNode struct {
	mutation.Node
	Template  NodeID // End: it is of a kind
	Line, Col int
}

// An AddedTransition is a dynamic transition.
type AddedTransition struct {
	WayInfo
	Edge     bool // it is tried as an edge of its node
	Followed uint32
}

// A Pair is two nodes.
type Pair struct{ From, To NodeID }

// Overlay returns how the run has changed its graph, nil if it has not. It shares the lists.
func (r *Run) Overlay() *Overlay {
	x := r.extra()
	v := &Overlay{Accepted: x.accepted, Changes: x.mutations}
	o := r.overlay
	if o == nil {
		if len(v.Changes) == 0 {
			return nil
		}
		return v
	}
	for i := range o.own.addedNodes {
		info := &o.own.addedNodes[i]
		n := o.nodes[NodeID(len(o.own.Nodes)+i)]
		v.Nodes = append(v.Nodes, AddedNode{n.Node, n.template, info.Line, info.Col})
	}
	for i := range o.own.addedWays {
		w, way := &o.own.addedWays[i], Way(len(o.own.Ways)+i)
		v.Transitions = append(v.Transitions, AddedTransition{*w, slices.Contains(o.edges[w.From], way), o.counts[way]})
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

// Change makes the changes of a saved run, which it reports as refused where the graph has no room for them.
func (r *Run) Change(v *Overlay) (refused string) {
	x := r.withExtra()
	x.accepted, x.mutations, x.told = v.Accepted, v.Changes, len(v.Changes)
	if len(v.Nodes)+len(v.Transitions)+len(v.Closed)+len(v.Removed) == 0 {
		return ""
	}
	o := r.overlaid()
	for i := range v.Nodes {
		n := &v.Nodes[i]
		at := graphrt.Position{File: r.graph.File, Line: n.Line, Col: n.Col}
		if _, refused = o.addNode(&n.Node, n.Template, at); refused != "" {
			return refused
		}
	}
	for i := range v.Transitions {
		w := &v.Transitions[i]
		way := o.newWay(w.WayInfo)
		if w.Edge {
			if o.edges == nil {
				o.edges = map[NodeID][]Way{}
			}
			o.edges[w.From] = append(o.edges[w.From], way)
		}
		if w.Followed > 0 {
			if o.counts == nil {
				o.counts = map[Way]uint32{}
			}
			o.counts[way] = w.Followed
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

// Changed returns the nodes and the transitions of the graph, those behind the tables of the spec included.
func (g *Graph) Changed() (nodes []NodeInfo, ways []WayInfo) {
	return slices.Concat(g.Nodes, g.addedNodes), slices.Concat(g.Ways, g.addedWays)
}

// IsChanged reports whether the graph is that of one run, which has added to it.
func (g *Graph) IsChanged() bool { return len(g.addedNodes)+len(g.addedWays) > 0 }
