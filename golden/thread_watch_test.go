package golden_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/carry"
	journals "github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// TestWatch holds that a watch that begins behind any step yields exactly those that follow, on stores of memory and of files, also
// where the log has snapshots.
func TestWatch(t *testing.T) {
	for name, set := range map[string]thread.Settings{"every step": {}, "snapshots alone": {Snapshot: 1},
		"at pauses": {Mode: thread.AtPauses}, "async": {Mode: thread.Async}} {
		t.Run(name, func(t *testing.T) {
			store, err := filestore.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			set.Store = store
			m, err := pauses.NewRounds(roundsWork{new(ledger)}, thread.With(set))
			if err != nil {
				t.Fatal(err)
			}
			live(t, func() survivor { return roundsThread(m, "t") }, personal)
			want := historyOf(t, store, "t", 0)
			for after := range len(want) + 1 {
				var got []string
				for e, err := range m.Thread("t").Watch(t.Context(), thread.After{Seq: uint64(after)}) {
					if err != nil || e.Seq != e.Saved.Seq || e.Seq != uint64(after+len(got)+1) {
						t.Fatalf("behind %d event %d is %d, %v", after, len(got), e.Seq, err)
					}
					got = append(got, lineOf(e.Saved))
				}
				sameLines(t, got, want[after:])
			}
		})
	}
}

// A countingStore counts the looks at a thread.
type countingStore struct {
	thread.Store
	looks atomic.Int64
}

func (s *countingStore) History(ctx context.Context, id string, after uint64, limit int) ([]thread.Record, error) {
	s.looks.Add(1)
	return s.Store.History(ctx, id, after, limit)
}

// TestWatchAcross holds that a watch of another machine on the store follows a run as it is saved, by looks at the store, waits while its
// process is gone, and ends with it.
func TestWatchAcross(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &countingStore{Store: thread.NewMemory()}
		page := func(ctx context.Context) (string, error) {
			select {
			case <-time.After(time.Second):
				return "page", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		worker := newJournal(t, page, thread.Settings{Store: store, Feed: new(thread.Feed)})
		reader := newJournal(t, page, thread.Settings{Store: store})
		began := time.Now()
		go func() {
			ctx, end := context.WithTimeout(t.Context(), 2500*time.Millisecond)
			defer end()
			if _, err := worker.Thread("t").Start(ctx, journals.JournalInput{Most: 4}); err == nil {
				t.Error("the process did not end")
			}
			time.Sleep(20 * time.Second) // virtual: no process has the thread
			if _, err := worker.Thread("t").Recover(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		var seen []uint64
		for e, err := range reader.Thread("t").Watch(t.Context(), thread.After{Stay: true, Every: 100 * time.Millisecond}) {
			if err != nil || e.Seq == 0 {
				t.Fatalf("event %+v, %v", e, err)
			}
			if late := time.Since(began) - e.Saved.Time.Sub(began); late > 100*time.Millisecond {
				t.Errorf("step %d came %v late", e.Seq, late)
			}
			if seen = append(seen, e.Seq); e.Saved.Ended != "" {
				break
			}
		}
		if want := []uint64{1, 2, 3, 4, 5}; !slices.Equal(seen, want) {
			t.Errorf("the steps are %v, want %v", seen, want)
		}
		if looks := store.looks.Load(); looks < 200 || looks > 300 { // of 24.5 s
			t.Errorf("there are %d looks", looks)
		}
	})
}

// TestWatchLost holds that a watch follows a run that another process has taken over, also in the process of the handler that was under way and does not
// end, and that it gets no more events of that one.
func TestWatchLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		gone, feed := &deaf{Store: store}, new(thread.Feed)
		pages := 0
		m := newJournal(t, func(ctx context.Context) (string, error) {
			if pages++; pages == 2 {
				gone.deaf.Store(true) // it renews nothing
				<-ctx.Done()
				time.Sleep(time.Hour)
			}
			return "page", nil
		}, thread.Settings{Store: gone, Lease: time.Minute, Feed: feed})
		other := newJournal(t, page, thread.Settings{Store: store, Lease: time.Minute})
		var runs sync.WaitGroup
		defer runs.Wait()
		runs.Go(func() {
			if _, err := m.Thread("t").Start(t.Context(), journals.JournalInput{Most: 4}); err == nil {
				t.Error("the first process has not lost the thread")
			}
		})
		began := time.Now()
		runs.Go(func() {
			time.Sleep(2 * time.Minute)
			if _, err := other.Thread("t").Recover(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		ctx, end := context.WithTimeout(t.Context(), 2*time.Hour)
		defer end()
		var seen []uint64
		for e, err := range m.Thread("t").Watch(ctx, thread.After{Stay: true, Every: time.Second}) {
			if ctx.Err() != nil {
				break
			}
			if after := time.Since(began); err != nil || e.Seq == 0 && after > time.Minute || after > 3*time.Minute {
				t.Fatalf("event %+v comes after %v, %v", e, after, err)
			}
			if e.Seq > 0 {
				seen = append(seen, e.Seq)
			}
		}
		if want := []uint64{1, 2, 3, 4, 5}; !slices.Equal(seen, want) {
			t.Errorf("the steps are %v, want %v", seen, want)
		}
	})
}

// speaker is a model whose answer comes in pieces, one each second.
func speaker(pieces ...string) chat.Model {
	return chat.ModelFunc(func(_ context.Context, _ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		for _, p := range pieces {
			time.Sleep(time.Second)
			stream(chat.Delta{Text: p})
		}
		time.Sleep(time.Second)
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: strings.Join(pieces, "")}, Finish: chat.Stop}, nil
	})
}

// inBrief writes what a watch yields: steps by their nodes, and the pieces of answers.
func inBrief(e thread.Event) string {
	switch {
	case e.Seq == 0:
		return e.Live.Token().Text
	}
	var nodes []string
	for _, c := range e.Saved.Changes {
		nodes = append(nodes, c.Node)
	}
	return fmt.Sprintf("%d:%s%s", e.Seq, strings.Join(nodes, ","), e.Saved.Ended)
}

// TestWatchFeed holds that the pieces of an answer come between the steps where the process has a Feed, that a watch which begins in
// the midst of an answer gets all pieces of it, and that nothing is polled meanwhile.
func TestWatchFeed(t *testing.T) {
	for name, mode := range map[string]thread.Mode{"every step": thread.EveryStep, "async": thread.Async} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &countingStore{Store: thread.NewMemory()}
				m, err := carry.NewHelpdesk(new(counter), new(counter), speaker("One ", "two."),
					thread.With(thread.Settings{Store: store, Mode: mode, Seal: keys(t, "k"), Feed: new(thread.Feed)}))
				if err != nil {
					t.Fatal(err)
				}
				var watches [3]string
				follow := func(n int, after thread.After, runs int) {
					for e, err := range m.Thread("t").Watch(t.Context(), after) {
						if err != nil {
							t.Error(err)
						}
						if s := inBrief(e); s != "" {
							watches[n] += s + "|"
						}
						if e.Saved.Ended != "" {
							if runs--; runs == 0 {
								return
							}
						}
					}
				}
				go follow(0, thread.After{Stay: true}, 2)
				go func() {
					time.Sleep(1500 * time.Millisecond) // the first piece was sent
					follow(1, thread.After{}, 0)
				}()
				go func() {
					time.Sleep(1500 * time.Millisecond)
					follow(2, thread.After{Seq: 1, Stay: true}, 2)
				}()
				time.Sleep(time.Millisecond)
				for range 2 {
					if _, err := m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"}); err != nil {
						t.Error(err)
					}
					synctest.Wait()
				}
				whole := "1:|One |two.|2:|3:answer|4:countcompleted|5:|One |two.|6:|7:answer|8:countcompleted|"
				late := "One |two.|2:|3:answer|4:countcompleted|"
				for n, want := range []string{whole, "1:|" + late, late + "5:|One |two.|6:|7:answer|8:countcompleted|"} {
					if watches[n] != want {
						t.Errorf("watch %d has %s\nwant %s", n, watches[n], want)
					}
				}
				if looks := store.looks.Load(); looks > 30 {
					t.Errorf("there are %d looks", looks)
				}
			})
		})
	}
}

// TestWatchSlowly holds that a run does not wait for a loop that is slow, whose watch has all steps all the same.
func TestWatchSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pieces := slices.Repeat([]string{"x"}, 10_000)
		model := chat.ModelFunc(func(_ context.Context, _ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			for _, p := range pieces {
				stream(chat.Delta{Text: p})
			}
			return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}, Finish: chat.Stop}, nil
		})
		m, err := carry.NewHelpdesk(new(counter), new(counter), model,
			thread.With(thread.Settings{Store: thread.NewMemory(), Seal: keys(t, "k"), Feed: new(thread.Feed)}))
		if err != nil {
			t.Fatal(err)
		}
		began, ended := time.Now(), make(chan time.Time, 1)
		go func() {
			if _, err := m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"}); err != nil {
				t.Error(err)
			}
			ended <- time.Now()
		}()
		var steps []uint64
		tokens := 0
		for e, err := range m.Thread("t").Watch(t.Context(), thread.After{Stay: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if time.Sleep(time.Second); e.Seq > 0 {
				steps = append(steps, e.Seq)
			} else if e.Live.Kind == graphgen.Token {
				tokens++
			}
			if e.Saved.Ended != "" {
				break
			}
		}
		if took := (<-ended).Sub(began); took > 0 || !slices.Equal(steps, []uint64{1, 2, 3, 4}) || tokens > 5_000 {
			t.Errorf("the run took %v, the steps are %v, with %d pieces", took, steps, tokens)
		}
	})
}

// TestWatchKeepsPrivate holds that no step has the value of a field that is private or sealed, also within another run.
func TestWatchKeepsPrivate(t *testing.T) {
	d := new(counter)
	set := thread.Settings{Store: thread.NewMemory(), Seal: keys(t, "k")}
	inner := d.desk(t, set)
	m, err := carry.NewDesk(inner, thread.With(set))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thread("outer").Start(t.Context(), carry.DeskInput{Message: "card 1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := inner.Thread("inner").Start(t.Context(), carry.HelpdeskInput{Message: "card 1"}); err != nil {
		t.Fatal(err)
	}
	fields := func(watched iter.Seq2[thread.Event, error]) (names []string) {
		for e, err := range watched {
			names = append(names, written(t, e, err)...)
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	outer := fields(m.Thread("outer").Watch(t.Context(), thread.After{}))
	within := fields(inner.Thread("inner").Watch(t.Context(), thread.After{}))
	if want := []string{"/help/ reply", "/help/ turns", " replies", " reply", " turns"}; !slices.Equal(outer, sorted(want)) {
		t.Errorf("the fields are %q", outer)
	}
	if want := []string{" reply", " turns"}; !slices.Equal(within, want) {
		t.Errorf("the fields are %q", within)
	}
	history := ""
	for s, err := range durable.History(t.Context(), set.Store, "inner", 0) {
		if history += lineOf(s); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(history, `mark="marked"`) {
		t.Errorf("the history has no private field: %s", history)
	}
}

func sorted(list []string) []string { slices.Sort(list); return list }

// written returns the fields of a step, with the places of their runs.
func written(t *testing.T, e thread.Event, err error) (names []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Saved.Changes {
		for _, v := range c.Written {
			names = append(names, c.At+" "+v.Name)
		}
	}
	return names
}

// TestWatchGap holds that a watch does not pass over steps that were pruned, or that a thread never had, and how a watch ends.
func TestWatchGap(t *testing.T) {
	store := thread.NewMemory()
	m := newJournal(t, page, thread.Settings{Store: store, Snapshot: 1})
	if _, err := m.Thread("t").Start(t.Context(), journals.JournalInput{Most: 6}); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Prune(t.Context(), "t", 5); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	watch := func(id string, after thread.After) (seen []uint64, last error) {
		for e, err := range m.Thread(id).Watch(t.Context(), after) {
			if last = err; err == nil {
				seen = append(seen, e.Seq)
			}
		}
		return seen, last
	}
	for _, test := range []struct {
		after uint64
		seen  []uint64
		first uint64 // of the error
		fails bool
	}{
		{after: 0, seen: []uint64{5, 6, 7}}, // anew, with the state that there is
		{after: 1, first: 5, fails: true}, {after: 3, first: 5, fails: true},
		{after: 4, seen: []uint64{5, 6, 7}}, {after: 5, seen: []uint64{6, 7}}, {after: 7}, {after: 8, fails: true},
	} {
		seen, err := watch("t", thread.After{Seq: test.after})
		gap, fails := errors.AsType[*thread.GapError](err)
		if !slices.Equal(seen, test.seen) || fails != test.fails || fails && (gap.First != test.first || gap.After != test.after) {
			t.Errorf("behind %d: %v, %v", test.after, seen, err)
		}
	}
	if _, err := watch("none", thread.After{}); !isNotFound(err) {
		t.Errorf("without a thread: %v", err)
	}
	if _, err := watch("none", thread.After{Seq: 3, Stay: true}); !isNotFound(err) {
		t.Errorf("without a thread that had a step: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client is gone")
	cancel(gone)
	for _, err := range m.Thread("t").Watch(ctx, thread.After{Seq: 7, Stay: true}) {
		if !errors.Is(err, gone) {
			t.Errorf("the error is %v", err)
		}
	}
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*thread.NotFoundError](err)
	return ok
}

// TestThreadOfEvents holds that the events of a run in a thread have its name.
func TestThreadOfEvents(t *testing.T) {
	m := newJournal(t, page, thread.Settings{Store: thread.NewMemory()})
	started := graphgen.NewStream(t.Context(), func(ctx context.Context, events graphgen.Option) (journals.JournalOutput, error) {
		return m.Thread("t").Start(ctx, journals.JournalInput{Most: 2}, events)
	})
	for name, s := range map[string]*graphgen.Stream[journals.JournalOutput]{"t": started, "": m.Stream(t.Context(), journals.JournalInput{Most: 1})} {
		count := 0
		for e := range s.Events() {
			if count++; e.Run.Thread != name {
				t.Errorf("the event %v is of thread %q, want %q", e.Kind, e.Run.Thread, name)
			}
		}
		if _, err := s.Output(); err != nil || count == 0 {
			t.Errorf("thread %q has %d events, %v", name, count, err)
		}
	}
}
