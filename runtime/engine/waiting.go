package engine

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
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
	requests []*request // its own, or of the child run that is made elsewhere
	child    *Run       // a run of other nodes of the graph, or of another machine
	fork     *Fork      // with branches that wait
	apart    *apart     // a child run that is made elsewhere
	tries    *tries     // of the current node
	boundary *Boundary  // between two nodes
	roused   bool       // an answer has arrived, or the run is cancelled

	whole func(*Pauses) *Run // returns the record of the run with the records of the runs that it waits for; nil: it waits for none
}

// awaitChild notes that the run waits for a child run, or for branches.
func (p *Pauses) awaitChild(child *Run, fork *Fork) {
	w := p.wait()
	w.child, w.fork, w.whole = child, fork, (*Pauses).whole
}

// Pauses are how a run waits for answers and continues with them: what it waits for, what its last answer was, how long it has waited. A run has
// them from its first request on; nil Pauses wait for nothing. The goroutine of the call calls them: while the run is paused, the one that
// has the turn of its pause.
type Pauses struct {
	run      *Run
	waiting  *waiting // nil: the run waits for nothing
	pause    *pause   // of the outermost run: what its InterruptedErrors have in common
	clock    pauseClock
	answered bool    // once a pause, the current step has its answer
	withheld error   // why the last answer is not a yes
	record   *Record // of the last answer; nil: there was none
}

// Pauses returns how the run waits, nil if it never has.
func (r *Run) Pauses() *Pauses { return r.more.get().pauses }

// Pausing is Pauses for a run that is about to pause: it makes them.
func (r *Run) Pausing() *Pauses {
	if p := r.more.get().pauses; p != nil {
		return p
	}
	p := &Pauses{run: r}
	r.more.make().pauses = p
	return p
}

// A Record is what a person answered.
type Record struct {
	Decision string // approve, deny, late, or reply
	By, Note string // of the options of the call
	At       time.Time
}

// Record returns what a person answered at the current node.
func (p *Pauses) Record() Record {
	if p != nil && p.record != nil {
		return *p.record
	}
	return Record{}
}

// A request is one question of a run.
type request struct {
	graphgen.Request
	run       *Run
	node      NodeID                            // whose code asks
	pause     *pause                            // of the outermost run
	accept    func(data []byte) (func(), error) // decodes an answer in JSON; the function commits it
	reply     any                               // a pointer to the answer's place in the generated run
	apart     *apart                            // the child run that asks is made elsewhere; nil: run asks
	held      *HeldCall                         // a call of a tool; nil: it is about the node
	continues bool                              // it is not a question: the run continues when it is resumed
	claimed   atomic.Bool
}

// pause is what the pauses of a run have in common: the outermost run, and the turn to resume it.
type pause struct {
	run     *Run
	asked   *Settings // of the call that paused first, for those who have not the turn: an answer changes the run's
	machine any
	turn    chan struct{} // holds a token while a call has the run: the one that paused first, and each that resumes it
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

// wait returns what the run waits for, to be written.
func (p *Pauses) wait() *waiting {
	if p.waiting == nil {
		p.waiting = new(waiting)
	}
	return p.waiting
}

// awaited returns what the run waits for, nil if it waits for nothing.
func (p *Pauses) awaited() *waiting {
	if p == nil {
		return nil
	}
	return p.waiting
}

// pauseClock returns how long the pauses of the run took, nil if there was none.
func (p *Pauses) pauseClock() *pauseClock {
	if p == nil {
		return nil
	}
	return &p.clock
}

// Answer returns why the last request of the run was not approved: a DeniedError or a LateError, else nil.
func (p *Pauses) Answer() error {
	if p == nil {
		return nil
	}
	return p.withheld
}

// add adds a request, and reports that the run asks.
func (p *Pauses) add(q *request) {
	p.wait().requests = append(p.wait().requests, q)
	if p.run.settings.isWatched() {
		p.run.notify(&graphgen.Event{Kind: graphgen.Interrupt, Node: q.Node, Details: origin.Details{More: &q.Request}})
	}
}

// suspend pauses the run at its current node.
func (p *Pauses) suspend() {
	r := p.run
	r.path.requireSlowStep()
	p.stopClocks()
	p.wait().at = r.At
	r.At = End
	if d := r.more.deadline; d != nil && r.related.parent == nil {
		d.left -= r.settings.Since(d.running)
	}
	r.ending.set(graphgen.Paused, errPaused)
}

// within reports whether the run waits for one within it.
func (w *waiting) within() bool { return w.child != nil || w.fork != nil }

// rouse marks the run and those around it to continue.
func (p *Pauses) rouse() {
	for r := p.run; r != nil; r = r.enclosing() {
		r.Pausing().wait().roused = true
	}
}

// requests lists what the run and its child runs wait for, in the order of the spec.
func (p *Pauses) requests() []*request {
	w := p.awaited()
	switch {
	case w == nil:
		return nil
	case w.child != nil:
		return w.child.Pauses().requests()
	case w.fork == nil:
		return w.requests
	}
	var all []*request
	for i := range w.fork.branches {
		if b := w.fork.branches[i].run; b != nil && b.ending.Paused() {
			all = append(all, b.Pauses().requests()...)
		}
	}
	return all
}

// interrupted returns the error of the outermost run, which has paused.
func (p *Pauses) interrupted(machine any) *graphgen.InterruptedError {
	if p.pause == nil {
		p.pause = &pause{run: p.run, asked: p.run.settings, machine: machine, turn: make(chan struct{}, 1)}
		p.pause.turn <- struct{}{} // of the call that pauses
	}
	h := &held{pause: p.pause, requests: p.requests()}
	for _, q := range h.requests {
		if q.pause == nil { // others may read it
			q.pause = p.pause
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
func (p *Pauses) Turn() (end func()) {
	if p == nil || p.pause == nil || !p.pause.resumed {
		return noTurn
	}
	p.pause.resumed, p.pause.settled = false, false
	return p.pause.end
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
func (p *Pauses) requestID(what string) string {
	r := p.run
	id := numbered(r.Graph().NodeName(r.here()), r.path.visit(r.here()), r.more.Attempts)
	if what != "" {
		id += "." + what
	}
	for n := r.settings.nesting; n != nil; n = n.run.settings.nesting {
		id = numbered(n.node, n.visit, n.attempt) + "/" + id
	}
	if branch := r.related.branch; branch != "" {
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
