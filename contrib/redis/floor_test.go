package redis

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/graphgen/graphgen/internal/testing/dbserver"
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

// TestBytesOfAStep holds that a step adds at most twice its data and 600 bytes to the log of the server, however long the
// thread is.
func TestBytesOfAStep(t *testing.T) {
	steps := 3000
	if testing.Short() {
		steps = 300
	}
	server := dbserver.Redis(t, "auto-aof-rewrite-percentage", "0")
	defer server.Close()
	m := measure(t, opened(t, server))
	size := func(n int) int64 {
		for int(m.head.Seq) < n {
			if err := m.step(t.Context(), thread.Record{Data: m.data}); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(server.Dir + "/appendonlydir/appendonly.aof.1.incr.aof")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	first, middle, last := size(10), size(steps/2), size(steps)
	early, late := float64(middle-first)/float64(steps/2-10), float64(last-middle)/float64(steps-steps/2)
	t.Logf("bytes of the log for a step of %d bytes: %.0f in steps 10 to %d, %.0f in steps %d to %d", delta, early, steps/2, late, steps/2, steps)
	if most := float64(2*delta + 600); early > most || late > most {
		t.Errorf("a step has more than %.0f bytes", most)
	}
	if late > early*1.05 {
		t.Errorf("the bytes of a step grow from %.0f to %.0f", early, late)
	}
}

// BenchmarkStep measures an Append beside the least that a fenced step can be: a script that moves a head of two fields
// and adds a record. They alternate, so that both meet the same machine.
func BenchmarkStep(b *testing.B) {
	s := opened(b, server(b), Prefix("bench "+strconv.Itoa(b.N)+":"))
	m := measure(b, s)
	least := goredis.NewScript(`if redis.call('HGET', KEYS[1], 'fence') ~= '1' then return 0 end
redis.call('HSET', KEYS[1], 'seq', ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1`)
	if err := s.client.HSet(b.Context(), "head", "fence", "1").Err(); err != nil {
		b.Fatal(err)
	}
	var floor, ours time.Duration
	i := 0
	for b.Loop() {
		at := time.Now()
		if n, err := least.Run(b.Context(), s.client, []string{"head", "log"}, i, m.data).Int(); err != nil || n != 1 {
			b.Fatal(n, err)
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
