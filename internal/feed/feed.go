// Package feed passes on what runs in threads do in this process to those who watch the threads there.
package feed

import (
	"slices"
	"sync"

	"github.com/graphgen/graphgen"
)

// limit is how many events wait for a subscriber. What is more is left out: a run never waits for those who watch it.
const limit = 4096

// A Hub connects runs with subscribers. The zero Hub is ready. A nil Hub has neither.
type Hub struct {
	mu      sync.Mutex
	threads map[string]*topic
}

// A topic is a thread that runs here, or that is watched.
type topic struct {
	runs        int
	recent      []Item // the events after the last record that is saved, for a watcher that begins during a step
	subscribers map[*Subscription]bool
}

// An Item is what a subscriber gets: an event of a run, or the news that records are saved.
type Item struct {
	Event graphgen.Event
	Live  bool   // it is an event
	Seq   uint64 // of the last record that is saved; of an event: of the last record that was made before it
	Cut   bool   // events before this item were left out
}

// A Subscription is the subscription of one watcher to one thread.
type Subscription struct {
	hub    *Hub
	thread string
	items  []Item
	wake   chan struct{}
}

// Begin notes that this process has the lease of a thread.
func (h *Hub) Begin(thread string) { h.count(thread, 1) }

// End notes that it has given the lease back.
func (h *Hub) End(thread string) { h.count(thread, -1) }

func (h *Hub) count(thread string, n int) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(thread)
	if t.runs += n; t.runs == 0 {
		t.recent = nil
	}
	for s := range t.subscribers {
		s.wakes()
	}
	h.tidy(thread, t)
}

// Saved notes that a record is in the store.
func (h *Hub) Saved(thread string, seq uint64) { h.pass(thread, Item{Seq: seq}) }

// Publish passes on an event of a run. Seq is the number of the last record that was made before it.
func (h *Hub) Publish(thread string, seq uint64, e graphgen.Event) {
	h.pass(thread, Item{Event: e, Live: true, Seq: seq})
}

func (h *Hub) pass(thread string, i Item) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.threads[thread]; t != nil {
		t.remember(i)
		for s := range t.subscribers {
			s.put(i)
		}
	}
}

// remember keeps an event until the next record is saved. Of too many, none is kept.
func (t *topic) remember(i Item) {
	switch {
	case !i.Live:
		t.recent = slices.DeleteFunc(t.recent, func(r Item) bool { return r.Seq < i.Seq })
	case len(t.recent) >= limit:
		t.recent = nil
	default:
		t.recent = append(t.recent, i)
	}
}

// Subscribe begins a subscription, with the events after the last record that is saved.
func (h *Hub) Subscribe(thread string) *Subscription {
	s := &Subscription{hub: h, thread: thread, wake: make(chan struct{}, 1)}
	if h == nil {
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(thread)
	t.subscribers[s], s.items = true, slices.Clone(t.recent)
	return s
}

// Close ends the subscription.
func (s *Subscription) Close() {
	h := s.hub
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(s.thread)
	delete(t.subscribers, s)
	h.tidy(s.thread, t)
}

// Take returns the items that wait, and whether this process has the thread.
func (s *Subscription) Take() (items []Item, running bool) {
	h := s.hub
	if h == nil {
		return nil, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	items, s.items = s.items, nil
	return items, h.topic(s.thread).runs > 0
}

// Quiet reports whether this process does not have the thread, and no items wait.
func (s *Subscription) Quiet() bool {
	h := s.hub
	if h == nil {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(s.items) == 0 && h.topic(s.thread).runs == 0
}

// Wake has a value when there is more to take.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

func (s *Subscription) put(i Item) {
	if len(s.items) >= limit {
		last := Item{Cut: true}
		for _, waiting := range s.items {
			if !waiting.Live {
				last.Seq = max(last.Seq, waiting.Seq)
			}
		}
		s.items = append(s.items[:0], last)
	}
	s.items = append(s.items, i)
	s.wakes()
}

func (s *Subscription) wakes() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// topic returns the topic of a thread, to be changed.
func (h *Hub) topic(thread string) *topic {
	t := h.threads[thread]
	if t == nil {
		if h.threads == nil {
			h.threads = map[string]*topic{}
		}
		t = &topic{subscribers: map[*Subscription]bool{}}
		h.threads[thread] = t
	}
	return t
}

// tidy removes a topic without runs and subscribers.
func (h *Hub) tidy(thread string, t *topic) {
	if t.runs == 0 && len(t.subscribers) == 0 {
		delete(h.threads, thread)
	}
}
