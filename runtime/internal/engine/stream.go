package engine

import (
	"context"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/internal/origin"
)

// Stream runs a machine and yields its events as they happen, on the caller's
// goroutine. The last pair carries Run's error, if it returned one; where no run was made, it is
// the only one, and its event is that of no run. Breaking off the
// iteration cancels the run; so does a panic of the loop's body, which goes on once the
// run has ended.
func Stream(ctx context.Context, run func(context.Context, graphrt.Option) error) graphrt.Events {
	return func(yield func(graphrt.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s := &streaming{yield: yield, cancel: cancel}
		err := run(ctx, graphrt.WithObserver(func(e graphrt.Event) { s.observe(&e) }))
		if s.panicked != nil {
			panic(s.panicked)
		}
		if !s.broken {
			if s.last.Run == nil {
				s.last.Run = new(graphrt.RunInfo)
			}
			yield(s.last, err)
		}
	}
}

// A streaming is what a stream keeps of its run and of its loop.
type streaming struct {
	yield    func(graphrt.Event, error) bool
	cancel   context.CancelFunc
	last     graphrt.Event
	panicked any
	broken   bool
}

// A begun is what the first event of a stream leads to: its run, which Buffered cancels from the goroutine of its loop.
type begun struct {
	source
	cancel context.CancelFunc
}

func (b begun) Cancel() { b.cancel() }

// observe yields an event. The last one is yielded when the run has returned.
func (s *streaming) observe(e *graphrt.Event) {
	if s.broken {
		return
	}
	if e.Kind == graphrt.RunEnd && e.Run.Within == "" {
		s.last = *e
		return
	}
	if run, ok := origin.Of(e.Origin).(source); ok && e.Kind == graphrt.RunStart {
		e.Origin = origin.To(begun{run, s.cancel})
	}
	on := false
	defer func() {
		if !on {
			s.panicked, s.broken = recover(), true
			s.cancel()
		}
	}()
	on = s.yield(*e, nil)
}

// StreamRun is Stream of a method of a generated machine that makes a run, or goes on with one, of an argument.
func StreamRun[In, Out any](ctx context.Context, run func(context.Context, In, ...graphrt.Option) (Out, error), in In, opts []graphrt.Option) graphrt.Events {
	return Stream(ctx, func(ctx context.Context, events graphrt.Option) error {
		_, err := run(ctx, in, append([]graphrt.Option{events}, opts...)...)
		return err
	})
}

// StreamWith is StreamRun for a method of two arguments.
func StreamWith[A, B, Out any](ctx context.Context, run func(context.Context, A, B, ...graphrt.Option) (Out, error), a A, b B,
	opts []graphrt.Option) graphrt.Events {
	return StreamRun(ctx, func(ctx context.Context, b B, opts ...graphrt.Option) (Out, error) { return run(ctx, a, b, opts...) }, b, opts)
}
