package durable

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// The cells of a run that has changed its graph.
const (
	overlayCell = own + "graph"   // how it is changed
	changesCell = own + "changes" // the requests, for the report
)

// An overlay is how a run has changed its graph, by names.
type overlay struct {
	nodes           []dynamicNode
	transitions     []dynamicTransition
	closed, removed []nodePair
	accepted        int
}

type dynamicNode struct {
	engine.DynamicNode
	template string
}

type dynamicTransition struct {
	engine.DynamicTransition
	from, to, rule string
}

type nodePair struct{ from, to string }

// change is an Entry, whose members a list names.
type change mutation.Entry

// overlayCells lists how a run has changed its graph.
func overlayCells(c *codec.Cells, r *engine.Run, n *names) {
	of := r.Changes().Saved()
	if of == nil {
		return
	}
	v := overlay{accepted: of.Accepted}
	for _, a := range of.Nodes {
		v.nodes = append(v.nodes, dynamicNode{a, n.nodes[a.Template]})
	}
	for _, a := range of.Transitions {
		v.transitions = append(v.transitions, dynamicTransition{a, n.nodes[a.From], n.nodes[a.To], a.Rule.String()})
	}
	for _, p := range of.Closed {
		v.closed = append(v.closed, nodePair{n.nodes[p.From], n.nodes[p.To]})
	}
	for _, p := range of.Removed {
		v.removed = append(v.removed, nodePair{n.nodes[p.From], n.nodes[p.To]})
	}
	codec.Cell(c, overlayCell, &v, nil, structWriter[overlay])
	codec.Tail(c, changesCell, &of.Changes, nil, func(v mutation.Entry, e *codec.Encoder) { codec.WriteStruct((*change)(&v), e) })
}

// changed returns how a saved run has changed its graph, nil if it has not.
func (s *saved) changed(n *names) (*engine.Overlay, error) {
	var v overlay
	of := new(engine.Overlay)
	if err := s.cells.Load(func(c *codec.Cells) {
		codec.Cell(c, overlayCell, &v, structReader[overlay]("the changes of the graph"), nil)
		codec.Tail(c, changesCell, &of.Changes, func(v *mutation.Entry, d *codec.Decoder) { codec.ReadStruct((*change)(v), d, "a change of the graph") }, nil)
	}); err != nil || len(of.Changes) == 0 {
		return nil, err
	}
	of.Accepted = v.accepted
	return of, v.resolve(of, n)
}

// changeGraph makes the changes of a saved run to its graph again, and reports whether there are some.
func (s *saved) changeGraph(r *engine.Run, n *names) (bool, error) {
	of, err := s.changed(n)
	if err != nil || of == nil {
		return false, err
	}
	if refused := r.Changes().Load(of); refused != "" {
		return false, missing("room for the nodes that were added", refused)
	}
	return true, nil
}

// resolve finds the nodes of names: the nodes of the graph, and after them the nodes that were added.
func (v *overlay) resolve(of *engine.Overlay, n *names) (err error) {
	added := map[string]engine.NodeID{}
	node := func(name string) engine.NodeID {
		id, ok := n.node[name]
		if !ok {
			if id, ok = added[name]; !ok && err == nil {
				err = missing("node", name)
			}
		}
		return id
	}
	for i := range v.nodes {
		a := &v.nodes[i]
		a.Template = node(a.template)
		added[a.Name] = engine.NodeID(len(n.nodes) + i)
		of.Nodes = append(of.Nodes, a.DynamicNode)
	}
	for i := range v.transitions {
		w := &v.transitions[i]
		w.From, w.To = node(w.from), node(w.to)
		for w.Rule = 0; w.Rule < graphgen.RuleHuman && w.Rule.String() != w.rule; w.Rule++ {
		}
		of.Transitions = append(of.Transitions, w.DynamicTransition)
	}
	for _, p := range v.closed {
		of.Closed = append(of.Closed, engine.Pair{From: node(p.from), To: node(p.to)})
	}
	for _, p := range v.removed {
		of.Removed = append(of.Removed, engine.Pair{From: node(p.from), To: node(p.to)})
	}
	return err
}

func (v *overlay) JSONMembers(o *codec.Object) {
	codec.SparseMember(o, "accepted", &v.accepted, codec.ReadInt, codec.WriteInt)
	codec.SparseListMember(o, "nodes", &v.nodes, structReader[dynamicNode]("a node"), structWriter[dynamicNode])
	codec.SparseListMember(o, "transitions", &v.transitions, structReader[dynamicTransition]("a transition"), structWriter[dynamicTransition])
	codec.SparseListMember(o, "closed", &v.closed, structReader[nodePair]("a pair of nodes"), structWriter[nodePair])
	codec.SparseListMember(o, "removed", &v.removed, structReader[nodePair]("a pair of nodes"), structWriter[nodePair])
}

func (v *dynamicNode) JSONMembers(o *codec.Object) {
	number := func(name string, n *int) { codec.SparseMember(o, name, n, codec.ReadInt, codec.WriteInt) }
	text := func(name string, s *string) { codec.SparseMember(o, name, s, codec.ReadString, codec.WriteString) }
	list := func(name string, l *[]string) {
		codec.SparseListMember(o, name, l, codec.ReadString, codec.WriteString)
	}
	o.String("name", &v.Name)
	text("template", &v.template)
	text("kind", &v.Kind)
	text("instructions", &v.Instructions)
	list("reads", &v.Reads)
	text("writes", &v.Writes)
	list("tools", &v.Tools)
	text("after", &v.After)
	number("times", &v.Times)
	text("next", &v.Next)
	number("max_visits", &v.MaxVisits)
	number("line", &v.Line)
	number("col", &v.Col)
}

func (v *dynamicTransition) JSONMembers(o *codec.Object) {
	most, followed := int(v.Max), int(v.Followed)
	o.String("from", &v.from)
	o.String("to", &v.to)
	o.String("rule", &v.rule)
	codec.SparseMember(o, "text", &v.Text, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "label", &v.Label, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "most", &most, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "edge", &v.Edge, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "followed", &followed, codec.ReadInt, codec.WriteInt)
	v.Max, v.Followed = uint32(most), uint32(followed)
}

func (v *nodePair) JSONMembers(o *codec.Object) {
	o.String("from", &v.from)
	o.String("to", &v.to)
}

func (v *change) JSONMembers(o *codec.Object) {
	o.String("node", &v.Node)
	o.Int("step", &v.Step)
	o.String("action", (*string)(&v.Action))
	codec.SparseMember(o, "text", &v.Text, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "refused", &v.Refused, codec.ReadString, codec.WriteString)
}
