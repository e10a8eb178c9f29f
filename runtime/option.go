package graphrt

import (
	"errors"
	"sync"
	"sync/atomic"
)

// An Option changes how a run works or is observed. Options of a constructor hold for every
// run of the machine, those of Run for that run, after the others. If a run pauses, the
// observers, hooks, WithReport and WithFinalState of Run, or of the method that resumed it,
// end with that call; its other options hold for the rest of the run.
type Option func(*settings)

type settings struct {
	watching
	stop  *Stopper
	timed bool
	outer *nesting // the run that this one is made in
	own   watching // what the machine was made with
	given []Option // to the run, beside those of its machine
	agents
}

// watching is what a call observes of a run.
type watching struct {
	observers []func(Event)
	hooks     []Hook
	report    *Report
	keep      func(state any) error
}

// set applies the options of a machine, and those of a call behind them.
func (s *settings) set(machine, call []Option) {
	for _, o := range machine {
		o(s)
	}
	s.own = s.watching
	s.own.observers, s.own.hooks = Clip(s.own.observers), Clip(s.own.hooks)
	for _, o := range call {
		o(s)
	}
	s.given = call
}

// add applies the options of a call that resumes the run.
func (s *settings) add(call []Option) {
	for _, o := range call {
		o(s)
	}
	s.given = append(Clip(s.given), call...)
}

// endCall restores the machine's own observers, hooks and report after a call.
func (s *settings) endCall() { s.watching = s.own }

// Options combines several options into one.
func Options(list ...Option) Option {
	return func(s *settings) {
		for _, o := range list {
			o(s)
		}
	}
}

// WithObserver calls observe with every event of a run, or of the call that it is given to. Calls are in
// order, on the run's own goroutine. An observer changes nothing; one that panics is counted in the report.
func WithObserver(observe func(Event)) Option {
	return func(s *settings) { s.observers = append(s.observers, observe) }
}

// WithHook adds a hook.
func WithHook(h Hook) Option {
	return func(s *settings) { s.hooks = append(s.hooks, h) }
}

// WithTimings adds the time that each node took to the report.
func WithTimings() Option { return func(s *settings) { s.timed = true } }

// WithReport stores the run's report in dst, however the run ends.
func WithReport(dst *Report) Option { return func(s *settings) { s.report = dst } }

// WithFinalState stores the final state in dst, however the run ends. S is the graph's
// state type; another one makes Run return an error.
func WithFinalState[S any](dst *S) Option {
	return func(s *settings) {
		s.keep = func(state any) error {
			final, ok := state.(*S)
			if !ok {
				return errors.New("graphrt: WithFinalState: not the state type of this graph")
			}
			*dst = *final
			return nil
		}
	}
}

// A Stopper stops runs from outside: the run ends before its next node, with the reason
// stopped. Nothing is retried then: no node, and no model call of chat.Retry or
// chat.Fallback. The zero Stopper is ready; it may be shared by runs and by goroutines.
type Stopper struct {
	requested atomic.Bool

	mu      sync.Mutex
	waiting map[chan<- struct{}]bool // runs that wait before they try something again
}

// Stop requests the stop. It ends a wait for a retry at once.
func (s *Stopper) Stop() {
	s.requested.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for woken := range s.waiting {
		select {
		case woken <- struct{}{}:
		default: // by another Stopper
		}
	}
}

// wake makes Stop send to a channel with room for one, or no longer send to it.
func (s *Stopper) wake(woken chan<- struct{}, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !on {
		delete(s.waiting, woken)
		return
	}
	if s.waiting == nil {
		s.waiting = map[chan<- struct{}]bool{}
	}
	s.waiting[woken] = true
}

// WithStopper lets s stop the run.
func WithStopper(s *Stopper) Option { return func(o *settings) { o.stop = s } }
