package durable

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A writer appends the records of a session in their order. One append is under way at a time, and the next one has all records
// that were made meanwhile. It takes no lock of the session, which calls make records under.
type writer struct {
	session *session

	mu       sync.Mutex
	changed  sync.Cond
	waiting  []*pending // that no append has yet
	busy     bool       // an append is under way
	draining bool       // a goroutine appends what waits, in the mode Async
	made     uint64     // the number of the last record that the writer was given
	stored   uint64     // of the last one that is in the store
	err      error      // why nothing more is appended
}

func newWriter(s *session) *writer {
	w := &writer{session: s, made: s.head.Seq, stored: s.head.Seq}
	w.changed.L = &w.mu
	return w
}

// put has a record appended: by the call that awaits it, or in the mode Async by a goroutine.
func (w *writer) put(p *pending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting, w.made = append(w.waiting, p), p.head.Seq
	if w.session.ahead > 0 && !w.draining {
		w.draining = true
		go w.drain()
	}
}

// drain appends what waits.
func (w *writer) drain() {
	defer w.session.caught()
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > 0 && w.err == nil {
		if w.busy {
			w.changed.Wait()
		} else {
			w.next()
		}
	}
	w.draining = false
	w.changed.Broadcast()
}

// await returns when at most ahead records through one are not in the store.
func (w *writer) await(seq uint64, ahead int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && w.stored+uint64(ahead) < seq {
		if w.busy || w.draining {
			w.changed.Wait()
		} else {
			w.next()
		}
	}
	return w.err
}

// settle returns when all records are in the store.
func (w *writer) settle() error {
	w.mu.Lock()
	made := w.made
	w.mu.Unlock()
	return w.await(made, 0)
}

// next appends the records that wait, as many as one append may have. The writer is locked, but not during the append.
func (w *writer) next() {
	batch := w.take()
	w.busy = true
	w.mu.Unlock()
	err := errGone
	defer func() {
		if err != nil {
			w.session.fail(err)
		}
		w.mu.Lock()
		switch w.busy = false; {
		case err == nil:
			w.stored = batch[len(batch)-1].head.Seq
		case w.err == nil: // the session is failing elsewhere, and has not reached the writer yet
			w.err = w.session.failed()
		}
		w.changed.Broadcast()
	}()
	err = w.session.append(batch)
}

// errGone is why an append failed that did not return.
var errGone = errors.New("the goroutine of an append has ended")

// take removes the records of the next append from those that wait.
func (w *writer) take() []*pending {
	n, size := 0, 0
	for ; n < len(w.waiting); n++ {
		if size += len(w.waiting[n].record.Data); n > 0 && size > thread.MaxData {
			break
		}
	}
	batch := w.waiting[:n:n]
	w.waiting = w.waiting[n:]
	return batch
}

// append appends records in one call. It tries again as long as it may: the store may be away for a while, or a connection dead, on which a call
// would not return.
func (s *session) append(batch []*pending) error {
	head, records := batch[len(batch)-1].head, make([]thread.Record, len(batch))
	for i, p := range batch {
		records[i] = p.record
	}
	ctx, cancel := s.patience()
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		if err := s.failed(); err != nil {
			return err
		}
		asked := time.Now()
		try, end := context.WithTimeout(ctx, s.lease.TTL/2)
		ack, err := s.set.Store.Append(try, s.lease, head, records)
		end()
		if err == nil {
			s.acknowledged(asked, ack)
			s.hub.Saved(s.id, head.Seq)
			return nil
		}
		if isDecided(err) {
			return err
		}
		s.tenure.noteError(err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// skipTo notes that a transaction has appended a record.
func (w *writer) skipTo(seq uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made, w.stored = seq, seq
}

// fail ends the writer.
func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	w.changed.Broadcast()
}
