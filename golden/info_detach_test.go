package golden_test

import (
	"context"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/golden/review"
	graphrt "github.com/graphgen/graphgen/runtime"
)

// A outliver leaves a goroutine behind in each draft, which asks until the run has ended.
type outliver struct {
	wait  sync.WaitGroup
	ended chan struct{}
	seen  sync.Map // by key: the steps
	score int
}

func (l *outliver) Draft(ctx context.Context, in review.ReviewDraftIn) (review.ReviewDraftOut, error) {
	want, key, ctx := graphrt.Info(ctx), graphrt.IdempotencyKey(ctx), graphrt.Detach(ctx)
	l.seen.Store(key, want.Step)
	l.wait.Go(func() {
		for ended := false; !ended; {
			select {
			case <-l.ended:
				ended = true // asks once more
			default:
			}
			if got := graphrt.Info(ctx); got.Node != "draft" || got.Step != want.Step || got.Visit != want.Visit || graphrt.IdempotencyKey(ctx) != key {
				l.seen.Store(graphrt.IdempotencyKey(ctx), -1)
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
	if _, err = m.Run(t.Context(), review.ReviewInput{Topic: "otters"}, graphrt.WithRunID("r")); err != nil {
		t.Fatal(err)
	}
	close(l.ended)
	l.wait.Wait()
	steps := map[any]any{}
	l.seen.Range(func(key, step any) bool { steps[key] = step; return true })
	if len(steps) < 2 || steps["r/1"] != 1 || steps["r/3"] != 3 {
		t.Errorf("keys and steps: %v", steps)
	}
	if ctx := context.Background(); graphrt.Detach(ctx) != ctx {
		t.Error("a context outside of a run changes")
	}
}
