package durable

import (
	"context"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// start begins a run in a thread, or returns the result of the run that its ID names. state lists the fields of the state as they are with
// the input, whose fields have the names inputs.
func (m *Machine) start(ctx context.Context, id string, opts []graphgen.RunOption, state func(*codec.Cells), inputs ...string) (*Session, error) {
	set, err := m.settings()
	if err != nil {
		return nil, err
	}
	s, about, err := m.acquire(ctx, id, set, engine.Apply(m.Options, opts))
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
		return nil, refuse(s.id, "has a run that has not ended: continue it by Recover")
	case thread.Paused:
		return nil, refuse(s.id, "has a run that waits: answer its requests")
	}
	s.passing = all.Passing
	l := newLog(s.m.sealing(s.set))
	l.chain, l.run, l.input, l.earlier = about.chain, all.RunID, input, s.log.past(s.id, s.head.Seq)
	l.seals = l.seals || s.log.seals && len(l.earlier) > 0 // their inputs may have had secret fields
	if l.run == "" {
		l.run = numbered(s.id, s.head.Seq+1)
	}
	l.pausesAt = pausesAt{all.InterruptBefore, all.InterruptAfter}
	from, err := s.log, error(nil)
	if all.TakesBack && (s.head.Status == thread.Failed || s.head.Status == thread.Stopped) {
		if from, err = s.takeBack(ctx); err != nil {
			return nil, err
		}
	}
	if s.carried, err = s.m.carried(s.id, from); err != nil {
		return nil, err
	}
	s.log = l
	return s.newRun(ctx, running), nil
}

// known finds out what Start returns without a new run: the run of an ID, where the thread has had it. Otherwise both results are nil.
func (s *session) known(ctx context.Context, about *summary, run, input string) (*Session, error) {
	fails := func(err error) (*Session, error) { return nil, &thread.StateError{Thread: s.id, Run: run, Err: err} }
	differs := func(from string) bool { return from != "" && from != input } // earlier versions have no hash
	switch {
	case run == "" || s.head.Seq == 0:
		return nil, nil
	case run == about.run && differs(s.log.input):
		return fails(thread.ErrOtherInput)
	case run == about.run:
		if s.head.Status == thread.Failed || s.head.Status == thread.Stopped {
			return nil, s.m.ended(about.reason, about.failure)
		}
		return s.resume(ctx)
	case isNumbered(s.id, run):
		return fails(thread.ErrNumberedRun)
	}
	id := digest([]byte(run))
	at := slices.IndexFunc(s.log.earlier, func(p pastRun) bool { return p.run == id })
	if at < 0 {
		return nil, nil
	}
	past := s.log.earlier[at]
	if differs(past.input) {
		return fails(thread.ErrOtherInput)
	}
	l, _, _, err := loaded(ctx, s.set.Store, s.id, past.last, s.m.sealing(s.set))
	switch {
	case is[*thread.NotFoundError](err):
		return fails(thread.ErrRunPruned)
	case err != nil:
		return nil, err
	case l.ended == "":
		return fails(thread.ErrRunForked)
	case l.of("").cells.Value(endedCell) == nil:
		return nil, s.m.ended(l.ended, l.failure)
	}
	s.log, s.head.Status = l, thread.Completed
	return s.resume(ctx)
}

// resume continues the run of the log.
func (s *session) resume(ctx context.Context) (*Session, error) {
	if err := s.upgrade(); err != nil {
		return nil, err
	}
	return s.recover(ctx)
}
