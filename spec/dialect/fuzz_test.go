package dialect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/link"
)

func FuzzWorkflow(f *testing.F)     { fuzz(f, "workflow") }
func FuzzReasoning(f *testing.F)    { fuzz(f, "reasoning") }
func FuzzLanggraphGen(f *testing.F) { fuzz(f, "langgraph-gen") }

// fuzz imports texts. An import never panics, its diagnostics are in the file, and what it writes is a graph without
// errors, by the reader and the checks of specs.
func fuzz(f *testing.F, name string) {
	for _, pattern := range []string{"testdata/" + name + "/*.yaml", "testdata/invalid/" + name + "/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds at %s (%v)", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { holds(t, name, text) })
}

// holds imports a text. It reports what is not true of every import.
func holds(t *testing.T, name string, text []byte) {
	t.Helper()
	made, found := draft.Import(dialect.Find(name), &draft.File{Name: "fuzz.yaml", Text: text, Open: open(filepath.Join("testdata", name)), Whole: true})
	for _, d := range found {
		if d.File != "fuzz.yaml" || d.Pos.Line < 1 || d.Pos.Line > 1+bytes.Count(text, []byte("\n")) {
			t.Errorf("%s at %s:%d: %s", d.Code, d.File, d.Pos.Line, d.Message)
		}
	}
	if diag.HasErrors(found) != (made == nil) {
		t.Errorf("%d graphs and %d diagnostics", len(made), len(found))
	}
	for _, m := range made {
		g, found := spec.Load(m.Name+".graph.yaml", m.Spec)
		if g != nil && len(g.Use) == 0 {
			link.Among(nil, nil).Link(g) // with the templates of the prelude
			found = append(found, check.Run(cfg.Of(g))...)
		}
		if diag.HasErrors(found) {
			t.Errorf("what is written has errors: %v\n%s", found, m.Spec)
		}
	}
}

// odd are values that take the place of those in a file.
var odd = []string{"5", "-1", "0.5", "true", "null", "[]", "{}", `""`, "a b", "end", "__end__", "[a, [b]]", "{a: {b: c}}",
	`"{{x}} # y: z"`, "\"a\\nb \\n\\n c\""}

// scalar matches a key and its value on one line, or an item of a list.
var scalar = regexp.MustCompile(`^(\s*(?:- )?(?:[\w"-]+: )?)(\S.*)$`)

// Examples with a line that is left out, written twice, or has another value are imported, or refused at a line.
func TestChangedExamples(t *testing.T) {
	examples(t, func(t *testing.T, dialectName, file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		step := tier.Pick(20, 10, 1)
		for i := 0; i < len(lines); i += step {
			before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
			changed := []string{"", lines[i] + lines[i]}
			if m := scalar.FindStringSubmatch(strings.TrimRight(lines[i], "\n")); m != nil {
				for _, o := range odd {
					changed = append(changed, m[1]+o+"\n")
				}
			}
			for _, c := range changed {
				holds(t, dialectName, []byte(before+c+after))
				if t.Failed() {
					t.Fatalf("line %d is %q", i+1, c)
				}
			}
		}
	})
}
