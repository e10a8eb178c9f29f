package triage

import (
	"errors"
	"os"
	"path/filepath"
)

// Fixture writes a module with something to find of every severity.
func Fixture(dir string) error {
	var errs []error
	for name, text := range fixture {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return errors.Join(errs...)
}

var fixture = map[string]string{
	"go.mod": "module otters\n\ngo 1.26\n",
	"otters.go": `package otters

// Count counts the otters.
// TODO: count the young ones too.
func Count(names []string) int { return len(names) + 1 }

// First returns the first otter.
func First(names []string) string { return names[0] }
`,
	"otters_test.go": `package otters

import "testing"

func TestCount(t *testing.T) {
	if got := Count([]string{"ada", "bo"}); got != 2 {
		t.Errorf("counted %d otters, there are 2", got)
	}
}

func TestKnown(t *testing.T)  { t.Error("known since spring") }
func TestWinter(t *testing.T) { t.Skip("no otters in winter") }
func TestFirst(t *testing.T)  { First(nil) }
`,
}
