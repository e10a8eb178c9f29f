package graphgen

import (
	"errors"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// An Option changes how a run works or is observed. Options of a constructor hold for every
// run of the machine, those of Run for that run, after the others. If a run pauses, the
// observers, hooks, WithReport and WithFinalState of Run, or of the method that resumed it,
// end with that call; its other options hold for the rest of the run. An option of a call is applied once. One that
// cannot work where it is given is an *OptionError of the constructor or of the call.
type Option func(*Settings)

// Settings is what the options of a machine and of a call set for a run. Other packages define
// options of their own with it. The zero Settings are those of a run without options. An option of a call sees the NamedModels and the
// Prompts of the options of the same call alone, and where the machine has a Model of its options, one that calls that.
type Settings struct {
	Observers  []func(Event)
	Hooks      []Hook
	Report     *Report               // where the report is stored; nil: nowhere
	FinalState func(state any) error // gets a pointer to the state at the end, or at a pause; nil: nothing does
	Timings    bool                  // the report has the time that each node took
	DryRun     bool                  // the run stops before it leaves the first node whose edges have conditions

	Stopper *Stopper // nil: none
	RunID   string   // in idempotency keys; empty: a random one

	InterruptBefore, InterruptAfter []string // nodes at whose boundary the run pauses

	Answerer, AnswerNote string // of a call that resumes a run: who answers, and what they note

	Model         chat.Model            // in place of the machine's; nil: the machine's
	LightModel    chat.Model            // of nodes with the flag lightweight; nil: Model
	NamedModels   map[string]chat.Model // by the names that nodes use
	Toolboxes     []chat.Toolbox        // of nodes with the flag inject_tools
	ToolWrappers  []func(chat.ToolFunc) chat.ToolFunc
	ModelWrappers []func(chat.Model) chat.Model
	Prompts       texts // in place of those of the spec; nil: none
	TurnCalls     int   // calls of tools in one turn; 0: 1,000
	Budgets       Budgets
	Limits        *origin.Limits // of package hooks; nil: there are none

	Named   names        // names in options that the graph is to have; nil: there are none
	Invalid *OptionError // the first option whose value cannot work; nil: there is none

	Parent origin.Ref `json:"-"` // of a child run: the node that runs it
	Thread origin.Ref `json:"-"` // how threads are kept, as package thread has it; of a run in a thread: that thread
}

// texts are those of WithPrompt and WithPromptMessage, an interface so that a program without them links no checks.
type texts interface {
	Check(graph string, nodes []prompttext.Info, runsGraph func(node string) bool) error
	Of(node *prompttext.Info) *prompttext.NewParts
	Pass(prefix string, to *Settings)
}

// Options combines several options into one.
func Options(list ...Option) Option {
	return func(s *Settings) { s.Apply(list) }
}

// Apply applies options in their order.
func (s *Settings) Apply(list []Option) {
	for _, o := range list {
		if o == nil {
			s.Refuse("graphgen.Option", "it is nil: leave it out")
			continue
		}
		o(s)
	}
}

// WithObserver calls observe with every event of a run, or of the call that it is given to. Calls are in
// order, on the run's own goroutine. An observer changes nothing; one that panics is counted in the report.
func WithObserver(observe func(Event)) Option {
	if observe == nil {
		return Invalid("graphgen.WithObserver", isNil)
	}
	return func(s *Settings) { s.Observers = append(s.Observers, observe) }
}

// WithHook adds a hook.
func WithHook(h Hook) Option {
	if h.Begin == nil && h.Before == nil && h.After == nil && h.Around == nil {
		return Invalid("graphgen.WithHook", "it has none of the functions Begin, Before, After and Around: set one")
	}
	return func(s *Settings) { s.Hooks = append(s.Hooks, h) }
}

// WithInterruptBefore pauses the run before each visit of the nodes, besides those of the spec. The method Continue of
// the machine goes on. The spec of the graph has interrupt_before or interrupt_after, which may be an empty list.
func WithInterruptBefore(nodes ...string) Option {
	return func(s *Settings) {
		s.InterruptBefore = append(s.InterruptBefore[:len(s.InterruptBefore):len(s.InterruptBefore)], nodes...)
	}
}

// WithInterruptAfter pauses the run behind each visit of the nodes, when their outputs are in the state.
func WithInterruptAfter(nodes ...string) Option {
	return func(s *Settings) {
		s.InterruptAfter = append(s.InterruptAfter[:len(s.InterruptAfter):len(s.InterruptAfter)], nodes...)
	}
}

// WithTimings adds the time that each step and each node took to the report, without pauses.
func WithTimings() Option { return func(s *Settings) { s.Timings = true } }

// WithReport stores the run's report in dst, however the run ends, with its details. It is an option of calls: runs of a machine at the same
// time would store theirs in one place. An observer of the machine gets the report of each run with the event RunEnd.
func WithReport(dst *Report) Option {
	if dst == nil {
		return Invalid("graphgen.WithReport", isNil)
	}
	return func(s *Settings) { s.Report = dst }
}

// WithFinalState stores the final state in dst, however the run ends. S is the graph's
// state type; another one makes Run return an error. It is an option of calls, as WithReport is.
func WithFinalState[S any](dst *S) Option {
	if dst == nil {
		return Invalid("graphgen.WithFinalState", isNil)
	}
	return func(s *Settings) {
		s.FinalState = func(state any) error {
			final, ok := state.(*S)
			if !ok {
				return errors.New("graphgen: WithFinalState: not the state type of this graph")
			}
			*dst = *final
			return nil
		}
	}
}
