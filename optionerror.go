package graphgen

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/quote"
)

// An OptionError reports an option that cannot work: no run can have its value, or it has no effect where it is given. The constructor of a
// machine returns it. A run that is given such an option fails with it before its first step, and a run that waits keeps waiting.
type OptionError struct {
	Graph  string
	Option string // as code writes it: graphgen.WithModel
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

// Names adds the name of a node that an option is about: a run of a graph that has no such node fails. It may be a path through nodes that
// run other graphs, as in help/answer; what follows the first of them is not checked.
func (s *Settings) Names(option, node string) { s.named(givenName{option, node, false}) }

func (s *Settings) named(n givenName) {
	all, _ := s.Named.(givenNames)
	s.Named = append(slices.Clip(all), n)
}

// names are those that options give, an interface so that a program whose options give none links no checks.
type names interface {
	Check(models []string, isNode, runsGraph func(name string) bool) *OptionError
}

type givenNames []givenName

// A givenName is the name of a node or of a model in an option.
type givenName struct {
	option, name string
	model        bool
}

// Check returns the first name that a graph does not have. models are the names of models that its nodes have.
func (all givenNames) Check(models []string, isNode, runsGraph func(name string) bool) *OptionError {
	for _, n := range all {
		outer, _, within := strings.Cut(n.name, "/")
		switch {
		case n.model && !slices.Contains(models, n.name):
			why := "no node has a model of that name: leave it out"
			if len(models) > 0 {
				why = "no node has a model of that name, but " + strings.Join(models, ", ")
			}
			return &OptionError{Option: n.option, Name: n.name, Why: why}
		case !n.model && !isNode(n.name) && !(within && runsGraph(outer)):
			return &OptionError{Option: n.option, Name: n.name, Why: "the graph has no such node: name one that it has"}
		}
	}
	return nil
}
