package redis

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/thread"
)

// shared is the server of the tests that do not stop it.
var shared *dbserver.Server

func TestMain(m *testing.M) {
	storetest.Main(openForWriter)
	kill9.Main(openForWriter, nil)
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
		shared = dbserver.Redis(t)
	}
	return shared
}

// address returns the address of a server.
func address(s *dbserver.Server) string {
	return "unix://" + s.Socket
}

// opened opens a store that the test closes.
func opened(t testing.TB, s *dbserver.Server, opts ...Option) *Store {
	t.Helper()
	store, err := Open(t.Context(), address(s), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

var prefixes atomic.Int64

func TestConformance(t *testing.T) {
	to := server(t)
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) storetest.Backend {
		keys := fmt.Sprintf("clause %d:", prefixes.Add(1))
		client := opened(t, to, Prefix(keys)).client
		return storetest.Backend{
			Lasting: true,
			Open: func() thread.Store {
				s := opened(t, to, Prefix(keys))
				s.now = clock.Now
				return s
			},
			Damage: &storetest.Damage{
				Remove: func(name string, from, through uint64) {
					for seq := from; seq <= through; seq++ {
						if n, err := client.HDel(t.Context(), keys+"log:"+name, strconv.FormatUint(seq, 10)).Result(); n != 1 || err != nil {
							t.Fatal(n, err)
						}
					}
				},
				Head: func(name string, seq uint64) {
					if err := client.HSet(t.Context(), keys+"head:"+name, "seq", seq).Err(); err != nil {
						t.Fatal(err)
					}
				},
			},
		}
	})
}
