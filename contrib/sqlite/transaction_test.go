package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/transacts"
)

func TestTransactions(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "threads.db"))
	if _, err := s.write.Exec("create table booked (row text)"); err != nil {
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
			_, err := tx.ExecContext(ctx, "insert into booked values (?)", row)
			return err
		},
		Rows: func() (list []string) {
			rows, err := s.read.QueryContext(t.Context(), "select row from booked")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = rows.Close() }()
			for rows.Next() {
				var row string
				if err := rows.Scan(&row); err != nil {
					t.Fatal(err)
				}
				list = append(list, row)
			}
			return list
		},
	})
}
