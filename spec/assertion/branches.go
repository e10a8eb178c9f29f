package assertion

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
)

// maxBranches bounds the branches that are examined one by one. The assertion names no node of the
// others.
const maxBranches = 8

// Fork returns the paths through concurrent branches. They run in any order, with steps interleaved.
func (q *query) Fork(n *cfg.Node, rule *cfg.Fork, each []outcomes) (o outcomes) {
	o.Cancelled = q.Or(q.Nothing(), q.acrossBranches(n, rule))
	if !rule.Each {
		var named []outcomes
		for i, b := range each {
			if len(each) <= maxBranches || slices.ContainsFunc(n.Regions[i].Nodes, q.names) {
				named = append(named, b)
			}
		}
		q.join(&o, rule, named, len(each)-len(named))
		return o
	}
	most := min(rule.Most, max(3, rule.Need+1), maxBranches)
	for i := range most {
		others := 0
		if i == maxBranches-1 && rule.Most > maxBranches {
			others = rule.Need // a longer list, of which the others do what the join needs
		}
		q.join(&o, rule, slices.Repeat(each, i+1), others)
	}
	return o
}

// names reports whether the query names the node, or one in it.
func (q *query) names(n *cfg.Node) bool {
	return slices.ContainsFunc(append(n.Children(), n), func(n *cfg.Node) bool { return n == q.from || n == q.to || n == q.without })
}

// join adds the paths through a join of branches. What others of them do does not matter.
func (q *query) join(o *outcomes, rule *cfg.Fork, branches []outcomes, others int) {
	var successes, failures, ends, cuts []paths
	for _, b := range branches {
		ended := q.Or(b.Success, b.Failure)
		successes, failures, ends, cuts = append(successes, b.Success), append(failures, b.Failure), append(ends, ended), append(cuts, q.Or(ended, q.Cut(b)))
	}
	rest := map[bool][]paths{false: ends, true: cuts}
	success, failure := rule.Quorums(len(branches) + others)
	o.Success = q.Or(o.Success, q.orders(rule, successes, rest[success.Cancels], success.Branches-others))
	o.Failure = q.Or(o.Failure, q.orders(rule, failures, rest[failure.Cancels], failure.Branches-others))
	o.Cancelled = q.Or(o.Cancelled, q.orders(rule, cuts, cuts, 0))
}

// A progress is the state of a path among branches.
type progress struct {
	phase  phase
	ran    uint64 // bit set of the branches that have run
	wanted int    // branches with the wanted outcome
}

// orders returns the paths through branches in sequence, in all orders. At least the given number have the wanted outcome,
// the others any.
func (q *query) orders(rule *cfg.Fork, wanted, rest []paths, least int) (out paths) {
	for from := range ruledOut {
		q.ordersFrom(from, rule, wanted, rest, least, &out)
	}
	return out
}

func (q *query) ordersFrom(from phase, rule *cfg.Fork, wanted, rest []paths, least int, out *paths) {
	all := uint64(1)<<len(rest) - 1
	known := map[progress][]Step{}
	var queue []progress
	add := func(p progress, path []Step) {
		have, seen := known[p]
		if path == nil {
			return
		}
		if !seen {
			queue = append(queue, p)
		}
		if !seen || len(path) < len(have) { // one branch more has run than in the branches of which it was reached
			known[p] = path
		}
	}
	add(progress{phase: from}, []Step{})
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		path := known[at]
		if at.ran == all {
			if at.wanted >= least {
				out.add(from, at.phase, path)
			}
			continue
		}
		for k := range rest {
			bit := uint64(1) << k
			if at.ran&bit != 0 {
				continue
			}
			out.find(from, q.joined(path, rest[k].found[at.phase]))
			for to, through := range rest[k].to[at.phase] {
				add(progress{phase(to), at.ran | bit, at.wanted}, q.joined(path, through))
			}
			for to, through := range wanted[k].to[at.phase] {
				add(progress{phase(to), at.ran | bit, min(at.wanted+1, max(0, least))}, q.joined(path, through))
			}
			if rule.Each {
				break // all branches are the same
			}
		}
	}
}

// acrossBranches looks for a path that begins in one branch and ends in another. The steps that
// lead to its end may run before it begins.
func (q *query) acrossBranches(n *cfg.Node, rule *cfg.Fork) (p paths) {
	if q.from == nil || q.to == nil || rule.Width < 2 {
		return p
	}
	for i, a := range n.Regions {
		for k, b := range n.Regions {
			if i == k && (!rule.Each || rule.Most < 2) {
				continue
			}
			begins, ends := q.shortestTo(a, q.from), q.shortestTo(b, q.to)
			if begins == nil || ends == nil {
				continue
			}
			last := len(ends) - 1
			path := q.joined(slices.Concat(ends[:last], begins), ends[last:])
			p.find(before, path)
			p.find(underWay, path)
		}
	}
	return p
}

// shortestTo returns the shortest path to a node within a branch; nil without one.
func (q *query) shortestTo(r *cfg.Region, to *cfg.Node) []Step {
	to1 := &query{to: to, maxSteps: q.maxSteps}
	return cfg.NewFold(to1, false).Region(r).Cancelled.found[underWay]
}
