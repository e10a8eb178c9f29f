package durable

import (
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// A journal is what a session has of the records of its thread, and makes the next ones. It does not know the store.
type journal struct {
	id    string // of the thread
	graph *engine.Graph
	set   *thread.Settings

	head     thread.Head // with the last record that was made
	log      *log        // through that record, and what is in next
	next     record      // what is to be appended
	began    bool        // the run of this session has a record
	unlogged bool        // changes are not in the log
	passing  bool        // the thread expires when no process works on it
	awaited  uint64      // the last record that has to be in the store before its call returns
}

// A pending is a record that is not in the store yet, with its head.
type pending struct {
	head   thread.Head
	record thread.Record
	chain  string // the hash of the record
}

// snapshotEvery is the fewest bytes of the log between two snapshots, of settings that have none.
const snapshotEvery = 256 << 10

// isLong reports whether so much has been saved since the last snapshot that the next record is one.
func (j *journal) isLong() bool {
	if j.set.Snapshot > 0 {
		return j.log.size >= j.set.Snapshot
	}
	return j.log.size > max(snapshotEvery, 2*j.log.snapshot)
}

// isWhole reports whether the next record is a snapshot.
func (j *journal) isWhole() bool {
	return !j.began || j.unlogged || j.isLong()
}

// record makes the next record.
func (j *journal) record(status thread.Status, about summary) (*pending, error) {
	whole := j.isWhole()
	if whole {
		j.next.run, j.next.input, j.next.earlier, j.next.pausesAt = j.log.run, j.log.input, j.log.earlier, j.log.pausesAt
		j.next.calls = j.log.calls
		j.log.everything(&j.next)
	}
	j.next.before = j.log.chain
	if j.log.seals {
		if err := j.next.sealBy(j.set.Seal, j.head.Seq+1); err != nil {
			return nil, err
		}
	}
	data, err := j.next.encode()
	if err != nil {
		return nil, err
	}
	about.chain, about.run, about.named = digest(data), j.log.run, len(j.log.earlier) > 0
	if j.log.seals {
		if err := about.sealBy(j.set.Seal); err != nil {
			return nil, err
		}
	}
	head := j.head
	head.Thread, head.Graph, head.Shape, head.Status = j.id, j.graph.Name, j.graph.Shape, status
	head.Seq, head.Updated = j.head.Seq+1, time.Now()
	if head.Created.IsZero() {
		head.Created = head.Updated
	}
	switch head.Expires = (time.Time{}); {
	case j.passing:
		head.Expires = head.Updated.Add(j.set.Lease)
	case status.Ended() && j.set.Keep > 0:
		head.Expires = head.Updated.Add(j.set.Keep)
	}
	if head.Summary, err = codec.MarshalStruct(&about); err != nil {
		return nil, err
	}
	return &pending{head: head, record: thread.Record{Seq: head.Seq, Time: head.Updated, Snapshot: whole, Data: data}, chain: about.chain}, nil
}

// recorded notes that a record is made.
func (j *journal) recorded(p *pending) {
	j.head, j.began, j.unlogged, j.next = p.head, true, false, record{}
	if j.log.chain = p.chain; p.record.Snapshot {
		j.log.size, j.log.snapshot = 0, len(p.record.Data)
	} else {
		j.log.size += len(p.record.Data)
	}
}

// IsPassing reports whether a thread has a run of Passing that has not ended: other threads expire only after their end.
func IsPassing(head *thread.Head) bool {
	return (head.Status == thread.Running || head.Status == thread.Paused) && !head.Expires.IsZero()
}
