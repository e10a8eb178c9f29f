package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/graphgen/graphgen/thread"
)

// maxSeq is the greatest number of a record.
const maxSeq = 1<<32 - 1

// key returns the key of a record.
func key(id int64, seq uint64) int64 { return id<<32 | int64(min(seq, maxSeq)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumOfAll marks a checksum of a whole record: checksums of the first version of the schema are of the data alone.
const sumOfAll = 1 << 32

// sum returns the checksum of a record.
func sum(r *thread.Record) int64 {
	var head [17]byte
	binary.BigEndian.PutUint64(head[:], r.Seq)
	if at := stored(r.Time); at != nil {
		binary.BigEndian.PutUint64(head[8:], uint64(*at))
	}
	if r.Snapshot {
		head[16] = 1
	}
	return sumOfAll | int64(crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, r.Data))
}

// intact reports whether a record has a checksum.
func intact(r *thread.Record, check int64) bool {
	if check&sumOfAll == 0 {
		return check == int64(crc32.Checksum(r.Data, castagnoli))
	}
	return check == sum(r)
}

// data returns the data of a record, which is never null.
func data(r thread.Record) []byte {
	if r.Data == nil {
		return []byte{}
	}
	return r.Data
}

// records returns the records after one number and through another, at most limit of them.
func (s *Store) records(ctx context.Context, q querier, h row, after, through uint64, limit int) ([]thread.Record, error) {
	rows, err := q.QueryContext(ctx, `select key, time, snapshot, sum, data from records where key > ? and key <= ? order by key limit ?`,
		key(h.id, after), key(h.id, through), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var records []thread.Record
	for rows.Next() {
		var r thread.Record
		var k, check int64
		var at *int64
		if err := rows.Scan(&k, &at, &r.Snapshot, &check, &r.Data); err != nil {
			return nil, err
		}
		r.Seq, r.Time = uint64(k&maxSeq), loaded(at)
		if !intact(&r, check) {
			return nil, &thread.CorruptError{Thread: h.Thread, Good: r.Seq - 1, Where: "record " + strconv.FormatUint(r.Seq, 10) + " has changed"}
		}
		records = append(records, r)
	}
	return records, rows.Err()
}

// span returns the numbers of the first and the last record that the database has of a thread.
func (s *Store) span(ctx context.Context, q querier, h row) (of thread.Span, err error) {
	err = q.QueryRowContext(ctx, `select coalesce((select key from records where key > ?1 and key <= ?2 order by key limit 1), 0) & ?3,
		coalesce((select key from records where key > ?1 and key <= ?2 order by key desc limit 1), 0) & ?3`, key(h.id, 0),
		key(h.id, maxSeq), int64(maxSeq)).Scan(&of.First, &of.Last)
	return of, err
}

// snapshot returns the number of the last snapshot at or before a number; 0 without one.
func (s *Store) snapshot(ctx context.Context, q querier, h row, seq uint64) (uint64, error) {
	var k *int64
	err := q.QueryRowContext(ctx, `select max(key) from (select key from records where key > ? and key <= ? and snapshot order by key desc limit 1)`,
		key(h.id, 0), key(h.id, seq)).Scan(&k)
	if err != nil || k == nil {
		return 0, err
	}
	return uint64(*k & maxSeq), nil
}

// snapped runs a function about a thread on one state of the database.
func (s *Store) snapped(ctx context.Context, name string, f func(querier) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return damaged(name, err)
	}
	defer tx.Rollback()
	return damaged(name, f(tx))
}

// damaged turns the error of a page that SQLite cannot read into the error of a thread.
func damaged(name string, err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code()&0xff == sqlite3.SQLITE_NOTADB) {
		return &thread.CorruptError{Thread: name, Where: e.Error()}
	}
	return err
}

// Load implements thread.Store.
func (s *Store) Load(ctx context.Context, name string, at uint64) (head thread.Head, records []thread.Record, err error) {
	err = s.snapped(ctx, name, func(q querier) error {
		h, err := s.find(ctx, q, name)
		if err != nil {
			return err
		}
		seq := cmp.Or(at, h.Seq)
		first, err := s.snapshot(ctx, q, h, seq)
		if err != nil {
			return err
		}
		span, err := s.span(ctx, q, h)
		if err == nil && first > 0 {
			records, err = s.records(ctx, q, h, first-1, seq, -1)
		}
		head = h.Head
		return cmp.Or(err, span.CheckLoad(&head, at, records))
	})
	return head, records, err
}

// History implements thread.Store.
func (s *Store) History(ctx context.Context, name string, after uint64, limit int) (records []thread.Record, err error) {
	err = s.snapped(ctx, name, func(q querier) error {
		h, err := s.find(ctx, q, name)
		if err != nil {
			return err
		}
		span, err := s.span(ctx, q, h)
		if err == nil {
			records, err = s.records(ctx, q, h, after, math.MaxUint64, cmp.Or(limit, -1))
		}
		return cmp.Or(err, span.CheckHistory(&h.Head, after, limit, records))
	})
	return records, err
}

// List implements thread.Store.
func (s *Store) List(ctx context.Context, filter thread.Filter) ([]thread.Head, error) {
	where, args := []string{"seq > 0", "name > ?", "name >= ?", "substr(name, 1, length(?3)) = ?3"}, []any{filter.After, filter.Prefix, filter.Prefix}
	if filter.Graph != "" {
		where, args = append(where, "graph = ?"), append(args, filter.Graph)
	}
	if len(filter.Status) > 0 {
		where = append(where, "status in (?"+strings.Repeat(", ?", len(filter.Status)-1)+")")
		for _, st := range filter.Status {
			args = append(args, st)
		}
	}
	if filter.Unleased {
		where, args = append(where, "(until is null or until <= ?)"), append(args, stored(s.now()))
	}
	rows, err := s.read.QueryContext(ctx, `select `+headColumns+` from threads where `+strings.Join(where, " and ")+` order by name limit ?`,
		append(args, filter.Page())...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var page []thread.Head
	for rows.Next() {
		h, err := scan(rows)
		if err != nil {
			return nil, err
		}
		page = append(page, h.Head)
	}
	return page, rows.Err()
}

// Stop implements thread.Store.
func (s *Store) Stop(ctx context.Context, name string) error {
	result, err := s.write.ExecContext(ctx, `update threads set stop = status not in (?, ?, ?) where name = ? and seq > 0`,
		thread.Completed, thread.Failed, thread.Stopped, name)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); n > 0 || err != nil {
		return err
	}
	return &thread.NotFoundError{Thread: name}
}

// Copy implements thread.Store.
func (s *Store) Copy(ctx context.Context, from string, at uint64, head thread.Head) error {
	if err := thread.CheckCopy(at, head); err != nil {
		return err
	}
	return s.inTx(ctx, func(tx *sql.Tx) error {
		source, err := s.find(ctx, tx, from)
		if err != nil {
			return err
		}
		other, found, err := s.row(ctx, tx, head.Thread)
		switch {
		case err != nil:
			return err
		case found && other.Seq > 0:
			return &thread.StateError{Thread: head.Thread, Err: thread.ErrExists}
		case found && other.Held(s.now()):
			return &thread.HeldError{Thread: head.Thread, Until: other.Until}
		}
		if _, err := tx.ExecContext(ctx, `delete from threads where name = ?`, head.Thread); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx,
			`insert into threads (name, token, seq, status, graph, shape, created, updated, expires, summary) values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
			head.Thread, int64(head.Seq), head.Status, head.Graph, head.Shape, stored(head.Created), stored(head.Updated), stored(head.Expires), head.Summary)
		if err != nil {
			return err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		span, err := s.span(ctx, tx, source)
		if err != nil {
			return err
		}
		result, err = tx.ExecContext(ctx, `insert into records select (key & ?) | ?, time, snapshot, sum, data from records where key > ? and key <= ?`,
			maxSeq, id<<32, key(source.id, 0), key(source.id, at))
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		return cmp.Or(err, span.CheckCopy(&source.Head, at, n))
	})
}

// Prune implements thread.Store.
func (s *Store) Prune(ctx context.Context, name string, before uint64) (n int, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		h, err := s.find(ctx, tx, name)
		if err != nil {
			return err
		}
		first, err := s.snapshot(ctx, tx, h, before)
		if err != nil || first == 0 {
			return err
		}
		result, err := tx.ExecContext(ctx, `delete from records where key > ? and key < ?`, key(h.id, 0), key(h.id, first))
		if err != nil {
			return err
		}
		removed, err := result.RowsAffected()
		n = int(removed)
		return err
	})
	return n, err
}

// Delete implements thread.Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		h, err := s.find(ctx, tx, name)
		if err == nil && h.Held(s.now()) {
			err = &thread.HeldError{Thread: name, Until: h.Until}
		}
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, h.id)
	})
}

// remove removes a thread and its records.
func (s *Store) remove(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `delete from threads where id = ?`, id)
	if err == nil {
		_, err = tx.ExecContext(ctx, `delete from records where key > ? and key <= ?`, key(id, 0), key(id, maxSeq))
	}
	return err
}

// Sweep implements thread.Store.
func (s *Store) Sweep(ctx context.Context) (n int, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		now := stored(s.now())
		rows, err := tx.QueryContext(ctx, `select id, seq from threads where (until is null or until <= ?1) and (seq = 0 or expires <= ?1)`, now)
		if err != nil {
			return err
		}
		defer rows.Close()
		var ids []int64
		for rows.Next() {
			var id, seq int64
			if err := rows.Scan(&id, &seq); err != nil {
				return err
			}
			ids = append(ids, id)
			if seq > 0 {
				n++
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for _, id := range ids {
			if err := s.remove(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
