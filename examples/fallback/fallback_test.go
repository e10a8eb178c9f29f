package fallback

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/graphgen/graphgen"
)

// The machine runs with its real handlers here; the files decide the way.
func TestFallback(t *testing.T) {
	const whole, cut = "otters have moved in\nEND\n", "otters have"
	for _, test := range []struct {
		name   string
		files  map[string]string
		origin Origin // 0 is none
		reason graphgen.Reason
		path   []string
	}{
		{"a whole source is published and kept", map[string]string{"source": whole}, OriginSource, graphgen.Completed,
			[]string{"choose", "fetch", "verify", "remember", "announce", "count", "publish"}},
		{"a source that is cut off gives way to the mirror", map[string]string{"source": cut, "mirror": whole}, OriginMirror, graphgen.Completed,
			[]string{"choose", "fetch", "verify", "from_mirror", "count", "publish"}},
		{"a locked source gives way to the mirror", map[string]string{"source": whole, "source.lock": "", "mirror": whole}, OriginMirror, graphgen.Completed,
			[]string{"choose", "fetch", "from_mirror", "count", "publish"}},
		{"without any there is an apology", nil, 0, graphgen.Completed,
			[]string{"choose", "fetch", "from_mirror", "apologize"}},
		{"a target that is a folder fails the run", map[string]string{"source": whole, "target/file": ""}, OriginSource, graphgen.Failed,
			[]string{"choose", "fetch", "verify", "remember", "announce", "count", "publish"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range test.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m, err := NewFallback(Reader{})
			if err != nil {
				t.Fatal(err)
			}
			var report graphgen.Report
			var state FallbackState
			_, err = m.Run(t.Context(), FallbackInput{
				Source: filepath.Join(dir, "source"), Mirror: filepath.Join(dir, "mirror"), Target: filepath.Join(dir, "target"),
			}, graphgen.WithReport(&report), graphgen.WithFinalState(&state))
			var origin Origin
			if state.Origin != nil {
				origin = *state.Origin
			}
			if report.Reason != test.reason || origin != test.origin || !slices.Equal(report.NodePath(), test.path) {
				t.Errorf("%v from %q by %v, error %v", report.Reason, origin, report.NodePath(), err)
			}
			if kept, ok := graphgen.StateOf[FallbackState](err); ok && kept.Text != whole {
				t.Errorf("the text is lost: %+v", kept)
			}
		})
	}
}
