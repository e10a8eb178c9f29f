package graphgen

import (
	"iter"
	"runtime"

	"github.com/graphgen/graphgen/internal/origin"
)

// Events are the events of a run, as Stream methods of generated machines yield them.
type Events = iter.Seq2[Event, error]

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
			if p.cancel != nil {
				b.cancel = p.cancel
			}
			if !yield(p.event, p.err) {
				return
			}
		}
	}
}

// A streamed is what a stream yields at once.
type streamed struct {
	event  Event
	err    error
	cancel func() // of the event that a run begins with: ends the run's context
}

// A buffer is between a stream and a loop.
type buffer struct {
	pairs    chan streamed // closed when the run has ended
	left     chan struct{} // closed when the loop has ended
	cancel   func()        // the loop's: ends the run's context; nil: the stream has none, or has not begun
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
		p := streamed{err: err}
		if of, ok := origin.Of(e.Origin).(interface{ Cancel() }); ok {
			p.cancel = of.Cancel
		}
		if e.Kind != RunEnd {
			e.Origin = withoutRun(e)
		}
		p.event = e
		select {
		case b.pairs <- p:
		case <-b.left:
			b.returned = true
			return
		}
	}
	b.returned = true
}

// A payload is that of an event that has left its run.
type payload struct{ of any }

func (p payload) Payload() any { return p.of }

// withoutRun returns what an event leads to once its run has gone on: a payload, or nothing.
func withoutRun(e Event) origin.Ref {
	if of, ok := Payload[any](e); ok {
		return origin.To(payload{of})
	}
	return origin.Ref{}
}

// end waits for the end of the run. What ended the goroutine of the stream ends that of the loop.
func (b *buffer) end() {
	close(b.left)
	if b.cancel != nil {
		b.cancel() // a call that waits makes no event at which the stream would see that the loop has ended
	}
	for range b.pairs {
	}
	switch {
	case b.panicked != nil:
		panic(b.panicked)
	case !b.returned:
		runtime.Goexit()
	}
}
