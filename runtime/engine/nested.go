package engine

import (
	"strconv"
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/incomparable"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// A node of a subgraph runs another machine in a child run. It has a record, steps and limits
// of its own. It shares its parent's limits, budget and observers: its usage counts for both.

// A nesting links a child run to the node of its parent that started it.
type nesting struct {
	_ incomparable.Struct

	run            *Run // the parent
	node           string
	branch         string
	step           int
	visit, attempt int
	path           string // the names of the nodes outside, joined by /
	depth          int    // runs of the same graph around it, each made by the one before
	given          int    // how many gifts the parent has passed on
	watched        bool   // the parent's steps are observed
	observed       bool
	parents        accounts

	mu    sync.Mutex // branches of the run may ask concurrently
	asks  int        // calls of models that were allowed, and are not counted yet
	calls int        // calls of tools
}

// accounts are the parents of a child run, for which its use counts too. They are an interface, so that only
// programs whose graphs run other machines link them.
type accounts interface {
	name() string
	gifts() []*gift
	ask() error
	asked(u chat.Usage)
	giveBack()
	hold(calls int) error
	called(held int, c graphgen.ToolCount)
	reported(report *graphgen.Report)
}

// parents are the accounts of a nesting.
type parents nesting

// nestedLength is how many reports of child runs a run keeps, the last ones.
const nestedLength = 1 << 10

// Nested returns the option for a run of another machine that the current node starts. The
// models, tools and wrappers given to r apply to it too. They take precedence over those
// of its machine.
func (r *Run) Nested() graphgen.RunOption {
	n := r.nest(0)
	return option.ForRun[optionset.Settings](func(s *optionset.Settings) {
		if given := r.settings.since(0); given != nil {
			take(s, given)
		}
		s.Prompts = pass(n.prefix(), r.settings.Prompts, s.Prompts)
		s.Timings = s.Timings || r.settings.Timings
		s.Parent, s.RunID = origin.To(n), ""
	})
}

// Again is Nested for a run of the same machine, which has its options already. It returns a
// LimitError if the run would be deeper than most.
func (r *Run) Again(most int) (graphgen.RunOption, error) {
	depth := 1
	if r.settings.nesting != nil {
		depth += r.settings.nesting.depth
	}
	if depth > most {
		return nil, &graphgen.LimitError{Limit: graphgen.LimitDepth, Max: float64(most)}
	}
	n := r.nest(depth)
	return option.ForRun[optionset.Settings](func(s *optionset.Settings) {
		*s = r.settings.Settings
		s.Observers, s.Hooks, s.Report, s.FinalState, s.Stopper = nil, nil, nil, nil, nil
		s.Parent, s.RunID = origin.To(n), ""
	}), nil
}

// nest describes the current node of r as the parent of a child run.
func (r *Run) nest(depth int) *nesting {
	at := r.here()
	n := &nesting{
		run: r, node: r.Graph().NodeName(at), branch: r.relations().branch, step: r.step(), visit: r.visit(at), attempt: r.Attempt(),
		given: len(r.settings.given), depth: depth, watched: r.settings.isWatched(), observed: r.Observed(),
	}
	n.parents = (*parents)(n)
	n.path = n.node
	if r.settings.nesting != nil {
		n.path = r.settings.nesting.path + "/" + n.node
	}
	return n
}

// prefix is what names of nodes of the child run begin with in options of the parent.
func (n *nesting) prefix() string {
	if n.depth > 0 {
		return "" // it is of the same machine
	}
	return n.node + "/"
}

// gifts returns what calls have given the parent, as the child run has it.
func (n *parents) gifts() []*gift {
	g := n.run.settings.since(0)
	if g == nil {
		return nil
	}
	return []*gift{g.passed((*nesting)(n).prefix())}
}

// reported records the report of a child run that the parent's current node started.
func (n *parents) reported(report *graphgen.Report) {
	if b, d := n.run.extra().book, report.Detail; b != nil && d != nil {
		b.took(&n.run.path, n.run.here(), d.ModelTime, d.ToolTime)
	}
	n.run.keepNested(graphgen.NestedReport{Node: n.node, Branch: n.branch, Visit: n.visit, Attempt: n.attempt, Report: report})
}

func (r *Run) keepNested(report graphgen.NestedReport) {
	a := r.withIncidents()
	if len(a.nested) == nestedLength {
		a.nested = append(make([]graphgen.NestedReport, 0, nestedLength), a.nested[nestedLength/2:]...) // reports may hold the others
		a.nestedDropped += nestedLength / 2
	}
	a.nested = append(a.nested, report)
}

// name returns the name of the run in idempotency keys. It stays the same when the step of the
// parent is executed again.
func (n *parents) name() string {
	name := n.run.outermost().name()
	if n.branch != "" {
		name += "/" + n.branch
	}
	return name + "/" + strconv.Itoa(n.step) + "." + n.node
}

// ask reserves a model call in the budgets of all parents.
func (n *parents) ask() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	if r.settings.nesting != nil {
		if err := r.settings.nesting.parents.ask(); err != nil {
			return err
		}
	}
	if err := r.Agent().checkCall(n.asks); err != nil {
		if r.settings.nesting != nil {
			r.settings.nesting.parents.giveBack()
		}
		return bound(err, r)
	}
	n.asks++
	return nil
}

// giveBack releases the reserved model call in the budgets of all parents.
func (n *parents) giveBack() {
	n.mu.Lock()
	n.asks--
	n.mu.Unlock()
	if p := n.run.relations().ledger; p != nil {
		p.giveBack()
	}
	if outer := n.run.settings.nesting; outer != nil {
		outer.parents.giveBack()
	}
}

// asked counts a call of a model.
func (n *parents) asked(u chat.Usage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asks = max(0, n.asks-1)
	n.run.Agent().addCall(&u)
}

// hold reserves the tool calls of a turn in the budgets of all parents.
func (n *parents) hold(calls int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	if r.settings.nesting != nil {
		if err := r.settings.nesting.parents.hold(calls); err != nil {
			return err
		}
	}
	var err error
	if p := r.relations().ledger; p != nil {
		err = p.hold(&r.settings.Budgets, calls)
	} else if err = mayCall(&r.settings.Budgets, r.Agent().tools.Made+n.calls, calls); err == nil {
		n.calls += calls
	}
	if err == nil {
		return nil
	}
	if r.settings.nesting != nil {
		r.settings.nesting.parents.called(calls, graphgen.ToolCount{})
	}
	return bound(err, r)
}

// called counts tool calls, and releases the held ones that were reserved for them.
func (n *parents) called(held int, c graphgen.ToolCount) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	if r.relations().ledger != nil {
		r.Agent().held += held // given back with what was used
	} else {
		n.calls -= held
	}
	r.Agent().addTools(c)
	if r.settings.nesting != nil {
		r.settings.nesting.parents.called(held, c)
	}
}

// bound marks the error of a spent budget with its run r, unless it is the error of a parent of r.
func bound(err error, r *Run) error {
	if spent := budgetOf(err); spent != nil && spent.Origin == (origin.Ref{}) {
		spent.Origin = origin.To(r)
	}
	return err
}

// errDryRun is the error with which a dry child run ends.
type errDryRun struct{ of *Run }

func (e *errDryRun) Error() string { return "the dry run stops here" }

// endedBy returns the run that an error ends: the one whose budget is spent, whose hook has decided
// so, or that is to stop. It is nil for other errors, and where the error occurred in that run.
func endedBy(err error) *Run {
	var of origin.Ref
	switch e := err.(type) {
	case *graphgen.LimitError:
		of = e.Origin
	case *graphgen.HookError:
		of = e.Origin
	case *graphgen.StopError:
		of = e.Origin
	case *errDryRun:
		return e.of
	}
	r, _ := origin.Of(of).(*Run)
	return r
}

// endingOf returns the part of a child run's failure that ends this run too.
func (r *Run) endingOf(err error) error {
	if of := endedBy(err); of != nil && r.isWithin(of) {
		return err
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return r.endingOf(inner)
		}
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if found := r.endingOf(part); found != nil {
				return found
			}
		}
	}
	return nil
}

// isWithin reports whether the run is other, or a child run of it at any depth.
func (r *Run) isWithin(other *Run) bool {
	for r != nil && r != other {
		switch {
		case r.parent() != nil:
			r = r.parent()
		case r.settings.nesting != nil:
			r = r.settings.nesting.run
		default:
			r = nil
		}
	}
	return r != nil
}

// endBy ends the run with the error of its child.
func (r *Run) endBy(err error) {
	switch e := err.(type) {
	case *graphgen.LimitError:
		r.ruled(&graphgen.HookError{Where: r.where(r.here()), Hook: "budget", Err: e})
	case *graphgen.HookError:
		r.ruled(e)
	case *graphgen.StopError:
		r.end(graphgen.Stopped, &graphgen.StopError{Where: r.where(r.here()), Err: e.Err, Origin: e.Origin})
	case fatality:
		r.end(graphgen.Failed, &graphgen.NodeError{Where: r.where(r.here()), Attempt: r.Attempt(), Err: e.error})
	default:
		r.end(graphgen.Stopped, nil)
	}
}

// ownError finds an error of a type in the chain of an error. It skips errors of nodes that the
// failed node runs, and of child runs.
func ownError[E error](err error) (found E, ok bool) {
	if e, is := err.(E); is {
		return e, true
	}
	switch e := err.(type) {
	case *graphgen.RunError, *graphgen.NodeError:
	case interface{ Unwrap() error }:
		return ownError[E](e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if found, ok = ownError[E](part); ok {
				return found, true
			}
		}
	}
	return found, false
}

// endsRun reports whether an error in err's chain ends the run and its parents without regard to
// failure routes: its method EndsRun returns true. The divergence of a replay is one.
func endsRun(err error) bool {
	var e ender
	return errtree.As(err, &e, func(err error) (ok bool) { e, ok = err.(ender); return ok }) && e.EndsRun()
}

type ender = interface {
	error
	EndsRun() bool
}

// A fatality is an error that ends runs.
type fatality struct{ error }

// overdraws returns the part of a tolerated failure that ends the run nonetheless.
func (r *Run) overdraws(err error) error {
	if endsRun(err) {
		return fatality{err}
	}
	if e := r.endingOf(err); e != nil {
		return e
	}
	if spent := overBudget(err); spent != nil {
		return spent
	}
	return nil
}
