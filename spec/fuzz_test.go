package spec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// FuzzLoad holds that any bytes give diagnostics inside the file or a graph, the same each time.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(syntaxFolder, "*.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, rule := range spec.SyntaxRules() {
		if len(rule.Bad) < 4096 {
			f.Add([]byte(rule.Bad))
		}
	}
	f.Add([]byte("a: &a [*a]\nb: &b {*a : *b}\n<<: [*a, *b]\n"))
	f.Add([]byte("{[{[: ]}: !!set {? a}, <<: {}}"))
	f.Add([]byte(strings.Repeat("[", 300)))
	f.Add([]byte("%YAML 1.1\n%TAG ! !\n--- >2-\n a\n...\n"))
	f.Add([]byte("? |\n a\n: - ? b\n  : !c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		g, found := spec.Load("fuzz.graph.yaml", text)
		lines := 1 + bytes.Count(text, []byte("\n"))
		for _, d := range found {
			if d.Pos.Line < 1 || d.Pos.Line > lines+1 || d.Pos.Col < 1 || d.Pos.Width < 0 {
				t.Errorf("%s %s at %+v in a file of %d lines", d.Code, d.Message, d.Pos, lines)
			}
			for _, other := range d.Related {
				if other.Pos.Line < 1 || other.Pos.Line > lines+1 || other.Pos.Col < 1 {
					t.Errorf("%s relates to %+v in a file of %d lines", d.Code, other.Pos, lines)
				}
			}
		}
		if g == nil && len(found) == 0 {
			t.Error("neither a graph nor a diagnostic")
		}
		again, foundAgain := spec.Load("fuzz.graph.yaml", text)
		if !reflect.DeepEqual(found, foundAgain) || !reflect.DeepEqual(g, again) {
			t.Error("two readings differ")
		}
		if !bytes.Equal(before, text) {
			t.Error("reading changed the text")
		}
	})
}
