package spec_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// syntaxFolder holds a spec and the diagnostics of reading it per case.
const syntaxFolder = "../testdata/syntax"

// TestSyntax reads every spec of the folder and compares what is reported with the text beside it.
func TestSyntax(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(syntaxFolder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no specs in %s: %v", syntaxFolder, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, found := spec.Load(filepath.Base(file), text)
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", list(found))
		})
	}
}

// list writes diagnostics one a line, with what else they say below them.
func list(found []diag.Diagnostic) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%d:%d+%d: %s[%s]: %s\n", d.Pos.Line, d.Pos.Col, d.Pos.Width, d.Severity, d.Code, d.Message)
		for _, other := range d.Related {
			fmt.Fprintf(&b, "    %d:%d+%d: %s\n", other.Pos.Line, other.Pos.Col, other.Pos.Width, other.Message)
		}
		if d.Help != "" {
			fmt.Fprintf(&b, "    help: %s\n", d.Help)
		}
	}
	return b.String()
}

// golden compares a text with a file, or rewrites the file under -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(got)) {
		t.Errorf("%s differs; want\n%s\ngot\n%s", filepath.Base(file), want, got)
	}
}
