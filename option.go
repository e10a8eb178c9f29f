package graphgen

import (
	"errors"
	"slices"

	"github.com/graphgen/graphgen/internal/exchange"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/origin"
)

// An Option changes how runs work or are observed. The constructor of a machine takes it for all runs; Run and every other call
// take it for that run, after the options of the machine. If a run pauses, the observers and hooks of a call end with that call. Its other options hold
// for the rest of the run. An option that cannot work is a *ConfigError of the constructor or of the call.
type Option interface{ option.Machine[settings] }

// A RunOption is an option of a call that begins a run: Run, Stream and Start. Every Option is one.
type RunOption interface{ option.Run[settings] }

// A ResumeOption is an option of a call that resumes a run with an answer. Every Option is one.
type ResumeOption interface{ option.Resume[settings] }

// A CallOption is a RunOption and a ResumeOption, and not an option of a constructor: it holds for one call. Recover takes these alone, and every Option
// is one.
type CallOption interface {
	RunOption
	ResumeOption
}

// settings is what options set.
type settings = option.Settings[Event, Hook, Report, Stopper, Budgets]

// always returns an option of machines and calls.
func always(set func(*settings)) Option { return option.ForMachine[settings](set) }

// Options combines several options into one.
func Options(list ...Option) Option {
	return always(func(s *settings) {
		for _, o := range list {
			option.Set(s, o)
		}
	})
}

// WithObserver calls observe with every event of a run, or of the call that it is given to. Calls are in
// order, on the run's own goroutine. An observer changes nothing; one that panics is counted in the report.
func WithObserver(observe func(Event)) Option {
	if observe == nil {
		return Invalid("graphgen.WithObserver", isNil)
	}
	return always(func(s *settings) { s.Observers = append(s.Observers, observe) })
}

// WithHook adds a hook.
func WithHook(h Hook) Option {
	if h.Begin == nil && h.Before == nil && h.After == nil && h.Around == nil {
		return Invalid("graphgen.WithHook", "it has none of the functions Begin, Before, After and Around: set one")
	}
	return always(func(s *settings) { s.Hooks = append(s.Hooks, h) })
}

// WithInterruptBefore pauses the run before each visit of the nodes, besides the ones of the spec. A generated answer, such as ContinueLetter,
// continues it. The spec of the graph has interrupt_before or interrupt_after, which may be an empty list.
func WithInterruptBefore(nodes ...string) Option {
	return always(func(s *settings) { s.InterruptBefore = slices.Concat(s.InterruptBefore, nodes) })
}

// WithInterruptAfter pauses the run after each visit of the nodes, once their outputs are in the state.
func WithInterruptAfter(nodes ...string) Option {
	return always(func(s *settings) { s.InterruptAfter = slices.Concat(s.InterruptAfter, nodes) })
}

// WithTimings adds the time that each step and each node took to the report, without pauses.
func WithTimings() Option { return always(func(s *settings) { s.Timings = true }) }

// WithExchanges has events carry what models are sent and what they answer: the methods Sent and Received return it, and their JSON has it. Of
// a graph with serve: true, they carry what steps changed, too: Written returns that. It is content: prompts, tool results, answers and fields of
// the state. Private fields are not among these, and in no prompt. In a thread of a graph with secret fields, the option has no effect.
func WithExchanges() Option {
	written := new(exchange.Written)
	return always(func(s *settings) {
		s.Exchanges = exchange.New
		s.Detail = func(kind uint8, of origin.Ref, run, branch string) any {
			switch k := EventKind(kind); k {
			case RunStart, NodeEnd:
				if fields := written.Changed(of, run, branch, k == RunStart); fields != nil {
					return fields
				}
			case RunEnd:
				written.End(run)
			}
			return nil
		}
	})
}

// WithReport stores the run's report in dst, however the run ends, with its details. It is for one call: runs of a
// machine at the same time would write to one place. An observer of the machine gets the report of each run with the event RunEnd.
func WithReport(dst *Report) CallOption {
	if dst == nil {
		return Invalid("graphgen.WithReport", isNil)
	}
	return option.ForCall[settings](func(s *settings) { s.Report = dst })
}

// WithFinalState stores the final state in dst, however the run ends. S is the graph's
// state type; another one makes Run return an error. It is for one call, as WithReport is.
func WithFinalState[S any](dst *S) CallOption {
	if dst == nil {
		return Invalid("graphgen.WithFinalState", isNil)
	}
	return option.ForCall[settings](func(s *settings) {
		s.FinalState = func(state any) error {
			final, ok := state.(*S)
			if !ok {
				return errors.New("graphgen: WithFinalState: not the state type of this graph")
			}
			*dst = *final
			return nil
		}
	})
}
