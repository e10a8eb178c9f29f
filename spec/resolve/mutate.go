package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// Mutations are what a run may do to its own graph.
type Mutations struct {
	Spec   *spec.Mutations
	Allow  []string // known actions, each once, in the order of spec.Actions
	Kinds  []string // of the nodes that may be added, in written order
	Update []*Field // of the state, those that retry_with may set
	Reads  []*Field // of the state, those that an added node of a kind may be shown
	Writes []*Field // of the state, those that it may write
	Tools  []*Tool  // those that its model may call, each once, in written order
	Max    int
}

// Allows reports whether runs may make mutations of an action; nil allows none.
func (m *Mutations) Allows(action string) bool {
	return m != nil && slices.Contains(m.Allow, action)
}

// bindMutations finds out what runs may do to the graph. Its templates are bound with the
// regions.
func (g *Graph) bindMutations() {
	s := g.Spec.Mutations
	if s == nil {
		return
	}
	m := &Mutations{Spec: s, Update: g.pick(s.Update), Reads: g.pick(s.Reads), Writes: g.pick(s.Writes), Max: spec.DefaultMutations}
	for _, action := range spec.Actions {
		if slices.ContainsFunc(s.Allow, func(a spec.String) bool { return a.V == action.Name }) {
			m.Allow = append(m.Allow, action.Name)
		}
	}
	for _, kind := range s.Kinds {
		if slices.Contains(spec.Names(spec.MutableKinds), kind.V) && !slices.Contains(m.Kinds, kind.V) {
			m.Kinds = append(m.Kinds, kind.V)
		}
	}
	if s.Max.IsSet() && !s.Max.Lost {
		m.Max = s.Max.V
	}
	g.Mutations = m
}

// bindAddedTools finds the tools that an added node of a kind may call.
func (g *Graph) bindAddedTools() {
	if g.Mutations != nil {
		g.Mutations.Tools = g.toolsOf(g.Mutations.Spec.Tools)
	}
}

// AddsPrompts reports whether runs may add nodes of kind prompt; nil may not.
func (m *Mutations) AddsPrompts() bool {
	return m.Allows("add_node") && slices.ContainsFunc(m.Kinds, func(kind string) bool { return spec.KindOf(kind).By == spec.ByModel })
}

// Mutates reports whether the node may change the graph of its run. What others run may not:
// it is on no way.
func (g *Graph) Mutates(n *Node) bool {
	return n.Spec.Mutates.V && g.Mutations != nil && n.Host == nil && n.Kind.Mutates
}
