package explore

import (
	"cmp"
	"slices"
)

// A CostModel gives the cost of visits. All slices are indexed by node.
type CostModel struct {
	Visit  []int // of every visit
	Finish []int // added when the visit does not end in tool calls
	Called []int // added when the visit ends in tool calls
	Pick   []int // of every choice that the model makes for a pool

	// Onward is added when a run continues from a node of a region to a place in it; nil: nothing is.
	Onward func(from *Node, place int) int

	// Skips reports that a skipped child may run nothing. The minimum is then a lower bound that no
	// run need attain.
	Skips bool

	examined int // last nodes of pools that were examined
}

// NewCostModel returns a cost model in which nothing has a cost.
func (g *Graph) NewCostModel() *CostModel {
	n := len(g.Nodes)
	return &CostModel{Visit: make([]int, n), Finish: make([]int, n), Called: make([]int, n), Pick: make([]int, n)}
}

// StepCostModel returns the cost model that counts steps.
func (g *Graph) StepCostModel() *CostModel {
	m := g.NewCostModel()
	for i := range m.Visit {
		m.Visit[i] = 1
	}
	return m
}

// Unbounded is the largest cost and the largest length. Sums and products saturate at it.
const Unbounded = 1 << 50

// A CostRange holds a cheapest and a most expensive path to one outcome. Both are nil if the
// outcome is impossible.
type CostRange struct{ Min, Max *PathCost }

// OutcomeCosts are the costs of a success and of a failure.
type OutcomeCosts struct{ Success, Failure CostRange }

// Any returns the cost range of both outcomes together.
func (o OutcomeCosts) Any() CostRange { return union(o.Success, o.Failure) }

// Possible reports whether the outcome is possible.
func (c CostRange) Possible() bool { return c.Min != nil }

// Regions returns what the regions of a composite node cost in one visit. The node's own visit is
// not included.
func (m *CostModel) Regions(n *Node) OutcomeCosts {
	in := n.Composite
	each := make([]OutcomeCosts, len(in.Regions))
	for i, r := range in.Regions {
		each[i] = m.chain(r.Nodes)
	}
	var o OutcomeCosts
	switch {
	case in.Kind.Loops():
		o = in.loopCosts(onlyRegion(each))
	case in.Kind.OnFailure:
		o = withRetries(in.cutOff(onlyRegion(each)), in.MaxRuns)
	case in.Kind.Each:
		o = in.mapCosts(onlyRegion(each))
	case in.Kind.Branches():
		o = in.joinCosts(each)
	case in.Kind.Picks():
		o = m.pool(n, each)
	}
	return withRetries(in.cutOff(o), in.Executions)
}

// cutOff adds the failures of an execution that its timeout ends. A retry has the timeout for each attempt.
func (in *Composite) cutOff(o OutcomeCosts) OutcomeCosts {
	if in.Timeout {
		o.Failure = union(o.Failure, CostRange{&emptyPath, o.Any().Max})
	}
	return o
}

// onlyRegion returns the costs of the only region; without one, nothing runs.
func onlyRegion(each []OutcomeCosts) OutcomeCosts {
	if len(each) == 0 {
		return OutcomeCosts{Success: NoCost}
	}
	return each[0]
}

// emptyPath visits no node.
var emptyPath PathCost

// NoCost is the cost range of running nothing.
var NoCost = CostRange{&emptyPath, &emptyPath}

// chain returns the costs of nodes that run in sequence until one fails. Routers skip some.
func (m *CostModel) chain(nodes []*Node) OutcomeCosts {
	var o OutcomeCosts
	at := make([]CostRange, len(nodes)+1) // before each node, and at the end
	at[0] = NoCost
	for i, n := range nodes {
		next := m.child(n)
		o.Failure = union(o.Failure, then(at[i], next.Failure))
		for _, to := range n.Next() {
			at[to] = union(at[to], m.onward(n, to, then(at[i], next.Success)))
		}
	}
	o.Success = at[len(nodes)]
	return o
}

// onward adds the cost of going on from a node to a place.
func (m *CostModel) onward(from *Node, place int, c CostRange) CostRange {
	if m.Onward == nil {
		return c
	}
	going := &PathCost{Amount: m.Onward(from, place)}
	return then(c, CostRange{going, going})
}

// child returns the costs of one execution of a child of a composite node.
func (m *CostModel) child(n *Node) OutcomeCosts {
	if n.Composite == nil {
		return m.leaf(n)
	}
	own := CostRange{m.visits(n, 1, 0), m.visits(n, 1, 0)}
	o := m.Regions(n)
	o.Success, o.Failure = then(own, o.Success), then(own, o.Failure)
	if n.Skip && m.Skips {
		o.Success = union(o.Success, own)
	}
	if n.Soft {
		o = OutcomeCosts{Success: o.Any()}
	}
	return o
}

// leaf returns the costs of one execution of a node without regions: one visit, and one more for
// each turn that calls tools. The node fails when its visits are used up.
func (m *CostModel) leaf(n *Node) OutcomeCosts {
	i, most := n.Index, 1
	if n.Loops {
		most = n.MaxVisits
	}
	if most == 0 {
		return OutcomeCosts{Failure: NoCost}
	}
	ended := CostRange{m.visits(n, 1, m.Finish[i]), m.visits(n, most, m.Finish[i])}
	o := OutcomeCosts{Success: ended}
	if !n.Soft || n.Evals {
		o.Failure = ended
	}
	if n.Loops {
		used := m.visits(n, most, m.Called[i])
		o.Failure = union(o.Failure, CostRange{used, used})
	}
	return o
}

// visits returns the cost of n visits of a node, of which all but the last end in tool calls.
func (m *CostModel) visits(n *Node, times, last int) *PathCost {
	c := repeat(&PathCost{Amount: m.Visit[n.Index] + m.Called[n.Index], Length: 1, visit: n}, times)
	c.Amount += last - m.Called[n.Index]
	return c
}

// loopCosts returns the costs of a loop. It ends when its condition holds or its iterations are
// used up. The condition may panic.
func (in *Composite) loopCosts(o OutcomeCosts) OutcomeCosts {
	all := repeats(o.Success, in.MaxRuns)
	out := OutcomeCosts{Success: all, Failure: o.Failure}
	if in.Until {
		out.Success = union(o.Success, all)
	}
	if in.Panics {
		out.Failure = union(out.Failure, out.Success)
	}
	out.Failure = union(out.Failure, then(repeats(o.Success, in.MaxRuns-1), o.Failure))
	if in.MaxRuns == 0 {
		return OutcomeCosts{Success: NoCost}
	}
	return out
}

// withRetries returns the costs of up to n executions, where each failure but the last is retried.
func withRetries(o OutcomeCosts, executions int) OutcomeCosts {
	if executions <= 1 || !o.Failure.Possible() {
		return o
	}
	before := repeats(o.Failure, executions-1)
	return OutcomeCosts{union(o.Success, then(before, o.Success)), union(o.Failure, then(before, o.Failure))}
}

// mapCosts returns the costs of running a body for each element of a list, which may be empty.
func (in *Composite) mapCosts(o OutcomeCosts) OutcomeCosts {
	out, one := in.branchCosts(in.chooseAlike, in.MaxRuns, o), in.branchCosts(in.chooseAlike, 1, o)
	if in.MaxRuns == 0 {
		out, one = OutcomeCosts{}, OutcomeCosts{}
	}
	out.Success = union(union(out.Success, one.Success), NoCost)
	out.Failure = union(out.Failure, one.Failure)
	if in.Limited {
		out.Failure = union(out.Failure, NoCost)
	}
	return out
}

// A chooser returns the costs of n branches, of which k to upTo have the outcome forced. The others
// have the outcome free, or late if they are still running when the outcome of the node is decided.
// A branch starts only while fewer than MaxParallel run.
type chooser func(n, k, upTo int, forced, free, late CostRange, fail bool) CostRange

// chooseAlike is the chooser for identical branches. The last forced branch ends last, so that
// others can end before it.
func (in *Composite) chooseAlike(n, k, upTo int, forced, free, late CostRange, _ bool) CostRange {
	k = max(0, k)
	if k > n || k > 0 && !forced.Possible() || k < n && !free.Possible() {
		return CostRange{}
	}
	most, under := k, 0
	if forced.Possible() && free.Possible() && forced.Max.Amount > free.Max.Amount {
		most = max(k, min(upTo, n))
	}
	if late.Possible() && free.Possible() && late.Max.Amount > free.Max.Amount {
		under = min(in.MaxParallel-1, n-most)
	}
	inOrder := func(forced, free, late CostRange, k, under int) CostRange {
		first := then(repeats(forced, k-1), repeats(late, under))
		return then(then(first, repeats(free, n-k-under)), repeats(forced, min(k, 1)))
	}
	return CostRange{inOrder(forced, free, late, k, 0).Min, inOrder(forced, free, late, most, under).Max}
}

// branchCosts returns the costs of the outcomes of a join of n branches. With fail_fast, branches
// that are still running at the first failure may fail as well.
func (in *Composite) branchCosts(choose chooser, n int, o OutcomeCosts) OutcomeCosts {
	done := o.Any()
	var out OutcomeCosts
	switch c := in.MinSuccesses; {
	case in.Join.StopsOnSuccess:
		out = OutcomeCosts{
			choose(n, c, c, o.Success, union(o.Failure, NoCost), union(done, NoCost), false),
			choose(n, n-c+1, 0, o.Failure, done, done, true),
		}
	case in.Join.Some:
		out = OutcomeCosts{choose(n, c, c, o.Success, done, done, false), choose(n, n-c+1, 0, o.Failure, done, done, true)}
	case !in.Join.StopsOnFailure:
		out = OutcomeCosts{choose(n, n, n, o.Success, done, done, false), choose(n, 1, 1, o.Failure, done, done, true)}
	default:
		ended := union(o.Success, NoCost)
		out = OutcomeCosts{choose(n, n, n, o.Success, done, done, false), choose(n, 1, in.MaxParallel, o.Failure, ended, ended, true)}
	}
	if in.Merges {
		out.Failure = union(out.Failure, out.Success)
	}
	return out
}

// joinCosts returns the costs of a parallel node.
func (in *Composite) joinCosts(each []OutcomeCosts) OutcomeCosts {
	return in.branchCosts(func(n, k, upTo int, _, _, _ CostRange, fail bool) CostRange {
		forced, free := make([]CostRange, n), make([]CostRange, n)
		for i, o := range each {
			forced[i], free[i] = o.Success, o.Any()
			if fail {
				forced[i] = o.Failure
			}
			switch {
			case in.Join.StopsOnFailure && fail:
				free[i] = union(o.Success, NoCost)
			case in.Join.StopsOnSuccess && !fail:
				free[i] = union(o.Any(), NoCost)
			}
		}
		if n > in.MaxParallel && in.cancelsOthers(fail) && !in.orderIsTooMuchWork(n, k) {
			return in.chooseInOrder(each, forced, k)
		}
		least := pick(forced, free, k, k, func(c CostRange) *PathCost { return c.Min }, -1)
		most := pick(forced, free, k, upTo, func(c CostRange) *PathCost { return c.Max }, 1)
		return CostRange{least, most}
	}, len(each), OutcomeCosts{})
}

// cancelsOthers reports whether the branch that decides the outcome cancels the others.
func (in *Composite) cancelsOthers(fail bool) bool {
	return in.Join.StopsOnSuccess && !fail || in.Join.StopsOnFailure && fail
}

// pick returns the path of n branches, of which at least k and at most upTo have the outcome
// forced. It forces the branches for which that gains most.
func pick(forced, free []CostRange, k, upTo int, of func(CostRange) *PathCost, sign int) *PathCost {
	var able []int
	for i := range forced {
		if forced[i].Possible() {
			able = append(able, i)
		}
	}
	if len(able) < k {
		return nil
	}
	gain := func(i int) int { return sign * (of(forced[i]).Amount - of(free[i]).Amount) }
	slices.SortStableFunc(able, func(a, b int) int { return cmp.Compare(gain(b), gain(a)) })
	must := map[int]bool{}
	for number, i := range able {
		must[i] = number < k || number < upTo && gain(i) > 0
	}
	all := &emptyPath
	for i := range forced {
		if must[i] {
			all = concat(all, of(forced[i]))
		} else {
			all = concat(all, of(free[i]))
		}
	}
	return all
}

// union returns the cost range of two outcomes that count as one.
func union(a, b CostRange) CostRange {
	switch {
	case !a.Possible():
		return b
	case !b.Possible():
		return a
	}
	if b.Min.Amount < a.Min.Amount {
		a.Min = b.Min
	}
	if b.Max.Amount > a.Max.Amount {
		a.Max = b.Max
	}
	return a
}

func then(a, b CostRange) CostRange {
	if !a.Possible() || !b.Possible() {
		return CostRange{}
	}
	return CostRange{concat(a.Min, b.Min), concat(a.Max, b.Max)}
}

func repeats(c CostRange, times int) CostRange {
	switch {
	case times <= 0:
		return NoCost
	case !c.Possible():
		return CostRange{}
	}
	return CostRange{repeat(c.Min, times), repeat(c.Max, times)}
}

// product returns a*b, at most Unbounded.
func product(a, b int) int {
	if a > 0 && b > Unbounded/a {
		return Unbounded
	}
	return a * b
}
