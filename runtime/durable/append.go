package durable

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/thread"
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
	if s.failure != nil {
		return s.failure
	}
	if s.next.isEmpty() && !s.isWhole() && status == s.head.Status {
		return nil
	}
	p, err := s.prepare(status, about)
	if err != nil {
		return err
	}
	if s.writer != nil && s.began && status == thread.Running {
		return s.appendLater(p)
	}
	if err := s.settle(); err != nil {
		return err
	}
	if err := s.append(p.head, p.record); err != nil {
		return s.fail(err)
	}
	s.saved(p)
	return nil
}

// isWhole reports whether the next record is a snapshot.
func (s *session) isWhole() bool {
	return !s.began || s.late || s.isLong()
}

// A pending is a record that is not in the store yet, with its head.
type pending struct {
	head   thread.Head
	record thread.Record
	chain  string // the hash of the record

	settled chan struct{} // of no record: closed when those before it are in the store
}

// prepare makes the next record.
func (s *session) prepare(status thread.Status, about summary) (*pending, error) {
	whole := s.isWhole()
	if whole {
		s.next.run, s.next.pausesAt = s.log.run, s.log.pausesAt
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
	about.chain, about.run = link(data), s.log.run
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

// saved notes that a record is in the store.
func (s *session) saved(p *pending) {
	s.head, s.began, s.late, s.next = p.head, true, false, record{}
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

// append appends a record. It tries again as long as the lease lasts: the store may be down for a while.
func (s *session) append(head thread.Head, r thread.Record) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.lease.TTL)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		ack, err := s.set.Store.Append(ctx, s.lease, head, []thread.Record{r})
		if err == nil {
			s.acked(ack)
			s.hub.Saved(s.id, r.Seq)
			return nil
		}
		if isDecided(err) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// isDecided reports whether a store has refused a call for a reason that stays.
func isDecided(err error) bool {
	return is[*thread.LostError](err) || is[*thread.SeqError](err) || is[*thread.InvalidError](err) || is[*thread.CorruptError](err) || is[*thread.NotFoundError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func (s *session) acked(ack thread.Ack) {
	if ack.Stop {
		s.stop.Store(true)
	}
}
