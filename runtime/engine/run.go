package engine

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// A Run is the record of one run of a machine: what every run needs. Generated code embeds it beside the
// state and drives it: Start, then a loop over the nodes that At selects, then Finish. Between two nodes
// it calls Follow and, where that returns false, SlowStep.
type Run struct {
	At     NodeID // the node that runs; for generated code
	polls  bool   // the loop asks the context before each node: see schedule
	path   Path
	ending Ending

	viewer   Viewer // gives the state to others
	settings *Settings
	context  *runContext // that handlers get
	first    runContext  // the one that the run began with
	id       identity
	more     extras
	related  relations
}

// An outcome is how the current step went.
type outcome uint8

const (
	succeeded outcome = iota
	failed
	failedSoft
	failedGuards
	skipped
	withheld // a person denied, or answered too late
)

// A Frame holds the variables of generated code that a run uses.
type Frame struct {
	Counters []uint32   // one for each transition and each node, zeroed
	Viewer   Viewer     // gives the state to others; nil: there is none
	Model    chat.Model // the machine's own, of a graph whose runs may have a budget of money

	// Of a graph that runs may change: by Mutable.Outputs, whether the run has written the output.
	Written []bool
}

// NewFrame returns the frame of a run whose outputs need no note.
func NewFrame(counters []uint32, v Viewer) *Frame { return &Frame{Counters: counters, Viewer: v} }

// With adds the machine's own model to the frame.
func (f *Frame) With(model chat.Model) *Frame {
	f.Model = model
	return f
}

// StateOf returns what shows a state without lists.
func StateOf[S any](state *S) Viewer { return viewOf[S]{state} }

type viewOf[S any] struct{ state *S }

// View returns the state.
func (v viewOf[S]) View() any { return v.state }

// Start prepares the run and goes to its entry. The machine has options, and the call has.
func (r *Run) Start(ctx context.Context, g *Graph, f *Frame, machine *Options, call []graphgen.RunOption) {
	r.prepare(ctx, g, f, machine, call)
	r.startPrepared(f)
}

// startPrepared begins a run that is prepared, or continues it.
func (r *Run) startPrepared(f *Frame) {
	switch {
	case r.settings.thread != nil && r.settings.thread.endUnloadable(r):
	case !r.mayStart(f.Model):
	case r.ending.Paused():
		r.settings.thread.continueSaved(r)
	case r.ending.over: // another process ended it
	case r.settings.thread == nil || r.settings.nesting != nil || r.settings.thread.saveStart(r):
		r.SlowStep(entry, r.Graph().to(entry))
	}
}

// mayStart reports whether the options of the run fit it. It ends the run if they do not. own is the machine's model.
func (r *Run) mayStart(own chat.Model) bool {
	var err error
	if r.settings != &noSettings {
		err = r.Graph().unfit(&r.settings.Settings)
	}
	if err == nil && r.settings.TakesBack && (r.settings.thread == nil || r.settings.thread.Driven()) {
		err = &graphgen.ConfigError{Graph: r.Graph().Name, Option: "thread.TakeBack", Why: "the run is not of a thread of a store: leave it out"}
	}
	if err == nil {
		err = r.Graph().unserved(r.settings)
	}
	if err != nil {
		r.ending.set(graphgen.Failed, err)
		r.At = End
		return false
	}
	if len(r.Graph().Models) == 0 {
		return true
	}
	a := r.Agent()
	a.own = own
	if r.replays() { // no model is asked, and the models of the call that answers are checked with it
		return true
	}
	if over := a.unaffordable(own); over != nil {
		r.At = r.Graph().to(entry)
		r.ending.byVerdict(over)
		r.At = End
		return false
	}
	return true
}

// Refuse prepares the run as Start does, and ends it with a *graphgen.InputError: its input is not as it
// must be. No node runs.
func (r *Run) Refuse(ctx context.Context, g *Graph, f *Frame, machine *Options, call []graphgen.RunOption, why error) {
	r.prepare(ctx, g, f, machine, call)
	if r.ending.over { // another process began the run, with another input
		r.startPrepared(f)
		return
	}
	r.ending.set(graphgen.Failed, &graphgen.InputError{Err: why})
	r.At = End
}

func (r *Run) prepare(ctx context.Context, g *Graph, f *Frame, machine *Options, call []graphgen.RunOption) {
	r.settings = settle(g, machine, call)
	if outer := r.settings.nesting; outer != nil {
		r.related.branch = outer.branch // its branches are within that one
	}
	r.frame(g, f)
	r.first.run = r
	r.context = &r.first
	if limit := g.Timeout.Limit; limit > 0 {
		r.more.make().deadline = &deadline{left: limit}
	}
	if t := r.settings.thread; t != nil {
		t.load(r)
	}
	r.context.Context = r.more.get().deadline.begin(ctx, r)
	newDetails(r)
	if r.settings.isWatched() {
		w := r.watch()
		w.begun = w.openRun(false)
	} else if r.settings.thread != nil {
		r.watch().calls.Store(int32(r.watch().lastSavedCall())) // now, as branches number their calls, too
	}
}

// frame gives the run its graph and the variables of generated code.
func (r *Run) frame(g *Graph, f *Frame) {
	r.ending.run, r.related.root = r, r
	r.path.begin(g, f.Counters)
	r.viewer = f.Viewer
	if g.Mutable != nil {
		newChanges(r, f.Written)
	}
}

// Cancelled reports whether the loop is left because the context has ended: the node that was reached does not run.
// It returns constants, which the compiler does not test again in the loop.
func (r *Run) Cancelled() bool {
	if r.polls && r.first.Context.Err() != nil {
		return true
	}
	return false
}

// Open reports whether a bounded transition may be followed once more. The bound is for the pair of
// nodes: other edges between them count too.
func (r *Run) Open(transition TransitionID) bool {
	return !r.path.isUsedUp(&r.Graph().Transitions[transition])
}

// Result returns the metadata of the step, the variable res of conditions.
func (r *Run) Result() graphgen.Result {
	var since nodeUsage
	x := r.more.get()
	isSkipped := x.outcome == skipped
	if !x.Cached && !isSkipped {
		since = x.agent.ofCurrent()
	}
	return graphgen.Result{
		Step: r.path.Step(), Visit: r.path.visit(r.here()), Attempts: r.Execution().Attempt(), Iterations: r.iteration(),
		Err: x.soft, Cached: x.Cached, Skipped: isSkipped,
		ToolCalls: since.tools.Made + since.tools.Deduplicated, ToolFailures: since.tools.Failed, Tokens: since.usage.Tokens(),
		Confidence: since.confidence,
	}
}

// Recover makes a panic of a handler or of a condition the failure of its node. Generated loops defer it.
func (r *Run) Recover() {
	if v := recover(); v != nil {
		r.Fail(newPanicError(v, r.Graph()))
	}
}
