package graphrt

import (
	"context"
	"iter"
)

// Events are the events of a run, as Stream methods of generated machines yield them.
type Events = iter.Seq2[Event, error]

// Stream runs a machine and yields its events as they happen, on the caller's
// goroutine. The last pair carries Run's error, if it returned one; where no run was made, it is
// the only one, and its event is that of no run. Breaking off the
// iteration cancels the run; so does a panic of the loop's body, which goes on once the
// run has ended.
func Stream(ctx context.Context, run func(context.Context, Option) error) Events {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var last Event
		var panicked any
		broken := false
		tell := func(e Event) {
			on := false
			defer func() {
				if panicked = recover(); !on {
					broken = true
					cancel()
				}
			}()
			on = yield(e, nil)
		}
		err := run(ctx, WithObserver(func(e Event) {
			switch {
			case broken:
			case e.Kind == RunEnd && e.Run.Within == "":
				last = e
			default:
				tell(e)
			}
		}))
		if panicked != nil {
			panic(panicked)
		}
		if !broken {
			if last.Run == nil {
				last.Run = new(RunInfo)
			}
			yield(last, err)
		}
	}
}

// StreamRun is Stream of the method Run of a generated machine.
func StreamRun[In, Out any](ctx context.Context, run func(context.Context, In, ...Option) (Out, error), in In, opts []Option) Events {
	return Stream(ctx, func(ctx context.Context, events Option) error {
		_, err := run(ctx, in, append([]Option{events}, opts...)...)
		return err
	})
}
