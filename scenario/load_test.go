package scenario_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestDiagnostics reads every scenario file of the folder, as one of the graph of the
// rules' examples, and compares what is reported with the text beside it.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/diagnostics/*" + scenario.Suffix)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), scenario.Suffix), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			options := diag.Options{Source: func(string) []byte { return text }}
			if err := diag.Render(&got, diagnose(t, scenario.RuleSpec, string(text)), options); err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", got.String())
		})
	}
}

// golden compares a text with a file, or rewrites the file under -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs; want\n%s\ngot\n%s", filepath.Base(file), want, got)
	}
}
