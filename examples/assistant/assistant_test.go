package assistant

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const source = `package otters

type Otter struct{}

func (Otter) Swim() {}
`

func TestRepliesComeFromTheFiles(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "otters.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := NewAssistant(Helper{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Run(t.Context(), AssistantInput{Root: root, Inbox: []string{
		"hello",
		"where is `Otter`?",
		"where is `Swin`?",
		"`Swim` crashes",
		"where is `Elephant`?",
		"bye",
		"never read",
	}})
	want := []string{
		"hello to you too",
		"Otter (otters.go:3)",
		"there is no Swin; you may mean Swim (otters.go:5)",
		"filed a bug against Swim (otters.go:5)",
		"there is nothing like Elephant",
	}
	if err != nil || !slices.Equal(out.Replies, want) || out.Tickets != 1 {
		t.Errorf("replies %q, %d tickets, error %v", out.Replies, out.Tickets, err)
	}
}

func TestDistanceCountsLetters(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"run", "run", 0}, {"run", "runs", 1}, {"run", "un", 1}, {"run", "fun", 1}, {"", "otter", 5}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
