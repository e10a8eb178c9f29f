package toolrouter

import (
	"os"
	"path/filepath"
	"testing"
)

func TestQuestions(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "otters.go"), []byte("package otters\n\n// otters swim\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := NewToolrouter(Tools{})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"list .":           ". holds otters.go",
		"count .":          ". has 3 lines",
		"grep otters in .": `"otters" is on 2 lines of 1 files in .`,
		"list .; count .":  ". holds otters.go; . has 3 lines",
	} {
		out, err := m.Run(t.Context(), ToolrouterInput{Root: root, Question: question})
		if err != nil || out.Summary != want {
			t.Errorf("%s: %q, error %v", question, out.Summary, err)
		}
	}
	if _, err := m.Run(t.Context(), ToolrouterInput{Root: root, Question: "dance"}); err == nil {
		t.Error("a tool danced")
	}
}
