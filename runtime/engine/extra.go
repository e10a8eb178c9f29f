package engine

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/incomparable"
)

// An extra is what a run needs that fails, is observed, pauses or has an activity.
type extra struct {
	// Of the current step:
	outcome    outcome
	cached     bool
	declined   bool // the attempt before was refused by guards
	answered   bool // once a pause, it has its answer
	resumes    bool // the current iteration continues after a pause
	cleared    bool // a person has decided on it
	attempts   int
	iterations int
	feedback   []string
	soft       error // the failure of a fail_soft node
	unjudged   bool  // the context ended before a model had chosen what follows; the step is the last one

	// Of failures:
	failures   []graphgen.Failure
	pending    int    // index+1 of the failure that waits for a success
	stuck      int    // index+1 of a failure that can no longer be cleared
	settled    int    // how many failures are cleared, or can no longer be
	detours    int32  // nodes passed over, in a row, because their visits were used up
	prevFailed bool   // the node before this one failed
	passedOver NodeID // the node that was not run, where that was the last failure

	// Of the end:
	err    error
	output any
	term   *term // nil: the run has no timeout

	watch *watch    // nil: nothing watches the run
	wrap  *wrapping // the step that hooks wrap; nil: they wrap none
	book  *book     // nil: no details of the report are requested

	// Of pauses:
	waiting *waiting // what the run waits for
	pause   *pause   // of the outermost run: what its InterruptedErrors have in common
	rest    *rest    // nil: there was no pause

	changes *Changes   // nil: the spec does not let runs change the graph
	agent   *Agent     // nil: no node has asked a model or called a tool
	rare    *incidents // see withIncidents
}

// Incidents are what a run needs whose nodes retry, refuse, skip, run other machines or change its graph.
type incidents struct {
	// For the report:
	retries, cacheHits, skips, rejected, hookFailures int
	refusals                                          []graphgen.Refusal
	refused                                           *graphgen.GuardsError // the verdict that the last of them has
	nested                                            []graphgen.NestedReport
	nestedDropped                                     int

	// Of the last answer:
	withheld error   // why it is not a yes
	record   *Record // nil: there was none
}

// A term is what a run has of its timeout.
type term struct {
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

// noIncidents are the incidents of runs without any. They are never written.
var noIncidents incidents

// incidents returns the incidents of the run, to be read only.
func (r *Run) incidents() *incidents {
	if i := r.extra().rare; i != nil {
		return i
	}
	return &noIncidents
}

// withIncidents returns the incidents of the run, to be written. They are rare, and need no speed.
//
//go:noinline
func (r *Run) withIncidents() *incidents {
	if r.extra().rare == nil {
		i := besides[incidents](r)
		r.more.rare = i
	}
	return r.more.rare
}

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
	_ incomparable.Struct

	place  string               // in the tree of runs
	doomed error                // what was saved of the run cannot be loaded
	trying *tries               // of the current node; nil: it has no policy
	late   *graphgen.LimitError // of the current attempt; nil: it has no limit
	before *used                // what the run had used when the run of another machine began in its node; nil: none has
}

// savedIn returns where a thread saves the run, to be written.
func (r *Run) savedIn() *savedIn {
	rel := r.withRelations()
	if rel.saved == nil {
		rel.saved = new(savedIn)
	}
	return rel.saved
}
