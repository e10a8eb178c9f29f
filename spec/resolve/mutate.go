package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// Mutations are the changes that a run may make to its graph.
type Mutations struct {
	Spec   *spec.Mutations
	Allow  []string // known actions, each once, in the order of spec.Actions
	Kinds  []string // kinds of nodes that may be added, in the order of the spec
	Update []*Field // state fields that retry_with may set
	Reads  []*Field // state fields that a dynamic node may read
	Writes []*Field // state fields that a dynamic node may write
	Tools  []*Tool  // tools that a dynamic node may call, each once, in the order of the spec
	Max    int
}

// Allows reports whether runs may perform an action. A nil m allows none.
func (m *Mutations) Allows(action string) bool {
	return m != nil && slices.Contains(m.Allow, action)
}

// bindMutations binds the mutations. Templates are bound with the regions.
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

// bindAddedTools binds the tools of dynamic nodes.
func (g *Graph) bindAddedTools() {
	if g.Mutations != nil {
		g.Mutations.Tools = g.toolsOf(g.Mutations.Spec.Tools)
	}
}

// AddsPrompts reports whether runs may add nodes of kind prompt. A nil m allows none.
func (m *Mutations) AddsPrompts() bool {
	return m.Allows("add_node") && slices.ContainsFunc(m.Kinds, func(kind string) bool { return spec.KindOf(kind).By == spec.ByModel })
}

// Mutates reports whether the node may change the graph of its run. A child of a composite node may
// not: no transition leaves it.
func (g *Graph) Mutates(n *Node) bool {
	return n.Spec.Mutates.V && g.Mutations != nil && n.Parent == nil && n.Kind.Mutates
}
