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
	fails bool   // a record is damaged: the log is not complete
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

// read calls see for each record through one; 0: for all that there are. It ends with the error of see.
func (r *reader) read(ctx context.Context, through uint64, see sight) error {
	for through == 0 || r.seq < through {
		if full, err := r.page(ctx, through, see); err != nil || !full {
			return err
		}
	}
	return nil
}

// page is read of at most a page of records. It reports whether there may be more of them.
func (r *reader) page(ctx context.Context, through uint64, see sight) (full bool, err error) {
	limit := historyPage
	if through > 0 {
		limit = int(min(historyPage, through-r.seq))
	}
	records, err := r.store.History(ctx, r.id, r.seq, limit)
	if err != nil {
		return false, err
	}
	if r.seq > 0 && len(records) > 0 && records[0].Seq != r.seq+1 {
		return false, &thread.GapError{Thread: r.id, After: r.seq, First: records[0].Seq}
	}
	return len(records) == limit, r.add(records, see)
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
		if r.fails = err != nil; r.fails {
			return &thread.StoreError{Thread: r.id, Seq: rec.Seq, Err: err}
		}
		r.known, r.seq = true, rec.Seq
		if err := see(&before, r.log, rec, v); err != nil {
			return err
		}
	}
	return nil
}
