package durable

import (
	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/thread"
)

// prepare makes the next record.
func (s *session) prepare(status thread.Status, about summary) (*pending, error) {
	p, err := s.journal.record(status, about)
	if err != nil {
		return nil, s.fail(err)
	}
	s.made.Store(p.head.Seq)
	return p, nil
}

// flush appends what has changed to the log.
func (s *session) flush(status thread.Status) error { return s.flushWith(status, summary{}) }

func (s *session) flushWith(status thread.Status, about summary) error {
	if err := s.failed(); err != nil {
		return err
	}
	if s.next.isEmpty() && !s.isWhole() && status == s.head.Status {
		return nil
	}
	sure := !s.began || status != thread.Running
	p, err := s.prepare(status, about)
	if err != nil {
		return err
	}
	s.recorded(p)
	if s.writer.put(p); sure {
		s.awaited = p.head.Seq
	}
	return nil
}

// locked calls f under the lock of the session. A panic in it ends all saving: it is of a type of the state, an error or a sealer.
func (s *session) locked(f func() error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			caught.Value(v, &err)
			err = s.fail(err)
		}
	}()
	return f()
}

// save calls f, which may make a record, under the lock of the session, and returns when the record is in the store; in the mode
// Async, when there are not too many that are not.
func (s *session) save(f func() error) error {
	made, ahead := uint64(0), 0
	err := s.locked(func() error {
		before := s.head.Seq
		if err := f(); err != nil {
			return err
		}
		if s.head.Seq != before {
			made = s.head.Seq
		}
		if made > s.awaited {
			ahead = s.ahead
		}
		return nil
	})
	if err != nil || made == 0 {
		return err
	}
	return s.writer.await(made, ahead)
}
