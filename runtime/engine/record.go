package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
)

// An extra is what a run needs that fails, is observed, pauses, asks models, or changes its graph.
type extra struct {
	Execution
	FailureState

	// Of the current step:
	outcome  outcome
	resumes  bool  // the current iteration continues after a pause
	unjudged bool  // the context ended before a model had chosen what follows; the step is the last one
	soft     error // the failure of a fail_soft node

	// Of the end:
	err      error
	output   any
	deadline *deadline // nil: the run has no timeout

	watch   *watch    // nil: nothing watches the run
	wrap    *wrapping // the step that hooks wrap; nil: they wrap none
	details *details  // nil: no details of the report are requested

	pauses *Pauses // nil: the run has not paused, and is not about to

	changes *Changes // nil: the spec does not let runs change the graph
	agent   *Agent   // nil: no node has asked a model or called a tool
	tally   *tally   // nil: there is nothing to count
}

// An Execution is how the node of the current step is executed. A thread saves it as it is.
type Execution struct {
	Attempts, Iterations int
	Declined             bool     // the attempt before was refused by guards
	Cleared              bool     // a person has decided on it
	Cached               bool     // it was not executed: its output is in the cache
	Feedback             []string // of the guards that refused the attempt before or, after an on: guard_fail edge, the output of the node before
}

// Execution returns how the node of the current step is executed.
func (r *Run) Execution() *Execution { return &r.extra().Execution }

// Attempt returns the number of the current execution of the step, from 1.
func (e *Execution) Attempt() int { return max(1, e.Attempts) }

// A deadline is what a run has of its timeout.
type deadline struct {
	left    time.Duration // without what pauses took
	running time.Time     // since when it runs out
	cancel  context.CancelFunc
}

// noExtra is what runs have that need no more. It is never written.
var noExtra extra

// extra returns what the run has, to be read only.
func (r *Run) extra() *extra {
	if r.more == nil {
		return &noExtra
	}
	return r.more
}

// withExtra returns what the run has, to be written.
func (r *Run) withExtra() *extra {
	if r.more == nil {
		r.makeExtra()
	}
	return r.more
}

// makeExtra is apart from withExtra, which is inlined in many places.
//
//go:noinline
func (r *Run) makeExtra() { r.more = new(extra) }

// besides returns a new T. It is one allocation with the extra of the run, where that has none.
func besides[T any](r *Run) *T {
	if r.more != nil {
		return new(T)
	}
	both := new(struct {
		extra extra
		of    T
	})
	r.more = &both.extra
	return &both.of
}

// relations are the relations of a run to the runs around it and within it.
type relations struct {
	parent *Run     // the run around this one; nil: none
	fork   *Fork    // this run is a branch of
	branch string   // which branch of which: names and numbers from the outside inwards
	base   int      // how many steps were made when it began
	behind int      // how many steps the child runs of the current node have made
	ledger *ledger  // what the runs within one another share; nil while none is within another
	won    bool     // of a branch: what it has done counts
	ended  bool     // a child run has ended for a reason that ends all of them
	joined bool     // the path has the paths of child runs, without their ends
	saved  *savedIn // where a thread saves the run; nil: it is in none
}

// noRelations are the relations of a run alone. They are never written.
var noRelations relations

// relations returns the relations of the run, to be read only.
func (r *Run) relations() *relations {
	if r.related == nil {
		return &noRelations
	}
	return r.related
}

// parent returns the run around this one; nil without one.
func (r *Run) parent() *Run { return r.relations().parent }

// withRelations returns the relations of the run, to be written.
func (r *Run) withRelations() *relations {
	if r.related == nil {
		r.related = new(relations)
	}
	return r.related
}

// savedIn is where a thread saves a run.
type savedIn struct {
	place      string               // in the tree of runs
	unloadable error                // what was saved of the run cannot be loaded
	trying     *tries               // of the current node; nil: it has no policy
	late       *graphgen.LimitError // of the current attempt; nil: it has no limit
	before     *used                // what the run had used when the run of another machine began in its node; nil: none has
}

// savedIn returns where a thread saves the run, to be written.
func (r *Run) savedIn() *savedIn {
	rel := r.withRelations()
	if rel.saved == nil {
		rel.saved = new(savedIn)
	}
	return rel.saved
}

// Graph returns the graph of the run, as the run has changed it.
func (r *Run) Graph() *Graph { return r.path.graph }

// Path returns what the run has followed.
func (r *Run) Path() *Path { return &r.path }

// Settings returns the settings of the run.
func (r *Run) Settings() *Settings { return r.settings }

// Observed reports whether the run or a parent has observers.
func (r *Run) Observed() bool { return r.settings.isObserved() }

// visit counts the visits to a node so far, those of the runs around this one included.
func (r *Run) visit(n NodeID) int {
	count := int(r.path.entered(n))
	rel := r.related
	if rel == nil {
		return count
	}
	if ran := r.path.ranBefore(); ran != nil {
		count += int(ran[n])
	}
	if rel.parent != nil {
		count += rel.parent.visit(n)
	}
	return count
}

// Visit returns the number of the current visit of the current node, from 1.
func (r *Run) Visit() int {
	return r.visit(r.here())
}

// Step returns the number of the current step of the run, from 1.
func (r *Run) Step() int {
	return r.stepNumber()
}

// stepNumber returns the number of the current step in the whole run. Concurrent branches each count on
// from the step at which the fork began.
func (r *Run) stepNumber() int {
	step := r.path.steps()
	if rel := r.related; rel != nil {
		step += rel.base - rel.behind
	}
	return step
}

// outermost returns the run without parent.
func (r *Run) outermost() *Run {
	for r.parent() != nil {
		r = r.parent()
	}
	return r
}

// iterating returns the iteration of the innermost enclosing loop.
func (r *Run) iterating() int {
	for ; r != nil; r = r.parent() {
		if r.Graph().node(r.here()).Most > 0 {
			return r.extra().Iterations
		}
	}
	return 0
}

// iteration returns the current or last iteration of the current node if it is a loop, else 0.
func (r *Run) iteration() int {
	if r.Graph().node(r.here()).Most > 0 {
		return r.extra().Iterations
	}
	return 0
}

// here returns the current node. A dynamic node is executed by the code of its template, or of
// its kind; At then holds the number of that.
func (r *Run) here() NodeID {
	if o := r.extra().changes; o != nil && o.current != End {
		return o.current
	}
	return r.At
}

// NodeName returns the name of the current node.
func (r *Run) NodeName() string { return r.Graph().NodeName(r.here()) }

// where describes a node of the run at this moment.
func (r *Run) where(n NodeID) graphgen.Where {
	w := graphgen.Where{Graph: r.Graph().Name, Branch: r.relations().branch, Node: r.Graph().NodeName(n), Pos: r.Graph().nodePosition(n)}
	if n == r.here() {
		w.Step, w.Visit = r.stepNumber(), r.visit(n)
	}
	return w
}

// callerContext returns the context that the run was given, with its timeout.
func (r *Run) callerContext() context.Context { return r.context.Context }

// IsCancelled reports whether the context of the run has ended.
func (r *Run) IsCancelled() bool { return r.callerContext().Err() != nil }

// stateView returns a pointer to the state for others.
//
//go:noinline
func (r *Run) stateView() any {
	if r.viewer == nil {
		return nil
	}
	return r.viewer.View()
}

// isPaused reports whether the run has paused.
func (r *Run) isPaused() bool { return r.over && r.reason == graphgen.Paused }

// isOutermost reports whether no run is around this one.
func (r *Run) isOutermost() bool { return r.parent() == nil && r.settings.nesting == nil }

func (r *Run) isStopping() bool { return r.stoppedRun() != nil }

// stoppedRun returns the run with the requested stop: this one, or a parent.
func (r *Run) stoppedRun() *Run {
	for ; r != nil; r = r.settings.nesting.run {
		if r.settings.Stopper != nil && r.settings.Stopper.Requested() {
			return r
		}
		if r.settings.nesting == nil {
			if t := r.settings.thread; t != nil && t.Stopping() {
				return r
			}
			return nil
		}
	}
	return nil
}

// requireSlowStep makes SlowStep due at the end of this step: something has to be undone before the next one.
func (r *Run) requireSlowStep() { r.limit = 0 }

// Keeps reports whether the run keeps the details of its report.
func (r *Run) Keeps() bool { return r.more != nil && r.more.details != nil }

// enclosing returns the run around this one, of the same machine or another.
func (r *Run) enclosing() *Run {
	if parent := r.parent(); parent != nil {
		return parent
	}
	if r.settings.nesting != nil {
		return r.settings.nesting.run
	}
	return nil
}

// Reason returns why the run has ended.
func (r *Run) Reason() graphgen.Reason { return r.reason }

// Failure returns the error with which the run has failed.
func (r *Run) Failure() error { return r.extra().err }

// Thread returns the thread of the run, nil if it has none.
func (r *Run) Thread() Thread { return r.settings.thread }

// ViewerOf returns the generated run.
func (r *Run) ViewerOf() Viewer { return r.viewer }

func (r *Run) end(reason graphgen.Reason, err error) {
	r.over, r.reason = true, reason
	if err != nil || r.more != nil {
		r.withExtra().err = err
	}
	if reason == graphgen.Stopped && err != nil {
		if late, _ := context.Cause(r.callerContext()).(*graphgen.LimitError); late != nil && late.Timeout() {
			r.reason = graphgen.Failed
		}
	}
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

// A Viewer gives a run's state to others.
type Viewer interface {
	// View returns a pointer to the state or, where it has lists, to a copy whose lists have no room
	// behind their ends.
	View() any
}

// Context returns the context for handlers; Info finds the run in it.
func (r *Run) Context() context.Context {
	if w := r.extra().wrap; w != nil && w.ctx != nil {
		return w.ctx
	}
	return r.context
}
