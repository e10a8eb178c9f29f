package jsonscan_test

import (
	"testing"

	"github.com/graphgen/graphgen/internal/jsonscan"
)

// TestNext holds what each byte of a text is, and how deep its brackets are: a letter for each mark, and the depth at the end.
func TestNext(t *testing.T) {
	for text, c := range map[string]struct {
		marks string
		depth int
	}{
		`{"a": [1, true]}`: {"{qce: {o, oooo}}", 0},
		`"a\"}\\" ]`:       {"qcccccce }", -1},
		`{"a`:              {"{qc", 1},
		`]]`:               {"}}", -2},
		``:                 {"", 0},
	} {
		var s jsonscan.Scanner
		marks := ""
		for i := range len(text) {
			marks += string("o {},:qce"[s.Next(text[i])])
		}
		if marks != c.marks || s.Depth != c.depth {
			t.Errorf("%s: %q at depth %d, want %q at %d", text, marks, s.Depth, c.marks, c.depth)
		}
	}
}
