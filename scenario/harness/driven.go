package harness

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/scenario/wire"
)

// repeat drives the run of a scenario by coroutines several times. It returns what differs: the logs of two repetitions, or the results with and
// without coroutines; where the run has started no coroutine, the logs too.
func repeat(t *testing.T, w *wire.Scenario, graph func(*Script) error, first *wire.Result) string {
	undriven := runOnce(t, w, graph, logged, nil)
	before := ""
	for n := range w.Repeat {
		again := runOnce(t, w, graph, driven, func(s *Script) { s.coroutines.late = time.Duration(n+1) * time.Hour })
		switch {
		case again.Problem != "":
			return fmt.Sprintf("repetition %d: %s", n+1, again.Problem)
		case n > 0 && again.Log != before:
			return fmt.Sprintf("repetition %d is another one: %s", n+1, firstDifference(before, again.Log))
		case differs(first, again) != "":
			return "driven by coroutines, " + differs(first, again)
		case again.Coroutines == 0 && again.Log != undriven.Log:
			return "driven by coroutines it is another run: " + firstDifference(undriven.Log, again.Log)
		}
		before = again.Log
	}
	return ""
}

// firstDifference returns the first lines of two logs that differ.
func firstDifference(a, b string) string {
	in, of := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(in), len(of)) {
		if in[i] != of[i] {
			return fmt.Sprintf("line %d is\n%s\nand\n%s", i+1, in[i], of[i])
		}
	}
	return fmt.Sprintf("%d lines, and %d", len(in), len(of))
}

// drives returns the options of the modes that log the run.
func (s *Script) drives() (options []graphgen.CallOption) {
	switch s.mode {
	case onEngine:
		return s.engine.options()
	case logged:
		return []graphgen.CallOption{graphgen.WithObserver(s.log), graphgen.WithExchanges()}
	case driven:
		by := driver.With(driver.Driver{Scheduler: s.coroutines, Clock: s.coroutines, IDs: s.coroutines})
		return []graphgen.CallOption{by, graphgen.WithObserver(s.log), graphgen.WithExchanges()}
	}
	return nil
}

// log adds an event to the log of the run.
func (s *Script) log(e graphgen.Event) {
	s.coroutines.check(e.Kind.String())
	line, err := e.AppendJSON(nil)
	if err != nil {
		_ = s.mistake(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(append(s.lines, line...), '\n')
}

// endLog adds the report to the log.
func (s *Script) endLog(report *graphgen.Report, err error) {
	if s.mode != logged && s.mode != driven {
		return
	}
	line, wrong := report.AppendJSON(nil)
	if wrong != nil {
		_ = s.mistake(wrong.Error())
	}
	s.result.Log = fmt.Sprintf("%s%s\n%v\n", s.lines, line, err)
	if c := s.coroutines; c != nil {
		c.check("the end")
		s.result.Coroutines = c.started
		if c.problem != nil {
			s.problem = c.problem
		}
	}
}

// now returns the time of the run.
func (s *Script) now() time.Time {
	if s.coroutines != nil {
		return s.coroutines.Now()
	}
	return time.Now()
}

// sleep waits, even if the context of the run ends.
func (s *Script) sleep(ctx context.Context, d time.Duration) {
	if s.engine.has(ctx) {
		s.engine.sleep(ctx, d)
		return
	}
	if s.coroutines == nil {
		time.Sleep(d)
		return
	}
	over := false
	s.coroutines.After(ctx, d, func() { over = true })
	s.coroutines.Wait(ctx, func() bool { return over })
}

// ends waits until the context has ended.
func (s *Script) ends(ctx context.Context) {
	if s.coroutines == nil {
		<-ctx.Done()
		return
	}
	s.coroutines.Wait(ctx, func() bool { return ctx.Err() != nil })
}

// within returns a context that ends after some time, and a function for its end.
func (s *Script) within(ctx context.Context, d time.Duration, cause error) (context.Context, func()) {
	if s.engine.has(ctx) {
		return driver.WithTimeoutCause(ctx, s.engine.by.Clock, d, cause)
	}
	if s.coroutines != nil {
		return driver.WithTimeoutCause(ctx, s.coroutines, d, cause)
	}
	return context.WithTimeoutCause(ctx, d, cause)
}
