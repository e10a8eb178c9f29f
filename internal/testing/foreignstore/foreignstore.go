// Package foreignstore tests durable runs over each store: what becomes of them where it panics or cannot be reached, and which runs it knows.
package foreignstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// A Clock is the clock of a store in a test. Its time changes by hour.
type Clock struct{ hours atomic.Int64 }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(c.hours.Load()) * time.Hour)
}

// An Open opens a store that takes its time from the clock, and has no threads.
type Open func(t *testing.T, c *Clock) thread.Store

// Panics starts a run over a store that panics at its first call, then one over a store that panics at its second call, and so on
// until a run needs no more calls. Each ends, with its result or an error. Another process continues with what was saved: no call of
// a tool that was recorded is made again.
func Panics(t *testing.T, open Open) {
	broken := 0
	for at := int64(1); ; at++ {
		clock := new(Clock)
		s := open(t, clock)
		p := &panicking{Store: s, at: at}
		w := &works{made: map[string]int{}}
		_, err := w.clerk(t, p).Thread("t").Start(t.Context(), durable.ClerkInput{Message: "x"})
		if p.calls.Load() < at {
			if err != nil {
				t.Error("without a panic:", err)
			}
			break
		}
		broken++
		if err := again(t.Context(), w.clerk(t, s), clock); err != nil {
			t.Errorf("call %d panicked, then: %v", at, err)
		}
		for key, n := range w.made {
			if n > 2 {
				t.Errorf("call %d panicked: the call %s of a tool was made %d times", at, key, n)
			}
		}
	}
	if broken < 5 {
		t.Errorf("a run makes %d calls of its store", broken)
	}
	t.Logf("%d calls panicked", broken)
}

// again continues the run of the thread, in the state in which a panic has left it.
func again(ctx context.Context, m *durable.Clerk, clock *Clock) (err error) {
	for range 2 {
		clock.hours.Add(1)
		_, err = m.Thread("t").Recover(ctx)
		if _, none := errors.AsType[*thread.NotFoundError](err); none {
			_, err = m.Thread("t").Start(ctx, durable.ClerkInput{Message: "x"})
		}
		if err == nil {
			break
		}
	}
	return err
}

// A panicking store panics at one of its calls.
type panicking struct {
	thread.Store
	at    int64
	calls atomic.Int64
}

func (p *panicking) step() {
	if p.calls.Add(1) == p.at {
		panic("a mistake of the store")
	}
}

func (p *panicking) Acquire(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
	p.step()
	return p.Store.Acquire(ctx, name, ttl)
}

func (p *panicking) Release(ctx context.Context, l thread.Lease) error {
	p.step()
	return p.Store.Release(ctx, l)
}

func (p *panicking) Load(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
	p.step()
	return p.Store.Load(ctx, name, at)
}

func (p *panicking) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	p.step()
	return p.Store.Append(ctx, l, h, r)
}

// works are the tools of a clerk, which count their calls.
type works struct {
	mu   sync.Mutex
	made map[string]int // by idempotency key
}

func (w *works) count(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made[graphgen.IdempotencyKey(ctx)]++
}

func (w *works) File(context.Context, durable.ClerkFileIn) (durable.ClerkFileOut, error) {
	return durable.ClerkFileOut{Filed: []string{"x"}}, nil
}

func (w *works) LookUp(ctx context.Context, _ durable.ClerkLookUpArgs) (int, error) {
	w.count(ctx)
	return 1, nil
}

func (w *works) Refund(ctx context.Context, _ durable.ClerkRefundArgs) (string, error) {
	w.count(ctx)
	return "done", nil
}

// clerk returns a machine that calls its tool twice at the same time.
func (w *works) clerk(t *testing.T, s thread.Store) *durable.Clerk {
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		if last := req.Messages[len(req.Messages)-1]; last.Role == chat.RoleTool {
			return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}, Finish: chat.Stop}, nil
		}
		calls := []chat.ToolCall{{ID: "0", Name: "look_up", Arguments: `{"order":"0"}`}, {ID: "1", Name: "look_up", Arguments: `{"order":"1"}`}}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: calls}, Finish: chat.ToolCalls}, nil
	})
	m, err := durable.NewClerk(w, w, model, thread.In(s))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Partition starts a run whose process cannot reach its store once the handler works. Its context ends when the lease has, with
// the loss as the cause; another process takes over; and the first appends nothing more, though it reaches the store again.
func Partition(t *testing.T, open Open) {
	clock := new(Clock)
	s := open(t, clock)
	cut := &unreachable{Store: s}
	var cause error
	first := newJournal(t, thread.Settings{Store: cut, Lease: time.Second}, func(ctx context.Context) (string, error) {
		cut.off.Store(true)
		<-ctx.Done()
		cut.lost.Store(true)
		cause = context.Cause(ctx)
		return "first", nil // it does not care for its context
	})
	_, err := first.Thread("t").Start(t.Context(), durable.JournalInput{Basis: "x", Most: 1})
	if lost, ok := errors.AsType[*thread.LostError](cause); !ok || lost.Thread != "t" || lost.TTL != time.Second {
		t.Errorf("the context of the handler ended with %v", cause)
	}
	if lost, ok := errors.AsType[*thread.LostError](err); !ok || lost.TTL != time.Second {
		t.Errorf("the run ended with %v", err)
	}
	if n := cut.late.Load(); n > 0 {
		t.Errorf("%d records were appended after the lease", n)
	}
	clock.hours.Add(1)
	second := newJournal(t, thread.Settings{Store: s}, func(context.Context) (string, error) { return "second", nil })
	out, err := second.Thread("t").Recover(t.Context())
	if err != nil || len(out.Entries) != 1 || out.Entries[0] != "second" {
		t.Errorf("the other process: %v, %v", out, err)
	}
}

// An unreachable store fails once it is cut off. It is reached again when the run has lost its lease.
type unreachable struct {
	thread.Store
	off, lost atomic.Bool
	late      atomic.Int64
}

var errUnreachable = errors.New("the network is down")

func (u *unreachable) Renew(ctx context.Context, l thread.Lease) (thread.Ack, error) {
	if u.off.Load() {
		return thread.Ack{}, errUnreachable
	}
	return u.Store.Renew(ctx, l)
}

func (u *unreachable) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	if u.off.Load() {
		if u.lost.Load() {
			u.late.Add(1)
		}
		return thread.Ack{}, errUnreachable
	}
	return u.Store.Append(ctx, l, h, r)
}

func (u *unreachable) Release(ctx context.Context, l thread.Lease) error {
	if u.off.Load() {
		return errUnreachable
	}
	return u.Store.Release(ctx, l)
}

// A writer writes an entry.
type writer func(context.Context) (entry string, err error)

func (w writer) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	entry, err := w(ctx)
	return durable.JournalWriteOut{Entries: []string{entry}, Pages: 1}, err
}

func newJournal(t *testing.T, set thread.Settings, w writer) *durable.Journal {
	m, err := durable.NewJournal(w, thread.With(set))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
