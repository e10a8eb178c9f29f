package engine

import (
	"cmp"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// Threaded is what the kernel itself does for the runs of a thread. A run calls it by its Thread, so that only programs
// with threads link it.
type Threaded struct{}

// threaded has the methods of Threaded, which only that has.
type threaded interface {
	replacesSettings(s *Settings)
	load(r *Run)
	loadChild(r, around *Run, where string) bool
	endUnloadable(r *Run) bool
	saveStart(r *Run) bool
	continueSaved(r *Run)
	saveStep(r *Run, transition TransitionID, to NodeID) bool
}

// Driven implements Thread: no other engine drives runs whose thread has goroutines of its own.
func (Threaded) Driven() bool { return false }

// Replays implements Thread: runs continue where they are saved.
func (Threaded) Replays() bool { return false }

// replacesSettings replaces the settings of a run by those that its thread has made of the options. The observer of the thread stays when
// a call ends.
func (Threaded) replacesSettings(s *Settings) {
	t := s.thread
	*s = *t.Applied().all
	s.thread, s.Thread = t, origin.To(t)
	t.Sets(&s.Settings)
	if observe := t.Observer(); observe != nil {
		s.own = cmp.Or(s.own, &machineHooks{})
		s.Observers, s.own.observers = append(Clip(s.Observers), observe), append(s.own.observers, observe)
	}
}

// load loads what was saved of a run of a machine, if there is something.
func (t Threaded) load(r *Run) {
	if n := r.settings.nesting; n != nil {
		n.run.Agent().enterNode()
		before := n.run.Agent().used()
		before.until = r
		n.run.related.savedIn().before = before
		t.loadChild(r, n.run, n.node+"/")
	} else if _, err := r.settings.thread.Adopt(r); err != nil {
		r.related.savedIn().unloadable = err
	}
}

// loadChild loads what was saved of a run that begins within the current node of another one, and reports whether
// there was something. where is its place in the tree of runs.
func (Threaded) loadChild(r, around *Run, where string) bool {
	t := r.settings.thread
	if w := around.Pauses().awaited(); w != nil && w.child == nil && w.fork == nil {
		around.Pauses().Withdraw()
	}
	r.related.savedIn().place = around.Saved().Place() + "/" + where
	t.Within(around)
	saved, err := t.Adopt(r)
	if err != nil {
		r.related.savedIn().unloadable = err
	}
	return saved
}

// endUnloadable ends a run of which what was saved cannot be loaded.
func (Threaded) endUnloadable(r *Run) bool {
	in := r.related.saved
	if in == nil || in.unloadable == nil {
		return false
	}
	r.ending.set(graphgen.Failed, in.unloadable)
	r.At = End
	return true
}

// saveStart saves that the outermost run begins, and reports whether it may.
func (Threaded) saveStart(r *Run) bool {
	err := r.settings.thread.Step(r, Boundary{By: entry, To: r.Graph().to(entry)})
	if err != nil {
		r.ending.set(graphgen.Failed, err)
		r.At = End
	}
	return err == nil
}

// continueSaved prepares the step at which a run continues that another process began.
func (Threaded) continueSaved(r *Run) {
	r.Pausing().restore()
	r.Pausing().proceed()
}

// saveStep saves the step that has ended, and reports whether the run may continue.
func (Threaded) saveStep(r *Run, transition TransitionID, to NodeID) bool {
	t := r.settings.thread
	if r.related.parent == nil {
		r.related.ledger = nil // of a node that ran another machine
	}
	if to == End && r.related.parent == nil && r.settings.nesting == nil && !r.settings.interruptsAfter(r.Graph().node(r.here())) {
		return true // its end is saved
	}
	if err := t.Step(r, Boundary{By: transition, To: to}); err != nil {
		r.ending.set(graphgen.Failed, err)
		return false
	}
	return true
}
