package graphrt

import (
	"context"
	"iter"

	"github.com/graphgen/graphgen/runtime/internal/origin"
	"runtime"
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
		err := run(ctx, WithObserver(func(e Event) {
			if broken {
				return
			}
			if e.Kind == RunEnd && e.Run.Within == "" {
				last = e
				return
			}
			on := false
			defer func() {
				if !on {
					panicked, broken = recover(), true
					cancel()
				}
			}()
			on = yield(e, nil)
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

// Buffered returns the events of a stream through a buffer of size events: the run is on a goroutine of
// its own, and up to size events ahead of the loop. When the buffer is full, the run waits: no event is
// lost. Breaking off the iteration, or a panic of the loop's body, cancels the run and waits for its end,
// so that no goroutine outlives the loop.
//
// State returns nil for these events, but for the last: the run has gone on.
func Buffered(events Events, size int) Events {
	return func(yield func(Event, error) bool) {
		b := &buffer{pairs: make(chan streamed, max(0, size)), left: make(chan struct{})}
		go b.fill(events)
		defer b.end()
		for p := range b.pairs {
			if !yield(p.event, p.err) {
				return
			}
		}
	}
}

// A streamed is what a stream yields at once.
type streamed struct {
	event Event
	err   error
}

// A buffer is between a stream and a loop.
type buffer struct {
	pairs    chan streamed // closed when the run has ended
	left     chan struct{} // closed when the loop has ended
	panicked any
	returned bool // the stream, or it panicked; else its goroutine has exited
}

// fill runs the stream, on its goroutine.
func (b *buffer) fill(events Events) {
	defer close(b.pairs)
	defer func() {
		if v := recover(); v != nil {
			b.panicked, b.returned = v, true
		}
	}()
	for e, err := range events {
		if e.Kind != RunEnd {
			e.Origin = origin.Ref{}
		}
		select {
		case b.pairs <- streamed{e, err}:
		case <-b.left:
			b.returned = true
			return
		}
	}
	b.returned = true
}

// end waits for the end of the run. What ended the goroutine of the stream ends that of the loop.
func (b *buffer) end() {
	close(b.left)
	for range b.pairs {
	}
	switch {
	case b.panicked != nil:
		panic(b.panicked)
	case !b.returned:
		runtime.Goexit()
	}
}
