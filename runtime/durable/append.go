package durable

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// flush appends what has changed to the log.
func (s *session) flush(status thread.Status) error { return s.flushWith(status, summary{}) }

// snapshotEvery is the fewest bytes of the log between two snapshots, of settings that have none.
const snapshotEvery = 256 << 10

// isLong reports whether so much has been saved since the last snapshot that the next record is one.
func (s *session) isLong() bool {
	if s.set.Snapshot > 0 {
		return s.log.size >= s.set.Snapshot
	}
	return s.log.size > max(snapshotEvery, 2*s.log.snapshot)
}

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

// caught ends all saving where a goroutine of the session panics. It is to be deferred.
func (s *session) caught() {
	if v := recover(); v != nil {
		var err error
		caught.Value(v, &err)
		_ = s.fail(err)
	}
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

// isWhole reports whether the next record is a snapshot.
func (s *session) isWhole() bool {
	return !s.began || s.unlogged || s.isLong()
}

// A pending is a record that is not in the store yet, with its head.
type pending struct {
	head   thread.Head
	record thread.Record
	chain  string // the hash of the record
}

// prepare makes the next record.
func (s *session) prepare(status thread.Status, about summary) (*pending, error) {
	whole := s.isWhole()
	if whole {
		s.next.run, s.next.input, s.next.earlier, s.next.pausesAt = s.log.run, s.log.input, s.log.earlier, s.log.pausesAt
		s.next.calls = s.log.calls
		s.log.everything(&s.next)
	}
	s.next.before = s.log.chain
	if s.log.seals {
		if err := s.next.sealBy(s.set.Seal, s.head.Seq+1); err != nil {
			return nil, s.fail(err)
		}
	}
	data, err := s.next.encode()
	if err != nil {
		return nil, s.fail(err)
	}
	about.chain, about.run, about.named = digest(data), s.log.run, len(s.log.earlier) > 0
	if s.log.seals {
		if err := about.sealBy(s.set.Seal); err != nil {
			return nil, s.fail(err)
		}
	}
	head := s.head
	head.Thread, head.Graph, head.Shape, head.Status = s.id, s.m.Graph.Name, s.m.Graph.Shape, status
	head.Seq, head.Updated = s.head.Seq+1, time.Now()
	s.made.Store(head.Seq)
	if head.Created.IsZero() {
		head.Created = head.Updated
	}
	if head.Expires = (time.Time{}); status.Ended() && s.set.Keep > 0 {
		head.Expires = head.Updated.Add(s.set.Keep)
	}
	if head.Summary, err = codec.MarshalStruct(&about); err != nil {
		return nil, s.fail(err)
	}
	return &pending{head: head, record: thread.Record{Seq: head.Seq, Time: head.Updated, Snapshot: whole, Data: data}, chain: about.chain}, nil
}

// recorded notes that a record is made.
func (s *session) recorded(p *pending) {
	s.head, s.began, s.unlogged, s.next = p.head, true, false, record{}
	if s.log.chain = p.chain; p.record.Snapshot {
		s.log.size, s.log.snapshot = 0, len(p.record.Data)
	} else {
		s.log.size += len(p.record.Data)
	}
}

// everything makes a record have all that is saved.
func (l *log) everything(to *record) {
	to.runs, to.effects, to.verdicts = nil, nil, nil
	for _, place := range slices.Sorted(maps.Keys(l.runs)) {
		s := l.runs[place]
		if !s.fresh || place == "" { // of another one, only effects are saved yet
			cells, hidden := s.cells.Whole()
			to.runs = append(to.runs, entry{place: place, cells: cells, hidden: hidden})
		}
		for _, key := range slices.Sorted(maps.Keys(s.effects)) {
			to.effects = append(to.effects, effect{place, key, s.effects[key]})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.verdicts)) {
		to.verdicts = append(to.verdicts, l.verdicts[id])
	}
	if to.closed {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		to.open = append(to.open, l.open[id])
	}
}

// append appends records in one call. It tries again as long as it may: the store may be away for a while.
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
		ack, err := s.set.Store.Append(ctx, s.lease, head, records)
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

// isDecided reports whether a store has refused a call for a reason that stays.
func isDecided(err error) bool {
	return is[*thread.LostError](err) || is[*thread.SeqError](err) || is[*thread.InvalidError](err) || is[*thread.CorruptError](err) ||
		is[*thread.NotFoundError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
