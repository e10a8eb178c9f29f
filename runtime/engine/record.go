package engine

import (
	"context"
	"strconv"
	"sync/atomic"

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

	spent *graphgen.NodeError // of a child run that a spent budget has ended: the failure of the node that has found it spent; nil: it has ended otherwise

	// Of the end:
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
func (r *Run) Execution() *Execution { return &r.more.get().Execution }

// Attempt returns the number of the current execution of the step, from 1.
func (e *Execution) Attempt() int { return max(1, e.Attempts) }

// extras is the place of the extra of a run, which it makes when it first needs one.
type extras struct{ *extra }

// noExtra is what runs have that need no more. It is never written.
var noExtra extra

// get returns what the run has, to be read only.
func (e extras) get() *extra {
	if e.extra == nil {
		return &noExtra
	}
	return e.extra
}

// make returns what the run has, to be written.
func (e *extras) make() *extra {
	if e.extra == nil {
		e.new()
	}
	return e.extra
}

// new is apart from make, which is inlined in many places.
//
//go:noinline
func (e *extras) new() { e.extra = new(extra) }

// keepsDetails reports whether the run keeps the details of its report.
func (e extras) keepsDetails() bool { return e.get().details != nil }

// besides returns a new T. It is one allocation with the extra of the run, where that has none.
func besides[T any](e *extras) *T {
	if e.extra != nil {
		return new(T)
	}
	both := new(struct {
		extra extra
		of    T
	})
	e.extra = &both.extra
	return &both.of
}

// relations are the relations of a run to the runs around it and within it.
type relations struct {
	root   *Run    // the run around all others; itself, where no other is around it
	parent *Run    // the run around this one; nil: none
	fork   *Fork   // this run is a branch of
	branch string  // which branch of which: names and numbers from the outside inwards
	ledger *ledger // what the runs within one another share; nil while none is within another
	won    bool    // of a branch: what it has done counts
	saved  *Saved  // where a thread saves the run; nil: it is in none
}

// name returns the name of the whole run in idempotency keys.
func (rel *relations) name() string { return rel.root.id.name(rel.root.settings) }

// name returns the name of the run in idempotency keys. It stays the same when the step of the
// parent is executed again.
func (n *nesting) name() string {
	name := n.run.related.name()
	if n.branch != "" {
		name += "/" + n.branch
	}
	return name + "/" + strconv.Itoa(n.step) + "." + n.node
}

// loop returns the run around this one whose current node is a loop, which this run executes; nil: it executes something else.
func (rel *relations) loop() *Run {
	if p := rel.parent; p != nil && p.Graph().node(p.here()).Most > 0 {
		return p
	}
	return nil
}

// Saved is where a thread saves a run. It is nil for a run that is in none.
type Saved struct {
	place      string               // in the tree of runs
	unloadable error                // what was saved of the run cannot be loaded
	trying     *tries               // of the current node; nil: it has no policy
	late       *graphgen.LimitError // of the current attempt; nil: it has no limit
	before     *used                // what the run had used when the run of another machine began in its node; nil: none has
}

// savedIn returns where a thread saves the run, to be written.
func (rel *relations) savedIn() *Saved {
	if rel.saved == nil {
		rel.saved = new(Saved)
	}
	return rel.saved
}

// Saved returns where a thread saves the run.
func (r *Run) Saved() *Saved { return r.related.saved }

// Place returns the place of the run in the tree of runs of its thread: the nodes around it, with branches. It is
// empty for the outermost run.
func (in *Saved) Place() string {
	if in == nil {
		return ""
	}
	return in.place
}

// Late returns the error that an attempt at the current node fails with once it has taken too long, nil if there is no
// limit.
func (in *Saved) Late() *graphgen.LimitError {
	if in == nil {
		return nil
	}
	return in.late
}

// Graph returns the graph of the run, as the run has changed it.
func (r *Run) Graph() *Graph { return r.path.graph }

// Path returns what the run has followed.
func (r *Run) Path() *Path { return &r.path }

// Settings returns the settings of the run.
func (r *Run) Settings() *Settings { return r.settings }

// Visit returns the number of the current visit of the current node, from 1.
func (r *Run) Visit() int {
	return r.path.visit(r.here())
}

// iteration returns the current or last iteration of the current node if it is a loop, else 0.
func (r *Run) iteration() int {
	if r.Graph().node(r.here()).Most > 0 {
		return r.more.get().Iterations
	}
	return 0
}

// here returns the current node. A dynamic node is executed by the code of its template, or of
// its kind; At then holds the number of that.
func (r *Run) here() NodeID {
	if o := r.more.get().changes; o != nil && o.current != End {
		return o.current
	}
	return r.At
}

// NodeName returns the name of the current node.
func (r *Run) NodeName() string { return r.Graph().NodeName(r.here()) }

// where describes a node of the run at this moment.
func (r *Run) where(n NodeID) graphgen.Where {
	w := graphgen.Where{Graph: r.Graph().Name, Branch: r.related.branch, Node: r.Graph().NodeName(n), Pos: r.Graph().nodePosition(n)}
	if n == r.here() {
		w.Step, w.Visit = r.path.Step(), r.path.visit(n)
	}
	return w
}

// IsCancelled reports whether the context of the run has ended.
func (r *Run) IsCancelled() bool { return r.context.Context.Err() != nil }

// stateView returns a pointer to the state for others.
//
//go:noinline
func (r *Run) stateView() any {
	if r.viewer == nil {
		return nil
	}
	return r.viewer.View()
}

// enclosing returns the run around this one, of the same machine or another.
func (r *Run) enclosing() *Run {
	if parent := r.related.parent; parent != nil {
		return parent
	}
	if r.settings.nesting != nil {
		return r.settings.nesting.run
	}
	return nil
}

// Ending returns whether and why the run has ended.
func (r *Run) Ending() *Ending { return &r.ending }

// Thread returns the thread of the run, nil if it has none.
func (r *Run) Thread() Thread { return r.settings.thread }

// replays reports whether the thread of the run makes it only for what is saved of it.
func (r *Run) replays() bool { return r.settings.thread != nil && r.settings.thread.Replays() }

// ViewerOf returns the generated run.
func (r *Run) ViewerOf() Viewer { return r.viewer }

// A Viewer gives a run's state to others.
type Viewer interface {
	// View returns a pointer to the state or, where it has lists, to a copy whose lists have no spare
	// capacity.
	View() any
}

// Context returns the context for handlers; Info finds the run in it.
func (r *Run) Context() context.Context {
	if w := r.more.get().wrap; w != nil && w.ctx != nil {
		return w.ctx
	}
	return r.context
}

// An identity is the ID of a run that no option gives one.
type identity struct{ random atomic.Pointer[string] }

// name returns the name of a run with the settings in idempotency keys.
func (i *identity) name(s *Settings) string {
	if name := i.random.Load(); name != nil {
		return *name
	}
	name := new(string)
	i.setName(s, name)
	return *name
}

// setName sets name to the name of the run, which may keep the pointer.
func (i *identity) setName(s *Settings, name *string) {
	switch {
	case s.nesting != nil:
		*name = s.nesting.name()
	case s.RunID != "":
		*name = s.RunID
	default:
		if i.random.Load() == nil {
			*name = s.newID()
			if i.random.CompareAndSwap(nil, name) {
				return
			}
		}
		*name = *i.random.Load() // branches may ask at once
	}
}
