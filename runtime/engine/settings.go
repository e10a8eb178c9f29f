package engine

import (
	"cmp"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// settings are the settings of a run, and what the kernel keeps of the options that made them.
type settings struct {
	optionset.Settings
	nesting *nesting                // the run that this one is made in
	thread  Thread                  // nil: it is in none
	own     *watching               // what the machine was made with; nil: nothing
	kept    origin.Ref              // how the machine keeps threads
	given   []*gift                 // by calls, to child runs
	named   []map[string]chat.Model // models of earlier calls, and of the machine before these
	room    [1]func(graphgen.Event) // for an observer
}

// watching is what a machine observes of its runs.
type watching struct {
	observers []func(graphgen.Event)
	hooks     []graphgen.Hook
}

// noSettings are the settings of a run without options. They are never written.
var noSettings settings

// settle returns the settings of a run: the settings of its machine, and the options of a call.
func settle(g *Graph, machine *Options, call []graphgen.RunOption) *settings {
	if machine == &noOptions && len(call) == 0 && g.Budgets == (graphgen.Budgets{}) {
		return &noSettings
	}
	s := machine.begin()
	apply(s, call)
	s.Observers = Clip(s.Observers) // copies of the settings share the room
	if s.nesting, _ = origin.Of(s.Parent).(*nesting); s.nesting != nil && s.nesting.depth > 0 {
		s.own = nil // the run of the same machine around it observes
	}
	if n := s.nesting; n != nil {
		s.given = n.parents.gifts()
		s.thread = n.run.settings.thread
	} else {
		s.thread, _ = origin.Of(s.Thread).(Thread)
		if s.thread != nil {
			s.thread.replacesSettings(s)
		}
	}
	s.Budgets = s.Budgets.Lower(g.Budgets)
	return s
}

// begin returns the settings of a run without options of a call. The options of a machine that no constructor has made are nil.
func (m *Options) begin() *settings {
	s := new(settings)
	if m == nil {
		m = &noOptions
	}
	*s = m.settings
	if len(s.Observers) == 0 {
		s.Observers = s.room[:0]
	}
	return s
}

// model returns the model that options have given a name.
func (s *settings) model(name string) (chat.Model, bool) {
	m, ok := s.NamedModels[name]
	for i := len(s.named) - 1; i >= 0 && !ok; i-- {
		m, ok = s.named[i][name]
	}
	return m, ok
}

// with returns the settings with the options of a call that resumes the run.
func with[O option.Setter[optionset.Settings]](s *settings, call []O) *settings {
	next := *s
	next.Hooks, next.Toolboxes, next.ToolWrappers, next.ModelWrappers = Clip(s.Hooks), Clip(s.Toolboxes), Clip(s.ToolWrappers), Clip(s.ModelWrappers)
	next.Answerer, next.AnswerNote = "", ""
	apply(&next, call)
	return &next
}

// inherited returns the settings of a nested run with the options that the run around it was given since. around are the
// settings of that run.
func (r *Run) inherited(around *settings) *settings {
	s, n := r.settings, r.settings.nesting
	later := around.since(n.given)
	if later == nil {
		return s
	}
	later = later.passed(n.prefix())
	next := *s
	take(&next.Settings, later)
	next.Prompts = pass("", later.prompts, next.Prompts)
	next.given = append(Clip(s.given), later) // for the runs within it
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
