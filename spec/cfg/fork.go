package cfg

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Fork is the rule by which the branches of a parallel or a map are joined.
type Fork struct {
	Join    *spec.Join
	Need    int  // branches that have to succeed, of a join that needs some
	Width   int  // branches that run at a time
	Each    bool // a branch for each element of a list, which may be empty
	Most    int  // branches
	Limited bool // the node fails if the list is longer
	Merges  bool // custom code merges what the branches wrote, which may panic
}

// Fork returns the rule of a parallel or a map.
func (n *Node) Fork() *Fork {
	s := n.Spec.Spec
	f := &Fork{Join: spec.JoinOf(s.Join.V), Need: max(1, s.Count.V), Width: spec.DefaultMaxParallel, Each: n.Spec.Kind.Each, Most: len(n.Regions)}
	if f.Each {
		f.Most = n.Runs()
		f.Limited = f.Most < UnboundedElements
	}
	if s.Prompt.MaxParallel.IsSet() {
		f.Width = max(1, s.Prompt.MaxParallel.V) // one out of range is an error of its own
	}
	f.Merges = slices.ContainsFunc(n.Spec.Children(), func(c *resolve.Node) bool {
		return slices.ContainsFunc(c.Writes, func(w resolve.Write) bool { return w.To != nil && w.To.Merge == "custom" })
	})
	return f
}

// A Quorum is what has to become of branches for one outcome of their node.
type Quorum struct {
	Branches int  // at least as many have the outcome
	Cancels  bool // the one that completes the quorum cancels the others; else the join waits for them
}

// Quorums returns the quorums of n branches, for a success and for a failure. Fewer branches than have to succeed are a failure, whether
// or not one of them fails.
func (f *Fork) Quorums(n int) (success, failure Quorum) {
	if f.Join.Some {
		return Quorum{f.Need, f.Join.StopsOnSuccess}, Quorum{max(0, n-f.Need+1), f.Join.StopsOnFailure}
	}
	return Quorum{n, f.Join.StopsOnSuccess}, Quorum{1, f.Join.StopsOnFailure}
}

// Attempts returns the number of executions that a retry allows.
func Attempts(r *spec.Retry) int {
	if r == nil || !r.Attempts.IsSet() || r.Attempts.Lost {
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
