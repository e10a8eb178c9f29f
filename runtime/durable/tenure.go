package durable

import (
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
