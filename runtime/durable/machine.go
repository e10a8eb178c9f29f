// Package durable runs the machines of graphs with `durable: true` in threads, which survive the process. Generated code
// calls it, and nothing else should: package thread has what people need, the stores and the options.
package durable

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// ErrNoStore is the error of the methods for threads of a machine without a store.
var ErrNoStore = errors.New("the machine has no store for threads: give its constructor the option thread.In")

var (
	errChain = errors.New("the record does not follow the one before it: one is missing, or was changed")
	errMoved = errors.New("the run does not pause where it had paused: options of the call that began it are missing, or the graph has changed")
)

// A Machine is what a generated machine gives for its threads.
type Machine struct {
	Graph     *engine.Graph
	Of        any // the machine
	Options   []graphgen.Option
	Secret    bool                                           // the graph, or one that it runs, has secret fields
	Transacts bool                                           // the graph, or one that it runs, has nodes with transaction: true
	Private   []string                                       // fields that Watch leaves out
	Carries   []string                                       // fields with which the next run of a thread begins
	Run       func(context.Context, []graphgen.Option) error // with a zero input
	New       func() Record                                  // returns a run of which nothing is known
	Subs      map[string]func() *Machine                     // by the node that runs the graph
}

// settings returns the options of the machine and of a call, and how threads are kept.
func (m *Machine) settings(opts []graphgen.Option) (*engine.Applied, *thread.Settings, error) {
	all := engine.Apply(m.Options, opts)
	s := all.Settings()
	set, ok := origin.Of(s.Thread).(*thread.Settings)
	if !ok || set.Store == nil {
		return nil, nil, ErrNoStore
	}
	if m.Secret && set.Seal == nil {
		return nil, nil, ErrNoKeys
	}
	if _, ok := set.Store.(thread.Transactor); m.Transacts && !ok {
		return nil, nil, ErrNoTransactions
	}
	kept := *set
	kept.Store = thread.Guard(set.Store)
	if kept.Lease <= 0 {
		kept.Lease = thread.DefaultLease
	}
	return all, &kept, nil
}

// acquire begins a session with a thread.
func (m *Machine) acquire(ctx context.Context, id string, set *thread.Settings, options *engine.Applied) (*session, summary, error) {
	asked := time.Now()
	lease, head, err := set.Store.Acquire(ctx, id, set.Lease)
	if err != nil {
		return nil, summary{}, err
	}
	s := &session{
		m: m, set: set, options: options, id: id, lease: lease, head: head, log: newLog(m.sealing(set)), caller: ctx, cancel: func(error) {},
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
		err = &LoadError{Thread: id, Err: err}
	case head.Status != thread.New && head.Graph != m.Graph.Name:
		err = &StateError{id, "is of the graph " + quote.Text(head.Graph)}
	}
	if err != nil {
		s.release()
		return nil, summary{}, err
	}
	return s, about, nil
}

// A Session is a run of a thread that this process may make.
type Session struct {
	Context context.Context // for the run
	Options []graphgen.Option

	session *session
}

// Make makes the run of a session, by the method Run of its machine. An error is why there is no session.
func Make[In, Out any](s *Session, err error, run func(context.Context, In, ...graphgen.Option) (Out, error), in In) (out Out, _ error) {
	if err != nil {
		return out, err
	}
	defer s.session.release() // its goroutine may end in the midst of a step
	return run(s.Context, in, s.Options...)
}

// goes returns the context and the option of the run of a session.
func (s *session) goes(ctx context.Context) *Session {
	s.caller = ctx
	ctx, s.cancel = context.WithCancelCause(ctx)
	s.made.Store(s.head.Seq)
	s.goesOn = true
	s.hub.Begin(s.id)
	s.tenure.watch(func(err error) { s.fail(&LeaseError{Thread: s.id, TTL: s.lease.TTL, Err: err}) })
	go s.renew()
	return &Session{ctx, []graphgen.Option{func(o *graphgen.Settings) { o.Thread = origin.To(engine.Thread(s)) }}, s}
}

// Start begins a run in a thread, or returns the result of the run that its ID names. state lists the fields of the state as they are with
// the input, whose fields have the names inputs.
func (m *Machine) Start(ctx context.Context, id string, opts []graphgen.Option, state func(*codec.Cells), inputs ...string) (*Session, error) {
	all, set, err := m.settings(opts)
	if err != nil {
		return nil, err
	}
	s, about, err := m.acquire(ctx, id, set, all)
	if err != nil {
		return nil, err
	}
	on, err := s.start(ctx, &about, inputHash(state, inputs))
	if err != nil {
		s.release()
	}
	return on, err
}

// start is Start for a thread that is acquired.
func (s *session) start(ctx context.Context, about *summary, input string) (*Session, error) {
	all := s.options.Settings()
	named := all.RunID != "" || about.named || !isNumbered(s.id, about.run)
	if s.head.Seq > 0 && (named || len(s.m.Carries) > 0) {
		if err := s.read(ctx, about); err != nil {
			return nil, err
		}
	}
	if on, err := s.known(ctx, about, all.RunID, input); on != nil || err != nil {
		return on, err
	}
	switch s.head.Status {
	case thread.Running:
		return nil, &StateError{s.id, "has a run that has not ended: go on with it by Recover"}
	case thread.Paused:
		return nil, &StateError{s.id, "has a run that waits: answer its requests"}
	}
	l := newLog(s.m.sealing(s.set))
	l.chain, l.run, l.input, l.earlier = about.chain, all.RunID, input, s.log.past(s.id, s.head.Seq)
	l.seals = l.seals || s.log.seals && len(l.earlier) > 0 // their inputs may have had secret fields
	if l.run == "" {
		l.run = numbered(s.id, s.head.Seq+1)
	}
	l.pausesAt = pausesAt{all.InterruptBefore, all.InterruptAfter}
	var err error
	if s.carried, err = s.m.carried(s.id, s.log); err != nil {
		return nil, err
	}
	s.log = l
	return s.goes(ctx), nil
}

// Shape returns the shape of the graph of a generated machine, for thread.Recovery.
func Shape(m interface{ Durable() *Machine }) string { return m.Durable().Graph.Shape }

// Recover goes on with the run of a thread whose process has ended, or that was stopped or failed. A run that is
// complete gives its output again. A thread that waits, and that an earlier version of the graph has saved, is saved in the
// version of the machine, with its requests.
func (m *Machine) Recover(ctx context.Context, id string, opts []graphgen.Option) (*Session, error) {
	s, err := m.open(ctx, id, opts)
	if err != nil {
		return nil, err
	}
	on, err := s.recover(ctx)
	if err != nil {
		s.release()
	}
	return on, err
}

// recover goes on with the run that was read.
func (s *session) recover(ctx context.Context) (*Session, error) {
	switch s.head.Status {
	case thread.Completed:
		s.quiet.Store(true) // its output is all that there is to get
	case thread.Paused:
		if s.up.done && !s.up.moved {
			return nil, s.resave(ctx)
		}
		if !s.up.moved {
			return nil, s.m.waits(&s.head, s.set.Seal)
		}
	}
	return s.goes(ctx), nil
}

// open begins a session with a thread that has records, and reads them.
func (m *Machine) open(ctx context.Context, id string, opts []graphgen.Option) (*session, error) {
	all, set, err := m.settings(opts)
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
	if err == nil {
		s.log = l
	}
	return err
}

// upgrade brings the runs of the log to the versions of the machines, so that the session can go on with them.
func (s *session) upgrade() (err error) {
	if s.up, err = s.m.upgrade(s.id, s.log); err == nil {
		s.began, s.late = true, s.up.done
	}
	return err
}

// waits returns the pause of a thread that waits.
func (m *Machine) waits(h *thread.Head, by thread.Sealer) error {
	about, err := summaryOf(h, by)
	if err != nil {
		return &LoadError{Thread: h.Thread, Err: err}
	}
	return m.pausedWith(h.Thread, about.requests)
}

// pausedWith returns the pause of a thread that waits for requests.
func (m *Machine) pausedWith(id string, requests []graphgen.Request) error {
	p := &graphgen.InterruptedError{Requests: requests}
	if len(p.Requests) > 0 {
		p.Request = p.Requests[0]
	}
	m.lead(p, id)
	return &graphgen.RunError{Graph: m.Graph.Name, Reason: graphgen.Paused, Err: p}
}

// resave saves a paused thread in the version of the machine, with the requests that the machine makes, and returns its pause.
func (s *session) resave(ctx context.Context) error {
	defer s.release()
	p, err := s.pause(ctx)
	if err != nil {
		return err
	}
	err = s.saving(func() error {
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
func (s *session) pause(ctx context.Context) (*graphgen.InterruptedError, error) {
	s.quiet.Store(true)
	on := s.goes(ctx)
	err := s.m.Run(on.Context, on.Options)
	if p, ok := errors.AsType[*graphgen.InterruptedError](err); ok && s.quiet.Load() {
		return p, nil
	}
	if err == nil {
		err = errMoved
	}
	return nil, &LoadError{Thread: s.id, Err: err}
}

// Pause returns the pause of a thread, for the methods that answer its requests. It does not read the thread.
func (m *Machine) Pause(id string) *graphgen.InterruptedError {
	p := new(graphgen.InterruptedError)
	m.lead(p, id)
	return p
}

// lead makes a pause lead to its thread.
func (m *Machine) lead(p *graphgen.InterruptedError, id string) {
	engine.Lead(p, m.Of, func(ctx context.Context, opts []graphgen.Option) (*engine.Reopened, error) {
		return m.reopen(ctx, id, opts)
	})
}

// reopen brings the paused run of a thread into memory.
func (m *Machine) reopen(ctx context.Context, id string, opts []graphgen.Option) (*engine.Reopened, error) {
	s, err := m.open(ctx, id, opts)
	if err != nil {
		return nil, err
	}
	if s.head.Status != thread.Paused {
		s.release()
		return nil, graphgen.ErrResumed
	}
	if s.up.moved {
		s.release()
		return nil, &StateError{id, "does not wait any more in this version of the graph: go on with it by Recover"}
	}
	done := false
	defer func() {
		if !done { // it is no pause, or a hook has ended the goroutine
			s.release()
		}
	}()
	all := s.options
	s.options = all.OfMachine()
	p, err := s.pause(ctx)
	if err != nil {
		return nil, err
	}
	done = true
	return &engine.Reopened{Pause: p, Options: all, Release: s.release}, nil
}

// Stop requests that the run of a thread stops before its next node, in whatever process it is.
func (m *Machine) Stop(ctx context.Context, id string) error {
	_, set, err := m.settings(nil)
	if err != nil {
		return err
	}
	return set.Store.Stop(ctx, id)
}

// A Thread is what is known about a thread of a machine.
type Thread struct {
	ID       string
	Status   thread.Status
	Requests []graphgen.Request // that are open
	Failure  string             // with which its last run failed
	Updated  time.Time
}

// Threads yields the threads of the machine's graph. The last pair has the error, if there is one.
func (m *Machine) Threads(ctx context.Context, f thread.Filter) iter.Seq2[Thread, error] {
	return func(yield func(Thread, error) bool) {
		_, set, err := m.settings(nil)
		if err != nil {
			yield(Thread{}, err)
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
