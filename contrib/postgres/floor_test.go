package postgres

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/thread"
)

// quiet are settings under which the log of the server has what appends write, and nothing else.
var quiet = []string{"autovacuum=off", "checkpoint_timeout=1h", "max_wal_size=8GB", "bgwriter_lru_maxpages=0"}

// delta is how many bytes a step writes.
const delta = 1100

// noise returns data that does not compress.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

// A thread that is measured: a snapshot of 64 KB, and steps.
type measured struct {
	s     *Store
	lease thread.Lease
	head  thread.Head
	data  []byte
}

func measure(t testing.TB, s *Store, name string) *measured {
	t.Helper()
	lease, head, err := s.Acquire(t.Context(), name, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	m := &measured{s, lease, head, noise(delta)}
	m.head.Graph, m.head.Status, m.head.Summary = "review", thread.Running, []byte(`{"requests":[]}`)
	if err := m.step(t.Context(), thread.Record{Snapshot: true, Data: noise(64 << 10)}); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *measured) step(ctx context.Context, r thread.Record) error {
	m.head.Seq++
	m.head.Updated = time.Unix(int64(m.head.Seq), 0)
	r.Seq, r.Time = m.head.Seq, m.head.Updated
	_, err := m.s.Append(ctx, m.lease, m.head, []thread.Record{r})
	return err
}

// written returns how many bytes the log of the server has, and how many rows were inserted.
func written(t testing.TB, s *Store) (wal, rows int64) {
	t.Helper()
	err := s.pool.QueryRow(t.Context(),
		`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint, (select count(*) from graphgen.records)`).Scan(&wal, &rows)
	if err != nil {
		t.Fatal(err)
	}
	return wal, rows
}

// TestBytesOfAStep holds that a step adds one row, and to the log of the server at most twice its data and 600
// bytes, however long the thread is.
func TestBytesOfAStep(t *testing.T) {
	steps := 3000
	if testing.Short() {
		steps = 300
	}
	server := dbserver.Postgres(t, append(quiet, "synchronous_commit=off")...) // does not change what is written
	defer server.Close()
	s := opened(t, connection(server)+" synchronous_commit=off")
	m := measure(t, s, "a")
	bytesOf := func(from, to int) float64 {
		for int(m.head.Seq) < from {
			if err := m.step(t.Context(), thread.Record{Data: m.data}); err != nil {
				t.Fatal(err)
			}
		}
		wal, rows := written(t, s)
		for int(m.head.Seq) < to {
			if err := m.step(t.Context(), thread.Record{Data: m.data}); err != nil {
				t.Fatal(err)
			}
		}
		wal2, rows2 := written(t, s)
		if n := int64(to - from); rows2-rows != n {
			t.Errorf("steps %d to %d: %d rows", from, to, rows2-rows)
		}
		return float64(wal2-wal) / float64(to-from)
	}
	early, late := bytesOf(10, steps/2), bytesOf(steps/2, steps)
	t.Logf("bytes of the log for a step of %d bytes: %.0f in steps 10 to %d, %.0f in steps %d to %d", delta, early, steps/2, late, steps/2, steps)
	if most := float64(2*delta + 600); early > most || late > most {
		t.Errorf("a step has more than %.0f bytes", most)
	}
	if late > early*1.05 {
		t.Errorf("the bytes of a step grow from %.0f to %.0f", early, late)
	}
}

// BenchmarkStep measures an Append beside the least that a fenced step can be: one statement that moves a head of two
// numbers and adds a row. They alternate, so that both meet the same machine.
func BenchmarkStep(b *testing.B) {
	s := opened(b, connection(server(b)))
	m := measure(b, s, fmt.Sprintf("bench %d", b.N))
	c, err := pgx.Connect(b.Context(), "host="+shared.Dir+" user=postgres database=postgres")
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(context.Background())
	for _, statement := range []string{
		`drop table if exists gh; drop table if exists gs`,
		`create table gh (thread text primary key, fence bigint, seq bigint)`,
		`create table gs (thread text, seq bigint, node int, schema bytea, delta bytea, primary key (thread, seq))`,
		`insert into gh values ('t', 1, 0)`,
	} {
		if _, err := c.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	schema := bytes.Repeat([]byte{1}, 8)
	var floor, ours time.Duration
	i := 0
	for b.Loop() {
		at := time.Now()
		tag, err := c.Exec(b.Context(), `with h as (update gh set seq=$1 where thread='t' and fence=1 and seq=$2 returning 1)
			insert into gs select 't', $1, $3::int, $4::bytea, $5::bytea from h`, i+1, i, i%7, schema, m.data)
		if err != nil || tag.RowsAffected() != 1 {
			b.Fatal(tag, err)
		}
		i++
		between := time.Now()
		if err := m.step(b.Context(), thread.Record{Data: m.data}); err != nil {
			b.Fatal(err)
		}
		floor, ours = floor+between.Sub(at), ours+time.Since(between)
	}
	b.ReportMetric(float64(floor.Microseconds())/float64(b.N), "µs/floor")
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "µs/append")
	b.ReportMetric(float64(ours)/float64(floor), "x")
	b.ReportMetric(0, "ns/op")
}
