package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// Soak is the variable of the environment with the time for which Disturb runs, such as 5m.
const Soak = "GRAPHGEN_SOAK"

// Writers append to a store while it is disturbed.
type Writers struct {
	mu      sync.Mutex
	changed *sync.Cond
	acked   int // appends that were acknowledged
	failed  int // calls with errors
	running int
}

// Acknowledged waits until n more appends are acknowledged. It returns early when every writer has a problem.
func (w *Writers) Acknowledged(n int) { w.wait(&w.acked, n) }

// Failed waits until n more calls have errors. It returns early when every writer has a problem.
func (w *Writers) Failed(n int) { w.wait(&w.failed, n) }

func (w *Writers) wait(count *int, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for until := *count + n; *count < until && w.running > 0; {
		w.changed.Wait()
	}
}

func (w *Writers) add(count *int, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*count += n
	w.changed.Broadcast()
}

// Disturb lets writers append to threads of a store while something disturbs it again and again, such as a server that is
// killed and started. The function waits for the writers between what it does. Every record that was acknowledged has to
// be in its thread once.
func Disturb(t *testing.T, s thread.Store, disturb func(*Writers)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	writers := make([]*insistent, 4)
	all := &Writers{running: len(writers)}
	all.changed = sync.NewCond(&all.mu)
	for i := range writers {
		w := &insistent{s: s, name: fmt.Sprintf("disturbed %d", i), all: all}
		writers[i] = w
		wg.Go(func() {
			w.run(ctx)
			all.add(&all.running, -1)
		})
	}
	rounds, begin := 0, time.Now()
	least := 4
	if testing.Short() {
		least = 2
	}
	for long, _ := time.ParseDuration(os.Getenv(Soak)); rounds < least || time.Since(begin) < long; rounds++ {
		disturb(all)
	}
	cancel()
	wg.Wait()
	records := 0
	for _, w := range writers {
		if err := errors.Join(w.problem, w.check(t.Context())); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
		records += len(w.acked)
	}
	t.Logf("%d records, %d disturbances, %d calls with errors", records, rounds, all.failed)
	if records == 0 || all.failed == 0 {
		t.Error("nothing was disturbed")
	}
}

// An insistent writer repeats calls that have errors.
type insistent struct {
	s       thread.Store
	name    string
	acked   []string
	open    string // the record whose append had an error that leaves its effect open
	all     *Writers
	problem error
}

// repeat repeats a call until it has no error, or one of package thread, or the context ends.
func (w *insistent) repeat(ctx context.Context, call func(ctx context.Context) error) error {
	for {
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		err := call(attempt)
		cancel()
		if err == nil || ours(err) || ctx.Err() != nil {
			return err
		}
		w.all.add(&w.all.failed, 1)
		time.Sleep(5 * time.Millisecond)
	}
}

// ours reports whether an error is one of package thread: the effect of its call is known.
func ours(err error) bool {
	_, held := errors.AsType[*thread.HeldError](err)
	_, lost := errors.AsType[*thread.LostError](err)
	_, seq := errors.AsType[*thread.SeqError](err)
	_, missing := errors.AsType[*thread.NotFoundError](err)
	_, corrupt := errors.AsType[*thread.CorruptError](err)
	return held || lost || seq || missing || corrupt
}

// run appends records in leases of a few records each.
func (w *insistent) run(ctx context.Context) {
	for ctx.Err() == nil && w.problem == nil {
		var lease thread.Lease
		var head thread.Head
		err := w.repeat(ctx, func(ctx context.Context) (err error) {
			lease, head, err = w.s.Acquire(ctx, w.name, 50*time.Millisecond)
			return err
		})
		if err != nil {
			time.Sleep(time.Millisecond) // another lease lasts, which an Acquire got whose reply was lost
			continue
		}
		w.problem = w.reconcile(head.Seq)
		for range 1 + rand.IntN(20) {
			head.Seq, head.Status = head.Seq+1, thread.Running
			text := fmt.Sprintf("S%d by %d", head.Seq, lease.Token)
			w.open = text
			err := w.repeat(ctx, func(ctx context.Context) error {
				_, err := w.s.Append(ctx, lease, head, []thread.Record{record(head.Seq, text)})
				return err
			})
			if seq, wrong := errors.AsType[*thread.SeqError](err); wrong {
				w.problem = errors.Join(w.problem, seq)
			}
			if err != nil {
				break
			}
			w.acked, w.open = append(w.acked, text), ""
			w.all.add(&w.all.acked, 1)
		}
		_ = w.repeat(ctx, func(ctx context.Context) error { return w.s.Release(ctx, lease) })
	}
}

// reconcile compares the last record of the thread with those that were acknowledged.
func (w *insistent) reconcile(last uint64) error {
	n := uint64(len(w.acked))
	if last == n+1 && w.open != "" {
		w.acked = append(w.acked, w.open)
	} else if last != n {
		return fmt.Errorf("the thread has %d records, and %d were acknowledged", last, n)
	}
	w.open = ""
	return nil
}

// check compares the log with what was acknowledged.
func (w *insistent) check(ctx context.Context) error {
	var records []thread.Record
	err := w.repeat(ctx, func(ctx context.Context) (err error) {
		records, err = w.s.History(ctx, w.name, 0, 0)
		return err
	})
	if err := errors.Join(err, w.reconcile(uint64(len(records)))); err != nil {
		return err
	}
	for i, r := range records {
		if r.Seq != uint64(i+1) || string(r.Data) != w.acked[i] {
			return fmt.Errorf("record %d is %d, %q, and %q was acknowledged", i+1, r.Seq, r.Data, w.acked[i])
		}
	}
	return nil
}
