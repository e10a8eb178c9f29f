package durable

import (
	"context"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/origin"
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
