package fanout

import (
	"context"
	"testing"

	"golang.org/x/sync/errgroup"
)

// byHand is what a person would write: the first error cancels the other branches.
func byHand(ctx context.Context, h FanHandlers, in FanInput) (FanOutput, error) {
	state := FanState(in)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	g.Go(func() error { return h.A(ctx, FanAIn(state)) })
	g.Go(func() error { return h.B(ctx, FanBIn(state)) })
	g.Go(func() error { return h.C(ctx, FanCIn(state)) })
	g.Go(func() error { return h.D(ctx, FanDIn(state)) })
	g.Go(func() error { return h.E(ctx, FanEIn(state)) })
	g.Go(func() error { return h.F(ctx, FanFIn(state)) })
	g.Go(func() error { return h.G(ctx, FanGIn(state)) })
	g.Go(func() error { return h.H(ctx, FanHIn(state)) })
	if err := g.Wait(); err != nil {
		return FanOutput{}, err
	}
	return FanOutput(state), nil
}

// A program is one of the ways to run the eight branches.
type program struct {
	name string
	run  func(context.Context, FanInput) (FanOutput, error)
}

func programs(tb testing.TB) []program {
	m, err := NewFan(Idle{})
	if err != nil {
		tb.Fatal(err)
	}
	return []program{
		{"by hand", func(ctx context.Context, in FanInput) (FanOutput, error) { return byHand(ctx, Idle{}, in) }},
		{"machine", func(ctx context.Context, in FanInput) (FanOutput, error) { return m.Run(ctx, in) }},
	}
}

func TestRun(t *testing.T) {
	for _, p := range programs(t) {
		if out, err := p.run(t.Context(), FanInput{Seed: 1}); err != nil || out.Seed != 1 {
			t.Errorf("%s: the seed is %d, the error %v", p.name, out.Seed, err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for _, p := range programs(b) {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out, err := p.run(b.Context(), FanInput{Seed: 1}); err != nil || out.Seed != 1 {
					b.Fatal(out, err)
				}
			}
		})
	}
}
