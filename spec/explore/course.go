package explore

import (
	"cmp"
	"slices"
)

// A Measure is what visits take of something, by the node's index.
type Measure struct {
	Visit  []int // whatever comes of it
	Finish []int // besides, where it ends otherwise than by calling tools
	Called []int // besides, where it ends by calling tools
	Pick   []int // every choice that the model makes for the pool of an autonomous node

	// Skips says that a node within another which is skipped behind a failure may run nothing.
	// Then the least is what no run undercuts, but there may be no run that takes as little.
	Skips bool

	looked int // how many nodes of pools were looked at as the last
}

// NewMeasure returns the measure of a graph by which nothing takes anything.
func (g *Graph) NewMeasure() *Measure {
	n := len(g.Nodes)
	return &Measure{Visit: make([]int, n), Finish: make([]int, n), Called: make([]int, n), Pick: make([]int, n)}
}

// StepMeasure is the measure by which every visit is a step.
func (g *Graph) StepMeasure() *Measure {
	m := g.NewMeasure()
	for i := range m.Visit {
		m.Visit[i] = 1
	}
	return m
}

// Plenty is what amounts and lengths are that are greater.
const Plenty = 1 << 50

// Courses are the ways to one outcome that take least and most; nil: it cannot come to that.
type Courses struct{ Least, Most *Course }

// Outcomes is what a node may take that succeeds or fails.
type Outcomes struct{ Success, Failure Courses }

// Any are the courses to whatever outcome.
func (o Outcomes) Any() Courses { return either(o.Success, o.Failure) }

// Can reports whether there is such an outcome.
func (c Courses) Can() bool { return c.Least != nil }

// Within returns what a visit of a composite node takes besides what its own visit does.
func (m *Measure) Within(n *Node) Outcomes {
	in := n.Inside
	each := make([]Outcomes, len(in.Regions))
	for i, r := range in.Regions {
		each[i] = m.chain(r.Nodes)
	}
	var o Outcomes
	switch {
	case in.Kind.Loops():
		o = in.loop(body(each))
	case in.Kind.OnFailure:
		o = again(body(each), in.Times)
	case in.Kind.Each:
		o = in.each(body(each))
	case in.Kind.Branches():
		o = in.join(each)
	case in.Kind.Picks():
		o = m.pool(n, each)
	}
	if in.Timeout {
		o.Failure = either(o.Failure, Courses{&nothing, o.Any().Most})
	}
	return again(o, in.Executions)
}

// body is the only region; where none is known nothing runs.
func body(each []Outcomes) Outcomes {
	if len(each) == 0 {
		return Outcomes{Success: Idle}
	}
	return each[0]
}

// nothing runs no node.
var nothing Course

// Idle runs no node.
var Idle = Courses{&nothing, &nothing}

// chain runs nodes one after the other, as long as none fails.
func (m *Measure) chain(nodes []*Node) Outcomes {
	o := Outcomes{Success: Idle}
	for _, n := range nodes {
		next := m.child(n)
		o.Failure = either(o.Failure, then(o.Success, next.Failure))
		o.Success = then(o.Success, next.Success)
	}
	return o
}

// child is one execution of a node within another.
func (m *Measure) child(n *Node) Outcomes {
	if n.Inside == nil {
		return m.leaf(n)
	}
	own := Courses{m.visits(n, 1, 0), m.visits(n, 1, 0)}
	o := m.Within(n)
	o.Success, o.Failure = then(own, o.Success), then(own, o.Failure)
	if n.Skip && m.Skips {
		o.Success = either(o.Success, own)
	}
	if n.Soft {
		o = Outcomes{Success: o.Any()}
	}
	return o
}

// leaf is one execution of a node that runs no others: a visit, and another for every turn of
// its model that calls tools. One whose visits are used up fails.
func (m *Measure) leaf(n *Node) Outcomes {
	i, most := n.Index, 1
	if n.Loops {
		most = n.MaxVisits
	}
	if most == 0 {
		return Outcomes{Failure: Idle}
	}
	ended := Courses{m.visits(n, 1, m.Finish[i]), m.visits(n, most, m.Finish[i])}
	o := Outcomes{Success: ended}
	if !n.Soft || n.Evals {
		o.Failure = ended
	}
	if n.Loops {
		used := m.visits(n, most, m.Called[i])
		o.Failure = either(o.Failure, Courses{used, used})
	}
	return o
}

// visits visits a node so often, all but the last time to call tools.
func (m *Measure) visits(n *Node, times, last int) *Course {
	c := repeat(&Course{Amount: m.Visit[n.Index] + m.Called[n.Index], Length: 1, visit: n}, times)
	c.Amount += last - m.Called[n.Index]
	return c
}

// loop runs a body until its condition holds, which may panic, or its iterations are used up.
func (in *Inside) loop(o Outcomes) Outcomes {
	all := repeats(o.Success, in.Times)
	out := Outcomes{Success: all, Failure: o.Failure}
	if in.Until {
		out.Success = either(o.Success, all)
		out.Failure = either(out.Failure, out.Success)
	}
	out.Failure = either(out.Failure, then(repeats(o.Success, in.Times-1), o.Failure))
	if in.Times == 0 {
		return Outcomes{Success: Idle}
	}
	return out
}

// again tries so often in all.
func again(o Outcomes, executions int) Outcomes {
	if executions <= 1 || !o.Failure.Can() {
		return o
	}
	before := repeats(o.Failure, executions-1)
	return Outcomes{either(o.Success, then(before, o.Success)), either(o.Failure, then(before, o.Failure))}
}

// each runs a body for every element of a list, which may be empty.
func (in *Inside) each(o Outcomes) Outcomes {
	out, one := in.branches(in.alike, in.Times, o), in.branches(in.alike, 1, o)
	if in.Times == 0 {
		out, one = Outcomes{}, Outcomes{}
	}
	out.Success = either(either(out.Success, one.Success), Idle)
	out.Failure = either(out.Failure, one.Failure)
	if in.Limited {
		out.Failure = either(out.Failure, Idle)
	}
	return out
}

// A chooser makes the courses of n branches of which from k to upTo come to what is forced. The
// others have come to what is free, or to what is late: these are under way when it is known how
// the node ends. A branch is begun only while fewer are under way than run at once.
type chooser func(n, k, upTo int, forced, free, late Courses, fail bool) Courses

// alike chooses among branches that are all the same. The last of those that are forced comes
// last, so that there is room for what has ended before, and for what is begun where the steps end.
func (in *Inside) alike(n, k, upTo int, forced, free, late Courses, _ bool) Courses {
	k = max(0, min(k, n))
	if k > 0 && !forced.Can() || k < n && !free.Can() {
		return Courses{}
	}
	most, under := k, 0
	if forced.Can() && free.Can() && forced.Most.Amount > free.Most.Amount {
		most = max(k, min(upTo, n))
	}
	if late.Can() && free.Can() && late.Most.Amount > free.Most.Amount {
		under = min(in.Width-1, n-most)
	}
	inOrder := func(forced, free, late Courses, k, under int) Courses {
		first := then(repeats(forced, k-1), repeats(late, under))
		return then(then(first, repeats(free, n-k-under)), repeats(forced, min(k, 1)))
	}
	return Courses{inOrder(forced, free, late, k, 0).Least, inOrder(forced, free, late, most, under).Most}
}

// branches says which of so many branches have to succeed or fail for the outcomes of a join.
// Where the first failure ends the others, those may fail as well that are under way.
func (in *Inside) branches(choose chooser, n int, o Outcomes) Outcomes {
	done := o.Any()
	var out Outcomes
	switch c := min(in.Count, n); in.Join {
	case "first":
		out = Outcomes{
			choose(n, c, c, o.Success, either(o.Failure, Idle), either(done, Idle), false),
			choose(n, n-in.Count+1, 0, o.Failure, done, done, true),
		}
	case "settled":
		out = Outcomes{choose(n, c, c, o.Success, done, done, false), choose(n, n-in.Count+1, 0, o.Failure, done, done, true)}
	case "all":
		out = Outcomes{choose(n, n, n, o.Success, done, done, false), choose(n, 1, 1, o.Failure, done, done, true)}
	default:
		ended := either(o.Success, Idle)
		out = Outcomes{choose(n, n, n, o.Success, done, done, false), choose(n, 1, in.Width, o.Failure, ended, ended, true)}
	}
	if in.Merges {
		out.Failure = either(out.Failure, out.Success)
	}
	return out
}

// join runs branches.
func (in *Inside) join(each []Outcomes) Outcomes {
	return in.branches(func(n, k, upTo int, _, _, _ Courses, fail bool) Courses {
		forced, free := make([]Courses, n), make([]Courses, n)
		for i, o := range each {
			forced[i], free[i] = o.Success, o.Any()
			if fail {
				forced[i] = o.Failure
			}
			switch fast := in.Join == "" || in.Join == "fail_fast"; {
			case fast && fail:
				free[i] = either(o.Success, Idle)
			case in.Join == "first" && !fail:
				free[i] = either(o.Any(), Idle)
			}
		}
		if n > in.Width && in.ends(fail) && !in.manyTurns(n, k) {
			return in.inTurn(each, forced, k)
		}
		least := pick(forced, free, k, k, func(c Courses) *Course { return c.Least }, -1)
		most := pick(forced, free, k, upTo, func(c Courses) *Course { return c.Most }, 1)
		return Courses{least, most}
	}, len(each), Outcomes{})
}

// ends reports whether branches end others by coming to an outcome of the node.
func (in *Inside) ends(fail bool) bool {
	return in.Join == "first" && !fail || (in.Join == "" || in.Join == "fail_fast") && fail
}

// pick forces k of the branches to an outcome, those that it suits best, or more of them where
// that suits better.
func pick(forced, free []Courses, k, upTo int, of func(Courses) *Course, sign int) *Course {
	var able []int
	for i := range forced {
		if forced[i].Can() {
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
	all := &nothing
	for i := range forced {
		if must[i] {
			all = follow(all, of(forced[i]))
		} else {
			all = follow(all, of(free[i]))
		}
	}
	return all
}

// either are the courses of two outcomes that count as one.
func either(a, b Courses) Courses {
	switch {
	case !a.Can():
		return b
	case !b.Can():
		return a
	}
	if b.Least.Amount < a.Least.Amount {
		a.Least = b.Least
	}
	if b.Most.Amount > a.Most.Amount {
		a.Most = b.Most
	}
	return a
}

func then(a, b Courses) Courses {
	if !a.Can() || !b.Can() {
		return Courses{}
	}
	return Courses{follow(a.Least, b.Least), follow(a.Most, b.Most)}
}

func repeats(c Courses, times int) Courses {
	switch {
	case times <= 0:
		return Idle
	case !c.Can():
		return Courses{}
	}
	return Courses{repeat(c.Least, times), repeat(c.Most, times)}
}

// product multiplies, to Plenty at most.
func product(a, b int) int {
	if a > 0 && b > Plenty/a {
		return Plenty
	}
	return a * b
}
