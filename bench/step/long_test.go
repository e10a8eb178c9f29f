package step

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
)

// A mark is what is measured at a step of a long run.
type mark struct {
	step  int
	began time.Time // to measure
	ended time.Time
	heap  uint64 // bytes in use
}

// marked is work that measures at the steps of its marks, which are in order.
type marked struct {
	Work
	marks []mark
	next  int // of marks
}

func (m *marked) Fetch(ctx context.Context, in LoopFetchIn) (LoopFetchOut, error) {
	if m.next < len(m.marks) && in.Count >= m.marks[m.next].step {
		m.marks[m.next].measure()
		m.next++
	}
	return m.Work.Fetch(ctx, in)
}

func (m *mark) measure() {
	m.began = time.Now()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m.heap = memory.HeapAlloc
	m.ended = time.Now()
}

// newMarked measures at the start of a run, after a tenth of its steps, before the last tenth, and in the last round.
func newMarked(steps int) *marked {
	return &marked{Work: Work{Limit: steps + 3}, marks: []mark{{step: 0}, {step: steps / 10}, {step: steps / 10 * 9}, {step: steps - 3}}}
}

func (m *marked) run(ctx context.Context, tb testing.TB, steps int) {
	out, err := newMachine(tb, m).Run(ctx, LoopInput{Goal: steps}, graphgen.WithObserver(func(graphgen.Event) {}))
	if err != nil || out.Count < steps {
		tb.Fatal(out, err)
	}
}

func TestMarks(t *testing.T) {
	const steps = 300
	m := newMarked(steps)
	m.run(t.Context(), t, steps)
	if m.next != len(m.marks) {
		t.Fatalf("%d marks of %d are measured", m.next, len(m.marks))
	}
	for i, mark := range m.marks {
		if mark.heap == 0 || mark.ended.Before(mark.began) || i > 0 && mark.began.Before(m.marks[i-1].ended) {
			t.Errorf("mark %d is %+v", i, mark)
		}
	}
}

// BenchmarkLong reports the time of a step in the first and in the last tenth of an observed run of ten million steps,
// and the bytes in use after the first tenth and at the end.
func BenchmarkLong(b *testing.B) {
	const steps = 10_000_000
	b.ReportAllocs()
	for b.Loop() {
		m := newMarked(steps)
		m.run(b.Context(), b, steps)
		per := func(from, to int) float64 {
			return float64(m.marks[to].began.Sub(m.marks[from].ended).Nanoseconds()) / float64(m.marks[to].step-m.marks[from].step)
		}
		b.ReportMetric(per(0, 1), "first-ns/step")
		b.ReportMetric(per(2, 3), "last-ns/step")
		b.ReportMetric(float64(m.marks[1].heap), "first-B")
		b.ReportMetric(float64(m.marks[3].heap), "last-B")
	}
}
