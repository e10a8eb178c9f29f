package explore

// maxOrderWork bounds the work for branches in written order, in places that are looked at.
const maxOrderWork = 1 << 20

// orderIsTooMuchWork reports whether the order of branches is too much work.
func (in *Composite) orderIsTooMuchWork(n, k int) bool {
	return product(n, product(k+1, in.MaxParallel+1)) > maxOrderWork
}

// chooseInOrder chooses among branches of which more are written than run at once, where some of them
// end the others. They are begun in written order: none while as many are under way as run at
// once when it is known how the node ends.
func (in *Composite) chooseInOrder(each []OutcomeCosts, forced []CostRange, k int) CostRange {
	t := branchOrder{width: in.MaxParallel, k: k, first: in.Join == "first"}
	for i, o := range each {
		ended, late := o.Success, o.Success
		if t.first {
			ended, late = o.Failure, o.Any()
		}
		t.branches = append(t.branches, branch{forced[i], ended, late})
	}
	least := t.best(func(c CostRange) *PathCost { return c.Min }, -1)
	most := t.best(func(c CostRange) *PathCost { return c.Max }, 1)
	if least == nil {
		return CostRange{}
	}
	return CostRange{least, most}
}

// A branch is what a branch may come to.
type branch struct {
	forced CostRange
	before CostRange // before it is known how the node ends
	late   CostRange // under way then
}

// Turns are branches in the order in which they are begun.
type branchOrder struct {
	branches []branch
	width, k int
	first    bool // k successes end the others, else a failure
}

// A progress is how many branches have come to what is forced, and how many are under way.
type progress struct{ forced, underWay int }

// A bestPath is how a place is come to at best.
type bestPath struct {
	ok     bool
	amount int
	from   progress
	path   *PathCost // of the branch
}

// best returns the course that takes least or most; nil: the branches cannot come to it.
func (t *branchOrder) best(of func(CostRange) *PathCost, sign int) *PathCost {
	rows := make([][]bestPath, len(t.branches)+1)
	for i := range rows {
		rows[i] = make([]bestPath, (t.k+1)*(t.width+1))
	}
	rows[0][0].ok = true
	for i, b := range t.branches {
		t.begin(b, rows[i], rows[i+1], of, sign)
	}
	return t.path(rows, sign)
}

// index is the index of a place.
func (t *branchOrder) index(p progress) int { return p.forced*(t.width+1) + p.underWay }

// begin looks at all that a branch may come to, at each place that the branches before lead to.
func (t *branchOrder) begin(b branch, before, after []bestPath, of func(CostRange) *PathCost, sign int) {
	for number, have := range before {
		if !have.ok {
			continue
		}
		from := progress{number / (t.width + 1), number % (t.width + 1)}
		come := func(to progress, c *PathCost) {
			into := &after[t.index(to)]
			if amount := min(have.amount+c.Amount, Unbounded); !into.ok || sign*(amount-into.amount) > 0 {
				*into = bestPath{true, amount, from, c}
			}
		}
		come(progress{from.forced, min(from.underWay+1, t.width)}, &emptyPath) // or it is not begun
		if from.underWay == t.width {
			continue
		}
		if b.before.Possible() {
			come(from, of(b.before))
		}
		if b.late.Possible() {
			come(progress{from.forced, from.underWay + 1}, of(b.late))
		}
		if b.forced.Possible() {
			come(t.complete(from), of(b.forced))
		}
	}
}

// path is the best course to what the node comes to.
func (t *branchOrder) path(rows [][]bestPath, sign int) *PathCost {
	last := len(t.branches)
	best := progress{t.k, -1}
	for under := range t.width + 1 {
		to := progress{t.k, under}
		r := rows[last][t.index(to)]
		if r.ok && (best.underWay < 0 || sign*(r.amount-rows[last][t.index(best)].amount) > 0) {
			best = to
		}
	}
	if best.underWay < 0 {
		return nil
	}
	costs := make([]*PathCost, last)
	for p := best; last > 0; last-- {
		r := rows[last][t.index(p)]
		costs[last-1], p = r.path, r.from
	}
	all := &emptyPath
	for _, c := range costs {
		all = concat(all, c)
	}
	return all
}

// complete is where a branch leads that comes to what is forced. Of successes that are enough the last one
// is under way until it ends the others, of failures each one.
func (t *branchOrder) complete(p progress) progress {
	if t.first && p.forced < t.k-1 {
		return progress{p.forced + 1, p.underWay}
	}
	return progress{min(p.forced+1, t.k), p.underWay + 1}
}
