package diag_test

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

// TestFiles holds which files an example has.
func TestFiles(t *testing.T) {
	for text, want := range map[string][]diag.File{
		"graph: g\n": {{Name: "a", Text: "graph: g\n"}},
		"-- b --\n-- c --\nx\n\n-- d.md --\ny\n--z": {{Name: "b"}, {Name: "c", Text: "x\n\n"}, {Name: "d.md", Text: "y\n--z"}},
	} {
		if got := diag.Files("a", text); !slices.Equal(got, want) {
			t.Errorf("%q has %q", text, got)
		}
	}
}
