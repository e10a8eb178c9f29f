package sqlite

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// delta is how many bytes a step writes.
const delta = 1100

// noise returns data that does not compress.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

// A measured is a thread that is measured: a snapshot of 64 KB, and steps.
type measured struct {
	s     *Store
	lease thread.Lease
	head  thread.Head
	data  []byte
}

func measure(t testing.TB, s *Store) *measured {
	t.Helper()
	lease, head, err := s.Acquire(t.Context(), "thread", time.Hour)
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

// TestBytesOfAStep holds that a step writes at most twice its data and 800 bytes to the log, however long the thread is:
// the few pages that it changes.
func TestBytesOfAStep(t *testing.T) {
	steps := 3000
	if testing.Short() {
		steps = 300
	}
	path := filepath.Join(t.TempDir(), "threads.db")
	s := opened(t, path)
	for _, pragma := range []string{"wal_autocheckpoint = 0", "synchronous = off"} { // neither changes what is written
		if _, err := s.write.Exec("pragma " + pragma); err != nil {
			t.Fatal(err)
		}
	}
	m := measure(t, s)
	bytesOf := func(from, to int) float64 {
		size := func(n int) int64 {
			for int(m.head.Seq) < n {
				if err := m.step(t.Context(), thread.Record{Data: m.data}); err != nil {
					t.Fatal(err)
				}
			}
			info, err := os.Stat(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		before := size(from)
		return float64(size(to)-before) / float64(to-from)
	}
	early, late := bytesOf(10, steps/2), bytesOf(steps/2, steps)
	t.Logf("bytes of the log for a step of %d bytes: %.0f in steps 10 to %d, %.0f in steps %d to %d", delta, early, steps/2, late, steps/2, steps)
	if most := float64(2*delta + 800); early > most || late > most {
		t.Errorf("a step has more than %.0f bytes", most)
	}
	if late > early*1.05 {
		t.Errorf("the bytes of a step grow from %.0f to %.0f", early, late)
	}
}

// BenchmarkStep measures an Append beside the least that a fenced step can be: a transaction that moves a head of two
// numbers and adds a row. They alternate, so that both meet the same machine.
func BenchmarkStep(b *testing.B) {
	dir := b.TempDir()
	m := measure(b, opened(b, filepath.Join(dir, "threads.db")))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "floor.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		`create table head (thread text primary key, fence int, seq int) without rowid`,
		`create table step (thread text, seq int, node int, schema blob, delta blob, primary key (thread, seq)) without rowid`,
		`insert into head values ('t', 1, 0)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	floorStep := func(i int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`update head set seq = ? where thread = 't' and fence = 1 and seq = ?`, i+1, i); err != nil {
			return err
		}
		if _, err := tx.Exec(`insert into step values ('t', ?, ?, ?, ?)`, i+1, i%7, m.data[:8], m.data); err != nil {
			return err
		}
		return tx.Commit()
	}
	var floor, ours time.Duration
	i := 0
	for b.Loop() {
		at := time.Now()
		if err := floorStep(i); err != nil {
			b.Fatal(err)
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
