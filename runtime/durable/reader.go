package durable

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen/thread"
)

// A reader reads the records of a thread in order, and adds them up.
type reader struct {
	store thread.Store
	id    string
	log   *log
	seq   uint64 // of the last record that was read
	known bool   // a record was read: the log is complete up to it

	// stale reports whether records that were got without a bound are left, as something else determines now how far to read; nil: never.
	stale func() bool
}

// A sight is what is done with a record: before is what those before it add up to, and l what they add up to with it.
type sight func(before, l *log, r *thread.Record, v *record) error

// errLeft is the end of a loop that was broken off.
var errLeft = errors.New("the loop has ended")

func newReader(s thread.Store, id string) *reader {
	return &reader{store: thread.Guard(s), id: id, log: newLog(sealing{blind: true})}
}

// begin reads the records from the last snapshot through one; 0 is before the first one.
func (r *reader) begin(ctx context.Context, seq uint64, see sight) error {
	if seq == 0 {
		return nil
	}
	_, records, err := r.store.Load(ctx, r.id, seq)
	if err != nil {
		return err
	}
	return r.add(records, see)
}

// passes begins after a record that was pruned. The next one has to be there: it is a snapshot.
func (r *reader) passes(ctx context.Context, seq uint64) error {
	next, err := r.store.History(ctx, r.id, seq, 1)
	if err != nil {
		return err
	}
	switch {
	case len(next) == 0:
		return &thread.GapError{Thread: r.id, After: seq}
	case next[0].Seq != seq+1:
		return &thread.GapError{Thread: r.id, After: seq, First: next[0].Seq}
	}
	r.seq = seq
	return nil
}

func (r *reader) isStale() bool { return r.stale != nil && r.stale() }

// read calls see for each record through one; 0: for all that there are, while they are not stale. It ends with the error of see.
func (r *reader) read(ctx context.Context, through uint64, see sight) error {
	for through == 0 || r.seq < through {
		limit := historyPage
		if through > 0 {
			limit = int(min(historyPage, through-r.seq))
		}
		if through == 0 && r.isStale() {
			return nil
		}
		records, err := r.store.History(ctx, r.id, r.seq, limit)
		if err != nil || through == 0 && r.isStale() {
			return err
		}
		if r.seq > 0 && len(records) > 0 && records[0].Seq != r.seq+1 {
			return &thread.GapError{Thread: r.id, After: r.seq, First: records[0].Seq}
		}
		if err := r.add(records, see); err != nil || len(records) < limit {
			return err
		}
	}
	return nil
}

// add adds records up, and calls see for each with what the records before add up to.
func (r *reader) add(records []thread.Record, see sight) error {
	for i := range records {
		rec := &records[i]
		before := *r.log
		v, err := decode(rec.Data)
		if err == nil {
			err = r.log.add(rec, !r.known)
		}
		if err != nil {
			return &thread.StoreError{Thread: r.id, Seq: rec.Seq, Err: err}
		}
		r.known, r.seq = true, rec.Seq
		if err := see(&before, r.log, rec, v); err != nil {
			return err
		}
	}
	return nil
}
