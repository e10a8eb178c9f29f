package durable

import (
	"testing"

	"github.com/graphgen/graphgen/runtime/codec"
)

// TestHasLeftItsNodes holds which of the saved branches have a last transition that is no step: those which count one more
// would let the others make a step too many, or one too few.
func TestHasLeftItsNodes(t *testing.T) {
	for _, c := range []struct {
		last string
		want bool
	}{
		{"", false},
		{"end>draft", false}, // the entry: the branch has failed in its first node
		{"draft>judge#2", false},
		{"judge>end", true},
		{"judge>end#2", true},
		{"no_route", true},
		{"exhausted", true},
		{"terminal", true},
	} {
		t.Run(c.last, func(t *testing.T) {
			var s saved
			if c.last != "" {
				path := []string{"end>draft", c.last}
				if _, _, err := s.cells.Changes(func(cells *codec.Cells) { codec.Grow(cells, ".path", path, codec.WriteString) }); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.hasLeftItsNodes(); got != c.want {
				t.Errorf("it is %t, want %t", got, c.want)
			}
		})
	}
}
