package engine

import (
	"context"
	"testing"
)

// TestRestoreForgetsTheFirstContext holds that the loop of a run which goes on does not ask the context of the call that
// began it, which has mostly ended by then.
func TestRestoreForgetsTheFirstContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &Run{At: 1, polls: true}
	r.Pausing().waiting = &waiting{at: 1}
	r.first.Context = ctx
	if !r.Cancelled() {
		t.Fatal("the loop does not ask its context")
	}
	if r.Pausing().restore(); r.Cancelled() || r.At != 1 {
		t.Errorf("the run goes on at %d, and is left: %t", r.At, r.Cancelled())
	}
}
