package explore

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// UnboundedElements is how many elements a map may have where nothing says how many.
const UnboundedElements = 1 << 40

// A Composite is what a composite node runs within its visit.
type Composite struct {
	Kind    *spec.Kind
	Regions []*Region
	MaxRuns int  // the most iterations, attempts, elements or steps of a pool
	Until   bool // a loop may end before

	Join         string // of a parallel or map: a word of spec.Joins
	MinSuccesses int    // of branches that have to succeed, where the join asks for it
	MaxParallel  int    // how many branches run at once

	Entry  *Region // of a pool; nil: the model picks it
	Repeat bool    // a node of the pool may be picked again

	Timeout    bool // it may fail wherever it has come to
	Merges     bool // it may fail when its branches are joined
	Limited    bool // a map: it fails where its list is longer than it may be
	Executions int  // how often it is tried in all
}

// A Region is a chain of nodes that run one after the other: a body, a branch, or a node
// of a pool.
type Region struct {
	Name     string // of a branch
	Nodes    []*Node
	Terminal bool // of a pool: it is over after it
}

// Ends reports whether a pool has nodes after which it is over.
func (in *Composite) Ends() bool {
	for _, r := range in.Regions {
		if r.Terminal {
			return true
		}
	}
	return false
}

// Children lists the nodes that run within a visit of the node, however deep, in written order.
func (n *Node) Children() []*Node { return n.addChildren(nil) }

func (n *Node) addChildren(out []*Node) []*Node {
	if n.Composite == nil {
		return out
	}
	for _, r := range n.Composite.Regions {
		for _, c := range r.Nodes {
			out = c.addChildren(append(out, c))
		}
	}
	return out
}

// Root returns the node that ways lead to, within whose visits the node runs: itself, if
// ways lead to it.
func (n *Node) Root() *Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

// Attempts returns how many executions the settings of a retry allow in all.
func Attempts(r *spec.Retry) int {
	if r == nil || !r.Attempts.IsSet() {
		return spec.DefaultAttempts
	}
	return r.Attempts.V
}

// Executions returns how often a node is tried in all when it fails.
func Executions(n *resolve.Node) int {
	if f, ok := n.Spec.Flag(spec.Retryable); ok {
		return Attempts(f.Retry)
	}
	return 1
}

// composite says what a composite node runs.
func (b *builder) composite(n *Node, from *resolve.Node) {
	if len(from.Regions) == 0 {
		return
	}
	s := from.Spec
	in := &Composite{
		Kind: from.Kind, Join: s.Join.V, MinSuccesses: max(1, s.Count.V), Repeat: !s.AllowRepeat.IsSet() || s.AllowRepeat.V,
		Until: s.Until.IsSet(), Timeout: s.Timeout.IsSet(), Executions: Executions(from),
	}
	or := func(v spec.Value[int], most int) int {
		if v.IsSet() {
			return v.V
		}
		return most
	}
	switch {
	case from.Kind.Loops():
		in.MaxRuns = or(s.MaxIterations, spec.DefaultBodyIterations)
	case from.Kind.OnFailure:
		in.MaxRuns = Attempts(&s.Retry)
	case from.Kind.Each:
		in.MaxRuns, in.Limited = b.elements(s.Over.V)
	case from.Kind.Picks():
		in.MaxRuns = or(s.MaxSteps, spec.DefaultPoolSteps)
	}
	in.MaxParallel = or(s.Prompt.MaxParallel, spec.DefaultMaxParallel)
	ends := map[string]bool{}
	for _, name := range s.Terminal {
		ends[name.V] = true
	}
	for _, r := range from.Regions {
		region := &Region{Name: r.Name.V}
		for _, c := range r.Nodes {
			child := b.nodes[c]
			child.Parent = n
			region.Nodes = append(region.Nodes, child)
			region.Terminal = region.Terminal || from.Kind.Picks() && ends[c.Spec.Name.V]
			if from.Kind.Picks() && c.Spec.Name.V == s.PoolEntry.V {
				in.Entry = region
			}
		}
		if len(region.Nodes) > 0 {
			in.Regions = append(in.Regions, region)
		}
	}
	in.Merges = from.Kind.Forks() && b.merges(from)
	n.Composite = in
}

// elements is how many elements the list of a map has at most, and whether the spec says so.
func (b *builder) elements(list string) (int, bool) {
	for _, f := range b.from.Spec.State {
		if f.Name.V == list && f.MaxLength.IsSet() {
			return f.MaxLength.V, true
		}
	}
	return UnboundedElements, false
}

// merges reports whether what branches write is joined by code, which may panic.
func (b *builder) merges(parent *resolve.Node) bool {
	for _, c := range parent.Inside() {
		for _, w := range c.Writes {
			if w.To != nil && w.To.Merge == "custom" {
				return true
			}
		}
	}
	return false
}

// Unsure reports whether a node may fail on its way on: a condition may panic, and there may
// be no way.
func (n *Node) Unsure() bool {
	return slices.ContainsFunc(n.Tests, func(t Test) bool { return t.Kind == Condition }) ||
		!slices.ContainsFunc(n.Tests, func(t Test) bool {
			return (t.Kind == Always || t.Kind == Uncalled && !n.Skip) && t.Transition.Max == 0
		})
}

// FailsLate reports whether a composite node may fail though what it runs has not.
func (n *Node) FailsLate() bool { return len(n.Tests) > 0 && n.Unsure() }
