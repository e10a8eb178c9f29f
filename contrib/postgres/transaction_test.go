package postgres

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/internal/testing/transacts"
)

func TestTransactions(t *testing.T) {
	schema := fresh()
	s := opened(t, connection(server(t)), Schema(schema))
	table := pgx.Identifier{schema, "booked"}.Sanitize()
	if _, err := s.pool.Exec(t.Context(), "create table "+table+" (\"row\" text)"); err != nil {
		t.Fatal(err)
	}
	transacts.Run(t, &transacts.Database{
		Store: s,
		Write: func(ctx context.Context, row string) error {
			tx, ok := Tx(ctx)
			if !ok {
				t.Error("the context has no transaction")
				return nil
			}
			_, err := tx.Exec(ctx, "insert into "+table+" values ($1)", row)
			return err
		},
		Rows: func() []string {
			rows, err := s.pool.Query(t.Context(), "select \"row\" from "+table)
			if err != nil {
				t.Fatal(err)
			}
			list, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(err)
			}
			return list
		},
	})
}
