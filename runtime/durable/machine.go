// Package durable runs the machines of graphs with `durable: true` in threads, which survive the process. It is for generated code, and for tools
// that read threads without their machine: History, StateAt, Replay, ForkThread and InfoOf. Package thread has what other programs need.
package durable

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

var (
	errChain = errors.New("the record does not follow the one before it: one is missing, or was changed")
	errMoved = errors.New("the run does not pause where it had paused: options of the call that began it are missing, or the graph has changed")
)

// A Machine is what a generated machine gives for its threads.
type Machine struct {
	Graph     *engine.Graph
	Of        any // the machine
	Options   *engine.Options
	Secret    bool                                            // the graph, or one that it runs, has secret fields
	Transacts bool                                            // the graph, or one that it runs, has nodes with transaction: true
	Private   []string                                        // fields that Watch leaves out
	Carries   []string                                        // fields with which the next run of a thread begins
	Run       func(context.Context, graphgen.RunOption) error // with a zero input
	New       func() Record                                   // returns a run of which nothing is known
	Subs      map[string]func() *Machine                      // by the node that runs the graph
}

// settings returns how threads are kept.
func (m *Machine) settings() (*thread.Settings, error) {
	set, ok := origin.Of(m.Options.Settings().Thread).(*thread.Settings)
	if !ok || set.Store == nil {
		return nil, thread.ErrNoStore
	}
	if m.Secret && set.Seal == nil {
		return nil, thread.ErrNoKeys
	}
	if _, ok := set.Store.(thread.Transactor); m.Transacts && !ok {
		return nil, thread.ErrNoTransactions
	}
	kept := *set
	kept.Store = thread.Guard(set.Store)
	if kept.Lease <= 0 {
		kept.Lease = thread.DefaultLease
	}
	return &kept, nil
}

// acquire begins a session with a thread.
func (m *Machine) acquire(ctx context.Context, id string, set *thread.Settings, options *engine.Applied) (*session, summary, error) {
	asked := time.Now()
	lease, head, err := set.Store.Acquire(ctx, id, set.Lease)
	if err != nil {
		return nil, summary{}, err
	}
	s := &session{
		m: m, options: options, lease: lease, caller: ctx,
		journal: journal{id: id, graph: m.Graph, set: set, head: head, log: newLog(m.sealing(set)), passing: IsPassing(&head)},
		adopted: map[string]bool{}, names: map[*engine.Graph]*names{},
	}
	s.tenure.begin(asked, lease)
	s.life, s.end = context.WithCancelCause(context.Background())
	s.writer = newWriter(s)
	if set.Mode == thread.Async {
		if s.ahead = set.Ahead; s.ahead <= 0 {
			s.ahead = thread.DefaultAhead
		}
	}
	s.settled = sync.NewCond(&s.mu)
	s.hub, _ = origin.Of(set.Feed.Origin()).(*feed.Hub)
	if head.Stop {
		s.stopper.Stop()
	}
	about, err := summaryOf(&head, set.Seal)
	switch {
	case err != nil:
		err = &thread.StoreError{Thread: id, Err: err}
	case head.Status != thread.New && head.Graph != m.Graph.Name:
		err = refuse(id, "is of the graph "+quote.Text(head.Graph))
	case about.partial:
		err = refuse(id, "is a fork that is not whole, as its process has ended: make the same fork again, or delete it")
	}
	if err != nil {
		s.release()
		return nil, summary{}, err
	}
	s.tenure.watch(func(err error) {
		s.fail(&thread.LostError{Thread: s.id, Token: s.lease.Token, TTL: s.lease.TTL, Err: err})
	})
	go s.renew() // also while the thread is read, which may take longer than the lease
	return s, about, nil
}

// A Session is a run of a thread that this process may make.
type Session struct {
	Context context.Context // for the run
	Option  graphgen.RunOption

	session *session
}

// newRun returns the context and the option of the run of a session, which begins in a phase.
func (s *session) newRun(ctx context.Context, p phase) *Session {
	s.caller = ctx
	ctx, cancel := context.WithCancelCause(ctx)
	s.cancel.Store(&cancel)
	if err := s.failed(); err != nil { // before there was a run to cancel
		cancel(err)
	}
	s.made.Store(s.head.Seq)
	s.begin(p)
	s.hub.Begin(s.id)
	in := option.ForRun[optionset.Settings](func(o *optionset.Settings) { o.Thread = origin.To(engine.Thread(s)) })
	return &Session{ctx, in, s}
}

// Shape returns the shape of the graph.
func (m *Machine) Shape() string { return m.Graph.Shape }

// recover continues the run of a thread whose process has ended, or that was stopped or failed. A run that is
// complete gives its output again. A thread that waits, and that an earlier version of the graph has saved, is saved in the
// version of the machine, with its requests.
func (m *Machine) recover(ctx context.Context, id string, opts []graphgen.CallOption) (*Session, error) {
	s, err := m.open(ctx, id, engine.Apply(m.Options, opts))
	if err != nil {
		return nil, err
	}
	on, err := s.recover(ctx)
	if err != nil {
		s.release()
	}
	return on, err
}

// recover continues the run that was read.
func (s *session) recover(ctx context.Context) (*Session, error) {
	switch s.head.Status {
	case thread.Completed:
		return s.newRun(ctx, replaying), nil // its output is all that there is to get
	case thread.Paused:
		if s.up.done && !s.up.moved {
			return nil, s.resave(ctx)
		}
		if !s.up.moved {
			return nil, s.m.waits(&s.head, s.set.Seal)
		}
	}
	return s.newRun(ctx, running), nil
}

// open begins a session with a thread that has records, and reads them.
func (m *Machine) open(ctx context.Context, id string, all *engine.Applied) (*session, error) {
	set, err := m.settings()
	if err != nil {
		return nil, err
	}
	if err := m.refuses(all); err != nil {
		return nil, err
	}
	s, about, err := m.acquire(ctx, id, set, all)
	if err != nil {
		return nil, err
	}
	if s.head.Status == thread.New {
		s.release()
		return nil, &thread.NotFoundError{Thread: id}
	}
	if err = s.read(ctx, &about); err == nil {
		err = s.upgrade()
	}
	if err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// read reads the log of the thread.
func (s *session) read(ctx context.Context, about *summary) error {
	l, _, _, err := loaded(ctx, s.set.Store, s.id, 0, s.m.sealing(s.set))
	if err == nil && l.chain != about.chain { // also where the store compares nothing
		err = &thread.CorruptError{Thread: s.id, Where: "the last record is not the one of the head"}
	}
	switch lost := s.failed(); {
	case err == nil:
		s.log = l
	case lost != nil: // another process may have continued the thread meanwhile
		return lost
	}
	return err
}

// upgrade brings the runs of the log to the versions of the machines, so that the session can continue them.
func (s *session) upgrade() (err error) {
	if s.up, err = s.m.upgrade(s.id, s.log); err == nil {
		s.began, s.unlogged = true, s.up.done
	}
	return err
}

// waits returns the pause of a thread that waits.
func (m *Machine) waits(h *thread.Head, by thread.Sealer) error {
	about, err := summaryOf(h, by)
	if err != nil {
		return &thread.StoreError{Thread: h.Thread, Err: err}
	}
	return m.pausedWith(h.Thread, about.requests)
}

// pausedWith returns the pause of a thread that waits for requests.
func (m *Machine) pausedWith(id string, requests []graphgen.Request) error {
	p := &graphgen.Pause{Requests: requests}
	m.lead(p, id)
	return &graphgen.RunError{Graph: m.Graph.Name, Reason: graphgen.Paused, Err: &graphgen.InterruptedError{Pause: p}}
}

// resave saves a paused thread in the version of the machine, with the requests that the machine makes, and returns its pause.
func (s *session) resave(ctx context.Context) error {
	defer s.release()
	p, err := s.pause(ctx)
	if err != nil {
		return err
	}
	err = s.save(func() error {
		for i := range p.Requests {
			s.next.open = append(s.next.open, openRequest{p.Requests[i].ID, p.Requests[i].Deadline})
		}
		s.next.closed = true
		return s.flushWith(thread.Paused, summary{requests: p.Requests})
	})
	if err != nil {
		return &graphgen.RunError{Graph: s.m.Graph.Name, Reason: graphgen.Failed, Err: err}
	}
	return s.m.pausedWith(s.id, p.Requests)
}

// pause makes the run of a paused thread up to its pause, and executes nothing.
func (s *session) pause(ctx context.Context) (*graphgen.Pause, error) {
	on := s.newRun(ctx, replaying)
	err := s.m.Run(on.Context, on.Option)
	if p := graphgen.AsPause(err); p != nil && s.is(replaying) {
		return p, nil
	}
	if wrong, ok := errors.AsType[*graphgen.ConfigError](err); ok { // of an option of the call
		return nil, wrong
	}
	if err == nil {
		err = errMoved
	}
	return nil, &thread.StoreError{Thread: s.id, Err: err}
}

// lead makes a pause lead to its thread.
func (m *Machine) lead(p *graphgen.Pause, id string) {
	engine.Lead(p, m.Of, func(ctx context.Context, opts []graphgen.ResumeOption) (*engine.Reopened, error) {
		return m.reopen(ctx, id, opts)
	})
}

// reopen brings the paused run of a thread into memory.
func (m *Machine) reopen(ctx context.Context, id string, opts []graphgen.ResumeOption) (*engine.Reopened, error) {
	s, err := m.open(ctx, id, engine.Apply(m.Options, opts))
	if err != nil {
		return nil, err
	}
	if s.head.Status != thread.Paused {
		s.release()
		return nil, graphgen.ErrResumed
	}
	if s.up.moved {
		s.release()
		return nil, refuse(id, "does not wait any more in this version of the graph: continue it by Recover")
	}
	done := false
	defer func() {
		if !done { // it is not a pause, or a hook has ended the goroutine
			s.release()
		}
	}()
	all := s.options
	s.options = all.Reopening()
	p, err := s.pause(ctx)
	if err != nil {
		return nil, err
	}
	done = true
	return &engine.Reopened{Pause: p, Options: all, Release: s.release}, nil
}

// stop requests that the run of a thread stops before its next node, in whatever process it is.
func (m *Machine) stop(ctx context.Context, id string) error {
	set, err := m.settings()
	if err != nil {
		return err
	}
	return set.Store.Stop(ctx, id)
}

// Threads yields the threads of the machine's graph. The last pair has the error, if there is one.
func (m *Machine) Threads(ctx context.Context, f thread.Filter) iter.Seq2[thread.Info, error] {
	return func(yield func(thread.Info, error) bool) {
		set, err := m.settings()
		if err != nil {
			yield(thread.Info{}, err)
			return
		}
		f.Graph = m.Graph.Name
		for h, err := range thread.All(ctx, set.Store, f) {
			about, wrong := summaryOf(&h, set.Seal)
			if err == nil {
				err = wrong
			}
			if !yield(about.of(&h), err) {
				return
			}
		}
	}
}
