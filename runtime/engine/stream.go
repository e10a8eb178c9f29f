package engine

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// Stream runs a machine and yields its events as they happen, on the caller's
// goroutine. The last pair carries Run's error, if it returned one; where no run was made, it is
// the only one, and its event is that of no run. Breaking off the
// iteration cancels the run; so does a panic of the loop's body, which goes on once the
// run has ended.
func Stream(ctx context.Context, run func(context.Context, graphgen.Option) error) graphgen.Events {
	return func(yield func(graphgen.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s := &streaming{yield: yield, cancel: cancel}
		err := run(ctx, graphgen.WithObserver(func(e graphgen.Event) { s.observe(&e) }))
		if s.panicked != nil {
			panic(s.panicked)
		}
		if !s.broken {
			if s.last.Run == nil {
				s.last.Run = new(graphgen.RunInfo)
			}
			yield(s.last, err)
		}
	}
}

// A streaming is what a stream keeps of its run and of its loop.
type streaming struct {
	yield    func(graphgen.Event, error) bool
	cancel   context.CancelFunc
	last     graphgen.Event
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
func (s *streaming) observe(e *graphgen.Event) {
	if s.broken {
		return
	}
	if e.Kind == graphgen.RunEnd && e.Run.Within == "" {
		s.last = *e
		return
	}
	if run, ok := origin.Of(e.Origin).(source); ok && e.Kind == graphgen.RunStart {
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
func StreamRun[In, Out any](ctx context.Context, run func(context.Context, In, ...graphgen.Option) (Out, error), in In,
	opts []graphgen.Option) graphgen.Events {
	return Stream(ctx, func(ctx context.Context, events graphgen.Option) error {
		_, err := run(ctx, in, append([]graphgen.Option{events}, opts...)...)
		return err
	})
}

// StreamWith is StreamRun for a method of two arguments.
func StreamWith[A, B, Out any](ctx context.Context, run func(context.Context, A, B, ...graphgen.Option) (Out, error), a A, b B,
	opts []graphgen.Option) graphgen.Events {
	return StreamRun(ctx, func(ctx context.Context, b B, opts ...graphgen.Option) (Out, error) { return run(ctx, a, b, opts...) }, b, opts)
}

// StreamAnswer is StreamRun for the method Answer.
func StreamAnswer[Out any](ctx context.Context, run func(context.Context, *graphgen.InterruptedError, string, []byte,
	...graphgen.Option) (Out, error), p *graphgen.InterruptedError, id string, data []byte, opts []graphgen.Option) graphgen.Events {
	return StreamWith(ctx, func(ctx context.Context, id string, data []byte, opts ...graphgen.Option) (Out, error) {
		return run(ctx, p, id, data, opts...)
	}, id, data, opts)
}
