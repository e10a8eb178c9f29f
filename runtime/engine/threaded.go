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
	takesUp(r *Run)
	adopts(r, around *Run, where string) bool
	isDoomed(r *Run) bool
	isAccepted(r *Run) bool
	goesOn(r *Run)
	steps(r *Run, transition TransitionID, to NodeID) bool
}

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

// takesUp loads what was saved of a run of a machine, if there is something.
func (t Threaded) takesUp(r *Run) {
	if n := r.settings.nesting; n != nil {
		n.run.Agent().enterNode()
		before := n.run.Agent().used()
		before.until = r
		n.run.savedIn().before = before
		t.adopts(r, n.run, n.node+"/")
	} else if _, err := r.settings.thread.Adopt(r); err != nil {
		r.savedIn().doomed = err
	}
}

// adopts loads what was saved of a run that begins within the current node of another one, and reports whether
// there was something. where is its place in the tree of runs.
func (Threaded) adopts(r, around *Run, where string) bool {
	t := r.settings.thread
	if w := around.extra().waiting; w != nil && w.child == nil && w.fork == nil {
		around.more.waiting = nil
	}
	r.savedIn().place = around.Place() + "/" + where
	t.Within(around)
	saved, err := t.Adopt(r)
	if err != nil {
		r.savedIn().doomed = err
	}
	return saved
}

// isDoomed ends a run of which what was saved cannot be loaded.
func (Threaded) isDoomed(r *Run) bool {
	in := r.relations().saved
	if in == nil || in.doomed == nil {
		return false
	}
	r.end(graphgen.Failed, in.doomed)
	r.At = End
	return true
}

// isAccepted saves that the outermost run begins, and reports whether it may.
func (Threaded) isAccepted(r *Run) bool {
	err := r.settings.thread.Step(r, Boundary{By: entry, To: r.Graph().to(entry)})
	if err != nil {
		r.end(graphgen.Failed, err)
		r.At = End
	}
	return err == nil
}

// goesOn prepares the step at which a run continues that another process began.
func (Threaded) goesOn(r *Run) {
	r.restore()
	r.proceeds()
}

// steps saves the step that has ended, and reports whether the run may continue.
func (Threaded) steps(r *Run, transition TransitionID, to NodeID) bool {
	t := r.settings.thread
	if r.parent() == nil && r.related != nil {
		r.related.ledger = nil // of a node that ran another machine
	}
	if to == End && r.parent() == nil && r.settings.nesting == nil && !r.settings.interruptsAfter(r.Graph().node(r.here())) {
		return true // its end is saved
	}
	if err := t.Step(r, Boundary{By: transition, To: to}); err != nil {
		r.end(graphgen.Failed, err)
		return false
	}
	return true
}
