package filestore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// delta is how many bytes a step writes.
const delta = 1100

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
	m := &measured{s, lease, head, make([]byte, delta)}
	m.head.Graph, m.head.Status, m.head.Summary = "review", thread.Running, []byte(`{"requests":[]}`)
	if err := m.step(t.Context(), thread.Record{Snapshot: true, Data: make([]byte, 64<<10)}); err != nil {
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

// TestBytesOfAStep holds that a step writes little more than its data, however long the thread is.
func TestBytesOfAStep(t *testing.T) {
	steps := 3000
	if testing.Short() {
		steps = 300
	}
	d := newDisk()
	s := begin(t, d, 0).s
	m := measure(t, s)
	size := func(n int) (bytes int) {
		for int(m.head.Seq) < n {
			if err := m.step(t.Context(), thread.Record{Data: m.data}); err != nil {
				t.Fatal(err)
			}
		}
		for name, i := range d.now {
			if strings.HasSuffix(name, segmentEnd) {
				bytes += len(i.data)
			}
		}
		return bytes
	}
	first, middle, last := size(10), size(steps/2), size(steps)
	early, late := float64(middle-first)/float64(steps/2-10), float64(last-middle)/float64(steps-steps/2)
	t.Logf("bytes for a step of %d bytes: %.0f in steps 10 to %d, %.0f in steps %d to %d", delta, early, steps/2, late, steps/2, steps)
	if most := float64(delta + 150); early > most || late > most {
		t.Errorf("a step has more than %.0f bytes", most)
	}
}

// BenchmarkStep measures an Append beside the least that a durable step can be: a write to a file, and a sync. They
// alternate, so that both meet the same machine.
func BenchmarkStep(b *testing.B) {
	dir := b.TempDir()
	s, err := Open(filepath.Join(dir, "store"))
	if err != nil {
		b.Fatal(err)
	}
	m := measure(b, s)
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var floor, ours time.Duration
	for b.Loop() {
		at := time.Now()
		if _, err := f.Write(m.data); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
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
