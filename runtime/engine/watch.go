package engine

import (
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// A watch passes the events of a run to observers and hooks, and times its steps. A run has one where something watches it, or a thread
// saves it. Its own goroutine calls it; events of a branch are delivered on the goroutine of the run around it.
type watch struct {
	run     *Run
	info    graphgen.RunInfo
	scope   *scope          // the innermost that a hook has opened; nil: none has
	clock   time.Time       // when the wall clock was last read
	begun   time.Time       // when the current step began; before the first one, when the run did
	timings []time.Duration // by node
	events  int             // of the outermost run: how many its observers got in this call
	calls   atomic.Int32    // of the outermost run: how many calls of models have begun
	started bool            // the node_start of the step was reported, its end not
	end     runEnd          // of the run that does not pause
}

// watch returns what passes the events of the run. It makes it at the first call.
func (r *Run) watch() *watch {
	if w := r.more.get().watch; w != nil {
		return w
	}
	return newWatch(r)
}

func newWatch(r *Run) *watch {
	w := besides[watch](&r.more)
	w.run, w.clock = r, r.settings.Now()
	w.info = graphgen.RunInfo{Graph: r.Graph().Name, Shape: r.Graph().Shape, File: r.Graph().File, Within: r.settings.location(), Branch: r.related.branch}
	root := r.related.root
	root.id.setName(root.settings, &w.info.ID)
	if t := r.settings.thread; t != nil {
		w.info.Thread = t.Name()
	}
	r.more.watch = w
	return w
}

// join adds the times of a child run.
func (w *watch) join(b *watch) {
	w.timings = grown(w.timings, len(b.timings)-1)
	for i, took := range b.timings {
		w.timings[i] += took
	}
}

// wallClock is how long the wall clock is not read again: reading it costs more than reading the
// monotonic clock. The times of events follow an adjustment of the wall clock after that time.
const wallClock = time.Second

// now returns the time for an event.
func (w *watch) now() time.Time {
	if d := w.run.settings.driver; d != nil {
		return d.Clock.Now()
	}
	if past := time.Since(w.clock); past < wallClock {
		return w.clock.Add(past)
	}
	w.clock = time.Now()
	return w.clock
}

// resumeCall makes the next event the first one of a call that resumes the run.
func (w *watch) resumeCall() { w.clock, w.events = time.Time{}, 0 }

// describe sets what events have in common.
func (w *watch) describe(e *graphgen.Event) {
	e.Run = &w.info
	if e.Details.Of == (origin.Ref{}) {
		e.Details.Of = origin.To(source{w.run})
	}
	if e.Time.IsZero() {
		e.Time = w.now()
	}
	if e.Node == "" {
		return
	}
	n := w.run.Graph().named(e.Node, w.run.here())
	if e.Step == 0 {
		e.Step, e.Visit = w.run.path.Step(), w.run.path.visit(n)
	}
	if e.Line == 0 {
		place(e, w.run.Graph().node(n))
	}
}

// stepEvent returns an event of a step of a node. Its caller has it on the stack, where it is written
// without write barriers: so all of it is set here, and the function has to be inlined.
func (w *watch) stepEvent(kind graphgen.EventKind, now time.Time, n *NodeInfo, step, visit int) graphgen.Event {
	return graphgen.Event{
		Kind: kind, Time: now, Run: &w.info, Details: origin.Details{Of: origin.To(source{w.run})},
		Node: n.Name, NodeKind: n.Kind, Dynamic: n.Dynamic, Line: int32(n.Line), Col: int32(n.Col), Step: step, Visit: visit,
	}
}

// place sets what the event has of the node besides its name.
func place(e *graphgen.Event, n *NodeInfo) {
	e.NodeKind, e.Dynamic, e.Line, e.Col = n.Kind, n.Dynamic, int32(n.Line), int32(n.Col)
}

// notify passes a copy of an event to each observer. It counts an observer's panic, and otherwise
// ignores it.
func (r *Run) notify(e *graphgen.Event) {
	if !r.settings.Observed() {
		return
	}
	if e.Run == nil {
		r.watch().describe(e)
	}
	r.watch().deliver(e)
}

// deliver delivers an event of this run or of a child run.
func (w *watch) deliver(e *graphgen.Event) {
	if w.run.related.parent != nil && w.run.settings.Observed() {
		w.deliverOutside(*e)
		return
	}
	w.show(e)
}

// deliverOutside delivers an event of a branch on the goroutine of the run around it.
func (w *watch) deliverOutside(e graphgen.Event) { w.outside(func() { w.show(&e) }) }

// show calls the observers, and last the observers of parents. The numbers of the event are for them alone: hooks do not get them.
func (w *watch) show(e *graphgen.Event) {
	s := w.run.settings
	if len(s.Observers) > 0 {
		o := w.run.related.root.watch()
		o.events++
		e.N = o.events
		if s.thread != nil {
			e.Record = s.thread.Made()
		}
		if s.Detail != nil {
			if more := s.Detail(uint8(e.Kind), e.Details.Of, e.Run.ID, e.Run.Branch); more != nil {
				e.Details.More = more
			}
		}
		for i := 0; i < len(s.Observers); {
			i = w.callObservers(i, e)
		}
		e.N, e.Record = 0, 0
	}
	if s.nesting != nil {
		s.nesting.run.watch().deliver(e)
	}
}

// callObservers calls the observers from the number next on, and returns the number of the next one to call: a
// panic ends the call.
func (w *watch) callObservers(next int, e *graphgen.Event) (after int) {
	after = next
	defer func() {
		if recover() != nil {
			w.run.tally().HookFailures++
			after++
		}
	}()
	for ; after < len(w.run.settings.Observers); after++ {
		w.run.settings.Observers[after](*e)
	}
	return after
}

// outside calls do on the goroutine of the outermost run, and waits until it is done. With a Scheduler any goroutine of the run does.
func (w *watch) outside(do func()) {
	if w.run.settings.scheduler() != nil {
		do()
		return
	}
	for r := w.run; r != nil; r = r.related.parent {
		if f := r.related.fork; f != nil {
			c := outside{do: func() { f.run.watch().outside(do) }, done: make(chan struct{})}
			f.calls <- c
			<-c.done
			return
		}
	}
	do()
}
