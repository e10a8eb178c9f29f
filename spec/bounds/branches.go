package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// A tallied is branches of which so many have come to an outcome that is looked for, by how
// many: the last entry stands for more, too.
type tallied []row

// join runs branches at once: what they make adds up.
func (p *profile) join(in *explore.Inside, each []yield) yield {
	n := len(each)
	out := p.never()
	good, bad := p.wanted(in, n)
	succeeded, failed, under := p.counting(good), p.counting(bad), p.counting(min(in.Width, n))
	for _, y := range each {
		if p.effort.over() {
			break // what is found is not used
		}
		succeeded = p.add(succeeded, y.success, p.rest(in, y))
		failed = p.add(failed, y.failure, either(y.success, y.failure))
		under = p.spare(under, p.ended(in, y), p.open(in, y))
	}
	out.success, out.failure, out.cut = succeeded[good], failed[bad], under.any()
	if failsFast(in) {
		out.failure = under[1:].any()
	}
	return p.merged(in, out)
}

// each runs a branch for every element of a list.
func (p *profile) each(in *explore.Inside, y yield) yield {
	out := p.never()
	out.success = p.zero()
	if in.Limited {
		out.failure = p.zero()
	}
	some := in.Join == "first" || in.Join == "settled"
	free, good, under := p.rest(in, y), p.zero(), p.counting(in.Width)
	succeeded, failed := p.counting(1), p.counting(1)
	if some {
		succeeded, failed = p.counting(in.Count), p.counting(in.Count-1)
	}
	for n := 1; n <= min(in.Times, p.room) && !p.effort.over(); n++ {
		under = p.spare(under, p.ended(in, y), p.open(in, y))
		out.cut = either(out.cut, under.any())
		if !some {
			good = p.then(good, y.success)
			failed = p.add(failed, y.failure, either(y.success, y.failure))
			lost := failed[1]
			if failsFast(in) {
				lost = under[1:].any()
			}
			out.success, out.failure = either(out.success, good), either(out.failure, lost)
			continue
		}
		succeeded = p.add(succeeded, y.success, free)
		out.success = either(out.success, succeeded[min(in.Count, n)])
		failed = p.spare(failed, y.failure, either(y.success, y.failure))
		out.failure = either(out.failure, failed.any())
	}
	return p.merged(in, out)
}

// spare has another branch come to what is looked for, or to anything: that may so many.
func (p *profile) spare(t tallied, forced, free row) tallied {
	out := p.copies(len(t))
	for i := range t {
		p.thenInto(out[i], t[i], forced)
		if i > 0 {
			p.thenInto(out[i], t[i-1], free)
		}
	}
	return out
}

// copies are blank rows, of one piece of memory.
func (p *profile) copies(n int) tallied {
	out, all := make(tallied, n), slices.Repeat(row{none}, n*(p.size+1))
	for i := range out {
		out[i], all = all[:p.size+1:p.size+1], all[p.size+1:]
	}
	return out
}

// any is however many.
func (t tallied) any() row {
	out := slices.Clone(t[0])
	for _, r := range t[1:] {
		out = either(out, r)
	}
	return out
}

// failsFast reports whether the first failure ends all branches.
func failsFast(in *explore.Inside) bool { return in.Join == "" || in.Join == "fail_fast" }

// ended is what a branch may have made that is not under way: it has come to its end, or was
// not begun. The one that fails fast is under way when it ends the others.
func (p *profile) ended(in *explore.Inside, y yield) row {
	if failsFast(in) {
		return either(y.success, p.zero())
	}
	return either(either(y.success, y.failure), p.zero())
}

// open is what a branch may have made that is under way.
func (p *profile) open(in *explore.Inside, y yield) row {
	if failsFast(in) {
		return either(y.cut, y.failure)
	}
	return y.cut
}

// wanted is how many of the branches have to succeed for the node to succeed, and to fail for
// it to fail.
func (p *profile) wanted(in *explore.Inside, n int) (good, bad int) {
	if in.Join == "first" || in.Join == "settled" {
		return min(in.Count, n), max(0, n-in.Count+1)
	}
	return n, min(1, n)
}

// rest is what a branch may make whose outcome does not matter.
func (p *profile) rest(in *explore.Inside, y yield) row {
	done := either(y.success, y.failure)
	if in.Join == "all" || in.Join == "settled" {
		return done
	}
	return p.prefix(yield{done, done, y.cut})
}

func (p *profile) counting(most int) tallied {
	t := p.copies(most + 1)
	t[0][0] = 0
	return t
}

// add has another branch come to what is looked for, or to anything.
func (p *profile) add(t tallied, forced, free row) tallied {
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

func (p *profile) merged(in *explore.Inside, y yield) yield {
	if in.Merges {
		y.failure = either(y.failure, y.success)
	}
	return y
}
