package feed

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
)

// numbers takes all that waits, and returns the numbers of the events; negative ones are of news, and 0 is a cut.
func numbers(s *Subscription) (list []int, most int) {
	for {
		items, state := s.Take(nil)
		most = max(most, len(items))
		for _, i := range items {
			switch {
			case i.Cut:
				list = append(list, 0)
			case i.Live:
				list = append(list, i.Event.N)
			default:
				list = append(list, -int(i.Seq))
			}
		}
		if !state.More {
			return list, most
		}
	}
}

// TestSlow holds that a thread keeps a bounded number of items for subscribers that take nothing, that these learn what they have missed, and that the others
// get everything.
func TestSlow(t *testing.T) {
	var h Hub
	h.Begin("t")
	slow, fast := h.Subscribe("t"), h.Subscribe("t")
	defer slow.Close()
	defer fast.Close()
	const events = 3 * limit
	seen := 0
	for n := 1; n <= events; n++ {
		if h.Publish("t", uint64(n/100), graphgen.Event{N: n}); n%100 == 99 {
			h.Saved("t", uint64(n/100+1))
		}
		list, _ := numbers(fast)
		for _, got := range list {
			if got > 0 {
				if seen++; got != seen {
					t.Fatalf("event %d is %d", seen, got)
				}
			}
		}
		if kept := len(h.threads["t"].items); kept > limit {
			t.Fatalf("%d items are kept", kept)
		}
	}
	items, state := slow.Take(nil)
	if len(items) > batch+1 || !items[0].Cut || !state.More {
		t.Fatalf("there are %d items, the first is %+v", len(items), items[0])
	}
	list, most := numbers(slow)
	if most > batch || len(list) > limit || list[len(list)-1] != events {
		t.Errorf("there are %d items, at most %d together, the last is %d", len(list), most, list[len(list)-1])
	}
	after := 0
	for _, i := range items[1:] {
		if i.Live {
			after = i.Event.N
			break
		}
	}
	if first := uint64(after / 100); items[0].Seq != first {
		t.Errorf("the cut is after record %d, before event %d", items[0].Seq, after)
	}
	h.Saved("t", events)
	if kept := len(h.threads["t"].items); kept > 200 {
		t.Errorf("%d items are kept that everybody has", kept)
	}
}

// TestRecent holds that a subscriber that begins during a step gets its events alone, and none of a run that has ended.
func TestRecent(t *testing.T) {
	var h Hub
	h.Begin("t")
	waits := h.Subscribe("t") // so that nothing is removed
	h.Publish("t", 0, graphgen.Event{N: 1})
	h.Saved("t", 1)
	h.Publish("t", 1, graphgen.Event{N: 2})
	h.Publish("t", 1, graphgen.Event{N: 3})
	wants := func(want ...int) {
		t.Helper()
		s := h.Subscribe("t")
		defer s.Close()
		if got, _ := numbers(s); !slices.Equal(got, want) {
			t.Errorf("it gets %v, want %v", got, want)
		}
	}
	wants(2, 3)
	h.Saved("t", 2)
	wants()
	h.Publish("t", 2, graphgen.Event{N: 4})
	wants(4)
	h.End("t")
	wants()
	h.Begin("t")
	wants()
	h.Publish("t", 2, graphgen.Event{N: 5})
	wants(5)
	if got, _ := numbers(waits); !slices.Equal(got, []int{1, -1, 2, 3, -2, 4, 5}) {
		t.Errorf("the first one gets %v", got)
	}
	h.End("t")
	if waits.Close(); len(h.threads) > 0 {
		t.Error("the thread is kept")
	}
}

// TestCrowd holds that many subscribers are woken once for what comes together, and that none misses it.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Hub
		var woken, taken atomic.Int64
		h.Begin("t")
		end := make(chan struct{})
		for range 10 * crowd {
			s := h.Subscribe("t")
			go func() {
				defer s.Close()
				for {
					select {
					case <-s.Wake():
						woken.Add(1)
						items, _ := s.Take(nil)
						taken.Add(int64(len(items)))
					case <-end:
						return
					}
				}
			}()
		}
		synctest.Wait()
		for round := range int64(3) {
			for n := range 5 {
				h.Publish("t", 0, graphgen.Event{N: n})
				synctest.Wait()
			}
			time.Sleep(10 * crowd * pace)
			synctest.Wait()
			if w, n := woken.Load(), taken.Load(); w != (round+1)*10*crowd || n != 5*w {
				t.Errorf("after round %d: woken %d times, with %d items", round, w, n)
			}
		}
		close(end)
		synctest.Wait()
	})
}

// TestForms holds that each form is made once for a key.
func TestForms(t *testing.T) {
	var f Forms
	made := 0
	for _, key := range []string{"a", "b", "a", "b"} {
		data, err := f.Of(key, func() ([]byte, error) { made++; return []byte(key), nil })
		if string(data) != key || err != nil {
			t.Errorf("the form of %s is %s, %v", key, data, err)
		}
	}
	if made != 2 {
		t.Errorf("%d are made", made)
	}
}

// TestNextRun holds that what a run has saved is known with its items, also where the next run begins before they are taken, and that no item is kept
// after a run that all have.
func TestNextRun(t *testing.T) {
	var h Hub
	s := h.Subscribe("t")
	defer s.Close()
	h.Begin("t")
	h.Publish("t", 5, graphgen.Event{N: 1})
	h.Saved("t", 5)
	h.End("t")
	h.Begin("t")
	if items, state := s.Take(nil); len(items) != 2 || state.Saved != 5 || !state.Running {
		t.Errorf("%d items, and %+v", len(items), state)
	}
	if _, state := s.Take(nil); state.Saved != 0 {
		t.Errorf("the next run has saved record %d", state.Saved)
	}
	h.Saved("t", 6)
	h.End("t")
	if _, state := s.Take(nil); state.More || len(h.threads["t"].items) > 0 {
		t.Errorf("%d items are kept", len(h.threads["t"].items))
	}
}
