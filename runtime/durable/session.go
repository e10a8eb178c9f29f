package durable

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// A session is what one process does with a thread, from the moment it has the lease.
type session struct {
	engine.Threaded

	m *Machine

	options *engine.Applied // of the run that the session makes

	stopper graphgen.Stopper // a stop of the thread is requested
	hub     *feed.Hub        // nil: there is none
	made    atomic.Uint64    // the number of the last record that was made

	lease    thread.Lease
	tenure   tenure
	caller   context.Context                         // of the call that made the session
	cancel   atomic.Pointer[context.CancelCauseFunc] // of the run; nil: there is none yet
	life     context.Context                         // until nothing more can be saved, or the lease is given back
	end      context.CancelCauseFunc
	released sync.Once
	unfed    sync.Once
	failure  atomic.Pointer[error] // why nothing more can be saved
	writer   *writer
	ahead    int // how many records may wait while the run goes on; 0: none

	up      *upgrade     // of a thread that was saved before
	carried *codec.Cells // of a run that begins: what it has of the run before; nil: nothing

	mu sync.Mutex // of what follows. No call of the store is made under it, but for what a transaction does
	stage
	journal
	adopted map[string]bool // places of runs that this process makes
	names   map[*engine.Graph]*names
}

// Made implements engine.Thread.
func (s *session) Made() int { return int(s.made.Load()) }

// Seals implements engine.Thread.
func (s *session) Seals() bool { return s.log.seals }

// Step implements engine.Thread.
func (s *session) Step(r *engine.Run, b engine.Boundary) error {
	return s.save(func() error {
		if s.waits(r.Saved().Place()); s.is(replaying) {
			return s.fail(errMoved)
		}
		i := r.Image()
		i.Boundary = &b
		if err := s.enter(r, &i, "", true); err != nil {
			return err
		}
		if s.began {
			return s.flushStep()
		}
		return s.flush(thread.Running)
	})
}

// flushStep appends what has changed, unless the mode is to save at pauses alone: these append all that there is.
func (s *session) flushStep() error {
	if s.set.Mode == thread.AtPauses {
		s.next.runs, s.next.effects, s.unlogged = nil, nil, true
		return s.failed()
	}
	if s.is(committing) { // its record is to have the changes
		return s.failed()
	}
	return s.flush(thread.Running)
}

// Failed implements engine.Thread.
func (s *session) Failed(b *engine.Run) error {
	return s.save(func() error {
		if s.waits(b.Saved().Place()); s.is(replaying) {
			return nil
		}
		if s.log.of(b.Saved().Place()).cells.Value(failedCell) != nil { // another process has saved it
			return s.failed()
		}
		i := b.Image()
		i.At = b.Path().LastNode()
		if err := s.enter(b, &i, b.Ending().Err().Error(), true); err != nil {
			return err
		}
		return s.flushStep()
	})
}

// enter notes what a step of a run has changed. The child runs of its node have ended.
func (s *session) enter(r *engine.Run, i *engine.Image, failed string, step bool) error {
	if err := s.failed(); err != nil {
		return err
	}
	place := r.Saved().Place()
	v := s.log.of(place)
	s.log.hide(place, v, r.ViewerOf())
	cells, hidden, err := v.changes(r, i, s.namesOf(r), failed)
	if err != nil {
		return s.fail(err)
	}
	if step {
		s.log.steps(place, v)
		s.next.effects = slices.DeleteFunc(s.next.effects, func(e effect) bool { return e.isBehind(place) })
	}
	s.next.runs = append(s.next.runs, entry{place: place, step: step, fresh: v.fresh, cells: cells, hidden: hidden})
	v.fresh = false
	return nil
}

// Begins implements engine.Thread. Without it, a record of another branch, or of a call in the first node, would have the new
// iteration of the parent beside the end of the one before: the next process would leave that iteration out.
func (s *session) Begins(r *engine.Run, b engine.Boundary, loop *engine.Run) {
	s.locked(func() error { // an error stays in s
		if loop != nil {
			s.enterNode(loop)
		}
		v := s.log.of(r.Saved().Place())
		if s.is(replaying) || !v.stale && !v.hasSteps() {
			return nil
		}
		v.stale = false
		i := r.Image()
		i.Boundary = &b
		return s.enter(r, &i, "", false)
	})
}

// Within implements engine.Thread.
func (s *session) Within(r *engine.Run) {
	s.locked(func() error { return s.enterNode(r) }) // an error stays in s
}

func (s *session) enterNode(r *engine.Run) error {
	place := r.Saved().Place()
	v := s.log.of(place)
	if v.turn(r); v.noted || s.is(replaying) {
		return nil
	}
	i := r.Image()
	again := v.attempt != i.Attempts && v.inside
	if err := s.enter(r, &i, "", false); err != nil {
		return err
	}
	v.noted, v.inside, v.attempt = true, true, i.Attempts
	if again {
		s.next.runs[len(s.next.runs)-1].again = true
		s.log.drop(place)
		s.next.effects = slices.DeleteFunc(s.next.effects, func(e effect) bool { return strings.HasPrefix(e.place, place+"/") })
	}
	return nil
}

// turn notes the attempt and the iteration of a run.
func (v *saved) turn(r *engine.Run) {
	attempt, iteration := r.Execution().Attempts, r.Execution().Iterations
	if now := [2]int{attempt, iteration}; now != v.try {
		v.try, v.calls, v.noted = now, 0, false
	}
}

// Adopt implements engine.Thread.
func (s *session) Adopt(r *engine.Run) (saved bool, err error) {
	err = s.locked(func() error {
		saved, err = s.adopt(r)
		return err
	})
	return saved, err
}

func (s *session) adopt(r *engine.Run) (bool, error) {
	place := r.Saved().Place()
	v := s.log.runs[place]
	known := v != nil && !s.adopted[place]
	if s.adopted[place] = true; known && v.hasSteps() {
		if err := s.log.adopt(place, v, r, s.namesOf(r)); err != nil {
			return false, s.fail(&thread.StoreError{Thread: s.id, Err: err})
		}
		return true, nil
	}
	stale := v != nil && v.hasSteps()
	if c, ok := r.ViewerOf().(Record); ok && place == "" && s.carried != nil {
		if err := load(s.carried, c.Cells); err != nil {
			return false, s.fail(&thread.StoreError{Thread: s.id, Seq: s.head.Seq, Err: err})
		}
	}
	begun := s.log.begin(place)
	begun.stale = stale
	if begun.fresh = true; known { // it ended within its first step
		begun.effects = v.effects
	}
	return false, nil
}

// Asks implements engine.Thread.
func (s *session) Asks(q *graphgen.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open, ok := s.log.open[q.ID]; ok {
		q.Deadline = open.deadline
	}
}

// Decided implements engine.Thread.
func (s *session) Decided(id string) *engine.Decided {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.log.verdicts[id]
	if !ok {
		return nil
	}
	return &v.Decided
}

// Answered implements engine.Thread. The answer is saved with what the run does next: it pauses again, calls a tool or
// ends its step.
func (s *session) Answered(id string, d engine.Decided) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns(replaying, running)
	v := verdict{id, d}
	s.log.verdicts[id] = v
	s.next.verdicts = append(s.next.verdicts, v)
	return s.failed()
}

// Abandoned implements engine.Thread.
func (s *session) Abandoned() { s.release() }

// Replays implements engine.Thread.
func (s *session) Replays() bool { return s.is(replaying) }

// Stopper implements engine.Thread.
func (s *session) Stopper() *graphgen.Stopper { return &s.stopper }

// Stopping implements engine.Thread.
func (s *session) Stopping() bool { return s.stopper.Requested() && !s.is(replaying) }

// Ended implements engine.Thread.
func (s *session) Ended(r *engine.Run, err error) error {
	var p *graphgen.Pause
	paused := false
	failure := s.save(func() error {
		p = graphgen.AsPause(err)
		if paused = p != nil && r.Ending().Reason() == graphgen.Paused; s.began && s.failed() == nil && !s.is(replaying) {
			s.finish(r, p, paused, err)
		}
		return s.failed()
	})
	if paused && s.is(replaying) {
		return err // an answer follows
	}
	s.release()
	run, _ := err.(*graphgen.RunError)
	continues := run != nil && run.Reason == graphgen.Stopped && !s.stopper.Requested() // in another process
	switch {
	case failure != nil && (paused || err == nil):
		return &graphgen.RunError{Graph: s.m.Graph.Name, Reason: graphgen.Failed, Err: failure}
	case failure != nil && run != nil && !continues && !errors.Is(err, failure):
		both := *run
		both.Err = errors.Join(run.Err, failure)
		return &both
	case paused:
		s.m.lead(p, s.id)
	}
	return err
}

// finish saves how the run has ended.
func (s *session) finish(r *engine.Run, p *graphgen.Pause, paused bool, err error) {
	status := thread.Completed
	switch {
	case paused:
		status = thread.Paused
		r.Pauses().Hosts(func(h *engine.Run) { // how long they have taken so far
			i := h.Image()
			s.enter(h, &i, "", false) // an error stays in s
		})
		for i := range p.Requests {
			s.next.open = append(s.next.open, openRequest{p.Requests[i].ID, p.Requests[i].Deadline})
		}
		s.next.closed = true
		s.flushWith(status, summary{requests: p.Requests})
		return
	case err == nil:
		i := r.Image()
		i.Ended, i.Reason = true, r.Ending().Reason()
		if s.enter(r, &i, "", true) != nil {
			return
		}
	case r.Ending().Reason() == graphgen.Stopped && !s.stopper.Requested():
		status = thread.Running // its context has ended: another process goes on
	case r.Ending().Reason() == graphgen.Stopped:
		status = thread.Stopped
	default:
		status = thread.Failed
	}
	end := summary{reason: r.Ending().Reason().String()}
	if err != nil {
		end.failure = err.Error()
	}
	if status != thread.Running {
		s.next.ended, s.next.failure = end.reason, end.failure
	}
	s.flushWith(status, end)
}

// namesOf returns the names of the graph of a run.
func (s *session) namesOf(r *engine.Run) *names {
	g := r.Graph()
	if g.IsChanged() {
		return namesOf(g)
	}
	n := s.names[g]
	if n == nil {
		n = namesOf(g)
		s.names[g] = n
	}
	return n
}

// Name implements engine.Thread.
func (s *session) Name() string { return s.id }

// Observer implements engine.Thread.
func (s *session) Observer() func(graphgen.Event) {
	if s.hub == nil {
		return nil
	}
	return func(e graphgen.Event) {
		if !s.is(replaying) && s.failed() == nil {
			s.hub.Publish(s.id, s.made.Load(), unbound(e))
		}
	}
}

// Applied implements engine.Thread.
func (s *session) Applied() *engine.Applied { return s.options }

// Sets implements engine.Thread.
func (s *session) Sets(o *optionset.Settings) {
	if s.log.run != "" {
		o.RunID = s.log.run
	}
	o.InterruptBefore, o.InterruptAfter = s.log.pausesAt.before, s.log.pausesAt.after
	if s.is(replaying) {
		o.Observers, o.Hooks = nil, nil
		if s.head.Status == thread.Paused { // an answer follows: what its call gets is of what comes then
			o.Report, o.FinalState = nil, nil
		}
	}
}
