package engine

import (
	"cmp"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// settings are the settings of a run, and what the kernel keeps of the options that made them.
type settings struct {
	graphrt.Settings
	nesting *nesting               // the run that this one is made in
	thread  Thread                 // nil: it is in none
	own     *watching              // what the machine was made with; nil: nothing
	kept    origin.Ref             // how the machine keeps threads
	given   []graphrt.Option       // to the run, beside those of its machine
	room    [1]func(graphrt.Event) // for an observer
}

// watching is what a machine observes of its runs.
type watching struct {
	observers []func(graphrt.Event)
	hooks     []graphrt.Hook
}

// noSettings are those of a run without options. They are never written.
var noSettings settings

// settle returns the settings of a run: the options of its machine, and those of a call behind them.
func settle(g *Graph, machine, call []graphrt.Option) *settings {
	if len(machine)+len(call) == 0 && g.Budgets == (graphrt.Budgets{}) {
		return &noSettings
	}
	s := &settings{given: call}
	s.Observers = s.room[:0]
	s.Apply(machine)
	if s.kept = s.Thread; len(machine) > 0 {
		s.own = &watching{Clip(s.Observers), Clip(s.Hooks)}
	}
	s.Apply(call)
	s.Observers = Clip(s.Observers) // copies of the settings share the room
	if s.nesting, _ = origin.Of(s.Parent).(*nesting); s.nesting != nil && s.nesting.depth > 0 {
		s.own = nil // the run of the same machine around it observes
	}
	if s.nesting != nil {
		s.thread = s.nesting.run.settings.thread
	} else {
		s.thread, _ = origin.Of(s.Thread).(Thread)
		if s.thread != nil {
			s.thread.observes(s)
		}
	}
	s.Budgets = s.Budgets.Lower(g.Budgets)
	return s
}

// with returns the settings with the options of a call that resumes the run.
func (s *settings) with(call []graphrt.Option) *settings {
	if len(call) == 0 {
		return s
	}
	next := *s
	next.Apply(call)
	next.given = append(Clip(s.given), call...)
	return &next
}

// inherited returns the settings of a nested run with the options that the run around it was given since. around are the
// settings of that run.
func (r *Run) inherited(around *settings) *settings {
	s, n := r.settings, r.settings.nesting
	later := around.given[n.given:]
	if len(later) == 0 {
		return s
	}
	var passed graphrt.Settings
	passed.Apply(later)
	pass := func(to *graphrt.Settings) {
		take(to, &passed)
		passPrompts(n.prefix(), to, &passed)
	}
	next := *s
	pass(&next.Settings)
	next.given = append(Clip(s.given), pass) // for the runs within it
	return &next
}

// endCall restores the machine's own observers and hooks after a call.
func (s *settings) endCall() {
	if s == &noSettings {
		return
	}
	own := cmp.Or(s.own, &watching{})
	s.Observers, s.Hooks, s.Report, s.FinalState = own.observers, own.hooks, nil, nil
}
