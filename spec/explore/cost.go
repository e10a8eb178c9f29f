package explore

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
)

// A CostModel gives the cost of visits. All slices are indexed by node.
type CostModel struct {
	Visit  []int // of every visit
	Pass   []int // of every visit of a node that is skipped
	Finish []int // added when the visit does not end in tool calls
	Called []int // added when the visit ends in tool calls
	Pick   []int // of every choice that the model makes for a pool
	Judge  []int // of every judgement of the edges of a node of a region

	// Onward is added when a run continues from a node of a region to a place in it; nil: nothing is.
	Onward func(from *cfg.Node, place int) int

	examined int // last nodes of pools that were examined
}

// NewCostModel returns a cost model in which nothing has a cost.
func NewCostModel(g *cfg.Graph) *CostModel {
	n := len(g.Nodes)
	return &CostModel{
		Visit: make([]int, n), Pass: make([]int, n), Finish: make([]int, n), Called: make([]int, n), Pick: make([]int, n), Judge: make([]int, n),
	}
}

// StepCostModel returns the cost model that counts steps.
func StepCostModel(g *cfg.Graph) *CostModel {
	m := NewCostModel(g)
	for i := range m.Visit {
		m.Visit[i], m.Pass[i] = 1, 1
	}
	return m
}

// Unbounded is the largest cost and the largest length. Sums and products saturate at it.
const Unbounded = 1 << 50

// A CostRange holds a cheapest and a most expensive path to one outcome. Both are nil if the
// outcome is impossible.
type CostRange struct{ Min, Max *PathCost }

// OutcomeCosts are the costs of a success and of a failure.
type OutcomeCosts = cfg.Outcomes[CostRange]

// Any returns the cost range of both outcomes together.
func Any(o OutcomeCosts) CostRange { return union(o.Success, o.Failure) }

// Possible reports whether the outcome is possible.
func (c CostRange) Possible() bool { return c.Min != nil }

// Regions returns what the regions of a composite node cost in one visit. The node's own visit is
// not included.
func (m *CostModel) Regions(n *cfg.Node) OutcomeCosts { return cfg.NewFold(costs{m}, false).Regions(n) }

// Region returns what one execution of a region costs.
func (m *CostModel) Region(r *cfg.Region) OutcomeCosts { return cfg.NewFold(costs{m}, false).Region(r) }

// emptyPath visits no node.
var emptyPath PathCost

// NoCost is the cost range of running nothing.
var NoCost = CostRange{&emptyPath, &emptyPath}

// costs is the algebra of cost ranges.
type costs struct{ *CostModel }

// Nothing returns the cost range of running nothing.
func (costs) Nothing() CostRange { return NoCost }

// Then returns the cost range of one execution after another.
func (costs) Then(a, b CostRange) CostRange { return then(a, b) }

// Or returns the cost range of two outcomes that count as one.
func (costs) Or(a, b CostRange) CostRange { return union(a, b) }

// Undo returns the same costs: they stay spent.
func (costs) Undo(a CostRange) CostRange { return a }

// Cut returns the cost range of an execution that is ended from outside.
func (costs) Cut(o OutcomeCosts) CostRange { return union(NoCost, Any(o)) }

// Again returns the cost range of repetitions. The fewest and the most cost least and most.
func (costs) Again(a CostRange, least, most int) CostRange {
	if !a.Possible() {
		most = least
	}
	return union(repeats(a, least), repeats(a, most))
}

// Leaf returns the costs of one execution of a node without regions: one visit, and one more for each turn that calls
// tools.
func (m costs) Leaf(n *cfg.Node) (o OutcomeCosts, usedUp CostRange) {
	i, most := n.Index, 1
	if n.Spec.Loops {
		most = n.MaxVisits
		used := m.visits(n, most, m.Called[i])
		usedUp = CostRange{used, used}
	}
	if most == 0 {
		return o, NoCost
	}
	o.Success = CostRange{m.visits(n, 1, m.Finish[i]), m.visits(n, most, m.Finish[i])}
	o.Failure = o.Success
	return o, usedUp
}

// Enter returns the costs of the visit of a composite node.
func (m costs) Enter(n *cfg.Node) OutcomeCosts {
	own := &PathCost{Amount: m.Visit[n.Index], Length: 1, visit: n}
	return OutcomeCosts{Success: CostRange{own, own}}
}

// Pass returns the costs of the visit of a node that is skipped.
func (m costs) Pass(n *cfg.Node) OutcomeCosts {
	own := &PathCost{Amount: m.CostModel.Pass[n.Index], Length: 1, visit: n, passes: true}
	return OutcomeCosts{Success: CostRange{own, own}}
}

// Until returns no costs.
func (costs) Until(*cfg.Node) OutcomeCosts { return OutcomeCosts{Success: NoCost} }

// Test returns the cost of the model that judges the edges of a node: it is asked once, where a run comes to the first of them.
func (m costs) Test(n *cfg.Node, t *cfg.Transition) OutcomeCosts {
	if t.Cond.Kind != cfg.Judged || t != n.JudgedEdges()[0] || m.Judge[n.Index] == 0 {
		return OutcomeCosts{Success: NoCost}
	}
	asked := &PathCost{Amount: m.Judge[n.Index]}
	return OutcomeCosts{Success: CostRange{asked, asked}}
}

// Withhold returns the same costs.
func (costs) Withhold(_ *cfg.Node, a CostRange) CostRange { return a }

// Onward adds the costs of going on from a node to a place.
func (m costs) Onward(from *cfg.Node, place int, c CostRange) CostRange {
	if m.CostModel.Onward == nil {
		return c
	}
	going := &PathCost{Amount: m.CostModel.Onward(from, place)}
	return then(c, CostRange{going, going})
}

// visits returns the cost of n visits of a node, of which all but the last end in tool calls.
func (m *CostModel) visits(n *cfg.Node, times, last int) *PathCost {
	c := repeat(&PathCost{Amount: m.Visit[n.Index] + m.Called[n.Index], Length: 1, visit: n}, times)
	c.Amount += last - m.Called[n.Index]
	return c
}

// A chooser returns the costs of n branches, of which k to upTo have the outcome forced. The others
// have the outcome free, or late if they are still running when the outcome of the node is decided.
// A branch starts only while fewer than MaxParallel run.
type chooser func(n int, k cfg.Quorum, upTo int, forced, free, late CostRange, fail bool) CostRange

// chooseAlike is the chooser for identical branches. The last forced branch ends last, so that
// others can end before it.
func (in fork) chooseAlike(n int, quorum cfg.Quorum, upTo int, forced, free, late CostRange, _ bool) CostRange {
	k := quorum.Branches
	if k > n || k > 0 && !forced.Possible() || k < n && !free.Possible() {
		return CostRange{}
	}
	most, under := k, 0
	if forced.Possible() && free.Possible() && forced.Max.Amount > free.Max.Amount {
		most = max(k, min(upTo, n))
	}
	if late.Possible() && free.Possible() && late.Max.Amount > free.Max.Amount {
		under = min(in.Width-1, n-most)
	}
	inOrder := func(forced, free, late CostRange, k, under int) CostRange {
		first := then(repeats(forced, k-1), repeats(late, under))
		return then(then(first, repeats(free, n-k-under)), repeats(forced, min(k, 1)))
	}
	return CostRange{inOrder(forced, free, late, k, 0).Min, inOrder(forced, free, late, most, under).Max}
}

// branchCosts returns the costs of the outcomes of a join of n branches. Until one cancels the others, none has the outcome that completes
// the quorum; those that are still running then may have it as well.
func (in fork) branchCosts(choose chooser, n int, o OutcomeCosts) (out OutcomeCosts) {
	success, failure := in.Quorums(n)
	done := Any(o)
	before, late, upTo := done, done, 0
	if success.Cancels {
		before, late = union(o.Failure, NoCost), union(done, NoCost)
	}
	out.Success = choose(n, success, success.Branches, o.Success, before, late, false)
	before, late = done, done
	if failure.Cancels {
		before, late, upTo = union(o.Success, NoCost), union(o.Success, NoCost), in.Width
	}
	out.Failure = choose(n, failure, upTo, o.Failure, before, late, true)
	return out
}

// Fork returns the costs of concurrent branches. Branches for each element cost most for as many as there are at most, and least for one.
func (m costs) Fork(n *cfg.Node, rule *cfg.Fork, branches []OutcomeCosts) (out OutcomeCosts) {
	in := fork{rule}
	if !rule.Each {
		return in.joinCosts(branches)
	}
	if rule.Most == 0 {
		return out
	}
	out, one := in.branchCosts(in.chooseAlike, rule.Most, branches[0]), in.branchCosts(in.chooseAlike, 1, branches[0])
	return OutcomeCosts{Success: union(out.Success, one.Success), Failure: union(out.Failure, one.Failure)}
}

// A fork is the rule of a join.
type fork struct{ *cfg.Fork }

// joinCosts returns the costs of a parallel node.
func (in fork) joinCosts(each []OutcomeCosts) OutcomeCosts {
	return in.branchCosts(func(n int, quorum cfg.Quorum, upTo int, _, _, _ CostRange, fail bool) CostRange {
		forced, free, k := make([]CostRange, n), make([]CostRange, n), quorum.Branches
		for i, o := range each {
			forced[i], free[i] = o.Success, Any(o)
			if quorum.Cancels {
				free[i] = union(free[i], NoCost)
			}
			if fail {
				forced[i] = o.Failure
				if quorum.Cancels {
					free[i] = union(o.Success, NoCost)
				}
			}
		}
		if n > in.Width && quorum.Cancels && !in.orderIsTooMuchWork(n, k) {
			return in.chooseInOrder(each, forced, k)
		}
		least := pick(forced, free, k, k, func(c CostRange) *PathCost { return c.Min }, -1)
		most := pick(forced, free, k, upTo, func(c CostRange) *PathCost { return c.Max }, 1)
		return CostRange{least, most}
	}, len(each), OutcomeCosts{})
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
	switch {
	case !a.Possible() || !b.Possible():
		return CostRange{}
	case a == NoCost:
		return b
	case b == NoCost:
		return a
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
