package explore

// maxOrderWork bounds the search over branches in the order of the spec, in states.
const maxOrderWork = 1 << 20

// orderIsTooMuchWork reports whether the search over the order of branches exceeds the bound.
func (in fork) orderIsTooMuchWork(n, k int) bool {
	return product(n, product(k+1, in.Width+1)) > maxOrderWork
}

// chooseInOrder is the chooser for more branches than MaxParallel, when some outcome cancels the
// others. Branches start in the order of the spec, and none starts while MaxParallel of them run.
func (in fork) chooseInOrder(each []OutcomeCosts, forced []CostRange, k int) CostRange {
	t := branchOrder{width: in.Width, k: k, first: in.Join.StopsOnSuccess}
	for i, o := range each {
		ended, late := o.Success, o.Success
		if t.first {
			ended, late = o.Failure, Any(o)
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

// A branch holds the costs of a branch, by when it ends.
type branch struct {
	forced CostRange
	before CostRange // before the outcome of the node is decided
	late   CostRange // still running when it is decided
}

// branchOrder is branches in the order in which they start.
type branchOrder struct {
	branches []branch
	width, k int
	first    bool // k successes cancel the others; else one failure does
}

// A progress counts the branches with the forced outcome and those still running.
type progress struct{ forced, underWay int }

// A bestPath is the best path to a progress.
type bestPath struct {
	ok     bool
	amount int
	from   progress
	path   *PathCost // of the last branch
}

// best returns the cheapest or most expensive path; nil: the branches cannot have the outcome.
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

// index returns the index of a progress in a row.
func (t *branchOrder) index(p progress) int { return p.forced*(t.width+1) + p.underWay }

// begin extends every progress of the branches before by one branch.
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
		come(progress{from.forced, min(from.underWay+1, t.width)}, &emptyPath) // or it does not start
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

// path returns the best path to the outcome of the node.
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

// complete returns the progress after a branch with the forced outcome. The success that completes
// the quorum still runs until it cancels the others, and so does every failure.
func (t *branchOrder) complete(p progress) progress {
	if t.first && p.forced < t.k-1 {
		return progress{p.forced + 1, p.underWay}
	}
	return progress{min(p.forced+1, t.k), p.underWay + 1}
}
