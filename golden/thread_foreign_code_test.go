package golden_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/sealed"
	"github.com/graphgen/graphgen/thread"
)

// A badRenewer is a store that panics when a lease is renewed.
type badRenewer struct{ thread.Store }

func (badRenewer) Renew(context.Context, thread.Lease) (thread.Ack, error) {
	panic("a mistake of the store")
}

// A patient handler waits for the end of its context, unless its run is recovered.
type patient struct {
	recovered bool
	cause     error
}

func (p *patient) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	if !p.recovered {
		<-ctx.Done()
		p.cause = context.Cause(ctx)
	}
	return durable.JournalWriteOut{Entries: []string{"x"}, Pages: 1}, nil
}

// TestRenewPanics holds that a panic of a store that renews a lease ends the context of the run, with the panic as the cause, and neither the
// process nor the thread: another one goes on with it.
func TestRenewPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, p := thread.NewMemory(), new(patient)
		m, err := durable.NewJournal(p, thread.In(badRenewer{store}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Thread("t").Start(t.Context(), durable.JournalInput{Basis: "x", Most: 1})
		for _, is := range []error{err, p.cause} {
			if is == nil || !strings.Contains(is.Error(), "a mistake of the store") {
				t.Errorf("the run ends with %v", is)
			}
		}
		time.Sleep(time.Hour)
		m, err = durable.NewJournal(&patient{recovered: true}, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Thread("t").Recover(t.Context()); err != nil {
			t.Error("the other process:", err)
		}
	})
}

// A badSealer panics at one of its calls.
type badSealer struct {
	thread.Sealer
	at    int64
	calls atomic.Int64
}

func (b *badSealer) step() {
	if b.calls.Add(1) == b.at {
		panic("a mistake of the sealer")
	}
}

func (b *badSealer) Seal(data, about []byte) (string, []byte, error) {
	b.step()
	return b.Sealer.Seal(data, about)
}

func (b *badSealer) Open(key string, data, about []byte) ([]byte, error) {
	b.step()
	return b.Sealer.Open(key, data, about)
}

// TestSealerPanics runs a graph with secrets whose sealer panics at its first call, at its second, and so on. Each run ends with the panic, and
// goes on with a sealer that does not.
func TestSealerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for at := int64(1); ; at++ {
			store, bad := thread.NewMemory(), &badSealer{Sealer: keys(t, "one"), at: at}
			_, err := toSignature(t, sealedStart, newSealed(t, new(ledger), thread.Settings{Store: store, Seal: bad}))
			if bad.calls.Load() < at {
				if at < 10 || err != nil {
					t.Errorf("a run calls its sealer %d times, and ends with %v", at-1, err)
				}
				t.Logf("%d calls panicked", at-1)
				return
			}
			if err == nil || !strings.Contains(err.Error(), "a mistake of the sealer") {
				t.Errorf("call %d panicked: the run ends with %v", at, err)
			}
			time.Sleep(time.Hour)
			m := newSealed(t, new(ledger), thread.Settings{Store: store, Seal: keys(t, "one")})
			if _, err := toSignature(t, goOn, m); err != nil {
				t.Errorf("call %d panicked, then: %v", at, err)
			}
		}
	})
}

// goOn goes on with the thread that has been left, from its start where there is nothing of it.
func goOn(ctx context.Context, m *sealed.Sealed) (sealed.SealedOutput, error) {
	out, err := m.Thread("t").Recover(ctx)
	if _, none := errors.AsType[*thread.NotFoundError](err); none {
		return sealedStart(ctx, m)
	}
	return out, err
}

// toSignature begins a run, and signs where it waits for that.
func toSignature(t *testing.T, begin func(context.Context, *sealed.Sealed) (sealed.SealedOutput, error), m *sealed.Sealed) (sealed.SealedOutput, error) {
	out, err := begin(t.Context(), m)
	if p := graphgen.AsPause(err); p != nil {
		return m.Resume(t.Context(), p, sealed.AnswerSealedSign(graphgen.Approve))
	}
	return out, err
}

// TestObserverPanicsInThread holds that an observer which panics at every event of a durable run changes nothing but the report.
func TestObserverPanicsInThread(t *testing.T) {
	panics := func(graphgen.Event) { panic("a mistake of the observer") }
	var report graphgen.Report
	m := newSealed(t, new(ledger), thread.Settings{Store: thread.NewMemory(), Seal: keys(t, "one")})
	_, err := toSignature(t, func(ctx context.Context, m *sealed.Sealed) (sealed.SealedOutput, error) {
		in := sealed.SealedInput{Name: "Ada", Complaints: []string{"cough"}}
		return m.Thread("t").Start(ctx, in, graphgen.WithObserver(panics), graphgen.WithReport(&report))
	}, m)
	if err != nil || report.HookFailures == 0 {
		t.Errorf("%v, %d failures of observers", err, report.HookFailures)
	}
}
