package step

import (
	"context"
	"fmt"
	"testing"

	"github.com/graphgen/graphgen"
)

// lengths are the steps of the runs that are measured: a step has to cost the same in all of them.
var lengths = []int{30, 300, 3_000, 30_000, 300_000}

func newMachine(tb testing.TB, h LoopHandlers) *Loop {
	m, err := NewLoop(h)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// followed are runs that report their steps.
var followed = []struct {
	name string
	run  func(context.Context, *Loop, LoopInput) (LoopOutput, error)
}{
	{"Observed", func(ctx context.Context, m *Loop, in LoopInput) (LoopOutput, error) {
		return m.Run(ctx, in, graphgen.WithObserver(func(graphgen.Event) {}))
	}},
	{"Report", func(ctx context.Context, m *Loop, in LoopInput) (LoopOutput, error) {
		var report graphgen.Report
		out, err := m.Run(ctx, in, graphgen.WithReport(&report))
		if err == nil && report.Steps != out.Count {
			err = fmt.Errorf("the report has %d steps, want %d", report.Steps, out.Count)
		}
		return out, err
	}},
	{"Stream", func(ctx context.Context, m *Loop, in LoopInput) (LoopOutput, error) {
		stream := m.Stream(ctx, in)
		for range stream.Events() {
		}
		return stream.Output()
	}},
}

func TestFollowed(t *testing.T) {
	for _, f := range followed {
		if out, err := f.run(t.Context(), newMachine(t, &Work{Limit: 33}), LoopInput{Goal: 30}); err != nil || out.Count != 30 {
			t.Errorf("%s: the count is %d, the error %v", f.name, out.Count, err)
		}
	}
}

// BenchmarkFollowed reports the time of a step, of runs of every length.
func BenchmarkFollowed(b *testing.B) {
	for _, f := range followed {
		for _, steps := range lengths {
			b.Run(fmt.Sprintf("%s/%d", f.name, steps), func(b *testing.B) {
				m, ctx := newMachine(b, &Work{Limit: steps + 3}), b.Context()
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
