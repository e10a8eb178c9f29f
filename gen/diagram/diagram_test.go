package diagram_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/diagram"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/escape"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var formats = map[string]func(*plan.Machine) []byte{"mmd": diagram.Mermaid, "dot": diagram.DOT}

func machine(t *testing.T, file string) *plan.Machine {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	graph, found := spec.Load(file, text)
	if len(found) > 0 {
		t.Fatalf("%s: %+v", file, found)
	}
	return plan.Lower(cfg.Of(graph), "main")
}

func TestDiagramsAreAsCommitted(t *testing.T) {
	specs, err := filepath.Glob("../../testdata/diagram/*.graph.yaml")
	if err != nil || len(specs) == 0 {
		t.Fatal("no specs", err)
	}
	for _, file := range specs {
		for ext, draw := range formats {
			name := strings.TrimSuffix(filepath.Base(file), ".graph.yaml") + "." + ext
			t.Run(name, func(t *testing.T) {
				got := draw(machine(t, file))
				golden := filepath.Join("../../golden/diagram", name)
				if *update {
					if err := os.WriteFile(golden, got, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("got:\n%s\nwant:\n%s", got, want)
				}
			})
		}
	}
}

// Every text of an author's stands between quotes, so a diagram is broken only by a text
// with a quote, a line break or an escape of the language in it.
func FuzzAuthorsTextStaysInItsQuotes(f *testing.F) {
	f.Add(`"]; evil --> x[" %%{init: {}}%%`)
	f.Add("`**x**`\r\n\x1b[31m <b>&quot;\\")
	f.Add(`\`)
	for _, h := range hostile.Texts {
		f.Add(h.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := machine(t, "../../testdata/diagram/review.graph.yaml")
		plain := map[string]int{}
		for ext, draw := range formats {
			plain[ext] = bytes.Count(draw(m), []byte("\n"))
		}
		m.Name, m.Flow.Nodes[0].Name = text, text
		m.Flow.Nodes[0].Routes.Tests[0].Transition.Label = text
		for ext, draw := range formats {
			got := string(draw(m))
			if i := strings.IndexFunc(got, func(c rune) bool { return c != '\n' && c != '\t' && !escape.Harmless(c) }); i >= 0 {
				t.Errorf("%s: %q leaves %q", ext, text, got[i:min(i+4, len(got))])
			}
			if n := strings.Count(got, "\n"); n != plain[ext] {
				t.Errorf("%s: %q makes %d lines of %d:\n%s", ext, text, n, plain[ext], got)
			}
			for line := range strings.Lines(got) {
				if quotes := strings.Count(strings.NewReplacer(`\\`, "", `\"`, "").Replace(line), `"`); quotes%2 != 0 || quotes > 2 {
					t.Errorf("%s: %q opens or closes a quote:\n%s", ext, text, line)
				}
			}
		}
	})
}
