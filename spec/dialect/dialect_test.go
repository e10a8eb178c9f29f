package dialect_test

import (
	"bytes"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect"
	"github.com/graphgen/graphgen/spec/dialect/draft"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// open returns the function by which an import finds the files beside a file.
func open(dir string) func(string) (string, []byte, error) {
	return func(name string) (string, []byte, error) {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return path.Clean(name), text, err
	}
}

// imported imports a file of testdata.
func imported(t *testing.T, dialectName, file string) ([]draft.Imported, []diag.Diagnostic, []byte) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	made, found := draft.Import(dialect.Find(dialectName), &draft.File{Name: filepath.Base(file), Text: text, Open: open(filepath.Dir(file))})
	return made, found, text
}

// examples returns the foreign files of the dialects below testdata.
func examples(t *testing.T, each func(t *testing.T, dialectName, file string)) {
	t.Helper()
	for _, d := range dialect.All {
		files, err := filepath.Glob(filepath.Join("testdata", d.Name, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("the dialect %s has no examples (%v)", d.Name, err)
		}
		for _, file := range files {
			t.Run(d.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { each(t, d.Name, file) })
		}
	}
}

// rendered returns diagnostics as a user reads them.
func rendered(t *testing.T, found []diag.Diagnostic, text []byte) string {
	t.Helper()
	var b strings.Builder
	if err := diag.Render(&b, found, diag.Options{Source: func(string) []byte { return text }}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every example is imported without an error, and what is written is what is expected.
func TestExamples(t *testing.T) {
	examples(t, func(t *testing.T, dialectName, file string) {
		made, found, text := imported(t, dialectName, file)
		if diag.HasErrors(found) {
			t.Fatalf("it has errors:\n%s", rendered(t, found, text))
		}
		base := strings.TrimSuffix(file, ".yaml")
		var all bytes.Buffer
		for _, m := range made {
			all.WriteString("-- " + m.Name + ".graph.yaml --\n" + string(m.Spec))
			for _, text := range m.Texts {
				all.WriteString("-- " + text.Name + " --\n" + text.Text)
			}
			if m.Scenarios == nil {
				t.Errorf("%s has no scenario", m.Name)
			}
			all.WriteString("-- " + m.Name + ".scenarios.yaml --\n" + string(m.Scenarios))
		}
		all.WriteString("-- diagnostics --\n" + rendered(t, found, text))
		golden(t, base+".txt", all.String())
	})
}

// golden compares a text with a file.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != text {
		t.Errorf("%s differs (%v); -update writes it:\n%s", file, err, text)
	}
}

// What is written reads as the graph that was checked: the same spec, at the places of the written file.
func TestWrittenSpecs(t *testing.T) {
	examples(t, func(t *testing.T, dialectName, file string) {
		made, _, _ := imported(t, dialectName, file)
		for _, m := range made {
			name := m.Name + ".graph.yaml"
			g, found := spec.Load(name, m.Spec)
			if len(found) > 0 {
				t.Fatalf("it cannot be read:\n%s", rendered(t, found, m.Spec))
			}
			again, _ := spec.Load(name, spec.Write(g))
			if !bytes.Equal(spec.Write(g), spec.Write(again)) {
				t.Errorf("%s does not keep its meaning", name)
			}
		}
	})
}

// What is wrong with a foreign file is reported at its lines, and nothing is made of it.
func TestInvalid(t *testing.T) {
	for _, d := range dialect.All {
		files, err := filepath.Glob(filepath.Join("testdata", "invalid", d.Name, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("the dialect %s has no invalid examples (%v)", d.Name, err)
		}
		for _, file := range files {
			t.Run(d.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
				made, found, text := imported(t, d.Name, file)
				if len(made) > 0 || !diag.HasErrors(found) {
					t.Errorf("%d graphs are made of it", len(made))
				}
				for _, f := range found {
					if f.File != filepath.Base(file) || !f.Pos.IsSet() || f.Pos.Line > 1+bytes.Count(text, []byte("\n")) {
						t.Errorf("%s is at %s:%d", f.Code, f.File, f.Pos.Line)
					}
				}
				golden(t, strings.TrimSuffix(file, ".yaml")+".txt", rendered(t, found, text))
			})
		}
	}
}

// The bad example of each rule gives its code and no other, but for notes; the good one gives nothing but notes.
func TestRules(t *testing.T) {
	find := func(text, code string) []diag.Diagnostic {
		_, found := draft.Import(dialect.Find("workflow"), &draft.File{Name: "hello.yaml", Text: []byte(text)})
		return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Note && d.Code != code })
	}
	for i, r := range draft.Rules() {
		t.Run(r.Name, func(t *testing.T) {
			if i > 0 && r.Code <= draft.Rules()[i-1].Code {
				t.Errorf("%s is behind %s", r.Code, draft.Rules()[i-1].Code)
			}
			found := find(r.Bad, r.Code)
			if len(found) == 0 {
				t.Error("the bad example gives nothing")
			}
			for _, d := range found {
				if d.Code != r.Code {
					t.Errorf("the bad example gives %s: %s", d.Code, d.Message)
				}
			}
			for _, d := range find(r.Good, "") {
				t.Errorf("the good example gives %s: %s", d.Code, d.Message)
			}
		})
	}
}
