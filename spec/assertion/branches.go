package assertion

import (
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// mostBranches is how many branches of a node are told apart. Those beyond have no node that
// the assertion names.
const mostBranches = 8

// A forking is branches of which so many may come to what decides the outcome.
type forking struct {
	*explore.Composite
	branches [][]*explore.Node
	others   int // branches that are not told apart
}

// branches run at once: in any order, and with steps of one between those of another.
func (x *explorer) branches(in *explore.Composite, from trails) ends {
	begun := trails{}
	for s, path := range from.all() {
		begun.add(situation{s.phase, false}, path)
	}
	x.across(in, begun)
	if in.Kind.Branches() {
		return x.fork(x.apart(in), begun)
	}
	out := ends{done: begun, stopped: begun} // of an empty list
	if in.Limited {
		out.failed = begun
	}
	f := forking{Composite: in}
	for len(f.branches) < min(in.MaxRuns, max(3, in.MinSuccesses+1), mostBranches) {
		f.branches = append(f.branches, in.Regions[0].Nodes)
		out.add(x.fork(f, begun))
	}
	return out
}

// apart tells the branches apart that matter.
func (x *explorer) apart(in *explore.Composite) forking {
	f := forking{Composite: in}
	for _, r := range in.Regions {
		named := slices.ContainsFunc(r.Nodes, func(n *explore.Node) bool {
			return slices.ContainsFunc(append(n.Children(), n), x.query.names)
		})
		if named || len(in.Regions) <= mostBranches {
			f.branches = append(f.branches, r.Nodes)
		} else {
			f.others++
		}
	}
	return f
}

// names reports whether the path is asked for the node.
func (q *query) names(n *explore.Node) bool { return n == q.from || n == q.to || n == q.without }

// fork brings the branches to what their join makes of them.
func (x *explorer) fork(f forking, from trails) ends {
	n := len(f.branches) + f.others
	good, bad := n, 1
	cut := true
	switch f.Join {
	case "first":
		good, bad = min(f.MinSuccesses, n), n-f.MinSuccesses+1
	case "settled":
		good, bad, cut = min(f.MinSuccesses, n), n-f.MinSuccesses+1, false
	case "all":
		cut = false
	}
	ended := func(o ends) trails { return o.done.join(o.failed) }
	anything := func(o ends) trails { return o.done.join(o.failed).join(o.stopped) }
	rest, lost := ended, ended
	if cut {
		rest = anything
	}
	if cut && f.Join != "first" { // that waits for all before it fails
		lost = anything
	}
	out := ends{
		done:    x.orders(f, from, rest, func(o ends) trails { return o.done }, good-f.others),
		failed:  x.orders(f, from, lost, func(o ends) trails { return o.failed }, bad-f.others),
		stopped: x.orders(f, from, anything, anything, 0),
	}
	if f.Merges {
		out.failed = out.failed.join(out.done)
	}
	return out
}

// A progress is where a path is among branches.
type progress struct {
	phase  phase
	ran    uint64 // the branches that have run
	wanted int    // how many of them have come to what is wanted
}

// orders runs branches one after the other, in every order. At least so many come to what is
// wanted, the others to anything.
func (x *explorer) orders(f forking, from trails, rest, wanted func(ends) trails, least int) trails {
	all := uint64(1)<<len(f.branches) - 1
	paths := map[progress][]Step{}
	var queue []progress
	add := func(p progress, path []Step) {
		if _, seen := paths[p]; !seen {
			paths[p] = path
			queue = append(queue, p)
		}
	}
	for s, path := range from.all() {
		add(progress{phase: s.phase}, path)
	}
	out := trails{}
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
			o := x.chain(nodes, trails{{at.phase, false}: paths[at]})
			for s, path := range rest(o).all() {
				add(progress{s.phase, at.ran | bit, at.wanted}, path)
			}
			for s, path := range wanted(o).all() {
				add(progress{s.phase, at.ran | bit, min(at.wanted+1, max(0, least))}, path)
			}
			if f.Kind.Each {
				break // the branches are alike
			}
		}
	}
	return out
}

// across looks for a path that begins in one branch and ends in another: what leads to its end
// in that may have run before it begins.
func (x *explorer) across(in *explore.Composite, from trails) {
	if x.query.from == nil || x.query.to == nil || in.MaxParallel < 2 || x.found != nil {
		return
	}
	for i, a := range in.Regions {
		for k, b := range in.Regions {
			if i == k && (in.Kind.Branches() || in.MaxRuns < 2) {
				continue
			}
			begins, ends := x.leading(a, x.query.from), x.leading(b, x.query.to)
			if begins == nil || ends == nil {
				continue
			}
			for _, before := range from.all() {
				last := len(ends) - 1
				path := slices.Concat(before, ends[:last], begins, ends[last:])
				if len(path) <= x.room && (x.found == nil || len(path) < len(x.found)) {
					x.found = path
				}
			}
		}
	}
}

// leading is the shortest way to a node within a branch; nil: there is none.
func (x *explorer) leading(r *explore.Region, to *explore.Node) []Step {
	e := &explorer{query: &query{to: to, chains: map[stay]explored{}}, room: x.room}
	e.chain(r.Nodes, trails{{underWay, false}: nil})
	return e.found
}
