package durable

import "github.com/graphgen/graphgen/runtime/thread"

// A writer appends records while the run goes on, in their order. It takes no lock of the session, which may be held by
// who waits for it.
type writer struct {
	queue  chan *pending
	broken chan struct{} // closed when a record was not appended; err has why
	done   chan struct{} // closed when nothing more is appended
	err    error
}

func newWriter(s *session) *writer {
	ahead := s.set.Ahead
	if ahead <= 0 {
		ahead = thread.DefaultAhead
	}
	// One record more is in the hands of the writer.
	w := &writer{queue: make(chan *pending, ahead-1), broken: make(chan struct{}), done: make(chan struct{})}
	go w.write(s)
	return w
}

// write appends what is in the queue, until the queue is closed or a record cannot be appended.
func (w *writer) write(s *session) {
	defer close(w.done)
	for p := range w.queue {
		if p.settled != nil {
			close(p.settled)
			continue
		}
		if w.err = s.append(p.head, p.record); w.err != nil {
			close(w.broken)
			s.cancel(&SaveError{Thread: s.id, Err: w.err})
			return
		}
	}
}

// put waits until the queue has room for a record, and returns the error of an earlier one.
func (w *writer) put(p *pending) error {
	select {
	case <-w.broken:
		return w.err
	default:
	}
	select {
	case w.queue <- p:
		return nil
	case <-w.broken:
		return w.err
	}
}

// appendLater has the writer append a record.
func (s *session) appendLater(p *pending) error {
	if err := s.writer.put(p); err != nil {
		return s.fail(err)
	}
	s.saved(p)
	return nil
}

// settle returns when all records are in the store.
func (s *session) settle() error {
	if s.writer == nil {
		return nil
	}
	mark := &pending{settled: make(chan struct{})}
	err := s.writer.put(mark)
	if err == nil {
		select {
		case <-mark.settled:
			return nil
		case <-s.writer.broken:
			err = s.writer.err
		}
	}
	return s.fail(err)
}

// endWriter has the writer append what is left, and ends it.
func (s *session) endWriter() {
	s.mu.Lock()
	w := s.writer
	s.writer = nil
	s.mu.Unlock()
	if w != nil {
		close(w.queue)
		<-w.done
	}
}
