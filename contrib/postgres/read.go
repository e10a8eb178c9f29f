package postgres

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/thread"
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

// A row is a row of a thread, with what the table of records has of it.
type row struct {
	thread.Head
	id int64
	thread.Span
}

// row returns the row of a name, and the error pgx.ErrNoRows if it does not exist.
func (s *Store) row(ctx context.Context, q querier, name string) (row, error) {
	return scanRow(q.QueryRow(ctx, s.sql.head, name))
}

func scanRow(from pgx.Row) (r row, err error) {
	var first, last int64
	r.Head, err = scanHead(from, &r.id, &first, &last)
	r.First, r.Last = uint64(first), uint64(last)
	return r, err
}

// find returns the row of a thread that has records.
func (s *Store) find(ctx context.Context, q querier, name string) (row, error) {
	r, err := s.row(ctx, q, name)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && r.Seq == 0 {
		err = &thread.NotFoundError{Thread: name}
	}
	return r, err
}

// read reads the row of a thread and some of its records. It does so again where check finds an error and the thread was pruned or deleted
// between the two statements.
func (s *Store) read(ctx context.Context, name string, records func(row) ([]thread.Record, error), check func(row,
	[]thread.Record) error) (thread.Head, []thread.Record, error) {
	r, err := s.find(ctx, s.pool, name)
	for err == nil {
		found, err := records(r)
		if err != nil {
			return thread.Head{}, nil, err
		}
		wrong := check(r, found)
		if wrong == nil {
			return r.Head, found, nil
		}
		before := r
		if r, err = s.find(ctx, s.pool, name); err == nil && r.id == before.id && r.First == before.First {
			return thread.Head{}, nil, wrong
		}
	}
	return thread.Head{}, nil, err
}

// Load implements thread.Store.
func (s *Store) Load(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
	return s.read(ctx, name, func(r row) ([]thread.Record, error) {
		return s.records(ctx, s.pool, s.sql.load, r.id, int64(min(cmp.Or(at, r.Seq), math.MaxInt64)))
	}, func(r row, records []thread.Record) error { return r.CheckLoad(&r.Head, at, records) })
}

// History implements thread.Store.
func (s *Store) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	var most *int
	if limit > 0 {
		most = &limit
	}
	_, records, err := s.read(ctx, name, func(r row) ([]thread.Record, error) {
		return s.records(ctx, s.pool, s.sql.history, r.id, int64(min(after, math.MaxInt64)), int64(r.Seq), most)
	}, func(r row, records []thread.Record) error { return r.CheckHistory(&r.Head, after, limit, records) })
	return records, err
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
		source, err := s.find(ctx, tx, from)
		if err != nil {
			return err
		}
		var id int64
		err = tx.QueryRow(ctx, s.sql.copyHead, head.Thread, int64(head.Seq), int16(head.Status), head.Graph, head.Shape,
			stored(head.Created), stored(head.Updated), stored(head.Expires), head.Summary, s.clock()).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return s.taken(ctx, tx, head.Thread)
		}
		if err != nil {
			return err
		}
		var n, first int64
		if err := tx.QueryRow(ctx, s.sql.copyRecords, id, source.id, int64(at)).Scan(&n, &first); err != nil {
			return err
		}
		source.First = uint64(first) // it may have been pruned meanwhile
		if wrong := source.CheckCopy(&source.Head, at, n); wrong != nil {
			_, err = s.find(ctx, tx, from)
			return cmp.Or(err, wrong)
		}
		return nil
	})
}

// taken returns why a copy cannot have a name.
func (s *Store) taken(ctx context.Context, tx pgx.Tx, name string) error {
	r, err := s.row(ctx, tx, name)
	switch {
	case err != nil:
		return err
	case r.Seq > 0:
		return &thread.StateError{Thread: name, Err: thread.ErrExists}
	}
	return &thread.HeldError{Thread: name, Until: r.Until}
}

// Prune implements thread.Store.
func (s *Store) Prune(ctx context.Context, name string, before uint64) (int, error) {
	r, err := s.find(ctx, s.pool, name)
	if err != nil {
		return 0, err
	}
	tag, err := s.pool.Exec(ctx, s.sql.prune, r.id, int64(min(before, math.MaxInt64)))
	return int(tag.RowsAffected()), err
}

// Delete implements thread.Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.inTx(ctx, func(tx pgx.Tx) error {
		var id int64
		err := tx.QueryRow(ctx, s.sql.deleteHead, name, s.clock()).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			r, err := s.find(ctx, tx, name)
			return cmp.Or(err, error(&thread.HeldError{Thread: name, Until: r.Until}))
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

// Held returns which of the threads a lease holds, by the clock of the server.
func (s *Store) Held(ctx context.Context, names []string) ([]string, error) {
	rows, err := s.pool.Query(ctx, s.sql.held, names, s.clock())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
