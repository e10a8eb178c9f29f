package graphgen

import (
	"context"
	"errors"
	"iter"
	"runtime"

	"github.com/graphgen/graphgen/internal/origin"
)

// A Stream is a call of a machine whose events are read as they happen. The method Stream of a machine returns a stream of Run; NewStream returns
// a stream of any other call. The call begins with the loop over Events, or with Output.
//
// The call is on the goroutine of the loop, and waits while the body of the loop works. For a slow reader, such as a client across a network,
// see Buffered.
type Stream[Out any] struct {
	ctx    context.Context
	cancel context.CancelFunc
	call   func(context.Context, Option) (Out, error)
	buffer *int

	begun, ended bool
	out          Out   // of the call, for a reader where ended is true
	err          error // likewise
}

// NewStream returns the stream of a call. It passes the call the context that Close cancels, and an option that observes the run:
//
//	s := graphgen.NewStream(ctx, func(ctx context.Context, events graphgen.Option) (LetterOutput, error) {
//		return m.Thread("letter-7").Start(ctx, in, events)
//	})
func NewStream[Out any](ctx context.Context, call func(ctx context.Context, events Option) (Out, error)) *Stream[Out] {
	s := &Stream[Out]{call: call, err: errStreaming}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// Buffered lets the run be up to size events ahead of the loop, on a goroutine of its own. When the buffer is full, the run waits: no event is
// lost. State returns nil for these events, except for the last: the run has gone on. It returns s.
func (s *Stream[Out]) Buffered(size int) *Stream[Out] {
	size = max(0, size)
	s.buffer = &size
	return s
}

// Events yields the events of the call once, RunEnd last. Leaving the loop early cancels the run and waits for its end, as does a panic of the
// loop's body: no goroutine outlives the loop. A call that begins no run has no events; Output returns why.
func (s *Stream[Out]) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if s.begun {
			return
		}
		s.begun = true
		defer func() {
			s.cancel()
			s.ended = true
		}()
		read := func(e Event) bool {
			s.ended = isLast(e)
			return yield(e)
		}
		if s.buffer == nil {
			s.run(read)
		} else {
			s.ahead(read)
		}
	}
}

// isLast reports whether an event is the end of the run itself, not of a child run.
func isLast(e Event) bool { return e.Kind == RunEnd && e.Run.Within == "" }

// Output returns what the call has returned, after the loop over Events or at its RunEnd event. Without a loop, it makes the call to its end.
// If the loop was left early, the error is the error of the cancelled run.
func (s *Stream[Out]) Output() (Out, error) {
	if !s.begun {
		for range s.Events() {
		}
	}
	if !s.ended {
		var none Out
		return none, errStreaming
	}
	return s.out, s.err
}

var errStreaming = errors.New("graphgen: the run of the stream has not ended: read its events first")

// Close cancels the run. It may be called at any time, on any goroutine, and more than once.
func (s *Stream[Out]) Close() { s.cancel() }

// run makes the call on this goroutine.
func (s *Stream[Out]) run(yield func(Event) bool) {
	l := &loop{yield: yield, cancel: s.cancel}
	s.out, s.err = s.call(s.ctx, WithObserver(l.observe))
	if l.panicked != nil {
		panic(l.panicked)
	}
	if !l.left && l.last != nil {
		yield(*l.last)
	}
}

// A loop is the loop over the events of a stream.
type loop struct {
	yield    func(Event) bool
	cancel   context.CancelFunc
	last     *Event // RunEnd, which is yielded when the call has returned
	panicked any
	left     bool
}

func (l *loop) observe(e Event) {
	if l.left {
		return
	}
	if isLast(e) {
		l.last = &e
		return
	}
	stays := false
	defer func() {
		if !stays {
			l.panicked, l.left = recover(), true
			l.cancel()
		}
	}()
	stays = l.yield(e)
}

// ahead makes the call on a goroutine of its own. What ends that goroutine ends this one.
func (s *Stream[Out]) ahead(yield func(Event) bool) {
	events, left := make(chan Event, *s.buffer), make(chan struct{})
	var panicked any
	returned := false
	go func() {
		defer close(events)
		defer func() {
			if v := recover(); v != nil {
				panicked, returned = v, true
			}
		}()
		s.run(func(e Event) bool {
			if e.Kind != RunEnd {
				e.Details.Of = withoutRun(e)
			}
			select {
			case events <- e:
				return true
			case <-left:
				return false
			}
		})
		returned = true
	}()
	defer func() {
		close(left)
		s.cancel() // a call that waits makes no event at which it would see that the loop has ended
		for range events {
		}
		switch {
		case panicked != nil:
			panic(panicked)
		case !returned:
			runtime.Goexit()
		}
	}()
	for e := range events {
		if !yield(e) {
			return
		}
	}
}

// A payload is the payload of an event that has left its run.
type payload struct{ of any }

func (p payload) Payload() any { return p.of }

// withoutRun returns what an event leads to once its run has gone on: a payload, or nothing.
func withoutRun(e Event) origin.Ref {
	if of, ok := Payload[any](e); ok {
		return origin.To(payload{of})
	}
	return origin.Ref{}
}
