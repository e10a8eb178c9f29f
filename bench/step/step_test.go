// Package step measures what a step of a generated machine costs beside the same loop
// written by hand.
package step

import (
	"context"
	"errors"
	"testing"
)

// work counts up. Its methods are kept from being inlined, as no handler that does
// anything is.
type work struct{ limit int }

var errLimit = errors.New("limit")

//go:noinline
func (w *work) Fetch(_ context.Context, in LoopFetchIn) (LoopFetchOut, error) {
	if in.Count >= w.limit {
		return LoopFetchOut{}, errLimit
	}
	return LoopFetchOut{Count: in.Count + 1}, nil
}

//go:noinline
func (w *work) Check(_ context.Context, in LoopCheckIn) (LoopCheckOut, error) {
	if in.Count > w.limit {
		return LoopCheckOut{}, errLimit
	}
	return LoopCheckOut{Count: in.Count + 1}, nil
}

//go:noinline
func (w *work) Store(_ context.Context, in LoopStoreIn) (LoopStoreOut, error) {
	if in.Count > w.limit {
		return LoopStoreOut{}, errLimit
	}
	return LoopStoreOut{Count: in.Count + 1}, nil
}

// byHand is the loop a person would write, without any of the kernel's checks.
func byHand(ctx context.Context, h LoopHandlers, s *LoopState) error {
	at := LoopFetch
	for {
		switch at {
		case LoopFetch:
			out, err := h.Fetch(ctx, LoopFetchIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopCheck
		case LoopCheck:
			out, err := h.Check(ctx, LoopCheckIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopStore
		case LoopStore:
			out, err := h.Store(ctx, LoopStoreIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			if out.Count >= s.Goal {
				return nil
			}
			at = LoopFetch
		}
	}
}

// byHandChecked is byHand with the one check that a person would not leave out.
func byHandChecked(ctx context.Context, h LoopHandlers, s *LoopState) error {
	at := LoopFetch
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch at {
		case LoopFetch:
			out, err := h.Fetch(ctx, LoopFetchIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopCheck
		case LoopCheck:
			out, err := h.Check(ctx, LoopCheckIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			at = LoopStore
		case LoopStore:
			out, err := h.Store(ctx, LoopStoreIn{Count: s.Count})
			if err != nil {
				return err
			}
			s.Count = out.Count
			if out.Count >= s.Goal {
				return nil
			}
			at = LoopFetch
		}
	}
}

// An iteration of each benchmark is one step.

type loop func(context.Context, LoopHandlers, *LoopState) error

func benchmarkLoop(b *testing.B, ctx context.Context, run loop) {
	b.ReportAllocs()
	if err := run(ctx, &work{limit: b.N + 3}, &LoopState{Goal: b.N}); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkByHand(b *testing.B) { benchmarkLoop(b, context.Background(), byHand) }

// BenchmarkByHandCancellable asks a context that can be cancelled before every step.
func BenchmarkByHandCancellable(b *testing.B) { benchmarkLoop(b, b.Context(), byHandChecked) }

func benchmarkMachine(b *testing.B, ctx context.Context) {
	b.ReportAllocs()
	m, err := NewLoop(&work{limit: b.N + 3})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	out, err := m.Run(ctx, LoopInput{Goal: b.N})
	if err != nil || out.Count < b.N {
		b.Fatal(out, err)
	}
}

func BenchmarkMachine(b *testing.B) { benchmarkMachine(b, context.Background()) }

// BenchmarkMachineCancellable has a context that can be cancelled.
func BenchmarkMachineCancellable(b *testing.B) { benchmarkMachine(b, b.Context()) }
