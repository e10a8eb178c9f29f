package graphrt

import "github.com/graphgen/graphgen/runtime/internal/quote"

// An OptionError reports an option that cannot work: no run can have its value, or it has no effect where it is given. The constructor of a
// machine returns it. A run that is given such an option fails with it before its first step, and a run that waits keeps waiting.
type OptionError struct {
	Graph  string
	Option string // as code writes it: graphrt.WithModel
	Place  string // where it is given: the constructor, Run, Start or Recover, a method that resumes
	Name   string // of what the graph does not have; empty: that is not the mistake
	Why    string // the mistake, and what to do
}

func (e *OptionError) Error() string {
	s := "graph " + e.Graph + ": option " + e.Option + " of " + e.Place + ": "
	if e.Name != "" {
		s += quote.Text(e.Name) + ": "
	}
	return s + e.Why
}

const (
	isNil      = "it is nil: leave it out"
	notANumber = "Cost is not a number: leave it out for no bound"
)

// Invalid returns an option whose value cannot work. Other packages with options use it.
func Invalid(option, why string) Option {
	return func(s *Settings) { s.Refuse(option, why) }
}

// Refuse keeps why an option cannot work. The first of several options is the one that is reported.
func (s *Settings) Refuse(option, why string) {
	if s.Invalid == nil {
		s.Invalid = &OptionError{Option: option, Why: why}
	}
}

// A WatchedNode is a node that an option names: a name, or a path through nodes that run other graphs, as in help/answer.
type WatchedNode struct{ Option, Node string }
