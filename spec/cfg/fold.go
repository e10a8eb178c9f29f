package cfg

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
)

// Outcomes are what an analysis knows of an execution, by how it ends. T holds what the analysis knows: how much
// an execution costs, which fields it may leave unwritten, what paths lead through it. The zero T is known of what
// cannot be.
type Outcomes[T any] struct {
	Success, Failure T
	Cancelled        T // others end it, between its beginning and its end
	Spent            T // a budget is spent at a node, where an on: budget edge of the node that is executed, or of one around it, may be taken
}

// An Algebra is the part of an analysis that a Fold does not know: what the execution of a single node does, and how
// to compose what is known of several executions.
type Algebra[T any] interface {
	Nothing() T        // of an execution of nothing
	Then(a, b T) T     // of a, followed by b
	Or(a, b T) T       // of either; a is not used again
	Undo(a T) T        // of a, whose writes are rolled back
	Cut(Outcomes[T]) T // of an execution that is ended from outside, before it begins or at any point

	// Again is known of a least to most executions of a, one after the other.
	Again(a T, least, most int) T

	// Leaf is known of one execution of a node that runs no others, with the visits for the calls of its tools, and of
	// a last visit that calls tools when it may not be visited again.
	Leaf(n *Node) (o Outcomes[T], usedUp T)

	Enter(n *Node) Outcomes[T]     // of the visit of a composite node, before it runs others; its failure: a late answer, where that differs from a no
	Pass(n *Node) Outcomes[T]      // of the visit of a node that is skipped
	Until(n *Node) Outcomes[T]     // of the evaluation of the condition of a loop; the fold knows whether it fails
	Onward(n *Node, to int, a T) T // of a, followed by going on from a node of a region to a place in it

	Test(n *Node, t *Transition) Outcomes[T] // of the evaluation of the condition of a transition in a region; the fold knows whether it fails
	Withhold(n *Node, a T) T                 // of a, when a person's answer to the node was no, or late

	// Fork is known of branches that run concurrently: of each, or of as many as a list has elements. Pool is known of
	// regions that a model picks.
	Fork(n *Node, rule *Fork, branches []Outcomes[T]) Outcomes[T]
	Pool(n *Node, rule *Pool, regions []Outcomes[T]) Outcomes[T]
}

// A Fold computes what is known of nodes that run others. It has the rules by which executions are composed, once for
// all analyses:
//
//   - The nodes of a region lead to later ones. A failure ends the region, unless a transition is taken after it; that
//     a condition panics, or that no transition is taken, is one too. A soft failure leads on as a success, and the next
//     node runs, unless it skips itself on errors. What is no failure of the node's own is not soft: that its
//     visits are used up, or that an eval panics.
//   - Before branches begin, conditions decide which are started, and may panic. One that is not started counts as a
//     success where all have to succeed, and as a failure where some have to; where none is started the node succeeds.
//   - A loop runs its body until its condition holds, which may panic, or its iterations are used up.
//   - A retry runs its body again when it fails, and the flag retryable every node. Before that the writes are undone.
//     The timeout is for each attempt.
//   - Branches are joined by the rule of their Fork, and regions picked by the rule of their Pool. A failure undoes what branches wrote.
//   - A timeout is a failure at any point.
//   - A node with requires_human runs nothing if a person's answer is no, or late. That is a failure, unless a transition is taken after it.
//   - Where a node finds a budget spent it leads on, if it has an edge for that. Else all that the node around it runs ends, and that node has found the
//     budget spent.
type Fold[T any] struct {
	Algebra[T]
	known map[*Node]Outcomes[T] // nil: nothing is kept
}

// NewFold returns the fold of an algebra. If keep is set, it computes what is known of a node once.
func NewFold[T any](a Algebra[T], keep bool) *Fold[T] {
	f := &Fold[T]{Algebra: a}
	if keep {
		f.known = map[*Node]Outcomes[T]{}
	}
	return f
}

// Regions returns what is known of one visit of a composite node, apart from the visit itself.
func (f *Fold[T]) Regions(n *Node) Outcomes[T] {
	o, ok := f.known[n]
	if ok {
		return o
	}
	if n.Spec.Kind.OnFailure && len(n.Regions) > 0 {
		o = f.again(f.cut(n, f.Region(n.Regions[0])), n.Runs())
	} else {
		o = f.cut(n, f.once(n))
	}
	o = f.again(o, Executions(n.Spec))
	if n.Spec.Gated() {
		o.Failure = f.Or(o.Failure, f.Nothing())
	}
	if f.known != nil {
		f.known[n] = o
	}
	return o
}

// once returns what is known of an execution of a composite node that is not cut.
func (f *Fold[T]) once(n *Node) (o Outcomes[T]) {
	switch kind := n.Spec.Kind; {
	case len(n.Regions) == 0:
		o.Success = f.Nothing()
		return o
	case kind.Loops():
		return f.loop(n)
	case kind.Picks():
		each := f.each(n)
		o = f.Pool(n, n.Pool(), each)
		o.Spent = f.picking(n, each)
		return o
	}
	rule, each := n.Fork(), f.each(n)
	spent := f.forking(n, rule, each)
	o = f.fork(n, rule, each)
	o.Spent = spent
	if rule.Merges {
		o.Failure = f.Or(o.Failure, o.Success)
	}
	starts := n.Starts()
	if slices.ContainsFunc(starts, func(x *expr.Expr) bool { return x.Panics() }) {
		o.Failure = f.Or(o.Failure, f.Nothing())
	}
	if len(starts) > 0 && len(starts) == len(n.Regions) {
		o.Success = f.Or(o.Success, f.Nothing())
	}
	if rule.Each {
		o.Success = f.Or(o.Success, f.Nothing())
	}
	if rule.Limited {
		o.Failure = f.Or(o.Failure, f.Nothing())
	}
	return o
}

// fork returns what is known of branches, some of which conditions start. Where these decide of all, and some have to succeed, a failure
// takes one that is started.
func (f *Fold[T]) fork(n *Node, rule *Fork, each []Outcomes[T]) Outcomes[T] {
	if !rule.Join.Some || len(n.Starts()) < len(n.Regions) || len(n.Starts()) == 0 {
		return f.Fork(n, rule, f.start(n, rule, each, nil))
	}
	var o Outcomes[T]
	for _, r := range n.Regions {
		with := f.Fork(n, rule, f.start(n, rule, each, r))
		o.Success, o.Failure, o.Cancelled = f.Or(o.Success, with.Success), f.Or(o.Failure, with.Failure), f.Or(o.Cancelled, with.Cancelled)
	}
	return o
}

// start adds to the outcomes of the branches of a node that a branch with a condition may not be started, except one of them.
func (f *Fold[T]) start(n *Node, rule *Fork, each []Outcomes[T], started *Region) []Outcomes[T] {
	branches := slices.Clone(each)
	for i, r := range n.Regions {
		b := &branches[i]
		switch {
		case r.If == nil || r == started:
			continue
		case rule.Join.Some:
			b.Failure = f.Or(f.Or(*new(T), b.Failure), f.Nothing())
		default:
			b.Success = f.Or(f.Or(*new(T), b.Success), f.Nothing())
		}
		b.Cancelled = f.Or(f.Or(*new(T), b.Cancelled), f.Nothing())
	}
	return branches
}

// picking returns what is known of a pool in which a budget is spent: at a pick, or in a region after others.
func (f *Fold[T]) picking(n *Node, each []Outcomes[T]) (spent T) {
	if !n.Overspends() {
		return spent
	}
	rule := n.Pool()
	var first, again, later T // successes after which the pool is not over, of the first region and of others; where a later pick finds a budget spent
	if rule.Asks(0) {
		spent = f.Or(spent, f.Nothing())
	}
	if rule.Asks(1) {
		later = f.Or(later, f.Nothing())
	}
	for i, o := range each {
		if rule.Runs(i, 0) {
			spent = f.Or(spent, o.Spent)
		}
		if rule.Most > 2 || rule.Runs(i, 1) {
			later = f.Or(later, o.Spent)
		}
		if rule.Last[i] {
			continue
		}
		if again = f.Or(again, o.Success); rule.Runs(i, 0) {
			first = f.Or(first, o.Success)
		}
	}
	if rule.Most > 1 {
		spent = f.Or(spent, f.Then(first, f.Then(f.Again(again, 0, rule.Most-2), later)))
	}
	return spent
}

// forking returns what is known of branches in one of which a budget is spent, while each of the others is at any point.
func (f *Fold[T]) forking(n *Node, rule *Fork, each []Outcomes[T]) (spent T) {
	if !n.Overspends() {
		return spent
	}
	if rule.Each {
		others := f.Again(f.Cut(each[0]), 0, rule.Most-1)
		return f.Or(f.Or(spent, f.Then(others, each[0].Spent)), f.Then(each[0].Spent, others))
	}
	for i, o := range each {
		all := o.Spent
		for k, other := range each {
			if k != i {
				cut := f.Cut(other)
				all = f.Or(f.Or(*new(T), f.Then(all, cut)), f.Then(cut, all))
			}
		}
		spent = f.Or(spent, all)
	}
	return spent
}

func (f *Fold[T]) each(n *Node) []Outcomes[T] {
	list := make([]Outcomes[T], len(n.Regions))
	for i, r := range n.Regions {
		list[i] = f.Region(r)
	}
	return list
}

// cut adds the failures of an execution that a timeout ends, and undoes the writes of failures.
func (f *Fold[T]) cut(n *Node, o Outcomes[T]) Outcomes[T] {
	if n.Spec.Spec.Timeout.IsSet() {
		o.Failure = f.Or(o.Failure, f.Cut(o))
	}
	if n.RollsBack() {
		o.Failure, o.Spent = f.Undo(o.Failure), f.Undo(o.Spent)
	}
	return o
}

// again returns what is known of executions of which each follows a failure.
func (f *Fold[T]) again(o Outcomes[T], times int) Outcomes[T] {
	if times <= 1 {
		return o
	}
	return f.then(f.Again(o.Failure, 0, times-1), o)
}

// then returns what is known of an execution that follows another.
func (f *Fold[T]) then(before T, o Outcomes[T]) Outcomes[T] {
	return Outcomes[T]{f.Then(before, o.Success), f.Then(before, o.Failure), f.Then(before, o.Cancelled), f.Then(before, o.Spent)}
}

func (f *Fold[T]) loop(n *Node) Outcomes[T] {
	body, most := f.Region(n.Regions[0]), n.Runs()
	if n.Until != nil {
		until := f.then(body.Success, f.Until(n))
		body.Success, body.Cancelled = until.Success, f.Or(body.Cancelled, until.Cancelled)
		if n.Until.Panics() {
			body.Failure = f.Or(body.Failure, body.Success)
		}
	}
	o := f.then(f.Again(body.Success, 0, most-1), body)
	least := most
	if n.Until != nil {
		least = 1
	}
	o.Success = f.Again(body.Success, least, most)
	return o
}

// Region returns what is known of one execution of the nodes of a region. It is a graph without cycles, whose nodes are
// in the order in which they may run.
func (f *Fold[T]) Region(r *Region) Outcomes[T] {
	end := len(r.Nodes)
	at, softly := make([]T, end+1), make([]T, end+1) // before each node, and at the end: after a success, and after a soft failure
	at[0] = f.Nothing()
	var out Outcomes[T]
	for i, n := range r.Nodes {
		o, soft, usedUp := f.execution(n)
		var fails T
		if n.Skip {
			pass := f.then(softly[i], f.Pass(n))
			fails, _ = f.lead(n, Skipped, softly, pass.Success)
			out.Cancelled = f.Or(out.Cancelled, pass.Cancelled)
		} else {
			at[i] = f.Or(at[i], softly[i])
		}
		o, usedUp = f.then(at[i], o), f.Then(at[i], usedUp)
		spent, judging := o.Spent, f.judging(n, o.Success)
		out.Cancelled = f.Or(out.Cancelled, o.Cancelled)
		soft = f.Then(at[i], soft)
		refused := f.Or(f.Or(*new(T), o.Failure), soft) // a transition that is taken after it goes before fail_soft
		fails = f.Or(fails, o.Failure)
		fail := func(late, cancelled T) {
			fails, out.Cancelled = f.Or(fails, late), f.Or(out.Cancelled, cancelled)
		}
		fail(f.lead(n, Succeeded, at, o.Success))
		if n.Soft {
			fail(f.lead(n, SoftFailed, softly, soft))
		}
		for _, o := range Recovered {
			switch o {
			case Refused:
				f.lead(n, o, at, refused)
			case Denied, Late:
				f.lead(n, o, at, f.Withhold(n, refused))
			case OutOfVisits:
				f.lead(n, o, softly, usedUp)
			case Spent:
				f.lead(n, o, softly, spent)
				f.lead(n, o, at, judging)
			default:
				f.lead(n, o, softly, fails)
			}
		}
		if n.Else[Spent] != Never {
			out.Spent = f.Or(f.Or(out.Spent, spent), judging)
		}
		if n.Else[Failed] != Never {
			out.Failure = f.Or(out.Failure, fails)
		}
		if n.Else[OutOfVisits] != Never {
			out.Failure = f.Or(out.Failure, usedUp)
		}
	}
	out.Success = f.Or(at[end], softly[end])
	return out
}

// judging returns what is known of an execution of a node after whose success the model that judges what follows finds a budget spent.
func (f *Fold[T]) judging(n *Node, success T) (spent T) {
	if len(n.JudgedEdges()) > 0 && n.Overspends() {
		spent = f.Or(spent, success)
	}
	return spent
}

// lead adds what is known after an outcome of a node to the places to which it leads. It returns what is known of its failure when it
// finds out where it leads: a condition panics, or no transition is taken; and of the cancellation then.
func (f *Fold[T]) lead(n *Node, o Outcome, at []T, after T) (fails, cancelled T) {
	for _, m := range n.Departures(o) {
		if t := m.Via; t != nil && t.Conditional() {
			test := f.then(after, f.Test(n, t))
			if after, cancelled = test.Success, f.Or(cancelled, test.Cancelled); t.Cond.Expr != nil && t.Cond.Expr.Panics() {
				fails = f.Or(fails, after)
			}
		}
		at[m.Place] = f.Or(at[m.Place], f.Onward(n, m.Place, after))
	}
	switch n.Else[o] {
	case Errors, Unstated:
		fails = f.Or(fails, after)
	}
	return fails, cancelled
}

// execution returns what is known of one execution of a node of a region, of its soft failures, and of one at which its visits are used up.
func (f *Fold[T]) execution(n *Node) (o Outcomes[T], soft, usedUp T) {
	if n.Spec.Kind.Composite() {
		enter, in := f.Enter(n), f.Regions(n)
		o = f.then(enter.Success, in)
		o.Failure, o.Cancelled = f.Or(o.Failure, enter.Failure), f.Or(enter.Cancelled, o.Cancelled)
	} else {
		o, usedUp = f.Leaf(n)
		if n.Overspends() {
			o.Spent = f.Or(*new(T), o.Failure)
		}
	}
	if n.Soft {
		soft, o.Failure = o.Failure, *new(T)
		if n.Spec.Evaluates() {
			o.Failure = f.Or(o.Failure, soft)
		}
	}
	return o, soft, usedUp
}

// RollsBack reports whether a failure of the node undoes what was written in it.
func (n *Node) RollsBack() bool {
	return n.Spec.Kind.OnFailure || n.Spec.Kind.Forks() || n.Spec.Has(spec.Retryable)
}

// Runs returns how many iterations a loop has at most, how many attempts a retry, how many elements the list of a map,
// and how many steps a pool.
func (n *Node) Runs() int {
	s := n.Spec.Spec
	or := func(v spec.Value[int], most int) int {
		if v.IsSet() && !v.Lost {
			return v.V
		}
		return most
	}
	switch kind := n.Spec.Kind; {
	case kind.Loops():
		return max(1, or(s.MaxIterations, spec.DefaultBodyIterations))
	case kind.OnFailure:
		return Attempts(&s.Retry)
	case kind.Each && n.Spec.Over != nil:
		return or(n.Spec.Over.Spec.MaxLength, UnboundedElements)
	case kind.Each:
		return UnboundedElements
	case kind.Picks():
		return max(1, or(s.MaxSteps, spec.DefaultPoolSteps))
	}
	return 1
}

// UnboundedElements is the number of elements of a map over a list without max_length.
const UnboundedElements = 1 << 40
