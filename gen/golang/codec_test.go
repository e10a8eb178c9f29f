package golang

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
)

// The types and codecs of testdata/codec stand in golden/codec, with tests that run them.
func TestCodecs(t *testing.T) {
	for _, spec := range []string{"types", "kinds"} {
		m := lowered(t, "../../testdata/codec/"+spec+".graph.yaml", "codec")
		types := newEmitter(m)
		types.types()
		asCommitted(t, filepath.Join("../../golden/codec", spec+"_types.go"), types)
	}
}

func asCommitted(t *testing.T, path string, e *emitter) {
	t.Helper()
	got, err := e.render()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what is emitted; -update rewrites it", path)
	}
}

func lowered(t *testing.T, path, pkg string) *plan.Machine {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return lowerText(t, path, string(text), pkg)
}

func lowerText(t *testing.T, path, text, pkg string) *plan.Machine {
	t.Helper()
	g, problems := spec.Load(path, []byte(text))
	for _, p := range problems {
		if p.Severity == diag.Error {
			t.Fatalf("%s:%d:%d: %s", path, p.Pos.Line, p.Pos.Col, p.Message)
		}
	}
	return plan.Lower(cfg.Of(g), pkg)
}
