package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/internal/testing/transacts"
	"github.com/graphgen/graphgen/thread"
)

// writeRow writes a row in the transaction of a context.
func writeRow(ctx context.Context, row string) error {
	tx, ok := Tx(ctx)
	if !ok {
		return errors.New("the context has no transaction")
	}
	_, err := tx.ExecContext(ctx, "insert into booked values (?)", row)
	return err
}

// spoil writes a row whose reference is checked, and leads nowhere, when the transaction of a context is committed.
func spoil(ctx context.Context) error {
	tx, _ := Tx(ctx)
	_, err := tx.ExecContext(ctx, "insert into notes values ('none')")
	return err
}

// rows makes the table that writeRow writes to, and returns a function that reads it.
func rows(t *testing.T, s *Store) func() []string {
	t.Helper()
	if _, err := s.write.Exec("create table booked (row text)"); err != nil {
		t.Fatal(err)
	}
	return func() (list []string) {
		rows, err := s.read.QueryContext(t.Context(), "select row from booked")
		if err != nil {
			t.Error(err)
			return nil
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				t.Error(err)
			}
			list = append(list, row)
		}
		return list
	}
}

func TestTransactions(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "threads.db"))
	db := &transacts.Database{Store: s, Write: writeRow, Spoil: spoil, Rows: rows(t, s)}
	transacts.Run(t, db)
	transacts.Guards(t, db)
	transacts.Cancel(t, db)
	transacts.Failures(t, db)
	for _, statement := range []string{"create table notes (of text references accounts deferrable initially deferred)",
		"create table accounts (name text primary key)", "pragma foreign_keys = on"} {
		if _, err := s.write.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	transacts.Refusals(t, db)
}

// TestKilledTransactions kills processes with SIGKILL around and within transactions.
func TestKilledTransactions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threads.db")
	kill9.Transactions(t, kill9.Database{
		Address: path,
		Open:    func(ctx context.Context, address string) (thread.Store, error) { return Open(ctx, address) },
		Rows:    rows(t, opened(t, path)),
	})
}
