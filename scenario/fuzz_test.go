package scenario_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/graphgen/graphgen/scenario"
)

// FuzzLoad holds that any bytes give diagnostics inside the file or scenarios, the same
// each time.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*" + scenario.Suffix)
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
	for _, rule := range scenario.Rules() {
		f.Add([]byte(rule.Bad))
	}
	f.Add([]byte("scenarios: [{name: a, script: {a: [{guards_failed: [{}, [], ~]}]}, expect: {events: ['', ' ']}}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		file, found := scenario.Load("fuzz.scenarios.yaml", text)
		lines := 1 + bytes.Count(text, []byte("\n"))
		for _, d := range found {
			if d.Pos.Line < 1 || d.Pos.Line > lines+1 || d.Pos.Col < 1 || d.Pos.Width < 0 {
				t.Errorf("%s %s at %+v in a file of %d lines", d.Code, d.Message, d.Pos, lines)
			}
		}
		if file == nil && len(found) == 0 {
			t.Error("neither a file nor a diagnostic")
		}
		again, foundAgain := scenario.Load("fuzz.scenarios.yaml", text)
		if !reflect.DeepEqual(found, foundAgain) || !reflect.DeepEqual(file, again) {
			t.Error("two readings differ")
		}
		if file != nil && !reflect.DeepEqual(scenario.BindToRuleSpec(file), scenario.BindToRuleSpec(again)) {
			t.Error("two bindings differ")
		}
		if !bytes.Equal(before, text) {
			t.Error("reading changed the text")
		}
	})
}
