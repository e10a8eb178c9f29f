package cfg

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// RouteFields are the output fields of rule 2, in order.
var RouteFields = resolve.RouteFields

// ErrorKey is the key of the error transition.
const ErrorKey = "error"

// routes adds the transitions of rule 2: the values of route fields.
func (b *builder) routes(n *Node, tried []*resolve.Edge) {
	var before []*resolve.Field
	loose := false
	for _, f := range n.Spec.RoutedBy() {
		c := &Choice{Rule: ByRoute, Field: f, Absent: before, Required: f.Type.Kind == resolve.Enum, Loose: loose}
		switch f.Type.Base().Kind {
		case resolve.Enum:
			for _, v := range f.Type.Base().Values {
				b.value(n, c, spec.String{V: v.Name, Pos: v.Pos}, b.routeTarget(n, v.Name))
			}
		case resolve.String:
			b.texts(n, c, tried)
			loose = true
		}
		if len(c.Members) > 0 {
			n.Choices = append(n.Choices, c)
		}
		before = append(slices.Clip(before), f)
	}
}

// value adds the transition of a value of a route field.
func (b *builder) value(n *Node, c *Choice, name spec.String, to resolve.Target) *Transition {
	if !name.Pos.IsSet() {
		name.Pos = c.Field.Spec.Name.Pos
	}
	t := b.add(&Transition{
		From: n, To: b.graph.nodes[to.Node], End: to.Name, Known: to.Known(), Rule: ByRoute, Name: name, Pos: name.Pos, Choice: c,
		Cond: Cond{Kind: Named, Pos: name.Pos, Text: name.V, Name: c.Field.Name, Field: c.Field},
	})
	c.Members = append(c.Members, t)
	return t
}

// routeTarget returns the target of a route value: a key of transitions, else a node, else end.
func (b *builder) routeTarget(n *Node, value string) resolve.Target {
	for _, t := range n.Spec.Spec.Transitions {
		if t.Key.V == value && value != ErrorKey {
			return b.target(n, t.To.V)
		}
	}
	return b.target(n, value)
}

// texts adds the values of a route field of type string: keys of transitions, targets of other
// transitions of the node, and end.
func (b *builder) texts(n *Node, c *Choice, tried []*resolve.Edge) {
	s := n.Spec.Spec
	added := map[string]bool{}
	first := map[resolve.Target]*Transition{}
	add := func(value string, to resolve.Target, key bool) {
		if added[value] || !to.Known() {
			return
		}
		added[value] = true
		t := b.value(n, c, spec.String{V: value}, to)
		t.First = first[to]
		t.Alias = t.First != nil && !key
		if t.First == nil {
			first[to] = t
		}
	}
	node := func(t resolve.Target) {
		if t.Node != nil {
			add(t.Node.Spec.Name.V, t, false)
		} else if t.Name != "" {
			add(t.Name, t, false)
		}
	}
	var keyed []resolve.Target
	for _, t := range s.Transitions {
		if t.Key.V != ErrorKey {
			to := b.target(n, t.To.V)
			keyed = append(keyed, to)
			add(t.Key.V, to, true)
		}
	}
	names, _ := chosen(n.Spec)
	for _, name := range names {
		node(b.target(n, name.V))
	}
	for _, e := range tried {
		for _, t := range e.Targets() {
			node(t)
		}
	}
	for _, t := range keyed {
		node(t)
	}
	if _, name := next(n.Spec); name.IsSet() {
		node(b.target(n, name.V))
	}
	for _, end := range []string{spec.End, spec.EndDown, spec.EndUp} {
		add(end, resolve.Target{End: true}, false)
	}
}
