package graphgen_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/graphgen/graphgen"
)

// TestAsPause holds which errors of a call are a pause: the pause of another run, which a handler has returned, is none.
func TestAsPause(t *testing.T) {
	p := &graphgen.Pause{}
	paused := &graphgen.RunError{Reason: graphgen.Paused, Err: &graphgen.InterruptedError{Pause: p}}
	failed := &graphgen.RunError{Reason: graphgen.Failed, Err: &graphgen.NodeError{Err: paused}}
	for name, row := range map[string]struct {
		err   error
		pause bool
	}{
		"no error":                     {nil, false},
		"another error":                {errors.New("closed"), false},
		"a pause":                      {paused, true},
		"a wrapped one":                {fmt.Errorf("claim 7: %w", paused), true},
		"one of a step":                {&graphgen.InterruptedError{Pause: p}, true},
		"one of another run":           {failed, false},
		"one after a run that failed":  {errors.Join(failed, paused), true},
		"one before a run that failed": {errors.Join(paused, failed), true},
	} {
		if got := graphgen.AsPause(row.err); (got == p) != row.pause || got != nil && got != p {
			t.Errorf("%s: %v", name, got)
		}
	}
}
