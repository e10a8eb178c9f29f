package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// A quorum holds a row for each number of branches with the outcome that is searched for. The last
// row includes any greater number, too.
type quorum []row

// join returns the costs of concurrent branches: they add up.
func (p *profile) join(in *explore.Composite, each []stepCosts) stepCosts {
	n := len(each)
	out := p.impossible()
	good, bad := p.wanted(in, n)
	succeeded, failed, under := p.counting(good), p.counting(bad), p.counting(min(in.MaxParallel, n))
	for _, y := range each {
		if p.effort.over() {
			break // the result is not used
		}
		succeeded = p.add(succeeded, y.success, p.rest(in, y))
		failed = p.add(failed, y.failure, either(y.success, y.failure))
		under = p.extra(under, p.ended(in, y), p.open(in, y))
	}
	out.success, out.failure, out.cut = succeeded[good], failed[bad], under.any()
	if in.Join.StopsOnFailure {
		out.failure = under[1:].any()
	}
	return p.merged(in, out)
}

// each returns the costs of one branch for every element of a list.
func (p *profile) each(in *explore.Composite, y stepCosts) stepCosts {
	out := p.impossible()
	out.success = p.zero()
	if in.Limited {
		out.failure = p.zero()
	}
	free, good, under := p.rest(in, y), p.zero(), p.counting(in.MaxParallel)
	succeeded, failed := p.counting(1), p.counting(1)
	if in.Join.Some {
		succeeded, failed = p.counting(in.MinSuccesses), p.counting(in.MinSuccesses-1)
	}
	for n := 1; n <= min(in.MaxRuns, p.room) && !p.effort.over(); n++ {
		under = p.extra(under, p.ended(in, y), p.open(in, y))
		out.cut = either(out.cut, under.any())
		if !in.Join.Some {
			good = p.then(good, y.success)
			failed = p.add(failed, y.failure, either(y.success, y.failure))
			lost := failed[1]
			if in.Join.StopsOnFailure {
				lost = under[1:].any()
			}
			out.success, out.failure = either(out.success, good), either(out.failure, lost)
			continue
		}
		succeeded = p.add(succeeded, y.success, free)
		if n >= in.MinSuccesses {
			out.success = either(out.success, succeeded[in.MinSuccesses])
		}
		failed = p.extra(failed, y.failure, either(y.success, y.failure))
		out.failure = either(out.failure, failed.any())
	}
	return p.merged(in, out)
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
func (p *profile) ended(in *explore.Composite, y stepCosts) row {
	if in.Join.StopsOnFailure {
		return either(y.success, p.zero())
	}
	return either(either(y.success, y.failure), p.zero())
}

// open returns the costs of a branch that is still running.
func (p *profile) open(in *explore.Composite, y stepCosts) row {
	if in.Join.StopsOnFailure {
		return either(y.cut, y.failure)
	}
	return y.cut
}

// wanted returns how many branches have to succeed for a success of the node, and fail for a
// failure.
func (p *profile) wanted(in *explore.Composite, n int) (good, bad int) {
	if in.Join.Some {
		return in.MinSuccesses, max(0, n-in.MinSuccesses+1)
	}
	return n, min(1, n)
}

// rest returns the costs of a branch whose outcome does not matter.
func (p *profile) rest(in *explore.Composite, y stepCosts) row {
	done := either(y.success, y.failure)
	if !in.Join.Stops() {
		return done
	}
	return p.prefix(stepCosts{done, done, y.cut})
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

func (p *profile) merged(in *explore.Composite, y stepCosts) stepCosts {
	if in.Merges {
		y.failure = either(y.failure, y.success)
	}
	return y
}
