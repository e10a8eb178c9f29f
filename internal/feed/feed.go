// Package feed passes on what runs in threads do in this process to those who watch the threads there.
package feed

import (
	"slices"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
)

const (
	// limit is how many items a thread keeps for subscribers that are slow. What is more is left out: a run never waits for those who watch it.
	limit = 4096
	// batch is how many items a subscriber has at a time, besides those that all share.
	batch = 64
	// crowd is how many subscribers of a thread are each woken when there is something. More of them wait for what follows within a pace for each, and
	// within patience.
	crowd    = 64
	pace     = 5 * time.Microsecond
	patience = time.Millisecond
)

// A Hub connects runs with subscribers. The zero Hub is ready. A nil Hub has neither.
type Hub struct {
	mu      sync.Mutex
	threads map[string]*topic
}

// A topic is a thread that runs here, or that is watched.
type topic struct {
	runs        int
	changes     uint64  // how often runs has changed
	begun       uint64  // the number of the first item of these runs
	saved       uint64  // the last record that they have saved; 0: none is yet
	before      uint64  // the last record that the runs before them have saved
	first       uint64  // the number of the first item
	items       []*Item // that a subscriber waits for, or that are after the last record that is saved: for one that begins during a step
	cut         uint64  // the last record that is saved by the news before the items
	subscribers map[*Subscription]bool
	waking      bool        // they are about to be woken
	shared      map[any]any // what the subscribers share
}

// An Item is what a subscriber gets: an event of a run, or the news that records are saved. All subscribers get the same one.
type Item struct {
	Event graphgen.Event
	Live  bool   // it is an event
	Seq   uint64 // of the last record that is saved; of an event: of the last record that was made before it
	Cut   bool   // events before this item were left out
	Forms Forms
}

// A Subscription is the subscription of one watcher to one thread.
type Subscription struct {
	hub    *Hub
	thread string
	next   uint64 // the number of the item that it gets next
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
	if t.runs += n; t.runs == 0 || n == t.runs {
		if t.saved > 0 {
			t.before = t.saved
		}
		t.saved, t.begun = 0, t.end()
	}
	t.changes++
	t.trim()
	h.wakes(t)
	h.tidy(thread, t)
}

// Saved notes that a record is in the store.
func (h *Hub) Saved(thread string, seq uint64) { h.pass(thread, &Item{Seq: seq}) }

// Publish passes on an event of a run. Seq is the number of the last record that was made before it.
func (h *Hub) Publish(thread string, seq uint64, e graphgen.Event) {
	h.pass(thread, &Item{Event: e, Live: true, Seq: seq})
}

func (h *Hub) pass(thread string, i *Item) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.threads[thread]
	if t == nil {
		return
	}
	if !i.Live {
		t.saved = i.Seq
	}
	t.items = append(t.items, i)
	t.trim()
	h.wakes(t)
}

// end returns the number of the item that comes next.
func (t *topic) end() uint64 { return t.first + uint64(len(t.items)) }

// trim removes the items that no subscriber waits for and that are not after the last record that is saved; of too many, the first half.
func (t *topic) trim() {
	least := t.end()
	for s := range t.subscribers {
		least = min(least, s.next)
	}
	least = t.recent(least)
	n := 0
	if least > t.first {
		n = int(least - t.first)
	}
	if len(t.items)-n > limit {
		n = len(t.items) - limit/2
	}
	for _, i := range t.items[:n] {
		if !i.Live {
			t.cut = i.Seq
		}
	}
	clear(t.items[:n])
	t.items, t.first = t.items[n:], t.first+uint64(n)
}

// recent returns the number of the first event of the runs after the last record that they have saved, and before an item; without one, the number of
// that item.
func (t *topic) recent(before uint64) uint64 {
	for n := max(t.first, t.begun); n < before; n++ {
		if i := t.items[n-t.first]; i.Live && i.Seq >= t.saved {
			return n
		}
	}
	return before
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
	t.subscribers[s], s.next = true, t.recent(t.end())
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
	if delete(t.subscribers, s); len(t.subscribers) == 0 {
		t.shared = nil
	}
	t.trim()
	h.tidy(s.thread, t)
}

// Take appends items that wait, and reports what this process does with the thread. Of many, some are left.
func (s *Subscription) Take(items []*Item) ([]*Item, State) {
	h := s.hub
	if h == nil {
		return items, State{}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(s.thread)
	if s.next < t.first {
		items = append(items, &Item{Seq: t.cut, Cut: true})
		s.next = t.first
	}
	state := State{Running: t.runs > 0, Saved: t.saved, Changes: t.changes}
	if s.next < t.begun { // items of the runs before
		state.Saved = max(t.saved, t.before)
	}
	k := int(s.next - t.first)
	more := t.items[k:min(len(t.items), k+max(0, batch-len(items)))]
	items, s.next = append(items, more...), s.next+uint64(len(more))
	state.More = s.next < t.end()
	if t.runs == 0 && len(t.items) > 0 && !t.lags() { // no news would remove the last ones
		t.trim()
	}
	return items, state
}

// lags reports whether a subscriber has items to take.
func (t *topic) lags() bool {
	for s := range t.subscribers {
		if s.next < t.end() {
			return true
		}
	}
	return false
}

// A State is what a process does with a thread.
type State struct {
	Running bool   // it has the thread
	Saved   uint64 // the last record that it has saved; 0: none
	Changes uint64 // how often it has begun or ended to have it
	More    bool   // further items wait
}

// Quiet reports whether this process does not have the thread, and no items wait.
func (s *Subscription) Quiet() bool {
	h := s.hub
	if h == nil {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(s.thread)
	return s.next == t.end() && t.runs == 0
}

// Wake has a value when there is more to take.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// WakeOthers wakes the other subscribers of the thread.
func (s *Subscription) WakeOthers() {
	h := s.hub
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for other := range h.topic(s.thread).subscribers {
		if other != s {
			other.wakes()
		}
	}
}

// Share returns what the subscribers of the thread share by a key, which is of a type of the caller; if there is nothing yet, or what there is equals
// instead of, it becomes own. It is kept until the last of them has closed its subscription. Without a Hub, each has its own.
func (s *Subscription) Share(key, own, insteadOf any) any {
	h := s.hub
	if h == nil {
		return own
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(s.thread)
	if has := t.shared[key]; has != nil && has != insteadOf {
		return has
	}
	if t.shared == nil {
		t.shared = map[any]any{}
	}
	t.shared[key] = own
	return own
}

// wakes wakes the subscribers of a thread. To wake a crowd takes longer than a step: it is not woken for each of a few events.
func (h *Hub) wakes(t *topic) {
	switch n := len(t.subscribers); {
	case t.waking:
	case n <= crowd:
		t.wakes()
	default:
		t.waking = true
		time.AfterFunc(min(time.Duration(n)*pace, patience), func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			t.waking = false
			t.wakes()
		})
	}
}

func (t *topic) wakes() {
	for s := range t.subscribers {
		s.wakes()
	}
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

// Forms are what is made of an item or a step for those who pass it on: each is made once. The zero Forms is ready.
type Forms struct {
	mu   sync.Mutex
	list []form
}

type form struct {
	key  any
	data []byte
	err  error
}

// Of returns the form with a key. The first call makes it by fn. The bytes must not be changed.
func (f *Forms) Of(key any, fn func() ([]byte, error)) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.IndexFunc(f.list, func(o form) bool { return o.key == key })
	if at < 0 {
		data, err := fn()
		at, f.list = len(f.list), append(f.list, form{key, data, err})
	}
	return f.list[at].data, f.list[at].err
}
