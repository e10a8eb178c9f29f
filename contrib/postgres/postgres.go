// Package postgres keeps threads of graphs in Postgres.
//
// When Append returns, its transaction is committed: with the settings fsync and synchronous_commit on, as Postgres has
// them by default, the records survive a crash of the server and of its machine. A synchronous replica has them, too,
// where the server is set up so. An Append is one statement, and one row of records; appends to several threads at a time, and releases of their leases,
// share a statement.
//
// Leases are judged by the clock of the server; clocks of other machines do not matter.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/graphgen/graphgen/thread"
)

// A Store keeps threads in a schema of a database.
type Store struct {
	pool   *pgxpool.Pool
	own    bool
	schema string
	sql    statements
	group  *group
	beside *Beside          // nil: nothing is written beside appends
	now    func() time.Time // for tests; nil: the clock of the server
}

// Beside is what a program writes in the transaction of an append: a job of a queue, a row of its own. Both are durable, or neither.
type Beside struct {
	// When selects appends by the head that they write. An append that is selected takes four round trips instead of one.
	When func(head *thread.Head) bool

	// Write writes by the transaction, and neither commits it nor rolls it back. Its error is the error of the append, which has then written
	// nothing; an append whose records were committed by an earlier call does not call it again.
	Write func(ctx context.Context, tx pgx.Tx, head *thread.Head) error
}

// Writing returns the store with something that is written beside its appends. It has the connections of s, which close it.
func (s *Store) Writing(b Beside) *Store {
	with := *s
	with.beside, with.own = &b, false
	return &with
}

var _ thread.Transactor = (*Store)(nil)

// An Option changes a store.
type Option func(*Store)

// Schema sets the schema of the tables, which is graphgen otherwise. It is made if it does not exist.
func Schema(name string) Option { return func(s *Store) { s.schema = name } }

// Open connects to a database, and brings the schema to the version of this package. A schema of a later version is a
// [thread.SchemaError]. Unless the connection string sets synchronous_commit, it is on.
func Open(ctx context.Context, connection string, opts ...Option) (*Store, error) {
	config, err := pgxpool.ParseConfig(connection)
	if err != nil {
		return nil, err
	}
	if config.ConnConfig.RuntimeParams["synchronous_commit"] == "" {
		config.ConnConfig.RuntimeParams["synchronous_commit"] = "on"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s, err := New(ctx, pool, opts...)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.own = true
	return s, nil
}

// New is Open with the connections of the caller, who sets synchronous_commit and closes them.
func New(ctx context.Context, pool *pgxpool.Pool, opts ...Option) (*Store, error) {
	s := &Store{pool: pool, schema: "graphgen"}
	for _, o := range opts {
		o(s)
	}
	s.sql = newStatements(pgx.Identifier{s.schema}.Sanitize())
	s.group = &group{store: s, most: mostStatements}
	return s, migrate(ctx, pool, s.schema)
}

// Close closes the connections that Open made.
func (s *Store) Close() {
	if s.own {
		s.pool.Close()
	}
}

// A beginner is a pool, or a connection.
type beginner interface {
	Begin(context.Context) (pgx.Tx, error)
}

// A querier is a pool, or a transaction.
type querier interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	Query(context.Context, string, ...any) (pgx.Rows, error)
	QueryRow(context.Context, string, ...any) pgx.Row
}

// clock is the time for a statement; nil lets the server take its own.
func (s *Store) clock() *time.Time {
	if s.now == nil {
		return nil
	}
	t := s.now()
	return &t
}

// stored returns a time as a column has it.
func stored(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = thread.Moment(t)
	return &t
}

// loaded returns the time of a column.
func loaded(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return thread.Moment(*t)
}

// inTx runs a function in a transaction.
func (s *Store) inTx(ctx context.Context, f func(pgx.Tx) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Acquire implements thread.Store.
func (s *Store) Acquire(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
	if err := cmp.Or(thread.CheckName(name), thread.CheckTTL(name, ttl)); err != nil {
		return thread.Lease{}, thread.Head{}, err
	}
	for {
		lease, r, err := s.lease(ctx, name, ttl)
		switch {
		case err != nil:
			return thread.Lease{}, thread.Head{}, err
		case lease.Token == 0 && !r.Until.IsZero():
			return thread.Lease{}, thread.Head{}, &thread.HeldError{Thread: name, Until: r.Until}
		case lease.Token == 0: // it was released between the two statements
			continue
		}
		if err := r.CheckHead(&r.Head); err != nil {
			_ = s.Release(context.WithoutCancel(ctx), lease)
			return thread.Lease{}, thread.Head{}, err
		}
		return lease, r.Head, nil
	}
}

// lease takes a lease, unless another one lasts: then its token is zero. It returns the row of the thread as well, if there is one. The row is read by a
// statement of its own, in the same round trip: the one of the lease may have waited for an append, whose record it does not see.
func (s *Store) lease(ctx context.Context, name string, ttl time.Duration) (lease thread.Lease, r row, err error) {
	var both pgx.Batch
	both.Queue(s.sql.acquire, name, ttl, s.clock())
	both.Queue(s.sql.head, name)
	got := s.pool.SendBatch(ctx, &both)
	defer func() { err = cmp.Or(err, got.Close()) }()
	var token int64
	var until *time.Time
	switch err = got.QueryRow().Scan(&token, &until); {
	case err == nil:
		lease = thread.Lease{Thread: name, Token: uint64(token), TTL: ttl, Until: loaded(until)}
	case !errors.Is(err, pgx.ErrNoRows):
		return lease, r, err
	}
	if r, err = scanRow(got.QueryRow()); errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return lease, r, err
}

// Renew implements thread.Store.
func (s *Store) Renew(ctx context.Context, lease thread.Lease) (thread.Ack, error) {
	if err := thread.CheckLease(lease); err != nil {
		return thread.Ack{}, err
	}
	return s.renew(ctx, s.pool, lease)
}

func (s *Store) renew(ctx context.Context, q querier, lease thread.Lease) (thread.Ack, error) {
	ack, err := scanAck(q.QueryRow(ctx, s.sql.renew, lease.Thread, int64(lease.Token), lease.TTL, s.clock()))
	if errors.Is(err, pgx.ErrNoRows) {
		err = &thread.LostError{Thread: lease.Thread, Token: lease.Token}
	}
	return ack, err
}

// Release implements thread.Store.
func (s *Store) Release(ctx context.Context, lease thread.Lease) error {
	return s.group.release(ctx, lease)
}

// Append implements thread.Store. When it returns without an error, the records are committed.
func (s *Store) Append(ctx context.Context, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	if err := cmp.Or(thread.CheckLease(lease), thread.CheckAppend(lease, head, records)); err != nil {
		return thread.Ack{}, err
	}
	if s.beside == nil || !s.beside.When(&head) {
		return s.group.append(ctx, lease, head, records)
	}
	var ack thread.Ack
	err := s.inTx(ctx, func(tx pgx.Tx) (err error) {
		ack, err = s.appendBeside(ctx, tx, lease, head, records)
		return err
	})
	return ack, err
}

// appendBeside appends in a transaction, and writes what is to be written beside it.
func (s *Store) appendBeside(ctx context.Context, tx pgx.Tx, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	ack, written, err := s.appendOnce(ctx, tx, lease, head, records)
	if err == nil && written && s.beside != nil && s.beside.When(&head) {
		err = s.beside.Write(ctx, tx, &head)
	}
	return ack, err
}

// appendOnce reports whether it has written: an earlier call may have.
func (s *Store) appendOnce(ctx context.Context, q querier, lease thread.Lease, head thread.Head, records []thread.Record) (
	ack thread.Ack, written bool, err error,
) {
	n := len(records)
	args := []any{
		lease.Thread, int64(lease.Token), lease.TTL, s.clock(), int64(head.Seq) - int64(n), int64(head.Seq), int16(head.Status), head.Status.Ended(),
		head.Graph, head.Shape, stored(head.Created), stored(head.Updated), stored(head.Expires), head.Summary,
	}
	statement := s.sql.replace
	switch {
	case n == 1:
		r := records[0]
		statement, args = s.sql.appendOne, append(args, stored(r.Time), r.Snapshot, data(r))
	case n > 1:
		seqs, times, snapshots, datas := make([]int64, n), make([]*time.Time, n), make([]bool, n), make([][]byte, n)
		for i, r := range records {
			seqs[i], times[i], snapshots[i], datas[i] = int64(r.Seq), stored(r.Time), r.Snapshot, data(r)
		}
		statement, args = s.sql.appendMany, append(args, seqs, times, snapshots, datas)
	}
	ack, err = scanAck(q.QueryRow(ctx, statement, args...))
	if errors.Is(err, pgx.ErrNoRows) {
		ack, err = s.refused(ctx, q, lease, head, records)
		return ack, false, err
	}
	return ack, true, err
}

// data returns the data of a record, which is never null.
func data(r thread.Record) []byte {
	if r.Data == nil {
		return []byte{}
	}
	return r.Data
}

// refused finds out why an append had no effect: the lease is lost, the records do not follow, or they were written by
// a call before.
func (s *Store) refused(ctx context.Context, q querier, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	var id, seq int64
	err := q.QueryRow(ctx, s.sql.holder, lease.Thread, int64(lease.Token)).Scan(&id, &seq)
	if errors.Is(err, pgx.ErrNoRows) {
		return thread.Ack{}, &thread.LostError{Thread: lease.Thread, Token: lease.Token}
	}
	if err != nil {
		return thread.Ack{}, err
	}
	first := head.Seq - uint64(len(records)) + 1
	if len(records) > 0 && uint64(seq) == head.Seq {
		written, err := s.records(ctx, q, s.sql.history, id, int64(first)-1, seq, len(records))
		if err != nil {
			return thread.Ack{}, err
		}
		if thread.Same(written, records) {
			return s.renew(ctx, q, lease)
		}
	}
	return thread.Ack{}, &thread.SeqError{Thread: lease.Thread, Last: uint64(seq), First: first}
}

type txKey struct{}

// Tx returns the transaction of a function that Transact runs, or of a node with transaction: true.
func Tx(ctx context.Context) (pgx.Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(pgx.Tx)
	return tx, ok
}

// Transact implements thread.Transactor. The function gets the transaction by Tx, and neither commits it nor rolls it back.
// The row of the thread is locked at the end only, so that Stop and lists do not wait for the function.
func (s *Store) Transact(ctx context.Context, lease thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (ack thread.Ack, err error) {
	if err := thread.CheckLease(lease); err != nil {
		return thread.Ack{}, err
	}
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		var id, seq int64
		err := tx.QueryRow(ctx, s.sql.holder, lease.Thread, int64(lease.Token)).Scan(&id, &seq)
		if errors.Is(err, pgx.ErrNoRows) {
			return &thread.LostError{Thread: lease.Thread, Token: lease.Token}
		}
		if err != nil {
			return err
		}
		head, records, err := f(context.WithValue(ctx, txKey{}, tx))
		if err := cmp.Or(err, thread.CheckAppend(lease, head, records)); err != nil {
			return err
		}
		ack, err = s.appendBeside(ctx, tx, lease, head, records)
		return err
	})
	return ack, err
}

// named returns a statement with the schema instead of a mark.
func named(schema, statement string) string { return strings.ReplaceAll(statement, "@", schema+".") }
