package scenario_test

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/scenario"
)

// TestEventKinds holds that scenarios can expect every kind of event that the kernel has.
func TestEventKinds(t *testing.T) {
	var want []string
	for k := graphgen.RunStart; k <= graphgen.RunEnd; k++ {
		want = append(want, k.String())
	}
	if !slices.Equal(scenario.EventKinds, want) {
		t.Errorf("the kinds are %q, want %q", scenario.EventKinds, want)
	}
}
