package harness

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/thread"
)

// Threads sets how a machine makes runs in threads. Its scenarios are then run in one too, each step in a process of
// its own.
func Threads[M, I, O, S any](s *Script, of func(name string) thread.Thread[M, I, O, S]) {
	s.result.Durable = true
	s.start = func(ctx context.Context, in any, opts []graphgen.RunOption) (any, error) {
		return of(threadName).Start(ctx, in.(I), opts...)
	}
	s.again = func(ctx context.Context, opts []graphgen.CallOption) (any, error) {
		return of(threadName).Recover(ctx, opts...)
	}
}

// A Relay hands a run over to another process.
type Relay interface {
	Option() graphgen.RunOption
	Image() []byte
}

// Relayed sets how a machine hands runs over. Its scenarios are then run so too, handed over after each step.
func Relayed[R Relay](s *Script, relay func(id string, from []byte, due func() bool, opts []graphgen.RunOption) (R, error)) {
	s.relay = func(from []byte, opts []graphgen.RunOption) (graphgen.RunOption, error) {
		r, err := relay(runID, from, func() bool { return true }, opts)
		if err != nil {
			return nil, err
		}
		s.relays = r
		return r.Option(), nil
	}
}

// saves reports whether other processes continue a run.
func (m mode) saves() bool { return m == threaded || m == relayed || m == queued }

// overRelays makes a run as long as it is handed over.
func overRelays[O any](s *Script, out any, err error) (O, error) {
	for {
		if s.relays == nil || s.relays.Image() == nil {
			o, _ := out.(O)
			return o, err
		}
		out, err = s.carryOn(s.relays.Image())
	}
}

// Kept returns the options with which a durable machine keeps its threads, and what workers of a queue have for jobs.
func (s *Script) Kept() (options []thread.Option) {
	if s.queue != nil {
		for _, box := range s.Boxes() {
			options = append(options, graphgen.WithToolbox(box))
		}
		return append(options, thread.With(thread.Settings{Store: s.queue.Store(), Seal: &mortal{}}))
	}
	store := &mortal{Store: thread.NewMemory(), dead: map[uint64]bool{}}
	return []thread.Option{thread.With(thread.Settings{Store: store, Seal: store})}
}

// threadName is the name of the thread of a scenario.
const threadName = "scenario"

// errKilled ends the process that has saved a step.
var errKilled = &thread.LostError{Thread: threadName}

// A mortal is a store whose process is killed when it has saved a step, unless the run has branches: of these, others may
// be executing a node, which would be executed again.
type mortal struct {
	thread.Store
	mu   sync.Mutex
	dead map[uint64]bool // by lease

	effects bool // the record that comes has effects in its sealed part
}

// Seal implements thread.Sealer. It encrypts nothing.
func (m *mortal) Seal(data, _ []byte) (string, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.effects = m.effects || hasEffects(data)
	return "", data, nil
}

// Open implements thread.Sealer.
func (m *mortal) Open(_ string, sealed, _ []byte) ([]byte, error) { return sealed, nil }

// hasEffects reports whether a record has what effects gave.
func hasEffects(record []byte) bool { return bytes.Contains(record, []byte(`"effects"`)) }

// branchRecord matches the record of a branch: its place has the name of one.
var branchRecord = regexp.MustCompile(`"at":"[^"]*\.[^"]*"`)

func (m *mortal) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead[l.Token] {
		return thread.Ack{}, errKilled
	}
	ack, err := m.Store.Append(ctx, l, h, r)
	effects := m.effects
	m.effects = false
	if err != nil || h.Status != thread.Running || len(r) == 0 || branchRecord.Match(r[0].Data) || effects || hasEffects(r[0].Data) {
		return ack, err
	}
	m.dead[l.Token] = true
	if err := m.Store.Release(ctx, l); err != nil {
		return thread.Ack{}, err
	}
	return thread.Ack{}, errKilled
}

// Transact implements thread.Transactor, with a transaction that nothing else is in.
func (m *mortal) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	h, r, err := f(ctx)
	if err != nil {
		return thread.Ack{}, err
	}
	return m.Append(ctx, l, h, r)
}

// inThread makes a run in a thread: as long as its process is killed, another one resumes it.
func inThread[O any](ctx context.Context, s *Script, out any, err error, opts []graphgen.CallOption) (O, error) {
	for {
		if !errors.Is(err, errKilled) {
			o, _ := out.(O)
			return o, err
		}
		out, err = s.again(ctx, opts)
	}
}

// savesLess gives the result of a run in a thread what threads do not save, from the result of another run: events, which each
// process has of its own, and what reports have of steps of other processes.
func savesLess(r, of *wire.Result) {
	r.Events, r.Executions, r.Failures = of.Events, of.Executions, of.Failures
	r.Takes, r.MaxAtOnce, r.Refused, r.Passed, r.LeftOut = of.Takes, of.MaxAtOnce, of.Refused, of.Passed, of.LeftOut
	r.Spent, r.Mutations, r.Dropped = of.Spent, of.Mutations, of.Dropped
}

// outlives reports whether a scenario is the same in several processes: its context does not end, and no timeout has to
// count what a process took that was killed.
func outlives(w *wire.Scenario) bool {
	return !w.Cancelled && w.Deadline == 0 && !anyEntry(w.Script, func(e wire.Entry) bool { return e.Cancel || e.Hang || e.Takes > 0 || e.After > 0 })
}
