package durable

import (
	"context"

	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/thread"
)

// fail ends all saving: the run ends, and another process may continue with what was saved. It takes no lock of the session.
func (s *session) fail(err error) error {
	if !is[*thread.StoreError](err) {
		err = &thread.StoreError{Thread: s.id, Unsaved: true, Err: err}
	}
	if s.failure.CompareAndSwap(nil, &err) {
		s.cancelRun(err)
		s.end(err)
		s.writer.fail(err)
		s.unfeed()
	}
	return s.failed()
}

// cancelRun ends the context of the run, if there is one.
func (s *session) cancelRun(err error) {
	if cancel := s.cancel.Load(); cancel != nil {
		(*cancel)(err)
	}
}

// failed returns why nothing more can be saved, nil if it can.
func (s *session) failed() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// caught ends all saving where a goroutine of the session panics. It is to be deferred.
func (s *session) caught() {
	if v := recover(); v != nil {
		var err error
		caught.Value(v, &err)
		_ = s.fail(err)
	}
}

// release gives the lease back, once.
func (s *session) release() { s.released.Do(s.leave) }

func (s *session) leave() {
	s.writer.settle() // an error is the session's
	// Also where the tenure is over: the store may have files open for the lease.
	left := min(max(s.tenure.stop(), glance), farewell)
	s.end(nil)
	s.cancelRun(nil)
	ctx, cancel := context.WithTimeout(context.Background(), left)
	defer cancel()
	s.set.Store.Release(ctx, s.lease) // if it fails, the lease ends by its time
	s.unfeed()
}

// unfeed ends the news of the run, once: those who watch it look at the store from then on, although its last handler may still be under way.
func (s *session) unfeed() {
	if s.hasRun() {
		s.unfed.Do(func() { s.hub.End(s.id) })
	}
}
