package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// TestExplainEveryKey explains each key of the language with an example that has it.
func TestExplainEveryKey(t *testing.T) {
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			var out strings.Builder
			explainKey(&out, meanings(m.Name+"."+k.Name), "")
			if text := smallest()[spec.Part{Mapping: m.Name, Key: k.Name}]; text == "" || !strings.Contains(out.String(), example(text)) ||
				!strings.HasPrefix(out.String(), k.Name+": a key of "+m.Noun+"\n\n"+wrapped(k.Doc)) {
				t.Errorf("%s of %s is explained as\n%s", k.Name, m.Name, &out)
			}
			for _, w := range k.Words {
				if len(meanings(w.Name)) == 0 {
					t.Errorf("the word %s is not explained", w.Name)
				}
			}
		}
	}
}

// TestExplainedSpecs holds that the examples of keys are right, and that each is the example of a key.
func TestExplainedSpecs(t *testing.T) {
	files, err := explained.ReadDir("explained")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, text := range smallest() {
		used[text] = true
	}
	var names []string
	for _, f := range files {
		names = append(names, "explained/"+f.Name())
		if text, _ := explained.ReadFile("explained/" + f.Name()); !used[string(text)] {
			t.Errorf("%s is the example of no key", f.Name())
		}
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), append([]string{"check"}, names...), &out, &errs); code != exitFine || out.Len()+errs.Len() > 0 {
		t.Errorf("exit status %d: %s%s", code, &out, &errs)
	}
}

// TestExplainKeys looks at what explain prints.
func TestExplainKeys(t *testing.T) {
	for name, want := range map[string][]string{
		"max_visits":   {"max_visits: a key of limits\n", "\nmax_visits: a key of a node\n", "needed:   in a first graph", "For example:\n\n    graph: "},
		"node.timeout": {"timeout: a key of a node\n", "value:    duration\n", "kinds:    func, guard"},
		"router":       {"router: a word of kind, a key of a node", "kind: router"},
		"union":        {"GG135: union", "\n\nunion: a key of a union\n"},
		"max_visit":    {"did you mean max_visits?"},
		"Frobnicate":   {"there is no code or key"},
	} {
		var out bytes.Buffer
		run(t.Context(), []string{"explain", name}, &out, &out)
		for _, part := range want {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s is explained as %s, without %q", name, &out, part)
			}
		}
	}
}
