package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/thread"
)

// TestBeside holds that what is written beside an append is durable with it, or neither is, in an append and in a transaction, and that an append that is
// repeated writes it once.
func TestBeside(t *testing.T) {
	plain := opened(t, connection(server(t)), Schema(fresh()))
	list := rows(t, plain)
	var wrong error
	s := plain.Writing(Beside{
		When: func(h *thread.Head) bool { return h.Status == thread.Paused },
		Write: func(ctx context.Context, tx pgx.Tx, h *thread.Head) error {
			_, err := tx.Exec(ctx, "insert into booked values ($1)", h.Thread)
			return errors.Join(err, wrong)
		},
	})
	ctx := t.Context()
	lease, _, err := s.Acquire(ctx, "t", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	seq := uint64(0)
	next := func(status thread.Status) (thread.Head, []thread.Record) {
		at := time.Now()
		return thread.Head{Thread: "t", Graph: "g", Status: status, Seq: seq + 1, Created: at, Updated: at},
			[]thread.Record{{Seq: seq + 1, Time: at, Snapshot: true, Data: []byte("x")}}
	}
	holds := func(what string, records uint64, booked int) {
		t.Helper()
		head, _, err := s.Load(ctx, "t", 0)
		if n := len(list()); err != nil || head.Seq != records || n != booked {
			t.Errorf("%s: record %d and %d rows beside, want %d and %d: %v", what, head.Seq, n, records, booked, err)
		}
	}
	head, records := next(thread.Running)
	if _, err := s.Append(ctx, lease, head, records); err != nil {
		t.Fatal(err)
	}
	holds("an append that is not selected", 1, 0)
	seq, wrong = 1, errors.New("the queue is full")
	head, records = next(thread.Paused)
	if _, err := s.Append(ctx, lease, head, records); !errors.Is(err, wrong) {
		t.Errorf("the error is %v", err)
	}
	holds("an append whose other rows fail", 1, 0)
	transact := func() error {
		_, err := s.Transact(ctx, lease, func(context.Context) (thread.Head, []thread.Record, error) { return head, records, nil })
		return err
	}
	if err := transact(); !errors.Is(err, wrong) {
		t.Errorf("the error of a transaction is %v", err)
	}
	holds("a transaction whose other rows fail", 1, 0)
	wrong = nil
	for range 2 {
		if _, err := s.Append(ctx, lease, head, records); err != nil {
			t.Error(err)
		}
		holds("an append, and the same again", 2, 1)
	}
	seq = 2
	head, records = next(thread.Paused)
	if err := transact(); err != nil {
		t.Error(err)
	}
	holds("a transaction", 3, 2)
	if held, err := s.Held(ctx, []string{"t", "other"}); err != nil || len(held) != 1 || held[0] != "t" {
		t.Errorf("the threads %v are held: %v", held, err)
	}
	if err := s.Release(ctx, lease); err != nil {
		t.Error(err)
	}
	if held, err := s.Held(ctx, []string{"t", "other"}); err != nil || len(held) != 0 {
		t.Errorf("after the release the threads %v are held: %v", held, err)
	}
}
