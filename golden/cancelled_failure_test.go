package golden

import (
	"context"
	"errors"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/evals"
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

// Work is the node of the graph soft, which fails softly.
func (c canceller) Work(ctx context.Context, _ evals.SoftWorkIn) error {
	_, err := c.Closing(ctx)
	return err
}

// TestCancelledFailure holds that a run does not succeed if its last node fails after the context has ended, even if the failure is soft or its
// route leads to end: the node may have failed because of the context.
func TestCancelledFailure(t *testing.T) {
	for node, run := range map[string]func(context.Context, canceller, graphgen.RunOption) error{
		"closing": func(ctx context.Context, c canceller, report graphgen.RunOption) error {
			m, err := failures.NewErrorTransition(c)
			if err != nil {
				return err
			}
			_, err = m.Run(ctx, failures.ErrorTransitionInput{}, report)
			return err
		},
		"work": func(ctx context.Context, c canceller, report graphgen.RunOption) error {
			m, err := evals.NewSoft(c)
			if err != nil {
				return err
			}
			_, err = m.Run(ctx, evals.SoftInput{}, report)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var report graphgen.Report
		err := run(ctx, canceller{cancel}, graphgen.WithReport(&report))
		stopped, ok := errors.AsType[*graphgen.CancelledError](err)
		if !ok || stopped.Where.Node != node || stopped.Failure == nil || report.Reason != graphgen.Stopped {
			t.Errorf("the run ends at %s as %v with %v", node, report.Reason, err)
		}
	}
}
