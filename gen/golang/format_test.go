package golang

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

// indentation is what format makes: without it a source is as the emitter prints it.
var indentation = regexp.MustCompile(`(?m)^\t+|[ \t]+$`)

// TestFormattedInParts holds that a file that is formatted declaration by declaration is the file that is formatted as a whole, and that it is
// cut at all.
func TestFormattedInParts(t *testing.T) {
	files, err := filepath.Glob("../../golden/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	files = tier.Some(t, 80, len(files), files)
	cut := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source := indentation.ReplaceAll(text, nil)
		want, err := format.Source(source)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, least := range []int{1, 1000, 20_000} {
			cut += len(gaps(source, least))
			if got, err := formatted(source, least); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s in parts of %d bytes: %v", name, least, err)
			}
		}
	}
	if cut < 10*len(files) {
		t.Errorf("%d files are cut %d times", len(files), cut)
	}
}
