package agenttriage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestToolsStayInModule(t *testing.T) {
	dir := fixture(t)
	m := Module{Dir: dir}
	if text, err := m.ReadFile(t.Context(), TriageReadFileArgs{Name: "otters.go"}); err != nil || !strings.Contains(text, "\n8\tfunc First(") {
		t.Errorf("read %q and %v", text, err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../go.mod", "/etc/hostname", "link", "missing.go", ""} {
		if text, err := m.ReadFile(t.Context(), TriageReadFileArgs{Name: name}); err == nil {
			t.Errorf("%q gives %q", name, text)
		}
	}
}

func TestOutcomes(t *testing.T) {
	m := Module{Dir: fixture(t)}
	want := []Outcome{
		{Test: "otters.TestCount", Outcome: OutcomeOutcomeFailed, Message: "otters_test.go:7: counted 3 otters, there are 2"},
		{Test: "otters.TestKnown", Outcome: OutcomeOutcomeFailed, Message: "otters_test.go:11: known since spring"},
		{Test: "otters.TestWinter", Outcome: OutcomeOutcomeSkipped, Message: "otters_test.go:12: no otters in winter"},
		{Test: "otters.TestFirst", Outcome: OutcomeOutcomePanicked, Message: "panic: runtime error: index out of range [0] with length 0"},
	}
	if got, err := m.RunTests(t.Context(), TriageRunTestsArgs{Run: "."}); err != nil || !slices.Equal(got, want) {
		t.Errorf("outcomes %+v and %v, want %+v", got, err, want)
	}
	if got, err := m.RunTests(t.Context(), TriageRunTestsArgs{Run: "TestCount"}); err != nil || !slices.Equal(got, want[:1]) {
		t.Errorf("one test: %+v and %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(m.Dir, "broken.go"), []byte("package otters\n\nvar x int = `y`\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := m.RunTests(t.Context(), TriageRunTestsArgs{Run: "."})
	if err != nil || len(got) != 1 || got[0].Outcome != OutcomeOutcomeFailed || !strings.Contains(got[0].Message, "broken.go:3") {
		t.Errorf("a module that does not build: %+v and %v", got, err)
	}
}
