package durable

import (
	"context"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// acknowledged notes what the store has answered to a call that began at a time.
func (s *session) acknowledged(asked time.Time, ack thread.Ack) {
	if s.tenure.extend(asked); ack.Stop {
		s.stopper.Stop()
	}
}

// renew keeps the lease until the session ends.
func (s *session) renew() {
	defer s.caught()
	wait := s.lease.TTL / 3
	for {
		select {
		case <-s.life.Done():
			return
		case <-time.After(wait):
		}
		asked := time.Now()
		ctx, cancel := context.WithTimeout(s.life, s.lease.TTL/2)
		ack, err := s.set.Store.Renew(ctx, s.lease)
		cancel()
		switch wait = s.lease.TTL / 3; {
		case err == nil:
			s.acknowledged(asked, ack)
		case isDecided(err):
			s.fail(err)
		default:
			s.tenure.noteError(err)
			wait = s.lease.TTL / 10
		}
	}
}

// farewell is how long a session tries to reach its store after the context of its call has ended, and to release its lease. Glance is how long it tries
// the latter once its tenure is over.
const (
	farewell = 5 * time.Second
	glance   = time.Second
)

// patience returns the context of calls of the store: it ends with the lease, after the time of a lease, or a while after the context of
// the session's call.
func (s *session) patience() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(s.life, s.lease.TTL)
	stop := context.AfterFunc(s.caller, func() {
		select {
		case <-time.After(farewell):
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() { stop(); cancel() }
}
