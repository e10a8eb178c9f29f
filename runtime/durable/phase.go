package durable

import (
	"sync"
	"sync/atomic"
)

// A phase is what a session does. It may be lost in any of them, from when fail was called: then failed has why nothing more can be saved. It is
// closed once it was released.
type phase int32

const (
	opening    phase = iota // it has no run yet
	replaying               // a run that has paused or ended is executed for what it has: what was not saved must not be executed
	running                 // the run continues, and is saved
	committing              // running, and one run has a transaction: others save nothing until it has ended
)

// A stage has the phase of a session. The phase changes under the lock of the session, and is read without it too.
type stage struct {
	now       atomic.Int32
	committer string     // the place of the run that has the transaction
	settled   *sync.Cond // a transaction has ended
}

// is reports whether the session is in a phase.
func (s *stage) is(p phase) bool { return phase(s.now.Load()) == p }

// hasRun reports whether the session has a run, which it executes.
func (s *stage) hasRun() bool { return !s.is(opening) }

// begin begins the run of the session.
func (s *stage) begin(p phase) { s.now.Store(int32(p)) }

// turns ends a phase, and reports whether it was that one.
func (s *stage) turns(from, to phase) bool { return s.now.CompareAndSwap(int32(from), int32(to)) }

// commits begins the transaction of the run at a place.
func (s *stage) commits(place string) {
	s.committer = place
	s.turns(running, committing)
}

// settles ends the transaction.
func (s *stage) settles() { s.turns(committing, running) }

// waits returns when no other run has a transaction.
func (s *stage) waits(place string) {
	for s.is(committing) && s.committer != place {
		s.settled.Wait()
	}
}
