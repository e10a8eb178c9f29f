// Package sqlite keeps threads of graphs in a SQLite database, with the driver modernc.org/sqlite, which needs no C compiler.
//
// The database has a write-ahead log, and synchronous is FULL: when Append returns, its transaction is synced to the disk,
// and survives a crash of the process and of the machine. Several processes of one machine may use one database; a
// file system of a network does not suit SQLite.
//
// Leases are judged by the clock of the machine.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strconv"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/graphgen/graphgen/thread"
)

// A Store keeps threads in a database.
type Store struct {
	write *sql.DB // one connection, whose transactions have the lock to write from the beginning
	read  *sql.DB
	now   func() time.Time

	move, insert *sql.Stmt // of an append
}

var _ thread.Transactor = (*Store)(nil)

// busy is how long a transaction waits for one of another process.
const busy = 10 * time.Second

// pageSize is small, as a commit writes whole pages to the log, and a step changes few bytes.
const pageSize = 512

// checkpoint is how many bytes the log has before they are moved into the database.
const checkpoint = 4 << 20

// Open opens the database of a file, which is made if it does not exist, and brings its schema to the version of this
// package. A schema of a later version is a [thread.SchemaError].
func Open(ctx context.Context, path string) (*Store, error) {
	s := &Store{now: time.Now}
	source := func(extra ...string) string {
		v := url.Values{"_pragma": append(extra, "busy_timeout("+strconv.FormatInt(busy.Milliseconds(), 10)+")"), "_txlock": {"immediate"}}
		return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + v.Encode()
	}
	var err error
	s.write, err = sql.Open("sqlite", source("page_size("+strconv.Itoa(pageSize)+")", "synchronous(full)",
		"wal_autocheckpoint("+strconv.Itoa(checkpoint/pageSize)+")"))
	if err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = sql.Open("sqlite", source("query_only(1)")); err != nil {
		return nil, errors.Join(err, s.write.Close())
	}
	// The driver sorts the pragmas of a connection, and the size of pages has to be set before the log is.
	if err = setLog(ctx, s.write); err == nil {
		err = migrate(ctx, s.write, path)
	}
	if err == nil {
		s.move, err = s.write.PrepareContext(ctx, moveHead)
	}
	if err == nil {
		s.insert, err = s.write.PrepareContext(ctx, `insert into records values (?, ?, ?, ?, ?)`)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// setLog gives a database its log. SQLite does not wait for other processes that do the same.
func setLog(ctx context.Context, db *sql.DB) error {
	for end := time.Now().Add(busy); ; {
		_, err := db.ExecContext(ctx, `pragma journal_mode = wal`)
		if e, ok := errors.AsType[*sqlite.Error](err); !ok || e.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(end) {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close closes the database. Leases that were not released last until their time is up.
func (s *Store) Close() error { return errors.Join(s.write.Close(), s.read.Close()) }

// A querier is a database, or a transaction.
type querier interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// stored returns a time as a column has it.
func stored(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	v := t.UnixMicro()
	return &v
}

// loaded returns the time of a column.
func loaded(v *int64) time.Time {
	if v == nil {
		return time.Time{}
	}
	return time.UnixMicro(*v).UTC()
}

// inTx runs a function in a transaction that has the lock to write.
func (s *Store) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

const headColumns = `name, graph, shape, status, seq, created, updated, expires, summary, stop, until, id, token`

// A row is a row of a thread.
type row struct {
	thread.Head
	id, token int64
}

func scan(r interface{ Scan(...any) error }) (h row, err error) {
	var created, updated, expires, until *int64
	err = r.Scan(&h.Thread, &h.Graph, &h.Shape, &h.Status, &h.Seq, &created, &updated, &expires, &h.Summary, &h.Stop, &until, &h.id, &h.token)
	h.Created, h.Updated, h.Expires, h.Until = loaded(created), loaded(updated), loaded(expires), loaded(until)
	return h, err
}

// row returns the row of a name, if there is one.
func (s *Store) row(ctx context.Context, q querier, name string) (h row, found bool, err error) {
	h, err = scan(q.QueryRowContext(ctx, `select `+headColumns+` from threads where name = ?`, name))
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, false, nil
	}
	return h, err == nil, err
}

// find returns the row of a thread that has records.
func (s *Store) find(ctx context.Context, q querier, name string) (row, error) {
	h, found, err := s.row(ctx, q, name)
	if err == nil && (!found || h.Seq == 0) {
		err = &thread.NotFoundError{Thread: name}
	}
	return h, err
}

// Acquire implements thread.Store.
func (s *Store) Acquire(ctx context.Context, name string, ttl time.Duration) (lease thread.Lease, head thread.Head, err error) {
	if err := cmp.Or(thread.CheckName(name), thread.CheckTTL(name, ttl)); err != nil {
		return thread.Lease{}, thread.Head{}, err
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		h, found, err := s.row(ctx, tx, name)
		switch {
		case err != nil:
			return err
		case found && h.Held(s.now()):
			return &thread.HeldError{Thread: name, Until: h.Until}
		case found:
			span, err := s.span(ctx, tx, h)
			if err := cmp.Or(err, span.CheckHead(&h.Head)); err != nil {
				return err
			}
		}
		until := thread.Moment(s.now().Add(ttl))
		lease = thread.Lease{Thread: name, TTL: ttl, Until: until}
		if err := tx.QueryRowContext(ctx, `update tokens set last = last + 1 returning last`).Scan(&lease.Token); err != nil {
			return err
		}
		head = h.Head
		head.Thread, head.Until = name, until
		_, err = tx.ExecContext(ctx, `insert into threads (name, token, until) values (?, ?, ?)
			on conflict (name) do update set token = excluded.token, until = excluded.until`, name, int64(lease.Token), stored(until))
		return err
	})
	return lease, head, damaged(name, err)
}

// Renew implements thread.Store.
func (s *Store) Renew(ctx context.Context, lease thread.Lease) (thread.Ack, error) {
	if err := thread.CheckLease(lease); err != nil {
		return thread.Ack{}, err
	}
	return s.renew(ctx, s.write, lease)
}

func (s *Store) renew(ctx context.Context, q querier, lease thread.Lease) (ack thread.Ack, err error) {
	ack.Until = thread.Moment(s.now().Add(lease.TTL))
	err = q.QueryRowContext(ctx, `update threads set until = ? where name = ? and token = ? returning stop`, stored(ack.Until),
		lease.Thread, int64(lease.Token)).Scan(&ack.Stop)
	if errors.Is(err, sql.ErrNoRows) {
		err = &thread.LostError{Thread: lease.Thread, Token: lease.Token}
	}
	return ack, err
}

// Release implements thread.Store.
func (s *Store) Release(ctx context.Context, lease thread.Lease) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `delete from threads where name = ? and token = ? and seq = 0`, lease.Thread, int64(lease.Token))
		if err == nil {
			_, err = tx.ExecContext(ctx, `update threads set token = 0, until = null where name = ? and token = ?`, lease.Thread, int64(lease.Token))
		}
		return err
	})
}

// Append implements thread.Store. When it returns without an error, the records are synced to the disk.
func (s *Store) Append(ctx context.Context, lease thread.Lease, head thread.Head, records []thread.Record) (ack thread.Ack, err error) {
	if err := cmp.Or(thread.CheckLease(lease), thread.CheckAppend(lease, head, records)); err != nil {
		return thread.Ack{}, err
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		ack, err = s.append(ctx, tx, lease, head, records)
		return err
	})
	return ack, err
}

// moveHead moves the head, under the fence.
const moveHead = `update threads set seq = ?, status = ?, stop = stop and not ?, graph = ?, shape = ?, created = case when seq = 0 then ? else created end,
	updated = ?, expires = ?, summary = ?, until = ? where name = ? and token = ? and seq = ? returning id, stop`

func (s *Store) append(ctx context.Context, tx *sql.Tx, lease thread.Lease, head thread.Head, records []thread.Record) (ack thread.Ack, err error) {
	ack.Until = thread.Moment(s.now().Add(lease.TTL))
	before := head.Seq - uint64(len(records))
	var id int64
	err = tx.StmtContext(ctx, s.move).QueryRowContext(ctx,
		int64(head.Seq), head.Status, head.Status.Ended(), head.Graph, head.Shape, stored(head.Created), stored(head.Updated),
		stored(head.Expires), head.Summary,
		stored(ack.Until), lease.Thread, int64(lease.Token), int64(before)).Scan(&id, &ack.Stop)
	if errors.Is(err, sql.ErrNoRows) {
		return s.refused(ctx, tx, lease, head, records)
	}
	if err != nil {
		return ack, err
	}
	for _, r := range records {
		if _, err := tx.StmtContext(ctx, s.insert).ExecContext(ctx, key(id, r.Seq), stored(r.Time), r.Snapshot, sum(&r), data(r)); err != nil {
			return ack, err
		}
	}
	return ack, nil
}

// refused finds out why an append had no effect: the lease is lost, the records do not follow, or they were written by
// a call before.
func (s *Store) refused(ctx context.Context, tx *sql.Tx, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	h, found, err := s.row(ctx, tx, lease.Thread)
	if err != nil {
		return thread.Ack{}, err
	}
	if !found || h.token != int64(lease.Token) {
		return thread.Ack{}, &thread.LostError{Thread: lease.Thread, Token: lease.Token}
	}
	first := head.Seq - uint64(len(records)) + 1
	if len(records) > 0 && h.Seq == head.Seq {
		written, err := s.records(ctx, tx, h, first-1, head.Seq, len(records))
		if err != nil {
			return thread.Ack{}, err
		}
		if thread.Same(written, records) {
			return s.renew(ctx, tx, lease)
		}
	}
	return thread.Ack{}, &thread.SeqError{Thread: lease.Thread, Last: h.Seq, First: first}
}

type txKey struct{}

// Tx returns the transaction of a function that Transact runs, or of a node with transaction: true.
func Tx(ctx context.Context) (*sql.Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(*sql.Tx)
	return tx, ok
}

// Transact implements thread.Transactor. The function gets the transaction by Tx, and neither commits it nor rolls it back.
// SQLite has one writer at a time: while the function runs, every other write to the database waits, also of
// other threads, so the function must not call the store.
func (s *Store) Transact(ctx context.Context, lease thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (ack thread.Ack, err error) {
	if err := thread.CheckLease(lease); err != nil {
		return thread.Ack{}, err
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		h, found, err := s.row(ctx, tx, lease.Thread)
		if err == nil && (!found || h.token != int64(lease.Token)) {
			err = &thread.LostError{Thread: lease.Thread, Token: lease.Token}
		}
		if err != nil {
			return err
		}
		head, records, err := f(context.WithValue(ctx, txKey{}, tx))
		if err := cmp.Or(err, thread.CheckAppend(lease, head, records)); err != nil {
			return err
		}
		ack, err = s.append(ctx, tx, lease, head, records)
		return err
	})
	return ack, err
}
