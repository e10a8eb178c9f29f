package ten

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/engine"
)

// byHand is what one would write: the calls in their order, and the context asked before each.
func byHand(ctx context.Context, h TenHandlers, in TenInput) (TenOutput, error) {
	count := in.Count
	for node := TenN0; node <= TenN9; node++ {
		err := ctx.Err()
		if err == nil {
			count, err = call(ctx, h, node, count)
		}
		if err != nil {
			return TenOutput{}, err
		}
	}
	return TenOutput{Count: count}, nil
}

func call(ctx context.Context, h TenHandlers, node engine.NodeID, count int) (int, error) {
	switch node {
	case TenN0:
		out, err := h.N0(ctx, TenN0In{Count: count})
		return out.Count, err
	case TenN1:
		out, err := h.N1(ctx, TenN1In{Count: count})
		return out.Count, err
	case TenN2:
		out, err := h.N2(ctx, TenN2In{Count: count})
		return out.Count, err
	case TenN3:
		out, err := h.N3(ctx, TenN3In{Count: count})
		return out.Count, err
	case TenN4:
		out, err := h.N4(ctx, TenN4In{Count: count})
		return out.Count, err
	case TenN5:
		out, err := h.N5(ctx, TenN5In{Count: count})
		return out.Count, err
	case TenN6:
		out, err := h.N6(ctx, TenN6In{Count: count})
		return out.Count, err
	case TenN7:
		out, err := h.N7(ctx, TenN7In{Count: count})
		return out.Count, err
	case TenN8:
		out, err := h.N8(ctx, TenN8In{Count: count})
		return out.Count, err
	default:
		out, err := h.N9(ctx, TenN9In{Count: count})
		return out.Count, err
	}
}

func machine(tb testing.TB, h TenHandlers) *Ten {
	m, err := NewTen(h)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// A program is one of the ways to run the ten nodes.
type program struct {
	name string
	run  func(context.Context, TenInput) (TenOutput, error)
}

func programs(tb testing.TB) []program {
	m := machine(tb, Work{})
	observe := graphgen.WithObserver(func(graphgen.Event) {})
	return []program{
		{"by hand", func(ctx context.Context, in TenInput) (TenOutput, error) { return byHand(ctx, Work{}, in) }},
		{"machine", func(ctx context.Context, in TenInput) (TenOutput, error) { return m.Run(ctx, in) }},
		{"observed", func(ctx context.Context, in TenInput) (TenOutput, error) { return m.Run(ctx, in, observe) }},
	}
}

func TestRun(t *testing.T) {
	for _, p := range programs(t) {
		if out, err := p.run(t.Context(), TenInput{Count: 5}); err != nil || out.Count != 15 {
			t.Errorf("%s: the count is %d, the error %v", p.name, out.Count, err)
		}
		if _, err := p.run(t.Context(), TenInput{Count: -5}); !errors.Is(err, errNegative) {
			t.Errorf("%s: the error of a negative count is %v", p.name, err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for _, p := range programs(b) {
		b.Run(p.name, func(b *testing.B) {
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if out, err := p.run(ctx, TenInput{}); err != nil || out.Count != 10 {
					b.Fatal(out, err)
				}
			}
		})
	}
}

// waiting is Work whose fifth node waits until it may leave.
type waiting struct {
	Work
	here  *sync.WaitGroup
	leave chan struct{}
}

func (w waiting) N4(ctx context.Context, in TenN4In) (TenN4Out, error) {
	w.here.Done()
	<-w.leave
	return w.Work.N4(ctx, in)
}

// BenchmarkAtOnce reports the bytes of heap and of stack of a run, and of its goroutine, when
// 100,000 runs wait at a node. Each row needs a process of its own: stacks are used again.
func BenchmarkAtOnce(b *testing.B) {
	const runs = 100_000
	ctx := b.Context()
	h := waiting{here: new(sync.WaitGroup), leave: make(chan struct{})}
	m := machine(b, h)
	rows := []struct {
		name string
		run  func() error
	}{
		{"by hand", func() error { _, err := byHand(ctx, h, TenInput{}); return err }},
		{"machine", func() error { _, err := m.Run(ctx, TenInput{}); return err }},
	}
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				heap, stack := h.atOnce(b, runs, row.run)
				b.ReportMetric(heap, "heap-B/run")
				b.ReportMetric(stack, "stack-B/run")
			}
		})
	}
}

// TestStack holds the stack of a run that waits: it is the least stack of a goroutine. Goroutines begin with the mean of
// the stacks that the collector finds, which idle goroutines keep small.
func TestStack(t *testing.T) {
	if tier.Raced() {
		t.Skip("the race detector makes stacks larger")
	}
	ctx := t.Context()
	idle := make(chan struct{})
	defer close(idle)
	for range 100 {
		go func() { <-idle }()
	}
	h := waiting{here: new(sync.WaitGroup), leave: make(chan struct{})}
	m := machine(t, h)
	_, stack := h.atOnce(t, 20_000, func() error { _, err := m.Run(ctx, TenInput{}); return err })
	if stack > 3072 { // some grow while they wait for a lock
		t.Errorf("a run that waits has %.0f bytes of stack, want about 2048", stack)
	}
}

// atOnce returns the bytes of heap and of stack of each of the runs, while all of them wait.
func (w waiting) atOnce(tb testing.TB, runs int, run func() error) (heap, stack float64) {
	var gone sync.WaitGroup
	heap, stack = memory()
	w.here.Add(runs)
	for range runs {
		gone.Go(func() {
			if err := run(); err != nil {
				tb.Error(err)
			}
		})
	}
	w.here.Wait()
	heapThen, stackThen := memory()
	for range runs {
		w.leave <- struct{}{}
	}
	gone.Wait()
	return (heapThen - heap) / float64(runs), (stackThen - stack) / float64(runs)
}

// memory returns the bytes of heap and of stack in use.
func memory() (heap, stack float64) {
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc), float64(stats.StackInuse)
}

var stats runtime.MemStats

// BenchmarkMillion reports the time of a run in the first and in the last tenth of a million observed runs, and the
// bytes in use after the first tenth and at the end.
func BenchmarkMillion(b *testing.B) {
	const tenth = 100_000
	m, observe := machine(b, Work{}), graphgen.WithObserver(func(graphgen.Event) {})
	runs := func(n int) float64 {
		start := time.Now()
		for range n {
			if _, err := m.Run(b.Context(), TenInput{}, observe); err != nil {
				b.Fatal(err)
			}
		}
		return float64(time.Since(start).Nanoseconds()) / float64(n)
	}
	b.ReportAllocs()
	for b.Loop() {
		b.ReportMetric(runs(tenth), "first-ns/run")
		bytes, _ := memory()
		b.ReportMetric(bytes, "first-B")
		runs(8 * tenth)
		b.ReportMetric(runs(tenth), "last-ns/run")
		bytes, _ = memory()
		b.ReportMetric(bytes, "last-B")
	}
}
