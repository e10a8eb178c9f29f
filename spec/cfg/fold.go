package cfg

import "github.com/graphgen/graphgen/spec"

// Outcomes are what an analysis knows of an execution, by how it ends. T holds what the analysis knows: how much
// an execution costs, which fields it may leave unwritten, what paths lead through it. The zero T is known of what
// cannot be.
type Outcomes[T any] struct {
	Success, Failure T
	Cancelled        T // others end it, between its beginning and its end
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

	Enter(n *Node) Outcomes[T]     // of the visit of a composite node, before it runs others
	Pass(n *Node) Outcomes[T]      // of the visit of a node that is skipped
	Until(n *Node) Outcomes[T]     // of the evaluation of the condition of a loop; the fold knows whether it fails
	Onward(n *Node, to int, a T) T // of a, followed by going on from a node of a region to a place in it

	// Fork is known of branches that run concurrently: of each, or of as many as a list has elements. Pool is known of
	// regions that a model picks.
	Fork(n *Node, rule *Fork, branches []Outcomes[T]) Outcomes[T]
	Pool(n *Node, rule *Pool, regions []Outcomes[T]) Outcomes[T]
}

// A Fold computes what is known of nodes that run others. It has the rules by which executions are composed, once for
// all analyses:
//
//   - The nodes of a region run one after the other; a failure ends the region. A soft failure does not: the next
//     node runs, unless it skips itself on errors. What is no failure of the node's own is not soft: that its
//     visits are used up, or that an eval panics.
//   - A loop runs its body until its condition holds, which may panic, or its iterations are used up.
//   - A retry runs its body again when it fails, and the flag retryable every node. Before that the writes are undone.
//     The timeout is for each attempt.
//   - Branches are joined as their Fork says, and regions picked as their Pool says. A failure undoes what branches wrote.
//   - A timeout is a failure at any point.
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
		return f.Pool(n, n.Pool(), f.each(n))
	}
	rule := n.Fork()
	o = f.Fork(n, rule, f.each(n))
	if rule.Merges {
		o.Failure = f.Or(o.Failure, o.Success)
	}
	if rule.Each {
		o.Success = f.Or(o.Success, f.Nothing())
	}
	if rule.Limited {
		o.Failure = f.Or(o.Failure, f.Nothing())
	}
	return o
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
		o.Failure = f.Undo(o.Failure)
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
	return Outcomes[T]{f.Then(before, o.Success), f.Then(before, o.Failure), f.Then(before, o.Cancelled)}
}

func (f *Fold[T]) loop(n *Node) Outcomes[T] {
	body, most := f.Region(n.Regions[0]), n.Runs()
	if n.Until != nil {
		until := f.then(body.Success, f.Until(n))
		body.Success, body.Cancelled = until.Success, f.Or(body.Cancelled, until.Cancelled)
		if n.Until.Uses().Panics {
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
		o, soft := f.execution(n)
		if n.Skip {
			pass := f.then(softly[i], f.Pass(n))
			f.lead(n, Skipped, softly, pass.Success)
			out.Cancelled = f.Or(out.Cancelled, pass.Cancelled)
		} else {
			at[i] = f.Or(at[i], softly[i])
		}
		o = f.then(at[i], o)
		out.Failure, out.Cancelled = f.Or(out.Failure, o.Failure), f.Or(out.Cancelled, o.Cancelled)
		f.lead(n, Succeeded, at, o.Success)
		if n.Soft {
			f.lead(n, SoftFailed, softly, f.Then(at[i], soft))
		}
	}
	out.Success = f.Or(at[end], softly[end])
	return out
}

// lead adds what is known after an outcome of a node to the places to which it leads.
func (f *Fold[T]) lead(n *Node, o Outcome, at []T, after T) {
	for _, to := range n.Onward(o) {
		at[to] = f.Or(at[to], f.Onward(n, to, after))
	}
}

// execution returns what is known of one execution of a node of a region, and of its soft failures.
func (f *Fold[T]) execution(n *Node) (o Outcomes[T], soft T) {
	var usedUp T
	if n.Spec.Kind.Composite() {
		enter, in := f.Enter(n), f.Regions(n)
		o = f.then(enter.Success, in)
		o.Cancelled = f.Or(enter.Cancelled, o.Cancelled)
	} else {
		o, usedUp = f.Leaf(n)
	}
	if n.Soft {
		soft, o.Failure = o.Failure, *new(T)
		if n.Spec.Evaluates() {
			o.Failure = f.Or(o.Failure, soft)
		}
	}
	o.Failure = f.Or(o.Failure, usedUp)
	return o, soft
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
		return or(s.MaxSteps, spec.DefaultPoolSteps)
	}
	return 1
}

// UnboundedElements is the number of elements of a map over a list without max_length.
const UnboundedElements = 1 << 40
