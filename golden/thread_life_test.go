package golden_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/thread"
)

// A scribe writes a journal: each page is what the function returns.
type scribe func(context.Context) (string, error)

func (s scribe) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	page, err := s(ctx)
	return durable.JournalWriteOut{Entries: []string{page}, Pages: 1}, err
}

func newJournal(t *testing.T, work scribe, set thread.Settings) *durable.Journal {
	t.Helper()
	m, err := durable.NewJournal(work, thread.With(set))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func page(context.Context) (string, error) { return "page", nil }

// statusOf returns what a store knows of a thread.
func statusOf(t *testing.T, s thread.Store, id string) thread.Head {
	t.Helper()
	head, _, err := s.Load(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// TestFailedThread holds that a run which failed or was stopped goes on at the step that did not end, and not with those
// before.
func TestFailedThread(t *testing.T) {
	store := thread.NewMemory()
	down, calls := errors.New("down"), 0
	m := newJournal(t, func(context.Context) (string, error) {
		if calls++; calls == 3 {
			return "", down
		}
		return "page", nil
	}, thread.Settings{Store: store})
	in := durable.JournalInput{Basis: "b", Most: 4}
	_, err := m.Thread("t").Start(t.Context(), in)
	if head := statusOf(t, store, "t"); !errors.Is(err, down) || head.Status != thread.Failed {
		t.Fatalf("the thread is %v, the error %v", head.Status, err)
	}
	for th, err := range m.Threads(t.Context(), thread.Filter{Status: []thread.Status{thread.Failed}}) {
		if err != nil || th.Name != "t" || !strings.Contains(th.Failure, "down") {
			t.Errorf("the list has %+v, %v", th, err)
		}
	}
	out, err := m.Thread("t").Recover(t.Context())
	if err != nil || calls != 5 || out.Pages != 4 || len(out.Entries) != 4 {
		t.Errorf("it ends with %+v after %d calls, %v", out, calls, err)
	}
	before := statusOf(t, store, "t")
	again, err := m.Thread("t").Recover(t.Context())
	if after := statusOf(t, store, "t"); err != nil || calls != 5 || again.Pages != 4 || after.Seq != before.Seq {
		t.Errorf("a complete run gives %+v after %d calls, and %d records, %v", again, calls, after.Seq-before.Seq, err)
	}
}

// TestStatesOfThreads holds what can be begun, and gone on with, in each state of a thread.
func TestStatesOfThreads(t *testing.T) {
	store := thread.NewMemory()
	m, err := pauses.NewRounds(roundsWork{new(ledger)}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	th, in := m.Thread("t"), pauses.RoundsInput{Topic: "otters"}
	_, err = th.Recover(t.Context())
	if _, ok := errors.AsType[*thread.NotFoundError](err); !ok {
		t.Errorf("Recover of nothing: %v", err)
	}
	_, err = th.Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve))
	if _, ok := errors.AsType[*thread.NotFoundError](err); !ok {
		t.Errorf("an answer to nothing: %v", err)
	}
	_, err = th.Start(t.Context(), in)
	p := pause(t, err)
	_, err = th.Start(t.Context(), in)
	if _, ok := errors.AsType[*thread.StateError](err); !ok {
		t.Errorf("Start of a run that waits: %v", err)
	}
	_, err = th.Recover(t.Context())
	if again := pause(t, err); again.Requests[0].ID != p.Requests[0].ID || again.Requests[0].Question != p.Requests[0].Question {
		t.Errorf("Recover of a run that waits asks %+v, want %+v", again.Requests, p.Requests)
	}
	if _, err = th.Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve)); !errors.Is(err, graphgen.ErrOtherNode) {
		t.Errorf("an answer to another node: %v", err)
	}
	_, err = th.Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}))
	pause(t, err)
	if _, err = m.Resume(t.Context(), p, pauses.AnswerRoundsJudge(pauses.Verdict{})); !errors.Is(err, graphgen.ErrResumed) {
		t.Errorf("a second answer: %v", err)
	}
	if _, err = th.Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve)); err != nil {
		t.Fatal(err)
	}
	if _, err = th.Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve)); !errors.Is(err, graphgen.ErrResumed) {
		t.Errorf("an answer to a run that has ended: %v", err)
	}
	if head := statusOf(t, store, "t"); head.Status != thread.Completed || head.Held(time.Now()) {
		t.Errorf("the thread is %+v", head)
	}
}

// TestInfoOfThread holds what is known about a thread in each state, and that a thread whose name begins alike is not taken for it.
func TestInfoOfThread(t *testing.T) {
	m, err := pauses.NewRounds(roundsWork{new(ledger)}, thread.In(thread.NewMemory()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Thread("letters").Start(t.Context(), pauses.RoundsInput{Topic: "otters"})
	pause(t, err)
	th := m.Thread("letter")
	if _, err := th.Info(t.Context()); !isNotFound(err) {
		t.Errorf("Info of nothing: %v", err)
	}
	if _, err := th.Requests(t.Context()); !isNotFound(err) {
		t.Errorf("Requests of nothing: %v", err)
	}
	_, err = th.Start(t.Context(), pauses.RoundsInput{Topic: "seals"})
	for _, answer := range []graphgen.Answer[pauses.Rounds]{
		pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}), pauses.AnswerRoundsSign(graphgen.Approve),
	} {
		p := pause(t, err)
		info, wrong := th.Info(t.Context())
		if wrong != nil || info.Name != th.Name() || info.Status != thread.Paused || len(info.Requests) != 1 || info.Requests[0].ID != p.Requests[0].ID {
			t.Errorf("the thread that waits is %+v, %v", info, wrong)
		}
		if asked, err := th.Requests(t.Context()); err != nil || len(asked) != 1 || asked[0].Question != p.Requests[0].Question {
			t.Errorf("the requests are %+v, %v", asked, err)
		}
		_, err = th.Resume(t.Context(), answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := th.Info(t.Context())
	if asked, none := th.Requests(t.Context()); err != nil || info.Status != thread.Completed || info.Requests != nil || asked != nil || none != nil {
		t.Errorf("the thread that has ended is %+v with the requests %+v, %v, %v", info, asked, err, none)
	}
}

// TestNoStore holds that a thread of a machine without a store has the error of that in all of its methods.
func TestNoStore(t *testing.T) {
	m, err := pauses.NewRounds(roundsWork{new(ledger)})
	if err != nil {
		t.Fatal(err)
	}
	th := m.Thread("t")
	for name, call := range map[string]func(context.Context) error{
		"Start":   func(ctx context.Context) error { return second(th.Start(ctx, pauses.RoundsInput{})) },
		"Recover": func(ctx context.Context) error { return second(th.Recover(ctx)) },
		"Resume": func(ctx context.Context) error {
			return second(th.Resume(ctx, pauses.AnswerRoundsSign(graphgen.Approve)))
		},
		"Stop":     th.Stop,
		"Info":     func(ctx context.Context) error { return second(th.Info(ctx)) },
		"Requests": func(ctx context.Context) error { return second(th.Requests(ctx)) },
		"Watch":    func(ctx context.Context) error { return second(ended(th.Watch(ctx, thread.After{}))) },
		"History":  func(ctx context.Context) error { return second(ended(th.History(ctx, 0))) },
		"StateAt":  func(ctx context.Context) error { return second(th.StateAt(ctx, 0)) },
		"Fork":     func(ctx context.Context) error { return th.Fork(ctx, 0, "x", nil) },
		"Threads":  func(ctx context.Context) error { return second(ended(m.Threads(ctx, thread.Filter{}))) },
	} {
		if err := call(t.Context()); !errors.Is(err, thread.ErrNoStore) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRunsOfThread holds that a thread has one run after another, whose effects have keys of their own.
func TestRunsOfThread(t *testing.T) {
	store := thread.NewMemory()
	var bank ledger
	m := newJournal(t, func(ctx context.Context) (string, error) { bank.did(ctx); return "page", nil }, thread.Settings{Store: store})
	for range 3 {
		if _, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 2}); err != nil {
			t.Fatal(err)
		}
	}
	if len(bank.done) != 6 {
		t.Errorf("the keys are %v", bank.done)
	}
	if records, err := store.History(t.Context(), "t", 0, 0); err != nil || len(records) != 9 || !records[3].Snapshot || !records[6].Snapshot {
		t.Errorf("there are %d records, %v", len(records), err)
	}
}

// TestStopThread holds that a request from another process stops the run before its next node, and that it can go on.
func TestStopThread(t *testing.T) {
	store := thread.NewMemory()
	other := newJournal(t, page, thread.Settings{Store: store})
	pages := 0
	m := newJournal(t, func(ctx context.Context) (string, error) {
		if pages++; pages == 2 {
			if err := other.Thread("t").Stop(ctx); err != nil {
				t.Error(err)
			}
		}
		return "page", nil
	}, thread.Settings{Store: store})
	_, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 5})
	end, _ := errors.AsType[*graphgen.RunError](err)
	if head := statusOf(t, store, "t"); end == nil || end.Reason != graphgen.Stopped || head.Status != thread.Stopped || pages != 2 {
		t.Fatalf("the thread is %v after %d pages, the error %v", head.Status, pages, err)
	}
	if out, err := other.Thread("t").Recover(t.Context()); err != nil || out.Pages != 5 {
		t.Errorf("it goes on with %+v, %v", out, err)
	}
}

// TestStopIdleThread holds that a thread which no process runs stops when one goes on with it, and not before an answer is
// taken.
func TestStopIdleThread(t *testing.T) {
	store := thread.NewMemory()
	ctx, cancel := context.WithCancel(t.Context())
	m := newJournal(t, func(context.Context) (string, error) { cancel(); return "page", nil }, thread.Settings{Store: store})
	_, err := m.Thread("t").Start(ctx, durable.JournalInput{Most: 3})
	rounds, wrong := pauses.NewRounds(roundsWork{new(ledger)}, thread.In(store))
	if wrong != nil || !errors.Is(err, context.Canceled) {
		t.Fatal(err, wrong)
	}
	_, err = rounds.Thread("r").Start(t.Context(), pauses.RoundsInput{})
	pause(t, err)
	for _, id := range []string{"t", "r"} {
		if err := store.Stop(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	stopped := func(id string, err error) {
		t.Helper()
		end, _ := errors.AsType[*graphgen.RunError](err)
		if head := statusOf(t, store, id); end == nil || end.Reason != graphgen.Stopped || head.Status != thread.Stopped {
			t.Errorf("thread %s is %v, the error %v", id, head.Status, err)
		}
	}
	_, err = m.Thread("t").Recover(t.Context())
	stopped("t", err)
	if out, err := m.Thread("t").Recover(t.Context()); err != nil || out.Pages != 3 {
		t.Errorf("it goes on with %+v, %v", out, err)
	}
	_, err = rounds.Thread("r").Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}))
	stopped("r", err)
	_, err = rounds.Thread("r").Recover(t.Context())
	if p := pause(t, err); p.Requests[0].Node != "sign" {
		t.Errorf("then it asks %+v", p.Requests)
	}
}

// TestCancelledThread holds that the end of a call's context does not end the run of the thread.
func TestCancelledThread(t *testing.T) {
	store := thread.NewMemory()
	ctx, cancel := context.WithCancel(t.Context())
	m := newJournal(t, func(context.Context) (string, error) { cancel(); return "page", nil }, thread.Settings{Store: store})
	_, err := m.Thread("t").Start(ctx, durable.JournalInput{Most: 3})
	if head := statusOf(t, store, "t"); !errors.Is(err, context.Canceled) || head.Status != thread.Running || head.Held(time.Now()) {
		t.Fatalf("the thread is %+v, the error %v", head, err)
	}
	if out, err := m.Thread("t").Recover(t.Context()); err != nil || out.Pages != 3 {
		t.Errorf("it goes on with %+v, %v", out, err)
	}
}

// TestKeptThread holds that a thread is swept when its time after the end is over, and not before.
func TestKeptThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		m := newJournal(t, page, thread.Settings{Store: store, Keep: time.Hour})
		if _, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 1}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{0, 1} {
			if n, err := store.Sweep(t.Context()); err != nil || n != want {
				t.Errorf("%d threads are swept, %v", n, err)
			}
			time.Sleep(time.Hour + time.Second)
		}
	})
}

// TestKeptFork holds that forks expire as other threads do.
func TestKeptFork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		m := newJournal(t, page, thread.Settings{Store: store, Keep: time.Hour})
		if _, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 2}); err != nil {
			t.Fatal(err)
		}
		for seq, name := range []string{"complete", "stopped"} {
			if err := m.Thread("t").Fork(t.Context(), uint64(seq), name, func(*durable.JournalState) {}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Hour)
		if n, err := store.Sweep(t.Context()); err != nil || n != 3 {
			t.Errorf("%d threads are swept, %v", n, err)
		}
	})
}

// TestForkTwice holds that a call which makes a fork does not delete it where an equal call completes it.
func TestForkTwice(t *testing.T) {
	store := &halfForking{Store: thread.NewMemory()}
	m := newJournal(t, page, thread.Settings{Store: store.Store})
	if _, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 2}); err != nil {
		t.Fatal(err)
	}
	fork := func(m *durable.Journal) error {
		return m.Thread("t").Fork(t.Context(), 1, "u", func(*durable.JournalState) {})
	}
	store.completes = sync.OnceFunc(func() {
		if err := fork(m); err != nil {
			t.Error(err)
		}
	})
	err := fork(newJournal(t, page, thread.Settings{Store: store}))
	if _, held := errors.AsType[*thread.HeldError](err); !held {
		t.Errorf("the fork that another call makes has the error %v", err)
	}
	store.completes()
	if out, err := m.Thread("u").Recover(t.Context()); err != nil || out.Pages != 2 {
		t.Errorf("the fork ends with %+v, %v", out, err)
	}
}

// A halfForking store has another call that makes the same fork: it has the lease when this one wants it, and completes the fork before this one deletes it.
type halfForking struct {
	thread.Store
	completes func()
}

func (*halfForking) Acquire(_ context.Context, name string, _ time.Duration) (thread.Lease, thread.Head, error) {
	return thread.Lease{}, thread.Head{}, &thread.HeldError{Thread: name}
}

func (s *halfForking) Delete(ctx context.Context, name string) error {
	s.completes()
	return s.Store.Delete(ctx, name)
}

// TestUnsavedFailure holds that a run which fails has the error of its node, and the one of its store where its end is not saved.
func TestUnsavedFailure(t *testing.T) {
	down := errors.New("down")
	m := newJournal(t, func(context.Context) (string, error) { return "", down }, thread.Settings{Store: full{thread.NewMemory()}})
	_, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 1})
	run, _ := errors.AsType[*graphgen.RunError](err)
	if run == nil || run.Reason != graphgen.Failed || run.Report == nil || !errors.Is(err, down) {
		t.Errorf("the run ends with %v", err)
	}
	if save, ok := errors.AsType[*thread.StoreError](err); !ok || !save.Unsaved {
		t.Errorf("the store does not save the end: %v", err)
	}
}

// TestUnsavedStop holds that a run whose context has ended has the error of its context alone, also where its end is not saved: another process continues it.
// A run that was asked to stop has the error of the store.
func TestUnsavedStop(t *testing.T) {
	drained := errors.New("drained")
	ctx, cancel := context.WithCancelCause(t.Context())
	m := newJournal(t, func(ctx context.Context) (string, error) {
		cancel(drained)
		return "page", nil
	}, thread.Settings{Store: full{thread.NewMemory()}, Mode: thread.AtPauses})
	_, err := m.Thread("t").Start(ctx, durable.JournalInput{Most: 2})
	if run, _ := errors.AsType[*graphgen.RunError](err); run == nil || run.Reason != graphgen.Stopped || !errors.Is(err, drained) {
		t.Errorf("the run ends with %v", err)
	}
	if save, ok := errors.AsType[*thread.StoreError](err); ok {
		t.Errorf("the run has the error of its store: %v", save)
	}
	m = newJournal(t, func(ctx context.Context) (string, error) {
		return "page", m.Thread("t").Stop(ctx)
	}, thread.Settings{Store: endless{thread.NewMemory()}})
	_, err = m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 2})
	run, _ := errors.AsType[*graphgen.RunError](err)
	if save, _ := errors.AsType[*thread.StoreError](err); run == nil || run.Reason != graphgen.Stopped || save == nil || !save.Unsaved {
		t.Errorf("the run that was asked to stop ends with %v", err)
	}
}

// An endless store saves no end of a run.
type endless struct{ thread.Store }

func (s endless) Append(ctx context.Context, l thread.Lease, h thread.Head, records []thread.Record) (thread.Ack, error) {
	if h.Status.Ended() {
		return thread.Ack{}, &thread.InvalidError{Thread: h.Thread, Problem: "has no room"}
	}
	return s.Store.Append(ctx, l, h, records)
}

// A full store saves nothing after the first record of a thread.
type full struct{ thread.Store }

func (s full) Append(ctx context.Context, l thread.Lease, h thread.Head, records []thread.Record) (thread.Ack, error) {
	if h.Seq > 1 {
		return thread.Ack{}, &thread.InvalidError{Thread: h.Thread, Problem: "has no room"}
	}
	return s.Store.Append(ctx, l, h, records)
}

// TestLostLease holds that a run whose process was stopped for longer than its lease writes nothing behind the one that
// took over.
func TestLostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		set := thread.Settings{Store: store, Lease: time.Minute}
		gone, others := &deaf{Store: store}, 0
		other := newJournal(t, func(context.Context) (string, error) { others++; return "by the other", nil }, set)
		pages := 0
		m := newJournal(t, func(ctx context.Context) (string, error) {
			if pages++; pages == 2 {
				gone.deaf.Store(true) // it renews nothing
				begun := time.Now()
				<-ctx.Done()
				if after := time.Since(begun); after > time.Minute || context.Cause(ctx) == nil {
					t.Errorf("the context ends after %v: %v", after, context.Cause(ctx))
				}
				time.Sleep(time.Hour)
				if out, err := other.Thread("t").Recover(context.WithoutCancel(ctx)); err != nil || out.Pages != 4 || others != 3 {
					t.Errorf("the other ends with %+v, %v", out, err)
				}
			}
			return "page", nil
		}, thread.Settings{Store: gone, Lease: time.Minute})
		_, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 4})
		save, _ := errors.AsType[*thread.StoreError](err)
		if lost, ok := errors.AsType[*thread.LostError](err); !ok || lost.TTL != time.Minute || lost.Err == nil || save == nil || !save.Unsaved ||
			save.Thread != "t" || pages != 2 {
			t.Errorf("the error is %v after %d pages", err, pages)
		}
		if head := statusOf(t, store, "t"); head.Status != thread.Completed {
			t.Errorf("the thread is %v", head.Status)
		}
		if n := gone.releases.Load(); n != 1 { // the store may keep something for the lease
			t.Errorf("the lease is given back %d times", n)
		}
	})
}

// TestLostWhileRead holds that a thread is not reported as damaged where its lease is lost while it is read, and another process continues it.
func TestLostWhileRead(t *testing.T) {
	for name, call := range map[string]func(*testing.T, *durable.Journal) error{
		"Recover": func(t *testing.T, m *durable.Journal) error {
			_, err := m.Thread("t").Recover(t.Context())
			return err
		},
		"Start": func(t *testing.T, m *durable.Journal) error {
			_, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 1}, graphgen.WithRunID("next"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := thread.NewMemory()
				m := newJournal(t, func(context.Context) (string, error) { return "", errors.New("down") }, thread.Settings{Store: store})
				if _, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 1}); err == nil {
					t.Fatal("the run has not failed")
				}
				slow := &slowLoad{deaf: deaf{Store: store}, during: func() {
					time.Sleep(time.Hour)
					if _, err := newJournal(t, page, thread.Settings{Store: store}).Thread("t").Recover(t.Context()); err != nil {
						t.Error(err)
					}
				}}
				slow.deaf.deaf.Store(true)
				err := call(t, newJournal(t, page, thread.Settings{Store: slow, Lease: time.Minute}))
				if lost, ok := errors.AsType[*thread.LostError](err); !ok || lost.Err == nil {
					t.Errorf("the error is %v", err)
				}
			})
		})
	}
}

// A slowLoad is a deaf store that does something before it reads a thread.
type slowLoad struct {
	deaf
	during func()
}

func (s *slowLoad) Load(ctx context.Context, name string, seq uint64) (thread.Head, []thread.Record, error) {
	s.during()
	return s.Store.Load(ctx, name, seq)
}

// A deaf store does not renew leases.
type deaf struct {
	thread.Store
	deaf     atomic.Bool
	releases atomic.Int64
}

func (d *deaf) Release(ctx context.Context, l thread.Lease) error {
	d.releases.Add(1)
	return d.Store.Release(ctx, l)
}

func (d *deaf) Renew(ctx context.Context, l thread.Lease) (thread.Ack, error) {
	if d.deaf.Load() {
		return thread.Ack{}, errors.New("the store does not answer")
	}
	return d.Store.Renew(ctx, l)
}

// TestHungAppend holds that a run outlives an append that never returns, on a connection that is dead, while its lease is renewed.
func TestHungAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &dead{Store: thread.NewMemory()}
		m := newJournal(t, page, thread.Settings{Store: store, Lease: time.Second})
		if out, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 3}); err != nil || out.Pages != 3 || store.appends != 5 {
			t.Errorf("the run ends with %+v after %d appends, %v", out, store.appends, err)
		}
	})
}

// A dead store does not return from its second append before the context ends.
type dead struct {
	thread.Store
	appends int
}

func (d *dead) Append(ctx context.Context, l thread.Lease, h thread.Head, records []thread.Record) (thread.Ack, error) {
	if d.appends++; d.appends == 2 {
		<-ctx.Done()
		return thread.Ack{}, ctx.Err()
	}
	return d.Store.Append(ctx, l, h, records)
}

// TestExitInThread holds that a goroutine which ends in the midst of a step, of a run that begins, goes on or is
// answered, gives its thread back at once.
func TestExitInThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		exits := 0
		m := newJournal(t, func(context.Context) (string, error) {
			if exits++; exits == 2 || exits == 3 {
				runtime.Goexit()
			}
			return "page", nil
		}, thread.Settings{Store: store})
		aside(func() { _, _ = m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 3}) })
		aside(func() { _, _ = m.Thread("t").Recover(t.Context()) })
		if out, err := m.Thread("t").Recover(t.Context()); err != nil || out.Pages != 3 || exits != 5 {
			t.Errorf("it ends with %+v after %d calls, %v", out, exits, err)
		}
		files := 0
		rounds, err := pauses.NewRounds(exiting{filer{roundsWork{new(ledger)}, &files, new(int)}}, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		_, err = rounds.Thread("r").Start(t.Context(), pauses.RoundsInput{})
		pause(t, err)
		_, err = rounds.Thread("r").Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}))
		pause(t, err)
		aside(func() { _, _ = rounds.Thread("r").Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve)) })
		if head := statusOf(t, store, "r"); head.Held(time.Now()) || head.Status != thread.Running {
			t.Errorf("the thread is %+v", head)
		}
	})
}

// exiting ends the goroutine where a text is filed.
type exiting struct{ filer }

func (e exiting) File(context.Context, pauses.RoundsFileIn) (pauses.RoundsFileOut, error) {
	runtime.Goexit()
	panic("unreachable")
}

// A forger changes records as they are read.
type forger struct {
	thread.Store
	change func([]thread.Record) []thread.Record
	head   bool // the head fits the last record
}

func (f forger) Acquire(ctx context.Context, id string, ttl time.Duration) (thread.Lease, thread.Head, error) {
	lease, head, err := f.Store.Acquire(ctx, id, ttl)
	_, records, load := f.Load(ctx, id, 0)
	if err == nil && load == nil && f.head {
		chain := `"chain":"` + hashOf(records[len(records)-1].Data) + `"`
		head.Summary = regexp.MustCompile(`"chain":"[^"]*"`).ReplaceAll(head.Summary, []byte(chain))
	}
	return lease, head, errors.Join(err, load)
}

// hashOf returns the hash of a record.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func (f forger) Load(ctx context.Context, id string, at uint64) (thread.Head, []thread.Record, error) {
	head, records, err := f.Store.Load(ctx, id, at)
	return head, f.change(records), err
}

// TestForeignRecords holds that records which do not fit the graph, or not each other, are refused with what is wrong,
// and that the thread is as it was.
func TestForeignRecords(t *testing.T) {
	replace := func(from, to string) func([]thread.Record) []thread.Record {
		return func(records []thread.Record) []thread.Record {
			data := bytes.ReplaceAll(records[0].Data, []byte(from), []byte(to))
			if bytes.Equal(data, records[0].Data) {
				t.Errorf("%s has no %s", data, from)
			}
			records[0].Data = data
			return records[:1]
		}
	}
	for name, test := range map[string]struct {
		change func([]thread.Record) []thread.Record
		want   string
	}{
		"a field that the graph has not": {replace(`"basis":`, `"base":`), `thread "t": the graph has no field "base"`},
		"a node that the graph has not":  {replace(`write"`, `draw"`), `thread "t": the graph has no node "draw"`},
		"a value of another type":        {replace(`"most":3`, `"most":"three"`), `most: `},
		"a record that is missing":       {func(r []thread.Record) []thread.Record { return slices.Delete(r, 1, 2) }, `record 3: the record does not follow`},
		"a record that was changed": {func(r []thread.Record) []thread.Record {
			r[1].Data = bytes.Replace(r[1].Data, []byte("page"), []byte("lies"), 1)
			return r
		}, `record 3: the record does not follow`},
		"a record that is not JSON": {func(r []thread.Record) []thread.Record { r[2].Data = r[2].Data[1:]; return r }, `record 3: `},
		"a record of a different program": {func(r []thread.Record) []thread.Record {
			r[0].Data = []byte(`{"runs":[{"at":"","cells":[]}]}`)
			return r[:1]
		}, `record 1: `},
	} {
		t.Run(name, func(t *testing.T) {
			store := thread.NewMemory()
			down, calls := errors.New("down"), 0
			work := func(context.Context) (string, error) {
				if calls++; calls == 3 {
					return "", down
				}
				return "page", nil
			}
			m := newJournal(t, work, thread.Settings{Store: store})
			if _, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Basis: "b", Most: 3}); !errors.Is(err, down) {
				t.Fatal(err)
			}
			before := statusOf(t, store, "t")
			_, err := newJournal(t, work, thread.Settings{Store: forger{store, test.change, true}}).Thread("t").Recover(t.Context())
			if load, ok := errors.AsType[*thread.StoreError](err); !ok || load.Unsaved || load.Thread != "t" || !strings.Contains(err.Error(),
				test.want) || strings.Contains(err.Error(), "saved") {
				t.Errorf("the error is %v, want %s", err, test.want)
			}
			if after := statusOf(t, store, "t"); calls != 3 || after.Seq != before.Seq || after.Held(time.Now()) {
				t.Errorf("the thread is %+v, was %+v", after, before)
			}
			if out, err := m.Thread("t").Recover(t.Context()); err != nil || out.Pages != 3 || len(out.Entries) != 3 {
				t.Errorf("then it goes on with %+v, %v", out, err)
			}
		})
	}
}

// TestForgedEnd holds that a thread whose last record is not the one of its head is refused before anything is executed, also where the store
// does not notice it.
func TestForgedEnd(t *testing.T) {
	for name, change := range map[string]func([]thread.Record) []thread.Record{
		"the last record is missing": func(r []thread.Record) []thread.Record { return r[:len(r)-1] },
		"two records are missing":    func(r []thread.Record) []thread.Record { return r[:len(r)-2] },
		"the last record was changed": func(r []thread.Record) []thread.Record {
			last := &r[len(r)-1]
			last.Data = append(last.Data, ' ')
			return r
		},
		"the last record is of another": func(r []thread.Record) []thread.Record {
			r[len(r)-1].Data = r[0].Data
			r[len(r)-1].Snapshot = true
			return r[len(r)-1:]
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := thread.NewMemory()
			down, calls := errors.New("down"), 0
			work := func(context.Context) (string, error) {
				if calls++; calls == 3 {
					return "", down
				}
				return "page", nil
			}
			m := newJournal(t, work, thread.Settings{Store: store})
			if _, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Basis: "b", Most: 3}); !errors.Is(err, down) {
				t.Fatal(err)
			}
			_, err := newJournal(t, work, thread.Settings{Store: forger{store, change, false}}).Thread("t").Recover(t.Context())
			if _, ok := errors.AsType[*thread.CorruptError](err); !ok || calls != 3 || statusOf(t, store, "t").Held(time.Now()) {
				t.Errorf("%d calls, the error is %v", calls, err)
			}
		})
	}
}

// TestAtPauses holds that a run which is saved at its pauses alone goes on from the last of them, and that what it
// appends does not grow with its steps.
func TestAtPauses(t *testing.T) {
	store := &meter{Store: thread.NewMemory()}
	set := thread.Settings{Store: store, Mode: thread.AtPauses}
	if _, err := newJournal(t, page, set).Thread("j").Start(t.Context(), durable.JournalInput{Most: 200}); err != nil || len(store.sizes) != 2 {
		t.Errorf("200 steps append %d records, %v", len(store.sizes), err)
	}
	var bank ledger
	newMachine := func() *pauses.Rounds {
		m, err := pauses.NewRounds(roundsWork{&bank}, thread.With(set))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	_, err := newMachine().Thread("t").Start(t.Context(), pauses.RoundsInput{Topic: "otters"})
	pause(t, err)
	m := newMachine()
	_, err = m.Thread("t").Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Note: "longer"}))
	pause(t, err)
	m = newMachine()
	_, err = m.Thread("t").Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}))
	pause(t, err)
	m = newMachine()
	out, err := m.Thread("t").Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve))
	if err != nil || strings.Join(out.Notes, "; ") != "wrote otters; wrote otters, longer; stored otters, longer; filed otters, longer" {
		t.Errorf("it ends with %+v, %v", out, err)
	}
	for key, times := range bank.done {
		if times != 1 {
			t.Errorf("%s was done %d times", key, times)
		}
	}
	if n := len(store.sizes); n != 2+5 {
		t.Errorf("there are %d records", n-2)
	}
}

// TestAsync holds how many steps run ahead of their records, that a run does not end before its last record, and that a
// store which fails ends it. One append has all records that were made during the one before it.
func TestAsync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ahead, slow = 4, time.Second
		store := &slowStore{Store: thread.NewMemory(), takes: slow}
		pages, most := 0, 0
		m := newJournal(t, func(context.Context) (string, error) {
			pages++
			most = max(most, pages-int(store.appended.Load()-1)) // the first record is that of the beginning
			return "page", nil
		}, thread.Settings{Store: store, Mode: thread.Async, Ahead: ahead})
		began := time.Now()
		out, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 20})
		if err != nil || out.Pages != 20 || most != ahead+1 {
			t.Errorf("it ends with %+v, and was %d steps ahead, %v", out, most, err)
		}
		if head := statusOf(t, store, "t"); head.Status != thread.Completed || head.Seq != 21 || time.Since(began) > 11*slow {
			t.Errorf("the thread is %+v after %v", head, time.Since(began))
		}
		kept := store.appended.Load()
		store.fails.Store(kept + 3)
		pages = 0
		_, err = m.Thread("t").Start(t.Context(), durable.JournalInput{Most: 20})
		save, _ := errors.AsType[*thread.StoreError](err)
		kept = store.appended.Load() - kept - 1 // the first record is that of the beginning
		if lost, ok := errors.AsType[*thread.LostError](err); save == nil || !save.Unsaved || !ok || lost.TTL != 0 || pages > int(kept)+ahead+1 {
			t.Errorf("the error is %v after %d pages, of which %d are saved", err, pages, kept)
		}
		store.fails.Store(0)
		pages = 0
		time.Sleep(time.Hour)
		if out, err := m.Thread("t").Recover(t.Context()); err != nil || out.Pages != 20 || kept < 2 || pages != 20-int(kept) {
			t.Errorf("it goes on with %+v, %d pages, %v", out, pages, err)
		}
	})
}

// A slowStore takes its time for each append, counts records, and loses its lease at one of them.
type slowStore struct {
	thread.Store
	takes           time.Duration
	appended, fails atomic.Int64
}

func (s *slowStore) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	time.Sleep(s.takes)
	if n := s.fails.Load(); n > 0 && s.appended.Load() >= n {
		return thread.Ack{}, &thread.LostError{Thread: h.Thread}
	}
	ack, err := s.Store.Append(ctx, l, h, r)
	s.appended.Add(int64(len(r)))
	return ack, err
}

// TestStreamOfThread holds that the events of a run in a thread are those of its steps, also of one that goes on.
func TestStreamOfThread(t *testing.T) {
	down, calls := errors.New("down"), 0
	m := newJournal(t, func(context.Context) (string, error) {
		if calls++; calls == 2 {
			return "", down
		}
		return "page", nil
	}, thread.Settings{Store: thread.NewMemory()})
	nodes := func(call func(context.Context, graphgen.Option) (durable.JournalOutput, error)) (steps []string, last error) {
		stream := graphgen.NewStream(t.Context(), call)
		for e := range stream.Events() {
			if e.Kind == graphgen.NodeEnd {
				steps = append(steps, e.Node)
			}
		}
		_, last = stream.Output()
		return steps, last
	}
	steps, err := nodes(func(ctx context.Context, events graphgen.Option) (durable.JournalOutput, error) {
		return m.Thread("t").Start(ctx, durable.JournalInput{Most: 3}, events)
	})
	if !errors.Is(err, down) || len(steps) != 1 {
		t.Errorf("the steps are %v, %v", steps, err)
	}
	recovered := func(name string) ([]string, error) {
		return nodes(func(ctx context.Context, events graphgen.Option) (durable.JournalOutput, error) {
			return m.Thread(name).Recover(ctx, events)
		})
	}
	if steps, err = recovered("t"); err != nil || len(steps) != 2 {
		t.Errorf("then the steps are %v, %v", steps, err)
	}
	if steps, err = recovered("none"); err == nil || len(steps) != 0 {
		t.Errorf("without a thread the steps are %v, %v", steps, err)
	}
}

// TestDeadlinesOfThread holds that a request keeps its deadline while others are answered, in other processes.
func TestDeadlinesOfThread(t *testing.T) {
	for name, set := range map[string]thread.Settings{"every step": {}, "snapshots alone": {Snapshot: 1}, "at pauses": {Mode: thread.AtPauses}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				set.Store = thread.NewMemory()
				store := set.Store
				newOffice := func() *durable.Office {
					m, err := durable.NewOffice(officeWork{new(ledger)}, newClerk(t, new(ledger)), thread.With(set))
					if err != nil {
						t.Fatal(err)
					}
					return m
				}
				began := time.Now()
				_, err := newOffice().Thread("t").Start(t.Context(), durable.OfficeInput{Messages: []string{"a", "b"}})
				first := pause(t, err).Requests
				if len(first) != 2 || !first[0].Deadline.Equal(began.Add(72*time.Hour)) {
					t.Fatalf("the requests are %+v", first)
				}
				time.Sleep(time.Hour)
				set.Store = &mortal{Store: store, left: 1, during: true}
				m := newOffice()
				if _, err = m.Thread("t").Resume(t.Context(), graphgen.AnswerJSON[durable.Office](first[0].ID, []byte(`"approve"`))); err == nil {
					t.Error("the process is not killed")
				}
				set.Store = store
				time.Sleep(time.Hour)
				_, err = newOffice().Thread("t").Recover(t.Context())
				for range 2 {
					p := pause(t, err)
					at := slices.IndexFunc(p.Requests, func(q graphgen.Request) bool { return q.ID == first[1].ID })
					if at < 0 || !p.Requests[at].Deadline.Equal(first[1].Deadline) {
						t.Errorf("then the requests are %+v", p.Requests)
					}
					time.Sleep(time.Hour)
					_, err = newOffice().Thread("t").Recover(t.Context())
				}
				time.Sleep(72 * time.Hour)
				m = newOffice()
				_, err = m.Thread("t").Resume(t.Context(), graphgen.AnswerJSON[durable.Office](first[1].ID, []byte(`"approve"`)))
				pause(t, err)
				if _, records, err := set.Store.Load(t.Context(), "t", 0); err != nil || !bytes.Contains(bytes.Join(datas(records), nil), []byte(`"late"`)) {
					t.Errorf("the late answer is none: %v", err)
				}
			})
		})
	}
}

func datas(records []thread.Record) [][]byte {
	var all [][]byte
	for i := range records {
		all = append(all, records[i].Data)
	}
	return all
}

// TestCancelledTool holds that the failure of a tool whose run was ended by its context is not taken for its result.
func TestCancelledTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		var bank ledger
		slow := true
		m, err := durable.NewClerk(clerkWork{&bank}, waiting{clerkTools{&bank}, &slow}, clerkModel{&bank}, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, err := m.Thread("t").Start(ctx, durable.ClerkInput{Message: "otters"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		slow = false
		_, err = m.Thread("t").Recover(t.Context())
		for p := graphgen.AsPause(err); p != nil; p = graphgen.AsPause(err) {
			q := p.Requests[0]
			_, err = m.Resume(t.Context(), p, graphgen.AnswerJSON[durable.Clerk](q.ID, []byte(clerkAnswers[q.Tool])))
		}
		if out, err := m.Thread("t").Recover(t.Context()); err != nil || !strings.HasPrefix(out.Reply, "done, look_up: 6, look_up: 12,") {
			t.Errorf("it ends with %+v, %v", out, err)
		}
		if calls := bank.done["model otters 1"]; calls != 1 {
			t.Errorf("the model was called %d times", calls)
		}
	})
}

// waiting are tools that wait for the end of their context while they are slow.
type waiting struct {
	clerkTools
	slow *bool
}

func (w waiting) LookUp(ctx context.Context, args durable.ClerkLookUpArgs) (int, error) {
	if *w.slow {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return w.clerkTools.LookUp(ctx, args)
}
