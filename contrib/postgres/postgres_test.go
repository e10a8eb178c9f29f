package postgres

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/internal/testing/killserve"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// shared is the server of the tests that do not stop it.
var shared *dbserver.Server

func TestMain(m *testing.M) {
	storetest.Main(openForWriter)
	kill9.Main(openForWriter, writeRow)
	killserve.Main(openForWriter)
	workerMain()
	code := m.Run()
	if shared != nil {
		shared.Close()
	}
	os.Exit(code)
}

// server returns the server that tests share.
func server(t testing.TB) *dbserver.Server {
	t.Helper()
	if shared == nil {
		// A server that is killed has written what it committed: only a crash of the machine tells whether it was synced.
		fast := []string{"fsync=off", "full_page_writes=off"}
		shared = dbserver.Postgres(t, tier.Pick(fast, fast, nil)...)
	}
	return shared
}

// connection returns the connection string of a server.
func connection(s *dbserver.Server) string {
	return "host=" + s.Dir + " user=postgres database=postgres pool_max_conns=4"
}

var schemas atomic.Int64

// fresh returns the name of a schema that does not exist.
func fresh() string { return fmt.Sprintf("Clause %d", schemas.Add(1)) }

// opened opens a store that the test closes.
func opened(t testing.TB, connection string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(t.Context(), connection, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestConformance(t *testing.T) {
	to := connection(server(t))
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) storetest.Backend {
		schema := fresh()
		first := opened(t, to, Schema(schema))
		quoted := pgx.Identifier{schema}.Sanitize()
		if _, err := first.pool.Exec(t.Context(), "create table "+quoted+".effects (at int)"); err != nil {
			t.Fatal(err)
		}
		change := func(statement string, args ...any) {
			if _, err := first.pool.Exec(t.Context(), named(quoted, statement), args...); err != nil {
				t.Fatal(err)
			}
		}
		return storetest.Backend{
			Lasting: true,
			Damage: &storetest.Damage{
				Remove: func(name string, from, through uint64) {
					change("delete from @records where thread = (select id from @threads where name = $1) and seq between $2 and $3",
						name, int64(from), int64(through))
				},
				Head: func(name string, seq uint64) {
					change("update @threads set seq = $1 where name = $2", int64(seq), name)
				},
			},
			Open: func() thread.Store {
				s := opened(t, to, Schema(schema))
				s.now = clock.Now
				return s
			},
			Effect: func(ctx context.Context) error {
				tx, ok := Tx(ctx)
				if !ok {
					return fmt.Errorf("the context has no transaction")
				}
				_, err := tx.Exec(ctx, "insert into "+quoted+".effects values (1)")
				return err
			},
			Effects: func() (n int) {
				if err := first.pool.QueryRow(t.Context(), "select count(*) from "+quoted+".effects").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			},
		}
	})
}
