package step

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// An iteration of each benchmark is one step.

type loop func(context.Context, LoopHandlers, *LoopState) error

func benchmarkLoop(b *testing.B, ctx context.Context, run loop) {
	b.ReportAllocs()
	if err := run(ctx, &Work{Limit: b.N + 3}, &LoopState{Goal: b.N}); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkByHand(b *testing.B) { benchmarkLoop(b, context.Background(), byHand) }

// BenchmarkByHandCancellable asks a context that can be cancelled before every step.
func BenchmarkByHandCancellable(b *testing.B) { benchmarkLoop(b, b.Context(), byHandChecked) }

// BenchmarkByHandObserved reports the start and the end of each node.
func BenchmarkByHandObserved(b *testing.B) { benchmarkLoop(b, b.Context(), byHandObserved) }

func benchmarkMachine(b *testing.B, ctx context.Context) {
	b.ReportAllocs()
	m, err := NewLoop(&Work{Limit: b.N + 3})
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

func TestByHand(t *testing.T) {
	for name, run := range map[string]loop{"plain": byHand, "checked": byHandChecked, "observed": byHandObserved} {
		state := LoopState{Goal: 30}
		if err := run(t.Context(), &Work{Limit: 33}, &state); err != nil || state.Count != 30 {
			t.Errorf("%s: the count is %d, the error %v", name, state.Count, err)
		}
		if err := run(t.Context(), &Work{Limit: 3}, &LoopState{Goal: 30}); !errors.Is(err, errLimit) {
			t.Errorf("%s: the error of too many steps is %v", name, err)
		}
	}
}

// TestByHandObserved holds that two events are reported of each of three nodes.
func TestByHandObserved(t *testing.T) {
	var got []string
	h := observed{&Work{Limit: 6}, func(e event) { got = append(got, fmt.Sprint(e.kind, " ", e.node, " ", e.count)) }}
	if err := byHandChecked(t.Context(), h, &LoopState{Goal: 3}); err != nil {
		t.Fatal(err)
	}
	want := []string{"start fetch 0", "end fetch 1", "start check 1", "end check 2", "start store 2", "end store 3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
