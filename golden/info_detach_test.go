package golden_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/review"
	"github.com/graphgen/graphgen/thread"
)

// An outliver leaves a goroutine behind in each draft, which asks until the run has ended.
type outliver struct {
	wait  sync.WaitGroup
	ended chan struct{}
	known []graphgen.StepInfo // of the drafts
	keys  []string
	wrong atomic.Int64 // answers about another step, and calls of thread.Once without an error
	score int
}

func (l *outliver) Draft(ctx context.Context, in review.ReviewDraftIn) (review.ReviewDraftOut, error) {
	want, key, ctx := graphgen.Info(ctx), graphgen.IdempotencyKey(ctx), graphgen.Detach(ctx)
	l.known, l.keys = append(l.known, want), append(l.keys, key)
	l.wait.Go(func() {
		for ended := false; !ended; {
			select {
			case <-l.ended:
				ended = true // asks once more
			default:
			}
			_, err := thread.Once(ctx, "once", func(context.Context) ([]byte, error) { return nil, nil })
			got := graphgen.Info(ctx)
			if got.Node != want.Node || got.Step != want.Step || got.Visit != want.Visit || graphgen.IdempotencyKey(ctx) != key || err == nil {
				l.wrong.Add(1)
			}
		}
	})
	return review.ReviewDraftOut{Article: in.Topic}, nil
}

func (l *outliver) Critic(context.Context, review.ReviewCriticIn) (review.Verdict, error) {
	l.score++
	return review.Verdict{Score: l.score + 1}, nil
}

func (l *outliver) Publish(context.Context, review.ReviewPublishIn) error { return nil }

// TestDetach holds that a goroutine which outlives its handler knows the step of that handler, while the run goes on and after its end, and that
// it does not race with the run.
func TestDetach(t *testing.T) {
	l := &outliver{ended: make(chan struct{})}
	m, err := review.NewReview(l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Run(t.Context(), review.ReviewInput{Topic: "otters"}, graphgen.WithRunID("r")); err != nil {
		t.Fatal(err)
	}
	close(l.ended)
	l.wait.Wait()
	if !slices.Equal(l.keys, []string{"r/1", "r/3", "r/5"}) || l.known[1].Node != "draft" || l.known[1].Step != 3 || l.known[1].Visit != 2 {
		t.Errorf("the drafts are steps %v, with keys %v", l.known, l.keys)
	}
	if n := l.wrong.Load(); n > 0 {
		t.Errorf("%d answers are about another step", n)
	}
	if ctx := context.Background(); graphgen.Detach(ctx) != ctx {
		t.Error("a context outside of a run changes")
	}
}
