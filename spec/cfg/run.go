package cfg

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// MaxSteps returns the most steps of a run: NoLimit where only the answers of people bound them.
func (g *Graph) MaxSteps() int {
	limits := &g.Spec.Spec.Limits
	switch {
	case limits.MaxSteps.IsSet():
		return limits.MaxSteps.V
	case g.AnswersBound():
		return NoLimit
	}
	return spec.DefaultMaxSteps
}

// Named returns the node of a name that runs may visit; nil: there is none.
func (g *Graph) Named(name string) *Node {
	if i := slices.IndexFunc(g.Running, func(n *Node) bool { return n.Name() == name }); i >= 0 {
		return g.Running[i]
	}
	return nil
}

// run lists the nodes that runs visit and the transitions that they take.
func (g *Graph) run() {
	for _, n := range g.Spec.Nodes {
		g.Running = append(g.Running, g.nodes[n])
	}
	for _, n := range g.Spec.Bodies {
		if n.Parent != nil && !ofTemplate(n) {
			g.Running = append(g.Running, g.nodes[n])
		}
	}
	if g.Entry != nil {
		g.Taken = append(g.Taken, g.Entry)
	}
	for _, n := range g.Spec.Nodes {
		g.Taken = append(g.Taken, anyOutcome(g.nodes[n], g.nodes[n].Leaving)...)
	}
	if g.OnError != nil {
		g.Taken = append(g.Taken, g.OnError)
	}
}

// ofTemplate reports whether a node belongs to a template, which is not run itself.
func ofTemplate(n *resolve.Node) bool {
	for n.Parent != nil {
		n = n.Parent
	}
	return n.Template
}

// Pos returns the position of the node's name.
func (n *Node) Pos() spec.Pos { return n.Spec.Spec.Name.Pos }

// Composite reports whether the node runs others.
func (n *Node) Composite() bool { return len(n.Spec.Regions) > 0 }

// Parent returns the composite node that runs the node; nil: none.
func (n *Node) Parent() *Node {
	if n.Region == nil {
		return nil
	}
	return n.Region.Parent
}

// Root returns the outermost composite node around the node, or the node itself if no other runs it.
func (n *Node) Root() *Node {
	for n.Region != nil {
		n = n.Region.Parent
	}
	return n
}

// Children returns all nodes that run within a visit of the node, at any depth, in the order of the spec.
func (n *Node) Children() []*Node { return n.addChildren(nil) }

func (n *Node) addChildren(out []*Node) []*Node {
	for _, r := range n.Regions {
		for _, c := range r.Nodes {
			out = c.addChildren(append(out, c))
		}
	}
	return out
}

// LastResort returns the transition of a node that fails without an open edge for failures, or whose visits are used up. Nil: the
// run fails.
func (n *Node) LastResort() *Transition {
	if list := n.On[OutOfVisits]; len(list) > 0 {
		return list[0]
	}
	return nil
}

// Unsure reports whether a node may fail after its work has succeeded: a condition panics, or no transition is taken.
func (n *Node) Unsure() bool {
	return slices.ContainsFunc(n.Tests, func(t *Transition) bool { return t.Cond.Kind == If }) ||
		!slices.ContainsFunc(n.Tests, func(t *Transition) bool {
			return (t.Cond.Kind.Plain() || t.Cond.Kind.Callless() && !n.Skip) && t.Max == 0
		})
}

// FailsLate reports whether a composite node may fail after all its regions have succeeded.
func (n *Node) FailsLate() bool { return len(n.Tests) > 0 && n.Unsure() }

// Plain reports whether a transition depends on nothing but its bound.
func (k CondKind) Plain() bool { return k == Always || k == Unread }

// Callless reports whether a transition depends on no tools being called.
func (k CondKind) Callless() bool { return k == Uncalled || k == Event }

// OfOutput reports whether a transition depends on a value of the output. After a soft failure that is the zero value.
func (k CondKind) OfOutput() bool { return k == Equals || k == AtLeast }

// Chosen reports whether a transition depends on what the handler or an output names. A soft failure names nothing.
func (k CondKind) Chosen() bool { return k > Judged && k != Unread }

// Closes returns the members of a choice that every success makes, if the transition is the last of them that a run tries. A
// walk passes it only when the bound of one of them is used up, or a string in another field overrides the choice.
func (t *Transition) Closes() []*Transition {
	if t.Choice == nil || !t.Choice.Required {
		return nil
	}
	untried := func(m *Transition) bool { return !m.Known || m.First != nil }
	for _, m := range slices.Backward(t.Choice.Members) {
		if m == t {
			return slices.DeleteFunc(slices.Clone(t.Choice.Members), untried)
		}
		if !untried(m) {
			break
		}
	}
	return nil
}

// PlaceTo returns the place in its region to which a transition of a node there leads. That of the end is the number of its nodes.
func (t *Transition) PlaceTo() int {
	if t.To == nil {
		return len(t.From.Region.Nodes)
	}
	return t.To.Place
}

// Leads returns the transitions from a node of a region to the nodes after it, and to the end of the region.
func (n *Node) Leads() []*Transition {
	var list []*Transition
	outcomes := []Outcome{Succeeded}
	if n.Soft {
		outcomes = append(outcomes, SoftFailed)
	}
	if n.Skip {
		outcomes = append(outcomes, Skipped)
	}
	for _, o := range append(outcomes, Recovered[:]...) {
		for _, t := range n.On[o] {
			if t.To != n && !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	if n.Chain != nil && !slices.Contains(list, n.Chain) {
		list = append(list, n.Chain)
	}
	return list
}
