package plan

import (
	"iter"

	"github.com/graphgen/graphgen/spec/resolve"
)

// Work is what a visit of a node does: a *Handler, *Prompt, *Call, *Human, *Sub, *Loop, *Retry, *Fork, *Each, *Pool,
// *Set, *Saying or *Pass.
type Work interface{ work() }

// A Handler is the work of a node that is a method of the handlers.
type Handler struct {
	TakesState bool
	ByValue    bool   // where it takes the state, it may not change it
	Isolated   bool   // its context has nothing of the run
	Transact   string // the method that calls it in a transaction of the store; empty: none does
}

// Snapshots reports whether the state is restored when the handler fails.
func (h *Handler) Snapshots() bool { return h.TakesState && !h.ByValue }

// A Set is the work of a node that writes the values of expressions, which its writes have.
type Set struct{}

// A Pass is the work of a node that does nothing.
type Pass struct{}

// A Composite is what the nodes have in common that run others.
type Composite struct {
	Method  string // of the machine
	Regions []*Region
	Pauses  bool // a node in it waits for a person: an execution may begin in one call and end in another
}

// A Loop runs its body until a condition holds.
type Loop struct {
	Composite
	Until  *Condition
	Most   int   // iterations
	Resets *Node // the last node of the body, if it may be skipped, or a graph may end before it: an iteration then has no output; nil: none
}

// A Retry runs its body, which is tried again when it fails.
type Retry struct{ Composite }

// A Fork runs branches concurrently.
type Fork struct {
	Composite
	Join     string // a word of spec.Joins
	Every    bool   // every branch has to succeed
	Need     int    // how many branches have to succeed, where the join has a number
	Parallel int    // branches at the same time

	Writes []*resolve.Field // what its branches write to the state
	Merges bool             // its branches have something to merge
}

// An Each is a Fork whose branches run one body, each for an element of a list.
type Each struct {
	Fork
	Over, Item *resolve.Field
}

// A Pool runs the nodes that a model picks.
type Pool struct {
	Composite
	Prompt   *Prompt // how the model is asked
	Var      string  // its description
	Most     int     // steps
	Entry    *Region // the node that runs first; nil: the model picks it
	Terminal []*Region
	Once     bool   // no node of it runs twice
	Picker   string // where it pauses: the field of the child run with what the model has picked
}

func (*Handler) work()   {}
func (*Prompt) work()    {}
func (*Call) work()      {}
func (*Human) work()     {}
func (*Sub) work()       {}
func (*Composite) work() {}
func (*Set) work()       {}
func (*Saying) work()    {}
func (*Pass) work()      {}

// A Runner is the work of a node that runs others: a *Loop, *Retry, *Fork, *Each or *Pool.
type Runner interface {
	Work
	Runs() *Composite
}

// Runs returns what it has in common with other work that runs nodes.
func (c *Composite) Runs() *Composite { return c }

// A Forker is the work of a node that runs others concurrently: a *Fork or *Each.
type Forker interface {
	Runner
	Forks() *Fork
}

// Forks returns how its branches run, and are joined.
func (f *Fork) Forks() *Fork { return f }

// Works yields the nodes of a machine whose work is a W, with their work.
func Works[W Work](m *Machine) iter.Seq2[*Node, W] {
	return func(yield func(*Node, W) bool) {
		for _, n := range m.Flow.Nodes {
			if w, ok := n.Work.(W); ok && !yield(n, w) {
				return
			}
		}
	}
}

// Prompts yields the nodes that ask a model, for an output or for what it picks, with their prompts.
func (m *Machine) Prompts() iter.Seq2[*Node, *Prompt] {
	return func(yield func(*Node, *Prompt) bool) {
		for _, n := range m.Flow.Nodes {
			if p := n.Prompt(); p != nil && !yield(n, p) {
				return
			}
		}
	}
}

// Prompt returns how a node asks a model, for its output or for what it picks; nil if it asks none.
func (n *Node) Prompt() *Prompt {
	switch w := n.Work.(type) {
	case *Prompt:
		return w
	case *Pool:
		return w.Prompt
	}
	return nil
}

// Regions returns what a node runs; none where it runs no others.
func (n *Node) Regions() []*Region {
	if r, ok := n.Work.(Runner); ok {
		return r.Runs().Regions
	}
	return nil
}

// within reports whether a property holds of some node of the regions of a node.
func (n *Node) within(is func(*Node) bool) bool {
	for _, r := range n.Regions() {
		for _, child := range r.Nodes {
			if is(child) {
				return true
			}
		}
	}
	return false
}
