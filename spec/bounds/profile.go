package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
)

// A profile computes the fewest steps for each number of visits of a child.
type profile struct {
	graph *cfg.Graph
	node  *cfg.Node
	size  int // the greatest number of visits
	room  int // the greatest number of steps

	effort *effort // shared by all profiles of a graph
}

// A row holds the fewest steps by the number of visits; none: impossible.
type row []int

const none = 1 << 60

// stepCosts are the rows of a success, of a failure, and of a visit at which the steps are used up. A nil row is impossible.
type stepCosts = cfg.Outcomes[row]

// maxProfileWork bounds the work for one profile: visits squared times steps. maxProfileComparisons
// bounds the work for all profiles of a graph.
const (
	maxProfileWork        = 20_000_000
	maxProfileComparisons = 400_000_000
)

// eachRow is the cost of making a row, in comparisons.
const eachRow = 1000

// maxCostModelWork bounds the work for the visits of children, in nodes.
const maxCostModelWork = 200_000

// profile returns nil if the profile would be too much work.
func (m *model) profile(n *cfg.Node, size, room int) *profile {
	if size <= 0 || size > 1000 || size*size*room > maxProfileWork || m.profileWork.over() {
		return nil
	}
	return &profile{m.graph, n, size, room, m.profileWork}
}

// most returns the most visits for which there are enough steps, at most the given number. rooms
// has the steps that are left, by the visits of the composite node.
func (p *profile) most(composite *cfg.Node, rooms []int, most int) int {
	y := cfg.NewFold(p, false).Regions(composite)
	done, before := either(y.Success, y.Failure), p.zero()
	if composite.Skip {
		done = either(done, p.zero())
	}
	best := 0
	for _, room := range rooms {
		last := p.then(before, either(y.Cancelled, done))
		for j := range last {
			if last[j] <= room && j > best {
				best = j
			}
		}
		if before = p.then(before, done); before == nil {
			break
		}
	}
	return min(best, most)
}

func (p *profile) blank() row { return slices.Repeat(row{none}, p.size+1) }

// zero returns the row of no visits and no steps.
func (p *profile) zero() row {
	r := p.blank()
	r[0] = 0
	return r
}

func (r row) empty() bool {
	return !slices.ContainsFunc(r, func(steps int) bool { return steps < none })
}

// either returns the fewest steps of two rows.
func either(a, b row) row {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := slices.Clone(a)
	for j := range out {
		out[j] = min(out[j], b[j])
	}
	return out
}

// then returns a followed by b, within the steps.
func (p *profile) then(a, b row) row {
	if a == nil || b == nil {
		return nil
	}
	out := p.blank()
	if p.thenInto(out, a, b); out.empty() {
		return nil
	}
	return out
}

// thenInto lowers the steps of a row to the steps of a followed by b.
func (p *profile) thenInto(out, a, b row) {
	if a == nil || b == nil || !p.effort.spend(len(a)+eachRow) {
		return
	}
	for i, x := range a {
		if x > p.room {
			continue
		}
		p.effort.spend(len(b) - i)
		for j, y := range b[:len(b)-i] {
			if x+y <= p.room {
				out[i+j] = min(out[i+j], x+y)
			}
		}
	}
}

// visits returns the row of from to n visits of a node.
func (p *profile) visits(n *cfg.Node, from, to int) row {
	out := p.blank()
	for k := from; k <= min(to, p.room); k++ {
		switch {
		case n != p.node:
			out[0] = min(out[0], k)
		case k <= p.size:
			out[k] = k
		}
	}
	return out
}

// Nothing returns the row of no visits and no steps.
func (p *profile) Nothing() row { return p.zero() }

// Then returns the row of one execution after another.
func (p *profile) Then(a, b row) row { return p.then(a, b) }

// Or returns the row of either.
func (p *profile) Or(a, b row) row { return either(a, b) }

// Undo returns the same row: steps stay made.
func (p *profile) Undo(a row) row { return a }

// Cut returns the row of something that is ended from outside.
func (p *profile) Cut(y stepCosts) row {
	return either(either(y.Success, y.Failure), either(y.Cancelled, p.zero()))
}

// Again returns the row of repetitions, as many as there are steps for.
func (p *profile) Again(a row, least, most int) row {
	out, all := row(nil), p.zero()
	for k := 0; all != nil; k++ {
		if k >= least {
			out = either(out, all)
		}
		if k == most {
			break
		}
		all = p.then(all, a)
	}
	return out
}

// Leaf returns the rows of one execution of a node without regions: one visit, and one more for each turn that calls
// tools.
func (p *profile) Leaf(n *cfg.Node) (y stepCosts, usedUp row) {
	most := 1
	if n.Spec.Loops {
		most = n.MaxVisits
		usedUp = p.visits(n, most, most)
	}
	done := p.visits(n, 1, most)
	return stepCosts{Success: done, Failure: done, Cancelled: p.cutAt(n, done)}, usedUp
}

// cutAt returns the row of visits of a node if it is the node of the profile.
func (p *profile) cutAt(n *cfg.Node, visits row) row {
	if n != p.node {
		return nil
	}
	return visits
}

// Enter returns the rows of the visit of a composite node.
func (p *profile) Enter(n *cfg.Node) stepCosts {
	own := p.visits(n, 1, 1)
	return stepCosts{Success: own, Cancelled: p.cutAt(n, own)}
}

// Pass returns the rows of the visit of a node that is skipped.
func (p *profile) Pass(n *cfg.Node) stepCosts { return p.Enter(n) }

// Until returns the row of no visits.
func (p *profile) Until(*cfg.Node) stepCosts { return stepCosts{Success: p.zero()} }

// Test takes no steps.
func (p *profile) Test(*cfg.Node, *cfg.Transition) stepCosts { return stepCosts{Success: p.zero()} }

// Withhold returns the same costs.
func (p *profile) Withhold(_ *cfg.Node, a row) row { return a }

// Onward returns the same row.
func (p *profile) Onward(_ *cfg.Node, _ int, a row) row { return a }

// Pool returns the rows of a pool. It ignores that regions may not be picked again.
func (p *profile) Pool(_ *cfg.Node, rule *cfg.Pool, each []stepCosts) (out stepCosts) {
	var any stepCosts
	for _, y := range each {
		any = stepCosts{Success: either(any.Success, y.Success), Failure: either(any.Failure, y.Failure), Cancelled: either(any.Cancelled, y.Cancelled)}
	}
	if rule.RunsNothing() {
		out.Success = p.zero()
	}
	if rule.Asks(0) {
		out.Failure = p.zero()
	}
	before := p.Again(any.Success, 0, rule.Most-1)
	after := p.then(before, any.Success)
	out.Success = either(out.Success, after)
	out.Failure = either(out.Failure, either(p.then(before, any.Failure), after)) // the pick after it may fail
	out.Cancelled = p.then(before, any.Cancelled)
	return out
}

// A quorum holds a row for each number of branches with the outcome that is searched for. The last
// row includes any greater number, too.
type quorum []row

// Fork returns the rows of concurrent branches: they add up.
func (p *profile) Fork(_ *cfg.Node, in *cfg.Fork, each []stepCosts) (out stepCosts) {
	if in.Each {
		return p.each(in, each[0])
	}
	n := len(each)
	success, failure := in.Quorums(n)
	succeeded, failed, under := p.counting(success.Branches), p.counting(failure.Branches), p.counting(min(in.Width, n))
	for _, y := range each {
		if p.effort.over() {
			break // the result is not used
		}
		succeeded = p.add(succeeded, y.Success, p.rest(success, y))
		failed = p.add(failed, y.Failure, either(y.Success, y.Failure))
		under = p.extra(under, p.ended(failure, y), p.open(failure, y))
	}
	out = stepCosts{Success: succeeded[success.Branches], Failure: failed[failure.Branches], Cancelled: under.any()}
	if failure.Cancels {
		out.Failure = under[1:].any()
	}
	return possible(out)
}

// possible returns rows of which those without an entry are nil.
func possible(y stepCosts) stepCosts {
	for _, r := range []*row{&y.Success, &y.Failure, &y.Cancelled} {
		if r.empty() {
			*r = nil
		}
	}
	return y
}

// each returns the costs of one branch for every element of a list.
func (p *profile) each(in *cfg.Fork, y stepCosts) (out stepCosts) {
	success, failure := in.Quorums(1)
	free, good, under := p.rest(success, y), p.zero(), p.counting(in.Width)
	succeeded, failed := p.counting(1), p.counting(1)
	if in.Join.Some {
		succeeded, failed = p.counting(in.Need), p.counting(in.Need-1)
	}
	for n := 1; n <= min(in.Most, p.room) && !p.effort.over(); n++ {
		under = p.extra(under, p.ended(failure, y), p.open(failure, y))
		out.Cancelled = either(out.Cancelled, under.any())
		if !in.Join.Some {
			good = p.then(good, y.Success)
			failed = p.add(failed, y.Failure, either(y.Success, y.Failure))
			lost := failed[1]
			if failure.Cancels {
				lost = under[1:].any()
			}
			out.Success, out.Failure = either(out.Success, good), either(out.Failure, lost)
			continue
		}
		succeeded = p.add(succeeded, y.Success, free)
		if n >= in.Need {
			out.Success = either(out.Success, succeeded[in.Need])
		}
		failed = p.extra(failed, y.Failure, either(y.Success, y.Failure))
		out.Failure = either(out.Failure, failed.any())
	}
	return possible(out)
}

// extra adds a branch that has the forced outcome, or one of the limited number with any outcome.
func (p *profile) extra(t quorum, forced, free row) quorum {
	out := p.copies(len(t))
	for i := range t {
		p.thenInto(out[i], t[i], forced)
		if i > 0 {
			p.thenInto(out[i], t[i-1], free)
		}
	}
	return out
}

// copies returns n blank rows in one allocation.
func (p *profile) copies(n int) quorum {
	out, all := make(quorum, n), slices.Repeat(row{none}, n*(p.size+1))
	for i := range out {
		out[i], all = all[:p.size+1:p.size+1], all[p.size+1:]
	}
	return out
}

// any returns the cheapest row of all numbers.
func (t quorum) any() row {
	out := slices.Clone(t[0])
	for _, r := range t[1:] {
		out = either(out, r)
	}
	return out
}

// ended returns the costs of a branch that is not running: it has ended, or has not started. A
// branch that fails fast is still running when it cancels the others.
func (p *profile) ended(failure cfg.Quorum, y stepCosts) row {
	if failure.Cancels {
		return either(y.Success, p.zero())
	}
	return either(either(y.Success, y.Failure), p.zero())
}

// open returns the costs of a branch that is still running.
func (p *profile) open(failure cfg.Quorum, y stepCosts) row {
	if failure.Cancels {
		return either(y.Cancelled, y.Failure)
	}
	return y.Cancelled
}

// rest returns the costs of a branch whose outcome does not matter.
func (p *profile) rest(success cfg.Quorum, y stepCosts) row {
	if success.Cancels {
		return p.Cut(y)
	}
	return either(y.Success, y.Failure)
}

func (p *profile) counting(most int) quorum {
	t := p.copies(most + 1)
	t[0][0] = 0
	return t
}

// add adds a branch that has the forced outcome or any.
func (p *profile) add(t quorum, forced, free row) quorum {
	out := p.copies(len(t))
	for i := range t {
		p.thenInto(out[i], t[i], free)
		if i > 0 {
			p.thenInto(out[i], t[i-1], forced)
		}
	}
	last := len(t) - 1
	p.thenInto(out[last], t[last], forced)
	return out
}
