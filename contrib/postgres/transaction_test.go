package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/internal/testing/transacts"
)

// writeRow writes a row in the transaction of a context.
func writeRow(ctx context.Context, row string) error {
	tx, ok := Tx(ctx)
	if !ok {
		return errors.New("the context has no transaction")
	}
	_, err := tx.Exec(ctx, "insert into booked values ($1)", row)
	return err
}

// spoil has a statement fail in the transaction of a context, and ignores that: no other statement of the transaction is accepted.
func spoil(ctx context.Context) error {
	tx, _ := Tx(ctx)
	_, err := tx.Exec(ctx, "select 1 / 0")
	if err == nil {
		return errors.New("the statement has no error")
	}
	return nil
}

// rows makes the table that writeRow writes to, and returns a function that reads it.
func rows(t *testing.T, s *Store) func() []string {
	t.Helper()
	if _, err := s.pool.Exec(t.Context(), "drop table if exists booked; create table booked (\"row\" text)"); err != nil {
		t.Fatal(err)
	}
	return func() []string {
		rows, err := s.pool.Query(t.Context(), "select \"row\" from booked")
		if err != nil {
			t.Error(err)
			return nil
		}
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Error(err)
		}
		return list
	}
}

func TestTransactions(t *testing.T) {
	s := opened(t, connection(server(t)), Schema(fresh()))
	db := &transacts.Database{Store: s, Write: writeRow, Spoil: spoil, Rows: rows(t, s)}
	transacts.Run(t, db)
	transacts.Guards(t, db)
	transacts.Cancel(t, db)
	transacts.Failures(t, db)
	transacts.Refusals(t, db)
}

// TestKilledTransactions kills processes with SIGKILL around and within transactions.
func TestKilledTransactions(t *testing.T) {
	to := connection(server(t))
	kill9.Transactions(t, kill9.Database{Address: to, Open: openForWriter, Rows: rows(t, opened(t, to))})
}
