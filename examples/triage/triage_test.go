package triage

import (
	"os"
	"slices"
	"testing"
)

// The machine runs with its real handlers here, on a module whose tests really fail.
func TestIssueNames(t *testing.T) {
	dir := t.TempDir()
	if err := Fixture(dir); err != nil {
		t.Fatal(err)
	}
	m, err := NewTriage(Desk{})
	if err != nil {
		t.Fatal(err)
	}
	in := TriageInput{Root: dir, Packages: []string{"."}, Known: []string{"otters.TestKnown"}, Outbox: dir}
	out, err := m.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if out.Issue == nil {
		t.Fatal("there is no issue")
	}
	issue, err := os.ReadFile(*out.Issue)
	if err != nil {
		t.Fatal(err)
	}
	const want = `- [high] otters.TestFirst (test): panic: runtime error: index out of range [0] with length 0 [recovered, repanicked]
- [medium] otters.TestCount (test): otters_test.go:7: counted 3 otters, there are 2
- [low] otters.go:3 (code): left to do: count the young ones too.
- [low] otters.TestWinter (test): otters_test.go:12: no otters in winter
`
	if string(issue) != want {
		t.Errorf("issue:\n%s\nwant:\n%s", issue, want)
	}
	if !slices.Equal(out.Notices, []string{"found 1 high, 2 medium, 2 low; 4 of them are new, see ISSUE.md"}) {
		t.Errorf("notices: %q", out.Notices)
	}
}
