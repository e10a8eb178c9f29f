package durable

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// Store returns the store of the machine's threads. It is for servers, which list and delete threads.
func (m *Machine) Store() (thread.Store, error) {
	set, err := m.settings()
	if err != nil {
		return nil, err
	}
	return set.Store, nil
}

// Passing marks a run of Start that no other process continues: its caller deletes its thread. If the process is killed, the thread expires after the time
// of a lease.
func Passing() graphgen.RunOption {
	return option.ForRun[optionset.Settings](func(o *optionset.Settings) { o.Passing = true })
}

// InputHash returns a hash of the input of a run that a thread may begin: equal inputs have the same. It is empty where the input has no JSON.
func InputHash[M, In, Out, State any](t thread.Thread[M, In, Out, State], in In) string {
	h, ok := t.(*handle[M, In, Out, State])
	if !ok {
		return ""
	}
	var state func(*codec.Cells)
	if h.Typed.Input != nil {
		state = h.Typed.Input(in)
	}
	return inputHash(state, h.Inputs)
}

// InputAt returns the hash of the input of the run that a record is of. It is empty where it is not known.
func (m *Machine) InputAt(ctx context.Context, id string, seq uint64) (string, error) {
	set, err := m.settings()
	if err != nil {
		return "", err
	}
	l, _, _, err := loaded(ctx, set.Store, id, seq, m.sealing(set))
	if err != nil {
		return "", err
	}
	return l.input, nil
}

// A Watched is what a server gets of a thread that it watches: a step, an event, or neither where it waits for more. All who watch the thread in this process
// share it: it must not be changed.
type Watched struct {
	Step  *thread.Step // with fields that are private
	Live  *graphgen.Event
	Forms *feed.Forms // what is made of the step or the event for clients
}

// Saved returns a copy of the step.
func (w Watched) Saved() thread.Step {
	s := *w.Step
	s.Changes, s.Calls = slices.Clone(s.Changes), slices.Clone(s.Calls)
	s.Answers, s.Open = slices.Clone(s.Answers), slices.Clone(s.Open)
	for i := range s.Calls {
		s.Calls[i].JSON = bytes.Clone(s.Calls[i].JSON)
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		c.Written = slices.Clone(c.Written)
		for k := range c.Written {
			c.Written[k].JSON = bytes.Clone(c.Written[k].JSON)
		}
	}
	return s
}

// Watch is the method Watch of a thread for servers, which pass on to many what is the same for all.
func (m *Machine) Watch(ctx context.Context, id string, after thread.After) iter.Seq2[Watched, error] {
	return func(yield func(Watched, error) bool) {
		set, err := m.settings()
		if err != nil {
			yield(Watched{}, err)
			return
		}
		hub, _ := origin.Of(set.Feed.Origin()).(*feed.Hub)
		w := &watcher{
			After: after, id: id, set: set, yield: yield, seq: after.Seq, key: origin.Of(m.Options.Settings().Thread), news: hub.Subscribe(id),
			answers: map[*graphgen.RunInfo]bool{}, resting: true,
		}
		defer w.news.Close()
		if w.Every <= 0 {
			w.Every = thread.DefaultEvery
		}
		switch err := w.follow(ctx); {
		case err == nil, err == errLeft:
		case ctx.Err() != nil:
			yield(Watched{}, context.Cause(ctx))
		default:
			yield(Watched{}, err)
		}
	}
}

// watch yields what the method Watch of a thread does.
func (m *Machine) watch(ctx context.Context, id string, after thread.After) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		for w, err := range m.Watch(ctx, id, after) {
			var e thread.Event
			switch {
			case err != nil:
			case w.Step != nil:
				e.Seq, e.Saved = w.Step.Seq, w.Saved()
				for i := range e.Saved.Changes {
					c := &e.Saved.Changes[i]
					c.Written = m.Shown(c.At, c.Written)
				}
			case w.Live != nil:
				e.Live = *w.Live
			default:
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Works has those who watch a thread wait, as while this process runs it, until the function returned is called: between two answers, for example.
func (m *Machine) Works(id string) (end func()) {
	set, err := m.settings()
	if err != nil {
		return func() {}
	}
	hub, _ := origin.Of(set.Feed.Origin()).(*feed.Hub)
	hub.Begin(id)
	return func() { hub.End(id) }
}

// Shown returns the values of the run at a place without the fields that are private. Of a place that the graph does not have, it returns none.
func (m *Machine) Shown(at string, values []thread.Value) []thread.Value {
	of := m.runs(at)
	return slices.DeleteFunc(values, func(v thread.Value) bool { return of == nil || slices.Contains(of.Private, v.Name) })
}

// Fits returns the error with which the first of several answers would be refused, nil if each is of an open request of the thread and valid for it. It
// answers nothing.
func Fits[M any](ctx context.Context, m *Machine, id string, answers []graphgen.Answer[M]) error {
	of, ok := m.Of.(*M)
	if !ok {
		return &graphgen.ResumeError{Err: graphgen.ErrOtherMachine}
	}
	p := new(graphgen.Pause)
	m.lead(p, id)
	return engine.Fits(ctx, p, of, answers)
}
