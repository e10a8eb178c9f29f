// Package fanout measures what it costs to run eight branches that do nothing beside the same
// with an errgroup written by hand.
package fanout

import (
	"context"
	"testing"

	"golang.org/x/sync/errgroup"
)

// idle does nothing. Its methods are kept from being inlined, as no handler that does
// anything is.
type idle struct{}

//go:noinline
func (idle) A(context.Context, FanAIn) error { return nil }

//go:noinline
func (idle) B(context.Context, FanBIn) error { return nil }

//go:noinline
func (idle) C(context.Context, FanCIn) error { return nil }

//go:noinline
func (idle) D(context.Context, FanDIn) error { return nil }

//go:noinline
func (idle) E(context.Context, FanEIn) error { return nil }

//go:noinline
func (idle) F(context.Context, FanFIn) error { return nil }

//go:noinline
func (idle) G(context.Context, FanGIn) error { return nil }

//go:noinline
func (idle) H(context.Context, FanHIn) error { return nil }

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

func BenchmarkFanOutOfEight(b *testing.B) {
	m, err := NewFan(idle{})
	if err != nil {
		b.Fatal(err)
	}
	ways := []struct {
		name string
		run  func() (FanOutput, error)
	}{
		{"an errgroup by hand", func() (FanOutput, error) { return byHand(b.Context(), idle{}, FanInput{Seed: 1}) }},
		{"the machine", func() (FanOutput, error) { return m.Run(b.Context(), FanInput{Seed: 1}) }},
	}
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out, err := way.run(); err != nil || out.Seed != 1 {
					b.Fatal(out, err)
				}
			}
		})
	}
}
