package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/engine"
)

// saved is a thread with a run that another process has saved. It saves nothing.
type saved struct {
	engine.Threaded
	unused
	image engine.Image
	path  []engine.TransitionID
}

// unused has the methods of a thread that are not called.
type unused struct{ engine.Thread }

func (s *saved) Name() string                   { return "t" }
func (s *saved) LastCall() int                  { return 0 }
func (s *saved) Observer() func(graphgen.Event) { return nil }
func (s *saved) Applied() *engine.Applied {
	return engine.Apply[graphgen.Option](new(engine.Options), nil)
}
func (s *saved) Sets(*optionset.Settings)   {}
func (s *saved) Stopping() bool             { return false }
func (s *saved) Stopper() *graphgen.Stopper { return new(graphgen.Stopper) }

func (s *saved) Step(*engine.Run, engine.Boundary) error { return nil }

func (s *saved) Adopt(r *engine.Run) (bool, error) {
	r.Load(&s.image, s.path)
	return true, nil
}

func (s *saved) Ended(_ *engine.Run, err error) error { return err }

// TestTriesOfAnotherProcess holds that the attempts which another process has made at a node count for that node alone.
func TestTriesOfAnotherProcess(t *testing.T) {
	var attempts []int
	m := newCounter(10, func(ctx context.Context, n *int) (bool, error) {
		attempts = append(attempts, graphgen.Info(ctx).Attempt)
		if *n++; *n == 1 {
			return true, nil
		}
		return false, errors.New("broken")
	})
	m.policy = engine.Policy{Attempts: 3, RetryAny: true}
	m.graph.Nodes[1].OnError = nil
	thread := engine.Thread(&saved{path: []engine.TransitionID{0}, image: engine.Image{
		At: 1, Edges: []uint32{1}, Visits: []uint32{0, 1}, Made: 1, Execution: engine.Execution{Attempts: 2}, Tries: 2,
	}})
	_, err := m.Run(t.Context(), optionset.Option(func(s *optionset.Settings) { s.Thread = origin.To(thread) }))
	if want := []int{2, 1, 2, 3}; !slices.Equal(attempts, want) {
		t.Errorf("the attempts are %v, want %v: %v", attempts, want, err)
	}
}
