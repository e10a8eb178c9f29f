package engine

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/incomparable"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// A run pauses where none of its nodes can continue before an answer arrives. A node that asks ends its run with
// the reason Paused; a composite node of which a child run has paused, and that has nothing else to do, ends its
// run likewise, and so on to the outermost run. Each run keeps what it waits for. An answer rouses the run that
// asked and the runs around it. Then the outermost run executes its current node again: a composite node finds
// the child runs that it had begun, and continues with those that are roused.

// errPaused is passed to Fail when a child run has paused.
var errPaused = &pausedError{}

// A pausedError ends an execution of a node that waits for an answer. It is not a failure.
type pausedError struct{}

func (*pausedError) Error() string { return "the run has paused" }

// waiting is what a paused run waits for: answers to its own requests, or a child run.
type waiting struct {
	at       NodeID     // whose code continues
	requests []*request // its own
	child    *Run       // a run of other nodes of the graph, or of another machine
	fork     *Fork      // with branches that wait
	tries    *tries     // of the current node
	boundary *Boundary  // between two nodes
	roused   bool       // an answer has arrived, or the run is cancelled

	whole func(*Run) *Run // where the run waits for one within it: (*Run).whole, which other programs do not link
}

// waitsFor notes that the run waits for a child run, or for branches.
func (r *Run) waitsFor(child *Run, fork *Fork) {
	w := r.waits()
	w.child, w.fork, w.whole = child, fork, (*Run).whole
}

// A Record is what a person answered.
type Record struct {
	_ incomparable.Struct

	Decision string // approve, deny, late, or reply
	By, Note string // of the options of the call
	At       time.Time
}

// Record returns what a person answered at the current node.
func (r *Run) Record() Record {
	if record := r.incidents().record; record != nil {
		return *record
	}
	return Record{}
}

// A request is one question of a run.
type request struct {
	graphgen.Request
	run      *Run
	node     NodeID                            // whose code asks
	pause    *pause                            // of the outermost run
	accept   func(data []byte) (func(), error) // decodes an answer in JSON; the function commits it
	reply    any                               // a pointer to the answer's place in the generated run
	held     *HeldCall                         // a call of a tool; nil: it is about the node
	proceeds bool                              // it is not a question: the run continues when it is resumed
	taken    atomic.Bool
}

// emitRequest reports that the run asks.
func (r *Run) emitRequest(q *request) {
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{Kind: graphgen.Interrupt, Node: q.Node, Details: origin.Details{More: &q.Request}})
	}
}

// pause is what the pauses of a run have in common: the outermost run, and the turn to resume it.
type pause struct {
	_ incomparable.Struct

	run     *Run
	machine any
	turn    chan struct{} // holds a token while an answer resumes the run
	resumed bool          // the call that begins has the turn
	settled bool          // the run has ended or paused since it was resumed
	lost    bool          // a call ended during a step, with its goroutine: the run cannot continue
	state   any           // at the last pause
}

// held is what a Pause leads to.
type held struct {
	*pause
	requests []*request
	reopen   func(context.Context, []graphgen.ResumeOption) (*Reopened, error) // the pause is in a thread, not in memory; nil: it is in memory
}

// waits returns what the run waits for, to be written.
func (r *Run) waits() *waiting {
	x := r.withExtra()
	if x.waiting == nil {
		x.waiting = new(waiting)
	}
	return x.waiting
}

// isPaused reports whether the run has paused.
func (r *Run) isPaused() bool { return r.over && r.reason == graphgen.Paused }

// suspend pauses the run at its current node.
func (r *Run) suspend() {
	r.attentive()
	r.pauses()
	r.waits().at = r.At
	r.At = End
	if r.Graph().Timeout.Limit > 0 && r.parent() == nil {
		r.more.term.left -= r.Since(r.more.term.running)
	}
	r.end(graphgen.Paused, errPaused)
}

// FinishBy is Finish of a machine whose runs may pause.
func FinishBy[Out any](r *Run, machine any, out Out) (Out, error) {
	r.finishesBy(machine)
	return Finish(r, out)
}

// finishesBy makes the pause of a run that waits lead to the machine.
func (r *Run) finishesBy(machine any) {
	if p := r.extra().pause; p != nil {
		p.settled = true
	}
	switch {
	case !r.isPaused():
	case r.settings.nesting != nil: // the run around this one waits for the answers
		r.settings.nesting.run.waitsFor(r, nil)
	default:
		r.more.err = r.interrupted(machine)
		r.more.pause.state = r.view()
	}
}

// Kept returns the generated run of the child run with which the current node continues after a pause, nil if it
// has none. ctx is the context of the node.
func (r *Run) Kept(ctx context.Context) any {
	x := r.extra()
	if x.waiting == nil || x.waiting.child == nil {
		return nil
	}
	b := x.waiting.child
	x.waiting = nil
	b.context = &runContext{Context: ctx, run: b}
	return b.viewer
}

// Nests reports whether the current node continues after a pause with a run of another machine.
func (r *Run) Nests() bool {
	w := r.extra().waiting
	return w != nil && w.child != nil
}

// Unnest returns the option with which the method Run of another machine continues the run for which the current node of r waits.
func (r *Run) Unnest() graphgen.RunOption { return &continued{within: r} }

// A continued is the option of a call that continues the run of a machine for which another run waits.
type continued struct {
	option.ForRun[optionset.Settings]
	within *Run
}

// Begin begins the run of a generated run, or returns the one for which the run around it waits. invalid is why the input is invalid.
func Begin[R any](ctx context.Context, of *R, r *Run, g *Graph, f *Frame, machine *Options, call []graphgen.RunOption, invalid error) (*R, error) {
	if len(call) == 1 {
		if c, ok := call[0].(*continued); ok {
			return any(c.within.unnest(ctx)).(*R), nil
		}
	}
	if invalid != nil {
		r.Refuse(ctx, g, f, machine, call, invalid)
	} else {
		r.Start(ctx, g, f, machine, call)
	}
	return of, nil
}

// unnest prepares the run of another machine with which the current node of r continues, and returns its generated run. ctx is the context
// of the node.
func (r *Run) unnest(ctx context.Context) any {
	b := r.more.waiting.child
	r.more.waiting = nil
	n := b.settings.nesting
	n.watched, n.observed = r.settings.isWatched(), r.Observed()
	b.settings = b.settings.inherited(r.settings)
	n.given = len(r.settings.given)
	b.resume(ctx)
	return b.viewer
}

// Forked returns the fork with which the current node continues after a pause, nil if it has none. ctx is the context
// of the node.
func (r *Run) Forked(ctx context.Context) *Fork {
	x := r.extra()
	if x.waiting == nil || x.waiting.fork == nil {
		return nil
	}
	f := x.waiting.fork
	x.waiting = nil
	f.resume(ctx)
	return f
}

// Paused reports whether a child run has paused.
func (r *Run) Paused() bool { return r.isPaused() }

// within reports whether the run waits for one within it.
func (w *waiting) within() bool { return w.child != nil || w.fork != nil }

// wake continues a child run after a pause, in a context that it was given before.
func (r *Run) wake() {
	r.settings = r.parent().settings
	if r.parent().Keeps() && !r.Keeps() {
		r.more.book = &book{step: r.path.n - 1}
	}
	r.restore()
	r.proceeds()
}

// restore makes the node current at which the run paused.
func (r *Run) restore() {
	x := r.more
	r.over, r.reason, x.err = false, graphgen.Completed, nil
	r.At, r.polls, x.waiting.roused = x.waiting.at, false, false
	x.rest.goesOn(r)
}

// proceeds prepares the step that continues after a pause. If it has child runs, hooks wrap it again.
func (r *Run) proceeds() {
	x := r.more
	if x.waiting.boundary != nil {
		if r.settings.isWatched() {
			r.watch().clock = time.Time{}
		}
		r.crosses()
		return
	}
	if r.settings.isWatched() {
		w := r.watch()
		w.clock = time.Time{}
		now := w.now()
		if w.started = true; w.begun.IsZero() {
			w.begun = now
			x.rest.restarts()
		}
		if x.waiting.within() && r.settings.isGoverned() {
			at := r.here()
			e := w.stepEvent(graphgen.NodeStart, now, r.Graph().node(at), r.step(), r.visit(at))
			if w.wrapStep(at, &e); x.wrap != nil {
				x.wrap.due()
			}
		}
	}
	r.attentive() // what the step has had before the pause is undone at its end
}

// whole returns the record of a paused run together with the records of the runs within it, for a report.
func (r *Run) whole() *Run {
	x := *r.more
	x.failures = slices.Clone(x.failures)
	if x.rare != nil {
		i := *x.rare
		i.refusals, i.nested = slices.Clone(i.refusals), slices.Clone(i.nested)
		x.rare = &i
	}
	x.book = x.book.copied()
	rel := *r.withRelations()
	all := &Run{
		At: r.At, tail: r.tail, over: r.over, reason: r.reason, path: r.path.copied(), limit: r.limit, viewer: r.viewer,
		settings: r.settings, context: r.context, more: &x, related: &rel,
	}
	all.random.Store(r.random.Load())
	if x.watch != nil {
		x.watch = &watch{run: all, timings: slices.Clone(x.watch.timings)}
	}
	if x.agent != nil {
		a := *x.agent
		a.run, a.usages, a.prompts = all, slices.Clone(a.usages), slices.Clone(a.prompts)
		x.agent = &a
	}
	switch w := x.waiting; {
	case w.fork != nil:
		for i := range w.fork.branches {
			all.takeIn(w.fork.branches[i].run)
		}
	case w.child != nil && w.child.parent() == nil: // of another machine
		n := w.child.settings.nesting
		all.keepNested(graphgen.NestedReport{Node: n.node, Branch: n.branch, Visit: n.visit, Attempt: n.attempt, Report: w.child.Report()})
	case w.child != nil:
		all.takeIn(w.child)
	}
	return all
}

// takeIn adds the record of a child run to the record of a whole run.
func (r *Run) takeIn(b *Run) {
	if b.isPaused() {
		b = b.whole()
	}
	if b.parent() != nil {
		r.add(b)
	}
}

// rouse marks the run and those around it to continue.
func (r *Run) rouse() {
	for ; r != nil; r = r.around() {
		r.waits().roused = true
	}
}

// around returns the run around this one, of the same machine or another.
func (r *Run) around() *Run {
	if parent := r.parent(); parent != nil {
		return parent
	}
	if r.settings.nesting != nil {
		return r.settings.nesting.run
	}
	return nil
}

// requests lists what the run and its child runs wait for, in the order of the spec.
func (r *Run) requests() []*request {
	w := r.extra().waiting
	switch {
	case w == nil:
		return nil
	case w.child != nil:
		return w.child.requests()
	case w.fork == nil:
		return w.requests
	}
	var all []*request
	for i := range w.fork.branches {
		if b := w.fork.branches[i].run; b != nil && b.isPaused() {
			all = append(all, b.requests()...)
		}
	}
	return all
}

// interrupted returns the error of the outermost run, which has paused.
func (r *Run) interrupted(machine any) *graphgen.InterruptedError {
	x := r.more
	if x.pause == nil {
		x.pause = &pause{run: r, machine: machine, turn: make(chan struct{}, 1)}
	}
	h := &held{pause: x.pause, requests: r.requests()}
	for _, q := range h.requests {
		if q.pause == nil { // others may read it
			q.pause = x.pause
		}
	}
	e := openRequests(h.requests)
	e.Pause.Origin = origin.To(h)
	return e
}

// openRequests returns an InterruptedError with requests, which resumes no run.
func openRequests(open []*request) *graphgen.InterruptedError {
	p := new(graphgen.Pause)
	for _, q := range open {
		p.Requests = append(p.Requests, q.Request)
	}
	return &graphgen.InterruptedError{Pause: p}
}

// Turn returns what lets the next answer resume the run when a call has ended, if the call was for an answer.
func (r *Run) Turn() (end func()) {
	p := r.extra().pause
	if p == nil || !p.resumed {
		return noTurn
	}
	p.resumed, p.settled = false, false
	return p.end
}

func noTurn() {}

// end gives the turn back. Where the call's goroutine has ended during a step, the run is lost.
func (p *pause) end() {
	if !p.settled {
		p.lost = true
		if t := p.run.settings.thread; t != nil {
			t.Abandoned()
		}
	}
	<-p.turn
}

// requestID returns the identity of a request of the run: the branch, the nodes around it that run other
// graphs, and its node, each with its visit, and what else distinguishes requests of the visit.
func (r *Run) requestID(what string) string {
	id := numbered(r.Graph().NodeName(r.here()), r.visit(r.here()), r.extra().attempts)
	if what != "" {
		id += "." + what
	}
	for n := r.settings.nesting; n != nil; n = n.run.settings.nesting {
		id = numbered(n.node, n.visit, n.attempt) + "/" + id
	}
	if branch := r.relations().branch; branch != "" {
		id = branch + "/" + id
	}
	return id
}

// numbered returns the name of a node with its visit, and with its attempt after the first.
func numbered(node string, visit, attempt int) string {
	node += "." + strconv.Itoa(visit)
	if attempt > 1 {
		node += "." + strconv.Itoa(attempt)
	}
	return node
}
