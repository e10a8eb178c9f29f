package postgres

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/runtime/thread"
)

// scanHead reads the columns of a head, and more.
func scanHead(row pgx.Row, more ...any) (h thread.Head, err error) {
	var status int16
	var seq int64
	var created, updated, expires, until *time.Time
	err = row.Scan(append([]any{&h.Thread, &h.Graph, &h.Shape, &status, &seq, &created, &updated, &expires, &h.Summary, &h.Stop, &until}, more...)...)
	h.Status, h.Seq = thread.Status(status), uint64(seq)
	h.Created, h.Updated, h.Expires, h.Until = loaded(created), loaded(updated), loaded(expires), loaded(until)
	return h, err
}

func scanAck(row pgx.Row) (ack thread.Ack, err error) {
	var until *time.Time
	err = row.Scan(&until, &ack.Stop)
	ack.Until = loaded(until)
	return ack, err
}

// records runs a statement that returns records.
func (s *Store) records(ctx context.Context, q querier, statement string, args ...any) ([]thread.Record, error) {
	rows, err := q.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r thread.Record, err error) {
		var seq int64
		var at *time.Time
		err = row.Scan(&seq, &at, &r.Snapshot, &r.Data)
		r.Seq, r.Time = uint64(seq), loaded(at)
		return r, err
	})
}

// tries is how often Load repeats its two statements.
const tries = 100

// Load implements thread.Store.
func (s *Store) Load(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
	for try := 0; ; try++ {
		var id int64
		head, err := scanHead(s.pool.QueryRow(ctx, s.sql.head, name), &id)
		if err != nil {
			return thread.Head{}, nil, notFound(err, name)
		}
		seq := cmp.Or(at, head.Seq)
		if seq > head.Seq {
			return thread.Head{}, nil, &thread.NotFoundError{Thread: name, Seq: seq}
		}
		records, err := s.records(ctx, s.pool, s.sql.load, id, int64(seq))
		if err != nil {
			return thread.Head{}, nil, err
		}
		switch n := len(records); {
		case n > 0 && records[n-1].Seq == seq:
			return head, records, thread.CheckLog(name, records)
		case at > 0:
			return thread.Head{}, nil, &thread.NotFoundError{Thread: name, Seq: at}
		case try == tries:
			return thread.Head{}, nil, &thread.CorruptError{Thread: name, Where: "record " + strconv.FormatUint(seq, 10) + " is missing, or every snapshot before it"}
		}
		// Between the two statements, the thread may have gone on and been pruned, or been deleted.
	}
}

// History implements thread.Store.
func (s *Store) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	var id int64
	if _, err := scanHead(s.pool.QueryRow(ctx, s.sql.head, name), &id); err != nil {
		return nil, notFound(err, name)
	}
	var most *int
	if limit > 0 {
		most = &limit
	}
	records, err := s.records(ctx, s.pool, s.sql.history, id, int64(min(after, math.MaxInt64)), int64(math.MaxInt64), most)
	return records, cmp.Or(err, thread.CheckLog(name, records))
}

// List implements thread.Store.
func (s *Store) List(ctx context.Context, filter thread.Filter) ([]thread.Head, error) {
	status := make([]int16, len(filter.Status))
	for i, st := range filter.Status {
		status[i] = int16(st)
	}
	rows, err := s.pool.Query(ctx, s.sql.list, filter.Graph, status, filter.After, filter.Prefix, filter.Unleased, s.clock(), filter.Page())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (thread.Head, error) { return scanHead(row) })
}

// Stop implements thread.Store.
func (s *Store) Stop(ctx context.Context, name string) error {
	tag, err := s.pool.Exec(ctx, s.sql.stop, name, []int16{int16(thread.Completed), int16(thread.Failed), int16(thread.Stopped)})
	if err == nil && tag.RowsAffected() == 0 {
		err = &thread.NotFoundError{Thread: name}
	}
	return err
}

// Copy implements thread.Store.
func (s *Store) Copy(ctx context.Context, from string, at uint64, head thread.Head) error {
	if err := thread.CheckCopy(at, head); err != nil {
		return err
	}
	return s.inTx(ctx, func(tx pgx.Tx) error {
		var source, id int64
		var found bool
		err := tx.QueryRow(ctx, s.sql.source, from, int64(at)).Scan(&source, &found)
		if err == nil && !found {
			err = &thread.NotFoundError{Thread: from, Seq: at}
		}
		if err != nil {
			return notFound(err, from)
		}
		err = tx.QueryRow(ctx, s.sql.copyHead, head.Thread, int64(head.Seq), int16(head.Status), head.Graph, head.Shape,
			stored(head.Created), stored(head.Updated), stored(head.Expires), head.Summary, s.clock()).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return s.taken(ctx, tx, head.Thread)
		}
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, s.sql.copyRecords, id, source, int64(at))
		if err == nil && tag.RowsAffected() == 0 { // pruned in between
			err = &thread.NotFoundError{Thread: from, Seq: at}
		}
		return err
	})
}

// taken returns why a name cannot be that of a copy.
func (s *Store) taken(ctx context.Context, tx pgx.Tx, name string) error {
	head, err := scanHead(tx.QueryRow(ctx, s.sql.name, name))
	switch {
	case err != nil:
		return err
	case head.Seq > 0:
		return &thread.ExistsError{Thread: name}
	}
	return &thread.HeldError{Thread: name, Until: head.Until}
}

// Prune implements thread.Store.
func (s *Store) Prune(ctx context.Context, name string, before uint64) (int, error) {
	var id int64
	if _, err := scanHead(s.pool.QueryRow(ctx, s.sql.head, name), &id); err != nil {
		return 0, notFound(err, name)
	}
	tag, err := s.pool.Exec(ctx, s.sql.prune, id, int64(min(before, math.MaxInt64)))
	return int(tag.RowsAffected()), err
}

// Delete implements thread.Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.inTx(ctx, func(tx pgx.Tx) error {
		var id int64
		err := tx.QueryRow(ctx, s.sql.deleteHead, name, s.clock()).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			head, err := scanHead(tx.QueryRow(ctx, s.sql.name, name))
			if err == nil && head.Seq > 0 {
				return &thread.HeldError{Thread: name, Until: head.Until}
			}
			return cmp.Or(notFound(err, name), error(&thread.NotFoundError{Thread: name}))
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, s.sql.deleteRecords, []int64{id})
		return err
	})
}

// Sweep implements thread.Store.
func (s *Store) Sweep(ctx context.Context) (n int, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, s.sql.sweep, s.clock())
		if err != nil {
			return err
		}
		var ids []int64
		var id, seq int64
		_, err = pgx.ForEachRow(rows, []any{&id, &seq}, func() error {
			if seq > 0 {
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		n = len(ids)
		_, err = tx.Exec(ctx, s.sql.deleteRecords, ids)
		return err
	})
	return n, err
}
