package durable

import (
	"context"
	"sync"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A tenure is the time for which a session knows that it has its lease. It is counted by the monotonic clock of this process, from
// before the last call that the store has acknowledged: so it ends before another process can get the thread, whatever the time of
// the store's clock is.
type tenure struct {
	mu    sync.Mutex
	ttl   time.Duration
	end   time.Time
	err   error // of the last call that it did not acknowledge
	timer *time.Timer
}

// begin begins the tenure of a lease that was requested at a time.
func (t *tenure) begin(asked time.Time, l thread.Lease) { t.ttl, t.end = l.TTL, asked.Add(l.TTL) }

// extend notes that the store has acknowledged a call that began at a time: from then on the lease has its whole time again.
func (t *tenure) extend(asked time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if end := asked.Add(t.ttl); end.After(t.end) {
		t.end, t.err = end, nil
	}
}

// noteError notes the error of a call that the store did not acknowledge.
func (t *tenure) noteError(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

// watch calls ended once the tenure is over, with the last error of the store.
func (t *tenure) watch(ended func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = time.AfterFunc(time.Until(t.end), func() {
		if err, over := t.over(); over {
			ended(err)
		}
	})
}

// over reports whether the tenure is over, with the last error. If it is not, the timer continues.
func (t *tenure) over() (error, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := time.Until(t.end)
	if left > 0 && t.timer != nil {
		t.timer.Reset(left)
	}
	return t.err, left <= 0
}

// stop ends the watch, and returns how long the tenure would last.
func (t *tenure) stop() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	return time.Until(t.end)
}

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

// farewell is how long a session tries to reach its store after the context of its call has ended, and to release its lease.
const farewell = 5 * time.Second

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

// release gives the lease back, once.
func (s *session) release() { s.released.Do(s.leave) }

func (s *session) leave() {
	s.writer.settle() // an error is the session's
	left := min(s.tenure.stop(), farewell)
	s.end(nil)
	s.cancel(nil)
	if left > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), left)
		defer cancel()
		s.set.Store.Release(ctx, s.lease) // if it fails, the lease ends by its time
	}
	if s.hasRun() {
		s.hub.End(s.id)
	}
}
