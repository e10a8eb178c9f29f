// Package ten measures a run of ten nodes with all that it needs, beside the same calls written
// by hand.
package ten

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	graphrt "github.com/graphgen/graphgen/runtime"
)

var errNegative = errors.New("the count is negative")

// work counts up. Each of its methods calls add, which is kept from being inlined, as no handler
// that does anything is.
type work struct{}

//go:noinline
func add(_ context.Context, count int) (int, error) {
	if count < 0 {
		return 0, errNegative
	}
	return count + 1, nil
}

func (work) N0(ctx context.Context, in TenN0In) (out TenN0Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N1(ctx context.Context, in TenN1In) (out TenN1Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N2(ctx context.Context, in TenN2In) (out TenN2Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N3(ctx context.Context, in TenN3In) (out TenN3Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N4(ctx context.Context, in TenN4In) (out TenN4Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N5(ctx context.Context, in TenN5In) (out TenN5Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N6(ctx context.Context, in TenN6In) (out TenN6Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N7(ctx context.Context, in TenN7In) (out TenN7Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N8(ctx context.Context, in TenN8In) (out TenN8Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

func (work) N9(ctx context.Context, in TenN9In) (out TenN9Out, err error) {
	out.Count, err = add(ctx, in.Count)
	return out, err
}

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

func call(ctx context.Context, h TenHandlers, node TenNode, count int) (int, error) {
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
	most float64 // allocations; it may only fall
}

func programs(tb testing.TB) []program {
	m := machine(tb, work{})
	observe := graphrt.WithObserver(func(graphrt.Event) {})
	return []program{
		{"by hand", func(ctx context.Context, in TenInput) (TenOutput, error) { return byHand(ctx, work{}, in) }, 0},
		{"machine", func(ctx context.Context, in TenInput) (TenOutput, error) { return m.Run(ctx, in) }, 3},
		{"observed", func(ctx context.Context, in TenInput) (TenOutput, error) { return m.Run(ctx, in, observe) }, 75},
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

// TestAllocations holds what a run may allocate.
func TestAllocations(t *testing.T) {
	for _, p := range programs(t) {
		n := testing.AllocsPerRun(100, func() {
			if _, err := p.run(t.Context(), TenInput{}); err != nil {
				t.Fatal(err)
			}
		})
		if n > p.most {
			t.Errorf("%s: a run makes %v allocations, want at most %v", p.name, n, p.most)
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

// waiting is work whose fifth node waits until it may leave.
type waiting struct {
	work
	here  *sync.WaitGroup
	leave chan struct{}
}

func (w waiting) N4(ctx context.Context, in TenN4In) (TenN4Out, error) {
	w.here.Done()
	<-w.leave
	return w.work.N4(ctx, in)
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
				h.atOnce(b, runs, row.run)
			}
		})
	}
}

func (w waiting) atOnce(b *testing.B, runs int, run func() error) {
	var gone sync.WaitGroup
	before := memory()
	w.here.Add(runs)
	for range runs {
		gone.Go(func() {
			if err := run(); err != nil {
				b.Error(err)
			}
		})
	}
	w.here.Wait()
	after := memory()
	for range runs {
		w.leave <- struct{}{}
	}
	gone.Wait()
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(runs), "heap-B/run")
	b.ReportMetric(float64(after.StackInuse-before.StackInuse)/float64(runs), "stack-B/run")
}

func memory() (m runtime.MemStats) {
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}
