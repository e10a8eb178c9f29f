package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/graphgen/graphgen/contrib/river"
	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// TestMain is the program in a process that a test starts.
func TestMain(m *testing.M) {
	if os.Getenv("DATABASE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command returns the program with arguments.
func command(t *testing.T, database string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	said := new(bytes.Buffer)
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "DATABASE="+database)
	cmd.Stderr = said
	return cmd, said
}

// TestFourWorkers holds that four processes share the claims, and that a signal ends each of them.
func TestFourWorkers(t *testing.T) {
	server := dbserver.Postgres(t, "fsync=off", "full_page_writes=off")
	t.Cleanup(server.Close)
	database := "host=" + server.Dir + " user=postgres database=postgres pool_max_conns=12"
	pool, err := pgxpool.New(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), `create table claims (name text); create table notes (claim text, process int)`); err != nil {
		t.Fatal(err)
	}
	if cmd, said := command(t, database, "wrong"); cmd.Run() == nil || !strings.Contains(said.String(), "usage: ") {
		t.Errorf("wrong arguments: %s", said)
	}
	if cmd, said := command(t, database, "file", "first"); cmd.Run() != nil {
		t.Errorf("file: %s", said)
	}
	q, err := river.New(t.Context(), pool, river.Options{})
	if err != nil {
		t.Fatal(err)
	}
	claims := tier.Pick(40, 200, 1000)
	for i := 1; i < claims; i++ {
		if err := file(t.Context(), pool, q, fmt.Sprintf("claim-%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	var workers []*exec.Cmd
	for range 4 {
		cmd, said := command(t, database, "work")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if t.Failed() {
				t.Log(said)
			}
		}()
		workers = append(workers, cmd)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for done := 0; done < claims; time.Sleep(10 * time.Millisecond) {
		if done, err = number(ctx, pool, `select count(*) from graphgen.threads where status = $1`, int(thread.Completed)); err != nil {
			t.Fatalf("%d of %d claims are paid: %v", done, claims, err)
		}
	}
	notes, err := number(ctx, pool, `select count(*) from notes`)
	if err != nil || notes != claims {
		t.Errorf("%d notes of %d claims: %v", notes, claims, err)
	}
	if n, err := number(ctx, pool, `select count(distinct process) from notes`); err != nil || n < 2 {
		t.Errorf("%d processes worked: %v", n, err)
	}
	for i, w := range workers {
		if err := w.Process.Signal([]os.Signal{os.Interrupt, syscall.SIGTERM}[i%2]); err != nil {
			t.Error(err)
		}
		if err := w.Wait(); err != nil {
			t.Errorf("a worker ends with %v", err)
		}
	}
}

// number returns the number that a statement selects.
func number(ctx context.Context, pool *pgxpool.Pool, statement string, args ...any) (int, error) {
	rows, err := pool.Query(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
}
