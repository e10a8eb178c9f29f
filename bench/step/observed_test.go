package step

import (
	"context"
	"fmt"
	"testing"

	graphrt "github.com/graphgen/graphgen/runtime"
)

// lengths are the steps of the runs that are measured: a step has to cost the same in all of them.
var lengths = []int{30, 300, 3_000, 30_000, 300_000}

func newMachine(tb testing.TB, steps int) *Loop {
	m, err := NewLoop(&work{limit: steps + 3})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// followed are the ways to receive the events of a run.
var followed = []struct {
	name string
	run  func(context.Context, *Loop, LoopInput) (LoopOutput, error)
}{
	{"Observed", func(ctx context.Context, m *Loop, in LoopInput) (LoopOutput, error) {
		return m.Run(ctx, in, graphrt.WithObserver(func(graphrt.Event) {}))
	}},
	{"Stream", func(ctx context.Context, m *Loop, in LoopInput) (out LoopOutput, _ error) {
		for event, err := range m.Stream(ctx, in) {
			if err != nil {
				return out, err
			}
			if o, ok := graphrt.Output[LoopOutput](event); ok {
				out = o
			}
		}
		return out, nil
	}},
}

func TestFollowed(t *testing.T) {
	for _, f := range followed {
		if out, err := f.run(t.Context(), newMachine(t, 30), LoopInput{Goal: 30}); err != nil || out.Count != 30 {
			t.Errorf("%s: the count is %d, the error %v", f.name, out.Count, err)
		}
	}
}

// BenchmarkFollowed reports the time of a step, of runs of every length.
func BenchmarkFollowed(b *testing.B) {
	for _, f := range followed {
		for _, steps := range lengths {
			b.Run(fmt.Sprintf("%s/%d", f.name, steps), func(b *testing.B) {
				m, ctx := newMachine(b, steps), b.Context()
				b.ReportAllocs()
				for b.Loop() {
					if out, err := f.run(ctx, m, LoopInput{Goal: steps}); err != nil || out.Count != steps {
						b.Fatal(out, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
			})
		}
	}
}

// TestAllocations holds that a step allocates nothing. The path of the report grows by a factor: a run of ten times the
// steps makes most allocations more. That number may only fall.
func TestAllocations(t *testing.T) {
	const most = 6
	run := func(steps int) float64 {
		m, ctx := newMachine(t, steps), t.Context()
		return testing.AllocsPerRun(20, func() {
			if _, err := m.Run(ctx, LoopInput{Goal: steps}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := run(3_000), run(30_000); many-few > most {
		t.Errorf("a run of 3,000 steps makes %v allocations, one of 30,000 steps %v, want at most %d more", few, many, most)
	}
}
