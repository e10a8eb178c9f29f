package golden

import (
	"context"
	"errors"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/failures"
)

// A canceller ends the context of its run in the last node, which fails, and whose failure leads to end.
type canceller struct{ cancel func() }

func (canceller) Transited(context.Context) (out failures.ErrorTransitionTransitedOut, _ error) {
	return out, nil
}

func (canceller) Both(context.Context) (out failures.ErrorTransitionBothOut, _ error) {
	return out, nil
}

func (c canceller) Closing(ctx context.Context) (out failures.ErrorTransitionClosingOut, _ error) {
	c.cancel()
	<-ctx.Done()
	return out, ctx.Err()
}

func (canceller) Fallback(context.Context) (out failures.ErrorTransitionFallbackOut, _ error) {
	return out, nil
}

func (canceller) Rescue(context.Context) (out failures.ErrorTransitionRescueOut, _ error) {
	return out, nil
}

func (canceller) MergeNote(have, add string) string { return have + add }

// TestCancelledFailure holds that a failure whose route leads to end is no success where the context has ended: that may be why the node failed.
func TestCancelledFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, err := failures.NewErrorTransition(canceller{cancel})
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	_, err = m.Run(ctx, failures.ErrorTransitionInput{}, graphgen.WithReport(&report))
	stopped, ok := errors.AsType[*graphgen.CancelledError](err)
	if !ok || stopped.Where.Node != "closing" || stopped.Failure == nil || report.Reason != graphgen.Stopped {
		t.Errorf("the run ends as %v with %v", report.Reason, err)
	}
}
