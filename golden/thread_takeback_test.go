package golden_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/carry"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// A taker makes turns of a conversation, some of which end in their second node.
type taker struct {
	t     *testing.T
	store thread.Store
	d     *counter
	m     *carry.Helpdesk
}

func newTaker(t *testing.T, set thread.Settings) *taker {
	d := new(counter)
	return &taker{t, set.Store, d, d.desk(t, set)}
}

// completes makes a turn that completes, with so many turns before it that count.
func (k *taker) completes(before int, opts ...graphgen.RunOption) {
	k.t.Helper()
	k.d.fails = false
	out, err := k.m.Thread("t").Start(k.t.Context(), carry.HelpdeskInput{Message: "hello"}, opts...)
	if want := "shown " + strconv.Itoa(4*before+3); err != nil || out.Reply != want || out.Turns != before+1 {
		k.t.Errorf("the run ends with %+v, want %s, %v", out, want, err)
	}
}

// fails makes a turn that fails.
func (k *taker) fails(opts ...graphgen.RunOption) {
	k.t.Helper()
	k.d.fails = true
	_, err := k.m.Thread("t").Start(k.t.Context(), carry.HelpdeskInput{Message: "hello"}, opts...)
	k.is(thread.Failed, err)
}

// stops makes a turn that is stopped after its first node, by a process that ends.
func (k *taker) stops(opts ...graphgen.RunOption) {
	k.t.Helper()
	ctx, end := context.WithCancel(k.t.Context())
	k.d.ends = end
	_, err := k.m.Thread("t").Start(ctx, carry.HelpdeskInput{Message: "hello"}, opts...)
	if k.d.ends = nil; err == nil {
		k.t.Fatal("the run has ended")
	}
	if err := k.m.Thread("t").Stop(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	_, err = k.m.Thread("t").Recover(k.t.Context())
	k.is(thread.Stopped, err)
}

// is holds that the run has ended with an error, in a status.
func (k *taker) is(as thread.Status, err error) {
	k.t.Helper()
	if head := statusOf(k.t, k.store, "t"); err == nil || head.Status != as {
		k.t.Fatalf("the thread is %v, %v", head.Status, err)
	}
}

// back returns what the steps of the thread that begin runs take back.
func (k *taker) back() (list []uint64) {
	k.t.Helper()
	for s, err := range k.m.Thread("t").History(k.t.Context(), 0) {
		if err != nil {
			k.t.Fatal(err)
		}
		if s.Run != "" {
			list = append(list, s.TakesBack)
		}
	}
	return list
}

// TestTakeBack holds that a run which takes back another one begins with what the thread had before that, in each mode, from snapshots and from changes,
// and that the history has both.
func TestTakeBack(t *testing.T) {
	for name, set := range map[string]thread.Settings{
		"every step": {}, "async": {Mode: thread.Async}, "at pauses": {Mode: thread.AtPauses}, "snapshots": {Snapshot: 1},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := filestore.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer files.Close()
			for _, set.Store = range []thread.Store{thread.NewMemory(), files} {
				k := newTaker(t, set)
				k.stops(thread.TakeBack()) // there is nothing yet
				k.completes(0, thread.TakeBack())
				k.completes(1, thread.TakeBack()) // what is complete remains
				first := statusOf(t, set.Store, "t").Seq + 1
				k.fails(graphgen.WithRunID("failed"))
				k.stops(thread.TakeBack())
				k.completes(2, thread.TakeBack()) // neither of them counts
				k.completes(3)
				if got, want := k.back(), []uint64{0, 1, 0, 0, first, first, 0}; !slices.Equal(got, want) {
					t.Errorf("the runs take back %v, want %v", got, want)
				}
				d := len(k.d.cards)
				_, err := k.m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"}, graphgen.WithRunID("failed"))
				if run, ok := errors.AsType[*graphgen.RunError](err); !ok || run.Reason != graphgen.Failed || len(k.d.cards) != d {
					t.Errorf("the run that was taken back is made again: %v", err)
				}
			}
		})
	}
}

// TestTakeBackOfLongThread holds that the lease lasts while the history is read, however long that takes.
func TestTakeBackOfLongThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowHistory{Store: thread.NewMemory()}
		k := newTaker(t, thread.Settings{Store: store, Lease: time.Minute})
		k.fails()
		store.takes = time.Minute + time.Second
		k.completes(0, thread.TakeBack())
	})
}

// A slowHistory is a store that reads histories for a time.
type slowHistory struct {
	thread.Store
	takes time.Duration
}

func (s *slowHistory) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	time.Sleep(s.takes)
	return s.Store.History(ctx, name, after, limit)
}

// TestTakeBackWithout holds what a run has that takes back none: one of the thread is as any other, and one that is in no thread is refused.
func TestTakeBackWithout(t *testing.T) {
	k := newTaker(t, thread.Settings{Store: thread.NewMemory()})
	k.completes(0)
	k.stops()
	k.d.fails = false
	out, err := k.m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"})
	if err != nil || out.Reply != "shown 11" {
		t.Errorf("the run ends with %+v, %v", out, err)
	}
	_, err = k.m.Run(t.Context(), carry.HelpdeskInput{Message: "hello"}, thread.TakeBack())
	if wrong, ok := errors.AsType[*graphgen.ConfigError](err); !ok || wrong.Option != "thread.TakeBack" {
		t.Errorf("a run that is in no thread: %v", err)
	}
}

// TestTakeBackOfFork holds that the run of a fork is taken back with the steps that the fork was made of, and that a run whose beginning was pruned is not.
func TestTakeBackOfFork(t *testing.T) {
	store := thread.NewMemory()
	k := newTaker(t, thread.Settings{Store: store})
	k.completes(0)
	first := statusOf(t, store, "t").Seq + 1
	k.fails()
	if err := k.m.Thread("t").Fork(t.Context(), 0, "fork", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := k.m.Thread("fork").Recover(t.Context()); err == nil {
		t.Fatal("the run of the fork does not fail")
	}
	k.d.fails = false
	out, err := k.m.Thread("fork").Start(t.Context(), carry.HelpdeskInput{Message: "hello"}, thread.TakeBack())
	if err != nil || out.Reply != "shown 7" {
		t.Errorf("the run ends with %+v, %v", out, err)
	}
	if s, err := k.m.Thread("fork").StateAt(t.Context(), 0); err != nil || len(s.Talk) != 8 {
		t.Errorf("the conversation has %d messages, %v", len(s.Talk), err)
	}
	if _, err := store.Prune(t.Context(), "t", first); err != nil {
		t.Fatal(err)
	}
	_, err = k.m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"}, thread.TakeBack())
	if _, ok := errors.AsType[*thread.StateError](err); !ok {
		t.Errorf("records before the run were pruned: %v", err)
	}
}

// TestTakeBackOfKilledRun holds that a run that takes back another one continues in another process as it began.
func TestTakeBackOfKilledRun(t *testing.T) {
	k := newTaker(t, thread.Settings{Store: thread.NewMemory()})
	k.completes(0)
	k.fails()
	k.d.fails = false
	ctx, cancel := context.WithCancel(t.Context())
	_, err := k.m.Thread("t").Start(ctx, carry.HelpdeskInput{Message: "hello"}, thread.TakeBack(), graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.ModelEnd {
			cancel()
		}
	}))
	if head := statusOf(t, k.store, "t"); err == nil || head.Status != thread.Running {
		t.Fatalf("the thread is %v, %v", head.Status, err)
	}
	if out, err := k.m.Thread("t").Recover(t.Context()); err != nil || out.Reply != "shown 7" || out.Turns != 2 {
		t.Errorf("the run ends with %+v, %v", out, err)
	}
}
