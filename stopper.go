package graphgen

import (
	"sync"
	"sync/atomic"
)

// A Stopper stops runs from outside: the run ends before its next node, with the reason
// stopped. Nothing is retried then: no node, and no model call of chat.Retry or
// chat.Fallback. The zero Stopper is ready; it may be shared by runs and by goroutines.
type Stopper struct {
	requested atomic.Bool

	mu      sync.Mutex
	waiting map[chan<- struct{}]bool // runs that wait before they try something again
}

// Stop requests the stop. It ends a wait for a retry immediately.
func (s *Stopper) Stop() {
	s.requested.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for woken := range s.waiting {
		select {
		case woken <- struct{}{}:
		default: // by another Stopper
		}
	}
}

// Requested reports whether Stop was called.
func (s *Stopper) Requested() bool { return s.requested.Load() }

// Notify makes Stop send to a channel, which needs room for one value: Stop does not wait for a
// receiver. The returned function ends that.
func (s *Stopper) Notify(woken chan<- struct{}) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[chan<- struct{}]bool{}
	}
	s.waiting[woken] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.waiting, woken)
	}
}

// WithStopper lets s stop the run.
func WithStopper(s *Stopper) Option {
	if s == nil {
		return Invalid("graphgen.WithStopper", isNil)
	}
	return always(func(o *settings) { o.Stopper = s })
}
