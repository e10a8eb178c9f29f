package graphrt

import (
	"context"
	"sync"
	"time"
)

// A Run is the record of one run of a machine. Generated code embeds it beside the state and
// drives it: Start, then a loop over the nodes that At selects, then Finish. On the slow path
// it calls Attend between nodes.
type Run struct {
	At      Node     // the node that runs; for generated code
	Mark    Node     // a bit ORed into At that forces the slow path; 0 on the fast path
	overlay *overlay // how the run has changed its graph; nil: not at all
	plain   bool     // only the context has to be looked at
	trail

	visits  []uint32 // by node
	counts  []uint32 // by transition: how often a pair was followed
	context runContext
	own     *runContext // in its place: of a run within another, and of one that was resumed
	parent  context.Context
	cancel  context.CancelFunc
	*settings
	asking sync.Mutex // handlers may call Info on several goroutines

	outcome    outcome
	attempts   int
	iterations int
	cached     bool
	feedback   []string
	declined   bool  // the attempt before was refused by guards
	soft       error // the failure of a fail_soft node in this step

	failures   []Failure
	pending    int  // index+1 of the failure that waits for a success
	stuck      int  // index+1 of a failure that can no longer be cleared
	settled    int  // how many failures are cleared, or can no longer be
	prevFailed bool // the node before this one failed
	detours    int  // nodes passed over, in a row, because their visits were used up
	passedOver Node // the node that was not run, where that was the last failure

	reason  Reason
	err     error
	over    bool
	started bool // the current node's node_start was reported, its end not
	begun   time.Time
	state   any
	viewer  Viewer // nil: state is what others see
	output  any
	seen    observation
	wrap    *wrapping // the step that hooks wrap; nil: they wrap none
	tally
	spending
	pausing
	inner
	mutating
}

// tally holds the counts for the report.
type tally struct {
	retries, cacheHits, skips, rejected, hookFailures int
	timings                                           []time.Duration // by node

	nested        []NestedReport
	nestedDropped int

	refusals []Refusal
	refused  *GuardsError // the verdict that the last of them has
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
	Visits []uint32 // by node, zeroed
	Counts []uint32 // by transition, zeroed
	State  any      // a pointer to the state
	Viewer Viewer   // gives the state to others; nil: State does, as it holds no lists

	// Of a graph that runs may change: by Mutable.Outputs, whether the run has written the output.
	Written []bool
}

// A Viewer gives a run's state to others.
type Viewer interface {
	// View returns a pointer to a copy of the state whose lists have no room behind their ends.
	View() any
}

// Start prepares the run and goes to its entry. The options are those of the machine and those of
// the call.
func (r *Run) Start(ctx context.Context, g *Graph, f Frame, machine, call []Option) {
	r.settings = new(settings)
	r.set(machine, call)
	if r.outer != nil {
		r.branch = r.outer.branch // its branches are within that one
	}
	r.run = r
	r.budget = r.budget.lower(g.Budgets)
	r.graph, r.visits, r.counts, r.state, r.viewer = g, f.Visits, f.Counts, f.State, f.Viewer
	r.written = f.Written
	r.left = g.Timeout
	r.under(ctx)
	r.context.Context = r.parent
	r.context.run.Store(r)
	if r.watched() {
		r.begun = time.Now()
	}
	r.plan()
	if r.watched() {
		r.notify(&Event{Kind: RunStart})
	}
	r.At = g.to(entry) | r.Mark
}

// Context returns the context for handlers; Info finds the run in it.
func (r *Run) Context() context.Context {
	if r.wrap != nil && r.wrap.ctx != nil {
		return r.wrap.ctx
	}
	if r.own != nil {
		return r.own
	}
	return &r.context
}

// attended is a bit ORed into a node number: the run enters that node only through Attend, the
// slow path. No graph has a node of that number.
const attended Node = 1 << 15

// makeRoom makes room for the next decision, when there is none or the bounds are near.
// The current node is one that decides.
func (r *Run) makeRoom() {
	if !r.chained {
		r.reserve(1) // Attend takes every note for itself
		return
	}
	r.spent += int(r.n-r.first) * max(1, r.graph.Chain)
	r.fold()
	r.complete(r.At)
	if r.plan(); !r.chained {
		r.reserve(1)
	}
}

// Attend is the slow path between steps: observers, hooks, stop requests, cancellation. It
// clears the mark of the next node, or goes to End.
func (r *Run) Attend() {
	r.At &^= attended
	if r.wrap != nil && r.wrap.inside {
		r.wrap.leaves()
		return
	}
	if r.plain && r.parent.Err() == nil {
		return
	}
	if !r.proceed() {
		r.At = End
	} else if r.overlay != nil {
		r.overlay.embody(r)
	}
	if r.wrap != nil && r.At != End {
		r.wrap.due()
	}
}

// proceed ends one step and begins the next one, and reports whether there is one.
func (r *Run) proceed() bool {
	if r.over {
		return false
	}
	to := r.At
	way := r.arrived(to)
	if r.overlay != nil {
		to, way = r.overlay.divert(r, to, way)
	}
	r.attendAll()
	r.At = r.tail
	if r.stopDry(r.tail) {
		r.tellEnd(r.tail)
		return false
	}
	r.leave(way)
	if r.over {
		return false
	}
	if to == End {
		r.record(way)
		r.arrive(way)
		return false
	}
	if !r.mayGo(to) {
		return false
	}
	r.record(way)
	r.At = to
	if r.exhausted(to) || r.spends(to) {
		return true // the generated code sees it too, and fails the node
	}
	r.detours = 0
	if !r.enter(to) {
		return false
	}
	if r.plan(); r.chained {
		r.resume()
	}
	return true
}

// attendAll puts every step on the slow path and records it.
func (r *Run) attendAll() {
	r.chained, r.Mark, r.plain = false, attended, false
	r.reserve(0)
}

// plan sets how many decisions the run may make on the fast path.
func (r *Run) plan() {
	r.attendAll()
	if r.overlay != nil || r.host != nil || r.watched() || r.dry || r.pending > 0 || r.prevFailed || r.stoppable() || r.feedback != nil {
		return
	}
	decisions := r.decisions()
	if decisions <= 0 && r.spent > 0 {
		r.sum()
		decisions = r.decisions()
	}
	if decisions > 0 {
		r.chained, r.plain = true, true
		r.reserve(uint(min(trailLength, decisions)))
		if r.parent.Done() == nil {
			r.Mark, r.plain = 0, false
		}
	}
}

// decisions returns how many decisions the run can make for certain before its steps are
// used up.
func (r *Run) decisions() int {
	return (r.graph.MaxSteps-r.made()-r.spent)/max(1, r.graph.Chain) - 1
}

// attentive forces the slow path at the end of this step, also without observers: something
// has to be undone before the next step.
func (r *Run) attentive() {
	if r.chained {
		r.fold()
		r.unfold(r.At)
	}
	r.attendAll()
}

// catchUp brings the path up to the node that runs.
func (r *Run) catchUp() {
	if r.chained {
		r.fold()
		r.unfold(r.At)
		if r.plan(); r.chained {
			r.resume()
		}
	}
}

// mayGo stops the run before a node if the context is cancelled, a stop was requested
// or the steps are used up.
func (r *Run) mayGo(to Node) bool {
	if r.parent.Err() == nil && !r.stopping() && r.mayStep() {
		return true
	}
	r.refuse(to)
	return false
}

// refuse ends the run before a node that must not run.
func (r *Run) refuse(to Node) {
	switch at := r.where(to); {
	case r.parent.Err() != nil:
		r.end(Stopped, &CancelledError{Where: at, Err: context.Cause(r.parent)})
	case r.stopping():
		r.end(Stopped, &StopError{Where: at, of: r.stopped()})
	case r.graph.OnMaxSteps != MaxStepsError:
		r.end(MaxSteps, nil)
	default:
		r.end(MaxSteps, &StepsError{Where: at, Max: r.graph.MaxSteps})
	}
}

// arrive ends the run with the reason that its last transition gives.
func (r *Run) arrive(way Way) {
	if r.over {
		return
	}
	switch way {
	case Exhausted:
		r.end(ExhaustedEdges, nil)
	case NoRoute:
		r.end(NoRouteMatched, nil)
	default:
		r.end(Completed, nil)
	}
	switch {
	case r.stuck > 0:
		r.end(Failed, r.failures[r.stuck-1].Err)
	case r.accepted > 0:
		if missing := r.unwritten(); len(missing) > 0 {
			r.end(Failed, &OutputError{Graph: r.graph.Name, Fields: missing})
		}
	}
}

func (r *Run) end(reason Reason, err error) {
	r.over, r.reason, r.err = true, reason, err
	if _, timeout := context.Cause(r.parent).(*TimeoutError); timeout && reason == Stopped && err != nil {
		r.reason = Failed
	}
}

// exhausted reports whether a node has used up its visits.
func (r *Run) exhausted(n Node) bool {
	most := r.graph.node(n).MaxVisits
	return most > 0 && r.visits[n] >= most
}

// Take reports whether a pair of nodes has been followed fewer than most times. If so, it
// counts one more.
func (r *Run) Take(pair Way, most uint32) bool {
	if r.counts[pair] >= most {
		return false
	}
	r.counts[pair]++
	return true
}

// Count counts that a pair was followed. It reports true, so that a condition can end
// with it.
func (r *Run) Count(pair Way) bool {
	r.counts[pair]++
	return true
}

// Open reports whether a pair of nodes has been followed fewer than most times.
func (r *Run) Open(pair Way, most uint32) bool { return r.counts[pair] < most }

// Result returns the metadata of the step, the variable res of conditions.
func (r *Run) Result() Result {
	r.catchUp()
	var since nodeUsage
	if r.since.node == r.here() && !r.cached && r.outcome != skipped {
		since = r.since
	}
	return Result{
		Step: r.step(), Visit: r.visit(r.here()), Attempts: max(1, r.attempts), Iterations: r.iteration(),
		Err: r.soft, Cached: r.cached, Skipped: r.outcome == skipped,
		ToolCalls: since.tools.Made + since.tools.Deduplicated, ToolFailures: since.tools.Failed, Tokens: since.usage.Tokens(),
		Confidence: since.confidence,
	}
}

// A Result is the metadata of a step that the spec's conditions can use besides the output.
type Result struct {
	Step       int   // counts from 1 over the run
	Visit      int   // counts from 1 over the visits of the node
	Attempts   int   // executions the step took
	Iterations int   // of a loop: how often its body ran in this visit
	Err        error // the failure of a fail_soft node
	Cached     bool  // the output is that of the cache
	Skipped    bool  // the node was skipped

	// Of a node with a model, since its prompt was written:
	ToolCalls    int
	ToolFailures int
	Tokens       int     // in and out
	Confidence   float64 // how sure the answer sounds, of the processor confidence_scorer; 0 without it
}

// visit counts the visits to a node so far.
func (r *Run) visit(n Node) int {
	count := 0
	if r.ran != nil && r.host != nil {
		count = int(r.ran[n])
	}
	if r.graph.node(n).MaxVisits > 0 {
		return count + int(r.visits[n])
	}
	for way, times := range r.counted() {
		if r.graph.Ways[way].To == n {
			count += times
		}
	}
	return count + r.visitsByAdded(n)
}

// Loop calls loop, which runs nodes. A panic of a handler or of a condition is a failure of its node:
// the loop is called again, until it returns. Loop returns true if hooks wrap the next step: see Wrap.
func (r *Run) Loop(loop func()) bool {
	for !r.returns(loop) {
	}
	return r.wrap != nil && !r.over
}

// returns calls loop, and reports whether it returns.
func (r *Run) returns(loop func()) (returned bool) {
	defer r.caught()
	loop()
	return true
}

// caught makes a panic the failure of the current node.
func (r *Run) caught() {
	if v := recover(); v != nil {
		r.Fail(newPanicError(v, r.graph))
	}
}

// Finish ends the run: the output is what Run returns, or a pointer to it.
func (r *Run) Finish(output any) error {
	if !r.over {
		r.arrive(r.last())
	}
	if r.cancel != nil {
		r.cancel()
	}
	r.output = output
	err := r.result()
	if r.watched() {
		r.notify(&Event{Kind: RunEnd, Node: r.graph.NodeName(r.tail), Err: err, Report: r.Report()})
	}
	if r.report != nil {
		*r.report = *r.Report()
	}
	if r.outer != nil {
		r.outer.reported(r.Report())
	}
	if r.keep != nil {
		if problem := r.keep(r.view()); problem != nil && err == nil {
			err = problem
		}
	}
	if r.reason == Paused {
		r.endCall()
	}
	return err
}

// last returns the transition that ended the run.
func (r *Run) last() Way {
	if r.n > r.first {
		return r.notes[r.n-1]
	}
	return r.path[len(r.path)-1] &^ alone
}

// result wraps the run's error with the report and the state.
func (r *Run) result() error {
	if r.err == nil && r.outer != nil && r.dry && r.reason == Stopped {
		r.err = &errDryRun{of: r.outer.run}
	}
	if r.err == nil {
		return nil
	}
	state := r.asked
	if r.reason != Paused {
		state = r.view()
	}
	return &RunError{Graph: r.graph.Name, Reason: r.reason, Report: r.Report(), Err: r.err, state: state}
}

// view returns a pointer to the state for others.
func (r *Run) view() any {
	if r.viewer == nil {
		return r.state
	}
	return r.viewer.View()
}

// Truncated reports whether the run ended because its steps were used up.
func (r *Run) Truncated() bool { return r.reason == MaxSteps }
