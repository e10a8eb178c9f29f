package check_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// FuzzCheck holds that any bytes that give a graph give findings inside the file, the same
// each time, that judging changes nothing of the graph, and that one without mistakes can
// be emitted.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"../../testdata/*/*.yaml", "../../testdata/specs/*/*.yaml", "../../golden/*/*.graph.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range tier.Some(f, 20, 40, files) {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	for _, r := range tier.Some(f, 40, 80, check.Rules()) {
		if r.Large == nil { // what is large on purpose keeps the fuzzer from trying anything
			f.Add([]byte(r.Bad))
			f.Add([]byte(r.Good))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		g, read := spec.Load("fuzz.graph.yaml", text)
		if g == nil {
			return
		}
		found := append(check.Run(cfg.Of(g)), check.Package([]*cfg.Graph{cfg.Of(g)})...)
		lines := 2 + bytes.Count(text, []byte("\n"))
		for _, d := range found {
			if !inside(d.Pos, lines) || d.Message == "" {
				t.Errorf("%s %q at %+v in a file of %d lines", d.Code, d.Message, d.Pos, lines)
			}
			for _, r := range d.Related {
				if !inside(r.Pos, lines) {
					t.Errorf("%s relates to %+v in a file of %d lines", d.Code, r.Pos, lines)
				}
			}
		}
		if !diag.HasErrors(read) && !diag.HasErrors(found) {
			if _, err := golang.Emit(plan.Lower(cfg.Of(g), "p")); err != nil {
				t.Errorf("it passes, but cannot be emitted: %v", err)
			}
		}
		if again := check.Run(cfg.Of(g)); !reflect.DeepEqual(again, check.Run(cfg.Of(g))) {
			t.Error("two judgements differ")
		}
		if fresh, _ := spec.Load("fuzz.graph.yaml", text); !reflect.DeepEqual(fresh, g) {
			t.Error("judging changed the graph")
		}
	})
}

func inside(p diag.Pos, lines int) bool {
	return p.Line >= 1 && p.Line <= lines && p.Col >= 1 && p.Width >= 0
}
