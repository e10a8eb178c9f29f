// Package mortal has stores of threads whose processes end at writes that a test chooses, and one in memory whose transactions write rows.
package mortal

import (
	"context"
	"errors"
	"sync"

	"github.com/graphgen/graphgen/thread"
)

// An End is how a process ends at a write.
type End int

// The ends of processes, and the faults that they outlive.
const (
	Lives      End = iota
	Before         // the write is not committed
	Behind         // it is
	LostReply      // it is, the process does not learn of it, and lives
	LostCommit     // it is not, the process does not learn of it, and lives
)

// IsCommitted reports whether the write is committed.
func (e End) IsCommitted() bool { return e == Lives || e == Behind || e == LostReply }

// Survives reports whether the process lives.
func (e End) Survives() bool { return e != Before && e != Behind }

var (
	// ErrKilled is the error of the calls of a process that has ended.
	ErrKilled = &thread.LostError{Thread: "killed"}
	errReset  = errors.New("connection reset")
)

// A Store is a store for several processes, one after the other. Each has a lease of its own.
type Store struct {
	thread.Transactor
	Ends  func(h thread.Head, transacts bool) End // how a write ends
	Ended func()                                  // is called after a transaction that ended in another way than Lives; may be nil

	mu   sync.Mutex
	dead map[uint64]bool // by the token of the lease
}

// Append implements thread.Store.
func (s *Store) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	how, err := s.end(l, h, false)
	if err != nil {
		return s.reply(ctx, l, how, thread.Ack{}, err)
	}
	ack, err := s.Transactor.Append(ctx, l, h, r)
	return s.reply(ctx, l, how, ack, err)
}

// Transact implements thread.Transactor.
func (s *Store) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	if s.isDead(l) {
		return thread.Ack{}, ErrKilled
	}
	how := Lives
	ack, err := s.Transactor.Transact(ctx, l, func(ctx context.Context) (thread.Head, []thread.Record, error) {
		h, r, err := f(ctx)
		if err == nil {
			how, err = s.end(l, h, true)
		}
		return h, r, err
	})
	if how != Lives && s.Ended != nil {
		s.Ended()
	}
	return s.reply(ctx, l, how, ack, err)
}

func (s *Store) isDead(l thread.Lease) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead[l.Token]
}

// end chooses how a write ends. The error is for a write that is not committed.
func (s *Store) end(l thread.Lease, h thread.Head, transacts bool) (how End, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead[l.Token] {
		return Lives, ErrKilled
	}
	if how = s.Ends(h, transacts); !how.Survives() {
		if s.dead == nil {
			s.dead = map[uint64]bool{}
		}
		s.dead[l.Token] = true
	}
	if !how.IsCommitted() {
		err = errReset
	}
	return how, err
}

// reply returns what a process learns of a write. The lease of one that has ended is released, so that the next one has not to wait.
func (s *Store) reply(ctx context.Context, l thread.Lease, how End, ack thread.Ack, err error) (thread.Ack, error) {
	switch {
	case how == Lives:
		return ack, err
	case how.Survives():
		return thread.Ack{}, errors.Join(err, errReset)
	}
	return thread.Ack{}, errors.Join(err, s.Release(ctx, l), ErrKilled)
}
