package assertion

import (
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// maxBranches bounds the branches that are examined one by one. The assertion names no node of the
// others.
const maxBranches = 8

// A branchSet is the branches of a composite node.
type branchSet struct {
	*explore.Composite
	branches [][]*explore.Node
	others   int // number of branches that are not examined one by one
}

// concurrent explores concurrent branches. They run in any order, with steps interleaved.
func (x *explorer) concurrent(in *explore.Composite, from pathSet) outcomes {
	begun := pathSet{}
	for s, path := range from.all() {
		begun.add(situation{s.phase, false}, path)
	}
	x.acrossBranches(in, begun)
	if in.Kind.Branches() {
		return x.join(x.branchSet(in), begun)
	}
	out := outcomes{succeeded: begun, cancelled: begun} // for an empty list
	if in.Limited {
		out.failed = begun
	}
	f := branchSet{Composite: in}
	for len(f.branches) < min(in.MaxRuns, max(3, in.MinSuccesses+1), maxBranches) {
		f.branches = append(f.branches, in.Regions[0].Nodes)
		if len(f.branches) == maxBranches && in.MaxRuns > maxBranches {
			f.others = in.MinSuccesses // a longer list, of which the others do what the join needs
		}
		out.add(x.join(f, begun))
	}
	return out
}

// branchSet returns the branches that matter one by one, and the number of others.
func (x *explorer) branchSet(in *explore.Composite) branchSet {
	f := branchSet{Composite: in}
	for _, r := range in.Regions {
		named := slices.ContainsFunc(r.Nodes, func(n *explore.Node) bool {
			return slices.ContainsFunc(append(n.Children(), n), x.query.mentions)
		})
		if named || len(in.Regions) <= maxBranches {
			f.branches = append(f.branches, r.Nodes)
		} else {
			f.others++
		}
	}
	return f
}

// mentions reports whether the query names the node.
func (q *query) mentions(n *explore.Node) bool { return n == q.from || n == q.to || n == q.without }

// join explores the outcomes of a join.
func (x *explorer) join(f branchSet, from pathSet) outcomes {
	n := len(f.branches) + f.others
	good, bad := n, 1
	if f.Join.Some {
		good, bad = f.MinSuccesses, n-f.MinSuccesses+1
	}
	ended := func(o outcomes) pathSet { return o.succeeded.join(o.failed) }
	anything := func(o outcomes) pathSet { return o.succeeded.join(o.failed).join(o.cancelled) }
	rest, lost := ended, ended
	if f.Join.Stops() {
		rest = anything
	}
	if f.Join.StopsOnFailure { // else the join waits for all branches before it fails
		lost = anything
	}
	out := outcomes{
		succeeded: x.orders(f, from, rest, func(o outcomes) pathSet { return o.succeeded }, good-f.others),
		failed:    x.orders(f, from, lost, func(o outcomes) pathSet { return o.failed }, bad-f.others),
		cancelled: x.orders(f, from, anything, anything, 0),
	}
	if f.Merges {
		out.failed = out.failed.join(out.succeeded)
	}
	return out
}

// A progress is the state of a path among branches.
type progress struct {
	phase  phase
	ran    uint64 // bit set of the branches that have run
	wanted int    // branches with the wanted outcome
}

// orders explores all orders of running branches in sequence. At least the given number have the
// wanted outcome, the others any.
func (x *explorer) orders(f branchSet, from pathSet, rest, wanted func(outcomes) pathSet, least int) pathSet {
	all := uint64(1)<<len(f.branches) - 1
	paths := map[progress][]Step{}
	var queue []progress
	add := func(p progress, path []Step) {
		have, seen := paths[p]
		if !seen {
			queue = append(queue, p)
		}
		if !seen || len(path) < len(have) { // one branch more has run than in the branches of which it was reached
			paths[p] = path
		}
	}
	for s, path := range from.all() {
		add(progress{phase: s.phase}, path)
	}
	out := pathSet{}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		if at.ran == all {
			if at.wanted >= least {
				out.add(situation{at.phase, false}, paths[at])
			}
			continue
		}
		for k, nodes := range f.branches {
			bit := uint64(1) << k
			if at.ran&bit != 0 {
				continue
			}
			o := x.chain(nodes, pathSet{{at.phase, false}: paths[at]})
			for s, path := range rest(o).all() {
				add(progress{s.phase, at.ran | bit, at.wanted}, path)
			}
			for s, path := range wanted(o).all() {
				add(progress{s.phase, at.ran | bit, min(at.wanted+1, max(0, least))}, path)
			}
			if f.Kind.Each {
				break // all branches are the same
			}
		}
	}
	return out
}

// acrossBranches looks for a path that begins in one branch and ends in another. The steps that
// lead to its end may run before it begins.
func (x *explorer) acrossBranches(in *explore.Composite, from pathSet) {
	if x.query.from == nil || x.query.to == nil || in.MaxParallel < 2 || x.found != nil {
		return
	}
	for i, a := range in.Regions {
		for k, b := range in.Regions {
			if i == k && (in.Kind.Branches() || in.MaxRuns < 2) {
				continue
			}
			begins, ends := x.shortestTo(a, x.query.from), x.shortestTo(b, x.query.to)
			if begins == nil || ends == nil {
				continue
			}
			for _, before := range from.all() {
				last := len(ends) - 1
				path := slices.Concat(before, ends[:last], begins, ends[last:])
				if len(path) <= x.maxSteps && (x.found == nil || len(path) < len(x.found)) {
					x.found = path
				}
			}
		}
	}
}

// shortestTo returns the shortest path to a node within a branch; nil without one.
func (x *explorer) shortestTo(r *explore.Region, to *explore.Node) []Step {
	e := &explorer{query: &query{to: to, chains: map[regionVisit]regionPaths{}}, maxSteps: x.maxSteps}
	e.chain(r.Nodes, pathSet{{underWay, false}: nil})
	return e.found
}
