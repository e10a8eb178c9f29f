package harness

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/scenario/wire"
)

// An Engine runs a machine on another engine. Run calls do there, once, with a context, the driver of the run and its options, and returns when do has
// returned, and what do has begun there has ended.
type Engine interface {
	Run(do func(ctx context.Context, by driver.Driver, options []graphgen.Option)) error
}

// engineRun is a run on an engine.
type engineRun struct {
	engine Engine
	ctx    context.Context
	by     driver.Driver
	given  []graphgen.Option
}

type engineKey struct{}

// OnEngine reports whether the run is made on an engine.
func (s *Script) OnEngine() bool { return s.mode == onEngine }

// Use sets the engine.
func (s *Script) Use(e Engine) { s.engine = &engineRun{engine: e} }

// Light returns the model for nodes that are lightweight.
func (s *Script) Light() chat.Model { return &model{s, "light"} }

// Boxes returns the toolboxes that a scenario has.
func (s *Script) Boxes() (boxes []chat.Toolbox) {
	if s.asks() {
		boxes = append(boxes, servers{})
	}
	if len(s.scenario.Inject) > 0 {
		boxes = append(boxes, s)
	}
	return boxes
}

// ToChildren returns the options that child runs get from the run where it is made, for an engine that makes child runs elsewhere.
func (s *Script) ToChildren() (options []graphgen.Option) {
	for i := range s.scenario.Hooks {
		options = append(options, graphgen.WithHook(s.hook(i)))
	}
	if s.scenario.Recording != "" {
		options = append(options, s.playTools())
	}
	return options
}

// compareOnEngine runs a scenario on its engine, and returns what differs from the first run.
func compareOnEngine(t *testing.T, w *wire.Scenario, graph func(*Script) error, first *wire.Result) string {
	other := runOnce(t, w, graph, onEngine, nil)
	if other.Problem != "" {
		return modeNames[onEngine] + ": " + other.Problem
	}
	if w.RealTime {
		first, other = untimed(first), untimed(other)
	}
	if d := differsElsewhere(first, other); d != "" {
		return modeNames[onEngine] + ": " + d
	}
	return ""
}

// runOnEngine makes the run on the engine.
func (s *Script) runOnEngine(run func()) {
	called := false
	err := s.engine.engine.Run(func(ctx context.Context, by driver.Driver, options []graphgen.Option) {
		called = true
		s.engine.ctx, s.engine.by, s.engine.given = context.WithValue(ctx, engineKey{}, true), by, options
		run()
	})
	if !called {
		err = errors.Join(err, errors.New("the engine did not run it"))
	}
	if err != nil && s.problem == nil {
		s.problem = err
	}
}

// background returns the context that runs are made in.
func (s *Script) background() context.Context {
	if s.engine != nil {
		return s.engine.ctx
	}
	return context.Background()
}

// runTime returns the time of the run, where the run is made.
func (s *Script) runTime() time.Time {
	if s.engine != nil {
		return s.engine.by.Clock.Now()
	}
	return s.now()
}

// has reports whether a context is the context of the run on the engine. A handler may be called elsewhere, in a context of its own.
func (h *engineRun) has(ctx context.Context) bool {
	return h != nil && ctx != nil && ctx.Value(engineKey{}) != nil
}

func (h *engineRun) sleep(ctx context.Context, d time.Duration) {
	over := false
	h.by.Clock.After(ctx, d, func() { over = true })
	h.by.Scheduler.Wait(ctx, func() bool { return over })
}

func (h *engineRun) options() []graphgen.CallOption {
	options := []graphgen.CallOption{driver.With(h.by)}
	for _, o := range h.given {
		options = append(options, o)
	}
	return options
}
