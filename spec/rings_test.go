package spec

import (
	"strings"
	"testing"
)

// TestRings holds that the keys of the inner rings are keys, each named once, and that a first graph needs few.
func TestRings(t *testing.T) {
	count, named := map[Ring]int{}, 0
	for _, m := range Reference() {
		for _, k := range m.Keys {
			count[RingOf(m.Name, k.Name)]++
		}
	}
	for _, rings := range inner {
		for _, keys := range rings {
			named += len(strings.Fields(keys))
		}
	}
	if got := count[First] + count[Production]; got != named || count[First] > 28 || count[Production] > 90 {
		t.Errorf("%d keys are named for the rings, and these have %v", named, count)
	}
}
