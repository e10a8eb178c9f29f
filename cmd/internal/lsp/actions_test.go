package lsp

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// wrongSpecs returns the specs of the corpus of mistakes, and of the bad examples of the rules, by name.
func wrongSpecs(t *testing.T) map[string]string {
	t.Helper()
	specs := map[string]string{}
	paths, err := filepath.Glob("../../../testdata/specs/invalid/*.graph.yaml")
	if err != nil || len(paths) < 100 {
		t.Fatal(len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if specs[filepath.Base(path)] = string(text); strings.ToValidUTF8(string(text), "") != string(text) {
			delete(specs, filepath.Base(path))
		}
	}
	for _, rule := range append(spec.SyntaxRules(), check.Rules()...) {
		for _, file := range diag.Files("bad.graph.yaml", rule.Bad) {
			if link.IsSpec(file.Name) {
				specs[rule.Code+"/"+file.Name] = file.Text
			}
		}
	}
	specs["block.graph.yaml"] = `graph: g
entry: a
nodes:
  a:
    kind: llm
    max_visits: "3"
    description: "It is so."
  b:
    on_pass: end
    flags: [critical]
edges:
  - from: a
    to: b
    prioritty: 2
  - from: end
    to: b
tools:
  find: {doc: It finds.}
`
	return specs
}

// wrongIn returns what is wrong with a spec.
func wrongIn(path, text string) []diag.Diagnostic {
	g, found := spec.Load(path, []byte(text))
	if g != nil {
		found = append(found, check.Run(cfg.Of(g))...)
	}
	return diag.Sort(found)
}

// TestFixes makes each change that a help carries, as often as the diagnostic comes back at another place: it is gone then, and the text
// is still YAML. A change is refused where the mapping has the key already.
func TestFixes(t *testing.T) {
	made, refused := map[diag.Fix]int{}, map[diag.Fix]int{}
	for path, text := range wrongSpecs(t) {
		for _, d := range wrongIn(path, text) {
			for at := range d.Help.Fixes() {
				if mends(t, path, text, d, at) {
					made[d.Help.Fixes()[at].Fix]++
				} else {
					refused[d.Help.Fixes()[at].Fix]++
				}
			}
		}
	}
	t.Logf("made %v", made)
	for fix, least := range map[diag.Fix]int{diag.Adding: 15, diag.Quoting: 3, diag.Removing: 290, diag.Renaming: 130, diag.Replacing: 6, diag.Unquoting: 1} {
		if made[fix] < least {
			t.Errorf("%s is made %d times", fix, made[fix])
		}
	}
	if refused[diag.Replacing] > 2 || len(refused) > 1 {
		t.Errorf("refused are %v", refused)
	}
}

// marks matches the marks of a help as text, JSON and an editor show them.
var marks = regexp.MustCompile("[\x02\x03\x1f\ufffd]|\\\\u00(02|03|1f)")

// shown returns diagnostics as text, as JSON and as an editor gets them.
func shown(t *testing.T, path string, found []diag.Diagnostic) (all [3]string) {
	t.Helper()
	var text, list strings.Builder
	if err := errors.Join(diag.Render(&text, found, diag.Options{}), diag.JSON(&list, found)); err != nil {
		t.Fatal(err)
	}
	s := &Server{docs: map[string]*document{}}
	messages, err := json.Marshal(s.diagnostics(uriOf(path), found))
	if err != nil {
		t.Fatal(err)
	}
	return [3]string{text.String(), list.String(), string(messages)}
}

// TestHelpsHaveNoMarks holds that what is written of a diagnostic has none of the marks that tell suggestions from words.
func TestHelpsHaveNoMarks(t *testing.T) {
	for at, text := range shown(t, "g.graph.yaml", []diag.Diagnostic{{File: "g.graph.yaml", Message: diag.Set("key", "value")}}) {
		if !marks.MatchString(text) {
			t.Fatalf("form %d hides marks: %s", at, text)
		}
	}
	suggestions := 0
	for path, text := range wrongSpecs(t) {
		if marks.MatchString(text) {
			continue
		}
		found := wrongIn(path, text)
		for i := range found {
			found[i].File = path
			found[i].Help.Write(func(diag.Suggestion) string { suggestions++; return "" })
		}
		for _, text := range shown(t, path, found) {
			if at := marks.FindStringIndex(text); at != nil {
				t.Errorf("%s: %q", path, text[max(0, at[0]-80):min(len(text), at[1]+80)])
			}
		}
	}
	if suggestions < 500 {
		t.Errorf("the helps have %d suggestions", suggestions)
	}
	golden, err := filepath.Glob("../../../testdata/tagged/invalid/*.txt")
	if err != nil || len(golden) == 0 {
		t.Fatal(len(golden), err)
	}
	for _, path := range golden {
		if text, err := os.ReadFile(path); err != nil || marks.Match(text) {
			t.Errorf("%s: %v, or it has marks", path, err)
		}
	}
}

// quoted is what a message quotes.
var quoted = regexp.MustCompile(`"[^"]*"`)

// mends reports whether the fix of a diagnostic can be made, and holds that it mends the text.
func mends(t *testing.T, path, text string, d diag.Diagnostic, fixAt int) bool {
	t.Helper()
	like := func(g diag.Diagnostic) bool { return g.Code == d.Code && g.Message == d.Message }
	count := func(list []diag.Diagnostic) int {
		return len(slices.DeleteFunc(slices.Clone(list), func(g diag.Diagnostic) bool { return !like(g) }))
	}
	before, now, next := count(wrongIn(path, text)), text, d
	for try := range 4 {
		shown := newText([]byte(now))
		place, s := shown.rangeOf(next.Pos), next.Help.Fixes()[fixAt]
		f := fix{s.Fix, s.Key, s.Value}
		title, at, end, with, ok := f.edit(readOutline(shown.bytes, mappingOf(path)), shown.offset(place.Start), shown.offset(place.End))
		if !ok {
			return false
		}
		now = now[:at] + with + now[end:]
		list := wrongIn(path, now)
		if slices.ContainsFunc(list, func(g diag.Diagnostic) bool { return g.Code == "GG001" }) && d.Code != "GG001" {
			t.Errorf("%s: after %q of %s the text is no YAML:\n%s", path, title, d.Code, now)
		}
		if count(list) < before {
			same := func(g diag.Diagnostic) bool {
				return g.Code == d.Code && g.Pos.Line == d.Pos.Line && g.Pos.Col == d.Pos.Col &&
					quoted.ReplaceAllString(g.Message, "") == quoted.ReplaceAllString(d.Message, "")
			}
			if f.Do == diag.Renaming && slices.ContainsFunc(list, same) {
				t.Errorf("%s:%d:%d: after %q it is still %s: %s; %s", path, d.Pos.Line, d.Pos.Col, title, d.Code, d.Message, d.Help)
			}
			return true
		}
		if next = list[slices.IndexFunc(list, like)]; try == 3 || next.Pos == d.Pos {
			break
		}
	}
	t.Errorf("%s:%d:%d: %q does not mend %s: %s; %s\nin\n%s", path, d.Pos.Line, d.Pos.Col, d.Help.Fixes()[fixAt].Fix, d.Code, d.Message, d.Help, now)
	return true
}
