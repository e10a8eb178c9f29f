package golden_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// entry is what each step of a journal adds: 1 KB.
var entry = strings.Repeat("a line of a journal. ", 50)

type journalist struct{}

func (journalist) Write(context.Context, durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	return durable.JournalWriteOut{Entries: []string{entry}, Pages: 1}, nil
}

// A meter is a store that counts the bytes of records.
type meter struct {
	thread.Store
	sizes     []int
	snapshots int
}

func (m *meter) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	for i := range r {
		if m.sizes = append(m.sizes, len(r[i].Data)); r[i].Snapshot {
			m.snapshots++
			m.sizes[len(m.sizes)-1] = 0
		}
	}
	return m.Store.Append(ctx, l, h, r)
}

// TestBytesOfSteps holds that a step saves what it adds to the state, however large the state is and however many steps
// came before.
func TestBytesOfSteps(t *testing.T) {
	steps := tier.Pick(500, 500, 3000)
	m := &meter{Store: thread.NewMemory()}
	machine, err := durable.NewJournal(journalist{}, thread.In(m))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := machine.Thread("t").Start(t.Context(), durable.JournalInput{Basis: strings.Repeat("x", 64<<10), Most: steps}); err != nil {
		t.Fatal(err)
	}
	if len(m.sizes) != steps+1 {
		t.Fatalf("there are %d records of %d steps", len(m.sizes), steps)
	}
	most := 2*len(entry) + 600
	for at, size := range m.sizes {
		if size > most {
			t.Errorf("step %d saves %d bytes, want at most %d", at, size, most)
		}
	}
	t.Logf("a step of %d bytes saves %d at step 10, %d at step %d; %d snapshots", len(entry), m.sizes[10], m.sizes[steps-2], steps-2, m.snapshots)
	if slope := m.sizes[steps-2] - m.sizes[10]; slope > 10 {
		t.Errorf("a step saves %d bytes more than an early one", slope)
	}
	if m.snapshots > 10 {
		t.Errorf("there are %d snapshots", m.snapshots)
	}
}

// TestPausedThreads holds that threads that wait need neither memory nor goroutines.
func TestPausedThreads(t *testing.T) {
	threads := tier.Pick(100, 100, 1000)
	store, err := filestore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	machine, err := pauses.NewPanel(panelWork{new(ledger)}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	memory := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before, goroutines := memory(), runtime.NumGoroutine()
	for i := range threads {
		_, err := machine.Thread(fmt.Sprintf("t%05d", i)).Start(t.Context(), pauses.PanelInput{Text: "x"})
		if graphgen.AsPause(err) == nil {
			t.Fatal(err)
		}
	}
	grown := int64(memory()) - int64(before)
	if grown > 5<<20 {
		t.Errorf("%d threads hold %d bytes", threads, grown)
	}
	for range 1_000_000 { // those that end may take a moment
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("there are %d goroutines, %d before", n, goroutines)
	}
	start := time.Now()
	for _, i := range []int{0, threads / 2, threads - 1} {
		_, err := machine.Thread(fmt.Sprintf("t%05d", i)).Resume(t.Context(), pauses.AnswerPanelEditor("fine"))
		if graphgen.AsPause(err) == nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d threads: the heap grew by %d bytes; an answer took %s", threads, grown, time.Since(start)/3)
}

// BenchmarkCheckpoint measures a step of a run with a constant state of 64 KB that adds 1 KB, in memory and in a folder, beside
// a program that appends as many bytes to a file and syncs it.
func BenchmarkCheckpoint(b *testing.B) {
	const run = 1000 // steps of each thread
	steps := func(b *testing.B, store thread.Store, basis int) {
		machine, err := durable.NewJournal(journalist{}, thread.In(store))
		if err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		for at := 0; at < b.N; at += run {
			in := durable.JournalInput{Basis: strings.Repeat("x", basis), Most: min(run, b.N-at)}
			if _, err := machine.Thread(fmt.Sprintf("t%d", at)).Start(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("memory, 1 KB", func(b *testing.B) { steps(b, thread.NewMemory(), 1<<10) })
	b.Run("memory, 64 KB", func(b *testing.B) { steps(b, thread.NewMemory(), 64<<10) })
	b.Run("folder, 64 KB", func(b *testing.B) {
		store, err := filestore.Open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		defer store.Close()
		steps(b, store, 64<<10)
	})
	b.Run("the least", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "log"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		data := []byte(entry + strings.Repeat("x", 200))
		for b.Loop() {
			if _, err := f.Write(data); err != nil {
				b.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
