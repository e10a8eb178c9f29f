package thread_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
)

// lease is the time of leases in these tests.
const lease = 30 * time.Second

// orphan makes a thread whose run has not ended, and leaves its lease behind.
func orphan(t *testing.T, s thread.Store, name string) {
	t.Helper()
	l, head, err := s.Acquire(t.Context(), name, lease)
	if err != nil {
		t.Fatal(err)
	}
	head.Graph, head.Status, head.Seq = "letter", thread.Running, 1
	if _, err := s.Append(t.Context(), l, head, []thread.Record{{Seq: 1, Snapshot: true, Data: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
}

// A fake is a machine whose runs take a time, and end with a status.
type fake struct {
	store thread.Store
	takes time.Duration
	ends  thread.Status
	err   error

	mu      sync.Mutex
	at      map[string][]time.Duration // when the runs of a thread began
	now     int
	most    int // that ran at once
	begin   time.Time
	calls   int
	reports []string
}

func newFake(s thread.Store) *fake {
	return &fake{store: s, ends: thread.Completed, at: map[string][]time.Duration{}, begin: time.Now()}
}

func (f *fake) recover(ctx context.Context, name string) error {
	f.mu.Lock()
	f.calls++
	f.mu.Unlock()
	l, head, err := f.store.Acquire(ctx, name, time.Hour)
	if err != nil {
		return err
	}
	defer f.store.Release(context.WithoutCancel(ctx), l)
	f.mu.Lock()
	f.at[name] = append(f.at[name], time.Since(f.begin))
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		err = ctx.Err()
	}
	f.mu.Lock()
	f.now--
	f.mu.Unlock()
	f.mu.Lock()
	ends, failure := f.ends, f.err
	f.mu.Unlock()
	if err == nil && ends != thread.Running {
		head.Status = ends
		_, err = f.store.Append(ctx, l, head, nil)
	}
	return errors.Join(err, failure)
}

// ending sets how the runs that follow end.
func (f *fake) ending(status thread.Status, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ends, f.err = status, err
}

func (f *fake) report(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reports = append(f.reports, name+": "+err.Error())
}

// works runs a worker for a time.
func (f *fake) works(ctx context.Context, long time.Duration, change func(*thread.Recovery)) error {
	r := thread.Recovery{Graph: "letter", Run: f.recover, Report: f.report}
	if change != nil {
		change(&r)
	}
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	return thread.Recover(ctx, f.store, r)
}

func TestRecover(t *testing.T) {
	tests := map[string]func(t *testing.T, s *thread.Memory, f *fake){
		"a thread is recovered when its lease has ended, and not before": func(t *testing.T, s *thread.Memory, f *fake) {
			orphan(t, s, "a")
			if err := f.works(t.Context(), 2*time.Minute, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the error is %v", err)
			}
			at := f.at["a"]
			if f.calls != 1 || len(at) != 1 || at[0] < lease || at[0] > lease+15*time.Second {
				t.Errorf("it ran after %v, in %d calls", at, f.calls)
			}
			if len(f.reports) > 0 {
				t.Error(f.reports)
			}
		},
		"threads of other graphs and names, that wait, or have ended, are left": func(t *testing.T, s *thread.Memory, f *fake) {
			for name, status := range map[string]thread.Status{"a1": thread.Paused, "a2": thread.Failed, "a3": thread.Running, "b": thread.Running} {
				l, head, _ := s.Acquire(t.Context(), name, lease)
				head.Graph, head.Status, head.Seq = "letter", status, 1
				if name == "a3" {
					head.Graph = "other"
				}
				s.Append(t.Context(), l, head, []thread.Record{{Seq: 1, Snapshot: true}})
				s.Release(t.Context(), l)
			}
			f.works(t.Context(), time.Minute, func(r *thread.Recovery) { r.Prefix = "a" })
			if len(f.at) > 0 {
				t.Errorf("runs: %v", f.at)
			}
		},
		"threads that wait in another version are saved in that of the worker": func(t *testing.T, s *thread.Memory, f *fake) {
			for name, shape := range map[string]string{"old": "1", "older": "0", "new": "2", "stubborn": "1"} {
				l, head, _ := s.Acquire(t.Context(), name, lease)
				head.Graph, head.Shape, head.Status, head.Seq = "letter", shape, thread.Paused, 1
				s.Append(t.Context(), l, head, []thread.Record{{Seq: 1, Snapshot: true}})
				s.Release(t.Context(), l)
			}
			tries := map[string][]time.Duration{}
			f.works(t.Context(), time.Hour, func(r *thread.Recovery) {
				r.Shape = "2"
				r.Run = func(ctx context.Context, name string) error {
					f.mu.Lock()
					tries[name] = append(tries[name], time.Since(f.begin))
					f.mu.Unlock()
					l, head, err := s.Acquire(ctx, name, lease)
					if err != nil {
						return err
					}
					defer s.Release(ctx, l)
					if name != "stubborn" {
						head.Shape = "2"
						s.Append(ctx, l, head, nil)
					}
					return &graphgen.InterruptedError{}
				}
			})
			if len(tries["old"]) != 1 || len(tries["older"]) != 1 || len(tries["new"]) != 0 || len(f.reports) > 0 {
				t.Errorf("runs: %v, reports %v", tries, f.reports)
			}
			if n := len(tries["stubborn"]); n < 5 || n > 20 {
				t.Errorf("a thread that stays as it is was tried %d times in an hour", n)
			}
			f.works(t.Context(), time.Minute, func(r *thread.Recovery) { r.Shape, r.Graph = "2", "" })
			if len(f.at) > 0 {
				t.Errorf("without a graph, these threads run: %v", f.at)
			}
		},
		"a run that fails by the pause or the held thread of another run is reported": func(t *testing.T, s *thread.Memory, f *fake) {
			for name, err := range map[string]error{
				"paused": &graphgen.RunError{Reason: graphgen.Paused, Err: &graphgen.InterruptedError{Pause: &graphgen.Pause{}}},
				"held":   &thread.HeldError{Thread: "other"},
			} {
				orphan(t, s, name)
				f.ending(thread.Failed, &graphgen.RunError{Reason: graphgen.Failed, Err: &graphgen.NodeError{Err: err}})
				f.reports = nil
				f.works(t.Context(), time.Minute, func(r *thread.Recovery) { r.Prefix = name })
				if len(f.reports) != 1 {
					t.Errorf("%s: reports %q", name, f.reports)
				}
			}
		},
		"two workers run each thread once": func(t *testing.T, s *thread.Memory, f *fake) {
			for i := range 50 {
				orphan(t, s, fmt.Sprint("t", i))
			}
			f.takes = 3 * time.Second
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { f.works(t.Context(), 10*time.Minute, nil) })
			}
			wg.Wait()
			for name, at := range f.at {
				if len(at) != 1 {
					t.Errorf("thread %s ran %d times", name, len(at))
				}
			}
			if len(f.at) != 50 || f.most != 8 || len(f.reports) > 0 {
				t.Errorf("%d threads ran, %d at once, reports %v", len(f.at), f.most, f.reports)
			}
		},
		"a thread that failed elsewhere while it waited for its turn is left": func(t *testing.T, s *thread.Memory, f *fake) {
			orphan(t, s, "a")
			orphan(t, s, "b")
			f.takes = time.Minute
			time.Sleep(lease)
			go func() { // the thread that is not running fails
				time.Sleep(30 * time.Second)
				for _, name := range []string{"a", "b"} {
					if l, head, err := s.Acquire(t.Context(), name, lease); err == nil {
						head.Status = thread.Failed
						s.Append(t.Context(), l, head, nil)
						s.Release(t.Context(), l)
					}
				}
			}()
			f.works(t.Context(), 5*time.Minute, func(r *thread.Recovery) { r.AtOnce = 1 })
			if len(f.at) != 1 {
				t.Errorf("runs: %v", f.at)
			}
		},
		"a thread that cannot run is tried after times that double, and others go on": func(t *testing.T, s *thread.Memory, f *fake) {
			orphan(t, s, "a")
			f.ending(thread.Running, errors.New("the graph has no node \"x\""))
			done := make(chan struct{})
			go func() {
				f.works(t.Context(), 3*time.Hour, func(r *thread.Recovery) { r.AtOnce = 1 })
				close(done)
			}()
			time.Sleep(time.Hour)
			f.ending(thread.Completed, nil)
			orphan(t, s, "b")
			<-done
			at := f.at["a"]
			for i := 1; i < len(at)-1; i++ {
				wait, want := at[i]-at[i-1], min(10*time.Second<<(i-1), 10*time.Minute)
				if wait < want/2 || wait > want*3/2+15*time.Second {
					t.Errorf("attempt %d followed after %v, want about %v", i+1, wait, want)
				}
			}
			if len(at) < 8 || len(f.at["b"]) != 1 {
				t.Errorf("attempts %v", f.at)
			}
			if f.reports[0] != `a: the graph has no node "x"` {
				t.Errorf("reports %v", f.reports)
			}
		},
		"a pause and a lease of another process are no errors": func(t *testing.T, s *thread.Memory, f *fake) {
			orphan(t, s, "a")
			f.ending(thread.Paused, &graphgen.RunError{Reason: graphgen.Paused, Err: &graphgen.InterruptedError{}})
			held := errors.New("")
			f.works(t.Context(), time.Minute, func(r *thread.Recovery) {
				run := r.Run
				r.Run = func(ctx context.Context, name string) error {
					if held != nil {
						held = nil
						return &thread.HeldError{Thread: name}
					}
					return run(ctx, name)
				}
			})
			if len(f.at["a"]) != 1 || len(f.reports) > 0 {
				t.Errorf("runs %v, reports %v", f.at, f.reports)
			}
		},
		"a thread that runs is left, though its lease has ended": func(t *testing.T, s *thread.Memory, f *fake) {
			orphan(t, s, "a")
			calls := 0
			f.works(t.Context(), time.Hour, func(r *thread.Recovery) {
				r.Run = func(ctx context.Context, _ string) error {
					calls++
					<-ctx.Done()
					return nil
				}
			})
			if calls != 1 {
				t.Errorf("it ran %d times", calls)
			}
		},
		"a panic is an error of its thread": func(t *testing.T, s *thread.Memory, f *fake) {
			orphan(t, s, "a")
			f.works(t.Context(), time.Minute, func(r *thread.Recovery) { r.Run = func(context.Context, string) error { panic("no") } })
			if len(f.reports) == 0 || f.reports[0] != "a: panic: no" {
				t.Errorf("reports %v", f.reports)
			}
		},
		"an error of the store is reported, and the next look follows": func(t *testing.T, s *thread.Memory, f *fake) {
			orphan(t, s, "a")
			f.store = &failing{Store: s, left: 2}
			f.works(t.Context(), 2*time.Minute, nil)
			if want := []string{": the store is down", ": the store is down"}; !slices.Equal(f.reports, want) || len(f.at["a"]) != 1 {
				t.Errorf("runs %v, reports %v", f.at, f.reports)
			}
		},
		"the end of the context ends runs, and is no error of theirs": func(t *testing.T, s *thread.Memory, f *fake) {
			for _, name := range []string{"a", "b", "c"} {
				orphan(t, s, name)
			}
			f.takes = time.Hour
			if err := f.works(t.Context(), 2*time.Minute, func(r *thread.Recovery) { r.AtOnce = 2 }); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the error is %v", err)
			}
			if f.now != 0 || f.most != 2 || len(f.reports) > 0 || time.Since(f.begin) != 2*time.Minute {
				t.Errorf("%d runs go on, of %d, after %v, reports %v", f.now, f.most, time.Since(f.begin), f.reports)
			}
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := thread.NewMemory()
				test(t, s, newFake(s))
			})
		})
	}
}

// A failing store has errors for its first lists.
type failing struct {
	thread.Store
	left int
}

func (s *failing) List(ctx context.Context, f thread.Filter) ([]thread.Head, error) {
	if s.left > 0 {
		s.left--
		return nil, errors.New("the store is down")
	}
	return s.Store.List(ctx, f)
}

// A manual clock moves by what is waited for.
type manual struct {
	now   time.Time
	waits []time.Duration
	end   func()
}

func (c *manual) Now() time.Time { return c.now }

func (c *manual) After(d time.Duration) <-chan time.Time {
	c.waits, c.now = append(c.waits, d), c.now.Add(d)
	if len(c.waits) == 100 {
		c.end()
		return nil
	}
	at := make(chan time.Time, 1)
	at <- c.now
	return at
}

// TestRecoverWaits holds that the times between looks vary around Every.
func TestRecoverWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := &manual{end: cancel}
	err := thread.Recover(ctx, thread.NewMemory(), thread.Recovery{Every: time.Hour, Clock: c})
	least, most := slices.Min(c.waits), slices.Max(c.waits)
	if !errors.Is(err, context.Canceled) || least < time.Hour/2 || most > time.Hour*3/2 || most-least < time.Hour/2 {
		t.Errorf("waits between %v and %v, %v", least, most, err)
	}
}
