package explore

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// UnboundedElements is the number of elements of a map over a list without max_length.
const UnboundedElements = 1 << 40

// A Composite is what a composite node runs within its visit.
type Composite struct {
	Kind    *spec.Kind
	Regions []*Region
	MaxRuns int  // the most iterations, attempts, elements, or steps of a pool
	Until   bool // a loop may end before MaxRuns
	Panics  bool // its condition may panic

	Join         *spec.Join // of a parallel or map
	MinSuccesses int        // branches that have to succeed, where the join asks for a number
	MaxParallel  int        // the most concurrent branches

	Pool   *cfg.Pool // of an autonomous node
	Entry  *Region   // the first node of a pool; nil: the model picks it
	Repeat bool      // the model may pick a node of the pool again

	Timeout    bool // the node may fail at any point
	Merges     bool // the node may fail when its branches are merged
	Limited    bool // a map that fails when its list is longer than max_length
	Executions int  // attempts in all
}

// A Region is a chain of nodes that run one after the other: a body, a branch, or a node
// of a pool.
type Region struct {
	Name     string // the name of a branch
	Nodes    []*Node
	Terminal bool // the pool ends after this node
}

// Ends reports whether the pool has terminal nodes.
func (in *Composite) Ends() bool {
	return slices.ContainsFunc(in.Regions, func(r *Region) bool { return r.Terminal })
}

// Children returns all nodes that run within a visit of the node, at any depth, in the order of the
// spec.
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

// Root returns the outermost composite node around the node, or the node itself if no other runs
// it.
func (n *Node) Root() *Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

// Attempts returns the number of executions that a retry allows.
func Attempts(r *spec.Retry) int {
	if r == nil || !r.Attempts.IsSet() {
		return spec.DefaultAttempts
	}
	return r.Attempts.V
}

// Executions returns the number of executions of a node that keeps failing.
func Executions(n *resolve.Node) int {
	if f, ok := n.Spec.Flag(spec.Retryable); ok {
		return Attempts(f.Retry)
	}
	return 1
}

// composite sets what a composite node runs.
func (b *builder) composite(n *Node, from *resolve.Node) {
	if len(from.Regions) == 0 {
		return
	}
	s := from.Spec
	in := &Composite{
		Kind: from.Kind, Join: spec.JoinOf(s.Join.V), MinSuccesses: max(1, s.Count.V), Repeat: !s.AllowRepeat.IsSet() || s.AllowRepeat.V,
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
		in.Pool = b.cfg.Node(from).Pool()
		in.MaxRuns = in.Pool.Most
	}
	in.MaxParallel = max(1, or(s.Prompt.MaxParallel, spec.DefaultMaxParallel)) // one out of range is an error of its own
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
	in.Merges = b.cfg.Node(from).Merges()
	until := b.cfg.Node(from).Until
	in.Panics = until != nil && until.Uses().Panics
	n.Composite = in
}

// elements returns the most elements of the list of a map, and whether the spec bounds them.
func (b *builder) elements(list string) (int, bool) {
	for _, f := range b.from.Spec.State {
		if f.Name.V == list && f.MaxLength.IsSet() {
			return f.MaxLength.V, true
		}
	}
	return UnboundedElements, false
}

// Unsure reports whether a node may fail after its work has succeeded: a condition panics, or no
// transition is taken.
func (n *Node) Unsure() bool {
	return slices.ContainsFunc(n.Tests, func(t Test) bool { return t.Kind == Condition }) ||
		!slices.ContainsFunc(n.Tests, func(t Test) bool {
			return (t.Kind == Always || t.Kind == Uncalled && !n.Skip) && t.Transition.Max == 0
		})
}

// FailsLate reports whether a composite node may fail after all its regions have succeeded.
func (n *Node) FailsLate() bool { return len(n.Tests) > 0 && n.Unsure() }
