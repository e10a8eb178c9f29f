package golden_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	journals "github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// A watchedStore counts how it is read, and can fail, wait, or damage a record.
type watchedStore struct {
	thread.Store
	looks, loads atomic.Int64
	fails        atomic.Bool
	damaged      atomic.Uint64               // a record that is read with other data
	reads        func(context.Context) error // before each look; nil: nothing
}

var errAway = errors.New("the store is away")

func (s *watchedStore) Load(ctx context.Context, id string, at uint64) (thread.Head, []thread.Record, error) {
	s.loads.Add(1)
	return s.Store.Load(ctx, id, at)
}

func (s *watchedStore) History(ctx context.Context, id string, after uint64, limit int) ([]thread.Record, error) {
	s.looks.Add(1)
	if s.fails.Load() {
		return nil, errAway
	}
	if s.reads != nil {
		if err := s.reads(ctx); err != nil {
			return nil, err
		}
	}
	records, err := s.Store.History(ctx, id, after, limit)
	for i := range records {
		if records[i].Seq == s.damaged.Load() {
			records[i].Data = []byte(`{"before":"another"}`)
		}
	}
	return records, err
}

// A watch notes what it yields.
type watch struct {
	mu    sync.Mutex
	steps []uint64
	order string // of steps and the beginnings of nodes
	err   error
	late  time.Duration // the longest time from a record to its step, after the first one
	done  chan struct{}
}

// watches begins a watch, which calls at before it takes a step.
func watches(ctx context.Context, m *journals.Journal, after thread.After, at func(seq uint64)) *watch {
	w := &watch{done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for e, err := range m.Thread("t").Watch(ctx, after) {
			if at != nil && e.Seq > 0 {
				at(e.Seq)
			}
			w.mu.Lock()
			switch {
			case err != nil:
				w.err = err
			case e.Seq > 0:
				if e.Seq > 1 {
					w.late = max(w.late, time.Since(e.Saved.Time))
				}
				w.steps = append(w.steps, e.Seq)
				w.order += fmt.Sprint(e.Seq, " ")
			case e.Live.Kind == graphgen.NodeStart:
				w.order += e.Live.Node + " "
			}
			w.mu.Unlock()
			if e.Saved.Ended != "" {
				return
			}
		}
	}()
	return w
}

// count returns how many steps the watch has yielded.
func (w *watch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.steps)
}

// wants compares the steps that a watch has yielded.
func (w *watch) wants(t *testing.T, from, through uint64) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, seq := range w.steps {
		if seq != from+uint64(i) {
			t.Fatalf("step %d is %d, of %d: %v", i, seq, from, w.steps)
		}
	}
	if n := uint64(len(w.steps)); n != through-from+1 {
		t.Errorf("there are %d steps, want %d to %d, with the error %v", n, from, through, w.err)
	}
}

// everySecond is a page that takes a second.
func everySecond(ctx context.Context) (string, error) {
	select {
	case <-time.After(time.Second):
		return "page", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// starts begins a run of a number of pages.
func starts(t *testing.T, m *journals.Journal, pages int) {
	go func() {
		if _, err := m.Thread("t").Start(t.Context(), journals.JournalInput{Most: pages}); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	}()
}

// TestWatchersShare holds that those who watch a thread in a process read the store together, whether its run is in this process or in another one, and that
// each gets every step in time, with the events at their places.
func TestWatchersShare(t *testing.T) {
	const crowd, pages = 100, 50
	for name, here := range map[string]bool{"a run of this process": true, "a run of another one": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &watchedStore{Store: thread.NewMemory()}
				m := newJournal(t, everySecond, thread.Settings{Store: store, Feed: new(thread.Feed)})
				worker := m
				if !here {
					worker = newJournal(t, everySecond, thread.Settings{Store: store})
				}
				starts(t, worker, pages)
				synctest.Wait()
				var list []*watch
				for range crowd {
					list = append(list, watches(t.Context(), m, thread.After{}, nil))
					time.Sleep(3 * time.Millisecond) // they look at different times
				}
				synctest.Wait()
				begun := store.looks.Load()
				for _, w := range list {
					<-w.done
					w.wants(t, 1, pages+1)
					if w.order != list[0].order || here != strings.Contains(w.order, "write 2 ") || w.late > thread.DefaultEvery+time.Millisecond {
						t.Errorf("a watch has %s, %v late\nanother has %s", w.order, w.late, list[0].order)
					}
				}
				most := int64(pages + 5)
				if !here {
					most = 2*pages*int64(time.Second/thread.DefaultEvery) + 5
				}
				if looks := store.looks.Load() - begun; looks > most {
					t.Errorf("%d watches of %d steps make %d looks, want at most %d", crowd, pages, looks, most)
				}
			})
		})
	}
}

// TestWatchSlowAmongMany holds that a slow watch keeps no other waiting. It reads from the store what it has missed, and shares the reading again then.
func TestWatchSlowAmongMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 600
		store := &watchedStore{Store: thread.NewMemory()}
		m := newJournal(t, everySecond, thread.Settings{Store: store, Feed: new(thread.Feed)})
		starts(t, m, pages)
		synctest.Wait()
		fast := watches(t.Context(), m, thread.After{}, nil)
		slow := watches(t.Context(), m, thread.After{}, func(seq uint64) {
			if seq == 3 {
				time.Sleep(pages / 2 * time.Second)
			}
		})
		time.Sleep(pages/2*time.Second + time.Millisecond)
		fast.wants(t, 1, pages/2+1)
		slow.wants(t, 1, 2)
		if loads := store.loads.Load(); loads != 0 {
			t.Errorf("there are %d loads", loads)
		}
		time.Sleep(3 * time.Second)
		slow.wants(t, 1, pages/2+4)
		loads, looks := store.loads.Load(), store.looks.Load()
		<-fast.done
		<-slow.done
		fast.wants(t, 1, pages+1)
		slow.wants(t, 1, pages+1)
		if more := store.looks.Load() - looks; loads != 1 || store.loads.Load() != 1 || more > pages/2 {
			t.Errorf("there are %d and %d loads, and %d looks after them", loads, store.loads.Load(), more)
		}
	})
}

// TestWatchLate holds that watches that begin at any step while others watch get exactly what follows.
func TestWatchLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 20
		store := &watchedStore{Store: thread.NewMemory()}
		m := newJournal(t, everySecond, thread.Settings{Store: store, Feed: new(thread.Feed), Snapshot: 500})
		starts(t, m, pages)
		synctest.Wait()
		list := map[*watch]uint64{}
		for now := range uint64(pages) {
			for _, after := range []uint64{0, now / 2, now, now + 1} {
				list[watches(t.Context(), m, thread.After{Seq: after}, nil)] = after
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		for w, after := range list {
			<-w.done
			w.wants(t, after+1, pages+1)
			if w.err != nil {
				t.Error(w.err)
			}
		}
	})
}

// TestWatchAgain holds that a watch of a thread that was deleted and made again gets the steps of the new one, and a watch of the one before none of these.
func TestWatchAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &watchedStore{Store: thread.NewMemory()}
		m := newJournal(t, page, thread.Settings{Store: store, Feed: new(thread.Feed)})
		if _, err := m.Thread("t").Start(t.Context(), journals.JournalInput{Basis: "one", Most: 3}); err != nil {
			t.Fatal(err)
		}
		var old []*watch
		stay, gone := context.WithCancel(t.Context())
		defer gone()
		for range 2 {
			w := &watch{done: make(chan struct{})}
			go func() {
				defer close(w.done)
				for e, err := range m.Thread("t").Watch(stay, thread.After{Stay: true, Every: time.Hour}) {
					if err != nil {
						w.err = err
						return
					}
					if e.Seq > 0 {
						w.steps = append(w.steps, e.Seq)
					}
				}
			}()
			old = append(old, w)
			synctest.Wait()
		}
		if err := store.Delete(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		deleted := time.Now()
		starts(t, newJournal(t, everySecond, thread.Settings{Store: store}), 5) // its first records have numbers of the old one
		for range 2 {
			time.Sleep(1500 * time.Millisecond)
			count := 0
			for e, err := range m.Thread("t").Watch(t.Context(), thread.After{}) {
				if err != nil {
					t.Fatal(err)
				}
				if count++; e.Seq != uint64(count) || e.Saved.Time.Before(deleted) {
					t.Errorf("step %d is %d, of %v before", count, e.Seq, deleted.Sub(e.Saved.Time))
				}
			}
			if count != 6 {
				t.Errorf("there are %d steps", count)
			}
		}
		time.Sleep(2 * time.Hour)
		for _, w := range old {
			<-w.done
			w.wants(t, 1, 4)
			if _, ok := errors.AsType[*thread.StoreError](w.err); !ok {
				t.Errorf("a watch of the thread that is deleted ends with %v", w.err)
			}
		}
	})
}

// TestWatchCancelled holds that others read on when the watch that reads the store for all of them ends meanwhile, and that those who wait for it can end.
func TestWatchCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const crowd, pages = 10, 10
		var cut atomic.Bool
		store := &watchedStore{Store: thread.NewMemory()}
		store.reads = func(ctx context.Context) error {
			if !cut.CompareAndSwap(true, false) {
				return nil
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}
		m := newJournal(t, everySecond, thread.Settings{Store: store, Feed: new(thread.Feed)})
		starts(t, m, pages)
		synctest.Wait()
		var list []*watch
		var cancels []context.CancelFunc
		for range crowd {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			list, cancels = append(list, watches(ctx, m, thread.After{}, nil)), append(cancels, cancel)
		}
		synctest.Wait()
		cut.Store(true)
		time.Sleep(1500 * time.Millisecond) // one reads, the others wait for it
		ended, left := 0, 0
		for i, w := range list {
			if cut.Load() {
				t.Fatal("nobody has read")
			}
			if i == crowd-1 { // the last one reads: another one has to come
				list = append(list, watches(t.Context(), m, thread.After{}, nil))
				synctest.Wait()
			}
			cancels[i]()
			synctest.Wait()
			select {
			case <-w.done:
			default:
				t.Error("a watch that is cancelled does not end")
			}
			ended++
			if list[crowd-1].count() > 1 {
				break // that was the one
			}
		}
		for _, w := range list[ended:] {
			<-w.done
			w.wants(t, 1, pages+1)
			left++
		}
		if t.Logf("%d are cancelled, %d get everything", ended, left); left == 0 {
			t.Error("nobody is left")
		}
	})
}

// TestWatchFails holds that an error of the store reaches all who watch, and so does a record that is damaged, after the steps before it.
func TestWatchFails(t *testing.T) {
	for name, row := range map[string]struct {
		damaged uint64 // a record
		here    bool   // the run is in this process
	}{"the store is away": {0, true}, "the store of another process's run is away": {0, false}, "a record is damaged": {5, true}} {
		damaged := row.damaged
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &watchedStore{Store: thread.NewMemory()}
				m := newJournal(t, everySecond, thread.Settings{Store: store, Feed: new(thread.Feed)})
				worker := m
				if !row.here {
					worker = newJournal(t, everySecond, thread.Settings{Store: store})
				}
				starts(t, worker, 8)
				synctest.Wait()
				var list []*watch
				for range 10 {
					list = append(list, watches(t.Context(), m, thread.After{}, nil))
				}
				time.Sleep(3800 * time.Millisecond)
				store.fails.Store(damaged == 0)
				store.damaged.Store(damaged)
				looks, began := store.looks.Load(), time.Now()
				for _, w := range list {
					<-w.done
					if late := time.Since(began); late > 2*time.Second {
						t.Errorf("a watch ends after %v", late)
					}
					w.wants(t, 1, 4)
					_, broken := errors.AsType[*thread.StoreError](w.err)
					if is := errors.Is(w.err, errAway); is == broken || broken != (damaged > 0) {
						t.Errorf("a watch ends with %v", w.err)
					}
				}
				if looks = store.looks.Load() - looks; damaged > 0 && looks > 2 {
					t.Errorf("the record is read %d times", looks)
				}
				synctest.Wait()
				store.fails.Store(false)
				store.damaged.Store(0)
				again := watches(t.Context(), m, thread.After{Seq: 4}, nil)
				<-again.done
				again.wants(t, 5, 9)
			})
		})
	}
}

// TestWatchBehindAnother holds that a slow watch, which has to read the store again, notices that the thread was made again meanwhile.
func TestWatchBehindAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		m := newJournal(t, everySecond, thread.Settings{Store: store, Feed: new(thread.Feed)})
		starts(t, m, 300)
		synctest.Wait()
		fast := watches(t.Context(), m, thread.After{}, nil)
		held := make(chan struct{})
		slow := watches(t.Context(), m, thread.After{}, func(seq uint64) {
			if seq == 3 {
				<-held
			}
		})
		<-fast.done
		fast.wants(t, 1, 301)
		time.Sleep(time.Minute) // its lease is given back
		if err := store.Delete(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		starts(t, newJournal(t, everySecond, thread.Settings{Store: store}), 200) // another input: other records
		time.Sleep(time.Hour)
		close(held)
		<-slow.done
		slow.wants(t, 1, 3)
		if _, ok := errors.AsType[*thread.StoreError](slow.err); !ok {
			t.Errorf("the slow watch ends with %v", slow.err)
		}
	})
}

// TestWatchWokenInVain holds that a watch looks at the store in time although others, which read for themselves, wake it more often.
func TestWatchWokenInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, together := thread.NewMemory(), new(thread.Feed)
		often := newJournal(t, everySecond, thread.Settings{Store: store, Feed: together})
		seldom := newJournal(t, everySecond, thread.Settings{Store: store, Feed: together})
		starts(t, newJournal(t, func(ctx context.Context) (string, error) {
			time.Sleep(200 * time.Millisecond)
			return "page", ctx.Err()
		}, thread.Settings{Store: store}), 30)
		synctest.Wait()
		first := watches(t.Context(), often, thread.After{Every: 50 * time.Millisecond}, nil)
		second := watches(t.Context(), seldom, thread.After{Every: 500 * time.Millisecond}, nil)
		<-first.done
		<-second.done
		first.wants(t, 1, 31)
		second.wants(t, 1, 31)
		if second.late > 600*time.Millisecond {
			t.Errorf("a step is %v late", second.late)
		}
	})
}
