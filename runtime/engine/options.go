package engine

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// An optionPlace is where options are given.
type optionPlace uint8

const (
	atConstructor optionPlace = 1 << iota
	atRun
	atStart // or Recover, of a thread
	atResume
)

func (p optionPlace) String() string {
	switch p {
	case atConstructor:
		return "the constructor"
	case atRun:
		return "Run"
	case atStart:
		return "Start or Recover"
	}
	return "a method that resumes"
}

// earlier is what options had set before a call.
type earlier struct {
	thread origin.Ref
	runID  string
}

// places has the options that are wrong in some places. given reports whether the options that have made s have one.
var places = [...]struct {
	option string
	wrong  optionPlace
	given  func(s *graphgen.Settings, was earlier) bool
	why    string
}{
	{"thread.In or thread.With", atRun | atResume, func(s *graphgen.Settings, was earlier) bool { return s.Thread != was.thread },
		"the run is in no thread: call Start of a durable graph"},
	{"graphgen.WithReport", atConstructor, func(s *graphgen.Settings, _ earlier) bool { return s.Report != nil },
		"runs at the same time would write to it: give it to Run, or an observer to the constructor"},
	{"graphgen.WithFinalState", atConstructor, func(s *graphgen.Settings, _ earlier) bool { return s.FinalState != nil },
		"runs at the same time would write to it: give it to Run"},
	{"graphgen.WithRunID", atConstructor, func(s *graphgen.Settings, _ earlier) bool { return s.RunID != "" },
		"all runs would have the same idempotency keys: give it to Run"},
	{"graphgen.WithRunID", atResume, func(s *graphgen.Settings, was earlier) bool { return s.RunID != was.runID },
		"the run has its ID: leave it out"},
	{"graphgen.AnsweredBy", atConstructor | atRun | atStart, func(s *graphgen.Settings, _ earlier) bool { return s.Answerer != "" },
		"nothing is answered there: give it to the method that resumes"},
	{"graphgen.AnswerNote", atConstructor | atRun | atStart, func(s *graphgen.Settings, _ earlier) bool { return s.AnswerNote != "" },
		"nothing is answered there: give it to the method that resumes"},
}

// accepts returns why a run of the graph cannot have the settings s, of options that are given at a place.
func (g *Graph) accepts(at optionPlace, s *graphgen.Settings, was earlier) error {
	if wrong := g.misfit(at, s, was); wrong != nil {
		wrong.Graph, wrong.Place = g.Name, at.String()
		return wrong
	}
	return nil
}

// unfit returns why the texts or the interrupts of options do not fit the graph.
func (g *Graph) unfit(s *graphgen.Settings) error {
	if err := g.checkPrompts(s); err != nil {
		return err
	}
	return g.uninterruptible(s)
}

// begins returns why a run of the graph cannot begin with the settings.
func (s *settings) begins(g *Graph) error {
	switch {
	case s == &noSettings:
		return nil
	case s.nesting != nil: // the options are those of its machine and of its parent
		return g.unfit(&s.Settings)
	}
	at := atRun
	if s.thread != nil {
		at = atStart
	}
	if err := g.accepts(at, &s.Settings, earlier{thread: s.kept}); err != nil {
		return err
	}
	return g.unfit(&s.Settings)
}

// resumes returns why a run that waits cannot go on with options that have made the settings of those before.
func (s *settings) resumes(g *Graph, before *settings) error {
	was := earlier{before.Thread, before.RunID}
	if s.thread != nil {
		was.thread = s.Thread // it has led to the run
	}
	return g.accepts(atResume, &s.Settings, was)
}

// misfit returns the first option that cannot work, without the names of the graph and the place.
func (g *Graph) misfit(at optionPlace, s *graphgen.Settings, was earlier) *graphgen.OptionError {
	if s.Invalid != nil {
		wrong := *s.Invalid
		return &wrong
	}
	for i := range places {
		if p := &places[i]; p.wrong&at != 0 && p.given(s, was) {
			return &graphgen.OptionError{Option: p.option, Why: p.why}
		}
	}
	if at == atConstructor && g.Shape == "" && s.Thread != (origin.Ref{}) {
		return &graphgen.OptionError{Option: places[0].option, Why: "the graph is not durable: write durable: true in its spec, or leave it out"}
	}
	if s.Named != nil {
		return s.Named.Check(g.Named, func(name string) bool { return g.Mutable != nil || g.named(name, End) != End }, g.runsGraph)
	}
	return nil
}
