package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/thread"
)

// opened opens a store that the test closes.
func opened(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) storetest.Backend {
		path := filepath.Join(t.TempDir(), "threads ?#%.db")
		first := opened(t, path)
		if _, err := first.write.Exec("create table effects (at integer)"); err != nil {
			t.Fatal(err)
		}
		change := func(statement string, args ...any) {
			if _, err := first.write.Exec(statement, args...); err != nil {
				t.Fatal(err)
			}
		}
		return storetest.Backend{
			Lasting: true,
			Damage: &storetest.Damage{
				Remove: func(name string, from, through uint64) {
					change("delete from records where key >> 32 = (select id from threads where name = ?) and key & 0xffffffff between ? and ?",
						name, from, through)
				},
				Head: func(name string, seq uint64) { change("update threads set seq = ? where name = ?", seq, name) },
			},
			Open: func() thread.Store {
				s := opened(t, path)
				s.now = clock.Now
				return s
			},
			Effect: func(ctx context.Context) error {
				tx, ok := Tx(ctx)
				if !ok {
					return errors.New("the context has no transaction")
				}
				_, err := tx.ExecContext(ctx, "insert into effects values (1)")
				return err
			},
			Effects: func() (n int) {
				if err := first.read.QueryRow("select count(*) from effects").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			},
		}
	})
}
