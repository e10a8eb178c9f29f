package engine

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/driver"
)

// Settings are the settings of a run, and what the kernel keeps of the options that made them.
type Settings struct {
	optionset.Settings
	nesting *nesting                // the run that this one is made in
	thread  Thread                  // nil: it is in none
	driver  *driver.Driver          // nil: it has none
	own     *machineHooks           // what the machine was made with; nil: nothing
	kept    origin.Ref              // how the machine keeps threads
	given   []*gift                 // by calls, to child runs
	named   []map[string]chat.Model // models of earlier calls, and of the machine before these
	room    [1]func(graphgen.Event) // for an observer
}

// machineHooks are what a machine observes of its runs.
type machineHooks struct {
	observers []func(graphgen.Event)
	hooks     []graphgen.Hook
}

// noSettings are the settings of a run without options. They are never written.
var noSettings Settings

// settle returns the settings of a run: the settings of its machine, and the options of a call.
func settle(g *Graph, machine *Options, call []graphgen.RunOption) *Settings {
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
		s.given = n.gifts()
		s.thread, s.driver = n.run.settings.thread, n.run.settings.driver
	} else {
		s.thread, _ = origin.Of(s.Thread).(Thread)
		if s.thread != nil {
			s.thread.replacesSettings(s)
		}
		s.drives()
	}
	s.Budgets = s.Budgets.Lower(g.Budgets)
	return s
}

// begin returns the settings of a run without options of a call. The options of a machine that no constructor has made are nil.
func (m *Options) begin() *Settings {
	s := new(Settings)
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
func (s *Settings) model(name string) (chat.Model, bool) {
	m, ok := s.NamedModels[name]
	for i := len(s.named) - 1; i >= 0 && !ok; i-- {
		m, ok = s.named[i][name]
	}
	return m, ok
}

// with returns the settings with the options of a call that resumes the run.
func with[O option.Setter[optionset.Settings]](s *Settings, call []O) *Settings {
	next := *s
	next.Hooks, next.Toolboxes, next.ToolWrappers, next.ModelWrappers = Clip(s.Hooks), Clip(s.Toolboxes), Clip(s.ToolWrappers), Clip(s.ModelWrappers)
	next.Person = nil
	apply(&next, call)
	next.drives()
	return &next
}

// A call has the options of a call that resumes a run.
type call struct {
	options []graphgen.ResumeOption
	applied *Applied // of a thread; nil: they are to be applied
}

// on returns the settings of a paused run with the options.
func (c *call) on(before *Settings) *Settings {
	if c.applied == nil {
		return with(before, c.options)
	}
	next := *c.applied.all
	next.thread, next.own, next.Thread = before.thread, before.own, before.Thread
	next.drives() // again: Apply does not have the thread
	next.RunID, next.InterruptBefore, next.InterruptAfter = before.RunID, before.InterruptBefore, before.InterruptAfter
	if observe := before.thread.Observer(); observe != nil {
		next.Observers = append(Clip(next.Observers), observe)
	}
	next.Budgets = next.Budgets.Lower(before.Budgets) // of the graph
	return &next
}

// inherited returns the settings of a nested run with the driver of the run around it, and the options that this was given since. around are
// the settings of that run.
func (s *Settings) inherited(around *Settings) *Settings {
	n := s.nesting
	later := around.since(n.given)
	if later == nil && s.driver == around.driver {
		return s
	}
	next := *s
	if next.driver = around.driver; later != nil {
		later = later.passed(n.prefix())
		take(&next.Settings, later)
		next.Prompts = pass("", later.prompts, next.Prompts)
		next.given = append(Clip(s.given), later) // for the runs within it
	}
	return &next
}

// endCall restores the machine's own observers and hooks after a call.
func (s *Settings) endCall() {
	if s == &noSettings {
		return
	}
	own := cmp.Or(s.own, &machineHooks{})
	s.Observers, s.Hooks, s.Report, s.FinalState = own.observers, own.hooks, nil, nil
}

// isWatched reports whether observers, hooks or timings need the steps.
func (s *Settings) isWatched() bool {
	return len(s.Observers) > 0 || len(s.Hooks) > 0 || s.Timings || s.nesting != nil && s.nesting.watched
}

// Observed reports whether the run or a parent has observers.
func (s *Settings) Observed() bool {
	return len(s.Observers) > 0 || s.nesting != nil && s.nesting.observed
}

// isGoverned reports whether the run or a parent has hooks.
func (s *Settings) isGoverned() bool {
	return len(s.Hooks) > 0 || s.nesting != nil && s.nesting.run.settings.isGoverned()
}

// wantsDetails reports whether the details of a run are requested, by its own settings or by a parent's.
func (s *Settings) wantsDetails() bool {
	return s.Report != nil || s.nesting != nil && s.nesting.run.settings.wantsDetails()
}

// mayInterrupt reports whether the run may have interrupts.
func (s *Settings) mayInterrupt(g *Graph) bool {
	return g.Interrupts || len(s.InterruptBefore)+len(s.InterruptAfter) > 0
}

// interruptsBefore reports whether the run pauses before a node.
func (s *Settings) interruptsBefore(n *NodeInfo) bool {
	return n.Before || slices.Contains(s.InterruptBefore, n.Name)
}

// interruptsAfter reports whether the run pauses after a node.
func (s *Settings) interruptsAfter(n *NodeInfo) bool {
	return n.After || slices.Contains(s.InterruptAfter, n.Name)
}

// location returns the names of the parents' nodes that started the run.
func (s *Settings) location() string {
	if s.nesting == nil {
		return ""
	}
	return s.nesting.path
}

// maxSteps returns how many steps the run may make: the bound of the spec, or a lower one of its options.
func (s *Settings) maxSteps(g *Graph) int {
	if l := s.Limits; l != nil && l.MaxSteps > 0 && l.MaxSteps < g.MaxSteps {
		return l.MaxSteps
	}
	return g.MaxSteps
}

const defaultTurnCalls = 1000

// MostTurnCalls returns how many tools a model may call in one turn.
func (s *Settings) MostTurnCalls() int {
	if s.TurnCalls <= 0 {
		return defaultTurnCalls
	}
	return int(s.TurnCalls)
}

// WrapModel returns a model within the wrappers of the run.
func (s *Settings) WrapModel(m chat.Model) chat.Model {
	for _, around := range slices.Backward(s.ModelWrappers) {
		m = around(m)
	}
	return m
}

// Exchanges returns what keeps the requests of models, which observers get with the answers: the run or a parent has the option, and its thread
// has no secrets. It is nil where they do not get them.
func (s *Settings) Exchanges() func() origin.Exchange {
	at := s
	for at.Settings.Exchanges == nil {
		if at.nesting == nil {
			return nil
		}
		at = at.nesting.run.settings
	}
	if t := s.thread; !s.Observed() || t != nil && t.Seals() {
		return nil
	}
	return at.Settings.Exchanges
}
