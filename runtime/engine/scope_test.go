package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
)

// TestHookFailuresOfGrandchildren holds that the failures of a hook are counted by the run that the hook is of, where runs within branches of a child
// run fail concurrently.
func TestHookFailuresOfGrandchildren(t *testing.T) {
	const branches = 50
	innermost := newComposer(succeed, succeed)
	middle := newComposer(branch(branches, branches), func(ctx context.Context, b *composerRun) error { return innermost.Run(ctx, b.Nested()) })
	outermost := newComposer(func(ctx context.Context, r *composerRun) error { return middle.Run(ctx, r.Nested()) }, succeed)
	hook := graphgen.Hook{Name: "h", Begin: func(_ context.Context, e graphgen.Event) (context.Context, func(graphgen.Event)) {
		if strings.Contains(e.Run.Within, "/") {
			panic("broken")
		}
		return nil, nil
	}}
	var rep graphgen.Report
	if err := outermost.Run(t.Context(), graphgen.WithHook(hook), graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if rep.HookFailures != branches {
		t.Errorf("%d failures are counted", rep.HookFailures)
	}
}
