package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/thread"
)

// TestServerEnds kills the server at random, or shuts it down, and starts it again, while writers go on.
func TestServerEnds(t *testing.T) {
	server := dbserver.Postgres(t)
	defer server.Close()
	s := opened(t, connection(server)+" connect_timeout=5")
	storetest.Disturb(t, s, func(writers *storetest.Writers) {
		writers.Acknowledged(1 + rand.IntN(200))
		if rand.IntN(2) == 0 {
			server.Kill()
		} else {
			_ = server.Signal(syscall.SIGINT) // a fast shutdown
			server.Wait()
		}
		writers.Failed(1 + rand.IntN(5))
		if err := server.Start(); err != nil {
			t.Error(err)
		}
	})
}

// TestProcesses kills and stops processes that write.
func TestProcesses(t *testing.T) {
	to := connection(server(t)) + " application_name=processes"
	storetest.Processes(t, opened(t, to, Schema("processes")), to, false)
}

func openForWriter(ctx context.Context, address string) (thread.Store, error) {
	return Open(ctx, address, Schema("processes"))
}

// TestSchema holds that the schema is made once, also by many at once, and that one of a later version is refused.
func TestSchema(t *testing.T) {
	to, schema := connection(server(t)), fresh()
	done := make(chan error)
	for range 8 {
		go func() {
			s, err := Open(t.Context(), to, Schema(schema))
			if err == nil {
				s.Close()
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s := opened(t, to, Schema(schema))
	if _, err := s.pool.Exec(t.Context(), `update "`+schema+`".version set version = version + 1`); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), to, Schema(schema))
	later, ok := errors.AsType[*thread.SchemaError](err)
	if !ok || later.Found != len(migrations)+1 || later.Know != len(migrations) {
		t.Errorf("the error is %v", err)
	}
}

// TestDurability holds that the connections of Open have synchronous_commit on, unless the caller sets it.
func TestDurability(t *testing.T) {
	for extra, want := range map[string]string{"": "on", " synchronous_commit=off": "off"} {
		var got string
		s := opened(t, connection(server(t))+extra, Schema("durability"))
		if _, err := s.pool.Exec(t.Context(), "alter role postgres set synchronous_commit = off"); err != nil {
			t.Fatal(err)
		}
		s.pool.Reset()
		if err := s.pool.QueryRow(t.Context(), "show synchronous_commit").Scan(&got); err != nil || got != want {
			t.Errorf("with %q, synchronous_commit is %q, %v", extra, got, err)
		}
		if _, err := s.pool.Exec(t.Context(), "alter role postgres reset synchronous_commit"); err != nil {
			t.Fatal(err)
		}
	}
}
